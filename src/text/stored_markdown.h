// The one reader of stored Markdown: a passage's text, in the light form of `packer/document/document.h`.
//
// Idea: one walk over the lines knows fences, rules, tables and the paragraph. One walk over a paragraph's characters
// knows links, emphasis and code spans. They write the text without marks, and note which bytes of it are which block.
// Snippets and phrases need no more. To draw a passage, `ReadBlocks` also notes a look and a link for each byte.
//   Markdown keeps its author's marks. Text made from HTML or reStructuredText has headings, fences, lists, tables, code
//   spans and links, but no other mark: `__init__` and `\d` are words there, and indented lines continue an item.
//   Plain text has indented code in addition.
//
// Marks: heading hashes, underlines and {#anchors}; list bullets and numbers, tasks, quotation marks
// of lines, `:::` and `!!!` lines (their title stays); fence lines, rules, table pipes; link and
// image targets, link definitions, footnote marks; emphasis, backticks, backslash escapes. Code stays
// as it is, HTML too, and so do marks without a partner. A passage is a slice of its page: it may begin or end in code.
//
// Invariants
//  1. Blocks ascend, lie apart and inside the text. Nothing becomes markup: a block holds text and addresses.
//  2. An address is a stranger's text, as the page writes it. Links do not nest.
// Cost: linear in the passage, whatever its bytes; blocks take four bytes more for each byte of text.
#ifndef SHEAF_TEXT_STORED_MARKDOWN_H_
#define SHEAF_TEXT_STORED_MARKDOWN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

enum class Markup : uint8_t {
  kMarkdown,  // Markdown and notebooks
  kText,      // plain text
  kLight,     // HTML and reStructuredText, as the packer wrote them
};

// Of a page, by its source path.
Markup MarkupOf(std::string_view source);

enum class BlockKind : uint8_t { kParagraph, kHeading, kQuote, kItem, kCode, kCell };

// A stretch of the text without marks.
struct TextBlock {
  BlockKind kind = BlockKind::kParagraph;
  size_t begin = 0, end = 0;
};

// Returns the text without marks. `blocks` gets paragraphs (headings, lists and tables among them) and code; blank lines
// may belong to none.
std::string ReadText(std::string_view passage, Markup markup, std::vector<TextBlock>* blocks);

// The passage without its light Markdown marks, line structure kept (lines that are
// nothing but marks go); also used for embedding text. NULs become spaces.
std::string StripMarks(std::string_view passage);

enum Look : uint8_t { kLookCode = 1, kLookEmphasis = 2, kLookStrong = 4, kLookDeleted = 8 };

struct TextRun {
  uint8_t looks = 0;  // of Look
  uint32_t link = 0;  // number in Blocks::links, from 1; 0: leads nowhere
  std::string text;   // UTF-8 if the passage is
};

struct Block {
  BlockKind kind = BlockKind::kParagraph;
  uint8_t depth = 0;          // of an item, from 0; of a cell: its column
  std::string label;          // of an item: "1." or "•"; of a quotation that is an admonition without a title: "Note"
  std::vector<TextRun> runs;  // of code: one, with line breaks; elsewhere a line break is one that the author asked for
};

struct Blocks {
  std::vector<Block> blocks;
  std::vector<std::string_view> links;  // addresses, within the passage
};

inline constexpr uint8_t kDeepestItem = 6;

// `is_code` says that what matched is code: a passage without a fence then lies within a code block, unless it begins
// with words.
Blocks ReadBlocks(std::string_view passage, Markup markup, bool is_code);

}  // namespace sheaf

#endif  // SHEAF_TEXT_STORED_MARKDOWN_H_
