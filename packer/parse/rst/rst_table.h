// The four table forms of reStructuredText, read to rows of cell texts.
//
// Idea: a search index wants rows and words, not geometry. Cells that span columns or rows are
// read where they begin; content of a cell beyond a paragraph is taken as words.
//
// Cost: linear in the table's text.
#ifndef SHEAF_PACKER_PARSE_RST_RST_TABLE_H_
#define SHEAF_PACKER_PARSE_RST_RST_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::packer {

struct RstRow {
  std::vector<std::string> cells;  // inline markup, lines joined by '\n'
  bool header = false;
  size_t first = 0, last = 0;  // lines of the table, 0-based
};

// +---+---+ and | a | b | lines. `lines` begin at the table's left edge.
std::vector<RstRow> ReadGridTable(const std::vector<std::string_view>& lines);
// ===  === lines above, between and below.
std::vector<RstRow> ReadSimpleTable(const std::vector<std::string_view>& lines);
// The content of a list-table: a list of lists.
std::vector<RstRow> ReadListTable(const std::vector<std::string_view>& lines, size_t header_rows);
// The content of a csv-table; `header` is its option of that name.
std::vector<RstRow> ReadCsvTable(const std::vector<std::string_view>& lines, std::string_view header,
                                 size_t header_rows, char delimiter);

bool IsGridBorder(std::string_view line);    // +---+===+
bool IsSimpleBorder(std::string_view line);  // ===  ===

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_TABLE_H_
