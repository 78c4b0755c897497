// The view of a page that cmark reads: the same lines, with a few bytes masked.
//
// A view differs from its page within lines only:
//   - `<` is masked, so that no tag begins an HTML block (comments, script, style and pre may);
//   - marker lines of admonitions (`:::tip`, `!!! note`, `> [!NOTE]`) are blank;
//   - the body of a `!!!` admonition and, in MDX, the body of a tag is not indented;
//   - list and quotation marks beyond kMaxPrefix bytes of a line, table bars beyond kMaxBars, images
//     beyond kMaxImages and inline marks beyond kMaxInlineMarks are masked. This bounds depth, time and memory.
//
// Masked characters become control characters, which clean text does not hold; Unmask puts them
// back in what cmark returns.
//
// Cost: one pass.
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_MARKDOWN_VIEW_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_MARKDOWN_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sheaf::packer {

inline constexpr size_t kMaxPageBytes = size_t(256) << 20;
// Lines, list and quotation marks of a page together: what decides cmark's memory.
inline constexpr size_t kMaxPageUnits = 3'000'000;
inline constexpr size_t kMaxInlineMarks = 2'000'000;
inline constexpr size_t kMaxPrefix = 100;
inline constexpr size_t kMaxBars = 400;
inline constexpr size_t kMaxTableRules = 16;           // between two blank lines
inline constexpr size_t kMaxImages = 2000;             // between two blank lines
inline constexpr size_t kMaxTextWithoutBars = 10'000;  // bytes before a table's rule, times the rules so far
inline constexpr size_t kMaxTableCells = 2'000'000;    // of a page, including cells that lines leave out

// Text in lines, each ending with '\n'.
struct Lines {
  std::string text;
  std::vector<uint32_t> begin;  // byte offset of each line, then text.size()

  size_t size() const { return begin.empty() ? 0 : begin.size() - 1; }
  std::string_view operator[](size_t line) const {  // without '\n'
    return std::string_view(text).substr(begin[line], begin[line + 1] - begin[line] - 1);
  }
  std::string_view Range(size_t first, size_t last) const {  // [first, last], with '\n'
    return std::string_view(text).substr(begin[first], begin[last + 1] - begin[first]);
  }
};
Lines SplitLines(std::string_view text);

// A line that opens or closes an admonition.
struct Marker {
  uint32_t line = 0;
  bool opens = false;
  std::string title;  // `:::tip Title`, without the kind
};

enum class ViewKind : uint8_t {
  kStructure,  // blocks only: inline marks are masked
  kWords,      // for reading the text
};

struct View {
  std::string text;
  std::vector<Marker> markers;
};

// Errors: kTooLarge beyond kMaxPageUnits.
Result<View> MakeView(const Lines& lines, ViewKind kind, bool mdx);

// Puts the masked characters back.
void Unmask(std::string* text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_MARKDOWN_VIEW_H_
