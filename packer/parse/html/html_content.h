// Finds the content root: the part of an HTML page that its author wrote.
//
// Idea: choose the content root by evidence. Measure how much text is in the elements that claim to be the content
// (<main>, role=main, <article>, the containers of generators). A claim without text behind it does not count.
//
// Cost: one pass over the tree.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_CONTENT_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_CONTENT_H_

#include <unordered_set>
#include <vector>

#include "packer/document/document.h"
#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

struct HtmlContent {
  std::vector<const GumboNode*> roots;  // in document order, none inside another
  bool whole_body = false;              // no better root was found
  BodyMark mark = BodyMark::kNone;      // kPagefind where any root is marked so
  bool has_headings = false;            // anywhere in the body
  // A <header> beside the content that has the page's only title (odoc); null: none.
  const GumboNode* header = nullptr;
  // Tables that arrange blocks (code beside line numbers, whole articles) instead of data, and tables of other elements
  // that do (html_grid.h).
  std::unordered_set<const GumboNode*> layout_tables;
  // Tables with a line of code in each row (html_code.h).
  std::unordered_set<const GumboNode*> listing_tables;
};
HtmlContent FindContent(const GumboNode* html);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_CONTENT_H_
