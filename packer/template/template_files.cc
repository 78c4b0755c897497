#include "packer/template/template_files.h"

#include <algorithm>

#include "packer/base/printable.h"

namespace sheaf::packer {

const IncludedFile* TemplateFiles::FindAny(const std::vector<std::string>& targets) {
  std::string why;
  const IncludedFile* itself = nullptr;
  for (const std::string& target : targets) {
    const Result<const IncludedFile*> found = files_->Find(target, file());
    if (!found.ok()) {
      if (why.empty()) why = found.error().message;
    } else if (IsOpen(**found)) {
      itself = *found;  // a file of the same name elsewhere is meant, if there is one
    } else {
      return *found;
    }
  }
  if (itself != nullptr) return itself;
  if (!targets.empty()) Missing(targets.front(), why);
  return nullptr;
}

const IncludedFile* TemplateFiles::Probe(const std::string& target) {
  const Result<const IncludedFile*> found = files_->Find(target, file());
  return found.ok() ? *found : nullptr;
}

bool TemplateFiles::IsOpen(const IncludedFile& file) const {
  return file.path == files_->page() || std::find(open_.begin(), open_.end(), file.path) != open_.end();
}

bool TemplateFiles::Enter(const IncludedFile& file, std::string_view target) {
  if (IsOpen(file)) {
    Missing(target, "it includes itself");
    return false;
  }
  if (open_.size() >= kMaxIncludeDepth) {
    Missing(target, "includes are nested more than " + std::to_string(kMaxIncludeDepth) + " deep");
    return false;
  }
  open_.push_back(file.path);
  return true;
}

bool TemplateFiles::HasRoom(size_t bytes, std::string_view what) {
  if (files_->Spend(bytes)) return true;
  if (!is_full_) Missing(what, "the page includes more than " + std::to_string(kMaxIncludedText) + " bytes");
  is_full_ = true;
  return false;
}

void TemplateFiles::Missing(std::string_view target, std::string_view why) {
  missing_.push_back(TerminalText(target.substr(0, 200)) + " (" + std::string(why) + ")");
}

}  // namespace sheaf::packer
