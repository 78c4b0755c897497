// The files that a page includes one within another, while they are expanded, and those that are missing.
//
// Idea: both kinds of expansion (include/expand.h, template/expand_templates.h) read files within files, so they bound
// the depth, refuse a file that is open already, and say in the same words what is missing.
#ifndef SHEAF_PACKER_INCLUDE_OPEN_FILES_H_
#define SHEAF_PACKER_INCLUDE_OPEN_FILES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "packer/include/include_files.h"

namespace sheaf::packer {

class OpenFiles {
 public:
  explicit OpenFiles(IncludeFiles* files) : files_(files) {}

  // The file that is read now: the page, or the innermost open one.
  const std::string& file() const { return open_.empty() ? files_->page() : open_.back(); }
  bool IsOpen(const IncludedFile& file) const;
  // Opens it. False: it includes itself, or is too deep, which `missing` says.
  bool Enter(const IncludedFile& file, std::string_view target);
  void Leave() { open_.pop_back(); }

  // Whether the page has room for this much text more; else `missing` says so.
  bool HasRoom(size_t bytes, std::string_view target);
  void Missing(std::string_view target, std::string_view why);
  std::vector<std::string>& missing() { return missing_; }

 protected:
  IncludeFiles& files() const { return *files_; }

 private:
  IncludeFiles* const files_;
  std::vector<std::string> open_, missing_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_INCLUDE_OPEN_FILES_H_
