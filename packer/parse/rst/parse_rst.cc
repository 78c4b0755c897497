// reStructuredText, as docutils specifies it and Sphinx extends it, read for its words.
//
// Idea: the source is an array of lines, each with the column at which its content begins. A
// region is a range of lines and an indent; reading one finds its body elements (titles,
// paragraphs, lists, explicit markup ...). What stands inside an element is again a region, put
// on a stack of tasks together with what has to be closed after it, so nesting costs no recursion.
//
//      .. note::            explicit markup: label "Note", then a region at column 3
//         * one             a list item: the same line, its content column moved behind "* "
//
// Choices worth knowing
//  - API directives (function, class, option, confval ...) become headings below their section,
//    with the anchor that Sphinx gives them, as the HTML reader does with the same page.
//  - Section anchors are explicit labels, else docutils' id of the title; a title that appears a
//    second time gets none, since its number depends on everything before it.
//  - Nothing is included from other files, and nothing raw passes.
//
// Cost: linear in the source; each nesting level looks at a line at most twice, and a line at
// level n is at least n characters long. Cap (kTooLarge): kMaxRstBytes.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/document/document.h"
#include "packer/parse/parse.h"
#include "packer/parse/rst/rst_inline.h"
#include "packer/parse/rst/rst_lines.h"
#include "packer/parse/rst/rst_syntax.h"
#include "packer/parse/rst/rst_table.h"
#include "packer/parse/shared/block_writer.h"
#include "packer/parse/shared/front_matter.h"
#include "packer/parse/shared/title.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxRstBytes = size_t{64} << 20;
constexpr size_t kMaxTableCells = 1'000'000;
constexpr size_t kMaxScopeBytes = 1024;  // of the names that stand before those of the objects inside

using Names = std::unordered_set<std::string_view>;

bool IsAlnum(char c) { return std::isalnum(uint8_t(c)) != 0; }
bool IsPunctuation(char c) { return std::ispunct(uint8_t(c)) != 0; }

struct Directive {
  std::string_view domain;                  // "py" of "py:function"
  std::string_view name;                    // "function"
  std::vector<std::string_view> arguments;  // lines, without blanks around
  std::unordered_map<std::string, std::string> options;
  size_t content = 0, end = 0;  // lines of the content
  uint32_t indent = 0;          // of the content
  size_t line = 0;
};

class Reader {
 public:
  Reader(std::string_view source, Document* document)
      : document_(document), out_(&document->blocks), lines_(source) {
    ReadNames();
  }

  void Run() {
    Push({.task = Task::kRegion, .begin = 0, .end = lines_.size(), .indent = 0, .sections = true});
    while (!tasks_.empty()) {
      const Task task = std::move(tasks_.back());
      tasks_.pop_back();
      Do(task);
    }
    FlushLabel();
  }

 private:
  struct Task {
    enum Name : uint8_t { kRegion, kGlossary, kCloseItem, kCloseQuote, kCloseObject, kFlush } task = kRegion;
    size_t begin = 0, end = 0;
    uint32_t indent = 0;
    bool sections = false;  // titles count here
    std::string scope{};    // kCloseObject: the class name to come back to
  };
  void Push(Task task) { tasks_.push_back(std::move(task)); }

  size_t NextText(size_t i, size_t end) const { return lines_.NextText(i, end); }

  // ---- names that are used before they are defined ----------------------------------------------

  void ReadNames() {
    std::vector<std::string> labels;
    for (size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view text = lines_[i].content();
      if (text.empty()) continue;
      if (text.starts_with(".. _") && text.ends_with(':')) {
        if (labels.size() < 16) labels.push_back(RstName(text.substr(4, text.size() - 5)));
        continue;
      }
      if (text.starts_with(".. |")) {
        const size_t bar = text.find("| replace::", 4);
        if (bar != std::string_view::npos) {
          const std::string_view value = TrimBlanks(text.substr(bar + 11));
          if (value.size() <= kMaxSubstitutionBytes) {
            names_.substitutions.emplace(RstName(text.substr(4, bar - 4)), value);
          }
        }
      } else if (text.starts_with("..") || lines_[i].indent > 0) {
        continue;  // other markup may stand between a label and its title
      } else if (!labels.empty()) {
        size_t title = i;
        if (IsAdornment(text) && i + 1 < lines_.size()) ++title;
        if (title + 1 < lines_.size() && lines_[title].content().size() <= kMaxSubstitutionBytes &&
            IsAdornment(lines_[title + 1].content())) {
          for (const std::string& label : labels) names_.titles.emplace(label, lines_[title].content());
        }
      }
      labels.clear();
    }
    const RstNames raw = names_;
    for (auto& [name, value] : names_.substitutions) value = RstPlain(value, RstNames{});
    for (auto& [label, title] : names_.titles) {
      // What a few bytes may stand for is bounded, also where a title holds substitutions.
      std::string words = RstPlain(title, RstNames{raw.substitutions, {}});
      title = words.size() <= kMaxSubstitutionBytes ? std::move(words) : RstPlain(title, RstNames{});
    }
  }

  // ---- text -------------------------------------------------------------------------------------

  // Writes words that waited for a paragraph that never came.
  void FlushLabel() {
    continues_term_ = false;
    if (label_.empty()) return;
    InlineText text = std::exchange(label_, InlineText());
    out_.Text(&text);
  }

  void AddLabel(std::string_view words, size_t line) {
    FlushLabel();
    if (words.empty()) return;
    AppendRstInline(words, names_, &label_);
    label_.Text(":");
    label_.Space();
    label_.lines.Add(uint32_t(line + 1));
  }

