// Collects the targets of a page's links, as the author wrote them: "../install.md", "/docs/api/", "https://…".
//
// pipeline/top_pages.h decides which targets are pages of the documentation, once it knows all pages.
//
// Invariants: each target once, in the order of the page, without query and fragment, at most kMaxLinkTargetBytes long;
// at most kMaxTargets a page. A link within the page has no target. A target is in prose if one of its links is such as
// people put into sentences: it does not begin its paragraph, and stands in no table. Generators link names in
// signatures, lists and tables.
#ifndef SHEAF_PACKER_DOCUMENT_LINK_TARGETS_H_
#define SHEAF_PACKER_DOCUMENT_LINK_TARGETS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sheaf::packer {

inline constexpr size_t kMaxTargets = 2000;
inline constexpr size_t kMaxLinkTargetBytes = 512;

// The address that a link leads to, for readers elsewhere: absolute where the pages' addresses are. Empty: none that is
// worth keeping. It has no space, parenthesis or bar.
using LinkAddress = std::function<std::string(std::string_view href)>;

struct LinkTarget {
  std::string written;
  bool in_prose = false;
};

class LinkTargets {
 public:
  void Add(std::string_view target, bool in_prose = false);
  std::vector<LinkTarget> Take();

 private:
  std::vector<LinkTarget> targets_;
  std::unordered_map<std::string, size_t> numbers_;  // by what is written
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_LINK_TARGETS_H_
