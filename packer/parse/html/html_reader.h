// Writes the content of an HTML page as the light Markdown of document.h.
//
// Idea: the tree is walked once. Words flow into one InlineText until an element ends the paragraph; then they
// become a block. Headings, table cells and admonition titles collect their own words, and blocks inside them become
// spaces. A stack holds the open elements (html_open.h).
//
// Choices worth knowing
//  - A definition list whose terms have ids (API entries, settings, glossaries) is read as small
//    sections: each term is a heading one level below the one above, so a reader can be sent to
//    it. Other definition lists are lists. A signature is titled by its text before "(" and
//    follows its heading as code.
//  - Code keeps its white space and stands at the left margin, also inside lists.
//  - What a generator writes without the element for it is read as what it is: code (html_code.h), tables (html_grid.h),
//    entries of a reference (html_entry.h).
//  - A heading ends the lists around it: their items arrange parts of the page.
//
// Cost: linear in the tree.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_READER_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_READER_H_

#include <string>
#include <vector>

#include "packer/document/document.h"
#include "packer/document/link_targets.h"
#include "packer/parse/html/html_content.h"
#include "packer/parse/html/html_facets.h"

namespace sheaf::packer {

// Appends the blocks of `content` to the document. `facets` is told of invalid weights, `links` of
// where the content links to. Returns warnings: what
// the author wrote that is not in the text.
std::vector<std::string> ReadBlocks(const HtmlContent& content, FacetCollector* facets, LinkTargets* links,
                                    const LinkAddress& address, std::vector<Block>* blocks);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_READER_H_
