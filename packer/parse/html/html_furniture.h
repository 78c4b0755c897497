// What inside an HTML page is furniture: navigation, controls, page headers and footers.
//
// Idea: furniture is told by tag, role and the class names that documentation generators use; each list is matched
// whole token by whole token, since `has-sidebar` is no sidebar.
//
// Cost: constant for each element: so much of its attributes and of a link's text as is looked at.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_FURNITURE_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_FURNITURE_H_

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

// True for what is no text of the author, with everything inside.
bool IsFurniture(const GumboNode* element);

// True for a <header> that belongs to the site rather than to an article.
bool IsSiteHeader(const GumboNode* element);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_FURNITURE_H_
