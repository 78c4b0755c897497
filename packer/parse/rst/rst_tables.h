// Finds the tables of a page, reads them with rst_table.h and writes them as rows.
#ifndef SHEAF_PACKER_PARSE_RST_RST_TABLES_H_
#define SHEAF_PACKER_PARSE_RST_RST_TABLES_H_

#include <cstddef>
#include <vector>

#include "packer/parse/rst/rst_page.h"
#include "packer/parse/rst/rst_table.h"

namespace sheaf::packer {

// `first_line` is the line of the page that the rows count from.
void WriteRstRows(RstPage* page, std::vector<RstRow> rows, size_t first_line);

class RstTables {
 public:
  explicit RstTables(RstPage* page) : page_(*page) {}

  // Writes the table that begins at line `i` and returns the line after it; 0: there is none.
  size_t Grid(size_t i, const RstTask& region);
  size_t Simple(size_t i, const RstTask& region);

 private:
  RstPage& page_;
  size_t no_simple_table_before_ = 0;  // a line; it was looked for up to there
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_TABLES_H_
