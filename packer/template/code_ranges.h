// Where a Markdown text has code, as far as that can be said line by line.
//
// Idea: template syntax in prose shows which generator reads a page; in code it may be an example. Fences and code spans
// are enough to tell them apart; indented code counts as prose.
//
// Cost: linear.
#ifndef SHEAF_PACKER_TEMPLATE_CODE_RANGES_H_
#define SHEAF_PACKER_TEMPLATE_CODE_RANGES_H_

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace sheaf::packer {

class CodeRanges {
 public:
  explicit CodeRanges(std::string_view text);
  bool Holds(size_t at) const;

 private:
  std::vector<std::pair<size_t, size_t>> ranges_;  // [begin, end), ascending
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_CODE_RANGES_H_
