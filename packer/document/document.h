// A parsed source file.
//
// Idea: a page of any format becomes one readable text in a light Markdown form,
// cut into blocks. The `Block::text` of all blocks, joined, *is* the page's text; nothing else is
// stored. Each block also carries the words for the index: prose and code separately, without markup,
// link targets or tags.
//
//   Markdown: the source bytes of each block, unchanged, without front matter, MDX imports/exports,
//             JSX and HTML tags, and HTML comments.
//             Links of HTML become Markdown's when the page is written (TextLink), but those of headings, menus
//             and indexes.
//   HTML, reStructuredText, notebooks: headings as `# …`, code fenced by ```lang, inline code in
//             backticks, table rows as `| a | b |`, list items as `- …` or `1. …`, one blank line
//             between blocks.
//
// Invariants
//  1. Every block's text is valid UTF-8, without NUL, ends with '\n', and is not empty.
//  2. Lines are 1-based in the source file, first_line <= last_line, non-decreasing over blocks;
//     0 where the format gives none.
//  3. Only the author's text: no scripts, styles or navigation.
#ifndef SHEAF_PACKER_DOCUMENT_DOCUMENT_H_
#define SHEAF_PACKER_DOCUMENT_DOCUMENT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "packer/document/link_tally.h"
#include "packer/document/link_targets.h"
#include "search/page_facets.h"

namespace sheaf::packer {

enum class BlockKind : uint8_t {
  kHeading,   // level 1..6, anchor, title
  kText,      // paragraph, list item, quotation, admonition, definition
  kCode,      // fenced, indented or preformatted
  kTableRow,  // one row; the header row and its rule are one block
};

// The kind of record that a block is, if it records instead of explaining (records.h).
enum class Record : uint8_t {
  kNone,
  kList,  // names, links, changes
  kLog,   // a version's section
};

// Words of a block that lead elsewhere. They are written as [words](address); nothing else sees the address.
struct TextLink {
  size_t begin = 0, end = 0;  // bytes of the block's text
  std::string address;        // without space, parenthesis or bar
};

struct Block {
  BlockKind kind = BlockKind::kText;
  int level = 0;       // headings: 1..6; else 0
  std::string text;    // as the page's text holds it, ends with '\n'
  std::string title;   // headings: plain text without marks
  std::string anchor;  // headings: id without '#', may be empty; an entry that is an item of a list: its id
  std::vector<std::string> aliases;  // headings of HTML: other ids of the same place, which name what it defines
  std::string prose;                 // for the index: words outside code; headings leave it empty
  std::string code;                  // for the index: code block, inline code spans (space between spans)
  std::string term;  // the name that the block begins with and explains: the term of a definition, a row's first name
  uint32_t first_line = 0;
  uint32_t last_line = 0;
  float weight = 1;               // 0..10: how many times each word counts
  LinkTally links;                // none where the author states a weight
  std::vector<TextLink> targets;  // of HTML, ascending and apart; links of Markdown are part of its text
  Record record = Record::kNone;
  bool inner = false;  // a heading within a version's section of a log: "Fixed"
};

// Whose attribute marks the page's content. A site that uses Pagefind's attribute thereby excludes its unmarked
// pages from search (pipeline.h).
enum class BodyMark : uint8_t { kNone, kOwn, kPagefind };

// Facts that a page states about itself. They pass unchanged from the front matter to the document to the draft of the
// page.
struct PageHead {
  std::string title;          // front matter, else <title>/first heading, else the file's stem
  std::string description;    // front matter or <meta name=description>
  std::string last_modified;  // front matter date as given, when it is an ISO 8601 date; else empty
  std::string url;            // front matter `url` or canonical link, URL or absolute path; empty: the path decides
  // Where the page stands, from the outermost to its parent (place.h); unknown where it does not say so itself.
  std::optional<std::vector<std::string>> place;
  PageFacets facets;
  std::vector<LinkTarget> links;      // where its text links to
  std::vector<std::string> warnings;  // "not valid UTF-8, read as Latin-1"

  PageHead& head() { return *this; }
};

struct Document : PageHead {
  bool no_index = false;  // the page asks search engines to leave it out
  BodyMark body_mark = BodyMark::kNone;
  std::string forwards_to;           // target of an immediate redirect; empty: none
  std::set<uint32_t> ignored_parts;  // numbers of the selectors that left out a part (parse.h)
  std::string stated_title;          // HTML's <title>, whole; the title may be a part of it, or the first heading
  // What its generator alone can draw (shortcodes, components), by name, and how often.
  std::map<std::string, uint32_t> left_out;
  std::vector<Block> blocks;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_DOCUMENT_H_
