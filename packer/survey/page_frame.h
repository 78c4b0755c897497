// What most pages of a set share, and no page is about: menus, banners, notices, and affixes of titles.
//
// Blocks    A block frames a page if its words stand on three fifths of the sampled pages and it lies before or after
//           the page's own text, or is all links. A heading frames it if all that it heads does. So an "Examples" above
//           a page's own examples stays. Code and tables of data are text wherever they are.
//           A page without any other text keeps it.
//           The first sampled page keeps what is more than links, so that no notice is lost.
// Titles    "Strings (Kiln 3.1 API)" is "Strings" if most titles end in the same words. A title that is nothing but
//           these words stays. If most pages have one and the same title, their first heading is better.
//
// Fewer than kFewestPages sampled pages prove nothing.
//
// Cost: linear in the text of the sample, and of each page; memory 8 bytes for each shared block.
#ifndef SHEAF_PACKER_SURVEY_PAGE_FRAME_H_
#define SHEAF_PACKER_SURVEY_PAGE_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "packer/document/document.h"

namespace sheaf::packer {

inline constexpr size_t kFewestPages = 8;

struct PageFrame {
  std::unordered_set<uint64_t> blocks;     // hashes of their words
  std::vector<std::string> before, after;  // affixes of titles, the longest first
  std::unordered_set<std::string> titles;  // of most pages
  std::string keeper;                      // path of the page that keeps its frame
  bool empty() const { return blocks.empty() && before.empty() && after.empty() && titles.empty(); }
  bool operator==(const PageFrame&) const = default;
};

// Counts what sampled pages share.
class FrameCount {
 public:
  void Add(std::string_view path, const Document& document);
  // Empty without enough pages.
  PageFrame Find() const;

 private:
  size_t pages_ = 0;
  std::string first_;
  std::unordered_map<uint64_t, size_t> blocks_;
  std::vector<std::string> titles_;
};

// Removes from the page at `path` what `frames` share, and tidies its titles. Returns how many blocks it removed.
uint64_t RemoveFrames(const std::vector<const PageFrame*>& frames, std::string_view path, Document* document);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SURVEY_PAGE_FRAME_H_
