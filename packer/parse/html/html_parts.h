// Finds the parts of a page that selectors name (part_selector.h), and marks them with data-sheaf-ignore.
//
// Idea: from here on they are what a page's author would have marked, so nothing else knows of selectors.
//
// Cost: one pass. For each element, a bit per step of each selector says whether the steps up to it are met on the way
// down; no element is looked at twice, however deep it lies.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_PARTS_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_PARTS_H_

#include <cstdint>
#include <set>
#include <vector>

#include "packer/document/part_selector.h"
#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

// Returns which selectors met an element. What lies inside a marked element is not looked at.
std::set<uint32_t> IgnoreParts(HtmlTree* tree, const std::vector<PartSelector>& selectors);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_PARTS_H_
