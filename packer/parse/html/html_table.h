// The rows of a table that holds data.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_TABLE_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_TABLE_H_

#include <vector>

#include "packer/parse/shared/block_writer.h"

namespace sheaf::packer {

class HtmlTableRows {
 public:
  // The first row may be a header. Call at the start and end of each table: a table in a caption ends there.
  void BeginTable() { first_row_ = true; }

  void BeginRow() {
    cells_.clear();
    header_cells_ = 0;
  }
  bool in_row() const { return !cells_.empty(); }
  // REQUIRES: a row has begun
  void AddCell(bool header) {
    header_cells_ += header;
    cells_.emplace_back();
  }
  InlineText* cell() { return &cells_.back(); }

  // `head`: the row stands in a <thead>.
  void EndRow(bool head, BlockWriter* out) {
    const bool header = head || header_cells_ == cells_.size();
    out->Row(&cells_, header && first_row_);
    first_row_ = false;
    cells_.clear();
  }

 private:
  std::vector<InlineText> cells_;
  size_t header_cells_ = 0;
  bool first_row_ = false;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_TABLE_H_
