#include "packer/include/select_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "packer/base/text_scan.h"
#include "packer/parse/shared/slug.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxMarkLine = 400;  // marks stand in short lines

struct Mark {
  enum Kind : uint8_t { kNone, kStart, kEnd } kind = kNone;
  std::string_view name;  // may be empty
};

std::string_view NameAt(std::string_view text) {
  text = Trim(text);
  if (text.starts_with('"')) text.remove_prefix(1);
  size_t end = 0;
  while (end < text.size() && (IsWordByte(text[end]) || text[end] == '-' || text[end] == '.')) ++end;
  while (end > 0 && text[end - 1] == '-') --end;  // of "-->"
  return text.substr(0, end);
}

Mark ReadMark(std::string_view line) {
  if (line.size() > kMaxMarkLine) return {};
  for (const auto& [word, kind] : {std::pair<std::string_view, Mark::Kind>{"ANCHOR_END:", Mark::kEnd},
                                   std::pair<std::string_view, Mark::Kind>{"ANCHOR:", Mark::kStart}}) {
    if (const size_t at = line.find(word); at != line.npos) return {kind, NameAt(line.substr(at + word.size()))};
  }
  if (const size_t at = line.find("8<-"); at != line.npos) {
    for (const auto& [word, kind] : {std::pair<std::string_view, Mark::Kind>{"[start:", Mark::kStart},
                                     std::pair<std::string_view, Mark::Kind>{"[end:", Mark::kEnd}}) {
      if (const size_t in = line.find(word, at); in != line.npos) return {kind, NameAt(line.substr(in + word.size()))};
    }
    return {};
  }
  // "// #region x", "/* #region x */", "<!-- #region x -->", "#pragma region x", "# region x", ":: #region x"
  std::string_view rest = Trim(line);
  size_t comment = 0;
  while (comment < rest.size() && std::string_view("/*<!-:;%#").find(rest[comment]) != std::string_view::npos)
    ++comment;
  const bool hash = rest.substr(0, comment).ends_with('#');
  if (comment == 0) return {};
  rest = Trim(rest.substr(comment));
  if (!hash && rest.starts_with('#')) rest = Trim(rest.substr(1));
  if (hash && StartsWithFolded(rest, "pragma ")) rest = Trim(rest.substr(7));
  const auto is_word = [&](std::string_view word) {
    return StartsWithFolded(rest, word) && (rest.size() == word.size() || !IsWordByte(rest[word.size()]));
  };
  if (is_word("endregion")) return {Mark::kEnd, NameAt(rest.substr(9))};
  if (is_word("end region")) return {Mark::kEnd, NameAt(rest.substr(10))};
  if (is_word("region")) return {Mark::kStart, NameAt(rest.substr(6))};
  return {};
}

size_t IndentOf(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

bool IsBlankLine(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

std::optional<uint32_t> Number(std::string_view text) {
  text = Trim(text);
  if (text.empty() || text.size() > 9) return std::nullopt;
  uint32_t number = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return std::nullopt;
    number = number * 10 + uint32_t(c - '0');
  }
  return number;
}

}  // namespace

LineList ListLines(std::string_view text) {
  LineList lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::optional<std::vector<LineRange>> ReadRanges(std::string_view text, std::string_view joints) {
  std::vector<LineRange> ranges;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = Trim(text.substr(at, end - at));
    at = end + 1;
    const size_t joint = part.find_first_of(joints);
    const std::string_view first = Trim(part.substr(0, joint));
    const std::string_view last = joint == part.npos ? first : Trim(part.substr(joint + 1));
    LineRange range;
    if (first.empty() && last.empty() && joint == part.npos) return std::nullopt;
    if (!first.empty()) {
      const std::optional<uint32_t> number = Number(first);
      if (!number) return std::nullopt;
      range.first = std::max(*number, 1u);
    }
    if (!last.empty()) {
      const std::optional<uint32_t> number = Number(last);
      if (!number) return std::nullopt;
      range.last = *number;
    }
    ranges.push_back(range);
    if (ranges.size() > 1000) return std::nullopt;
  }
  return ranges;
}

LineList TakeRanges(const LineList& lines, const std::vector<LineRange>& ranges) {
  LineList taken;
  size_t before = 0;  // behind the last line taken
  for (const LineRange& range : ranges) {
    const size_t begin = std::min<size_t>(range.first - 1, lines.size());
    const size_t end = std::max(begin, std::min<size_t>(range.last, lines.size()));
    if (taken.size() + (end - begin) > 4 * lines.size() + 16) break;  // the same lines, again and again
    if (!taken.empty() && begin != before && begin < end) taken.emplace_back();
    taken.insert(taken.end(), lines.begin() + ptrdiff_t(begin), lines.begin() + ptrdiff_t(end));
    before = end;
  }
  return taken;
}

std::optional<LineList> TakeRegion(const LineList& lines, std::string_view name) {
  std::optional<LineList> taken;
  bool inside = false;
  size_t depth = 0;  // of regions within, for ends without a name
  for (const std::string_view line : lines) {
    const Mark mark = ReadMark(line);
    if (mark.kind == Mark::kStart && mark.name == name) {
      if (!taken) taken.emplace();
      inside = true;
      depth = 0;
    } else if (inside && mark.kind == Mark::kStart) {
      ++depth;
    } else if (inside && mark.kind == Mark::kEnd) {
      if (mark.name == name || (mark.name.empty() && depth == 0)) inside = false;
      if (depth > 0) --depth;
    } else if (inside) {
      taken->push_back(line);
    }
  }
  return taken;
}