  void Paragraph(std::string_view words, size_t begin, size_t end) {
    InlineText text = std::exchange(label_, InlineText());
    AppendRstInline(words, names_, &text);
    text.lines.Add(uint32_t(begin + 1));
    text.lines.Add(uint32_t(end));
    if (text.empty()) return;
    if (std::exchange(continues_term_, false)) {
      out_.Continuation(&text);
    } else {
      out_.Text(&text);
    }
    ForgetAnchor();
  }

  void Code(std::string_view language, size_t begin, size_t end) {
    FlushLabel();
    begin = NextText(begin, end);
    while (end > begin && lines_[end - 1].text.empty()) --end;
    if (begin >= end) return;
    if (language.empty() && lines_[begin].content().starts_with(">>> ")) language = "python";
    out_.Code(CleanLanguage(language), lines_.Block(begin, end), lines_.Span(begin, end));
    ForgetAnchor();
  }

  void ForgetAnchor() { anchor_.clear(); }

  // ---- tasks --------------------------------------------------------------------------------------

  void Do(const Task& task) {
    switch (task.task) {
      case Task::kRegion: Region(task); break;
      case Task::kGlossary: Glossary(task); break;
      case Task::kCloseItem:
        FlushLabel();
        out_.CloseItem();
        out_.CloseList();
        break;
      case Task::kCloseQuote:
        FlushLabel();
        out_.CloseQuote();
        break;
      case Task::kCloseObject:
        FlushLabel();
        class_ = task.scope;
        --object_depth_;
        break;
      case Task::kFlush: FlushLabel(); break;
    }
  }

  // Reads body elements until one needs a region of its own; the rest then waits on the stack.
  void Region(const Task& task) {
    size_t i = task.begin;
    const size_t end = task.end;
    while ((i = NextText(i, end)) < end) {
      const size_t tasks = tasks_.size();
      const size_t next = Element(i, task);
      if (tasks_.size() > tasks) {
        // What was pushed is to run first.
        Task rest = task;
        rest.begin = next;
        tasks_.insert(tasks_.begin() + ptrdiff_t(tasks), std::move(rest));
        return;
      }
      i = std::max(next, i + 1);
    }
  }

  // Reads the element at line i and returns the line after it.
  size_t Element(size_t i, const Task& region) {
    const size_t end = region.end;
    const RstLine& line = lines_[i];
    if (line.indent > region.indent) return Quote(i, end, region);
    const std::string_view text = line.content();
    if (text.starts_with("..") && (text.size() == 2 || text[2] == ' ')) return Explicit(i, region);
    if (text.starts_with("__ ")) return lines_.IndentedEnd(i + 1, end, region.indent);
    if (const size_t next = Title(i, region)) return next;
    if (IsGridBorder(text)) {
      if (const size_t next = GridTable(i, region)) return next;
    }
    if (IsSimpleBorder(text)) {
      if (const size_t next = SimpleTable(i, region)) return next;
    }
    if (IsAdornment(text) && text.size() >= 4) return i + 1;  // a transition
    if (const size_t next = ListItem(i, region)) return next;
    if (text.starts_with("| ") || text == "|") return LineBlock(i, region);
    if (text.starts_with(">>> ")) {
      size_t last = i;
      while (last < end && !lines_[last].blank() && lines_[last].indent >= region.indent) ++last;
      Code("python", i, last);
      return last;
    }
    return Text(i, region);
  }

  // ---- sections -----------------------------------------------------------------------------------

  size_t Title(size_t i, const Task& region) {
    if (!region.sections) return 0;
    const size_t end = region.end;
    const auto at = [&](size_t k) {
      return k < end && !lines_[k].text.empty() ? lines_[k].content() : std::string_view();
    };
    const std::string_view text = at(i), below = at(i + 1), under = at(i + 2);
    if (IsAdornment(text) && !below.empty() && !IsAdornment(below) && IsAdornment(under) &&
        under[0] == text[0] && lines_[i + 2].indent == region.indent &&
        (text.size() >= 4 || text.size() >= below.size())) {
      Heading(std::string{text[0], 'o'}, i, i + 1, i + 3);
      return i + 3;
    }
    if (!IsAdornment(text) && IsAdornment(below) && lines_[i + 1].indent == region.indent &&
        (below.size() >= 4 || below.size() >= CountCodePoints(text)) && below != "::" && below != "..") {
      Heading(std::string{below[0]}, i, i, i + 2);
      return i + 2;
    }
    return 0;
  }

  void Heading(const std::string& style, size_t begin, size_t title_line, size_t end) {
    FlushLabel();
    const auto found = std::find(styles_.begin(), styles_.end(), style);
    const size_t level = size_t(found - styles_.begin()) + 1;
    if (found == styles_.end()) styles_.push_back(style);
    section_level_ = int(std::min<size_t>(level, 6));
    InlineText title;
    AppendRstInline(lines_[title_line].content(), names_, &title);
    title.Finish();
    title.lines = lines_.Span(begin, end);
    std::string id = RstId(title.plain());
    const bool fresh = ids_.insert(id).second;
    std::string anchor = std::exchange(anchor_, std::string());
    if (anchor.empty() && fresh) anchor = std::move(id);
    out_.Heading(section_level_, &title, "", anchor);
  }

  // ---- body elements --------------------------------------------------------------------------------

