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

#include "packer/block_writer.h"
#include "packer/charset.h"
#include "packer/document.h"
#include "packer/front_matter.h"
#include "packer/markdown.h"
#include "packer/rst_inline.h"
#include "packer/rst_table.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxRstBytes = size_t{64} << 20;
constexpr size_t kTabStop = 8;
constexpr size_t kMaxTabColumns = 4096;  // tabs beyond this column are one space

using Names = std::unordered_set<std::string_view>;

struct Line {
  std::string_view text;  // without the line end and trailing blanks
  uint32_t indent = 0;    // column of the content; moves as markers are read
  bool blank() const { return indent >= text.size(); }
  std::string_view content() const { return blank() ? std::string_view() : text.substr(indent); }
};

bool IsAlnum(char c) { return std::isalnum(uint8_t(c)) != 0; }
bool IsPunctuation(char c) { return std::ispunct(uint8_t(c)) != 0; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A line of one punctuation character.
bool IsAdornment(std::string_view text) {
  return !text.empty() && IsPunctuation(text[0]) && text.find_first_not_of(text[0]) == std::string_view::npos;
}

// ---- list markers: bytes of the marker with the blanks after it, or 0 ----------------------------

size_t BulletWidth(std::string_view text) {
  size_t size = 0;
  if (text.starts_with('*') || text.starts_with('-') || text.starts_with('+')) size = 1;
  for (const std::string_view bullet : {"\xE2\x80\xA2", "\xE2\x80\xA3", "\xE2\x81\x83"}) {
    if (text.starts_with(bullet)) size = 3;
  }
  if (size == 0) return 0;
  if (text.size() == size) return size;
  if (text[size] != ' ') return 0;
  return std::min(text.find_first_not_of(' ', size), text.size());
}

size_t EnumeratorWidth(std::string_view text, uint64_t* number) {
  size_t at = text.starts_with('(') ? 1 : 0;
  const size_t begin = at;
  while (at < text.size() && at - begin < 9 && (IsAlnum(text[at]) || text[at] == '#')) ++at;
  const std::string_view label = text.substr(begin, at - begin);
  if (label.empty() || at >= text.size()) return 0;
  if (text[at] != ')' && (begin == 1 || text[at] != '.')) return 0;
  ++at;
  if (at < text.size() && text[at] != ' ') return 0;
  *number = 0;
  if (label.find_first_not_of("0123456789") == std::string_view::npos) {
    for (const char c : label) *number = *number * 10 + uint64_t(c - '0');
  } else if (label.size() == 1 && label != "#") {
    *number = uint64_t(std::tolower(uint8_t(label[0])) - 'a' + 1);
  } else if (label != "#" && label.find_first_not_of("ivxlcdm") != std::string_view::npos &&
             label.find_first_not_of("IVXLCDM") != std::string_view::npos) {
    return 0;
  }
  return std::min(text.find_first_not_of(' ', at), text.size());
}

// ":name: value" -> the bytes up to the value; the name without colons.
size_t FieldWidth(std::string_view text, std::string_view* name) {
  if (text.size() < 3 || text[0] != ':' || text[1] == ' ' || text[1] == ':' || text[1] == '`') return 0;
  for (size_t at = 1; at < std::min<size_t>(text.size(), 256); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == ':' && (at + 1 == text.size() || text[at + 1] == ' ')) {
      if (text[at - 1] == ' ') return 0;
      *name = text.substr(1, at - 1);
      return std::min(text.find_first_not_of(' ', at + 1), text.size());
    } else if (text[at] == ':' && text[at + 1] == '`') {
      return 0;
    }
  }
  return 0;
}

// "-a, --all=X  description" -> the bytes up to the description, all where there is none.
size_t OptionWidth(std::string_view text, std::string_view* options) {
  if (text.size() < 2 || (text[0] != '-' && text[0] != '/')) return 0;
  const size_t gap = text.find("  ");
  *options = text.substr(0, gap);
  std::string_view rest = *options;
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    const std::string_view option = rest.substr(0, comma);
    const size_t dashes = std::min(option.find_first_not_of("-/"), option.size());
    if (dashes == 0 || dashes > 2 || dashes == option.size() || !IsAlnum(option[dashes])) return 0;
    // "-x FILE", "--name=FILE": one argument at most.
    if (std::count(option.begin(), option.end(), ' ') > 1) return 0;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  return gap == std::string_view::npos ? text.size() : std::min(text.find_first_not_of(' ', gap), text.size());
}

