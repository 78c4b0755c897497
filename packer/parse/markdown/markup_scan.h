// Finds the tags, comments and MDX statements that CleanMarkdown cuts out of a page.
//
// Beside them it cuts what other Markdown dialects write in braces (attribute_list.h) and between colons (icons), and puts
// characters in the place of entities and rows in that of raw tables (markup_table.h). In MDX, expressions go, but
// strings and constants of the page stay.
//
// Idea: the scan reads only regions that hold no code block. A cut may have a text in its place (`<h2>` becomes `##`),
// and may leave an event: an anchor, or words of a tag's attributes.
//
// Invariants: cuts ascend and do not overlap; events ascend.
// Cost: linear. A search that ran out is remembered and not tried again.
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_MARKUP_SCAN_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_MARKUP_SCAN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packer/parse/markdown/markdown_view.h"

namespace sheaf::packer {

struct Cut {
  enum Kind : uint8_t {
    kInline,
    kBlock,
    kText,  // a character in another spelling; its line stays as it is otherwise
  } kind = kInline;
  int32_t replacement = -1;  // index of a text that takes the place
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct Event {  // information from text that was cut
  enum Kind : uint8_t { kAnchor, kHeadingAnchor, kWords } kind = kAnchor;
  uint32_t at = 0;
  std::string text;
};

struct MarkupCuts {
  std::vector<Cut> cuts;
  std::vector<Event> events;
  std::vector<std::string> replacements;
  std::map<std::string, uint32_t> left_out;  // components and expressions that the generator alone can draw
};

// The lines [first, last] of a paragraph, heading or raw HTML.
struct TextRegion {
  size_t first = 0, last = 0;
  bool heading = false;
  bool top_paragraph = false;  // in no list or quotation
  bool has_cuts = false;       // set by the scan
};

// REQUIRES: regions ascend
MarkupCuts ScanMarkup(const Lines& lines, bool mdx, std::vector<TextRegion>* regions);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_MARKUP_SCAN_H_