  size_t Quote(size_t i, size_t end, const Task& region) {
    const size_t next = lines_.IndentedEnd(i, end, region.indent);
    const std::string_view text = lines_[i].content();
    // Authors often indent lists and tables; only indented paragraphs are quotations.
    uint64_t number = 0;
    const bool quote = !BulletWidth(text) && !EnumeratorWidth(text, &number) && IsAlnum(text[0]);
    continues_term_ = continues_term_ && quote;
    if (quote) {
      FlushLabel();
      out_.OpenQuote();
      Push({.task = Task::kCloseQuote});
    }
    Push({.task = Task::kRegion, .begin = i, .end = next, .indent = lines_.LeastIndent(i, next)});
    return next;
  }

  // Reads lines [i, end) as one body, where line i goes on at column `indent` behind its marker and
  // the others have an indent of their own.
  void PushMarked(size_t i, size_t end, uint32_t indent) {
    const size_t after = NextText(i + 1, end);
    lines_.MoveContent(i, indent);
    if (after < end) {
      const uint32_t least = lines_.LeastIndent(after, end);
      if (!lines_[i].blank() && least != indent) lines_.Rewrite(i, least);
      indent = least;
    }
    Push({.task = Task::kRegion, .begin = i, .end = end, .indent = indent});
  }

  // Opens an item of a field or option list; its body may have any indent.
  size_t OpenField(size_t i, size_t width, const Task& region) {
    FlushLabel();
    out_.OpenList(false, 1);
    out_.OpenItem();
    const size_t end = lines_.IndentedEnd(i + 1, region.end, region.indent);
    Push({.task = Task::kCloseItem});
    PushMarked(i, end, region.indent + uint32_t(width));
    return end;
  }

  // Opens a list item whose content begins `width` behind the marker on line i.
  size_t OpenItem(size_t i, size_t width, bool numbered, uint64_t number, const Task& region) {
    FlushLabel();
    out_.OpenList(numbered, number);
    out_.OpenItem();
    const uint32_t indent = region.indent + uint32_t(width);
    const size_t end = lines_.IndentedEnd(i + 1, region.end, region.indent);
    lines_.MoveContent(i, indent);
    Push({.task = Task::kCloseItem});
    const size_t first = NextText(i, end);
    // A body less indented than its first line is read at its own indent.
    uint32_t least = first < end ? lines_.LeastIndent(first, end) : indent;
    if (first == i && least < indent) {
      const size_t after = NextText(i + 1, end);
      if (after < end) PushBody(after, end, lines_.LeastIndent(after, end));
      PushBody(i, i + 1, indent);
    } else {
      PushBody(first, end, least);
    }
    return end;
  }

  void PushBody(size_t begin, size_t end, uint32_t indent) {
    Push({.task = Task::kRegion, .begin = begin, .end = end, .indent = indent});
  }

  size_t ListItem(size_t i, const Task& region) {
    const std::string_view text = lines_[i].content();
    if (const size_t width = BulletWidth(text)) return OpenItem(i, width, false, 1, region);
    uint64_t number = 0;
    if (const size_t width = EnumeratorWidth(text, &number); width && IsEnumerated(i, width, region)) {
      if (number == 0 && i == last_list_end_) number = last_number_ + 1;
      if (number == 0) number = 1;
      last_number_ = number;
      return last_list_end_ = NextText(OpenItem(i, width, true, number, region), region.end);
    }
    std::string_view name;
    if (const size_t width = FieldWidth(text, &name)) return Field(i, width, name, region);
    std::string_view options;
    if (const size_t width = OptionWidth(text, &options)) {
      if (width < text.size() ||
          (i + 1 < region.end && !lines_[i + 1].blank() && lines_[i + 1].indent > region.indent)) {
        const std::string names(options);
        const size_t end = OpenField(i, width, region);
        label_.BeginCode();
        label_.Text(names);
        label_.EndCode();
        label_.Space();
        label_.lines.Add(uint32_t(i + 1));
        return end;
      }
    }
    return 0;
  }

  // "A. Einstein" opens no list when its paragraph goes on at the margin.
  bool IsEnumerated(size_t i, size_t width, const Task& region) const {
    if (i + 1 >= region.end || lines_[i + 1].text.empty()) return true;
    const RstLine& next = lines_[i + 1];
    uint64_t number = 0;
    return next.indent < region.indent || next.indent >= region.indent + width ||
           (next.indent == region.indent && EnumeratorWidth(next.content(), &number) > 0);
  }

  size_t Field(size_t i, size_t width, std::string_view name, const Task& region) {
    const std::string key = RstName(name.substr(0, name.find(' ')));
    const std::string_view text = lines_[i].content();
    const std::string value(text.substr(std::min(width, text.size())));
    const size_t end = lines_.IndentedEnd(i + 1, region.end, region.indent);
    static const Names facts = {"orphan",         "tocdepth",     "nocomments", "nosearch",  "author",
                                "authors",        "organization", "contact",    "address",   "version",
                                "status",         "revision",     "date",       "copyright", "hide-toc",
                                "og:description", "page-template"};
    const auto& blocks = document_->blocks;
    const bool head = blocks.empty() || (blocks.size() == 1 && blocks[0].kind == BlockKind::kHeading);
    if (region.sections && head && facts.contains(key)) {
      if (key == "date" && IsIsoDate(value)) document_->last_modified = value;
      return end;
    }
    // ":param int x: ..." names a thing; other fields are labelled text.
    const std::string field(name);
    const size_t result = OpenField(i, width, region);
    const size_t space = field.find(' ');
    static const Names keywords = {"param",   "parameter", "arg",    "argument",  "key",   "keyword", "type",
                                   "raises",  "raise",     "except", "exception", "var",   "ivar",    "cvar",
                                   "vartype", "rtype",     "throws", "tparam",    "retval"};
    if (space != std::string::npos && keywords.contains(key)) {
      label_.Text(field.substr(0, space + 1));
      label_.BeginCode();
      label_.Text(field.substr(space + 1));
      label_.EndCode();
    } else {
      AppendRstInline(field, names_, &label_);
    }
    label_.Text(":");
    label_.Space();
    label_.lines.Add(uint32_t(i + 1));
    return result;
  }

