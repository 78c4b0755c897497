#include "packer/template/template_files.h"

namespace sheaf::packer {

const IncludedFile* TemplateFiles::FindAny(const std::vector<std::string>& targets) {
  std::string why;
  const IncludedFile* itself = nullptr;
  for (const std::string& target : targets) {
    const Result<const IncludedFile*> found = files().Find(target, file());
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
  const Result<const IncludedFile*> found = files().Find(target, file());
  return found.ok() ? *found : nullptr;
}

bool TemplateFiles::HasRoom(size_t bytes, std::string_view what) {
  if (is_full_) return files().Spend(bytes);
  is_full_ = !OpenFiles::HasRoom(bytes, what);
  return !is_full_;
}

}  // namespace sheaf::packer