// ---- directives ---------------------------------------------------------------------------------

enum class Kind : uint8_t {
  kUnknown, kDrop, kCode, kParsedCode, kMath, kHighlight, kAdmonition, kTitled, kVersion, kRegion,
  kImage, kFigure, kText, kObject, kModule, kProgram, kListTable, kCsvTable, kTable, kGlossary, kMeta,
};

const std::unordered_map<std::string_view, Kind>& DirectiveKinds() {
  using enum Kind;
  static const std::unordered_map<std::string_view, Kind> kinds = {
      {"toctree", kDrop}, {"include", kDrop}, {"literalinclude", kDrop}, {"raw", kDrop},
      {"index", kDrop}, {"moduleauthor", kDrop}, {"sectionauthor", kDrop}, {"codeauthor", kDrop},
      {"default-role", kDrop}, {"role", kDrop}, {"contents", kDrop}, {"sectnum", kDrop},
      {"section-numbering", kDrop}, {"header", kDrop}, {"footer", kDrop}, {"target-notes", kDrop},
      {"unicode", kDrop}, {"date", kDrop}, {"replace", kDrop}, {"title", kDrop}, {"todo", kDrop},
      {"todolist", kDrop}, {"tabularcolumns", kDrop}, {"graphviz", kDrop}, {"digraph", kDrop},
      {"graph", kDrop}, {"uml", kDrop}, {"mermaid", kDrop}, {"plot", kDrop}, {"testsetup", kDrop},
      {"testcleanup", kDrop}, {"inheritance-diagram", kDrop}, {"autosummary", kDrop},
      {"automodule", kDrop}, {"audit-event", kDrop}, {"audit-event-table", kDrop},
      {"miscnews", kDrop}, {"rst-class", kDrop}, {"cssclass", kDrop}, {"highlightlang", kHighlight},
      {"syntax", kDrop}, {"youtube", kDrop}, {"video", kDrop}, {"button-ref", kDrop},
      {"code-block", kCode}, {"code", kCode}, {"sourcecode", kCode}, {"doctest", kCode},
      {"testcode", kCode}, {"testoutput", kCode}, {"ipython", kCode}, {"prompt", kCode},
      {"productionlist", kCode}, {"console", kCode}, {"parsed-literal", kParsedCode},
      {"highlight", kHighlight}, {"math", kMath},
      {"note", kAdmonition}, {"warning", kAdmonition}, {"tip", kAdmonition}, {"hint", kAdmonition},
      {"important", kAdmonition}, {"caution", kAdmonition}, {"danger", kAdmonition},
      {"error", kAdmonition}, {"attention", kAdmonition}, {"seealso", kAdmonition},
      {"impl-detail", kAdmonition}, {"availability", kAdmonition},
      {"admonition", kTitled}, {"topic", kTitled}, {"sidebar", kTitled}, {"dropdown", kTitled},
      {"details", kTitled}, {"collapse", kTitled}, {"tab", kTitled}, {"tab-item", kTitled},
      {"group-tab", kTitled}, {"code-tab", kCode}, {"card", kTitled}, {"grid-item-card", kTitled},
      {"versionadded", kVersion}, {"versionchanged", kVersion}, {"deprecated", kVersion},
      {"deprecated-removed", kVersion}, {"versionremoved", kVersion}, {"version-added", kVersion},
      {"version-changed", kVersion}, {"version-deprecated", kVersion},
      {"container", kRegion}, {"compound", kRegion}, {"class", kRegion}, {"only", kRegion},
      {"ifconfig", kRegion}, {"hlist", kRegion}, {"epigraph", kRegion}, {"highlights", kRegion},
      {"pull-quote", kRegion}, {"tabs", kRegion}, {"tab-set", kRegion}, {"grid", kRegion},
      {"grid-item", kRegion}, {"acks", kRegion}, {"centered", kText}, {"rubric", kText},
      {"line-block", kRegion}, {"image", kImage}, {"figure", kFigure},
      {"module", kModule}, {"currentmodule", kModule}, {"program", kProgram},
      {"list-table", kListTable}, {"csv-table", kCsvTable}, {"table", kTable}, {"glossary", kGlossary},
      {"meta", kMeta},
      {"function", kObject}, {"method", kObject}, {"classmethod", kObject}, {"staticmethod", kObject},
      {"attribute", kObject}, {"data", kObject}, {"exception", kObject}, {"decorator", kObject},
      {"decoratormethod", kObject}, {"property", kObject}, {"coroutinefunction", kObject},
      {"coroutinemethod", kObject}, {"awaitablefunction", kObject}, {"awaitablemethod", kObject},
      {"abstractmethod", kObject}, {"opcode", kObject}, {"cmdoption", kObject}, {"option", kObject},
      {"envvar", kObject}, {"confval", kObject}, {"setting", kObject}, {"describe", kObject},
      {"object", kObject}, {"pdbcommand", kObject}, {"django-admin", kObject},
      {"django-admin-option", kObject}, {"templatetag", kObject}, {"templatefilter", kObject},
      {"fieldlookup", kObject}, {"cfunction", kObject}, {"cmacro", kObject}, {"ctype", kObject},
      {"cvar", kObject}, {"cmember", kObject}, {"autofunction", kObject}, {"autoclass", kObject},
      {"automethod", kObject}, {"autoexception", kObject}, {"autodata", kObject}, {"2to3fixer", kObject},
      {"macro", kObject}, {"struct", kObject}, {"union", kObject}, {"enum", kObject},
      {"enumerator", kObject}, {"type", kObject}, {"var", kObject}, {"member", kObject},
      {"alias", kObject}, {"concept", kObject}, {"directive", kObject}, {"get", kObject},
      {"post", kObject}, {"put", kObject}, {"delete", kObject}, {"patch", kObject}, {"signature", kObject},
      {"command", kObject}, {"variable", kObject}, {"interface", kObject}};
  return kinds;
}