  size_t LineBlock(size_t i, const Task& region) {
    InlineText text = std::exchange(label_, InlineText());
    text.lines.Add(uint32_t(i + 1));
    for (; i < region.end && !lines_[i].blank() && lines_[i].indent >= region.indent; ++i) {
      std::string_view words = lines_[i].content();
      if (words.starts_with("| ") || words == "|") {
        text.Break();
        words.remove_prefix(1);
      } else if (lines_[i].indent == region.indent) {
        break;
      }
      text.Space();
      AppendRstInline(TrimBlanks(words), names_, &text);
      text.lines.Add(uint32_t(i + 1));
    }
    continues_term_ = false;
    out_.Text(&text);
    return i;
  }

  // A paragraph, or a term with its definition.
  size_t Text(size_t i, const Task& region) {
    const size_t end = region.end;
    size_t last = i + 1;
    while (last < end && !lines_[last].blank() && lines_[last].indent == region.indent &&
           !(lines_[last].content().starts_with(".. ") && last > i)) {
      ++last;
    }
    std::string words;
    for (size_t k = i; k < last; ++k) words.append(lines_[k].content()).append("\n");
    words.pop_back();
    const bool indented = last < end && !lines_[last].blank() && lines_[last].indent > region.indent;
    if (!words.ends_with("::")) {
      if (indented && last == i + 1) return Definition(i, words, region);
      Paragraph(words, i, last);
      return last;
    }
    // "text::" shows one colon, "text ::" and "::" none.
    words.pop_back();
    if (words.size() == 1 || words[words.size() - 2] == ' ' || words[words.size() - 2] == '\n')
      words.pop_back();
    if (!TrimBlanks(words).empty()) Paragraph(words, i, last);
    return Literal(last, region);
  }

  size_t Literal(size_t i, const Task& region) {
    i = NextText(i, region.end);
    if (i >= region.end) return i;
    size_t last = lines_.IndentedEnd(i, region.end, region.indent);
    const char mark = lines_[i].content()[0];
    if (last == i && IsPunctuation(mark) && lines_[i].indent == region.indent && i > 0 &&
        lines_[i - 1].text.empty()) {
      // A quoted literal block: lines at the margin that begin with the same mark.
      while (last < region.end && !lines_[last].blank() && lines_[last].content()[0] == mark) ++last;
      if (lines_[i].content().starts_with(".. ") || IsAdornment(lines_[i].content())) last = i;
    }
    if (last > i) Code(language_, i, last);
    return last;
  }

  size_t Definition(size_t i, const std::string& term, const Task& region) {
    const size_t end = lines_.IndentedEnd(i + 1, region.end, region.indent);
    FlushLabel();
    out_.OpenList(false, 1);
    out_.OpenItem();
    InlineText text;
    text.lines.Add(uint32_t(i + 1));
    // "term : classifier"
    AppendRstInline(term, names_, &text);
    out_.Text(&text);
    ForgetAnchor();
    continues_term_ = true;
    Push({.task = Task::kCloseItem});
    PushBody(i + 1, end, lines_.LeastIndent(i + 1, end));
    return end;
  }

  // ---- tables -----------------------------------------------------------------------------------------

  void Rows(std::vector<RstRow> rows, size_t first_line) {
    FlushLabel();
    bool first = true;
    for (RstRow& row : rows) {
      std::vector<InlineText> cells(row.cells.size());
      for (size_t c = 0; c < cells.size(); ++c) AppendRstInline(CellText(row.cells[c]), names_, &cells[c]);
      if (cells.empty()) continue;
      cells[0].lines = lines_.Span(first_line + row.first, first_line + row.last + 1);
      out_.Row(&cells, row.header && first);
      first = false;
    }
    out_.EndTable();
    ForgetAnchor();
  }

  // A cell may hold a directive; its arguments are its words.
  static std::string_view CellText(std::string_view cell) {
    const size_t colons = cell.find(":: ");
    return cell.starts_with(".. ") && colons < 40 ? cell.substr(colons + 3) : cell;
  }

  size_t GridTable(size_t i, const Task& region) {
    size_t last = i;
    while (last < region.end && !lines_[last].blank() && lines_[last].indent == region.indent &&
           (lines_[last].content()[0] == '+' || lines_[last].content()[0] == '|')) {
      ++last;
    }
    if (last < i + 3) return 0;
    Rows(ReadGridTable(lines_.Cut(i, last, region.indent)), i);
    return last;
  }

  static size_t CountColumns(std::string_view border) {
    size_t count = 0;
    for (size_t k = 0; k < border.size(); ++k) count += border[k] == '=' && (k == 0 || border[k - 1] != '=');
    return count;
  }

  size_t SimpleTable(size_t i, const Task& region) {
    if (i < no_simple_table_before_) return 0;
    size_t borders = 0;
    for (size_t last = i; last < region.end; ++last) {
      if (!lines_[last].text.empty() && lines_[last].indent < region.indent) break;
      if (!IsSimpleBorder(lines_[last].content()) || lines_[last].indent != region.indent) continue;
      const bool ends = last + 1 >= region.end || lines_[last + 1].text.empty();
      if (++borders >= 2 && (ends || borders == 3)) {
        // A row has all columns, however short its line.
        if (CountColumns(lines_[i].content()) > kMaxTableCells / (last + 1 - i)) {
          no_simple_table_before_ = last + 1;
          return 0;
        }
        Rows(ReadSimpleTable(lines_.Cut(i, last + 1, region.indent)), i);
        return last + 1;
      }
    }
    no_simple_table_before_ = region.end;
    return 0;
  }

