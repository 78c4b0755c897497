#include "packer/parse/markdown/markdown_view.h"

#include <algorithm>
#include <array>
#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr std::string_view kMaskable = "<>|[]*_~!&\\` ";
constexpr char kFirstMask = 0x0E;

char Mask(char c) {
  if (c == '\t') c = ' ';
  const size_t index = kMaskable.find(c);
  return index == std::string_view::npos ? c : char(kFirstMask + char(index));
}

bool IsInlineMark(char c) {
  return c == '[' || c == ']' || c == '*' || c == '_' || c == '~' || c == '!' || c == '&' || c == '\\' || c == '`';
}

class ViewMaker {
 public:
  ViewMaker(const Lines& lines, ViewKind kind, bool mdx) : lines_(lines), kind_(kind), mdx_(mdx) {}

  Result<View> Make() {
    view_.text.reserve(lines_.text.size());
    if (kind_ == ViewKind::kStructure) {
      last_[0] = FindLast("-->");
      for (size_t i = 0; i < kVerbatim.size(); ++i) last_[i + 1] = FindLast(kVerbatim[i].closing);
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (++units_ > kMaxPageUnits) {
        return Error{ErrorCode::kTooLarge, "the page has more than " + std::to_string(kMaxPageUnits) +
                                               " lines, list marks and quotation marks: split it"};
      }
      Line(i);
      view_.text.push_back('\n');
    }
    return std::move(view_);
  }

 private:
  struct Verbatim {
    std::string_view opening, closing;
  };
  // Elements whose inside is not Markdown.
  static constexpr std::array<Verbatim, 4> kVerbatim = {
      {{"<script", "</script"}, {"<style", "</style"}, {"<pre", "</pre"}, {"<textarea", "</textarea"}}};

  // Last position of `needle`, or 0: an element that is never closed must not swallow the rest of the
  // page.
  size_t FindLast(std::string_view needle) const {
    const std::string_view text = lines_.text;
    for (size_t i = text.size(); i > 0; --i) {
      if (text[i - 1] == needle[0] && StartsWithFolded(text.substr(i - 1), needle)) return i - 1;
    }
    return 0;
  }

  void Line(size_t number) {
    std::string_view line = lines_[number];
    size_t indent_bytes = 0;
    size_t indent = Indent(line, &indent_bytes);
    if (indent_bytes == line.size()) {  // blank
      view_.text.append(line.substr(0, std::min(line.size(), kMaxPrefix)));
      return;
    }
    // The body of a `!!!` admonition stands four columns in.
    while (!admonitions_.empty() && indent < admonitions_.back() + 4) admonitions_.pop_back();
    if (!admonitions_.empty()) {
      line = Dedent(line, admonitions_.back() + 4 - admonitions_.front());
    }
    if (mdx_) line = DedentMdx(line);

    const Prefix prefix = ReadPrefix(line);
    const std::string_view content = line.substr(prefix.bytes);
    if (InFence(content)) {
      Append(line, prefix, number, true);
      return;
    }
    if (Admonition(number, line, prefix, content, indent)) return;
    Append(line, prefix, number, false);
  }

  // Tracks fences well enough to leave marker lines alone inside them. A fence in a list that is
  // not closed may be seen as longer than it is; that only leaves marks in place.
  bool InFence(std::string_view content) {
    if (content.empty() || (content[0] != '`' && content[0] != '~')) return fence_length_ > 0;
    size_t run = 0;
    while (run < content.size() && content[run] == content[0]) ++run;
    if (fence_length_ > 0) {
      if (content[0] == fence_ && run >= fence_length_ && IsBlank(content.substr(run))) {
        fence_length_ = 0;
      }
      return true;
    }
    if (run < 3) return false;
    if (content[0] == '`' && content.find('`', run) != std::string_view::npos) return false;
    fence_ = content[0];
    fence_length_ = run;
    return true;
  }

  // MDX has no indented code; indented lines lie inside a tag or in a list.
  std::string_view DedentMdx(std::string_view line) {
    size_t bytes = 0;
    const size_t indent = Indent(line, &bytes);
    const std::string_view content = line.substr(bytes);
    if (fence_length_ > 0) return Dedent(line, mdx_drop_);
    if (ListMarker(content) > 0) {
      mdx_drop_ = in_list_ ? std::min(mdx_drop_, indent) : indent;
      in_list_ = true;
    } else if (in_list_ && indent <= mdx_drop_) {
      in_list_ = false;
    }
    if (!in_list_) mdx_drop_ = indent;
    return Dedent(line, mdx_drop_);
  }

