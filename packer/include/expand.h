// Expands the includes of a page before it is parsed.
//
// Idea: every generator resolves includes before it reads a page's markup, line by line. This does the
// same: a line with an include becomes the included lines, and every line keeps its line number in the page.
//
//   MkDocs      --8<-- "file:part"   {* file ln[1:3] hl[2] *}   {!file!}
//   VitePress   <<< @/file#part{1,3-5}   <!--@include: file{3,}-->
//   mdBook      {{#include file:part}}   {{#rustdoc_include …}}   {{#playground …}}
//   MDX         import Part from './_part.mdx' … <Part />;  import code from '!!raw-loader!./x.py' … {code}
//   RST         .. include::   .. literalinclude::   with their options
//
// Code goes into a fence of its own; inside a fence of the page, lines go in as they are. Included Markdown and RST may
// include more, up to kMaxIncludeDepth; a file that includes itself is not read again.
//
// Invariants
//  1. A line whose target is missing, outside or too large stays as it is, and `missing` has the reason.
//  2. A page that includes nothing comes back unchanged, with `lines` empty.
//
// Cost: linear in the page and its includes.
#ifndef SHEAF_PACKER_INCLUDE_EXPAND_H_
#define SHEAF_PACKER_INCLUDE_EXPAND_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/include/include_files.h"

namespace sheaf::packer {

struct ExpandedText {
  std::string text;
  std::vector<uint32_t> lines;  // of each line of `text`, the line of the page, from 1; empty: nothing was included
  std::vector<std::string> missing;  // "docs_src/a.py (there is no such file)"
};

// `text` is clean (charset.h).
ExpandedText ExpandMarkdown(std::string_view text, IncludeFiles* files);
ExpandedText ExpandRst(std::string_view text, IncludeFiles* files);

// One sentence for a page's notes; empty when nothing is missing.
std::string MissingNote(const std::vector<std::string>& missing);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_INCLUDE_EXPAND_H_