  // ---- explicit markup ----------------------------------------------------------------------------------

  size_t Explicit(size_t i, const Task& region) {
    const std::string_view text = lines_[i].content();
    const size_t end = lines_.IndentedEnd(i + 1, region.end, region.indent);
    const size_t skip = std::min(text.find_first_not_of(' ', 2), text.size());
    const std::string_view rest = text.substr(skip);
    if (rest.empty()) {
      // ".." alone before a blank line ends what is above and hides nothing.
      return i + 1 < end && !lines_[i + 1].text.empty() ? end : i + 1;
    }
    if (rest[0] == '_') {
      Target(rest);
      return end;
    }
    if (rest[0] == '[') {
      const size_t close = rest.find("] ");
      const std::string_view label = rest.substr(1, std::min(close, rest.size()) - 1);
      if (close != std::string_view::npos && close < 80 && !label.empty() &&
          label.find(' ') == std::string_view::npos) {
        Note(i, label, region.indent + uint32_t(skip + close + 2), end);
      }
      return end;
    }
    if (rest[0] == '|') return end;  // a substitution, known from ReadNames()
    const size_t colons = rest.find("::");
    if (colons == std::string_view::npos || colons == 0 || colons > 64) return end;
    const std::string_view name = TrimBlanks(rest.substr(0, colons));
    if (colons + 2 < rest.size() && rest[colons + 2] != ' ') return end;
    if (!std::all_of(name.begin(), name.end(), [](char c) {
          return IsAlnum(c) || std::string_view("-_.+:").find(c) != std::string_view::npos;
        })) {
      return end;
    }
    Run(ReadDirective(i, name, rest.substr(colons + 2), end), region);
    return end;
  }

  // ".. _label:" names what follows; with an address behind it, it names that.
  void Target(std::string_view rest) {
    if (!rest.ends_with(':') || rest.ends_with("\\:")) return;
    std::string_view name = rest.substr(1, rest.size() - 2);
    if (name.starts_with('`') && name.ends_with('`') && name.size() > 1)
      name = name.substr(1, name.size() - 2);
    if (name.empty() || name == "_") return;
    anchor_ = RstId(name);
    if (!anchor_.empty()) ids_.insert(anchor_);
  }

  // A footnote or citation; numbers that docutils hands out are not known here.
  void Note(size_t i, std::string_view label, uint32_t indent, size_t end) {
    FlushLabel();
    if (label[0] != '#' && label[0] != '*') {
      label_.Text("[" + std::string(label) + "] ");
      label_.lines.Add(uint32_t(i + 1));
    }
    Push({.task = Task::kFlush});
    PushMarked(i, end, indent);
  }

  // Takes apart: arguments up to a blank line or the first option, options, content.
  Directive ReadDirective(size_t i, std::string_view name, std::string_view rest, size_t end) {
    Directive directive;
    directive.line = i;
    directive.end = end;
    if (const size_t colon = name.find(':'); colon != std::string_view::npos) {
      directive.domain = name.substr(0, colon);
      name.remove_prefix(colon + 1);
    }
    directive.name = name;
    if (!TrimBlanks(rest).empty()) directive.arguments.push_back(TrimBlanks(rest));
    size_t k = i + 1;
    std::string_view option;
    while (k < end && !lines_[k].text.empty() && FieldWidth(lines_[k].content(), &option) == 0) {
      directive.arguments.push_back(lines_[k++].content());
    }
    directive.content = k;
    // Without a blank line there are options only if the first line looks like one.
    std::string key;
    while (k < end && !lines_[k].text.empty()) {
      if (const size_t width = FieldWidth(lines_[k].content(), &option)) {
        key = RstName(option);
        directive.options[key] = lines_[k].content().substr(std::min(width, lines_[k].content().size()));
      } else if (!key.empty()) {
        std::string& value = directive.options[key];
        if (value.size() < 65536) value.append(value.empty() ? "" : "\n").append(lines_[k].content());
      }
      ++k;
    }
    directive.content = NextText(k, end);
    directive.indent = directive.content < end ? lines_.LeastIndent(directive.content, end) : 0;
    return directive;
  }

