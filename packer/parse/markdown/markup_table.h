// Raw HTML tables in Markdown, as rows of Markdown.
//
// Idea: a table's cells are found by their tags, whatever stands between; each cell becomes one line of text. A table in a
// table, a fence in a cell and a table of one column or row are left to the reader of tags, which keeps their words.
//
// Bounds: kMaxHtmlTable bytes, kMaxHtmlColumns columns. Cost: linear.
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_MARKUP_TABLE_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_MARKUP_TABLE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sheaf::packer {

inline constexpr size_t kMaxHtmlTable = size_t(512) << 10;
inline constexpr size_t kMaxHtmlColumns = 40;

// `inside`: what stands between `<table>` and `</table>`. The rows, each ending with '\n', the first followed by its
// rule; words of attributes (alt, title) are appended to `words`.
std::optional<std::string> RowsOfHtmlTable(std::string_view inside, std::string* words);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_MARKUP_TABLE_H_