LineList WithoutMarks(const LineList& lines) {
  LineList kept;
  for (const std::string_view line : lines) {
    if (ReadMark(line).kind == Mark::kNone) kept.push_back(line);
  }
  return kept;
}

std::optional<LineList> TakeMarkdownSection(const LineList& lines, std::string_view anchor) {
  std::optional<LineList> taken;
  size_t level = 0;
  bool fenced = false;
  for (const std::string_view line : lines) {
    if (Trim(line).starts_with("```") || Trim(line).starts_with("~~~")) fenced = !fenced;
    const size_t hashes = std::min(line.find_first_not_of('#'), line.size());
    if (!fenced && hashes > 0 && hashes <= 6 && hashes < line.size() && line[hashes] == ' ') {
      if (taken && hashes <= level) break;
      std::string_view title = Trim(line.substr(hashes));
      std::string own;
      if (const size_t open = title.rfind("{#"); open != title.npos && title.ends_with('}')) {
        own = std::string(title.substr(open + 2, title.size() - open - 3));
        title = TrimEnd(title.substr(0, open));
      }
      if (!taken && (own == anchor || Slug(title) == anchor)) {
        taken.emplace();
        level = hashes;
      }
    }
    if (taken) taken->push_back(line);
  }
  return taken;
}

std::optional<LineList> TakePythonObject(const LineList& lines, std::string_view name) {
  size_t begin = 0, end = lines.size(), indent = 0;
  bool nested = false;
  for (size_t at = 0; at <= name.size();) {
    const size_t dot = std::min(name.find('.', at), name.size());
    const std::string_view part = name.substr(at, dot - at);
    at = dot + 1;
    size_t found = end;
    for (size_t i = begin; i < end && found == end; ++i) {
      const size_t in = IndentOf(lines[i]);
      if (nested ? in <= indent : in != 0) continue;
      std::string_view rest = lines[i].substr(in);
      if (rest.starts_with("async ")) rest = Trim(rest.substr(6));
      if (rest.starts_with("def "))
        rest.remove_prefix(4);
      else if (rest.starts_with("class "))
        rest.remove_prefix(6);
      else
        continue;
      rest = Trim(rest);
      if (rest.starts_with(part) && (rest.size() == part.size() || !IsWordByte(rest[part.size()]))) found = i;
    }
    if (found == end || part.empty()) return std::nullopt;
    indent = IndentOf(lines[found]);
    size_t stop = found + 1;
    bool in_head = true;  // a signature may close at the margin: ") -> None:"
    for (; stop < end; ++stop) {
      const std::string_view line = lines[stop];
      if (IsBlankLine(line)) continue;
      if (in_head && IndentOf(line) == indent && line[indent] == ')') continue;
      if (IndentOf(line) <= indent) break;
      in_head = in_head && !TrimEnd(line).ends_with(':');
    }
    begin = found;
    end = stop;
    nested = true;
  }
  while (begin > 0 && lines[begin - 1].substr(IndentOf(lines[begin - 1])).starts_with('@') &&
         IndentOf(lines[begin - 1]) == indent) {
    --begin;
  }
  while (end > begin && IsBlankLine(lines[end - 1])) --end;
  return LineList(lines.begin() + ptrdiff_t(begin), lines.begin() + ptrdiff_t(end));
}

std::vector<std::string> Dedented(const LineList& lines, size_t columns) {
  size_t begin = 0, end = lines.size();
  while (begin < end && IsBlankLine(lines[begin])) ++begin;
  while (end > begin && IsBlankLine(lines[end - 1])) --end;
  size_t least = columns;
  for (size_t i = begin; i < end; ++i) {
    if (!IsBlankLine(lines[i])) least = std::min(least, IndentOf(lines[i]));
  }
  std::vector<std::string> dedented;
  for (size_t i = begin; i < end; ++i) {
    dedented.emplace_back(IsBlankLine(lines[i]) ? std::string_view() : lines[i].substr(least));
  }
  return dedented;
}

std::string LanguageOfFile(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return "";
  const std::string extension = Lower(name.substr(dot + 1));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kNames = {{{"py", "python"},
                                                                                     {"pyi", "python"},
                                                                                     {"rs", "rust"},
                                                                                     {"rb", "ruby"},
                                                                                     {"yml", "yaml"},
                                                                                     {"h", "c"},
                                                                                     {"cc", "cpp"},
                                                                                     {"hpp", "cpp"},
                                                                                     {"cs", "csharp"},
                                                                                     {"kt", "kotlin"},
                                                                                     {"mjs", "js"},
                                                                                     {"txt", "text"}}};
  for (const auto& [from, to] : kNames) {
    if (extension == from) return std::string(to);
  }
  for (const char c : extension) {
    if (!IsWordByte(c)) return "";
  }
  return extension.size() <= 16 ? extension : "";
}

}  // namespace sheaf::packer