  void Run(const Directive& directive, const Task& region) {
    using Kind = RstDirective;
    Kind kind = DirectiveOf(directive.name);
    if (directive.name == "class" && IsObjectClass(directive)) kind = Kind::kObject;
    if (!directive.domain.empty() && kind != Kind::kModule && kind != Kind::kDrop) kind = Kind::kObject;
    switch (kind) {
      case Kind::kDrop: return;
      case Kind::kCode: return CodeDirective(directive);
      case Kind::kParsedCode: return ParsedCode(directive);
      case Kind::kMath: return MathDirective(directive);
      case Kind::kHighlight:
        if (directive.content < directive.end) {
          CodeDirective(directive);
        } else if (!directive.arguments.empty()) {
          language_ = directive.arguments[0];
        }
        return;
      case Kind::kAdmonition: return Labelled(directive, AdmonitionLabel(directive.name), true);
      case Kind::kTitled: return Labelled(directive, Joined(directive.arguments, ' '), false);
      case Kind::kVersion: return Version(directive);
      case Kind::kRegion: FlushLabel(); return Content(directive, region.sections);
      case Kind::kImage: return Image(directive);
      case Kind::kText:
        return Paragraph(Joined(directive.arguments, ' '), directive.line, directive.line + 1);
      case Kind::kModule:
        module_ = directive.arguments.empty() || directive.arguments[0] == "None"
                      ? ""
                      : AsScope(std::string(directive.arguments[0]));
        return Content(directive, region.sections);
      case Kind::kProgram: program_ = AsScope(Joined(directive.arguments, '-')); return;
      case Kind::kObject: return Object(directive);
      case Kind::kListTable:
      case Kind::kCsvTable: return DataTable(directive, kind == Kind::kListTable);
      case Kind::kTable:
        AddLabel(Joined(directive.arguments, ' '), directive.line);
        FlushLabel();
        return Content(directive, false);
      case Kind::kGlossary:
        FlushLabel();
        Push({.task = Task::kGlossary,
              .begin = directive.content,
              .end = directive.end,
              .indent = directive.indent});
        return;
      case Kind::kMeta: return Meta(directive);
      case Kind::kAudit: return AuditEvent(directive);
      case Kind::kUnknown:
        FlushLabel();
        if (directive.content < directive.end && !directive.arguments.empty()) {
          AddLabel(Joined(directive.arguments, ' '), directive.line);
        }
        Push({.task = Task::kFlush});
        return Content(directive, false);
    }
  }

  static std::string Joined(const std::vector<std::string_view>& lines, char separator) {
    std::string text;
    for (const std::string_view line : lines) {
      if (!text.empty()) text += separator;
      text += line;
    }
    return text;
  }

  void Content(const Directive& directive, bool sections) {
    if (directive.content >= directive.end) return;
    Push({.task = Task::kRegion,
          .begin = directive.content,
          .end = directive.end,
          .indent = directive.indent,
          .sections = sections});
  }

  // docutils' class directive gives CSS classes, Sphinx' describes a class. Objects are described
  // by one signature: an argument with a bracket or a dot, or a capital, or with text below.
  bool IsObjectClass(const Directive& directive) const {
    if (!directive.domain.empty()) return true;
    if (directive.arguments.empty()) return false;
    const std::string_view argument = directive.arguments[0];
    return argument.find_first_of("(.") != std::string_view::npos || std::isupper(uint8_t(argument[0])) ||
           !module_.empty();
  }

  void CodeDirective(const Directive& directive) {
    if (directive.options.contains("hide")) return;
    std::string_view language =
        directive.arguments.empty() ? std::string_view(language_) : directive.arguments[0];
    if (directive.name == "doctest" || directive.name == "testcode") language = "python";
    if (directive.name == "productionlist" || directive.name == "testoutput" || directive.name == "console")
      language = "";
    if (directive.name == "code-tab") language = language.substr(0, language.find(' '));
    if (const auto caption = directive.options.find("caption"); caption != directive.options.end()) {
      FlushLabel();
      Paragraph(caption->second, directive.line, directive.line + 1);
    }
    if (directive.name == "productionlist" && !directive.arguments.empty()) {
      return Code("", directive.line + 1, directive.end);
    }
    Code(language, directive.content, directive.end);
  }

  // Inline markup counts inside, so references leave their words.
  void ParsedCode(const Directive& directive) {
    FlushLabel();
    if (directive.content >= directive.end) return;
    std::string code;
    const std::string block = lines_.Block(directive.content, directive.end);
    for (size_t at = 0; at < block.size();) {
      const size_t end = std::min(block.find('\n', at), block.size());
      const std::string_view line = std::string_view(block).substr(at, end - at);
      const size_t indent = std::min(line.find_first_not_of(' '), line.size());
      code.append(indent, ' ').append(RstPlain(line, names_)).append("\n");
      at = end + 1;
    }
    out_.Code("", code, lines_.Span(directive.content, directive.end));
  }

  void MathDirective(const Directive& directive) {
    FlushLabel();
    InlineText text;
    for (const std::string_view argument : directive.arguments) {
      text.Text(argument);
      text.Space();
    }
    for (size_t i = directive.content; i < directive.end; ++i) {
      text.Text(lines_[i].content());
      text.Space();
    }
    text.lines = lines_.Span(directive.line, directive.end);
    out_.Text(&text);
  }

  // A label, the arguments as the first paragraph where they are text, the content.
  void Labelled(const Directive& directive, const std::string& label, bool arguments_are_text) {
    AddLabel(label, directive.line);
    Push({.task = Task::kFlush});
    Content(directive, false);
    if (arguments_are_text && !directive.arguments.empty()) {
      ArgumentText(directive, 0);
    }
  }

  // Arguments that are the body's first lines: read them in place, so that lists count.
  void ArgumentText(const Directive& directive, size_t skip_words) {
    std::string words = Joined(directive.arguments, '\n');
    for (size_t k = 0; k < skip_words; ++k)
      words.erase(0, std::min(words.find_first_of(" \n"), words.size() - 1) + 1);
    const size_t begin = directive.line, end = directive.line + 1;
    const bool own_lines = directive.arguments.size() > 1 && skip_words == 0 &&
                           lines_[begin].content().find_first_not_of(
                               ' ', lines_[begin].content().find("::") + 2) == std::string_view::npos;
    if (own_lines) {
      const size_t first = begin + 1, last = begin + 1 + directive.arguments.size();
      PushBody(first, last, lines_.LeastIndent(first, last));
      return;
    }
    const bool literal = words.ends_with("::");
    if (literal) words.pop_back();
    Paragraph(words, begin, std::max(end, begin + directive.arguments.size()));
    if (literal && directive.content < directive.end) {
      tasks_.pop_back();  // the content is that literal block
      Code(language_, directive.content, directive.end);
    }
  }

