#include "packer/include/open_files.h"

#include <algorithm>

#include "packer/base/printable.h"

namespace sheaf::packer {

bool OpenFiles::IsOpen(const IncludedFile& file) const {
  return file.path == files_->page() || std::find(open_.begin(), open_.end(), file.path) != open_.end();
}

bool OpenFiles::Enter(const IncludedFile& file, std::string_view target) {
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

bool OpenFiles::HasRoom(size_t bytes, std::string_view target) {
  if (files_->Spend(bytes)) return true;
  Missing(target, "the page includes more than " + std::to_string(kMaxIncludedText) + " bytes");
  return false;
}

void OpenFiles::Missing(std::string_view target, std::string_view why) {
  missing_.push_back(TerminalText(target.substr(0, 200)) + " (" + std::string(why) + ")");
}

}  // namespace sheaf::packer