  // Writes the view of a marker line and returns true, if `line` is one.
  bool Admonition(size_t number, std::string_view line, const Prefix& prefix, std::string_view content, size_t indent) {
    Marker marker;
    marker.line = uint32_t(number);
    if (StartsWith(content, ":::")) {
      const size_t colons = std::min(content.find_first_not_of(':'), content.size());
      const std::string_view rest = Trim(content.substr(colons));
      marker.opens = !rest.empty();
      marker.title = ColonTitle(rest);
    } else if (StartsWith(content, "!!!") || StartsWith(content, "???") || StartsWith(content, "===")) {
      if (prefix.marks > 0 || !MaterialTitle(content, &marker.title)) return false;
      marker.opens = true;
      admonitions_.push_back(indent);
    } else if (prefix.quoted && StartsWith(content, "[!")) {  // > [!NOTE]
      size_t i = 2;
      while (i < content.size() && (IsAlpha(content[i]) || content[i] == '-')) ++i;
      if (i == 2 || i >= content.size() || content[i] != ']') return false;
      ++i;
      if (i < content.size() && (content[i] == '+' || content[i] == '-')) ++i;
      const std::string rest = std::string(line.substr(0, prefix.bytes)) + std::string(Trim(content.substr(i)));
      Append(rest, ReadPrefix(rest), number, false);
      marker.opens = i >= content.size() || IsBlank(content.substr(i));
      if (marker.opens) view_.markers.push_back(std::move(marker));
      return true;
    } else {
      return false;
    }
    Append(line.substr(0, prefix.bytes), prefix, number, false);
    view_.markers.push_back(std::move(marker));
    return true;
  }

  // "tip Title {attributes}", "note[Title]", "{note} Title" -> "Title".
  static std::string ColonTitle(std::string_view rest) {
    size_t i = 0;
    if (!rest.empty() && rest[0] == '{') {
      i = std::min(rest.find('}'), rest.size() - 1) + 1;
    } else {
      while (i < rest.size() && (IsAlpha(rest[i]) || IsDigit(rest[i]) || rest[i] == '-')) ++i;
    }
    rest = Trim(rest.substr(i));
    if (!rest.empty() && rest[0] == '[' && rest.find(']') != std::string_view::npos) {
      return std::string(rest.substr(1, rest.rfind(']') - 1));
    }
    if (!rest.empty() && rest.back() == '}' && rest.rfind('{') != std::string_view::npos) {
      rest = Trim(rest.substr(0, rest.rfind('{')));
    }
    while (!rest.empty() && rest.back() == ':') rest.remove_suffix(1);
    return std::string(rest);
  }

  // `!!! note inline "Title"`, `??? tip`, `=== "Tab"`. The whole line must look so.
  static bool MaterialTitle(std::string_view content, std::string* title) {
    const bool tab = content[0] == '=';
    size_t i = 3;
    if (i < content.size() && (content[i] == '+' || content[i] == '!')) ++i;
    if (i >= content.size() || content[i] != ' ') return false;
    std::string_view rest = Trim(content.substr(i));
    if (rest.size() >= 2 && rest.back() == '"') {
      const size_t open = rest.find('"');
      if (open + 1 >= rest.size()) return false;
      *title = std::string(rest.substr(open + 1, rest.size() - open - 2));
      rest = Trim(rest.substr(0, open));
    } else if (tab) {
      return false;
    }
    if (rest.empty()) return tab;
    return !tab && IsAlpha(rest[0]) && std::all_of(rest.begin(), rest.end(), [](char c) {
      return IsAlpha(c) || IsDigit(c) || c == '-' || c == '_' || c == ' ';
    }) && std::count(rest.begin(), rest.end(), ' ') <= 3;
  }

  void Append(std::string_view line, const Prefix& prefix, size_t number, bool fenced) {
    units_ += prefix.marks;
    std::string& out = view_.text;
    const size_t start = out.size();
    out.append(line);
    for (size_t i = kMaxPrefix; i < prefix.bytes; ++i) out[start + i] = Mask(line[i]);

    // cmark rereads the paragraph for each line that could be a table's rule. Many of them without a
    // blank line between would take quadratic time. A table has one.
    const bool blank = line.find_first_not_of(" \t") == std::string_view::npos;
    const bool rule = !blank && line.find_first_not_of(" \t|:->") == std::string_view::npos &&
                      line.find('|') != std::string_view::npos;
    rules_ = blank ? 0 : rules_ + rule;
    if (blank) images_ = 0;
    // Before the first bar of a line it goes back to the bar before, however many lines above that is.
    if (blank || fenced || BeginsBlock(line)) bare_ = bare_most_ = 0;
    bare_ = line.find('|') != std::string_view::npos ? 0 : bare_ + line.size() + 1;
    bare_most_ = std::max(bare_most_, bare_);
    const bool many_bars = (rule && (rules_ > kMaxTableRules || uint64_t(rules_) * bare_most_ > kMaxTextWithoutBars ||
                                     (!fenced && !MayHaveTable(line, number)))) ||
                           (line.size() > kMaxBars && size_t(std::count(line.begin(), line.end(), '|')) > kMaxBars);
    const bool structure = kind_ == ViewKind::kStructure;
    // A rule (`***`) or a fence line is structure by its marks.
    const bool keep_marks = fenced || line.find_first_not_of(" \t*_-") == std::string_view::npos;
    // Where the line lies in the page, for looking left and right of a `<`.
    const size_t offset = lines_.begin[number] + lines_[number].size() - line.size();
    for (size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (c == '<') {
        const bool keep = structure ? OpensVerbatim(line.substr(i), offset + i) : KeepInWords(line, i);
        if (!keep) out[start + i] = Mask(c);
      } else if (c == '|') {
        if (many_bars) out[start + i] = Mask(c);
      } else if (i >= prefix.bytes && !keep_marks && IsInlineMark(c)) {
        if (c == '!' && i > 0 && out[start + i - 1] == '<') continue;  // of a comment
        // At the end of each link, cmark searches all open images.
        if (c == '!' && line.substr(i + 1, 1) == "[" && ++images_ > kMaxImages) {
          out[start + i] = Mask(c);
          continue;
        }
        if (structure || ++marks_ > kMaxInlineMarks) out[start + i] = Mask(c);
      }
    }
  }

