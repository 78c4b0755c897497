// The lines of a reStructuredText page, each with the column where its content begins.
//
// Idea: nesting in reStructuredText is indentation. When a marker is read ("- ", ".. [1] "), the
// content column of its line moves behind it, and the line then belongs to the marker's body like
// the indented lines below.
//
// Cost: linear to build; blank lines are stepped over at once, however many there are.
#ifndef SHEAF_PACKER_PARSE_RST_RST_LINES_H_
#define SHEAF_PACKER_PARSE_RST_RST_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/parse/shared/block_writer.h"

namespace sheaf::packer {

struct RstLine {
  std::string_view text;  // without the line end and trailing blanks
  uint32_t indent = 0;    // column of the content; moves as markers are read
  bool blank() const { return indent >= text.size(); }
  std::string_view content() const { return blank() ? std::string_view() : text.substr(indent); }
};

class RstLines {
 public:
  // `source` is clean text (charset.h) that outlives the lines; tabs stop at every eighth column.
  explicit RstLines(std::string_view source);
  RstLines(const RstLines&) = delete;  // lines look into the members
  RstLines& operator=(const RstLines&) = delete;

  size_t size() const { return lines_.size(); }
  const RstLine& operator[](size_t i) const { return lines_[i]; }

  // Moves the content of line i to the column behind a marker.
  void MoveContent(size_t i, uint32_t column) { lines_[i].indent = column; }
  // Writes line i anew, its content at `column`; views of the line before end here.
  void Rewrite(size_t i, uint32_t column);

  // First line at or after `i` that has content; `end` if none.
  size_t NextText(size_t i, size_t end) const;
  // End of the lines from `i` on that are blank or indented beyond `indent`.
  size_t IndentedEnd(size_t i, size_t end, uint32_t indent) const;
  // Least indent of the lines with content in [begin, end); UINT32_MAX if there are none.
  uint32_t LeastIndent(size_t begin, size_t end) const;
  // [begin, end) as line numbers of the file.
  LineSpan Span(size_t begin, size_t end) const;
  // The lines [begin, end) without their common indent.
  std::string Block(size_t begin, size_t end) const;
  // The same as views, without the first `indent` columns.
  std::vector<std::string_view> Cut(size_t begin, size_t end, uint32_t indent) const;

 private:
  std::string expanded_;                           // the source, where it has tabs
  std::unordered_map<size_t, std::string> moved_;  // lines as they were last written anew
  std::vector<RstLine> lines_;
  std::vector<uint32_t> next_text_;  // first line at or after each that is not empty
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_LINES_H_
