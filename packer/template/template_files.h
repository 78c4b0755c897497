// What both template languages need of files: includes one within another, and names for the summary.
#ifndef SHEAF_PACKER_TEMPLATE_TEMPLATE_FILES_H_
#define SHEAF_PACKER_TEMPLATE_TEMPLATE_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "packer/include/include_files.h"
#include "packer/include/open_files.h"

namespace sheaf::packer {

class TemplateFiles : public OpenFiles {
 public:
  using OpenFiles::OpenFiles;

  // The first of these targets that exists. None: null, and `missing` names the first.
  const IncludedFile* FindAny(const std::vector<std::string>& targets);
  // The same without a word; for files that need not be there.
  const IncludedFile* Probe(const std::string& target);
  // The same as OpenFiles', but said once: templates insert many small texts.
  bool HasRoom(size_t bytes, std::string_view what);
  void LeftOut(std::string name) { ++left_out_[std::move(name)]; }

  std::map<std::string, uint32_t>& left_out() { return left_out_; }

 private:
  std::map<std::string, uint32_t> left_out_;
  bool is_full_ = false;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_TEMPLATE_FILES_H_
