// The output of both expanders: the lines of the page, and its missing includes.
#ifndef SHEAF_PACKER_INCLUDE_PAGE_LINES_H_
#define SHEAF_PACKER_INCLUDE_PAGE_LINES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/include/expand.h"
#include "packer/include/include_files.h"
#include "packer/include/open_files.h"
#include "packer/include/select_lines.h"

namespace sheaf::packer {

class PageLines : public OpenFiles {
 public:
  using OpenFiles::OpenFiles;

  // The line of the page that is read now, from 1. Lines of included files count as the line that includes them.
  void At(uint32_t line) { at_ = line; }
  void Add(std::string_view prefix, std::string_view line);
  void AddAll(std::string_view prefix, const std::vector<std::string>& lines);
  // A fence that no line of `code` closes.
  void AddFence(std::string_view prefix, std::string_view language, const std::vector<std::string>& code);

  // The file, unless it is missing, which is noted.
  const IncludedFile* Find(std::string_view target, const std::string& from);
  // Whether there is room for these lines; a file for which there is none counts as missing.
  bool HasRoom(std::string_view target, const std::vector<std::string>& lines);

  ExpandedText Take(std::string_view original);

 private:
  ExpandedText out_;
  uint32_t at_ = 1;
  bool included_ = false;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_INCLUDE_PAGE_LINES_H_
