// First half of the Markdown parser: removes tags, comments and statements from a page, and prepares the rest for
// cmark. The second half, parse_markdown.cc, turns it into blocks.
//
// Idea: whether `<div>` is a tag or part of a code sample is known only once the page's structure
// is known, and tags distort that structure: CommonMark sees raw HTML from a `<div>` to the next
// blank line, where authors of MDX and VitePress pages see a fence or a heading. So cmark reads
// a *view* of the page (markdown_view.h): a copy with the same lines in which a few bytes are
// masked. It tells where code is; everything else is then scanned for tags, comments and MDX
// statements (markup_scan.h), which are cut out (clean_page.h). parse_markdown.cc reads a second view, of the cleaned
// page, for blocks and words.
//
// Cost: linear in the page; about 20 bytes a line beside the text.
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_MARKDOWN_CLEAN_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_MARKDOWN_CLEAN_H_

#include <string_view>

#include "base/result.h"
#include "packer/parse/markdown/clean_page.h"

namespace sheaf::packer {

// `source` is clean text without front matter. Errors: kTooLarge.
Result<CleanPage> CleanMarkdown(std::string_view source, bool mdx);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_MARKDOWN_CLEAN_H_
