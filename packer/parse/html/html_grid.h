// Recognises tables that are made of other elements than <table>.
//
// Idea: ARIA's roles say what an element is; so do the class names of Javadoc 17 and of style sheets that lay out
// elements as tables. Javadoc's cells stand in no row: its last column ends one.
//
// Cost: constant per element.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_GRID_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_GRID_H_

#include <cstdint>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

enum class GridPart : uint8_t { kNone, kTable, kRow, kCell, kHeaderCell };

GridPart GridPartOf(const GumboNode* element);
// Whether a row ends with this cell, where no element is the row.
bool EndsLooseRow(const GumboNode* cell);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_GRID_H_
