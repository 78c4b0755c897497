#include "packer/parse/html/html_grid.h"

#include <string_view>

namespace sheaf::packer {

GridPart GridPartOf(const GumboNode* element) {
  if (TagOf(element) != GUMBO_TAG_DIV || element->v.element.attributes.length == 0) return GridPart::kNone;
  const std::string_view role = Attribute(element, "role");
  if (role == "table" || role == "grid") return GridPart::kTable;
  if (role == "row") return GridPart::kRow;
  if (role == "cell" || role == "gridcell" || role == "rowheader") return GridPart::kCell;
  if (role == "columnheader") return GridPart::kHeaderCell;
  GridPart part = GridPart::kNone;
  AnyClass(element, [&](std::string_view token) {
    if (token == "table-header") {
      part = GridPart::kHeaderCell;  // Javadoc writes it before the column's class
      return true;
    }
    if (token == "summary-table" || token == "details-table" || token == "divTable" || token == "d-table" ||
        token == "css-table") {
      part = GridPart::kTable;
    } else if (token == "divTableRow" || token == "d-table-row" || token == "table-row" || token == "css-table-row") {
      part = GridPart::kRow;
    } else if (token == "divTableHead") {
      part = GridPart::kHeaderCell;
    } else if (token.starts_with("col-first") || token.starts_with("col-second") || token.starts_with("col-last") ||
               token == "col-constructor-name" || token == "col-summary-item-name" || token == "col-plain" ||
               token == "col-deprecated-item-name" || token == "divTableCell" || token == "d-table-cell" ||
               token == "table-cell" || token == "css-table-cell") {
      part = GridPart::kCell;
    }
    return false;
  });
  return part;
}

bool EndsLooseRow(const GumboNode* cell) {
  return AnyClass(cell, [](std::string_view token) { return token == "col-last" || token == "col-plain"; });
}

}  // namespace sheaf::packer
