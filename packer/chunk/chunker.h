// From a document to passages, the units that are indexed and found.
//
// Idea: cut at headings, then between blocks; a single block longer than the target is cut at line ends (code),
// sentence ends, then word ends (prose).
//
// Invariants: passages tile the page's text exactly; blocks of different weights go into different passages.
// Cost: linear in the text.
#ifndef SHEAF_PACKER_CHUNK_CHUNKER_H_
#define SHEAF_PACKER_CHUNK_CHUNKER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/document/document.h"
#include "search/bundle_builder.h"

namespace sheaf::packer {

// A stretch of the page under one heading path.
struct PassageDraft {
  uint32_t begin = 0;  // byte range of the page's text; passages tile the page exactly
  uint32_t end = 0;
  std::vector<std::string> headings;  // heading path, outermost first; without the page's title
                                      // when the first heading merely repeats it
  std::string anchor;                 // of the innermost heading; empty at the top of the page
  uint32_t first_line = 0;
  uint32_t last_line = 0;
  std::string prose;  // for the index, paragraphs joined by '\n'
  std::string code;
  float weight = 1;                // of all its blocks; less in a list of links (link_tally.h)
  std::vector<std::string> terms;  // what its blocks explain
  Record record = Record::kNone;   // what most of it is (document/records.h)
  uint32_t inner_headings = 0;     // of its path, at the end: below a version's section
  std::vector<SymbolInput> symbols;
};

struct PageDraft : PageHead {
  std::string text;
  std::vector<TextRange> targets;  // of text: the marks and addresses of HTML's links, ascending
  std::vector<PassageDraft> passages;
};

struct ChunkOptions {
  uint32_t target_characters = 800;  // passages are filled up to this many code points
  std::string_view path;             // of the file, as symbols are named after (document/symbol_names.h)
};

// A passage holds at most its headings, the target, and its last word or line, unless it is a code block:
// one of up to four targets is not cut; a heading without text of its own
// joins the passage below it. A page without text gets one empty passage. A list of links weighs less
// (document/link_tally.h).
PageDraft MakePage(Document document, const ChunkOptions& options);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CHUNK_CHUNKER_H_