  void Version(const Directive& directive) {
    std::string words = Joined(directive.arguments, '\n');
    const size_t space = std::min(words.find_first_of(" \n"), words.size());
    std::string version = words.substr(0, space);
    size_t skip = 1;
    if (directive.name == "deprecated-removed" && space < words.size()) {
      const size_t second = std::min(words.find_first_of(" \n", space + 1), words.size());
      version += ", removed in version " + words.substr(space + 1, second - space - 1);
      skip = 2;
    }
    const std::string_view verb = directive.name.find("added") != std::string_view::npos ? "New in version "
                                  : directive.name.find("changed") != std::string_view::npos
                                      ? "Changed in version "
                                  : directive.name == "versionremoved" ? "Removed in version "
                                                                       : "Deprecated since version ";
    if (version.empty()) return;
    AddLabel(std::string(verb) + version, directive.line);
    Push({.task = Task::kFlush});
    Content(directive, false);
    const size_t words_left =
        directive.arguments.size() > 1 || std::count(words.begin(), words.end(), ' ') >= ptrdiff_t(skip);
    if (words_left) ArgumentText(directive, skip);
  }

  void Image(const Directive& directive) {
    FlushLabel();
    if (const auto alt = directive.options.find("alt"); alt != directive.options.end()) {
      InlineText text;
      text.Text(alt->second);
      text.lines.Add(uint32_t(directive.line + 1));
      out_.Text(&text);
    }
    Content(directive, false);
  }

  void DataTable(const Directive& directive, bool list) {
    AddLabel(Joined(directive.arguments, ' '), directive.line);
    FlushLabel();
    if (directive.content >= directive.end) return;
    const auto option = [&](const char* name) {
      const auto found = directive.options.find(name);
      return found != directive.options.end() ? found->second : std::string();
    };
    const std::string rows = option("header-rows");
    const size_t header_rows = rows.empty() || !std::isdigit(uint8_t(rows[0])) ? 0 : size_t(rows[0] - '0');
    const std::vector<std::string_view> cut = lines_.Cut(directive.content, directive.end, directive.indent);
    if (list) return Rows(ReadListTable(cut, header_rows), directive.content);
    const std::string delimiter = option("delim");
    const char mark = delimiter == "tab"      ? '\t'
                      : delimiter == "space"  ? ' '
                      : delimiter.size() == 1 ? delimiter[0]
                                              : ',';
    Rows(ReadCsvTable(cut, option("header"), header_rows, mark), directive.content);
  }

  void Meta(const Directive& directive) {
    const auto found = directive.options.find("description");
    if (found != directive.options.end()) document_->description = CollapseSpace(found->second);
    for (size_t i = directive.content; i < directive.end; ++i) {
      std::string_view name;
      const size_t width = FieldWidth(lines_[i].content(), &name);
      if (width && RstName(name).starts_with("description")) {
        document_->description =
            CollapseSpace(lines_[i].content().substr(std::min(width, lines_[i].content().size())));
      }
    }
  }

  // Python's ".. audit-event:: os.chdir path os.chdir" reads as a sentence.
  void AuditEvent(const Directive& directive) {
    FlushLabel();
    const std::string words = CollapseSpace(Joined(directive.arguments, ' '));
    if (words.empty()) return;
    const size_t space = std::min(words.find(' '), words.size());
    InlineText text;
    text.Text("Raises an auditing event ");
    text.BeginCode();
    text.Text(words.substr(0, space));
    text.EndCode();
    if (space < words.size()) {
      const std::string rest = words.substr(space + 1);
      text.Text(" with arguments ");
      text.BeginCode();
      text.Text(rest.substr(0, rest.find(' ')));
      text.EndCode();
    }
    text.Text(".");
    text.lines = lines_.Span(directive.line, directive.line + 1);
    out_.Text(&text);
  }

  // ---- API descriptions -----------------------------------------------------------------------------------

  bool IsPython(const Directive& directive) const {
    return directive.domain == "py" || (directive.domain.empty() && IsPythonObject(directive.name));
  }

  static bool IsC(const Directive& directive) {
    static const Names kinds = {"cfunction", "cmacro", "ctype", "cvar", "cmember"};
    return directive.domain == "c" || kinds.contains(directive.name);
  }

  // "PyObject *PyList_New(Py_ssize_t len)" -> "PyList_New".
  static std::string CName(std::string_view declaration) {
    declaration = declaration.substr(0, declaration.find_first_of("(["));
    while (!declaration.empty() && !IsAlnum(declaration.back()) && declaration.back() != '_')
      declaration.remove_suffix(1);
    size_t begin = declaration.size();
    while (begin > 0 && (IsAlnum(declaration[begin - 1]) || declaration[begin - 1] == '_' ||
                         declaration[begin - 1] == '.'))
      --begin;
    return std::string(declaration.substr(begin));
  }

  std::string AnchorOf(const Directive& directive, const std::string& name) const {
    if (IsPython(directive)) {
      const bool plain =
          std::all_of(name.begin(), name.end(), [](char c) { return IsAlnum(c) || c == '_' || c == '.'; });
      return plain ? SphinxId(name) : std::string();
    }
    if (directive.name == "option" || directive.name == "cmdoption") {
      std::string first = name.substr(0, name.find_first_of(" =,["));
      if (!first.empty() && IsAlnum(first[0])) first.insert(0, "arg-");
      return SphinxId("cmdoption-" + (program_.empty() ? "" : program_ + "-") + first);
    }
    if (IsC(directive)) return "c." + name;
    static const Names kinds = {"envvar", "confval", "opcode", "setting"};
    if (!kinds.contains(directive.name)) return {};
    const std::string prefix = directive.name == "setting" ? "std-setting" : std::string(directive.name);
    return SphinxId(prefix + "-" + name.substr(0, name.find(' ')));
  }

