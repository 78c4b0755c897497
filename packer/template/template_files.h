// What both template languages need of files: includes one within another, and names for the summary.
#ifndef SHEAF_PACKER_TEMPLATE_TEMPLATE_FILES_H_
#define SHEAF_PACKER_TEMPLATE_TEMPLATE_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "packer/include/include_files.h"

namespace sheaf::packer {

class TemplateFiles {
 public:
  explicit TemplateFiles(IncludeFiles* files) : files_(files) {}

  // The first of these targets that exists. None: null, and `missing` names the first.
  const IncludedFile* FindAny(const std::vector<std::string>& targets);
  // The same without a word; for files that need not be there.
  const IncludedFile* Probe(const std::string& target);
  // Files that are being read. False: it includes itself, or is too deep, which `missing` says.
  bool Enter(const IncludedFile& file, std::string_view target);
  void Leave() { open_.pop_back(); }
  // Whether the page has room for this much text more.
  bool HasRoom(size_t bytes, std::string_view what);
  void LeftOut(std::string name) { ++left_out_[std::move(name)]; }
  void Missing(std::string_view target, std::string_view why);

  std::vector<std::string>& missing() { return missing_; }
  std::map<std::string, uint32_t>& left_out() { return left_out_; }

 private:
  bool IsOpen(const IncludedFile& file) const;
  const std::string& file() const { return open_.empty() ? files_->page() : open_.back(); }

  IncludeFiles* const files_;
  std::vector<std::string> open_, missing_;
  std::map<std::string, uint32_t> left_out_;
  bool is_full_ = false;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_TEMPLATE_FILES_H_