struct Directive {
  std::string_view domain;  // "py" of "py:function"
  std::string_view name;    // "function"
  std::vector<std::string_view> arguments;  // lines, without blanks around
  std::unordered_map<std::string, std::string> options;
  size_t content = 0, end = 0;  // lines of the content
  uint32_t indent = 0;          // of the content
  size_t line = 0;
};

std::string AdmonitionLabel(std::string_view name) {
  if (name == "seealso") return "See also";
  if (name == "impl-detail") return "CPython implementation detail";
  std::string label(name);
  label[0] = char(std::toupper(uint8_t(label[0])));
  return label;
}

class Reader {
 public:
  Reader(std::string_view source, Document* document) : document_(document), out_(&document->blocks) {
    SplitLines(source);
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

  // ---- lines ----------------------------------------------------------------------------------

  void SplitLines(std::string_view source) {
    if (source.find('\t') != std::string_view::npos) {
      expanded_ = ExpandTabs(source);
      source = expanded_;
    }
    size_t at = 0;
    while (at < source.size()) {
      const size_t end = std::min(source.find('\n', at), source.size());
      std::string_view text = source.substr(at, end - at);
      while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
      Line line{text, 0};
      line.indent = uint32_t(std::min(text.find_first_not_of(' '), text.size()));
      lines_.push_back(line);
      at = end + 1;
    }
    next_text_.resize(lines_.size() + 1, uint32_t(lines_.size()));
    for (size_t i = lines_.size(); i-- > 0;) {
      next_text_[i] = lines_[i].text.empty() ? next_text_[i + 1] : uint32_t(i);
    }
  }

  static std::string ExpandTabs(std::string_view source) {
    std::string expanded;
    expanded.reserve(source.size() + source.size() / 8);
    size_t column = 0;
    for (const char c : source) {
      if (c == '\t') {
        const size_t width = column < kMaxTabColumns ? kTabStop - column % kTabStop : 1;
        expanded.append(width, ' ');
        column += width;
      } else {
        expanded += c;
        column = c == '\n' ? 0 : column + 1;
      }
    }
    return expanded;
  }

  // First line at or after `i` that has text, but for what markers have used up; `end` if none.
  size_t NextText(size_t i, size_t end) const {
    while (i < end) {
      i = next_text_[i];
      if (i >= end || !lines_[i].blank()) break;
      ++i;
    }
    return std::min(i, end);
  }

  // End of the lines after `i` that are blank or indented beyond `indent`.
  size_t IndentedEnd(size_t i, size_t end, uint32_t indent) const {
    size_t last = i;
    while ((i = NextText(i, end)) < end && lines_[i].indent > indent) last = ++i;
    return last;
  }

  uint32_t LeastIndent(size_t begin, size_t end) const {
    uint32_t least = UINT32_MAX;
    for (size_t i = NextText(begin, end); i < end; i = NextText(i + 1, end)) least = std::min(least, lines_[i].indent);
    return least;
  }

  LineSpan Span(size_t begin, size_t end) const {
    LineSpan span;
    span.Add(uint32_t(begin + 1));
    span.Add(uint32_t(std::max(begin + 1, end)));
    return span;
  }

  // The lines [begin, end) without their common indent, blank lines at the ends left out.
  std::string Block(size_t begin, size_t end) const {
    const uint32_t indent = LeastIndent(begin, end);
    std::string text;
    for (size_t i = begin; i < end; ++i) {
      if (lines_[i].text.size() > indent) text += lines_[i].text.substr(indent);
      text += '\n';
    }
    return text;
  }

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
          const std::string_view value = Trim(text.substr(bar + 11));
          if (value.size() <= kMaxSubstitutionBytes) {
            names_.substitutions.emplace(RstName(text.substr(4, bar - 4)), value);
          }
        }
      } else if (text.starts_with("..") || lines_[i].indent > 0) {
        continue;  // other markup may stand between a label and its title
      } else if (!labels.empty()) {
        size_t title = i;
        if (IsAdornment(text) && i + 1 < lines_.size()) ++title;
        if (title + 1 < lines_.size() && IsAdornment(lines_[title + 1].content())) {
          for (const std::string& label : labels) names_.titles.emplace(label, lines_[title].content());
        }
      }
      labels.clear();
    }
    const RstNames raw = names_;
    for (auto& [name, value] : names_.substitutions) value = RstPlain(value, RstNames{});
    for (auto& [label, title] : names_.titles) title = RstPlain(title, RstNames{raw.substitutions, {}});
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
    out_.Code(CleanLanguage(language), Block(begin, end), Span(begin, end));
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
    const Line& line = lines_[i];
    if (line.indent > region.indent) return Quote(i, end, region);
    const std::string_view text = line.content();
    if (text.starts_with("..") && (text.size() == 2 || text[2] == ' ')) return Explicit(i, region);
    if (text.starts_with("__ ")) return IndentedEnd(i + 1, end, region.indent);
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
    const auto at = [&](size_t k) { return k < end && !lines_[k].text.empty() ? lines_[k].content() : std::string_view(); };
    const std::string_view text = at(i), below = at(i + 1), under = at(i + 2);
    if (IsAdornment(text) && !below.empty() && !IsAdornment(below) && IsAdornment(under) && under[0] == text[0] &&
        lines_[i + 2].indent == region.indent && (text.size() >= 4 || text.size() >= below.size())) {
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
    title.lines = Span(begin, end);
    std::string id = RstId(title.plain());
    const bool fresh = ids_.insert(id).second;
    std::string anchor = std::exchange(anchor_, std::string());
    if (anchor.empty() && fresh) anchor = std::move(id);
    out_.Heading(section_level_, &title, "", anchor);
  }

  // ---- body elements --------------------------------------------------------------------------------

  size_t Quote(size_t i, size_t end, const Task& region) {
    const size_t next = IndentedEnd(i, end, region.indent);
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
    Push({.task = Task::kRegion, .begin = i, .end = next, .indent = LeastIndent(i, next)});
    return next;
  }

  // Opens a list item whose content begins `width` behind the marker on line i.
  size_t OpenItem(size_t i, size_t width, bool numbered, uint64_t number, const Task& region) {
    FlushLabel();
    out_.OpenList(numbered, number);
    out_.OpenItem();
    const uint32_t indent = region.indent + uint32_t(width);
    const size_t end = IndentedEnd(i + 1, region.end, region.indent);
    lines_[i].indent = indent;
    Push({.task = Task::kCloseItem});
    const size_t first = NextText(i, end);
    // A body less indented than its first line is read at its own indent.
    uint32_t least = first < end ? LeastIndent(first, end) : indent;
    if (first == i && least < indent) {
      const size_t after = NextText(i + 1, end);
      if (after < end) PushBody(after, end, LeastIndent(after, end));
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
      if (width < text.size() || (i + 1 < region.end && !lines_[i + 1].blank() && lines_[i + 1].indent > region.indent)) {
        const std::string names(options);
        const size_t end = OpenItem(i, width, false, 1, region);
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
    const Line& next = lines_[i + 1];
    uint64_t number = 0;
    return next.indent < region.indent || next.indent >= region.indent + width ||
           (next.indent == region.indent && EnumeratorWidth(next.content(), &number) > 0);
  }

  size_t Field(size_t i, size_t width, std::string_view name, const Task& region) {
    const std::string key = RstName(name.substr(0, name.find(' ')));
    const std::string_view text = lines_[i].content();
    const std::string value(text.substr(std::min(width, text.size())));
    const size_t end = IndentedEnd(i + 1, region.end, region.indent);
    static const Names facts = {"orphan", "tocdepth", "nocomments", "nosearch", "author", "authors",
                                "organization", "contact", "address", "version", "status", "revision",
                                "date", "copyright", "hide-toc", "og:description", "page-template"};
    const bool head = std::all_of(document_->blocks.begin(), document_->blocks.end(), [](const auto& block) {
      return block.kind == BlockKind::kHeading;
    });
    if (region.sections && head && document_->blocks.size() <= 1 && facts.contains(key)) {
      if (key == "date" && IsIsoDate(value)) document_->last_modified = value;
      return end;
    }
    // ":param int x: ..." names a thing; other fields are labelled text.
    const std::string field(name);
    const size_t result = OpenItem(i, width, false, 1, region);
    const size_t space = field.find(' ');
    static const Names keywords = {"param", "parameter", "arg", "argument", "key", "keyword", "type",
                                   "raises", "raise", "except", "exception", "var", "ivar", "cvar",
                                   "vartype", "rtype", "throws", "tparam", "retval"};
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
      AppendRstInline(Trim(words), names_, &text);
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
    if (words.size() == 1 || words[words.size() - 2] == ' ' || words[words.size() - 2] == '\n') words.pop_back();
    if (!Trim(words).empty()) Paragraph(words, i, last);
    return Literal(last, region);
  }

  size_t Literal(size_t i, const Task& region) {
    i = NextText(i, region.end);
    if (i >= region.end) return i;
    size_t last = IndentedEnd(i, region.end, region.indent);
    const char mark = lines_[i].content()[0];
    if (last == i && IsPunctuation(mark) && lines_[i].indent == region.indent && i > 0 && lines_[i - 1].text.empty()) {
      // A quoted literal block: lines at the margin that begin with the same mark.
      while (last < region.end && !lines_[last].blank() && lines_[last].content()[0] == mark) ++last;
      if (lines_[i].content().starts_with(".. ") || IsAdornment(lines_[i].content())) last = i;
    }
    if (last > i) Code(language_, i, last);
    return last;
  }

  size_t Definition(size_t i, const std::string& term, const Task& region) {
    const size_t end = IndentedEnd(i + 1, region.end, region.indent);
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
    PushBody(i + 1, end, LeastIndent(i + 1, end));
    return end;
  }

  // ---- tables -----------------------------------------------------------------------------------------

  void Rows(std::vector<RstRow> rows, size_t first_line) {
    FlushLabel();
    bool first = true;
    for (RstRow& row : rows) {
      std::vector<InlineText> cells(row.cells.size());
      for (size_t c = 0; c < cells.size(); ++c) AppendRstInline(row.cells[c], names_, &cells[c]);
      if (cells.empty()) continue;
      cells[0].lines = Span(first_line + row.first, first_line + row.last + 1);
      out_.Row(&cells, row.header && first);
      first = false;
    }
    out_.EndTable();
    ForgetAnchor();
  }

  std::vector<std::string_view> Cut(size_t begin, size_t end, uint32_t indent) const {
    std::vector<std::string_view> cut;
    for (size_t i = begin; i < end; ++i) {
      cut.push_back(lines_[i].text.size() > indent ? lines_[i].text.substr(indent) : std::string_view());
    }
    return cut;
  }

  size_t GridTable(size_t i, const Task& region) {
    size_t last = i;
    while (last < region.end && !lines_[last].blank() && lines_[last].indent == region.indent &&
           (lines_[last].content()[0] == '+' || lines_[last].content()[0] == '|')) {
      ++last;
    }
    if (last < i + 3) return 0;
    Rows(ReadGridTable(Cut(i, last, region.indent)), i);
    return last;
  }

  size_t SimpleTable(size_t i, const Task& region) {
    if (i < no_simple_table_before_) return 0;
    size_t borders = 0;
    for (size_t last = i; last < region.end; ++last) {
      if (!lines_[last].text.empty() && lines_[last].indent < region.indent) break;
      if (!IsSimpleBorder(lines_[last].content()) || lines_[last].indent != region.indent) continue;
      const bool ends = last + 1 >= region.end || lines_[last + 1].text.empty();
      if (++borders >= 2 && (ends || borders == 3)) {
        Rows(ReadSimpleTable(Cut(i, last + 1, region.indent)), i);
        return last + 1;
      }
    }
    no_simple_table_before_ = region.end;
    return 0;
  }

  // ---- explicit markup ----------------------------------------------------------------------------------

  size_t Explicit(size_t i, const Task& region) {
    const std::string_view text = lines_[i].content();
    const size_t end = IndentedEnd(i + 1, region.end, region.indent);
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
      if (close != std::string_view::npos && close < 80 && label.find(' ') == std::string_view::npos) {
        Note(i, label, region.indent + uint32_t(skip + close + 2), end);
      }
      return end;
    }
    if (rest[0] == '|') return end;  // a substitution, known from ReadNames()
    const size_t colons = rest.find("::");
    if (colons == std::string_view::npos || colons == 0 || colons > 64) return end;
    const std::string_view name = Trim(rest.substr(0, colons));
    if (colons + 2 < rest.size() && rest[colons + 2] != ' ') return end;
    if (!std::all_of(name.begin(), name.end(), [](char c) { return IsAlnum(c) || std::string_view("-_.+:").find(c) != std::string_view::npos; })) {
      return end;
    }
    Run(ReadDirective(i, name, rest.substr(colons + 2), end), region);
    return end;
  }

  // ".. _label:" names what follows; with an address behind it, it names that.
  void Target(std::string_view rest) {
    if (!rest.ends_with(':') || rest.ends_with("\\:")) return;
    std::string_view name = rest.substr(1, rest.size() - 2);
    if (name.starts_with('`') && name.ends_with('`') && name.size() > 1) name = name.substr(1, name.size() - 2);
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
    lines_[i].indent = indent;
    const size_t after = NextText(i + 1, end);
    Push({.task = Task::kFlush});
    if (after < end) {
      // The paragraph goes on at the indent of its second line.
      const uint32_t least = LeastIndent(after, end);
      if (after == i + 1) {
        lines_[i].indent = std::max(least, indent);
        JoinFirstLine(i, after, end, least);
        return;
      }
      PushBody(after, end, least);
    }
    PushBody(i, i + 1, indent);
  }

  // Reads line i, whose content begins elsewhere, and the lines after it as one region.
  void JoinFirstLine(size_t i, size_t after, size_t end, uint32_t indent) {
    size_t last = after;
    std::string words(lines_[i].content());
    while (last < end && !lines_[last].blank() && lines_[last].indent == indent && BulletWidth(lines_[last].content()) == 0) {
      words.append("\n").append(lines_[last].content());
      ++last;
    }
    if (words.ends_with("::")) words.pop_back();
    Paragraph(words, i, last);
    if (last < end) PushBody(last, end, indent);
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
    if (!Trim(rest).empty()) directive.arguments.push_back(Trim(rest));
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
    directive.indent = directive.content < end ? LeastIndent(directive.content, end) : 0;
    return directive;
  }

  void Run(const Directive& directive, const Task& region) {
    const auto found = DirectiveKinds().find(directive.name);
    Kind kind = found != DirectiveKinds().end() ? found->second : Kind::kUnknown;
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
      case Kind::kRegion:
        FlushLabel();
        return Content(directive, region.sections);
      case Kind::kImage:
      case Kind::kFigure: return Image(directive);
      case Kind::kText: return Paragraph(Joined(directive.arguments, ' '), directive.line, directive.line + 1);
      case Kind::kModule:
        module_ = directive.arguments.empty() || directive.arguments[0] == "None" ? "" : std::string(directive.arguments[0]);
        return Content(directive, region.sections);
      case Kind::kProgram:
        program_ = Joined(directive.arguments, '-');
        return;
      case Kind::kObject: return Object(directive);
      case Kind::kListTable:
      case Kind::kCsvTable: return DataTable(directive, kind == Kind::kListTable);
      case Kind::kTable:
        AddLabel(Joined(directive.arguments, ' '), directive.line);
        FlushLabel();
        return Content(directive, false);
      case Kind::kGlossary:
        FlushLabel();
        Push({.task = Task::kGlossary, .begin = directive.content, .end = directive.end, .indent = directive.indent});
        return;
      case Kind::kMeta: return Meta(directive);
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
    Push({.task = Task::kRegion, .begin = directive.content, .end = directive.end, .indent = directive.indent, .sections = sections});
  }

  // docutils' class directive gives CSS classes, Sphinx' describes a class. Objects are described
  // by one signature: an argument with a bracket or a dot, or a capital, or with text below.
  bool IsObjectClass(const Directive& directive) const {
    if (!directive.domain.empty()) return true;
    if (directive.arguments.empty()) return false;
    const std::string_view argument = directive.arguments[0];
    return argument.find_first_of("(.") != std::string_view::npos || std::isupper(uint8_t(argument[0])) || !module_.empty();
  }

  void CodeDirective(const Directive& directive) {
    std::string_view language = directive.arguments.empty() ? std::string_view(language_) : directive.arguments[0];
    if (directive.name == "doctest" || directive.name == "testcode") language = "python";
    if (directive.name == "productionlist" || directive.name == "testoutput" || directive.name == "console") language = "";
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
    const std::string block = Block(directive.content, directive.end);
    for (size_t at = 0; at < block.size();) {
      const size_t end = std::min(block.find('\n', at), block.size());
      const std::string_view line = std::string_view(block).substr(at, end - at);
      const size_t indent = std::min(line.find_first_not_of(' '), line.size());
      code.append(indent, ' ').append(RstPlain(line, names_)).append("\n");
      at = end + 1;
    }
    out_.Code("", code, Span(directive.content, directive.end));
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
    text.lines = Span(directive.line, directive.end);
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
    for (size_t k = 0; k < skip_words; ++k) words.erase(0, std::min(words.find_first_of(" \n"), words.size() - 1) + 1);
    const size_t begin = directive.line, end = directive.line + 1;
    const bool own_lines = directive.arguments.size() > 1 && skip_words == 0 &&
                           lines_[begin].content().find_first_not_of(' ', lines_[begin].content().find("::") + 2) == std::string_view::npos;
    if (own_lines) {
      const size_t first = begin + 1, last = begin + 1 + directive.arguments.size();
      PushBody(first, last, LeastIndent(first, last));
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
    const std::string_view verb = directive.name.find("added") != std::string_view::npos     ? "New in version "
                                  : directive.name.find("changed") != std::string_view::npos ? "Changed in version "
                                  : directive.name == "versionremoved"                       ? "Removed in version "
                                                                                             : "Deprecated since version ";
    if (version.empty()) return;
    AddLabel(std::string(verb) + version, directive.line);
    Push({.task = Task::kFlush});
    Content(directive, false);
    const size_t words_left = directive.arguments.size() > 1 ||
                              std::count(words.begin(), words.end(), ' ') >= ptrdiff_t(skip);
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
    const std::vector<std::string_view> cut = Cut(directive.content, directive.end, directive.indent);
    if (list) return Rows(ReadListTable(cut, header_rows), directive.content);
    const std::string delimiter = option("delim");
    const char mark = delimiter == "tab" ? '\t' : delimiter == "space" ? ' ' : delimiter.size() == 1 ? delimiter[0] : ',';
    Rows(ReadCsvTable(cut, option("header"), header_rows, mark), directive.content);
  }

  void Meta(const Directive& directive) {
    const auto found = directive.options.find("description");
    if (found != directive.options.end()) document_->description = CollapseSpace(found->second);
    for (size_t i = directive.content; i < directive.end; ++i) {
      std::string_view name;
      const size_t width = FieldWidth(lines_[i].content(), &name);
      if (width && RstName(name).starts_with("description")) {
        document_->description = CollapseSpace(lines_[i].content().substr(std::min(width, lines_[i].content().size())));
      }
    }
  }

  // ---- API descriptions -----------------------------------------------------------------------------------

  bool IsPython(const Directive& directive) const {
    static const Names kinds = {"function", "class", "method", "classmethod", "staticmethod", "attribute",
                                "data", "exception", "decorator", "property", "decoratormethod",
                                "coroutinefunction", "coroutinemethod", "awaitablefunction",
                                "awaitablemethod", "abstractmethod", "autofunction", "autoclass",
                                "automethod", "autoexception", "autodata"};
    return directive.domain == "py" || (directive.domain.empty() && kinds.contains(directive.name));
  }

  std::string AnchorOf(const Directive& directive, const std::string& name) const {
    if (IsPython(directive)) return name.find_first_of(" \t") == std::string::npos ? name : std::string();
    if (directive.name == "option" || directive.name == "cmdoption") {
      const std::string first = name.substr(0, name.find_first_of(" =,["));
      return RstId("cmdoption-" + (program_.empty() ? "" : program_ + "-") + first);
    }
    if (directive.name == "envvar") return "envvar-" + name;
    if (directive.name == "confval") return "confval-" + RstId(name);
    if (directive.name == "setting") return "std-setting-" + name;
    if (directive.name == "opcode") return "opcode-" + name;
    return {};
  }

  void Object(const Directive& directive) {
    FlushLabel();
    const std::string scope = class_;
    const int level = std::min(6, section_level_ + 1 + std::min(object_depth_, 5));
    const bool python = IsPython(directive);
    std::string opened;
    std::string pending;
    size_t line = directive.line;
    for (const std::string_view argument : directive.arguments) {
      pending += argument;
      if (pending.ends_with('\\')) {  // a signature goes on
        pending.pop_back();
        ++line;
        continue;
      }
      const std::string name = Signature(directive, std::exchange(pending, std::string()), level, python, line++);
      if (opened.empty()) opened = name;
    }
    if (python && !opened.empty() && (directive.name.ends_with("class") || directive.name.ends_with("exception"))) {
      class_ = opened;
    }
    ++object_depth_;
    Push({.task = Task::kCloseObject, .scope = scope});
    Content(directive, false);
  }

  // Writes one signature as a heading and returns the object's name without its module.
  std::string Signature(const Directive& directive, std::string signature, int level, bool python, size_t line) {
    std::string plain;
    for (size_t i = 0; i < signature.size(); ++i) {
      if (signature[i] == '\\' && i + 1 < signature.size()) ++i;
      plain += signature[i];
    }
    std::string name = CollapseSpace(std::string_view(plain).substr(0, plain.find('(')));
    std::string shown = plain, anchor, local = name;
    if (python) {
      local = name.substr(0, name.find_first_of(" :=["));
      if (!module_.empty() && local.starts_with(module_ + ".")) local.erase(0, module_.size() + 1);
      if (!class_.empty() && !local.starts_with(class_ + ".")) local = class_ + "." + local;
      const std::string full = module_.empty() ? local : module_ + "." + local;
      anchor = AnchorOf(directive, full);
      if (class_.empty()) {
        shown = full + plain.substr(std::min(plain.find_first_of("( :=["), plain.size()));
        name = full;
      }
      const std::string_view kind = directive.name.starts_with("auto") ? directive.name.substr(4) : directive.name;
      if (kind == "class" || kind == "exception") {
        shown = std::string(kind) + " " + shown;
        name = std::string(kind) + " " + name;
      }
    } else {
      anchor = AnchorOf(directive, name);
    }
    InlineText title;
    title.BeginCode();
    title.Text(shown);
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
        const size_t next = IndentedEnd(i, task.end, task.indent);
        Task rest = task;
        rest.begin = next;
        Push(std::move(rest));
        PushBody(i, next, LeastIndent(i, next));
        return;
      }
      if (!lines_[i].content().starts_with("..")) {
        InlineText title;
        AppendRstInline(lines_[i].content(), names_, &title);
        title.Finish();
        title.lines.Add(uint32_t(i + 1));
        const std::string id = RstId(title.plain());
        out_.Heading(std::min(6, section_level_ + 1), &title, "", id.empty() ? "" : "term-" + id);
      }
      ++i;
    }
  }

  Document* document_;
  BlockWriter out_;
  std::string expanded_;
  std::vector<Line> lines_;
  std::vector<uint32_t> next_text_;  // first line at or after each that is not empty
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