  // Every object inside carries it.
  static std::string AsScope(std::string name) { return name.size() <= kMaxScopeBytes ? std::move(name) : std::string(); }

  void Object(const Directive& directive) {
    FlushLabel();
    const std::string scope = class_;
    const int level = std::min(6, section_level_ + 1 + std::min(object_depth_, 5));
    const bool python = IsPython(directive);
    std::string name, pending, signatures;
    size_t line = directive.line;
    for (const std::string_view argument : directive.arguments) {
      pending += argument;
      if (pending.ends_with('\\')) {  // a signature goes on
        pending.pop_back();
        ++line;
        continue;
      }
      name = Signature(directive, std::exchange(pending, std::string()), level, line++, &signatures);
    }
    // All headings first: none is to be cut off from the text that they share.
    const std::string_view language = python ? "python" : IsC(directive) ? "c" : directive.domain;
    out_.Code(CleanLanguage(language == "std" ? "" : language), signatures,
              lines_.Span(directive.line, line));
    if (python && !name.empty() &&
        (directive.name.ends_with("class") || directive.name.ends_with("exception"))) {
      class_ = AsScope(std::move(name));
    }
    ++object_depth_;
    Push({.task = Task::kCloseObject, .scope = scope});
    Content(directive, false);
  }

  // Writes the heading of one signature and returns the object's name without its module. What
  // the heading does not say is added to `signatures`.
  std::string Signature(const Directive& directive, const std::string& signature, int level, size_t line,
                        std::string* signatures) {
    std::string shown;
    for (size_t i = 0; i < signature.size(); ++i) {
      if (signature[i] == '\\' && i + 1 < signature.size()) ++i;
      shown += signature[i];
    }
    shown = CollapseSpace(shown);
    std::string name = CollapseSpace(std::string_view(shown).substr(0, shown.find('('))), local = name,
                anchor;
    if (IsPython(directive)) {
      local = name.substr(0, name.find_first_of(" :=["));
      if (!class_.empty() && !local.starts_with(class_ + ".")) local = class_ + "." + local;
      const auto given = directive.options.find("module");
      const std::string& module = given != directive.options.end() ? given->second : module_;
      const std::string full = module.empty() ? local : module + "." + local;
      anchor = AnchorOf(directive, full);
      if (class_.empty()) {
        shown = full + shown.substr(std::min(shown.find_first_of("( :=["), shown.size()));
        name = full;
      }
      const std::string_view kind =
          directive.name.starts_with("auto") ? directive.name.substr(4) : directive.name;
      if (kind == "class" || kind == "exception") {
        shown = std::string(kind) + " " + shown;
        name = std::string(kind) + " " + name;
      }
    } else {
      if (IsC(directive)) name = CName(shown);
      anchor = AnchorOf(directive, name);
    }
    if (name.empty()) name = shown;
    if (name != shown) *signatures += shown + "\n";
    InlineText title;
    title.BeginCode();
    title.Text(name);
    title.EndCode();
    title.lines.Add(uint32_t(line + 1));
    out_.Heading(level, &title, name, anchor);
    ForgetAnchor();
    return local;
  }

  // Terms at the margin, each with the definition indented below it.
  void Glossary(const Task& task) {
    size_t i = task.begin;
    while ((i = NextText(i, task.end)) < task.end) {
      if (lines_[i].indent > task.indent) {
        const size_t next = lines_.IndentedEnd(i, task.end, task.indent);
        Task rest = task;
        rest.begin = next;
        Push(std::move(rest));
        PushBody(i, next, lines_.LeastIndent(i, next));
        return;
      }
      if (!lines_[i].content().starts_with("..")) {
        InlineText title;
        AppendRstInline(lines_[i].content(), names_, &title);
        title.Finish();
        title.lines.Add(uint32_t(i + 1));
        out_.Heading(std::min(6, section_level_ + 1), &title, "", SphinxId("term-" + title.plain()));
      }
      ++i;
    }
  }

  Document* document_;
  BlockWriter out_;
  RstLines lines_;
  std::vector<Task> tasks_;
  RstNames names_;

  InlineText label_;             // "Note: ", to stand before the next paragraph
  bool continues_term_ = false;  // the next paragraph belongs to the term above it
  std::string anchor_;           // of the explicit target above
  std::unordered_set<std::string> ids_;
  std::vector<std::string> styles_;
  int section_level_ = 1;
  int object_depth_ = 0;
  std::string module_, class_, program_, language_;
  uint64_t last_number_ = 0;
  size_t last_list_end_ = 0;
  size_t no_simple_table_before_ = 0;
};

}  // namespace

Result<Document> ParseRst(std::string_view source, std::string_view path) {
  if (source.size() > kMaxRstBytes) {
    return Error{ErrorCode::kTooLarge, std::string(path) + ": the page has " + std::to_string(source.size()) +
                                           " bytes; expected at most " + std::to_string(kMaxRstBytes) +
                                           ": split the page or exclude it"};
  }
  std::string cleaned;
  if (!IsCleanText(source)) source = cleaned = CleanText(source);
  Document document;
  Reader(source, &document).Run();
  CompleteTitle(path, &document);
  return document;
}

}  // namespace sheaf::packer
