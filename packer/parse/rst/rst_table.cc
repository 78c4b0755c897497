#include "packer/parse/rst/rst_table.h"

#include <algorithm>
#include <utility>

#include "packer/base/charset.h"

namespace sheaf::packer {
namespace {

std::u32string Wide(std::string_view line) {
  std::u32string wide;
  for (size_t at = 0; at < line.size();) wide += char32_t(NextCodePoint(line, &at));
  return wide;
}

// Columns [begin, end) of a line, white space taken off both ends.
std::string Slice(const std::u32string& line, size_t begin, size_t end) {
  end = std::min(end, line.size());
  while (begin < end && line[begin] == U' ') ++begin;
  while (end > begin && line[end - 1] == U' ') --end;
  std::string text;
  for (size_t i = begin; i < end; ++i) AppendUtf8(line[i], &text);
  return text;
}

void AddLine(std::string_view text, std::string* cell) {
  if (text.empty()) return;
  if (!cell->empty()) *cell += '\n';
  *cell += text;
}

std::string_view TrimSpaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool OnlyOf(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

}  // namespace

bool IsGridBorder(std::string_view line) {
  line = TrimSpaces(line);
  return line.size() >= 3 && line.front() == '+' && line.back() == '+' && (line[1] == '-' || line[1] == '=') &&
         OnlyOf(line, "+-=");
}

bool IsSimpleBorder(std::string_view line) {
  line = TrimSpaces(line);
  return line.size() >= 3 && line.front() == '=' && line.back() == '=' && OnlyOf(line, "= ") &&
         line.find(' ') != std::string_view::npos;
}

// Bands lie between full borders. Within a band, a column edge is where every line has '|' (or
// '+', where the border of a neighbour passes).
std::vector<RstRow> ReadGridTable(const std::vector<std::string_view>& lines) {
  std::vector<RstRow> rows;
  std::vector<std::u32string> band;
  size_t band_first = 0, headers = 0;  // rows that are known to be headers
  const auto close_band = [&](size_t last) {
    if (band.empty()) return;
    RstRow row;
    row.first = band_first;
    row.last = last;
    const size_t width = band[0].size();
    std::vector<size_t> edges;
    for (size_t column = 0; column < width; ++column) {
      if (std::all_of(band.begin(), band.end(), [&](const std::u32string& line) {
            return column < line.size() && (line[column] == U'|' || line[column] == U'+');
          })) {
        edges.push_back(column);
      }
    }
    for (size_t edge = 0; edge + 1 < edges.size(); ++edge) {
      std::string cell;
      for (const std::u32string& line : band) {
        const std::string text = Slice(line, edges[edge] + 1, edges[edge + 1]);
        if (!OnlyOf(text, "-=+") || text.size() < 3) AddLine(text, &cell);
      }
      row.cells.push_back(std::move(cell));
    }
    if (!row.cells.empty()) rows.push_back(std::move(row));
    band.clear();
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    if (IsGridBorder(lines[i])) {
      close_band(i - (i > 0));
      if (lines[i].find('=') != std::string_view::npos) {
        for (; headers < rows.size(); ++headers) rows[headers].header = true;
      }
      band_first = i + 1;
    } else {
      band.push_back(Wide(lines[i]));
    }
  }
  close_band(lines.size() - 1);
  return rows;
}

std::vector<RstRow> ReadSimpleTable(const std::vector<std::string_view>& lines) {
  std::vector<RstRow> rows;
  if (lines.empty()) return rows;
  std::vector<std::pair<size_t, size_t>> columns;
  const std::string_view border = lines[0];
  for (size_t i = 0; i < border.size();) {
    if (border[i] != '=') {
      ++i;
      continue;
    }
    const size_t begin = i;
    while (i < border.size() && border[i] == '=') ++i;
    columns.emplace_back(begin, i);
  }
  columns.back().second = std::string::npos;  // the last cell may run over its border
  bool new_row = true;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (IsSimpleBorder(lines[i])) {
      if (i + 1 < lines.size()) {
        for (RstRow& row : rows) row.header = true;
      }
      new_row = true;
      continue;
    }
    if (OnlyOf(lines[i], "- ")) continue;  // underlines a cell that spans columns
    const std::u32string line = Wide(lines[i]);
    if (line.empty()) continue;
    // Text that crosses a margin belongs to one cell.
    std::vector<std::string> cells(columns.size());
    for (size_t c = 0; c < columns.size();) {
      size_t last = c;
      while (last + 1 < columns.size()) {
        const size_t margin = columns[last + 1].first - 1;
        if (margin >= line.size() || line[margin] == U' ') break;
        ++last;
      }
      const size_t end = last + 1 < columns.size() ? columns[last + 1].first : std::string::npos;
      cells[c] = Slice(line, columns[c].first, end);
      c = last + 1;
    }
    const bool continues = !new_row && !rows.empty() && cells[0].empty();
    if (!continues) {
      rows.emplace_back();
      rows.back().cells.resize(columns.size());
      rows.back().first = i;
    }
    for (size_t c = 0; c < cells.size(); ++c) AddLine(cells[c], &rows.back().cells[c]);
    rows.back().last = i;
    new_row = false;
  }
  return rows;
}

std::vector<RstRow> ReadListTable(const std::vector<std::string_view>& lines, size_t header_rows) {
  std::vector<RstRow> rows;
  size_t row_column = std::string::npos, cell_column = 0;
  const auto is_item = [](std::string_view text) {
    return !text.empty() && (text[0] == '*' || text[0] == '-') && (text.size() == 1 || text[1] == ' ');
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    size_t column = line.find_first_not_of(' ');
    if (column == std::string_view::npos) continue;
    line.remove_prefix(column);
    if (row_column == std::string::npos && is_item(line)) row_column = column;
    if (column == row_column && is_item(line)) {
      rows.emplace_back();
      rows.back().first = i;
      rows.back().header = rows.size() <= header_rows;
      const size_t inner = line.find_first_not_of(' ', 1);
      if (inner == std::string_view::npos) {
        cell_column = row_column + 2;
        continue;
      }
      column += inner;
      line.remove_prefix(inner);
      cell_column = column;
    }
    if (rows.empty()) continue;
    RstRow& row = rows.back();
    row.last = i;
    if (column == cell_column && is_item(line)) {
      row.cells.emplace_back();
      line = TrimSpaces(line.substr(1));
    }
    if (row.cells.empty()) row.cells.emplace_back();
    AddLine(TrimSpaces(line), &row.cells.back());
  }
  return rows;
}

std::vector<RstRow> ReadCsvTable(const std::vector<std::string_view>& lines, std::string_view header,
                                 size_t header_rows, char delimiter) {
  std::vector<RstRow> rows;
  const auto read = [&](std::string_view text, size_t line, bool is_header) {
    size_t at = 0, ordinal = 0;
    while (at < text.size()) {
      RstRow row;
      row.first = row.last = line;
      row.header = is_header || ordinal < header_rows;
      bool ends = false;
      while (!ends) {
        while (at < text.size() && text[at] == ' ') ++at;
        std::string cell;
        const bool quoted = at < text.size() && text[at] == '"';
        bool open = quoted;
        if (quoted) ++at;
        for (; at < text.size(); ++at) {
          const char c = text[at];
          if (open && c == '"') {
            if (at + 1 < text.size() && text[at + 1] == '"') {
              cell += '"';
              ++at;
            } else {
              open = false;
            }
          } else if (!open && (c == delimiter || c == '\n')) {
            break;
          } else {
            line += c == '\n';
            cell += c;
          }
        }
        ends = at >= text.size() || text[at] == '\n';
        line += at < text.size() && text[at] == '\n';
        if (at < text.size()) ++at;
        row.cells.emplace_back(TrimSpaces(cell));
      }
      row.last = std::max(row.first, line == 0 ? 0 : line - 1);
      if (row.cells.size() > 1 || !row.cells[0].empty()) {
        rows.push_back(std::move(row));
        ++ordinal;
      }
    }
  };
  if (!header.empty()) {
    const size_t options = std::exchange(header_rows, 0);
    read(header, 0, true);
    header_rows = options;
  }
  std::string text;
  for (const std::string_view line : lines) text.append(line).append("\n");
  read(text, 0, false);
  return rows;
}

}  // namespace sheaf::packer
