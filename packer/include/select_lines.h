// Selects parts of an included file: ranges of lines, or the lines between marks in its comments.
//
// Three marks are known, each a line of its own: `ANCHOR: x` and `ANCHOR_END: x` (mdBook), `#region x` and
// `#endregion x` (editors, VitePress), `--8<-- [start:x]` and `--8<-- [end:x]` (MkDocs' snippets).
//
// Cost: linear in the file.
#ifndef SHEAF_PACKER_INCLUDE_SELECT_LINES_H_
#define SHEAF_PACKER_INCLUDE_SELECT_LINES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::packer {

using LineList = std::vector<std::string_view>;

LineList ListLines(std::string_view text);

struct LineRange {
  uint32_t first = 1, last = UINT32_MAX;  // from 1, both taken
};

// "3", "1:3", "2:", "-3", "1-2,5": numbers with one of `joints` between two, ranges separated by commas. nullopt: it is
// none of these.
std::optional<std::vector<LineRange>> ReadRanges(std::string_view text, std::string_view joints);

// The ranges' lines, with an empty line between two that are not neighbours.
LineList TakeRanges(const LineList& lines, const std::vector<LineRange>& ranges);

// The lines between the marks named `name`; nullopt: there are none.
std::optional<LineList> TakeRegion(const LineList& lines, std::string_view name);

// Without lines that are marks.
LineList WithoutMarks(const LineList& lines);

// The section of a Markdown file whose heading has this anchor, with its subsections.
std::optional<LineList> TakeMarkdownSection(const LineList& lines, std::string_view anchor);

// The definition of a Python object ("Class.method"), with its decorators.
std::optional<LineList> TakePythonObject(const LineList& lines, std::string_view name);

// Without the white space that all lines begin with, and without blank lines at both ends. At most `columns` of it.
std::vector<std::string> Dedented(const LineList& lines, size_t columns = SIZE_MAX);

// A name for a fence by the extension of a file: "python" for "a/b.py".
std::string LanguageOfFile(std::string_view path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_INCLUDE_SELECT_LINES_H_
