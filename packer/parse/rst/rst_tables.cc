#include "packer/parse/rst/rst_tables.h"

#include <string_view>
#include <utility>

namespace sheaf::packer {
namespace {

constexpr size_t kMaxRstTableCells = 1'000'000;

// A cell may hold a directive; its arguments are its words.
std::string_view CellText(std::string_view cell) {
  const size_t colons = cell.find(":: ");
  return cell.starts_with(".. ") && colons < 40 ? cell.substr(colons + 3) : cell;
}

size_t CountColumns(std::string_view border) {
  size_t count = 0;
  for (size_t k = 0; k < border.size(); ++k) count += border[k] == '=' && (k == 0 || border[k - 1] != '=');
  return count;
}

}  // namespace

void WriteRstRows(RstPage* page, std::vector<RstRow> rows, size_t first_line) {
  page->FlushLabel();
  bool first = true;
  for (RstRow& row : rows) {
    std::vector<InlineText> cells(row.cells.size());
    for (size_t c = 0; c < cells.size(); ++c) AppendRstInline(CellText(row.cells[c]), page->names(), &cells[c]);
    if (cells.empty()) continue;
    cells[0].lines = page->lines().Span(first_line + row.first, first_line + row.last + 1);
    page->out().Row(&cells, row.header && first);
    first = false;
  }
  page->out().EndTable();
  page->ForgetAnchor();
}

size_t RstTables::Grid(size_t i, const RstTask& region) {
  size_t last = i;
  while (last < region.end && !page_.lines()[last].blank() && page_.lines()[last].indent == region.indent &&
         (page_.lines()[last].content()[0] == '+' || page_.lines()[last].content()[0] == '|')) {
    ++last;
  }
  if (last < i + 3) return 0;
  WriteRstRows(&page_, ReadGridTable(page_.lines().Cut(i, last, region.indent)), i);
  return last;
}

size_t RstTables::Simple(size_t i, const RstTask& region) {
  if (i < no_simple_table_before_) return 0;
  size_t borders = 0;
  for (size_t last = i; last < region.end; ++last) {
    if (!page_.lines()[last].text.empty() && page_.lines()[last].indent < region.indent) break;
    if (!IsSimpleBorder(page_.lines()[last].content()) || page_.lines()[last].indent != region.indent) continue;
    const bool ends = last + 1 >= region.end || page_.lines()[last + 1].text.empty();
    if (++borders >= 2 && (ends || borders == 3)) {
      // A row has all columns, however short its line.
      if (CountColumns(page_.lines()[i].content()) > kMaxRstTableCells / (last + 1 - i)) {
        no_simple_table_before_ = last + 1;
        return 0;
      }
      WriteRstRows(&page_, ReadSimpleTable(page_.lines().Cut(i, last + 1, region.indent)), i);
      return last + 1;
    }
  }
  no_simple_table_before_ = region.end;
  return 0;
}

}  // namespace sheaf::packer
