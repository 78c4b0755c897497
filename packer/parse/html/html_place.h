// Reads the place of an HTML page from the page itself (document/place.h).
//
// Idea: the most reliable source comes first: structured data and breadcrumbs; the line of links that Sphinx writes
// above a page; the title of the page above (`<link rel="up">`, as DocBook and texinfo write it); the entries around
// the page's own one in the menu.
//
// Cost: one walk over the page; a few hundred nodes for each candidate.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_PLACE_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_PLACE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

// From the outermost to the page's parent, tidied (document/place.h); empty for a page that says it has no parent.
// nullopt: the page does not say. `title` and `path` are the page's own.
std::optional<std::vector<std::string>> ReadPlace(const GumboNode* html, std::string_view title, std::string_view path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_PLACE_H_
