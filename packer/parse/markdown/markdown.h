// Functions for the parsers of Markdown pages and of notebooks.
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_MARKDOWN_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_MARKDOWN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "packer/base/text_scan.h"
#include "packer/document/document.h"
#include "packer/parse/shared/slug.h"
#include "packer/parse/shared/title.h"

namespace sheaf::packer {

// Appends the blocks of `source` (clean text, no front matter) to `document`. `first_line` is the
// number of its first line in the file; 0: lines have no numbers. `slugger` lives as long as the
// page, so that anchors stay distinct. Errors: kTooLarge.
Status AppendMarkdown(std::string_view source, uint32_t first_line, bool mdx, Slugger* slugger, Document* document);

// White space collapsed to single spaces, none at the ends.
std::string CollapseSpace(std::string_view text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_MARKDOWN_H_