  // A heading or a bulleted item, which end the paragraph above them wherever they stand.
  static bool BeginsBlock(std::string_view line) {
    const size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos || indent > 3) return false;
    line.remove_prefix(indent);
    const size_t marks = line[0] == '#' ? std::min(line.find_first_not_of('#'), line.size()) : 1;
    const bool mark = line[0] == '#' ? marks <= 6 : line[0] == '-' || line[0] == '*' || line[0] == '+';
    return mark && line.size() > marks + 1 && line[marks] == ' ' && line[marks + 1] != ' ';
  }

  // cmark gives each row all columns of its table, so a line of one letter may produce hundreds of cells.
  bool MayHaveTable(std::string_view rule, size_t number) {
    if (number >= stretch_end_) {
      stretch_end_ = number + 1;
      while (stretch_end_ < lines_.size() && !IsBlank(lines_[stretch_end_])) ++stretch_end_;
    }
    const uint64_t columns = uint64_t(std::count(rule.begin(), rule.end(), '|')) + 1;
    const uint64_t cells = (stretch_end_ - number + 1) * columns;
    if (cells > kMaxTableCells - cells_) return false;
    cells_ += size_t(cells);
    return true;
  }

  bool OpensVerbatim(std::string_view rest, size_t offset) const {
    if (StartsWith(rest, "<!--")) return offset < last_[0];
    for (size_t i = 0; i < kVerbatim.size(); ++i) {
      const size_t size = kVerbatim[i].opening.size();
      if (StartsWithFolded(rest, kVerbatim[i].closing)) return true;
      if (StartsWithFolded(rest, kVerbatim[i].opening)) {
        return (rest.size() == size || IsSpace(rest[size]) || rest[size] == '>') && offset < last_[i + 1];
      }
    }
    return false;
  }

  // Escaped `\<`, autolinks and link destinations are cmark's to read.
  static bool KeepInWords(std::string_view line, size_t at) {
    size_t slashes = 0;
    while (slashes < at && line[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 1) return true;
    return IsDestination(line, at) || AutolinkEnd(line, at) > 0;
  }

  const Lines& lines_;
  const ViewKind kind_;
  const bool mdx_;
  View view_;
  size_t units_ = 0;
  size_t marks_ = 0;
  size_t rules_ = 0;                 // lines that look like a table's rule since the last blank line
  size_t images_ = 0;                // "![" since then
  size_t bare_ = 0, bare_most_ = 0;  // bytes of lines without bars, one after another, since the last block began
  size_t cells_ = 0;                 // of the page's tables, at most
  size_t stretch_end_ = 0;           // the blank line behind the last rule that was looked at
  std::array<size_t, 5> last_ = {};
  std::vector<size_t> admonitions_;  // columns of the open `!!!` lines
  char fence_ = 0;
  size_t fence_length_ = 0;
  bool in_list_ = false;
  size_t mdx_drop_ = 0;
};

}  // namespace

Lines SplitLines(std::string_view text) {
  Lines lines;
  lines.text.reserve(text.size() + 1);
  lines.text.append(text);
  if (!text.empty() && text.back() != '\n') lines.text.push_back('\n');
  for (size_t at = 0; at < lines.text.size(); at = lines.text.find('\n', at) + 1) {
    lines.begin.push_back(uint32_t(at));
  }
  lines.begin.push_back(uint32_t(lines.text.size()));
  return lines;
}

Result<View> MakeView(const Lines& lines, ViewKind kind, bool mdx) { return ViewMaker(lines, kind, mdx).Make(); }

void Unmask(std::string* text) {
  for (char& c : *text) {
    if (c >= kFirstMask && c < kFirstMask + char(kMaskable.size())) {
      c = kMaskable[size_t(c - kFirstMask)];
    }
  }
}

}  // namespace sheaf::packer
