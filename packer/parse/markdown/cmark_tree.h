// cmark-gfm as Sheaf uses it: owners for its two handles, and one way to parse.
//
// Extensions: tables and task lists. Not strikethrough and not autolink: cmark-gfm keeps the
// special characters of inline extensions in global arrays that it edits during every parse, so
// two threads parsing at once would disturb each other's result. Without them, parsing touches
// no shared state; a bare URL stays the text it is and `~~` is taken off by the reader.
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_CMARK_TREE_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_CMARK_TREE_H_

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm-extension_api.h>
#include <cmark-gfm.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace sheaf::packer {

struct CmarkDelete {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
  void operator()(cmark_iter* iter) const { cmark_iter_free(iter); }
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};
using CmarkTree = std::unique_ptr<cmark_node, CmarkDelete>;
using CmarkIter = std::unique_ptr<cmark_iter, CmarkDelete>;

// Parses UTF-8 without NUL. Safe on any thread.
CmarkTree ParseTree(std::string_view text);

enum class TablePart : uint8_t { kNone, kHeader, kRow, kCell };
TablePart ReadTablePart(cmark_node* node);

// A block without blocks inside, as far as positions go. Lines are 0-based, inclusive.
struct Leaf {
  enum Kind : uint8_t { kParagraph, kHeading, kCode, kHtml, kRow } kind = kParagraph;
  bool fenced = false;     // kCode
  bool top_level = false;  // not inside a list or quotation
  bool header = false;     // kRow: the table's first row
  int level = 0;           // kHeading
  uint32_t first = 0;
  uint32_t last = 0;
  cmark_node* node = nullptr;
};

// The leaf that `node` is, with lines put right, or false for other nodes. `line_count` is that
// of the parsed text. cmark's own positions have gaps: a paragraph right above a table has none,
// HTML blocks end one line early. Setext headings and indented code may still end late here, in
// lines that are blank or belong to the next leaf.
bool ReadLeaf(cmark_node* node, uint32_t line_count, Leaf* leaf);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_CMARK_TREE_H_
