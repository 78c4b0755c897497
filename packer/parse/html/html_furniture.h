// Recognises the furniture of an HTML page: navigation, controls, page headers and footers.
//
// Idea: tag, role and the class names of documentation generators identify furniture. Class names are matched as whole
// tokens, since `has-sidebar` is no sidebar.
//
// Cost: constant per element: only a bounded part of its attributes and of a link's text is read.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_FURNITURE_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_FURNITURE_H_

#include <string>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

// Whether the element, with everything inside it, is not the author's text.
bool IsFurniture(const GumboNode* element);

// The words of a heading that stand in a link or button which would be furniture elsewhere; empty if they are only its mark.
std::string WordsOfHeading(const GumboNode* heading);

// True for a <header> that belongs to the site rather than to an article.
bool IsSiteHeader(const GumboNode* element);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_FURNITURE_H_
