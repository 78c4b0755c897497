#include "packer/parse/markdown/markdown_clean.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "packer/base/text_scan.h"
#include "packer/parse/markdown/cmark_tree.h"
#include "packer/parse/markdown/markup_tags.h"

namespace sheaf::packer {
namespace {

// ---- the scan ---------------------------------------------------------------------------------

struct Cut {
  enum Kind : uint8_t { kInline, kBlock } kind = kInline;
  int32_t replacement = -1;  // index of a text that takes the place
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct Event {  // information from text that was cut
  enum Kind : uint8_t { kAnchor, kHeadingAnchor, kWords } kind = kAnchor;
  uint32_t at = 0;
  std::string text;
};

bool IsAnchorText(std::string_view text) {
  return !text.empty() && text.size() <= 200 && text.find_first_of(" \t\n\"'<>{}#") == std::string_view::npos;
}

// Finds what to cut. Goes through the page once, region by region.
class Scanner {
 public:
  Scanner(const Lines& lines, bool mdx) : text_(lines.text), lines_(lines), mdx_(mdx), tags_(lines.text) {}

  // Cuts of the lines [first, last], a region without code blocks.
  void Region(size_t first, size_t last, bool heading, bool top_paragraph) {
    const size_t begin = lines_.begin[first];
    const size_t end = lines_.begin[last + 1] - 1;  // its last '\n' stays
    const bool inside_cut = begin < cursor_;
    if (!inside_cut && top_paragraph && (text_[begin] == 'i' || text_[begin] == 'e')) {
      Statements(begin, end);
    }
    runs_.clear();
    runs_known_ = false;
    heading_ = heading;
    for (size_t i = std::max(begin, cursor_); i < end;) i = std::max(Step(i, end), cursor_);
    cursor_ = std::max(cursor_, end);
    if (heading && !inside_cut) HeadingAnchor(begin, end);
  }

  // Events in the order of their places.
  void SortEvents() {
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
  }

  std::vector<Cut> cuts;
  std::vector<Event> events;
  std::vector<std::string> replacements;

 private:
  static constexpr size_t kNone = std::string_view::npos;

  void AddCut(size_t begin, size_t end, Cut::Kind kind) {
    cuts.push_back({kind, -1, uint32_t(begin), uint32_t(end)});
    cursor_ = std::max(cursor_, end);
  }
  void AddReplacement(size_t begin, size_t end, std::string text) {
    AddCut(begin, end, Cut::kInline);
    cuts.back().replacement = int32_t(replacements.size());
    replacements.push_back(std::move(text));
  }
  void AddEvent(Event::Kind kind, size_t at, std::string text) {
    events.push_back({kind, uint32_t(at), std::move(text)});
  }

  // Deals with the character at `i` and returns where to go on.
  size_t Step(size_t i, size_t end) {
    switch (text_[i]) {
      case '\\': return i + 2;
      case '`': {
        size_t run = i;
        while (run < end && text_[run] == '`') ++run;
        const size_t close = ClosingRun(run - i, run, end);
        return close == kNone ? run : close;
      }
      case '{': return Brace(i, end);
      case '<': return Angle(i, end);
      default: do { ++i;
        } while (i < end && text_[i] != '<' && text_[i] != '`' && text_[i] != '\\' && text_[i] != '{');
        return i;
    }
  }

  // End of the first run of exactly `length` backticks behind `from`.
  size_t ClosingRun(size_t length, size_t from, size_t end) {
    if (!runs_known_) {
      runs_known_ = true;
      for (size_t i = from; i < end;) {
        i = std::min(text_.substr(0, end).find('`', i), end);
        const size_t start = i;
        while (i < end && text_[i] == '`') ++i;
        if (i > start) runs_[i - start].positions.push_back(start);
      }
    }
    const auto found = runs_.find(length);
    if (found == runs_.end()) return kNone;
    Runs& runs = found->second;
    while (runs.next < runs.positions.size() && runs.positions[runs.next] < from) ++runs.next;
    return runs.next < runs.positions.size() ? runs.positions[runs.next] + length : kNone;
  }

  size_t Brace(size_t i, size_t end) {
    const std::string_view rest = text_.substr(i);
    if (StartsWith(rest, "{/*")) {
      const size_t limit = mdx_ ? std::min(text_.size(), i + kMaxTagBytes) : end;
      size_t close = FindBefore("*/", i + 3, limit, &comment_hopeless_);
      if (close == kNone) return i + 1;
      const std::string_view inside = Trim(text_.substr(i + 3, close - i - 3));
      close += 2;
      while (close < limit && IsSpace(text_[close])) ++close;
      if (close >= limit || text_[close] != '}') return i + 1;
      // React's documentation names headings so: `## Title {/*title*/}`.
      if (heading_ && IsAnchorText(inside)) AddEvent(Event::kHeadingAnchor, i, std::string(inside));
      AddCut(i, close + 1, Cut::kInline);
      return close + 1;
    }
    if (mdx_ && (StartsWith(rest, "{' '}") || StartsWith(rest, "{\" \"}"))) {
      AddReplacement(i, i + 5, " ");
      return i + 5;
    }
    return i + 1;
  }

  size_t FindBefore(std::string_view needle, size_t from, size_t limit, size_t* hopeless) {
    if (from < *hopeless) return kNone;
    const size_t found = text_.substr(0, limit).find(needle, from);
    if (found == kNone) *hopeless = limit;
    return found;
  }

  size_t Angle(size_t i, size_t end) {
    const std::string_view rest = text_.substr(i);
    if (StartsWith(rest, "<!--")) {
      // `<!-->` and `<!--->` are complete comments too.
      const size_t close = FindBefore("-->", i + 2, end, &comment_end_);
      if (close == kNone) return i + 4;
      AddCut(i, close + 3, Cut::kInline);
      return close + 3;
    }
    if (StartsWith(rest, "<!") || StartsWith(rest, "<?")) {
      if (rest.size() < 3 || !(rest[1] == '?' || IsAlpha(rest[2]))) return i + 2;
      const size_t close = FindBefore(">", i + 2, end, &declaration_end_);
      if (close == kNone) return i + 2;
      AddCut(i, close + 1, Cut::kInline);
      return close + 1;
    }
    if (IsDestination(text_, i)) return std::min(text_.substr(0, end).find_first_of(">\n", i), end);
    if (const size_t link = AutolinkEnd(text_, i)) return link;

    Tag tag;
    const size_t limit = mdx_ ? text_.size() : end;
    if (!tags_.Read(i, limit, mdx_, &tag) || IsGeneric(i, end, tag)) return i + 1;
    if (!tag.closing && !tag.self_closing && Element(i, end, tag)) return cursor_;
    if (!tag.id.empty() && IsAnchorText(tag.id) && std::islower(uint8_t(tag.name[0]))) {
      AddEvent(Event::kAnchor, i, tag.id);
    }
    if (!tag.words.empty()) AddEvent(Event::kWords, i, std::move(tag.words));
    AddCut(i, tag.end, IsInlineElement(tag.name) ? Cut::kInline : Cut::kBlock);
    return tag.end;
  }

  // `Vec<T>` and `Promise<string>` in running text: words, not tags.
  bool IsGeneric(size_t i, size_t end, const Tag& tag) const {
    if (tag.closing || tag.self_closing || tag.has_values || tag.name.empty()) return false;
    if (i == 0 || !IsWordByte(text_[i - 1]) || IsHtmlElement(tag.name)) return false;
    const std::string closing = "</" + tag.name;
    return text_.substr(0, std::min(end, tag.end + 300)).find(closing, tag.end) == kNone;
  }

  // Handles elements whose content needs care. True if the whole element was handled.
  bool Element(size_t i, size_t end, const Tag& tag) {
    const std::string& name = tag.name;
    const bool heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
    const bool dropped = name == "script" || name == "style" || name == "svg" || name == "iframe";
    if (!heading && !dropped && name != "pre" && name != "code") return false;

    const size_t line = *std::prev(std::upper_bound(lines_.begin.begin(), lines_.begin.end(), i));
    const std::string_view before = text_.substr(line, i - line);
    if ((heading || name == "pre") && !IsBlank(before)) return false;

    const size_t reach = heading ? 4000 : name == "code" ? 400 : end;
    const size_t limit = std::min(end, i + reach);
    const std::string closing = "</" + name;
    size_t& hopeless = hopeless_elements_[name];
    if (tag.end < hopeless) return false;
    const size_t close = FindFolded(text_, closing, tag.end, limit);
    const size_t close_end = close == kNone ? kNone : text_.substr(0, limit).find('>', close);
    if (close_end == kNone) {
      hopeless = limit;
      return false;
    }
    const std::string_view inside = text_.substr(tag.end, close - tag.end);
    const size_t after = close_end + 1;

    if (dropped) {
      AddCut(i, after, Cut::kBlock);
      return true;
    }
    if (name == "code") {
      const std::string code = StripTags(inside, nullptr);
      if (IsBlank(code) || code.find('`') != std::string::npos || code.find('\n') != std::string::npos) {
        return false;
      }
      AddReplacement(i, after, "`" + code + "`");
      return true;
    }
    if (name == "pre") {
      AddReplacement(i, after, FencedCode(before, text_.substr(i, tag.end - i), inside));
      return true;
    }
    std::string words;
    std::string title = StripTags(inside, &words);
    std::replace(title.begin(), title.end(), '\n', ' ');
    if (IsAnchorText(tag.id)) AddEvent(Event::kAnchor, i, tag.id);
    if (!words.empty()) AddEvent(Event::kWords, i, words);
    const std::string_view trimmed = Trim(title);
    if (trimmed.empty()) {
      AddCut(i, after, Cut::kBlock);
    } else {
      AddReplacement(i, after, "\n" + std::string(size_t(name[1] - '0'), '#') + " " + std::string(trimmed) + "\n\n");
    }
    return true;
  }

  static std::string FencedCode(std::string_view indent, std::string_view tag, std::string_view inside) {
    std::string language;
    const std::string_view head = std::string_view(tag.data(), tag.size() + std::min<size_t>(inside.size(), 200));
    const size_t at = head.find("language-");
    if (at != kNone) {
      size_t stop = at + 9;
      while (stop < head.size() && (IsWordByte(head[stop]) || std::strchr("+#-", head[stop]))) ++stop;
      language = std::string(head.substr(at + 9, stop - at - 9));
    }
    std::string code = StripTags(inside, nullptr);
    while (!code.empty() && IsSpace(code.back())) code.pop_back();
    if (!code.empty() && code[0] == '\n') code.erase(0, 1);
    size_t longest = 0, run = 0;
    for (const char c : code) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    const std::string fence(std::max<size_t>(3, longest + 1), '`');
    return fence + language + "\n" + code + "\n" + std::string(indent) + fence + "\n\n";
  }

  // ---- MDX's import and export statements at the head of a paragraph ----

  void Statements(size_t begin, size_t end) {
    size_t at = begin;
    while (at < end) {
      const size_t stop = StartsWith(text_.substr(at), "import")   ? ImportEnd(at)
                          : StartsWith(text_.substr(at), "export") ? ExportEnd(at, end)
                                                                   : kNone;
      if (stop == kNone) return;
      AddCut(at, stop, Cut::kBlock);
      at = stop;
      while (at < end && IsSpace(text_[at])) ++at;
    }
  }

  // `import 'x'`, `import a, { b as c } from "x" with {…};` alone on their lines.
  size_t ImportEnd(size_t at) {
    const size_t limit = std::min(text_.size(), at + kMaxTagBytes);
    size_t i = at + 6;
    if (i >= limit || !(IsSpace(text_[i]) || std::strchr("{*'\"", text_[i]))) return kNone;
    bool from = true, braces = false;  // `import 'x'` needs no `from`
    for (size_t tokens = 0; i < limit; ++tokens) {
      const char c = text_[i];
      if (IsSpace(c)) {
        if (c == '\n' && i + 1 < limit && text_[i + 1] == '\n') return kNone;
        ++i;
        --tokens;
      } else if (c == '\'' || c == '"') {
        if (!from && !braces) return kNone;
        const size_t quote = i;
        i = tags_.StringEnd(i, limit);
        if (i < quote + 2 || text_[i - 1] != c) return kNone;
        if (!braces) return StatementEnd(i, limit);
      } else if (c == '{' || c == '}') {
        braces = c == '{';
        from = false;
        ++i;
      } else if (c == '*' || c == ',') {
        from = false;
        ++i;
      } else if (IsWordByte(c) || c == '$') {
        const size_t start = i;
        while (i < limit && (IsWordByte(text_[i]) || text_[i] == '$')) ++i;
        from = text_.substr(start, i - start) == "from" && tokens > 0;
      } else {
        return kNone;
      }
    }
    return kNone;
  }

  // After the module's name: assertions and a semicolon may follow, a word may not.
  size_t StatementEnd(size_t i, size_t limit) {
    auto blanks = [&] {
      while (i < limit && (text_[i] == ' ' || text_[i] == '\t')) ++i;
    };
    blanks();
    for (const std::string_view word : {"with", "assert"}) {
      if (!StartsWith(text_.substr(i), word)) continue;
      const size_t brace = text_.substr(0, limit).find('{', i);
      const size_t end = brace != kNone ? tags_.Balanced(brace, limit) : kNone;
      if (end == kNone) return kNone;
      i = end;
      blanks();
    }
    if (i < limit && text_[i] == ';') return i + 1;
    return i >= text_.size() || text_[i] == '\n' || StartsWith(text_.substr(i), "//") ? i : kNone;
  }

  size_t ExportEnd(size_t at, size_t paragraph_end) {
    const size_t limit = std::min(text_.size(), at + 4 * kMaxTagBytes);
    if (at + 6 >= limit || !IsSpace(text_[at + 6])) return kNone;
    const std::string_view rest = Trim(text_.substr(at + 6, 200));
    bool known = false;
    for (const std::string_view word : {"const ", "let ", "var ", "function ", "class ", "async ", "{", "*"}) {
      known = known || StartsWith(rest, word);
    }
    if (!known && !(mdx_ && StartsWith(rest, "default "))) return kNone;
    // Outside MDX a sentence might begin so; a statement shows its punctuation.
    const std::string_view line = text_.substr(at, std::min(text_.substr(0, limit).find('\n', at), limit) - at);
    if (!mdx_ && line.find_first_of("={(") == kNone) return kNone;
    if (at < export_hopeless_) return paragraph_end;

    for (size_t i = at; i < limit;) {
      const char c = text_[i];
      if (c == '{' || c == '(' || c == '[') {
        i = tags_.Balanced(i, limit);
        if (i == kNone) {
          export_hopeless_ = limit;
          return paragraph_end;
        }
      } else if (c == '"' || c == '\'' || c == '`') {
        i = tags_.StringEnd(i, limit);
      } else if (c == '\n') {
        size_t last = i;
        while (last > at && IsSpace(text_[last - 1])) --last;
        const bool open = std::strchr("=,+-*/&|?:<.", text_[last - 1]) != nullptr;
        // MDX reads a statement to the next blank line.
        const bool blank_follows = i + 1 >= text_.size() || text_[i + 1] == '\n';
        if (!open && (blank_follows || !mdx_)) return i;
        ++i;
      } else {
        ++i;
      }
    }
    if (limit == text_.size()) return limit - 1;
    export_hopeless_ = limit;
    return paragraph_end;
  }

  // `{#id}`, `{ #id .class }` or `{: #id}` at the end of a heading.
  void HeadingAnchor(size_t begin, size_t end) {
    // A setext heading ends with its underline.
    size_t stop = std::min(text_.substr(0, end).find('\n', begin), end);
    size_t cut = cuts.size();
    for (;;) {
      while (stop > begin && IsSpace(text_[stop - 1])) --stop;
      if (cut > 0 && cuts[cut - 1].end == stop && cuts[cut - 1].begin >= begin) {
        stop = cuts[--cut].begin;
      } else {
        break;
      }
    }
    if (stop <= begin + 2 || text_[stop - 1] != '}') return;
    const size_t within = text_.substr(begin, stop - begin).rfind('{');
    const size_t open = begin + within;
    if (within == kNone || open <= begin || (cut > 0 && cuts[cut - 1].end > open)) return;
    std::string_view inside = Trim(text_.substr(open + 1, stop - open - 2));
    if (StartsWith(inside, ":")) inside = Trim(inside.substr(1));
    if (inside.empty() || (inside[0] != '#' && inside[0] != '.')) return;
    if (text_[open - 1] == '$') return;  // a template literal
    const size_t hash = inside.find('#');
    if (hash != kNone) {
      const std::string_view id = inside.substr(hash + 1, inside.find_first_of(" \t", hash) - hash - 1);
      if (!IsAnchorText(id)) return;
      AddEvent(Event::kHeadingAnchor, open, std::string(id));
    }
    cuts.insert(cuts.begin() + ptrdiff_t(cut), {Cut::kInline, -1, uint32_t(open), uint32_t(stop)});
  }

  const std::string_view text_;
  const Lines& lines_;
  const bool mdx_;
  TagReader tags_;
  size_t cursor_ = 0;
  bool heading_ = false;
  struct Runs {
    std::vector<size_t> positions;
    size_t next = 0;
  };
  std::map<size_t, Runs> runs_;  // by length, of the region
  bool runs_known_ = false;
  size_t comment_hopeless_ = 0, comment_end_ = 0, declaration_end_ = 0, export_hopeless_ = 0;
  std::map<std::string, size_t> hopeless_elements_;
};

// ---- the cleaned page -------------------------------------------------------------------------

// Writes the page without its cuts. Lines that a cut left empty disappear, or stay as one blank
// line where they stood between blocks.
class Writer {
 public:
  Writer(const Lines& lines, const Scanner& scan, const std::vector<int16_t>& indent_cap)
      : source_(lines), scan_(scan), indent_cap_(indent_cap) {}

  CleanPage Write() {
    page_.lines.text.reserve(source_.text.size());
    size_t at = 0;
    for (const Cut& cut : scan_.cuts) {
      Copy(at, cut.begin);
      Skip(cut);
      at = cut.end;
    }
    Copy(at, source_.text.size());
    if (!line_.empty() || cut_) Finish();
    if (soft_ && last_blank_ && !page_.source_line.empty()) DropLast();
    TakeEvents(source_.text.size());
    Settle();
    page_.lines.begin.push_back(uint32_t(page_.lines.text.size()));
    return std::move(page_);
  }

 private:
  void Copy(size_t begin, size_t end) {
    const std::string_view text = source_.text;
    while (begin < end) {
      const size_t stop = std::min(text.substr(0, end).find('\n', begin), end);
      if (line_.empty() && !cut_) first_number_ = number_;
      line_.append(text.substr(begin, stop - begin));
      begin = stop;
      if (stop < end) {
        Finish();
        ++number_;
        ++begin;
      }
    }
  }

  void Skip(const Cut& cut) {
    if (line_.empty() && !cut_) first_number_ = number_;
    TakeEvents(cut.end);
    cut_ = true;
    const std::string_view text = source_.text;
    if (cut.replacement >= 0) {
      Replace(scan_.replacements[size_t(cut.replacement)]);
    } else if (cut.kind == Cut::kBlock) {
      block_ = true;
      // `<td>a</td><td>b</td>` are two words.
      const bool glued =
          !line_.empty() && !std::strchr(" \t([{>", line_.back()) && cut.end < text.size() && !IsSpace(text[cut.end]);
      if (glued) line_.push_back(' ');
    }
    const auto newlines = std::count(text.begin() + cut.begin, text.begin() + cut.end, '\n');
    number_ += uint32_t(newlines);
    if (line_.empty()) first_number_ = number_;
  }

  // A replacement may hold lines of its own; they are numbered as long as the cut has lines.
  void Replace(std::string_view text) {
    const bool code = text[0] == '`' && text.find('\n') != std::string_view::npos;
    for (size_t at = 0; at <= text.size();) {
      const size_t stop = std::min(text.find('\n', at), text.size());
      line_.append(text.substr(at, stop - at));
      if (stop < text.size()) {
        const uint32_t number = first_number_;
        verbatim_ = code || !IsBlank(line_);
        block_ = true;
        Finish();
        cut_ = true;
        first_number_ = number;
      }
      at = stop + 1;
    }
  }

  void Finish() {
    if (cut_ && !verbatim_) {
      while (!line_.empty() && (line_.back() == ' ' || line_.back() == '\t')) line_.pop_back();
    }
    if (!verbatim_ && first_number_ < indent_cap_.size() && indent_cap_[first_number_] >= 0) {
      const size_t indent = Indent(line_), cap = size_t(indent_cap_[first_number_]);
      if (indent > cap && !IsBlank(line_)) line_ = std::string(cap, ' ') + line_.substr(line_.find_first_not_of(" \t"));
    }
    const bool blank = IsBlank(line_);
    const bool emptied = blank && cut_ && !verbatim_;
    if (emptied && !block_) {
      if (last_blank_) soft_ = true;  // a line between two blank ones is gone
    } else if (blank) {
      if (last_blank_ && (emptied || soft_)) {
        soft_ = true;
      } else if (!page_.source_line.empty()) {
        Emit();
        soft_ = emptied;
      }
      last_blank_ = true;
    } else {
      Settle(uint32_t(page_.source_line.size()));
      Emit();
      last_blank_ = soft_ = false;
    }
    line_.clear();
    cut_ = block_ = verbatim_ = false;
    first_number_ = number_ + 1;
  }

  void Emit() {
    page_.lines.begin.push_back(uint32_t(page_.lines.text.size()));
    page_.lines.text.append(line_);
    page_.lines.text.push_back('\n');
    page_.source_line.push_back(first_number_ + 1);
  }

  // The last line is blank, and only because something behind it was cut out.
  void DropLast() {
    page_.lines.text.resize(page_.lines.begin.back());
    page_.lines.begin.pop_back();
    page_.source_line.pop_back();
  }

  void TakeEvents(size_t until) {
    while (event_ < scan_.events.size() && scan_.events[event_].at < until) {
      pending_.push_back(event_++);
    }
  }

  // What was learnt belongs to the next line with text, or to the last one.
  void Settle(uint32_t line) {
    for (const size_t i : pending_) {
      const Event& event = scan_.events[i];
      if (event.kind == Event::kWords) {
        page_.attributes.emplace_back(line, event.text);
      } else {
        page_.anchors.push_back({line, event.kind == Event::kHeadingAnchor, event.text});
      }
    }
    pending_.clear();
  }
  void Settle() {
    if (!page_.source_line.empty()) Settle(uint32_t(page_.source_line.size() - 1));
  }

  const Lines& source_;
  const Scanner& scan_;
  const std::vector<int16_t>& indent_cap_;
  CleanPage page_;
  std::string line_;
  uint32_t number_ = 0;        // line of the source, 0-based
  uint32_t first_number_ = 0;  // where line_ began
  bool cut_ = false;           // something was cut out of line_
  bool block_ = false;         // among it something that separates blocks
  bool verbatim_ = false;      // line_ comes from a replacement
  bool last_blank_ = true;
  bool soft_ = false;  // the blank line before is not the author's
  size_t event_ = 0;
  std::vector<size_t> pending_;
};

}  // namespace

Result<CleanPage> CleanMarkdown(std::string_view source, bool mdx) {
  const Lines lines = SplitLines(source);
  const size_t count = lines.size();
  enum : uint8_t { kCodeLine = 1, kStart = 2, kHeadingLine = 4, kTopParagraph = 8, kHtmlLine = 16 };
  std::vector<uint8_t> flags(count + 1, 0);
  {
    SHEAF_ASSIGN_OR_RETURN(const View view, MakeView(lines, ViewKind::kStructure, mdx));
    const CmarkTree tree = ParseTree(view.text);
    const CmarkIter iter(cmark_iter_new(tree.get()));
    for (cmark_event_type event; (event = cmark_iter_next(iter.get())) != CMARK_EVENT_DONE;) {
      Leaf leaf;
      if (event != CMARK_EVENT_ENTER || !ReadLeaf(cmark_iter_get_node(iter.get()), uint32_t(count), &leaf)) {
        continue;
      }
      flags[leaf.first] |= kStart;
      flags[leaf.last + 1] |= kStart;
      if (leaf.kind == Leaf::kHeading) flags[leaf.first] |= kHeadingLine;
      if (leaf.kind == Leaf::kParagraph && leaf.top_level) flags[leaf.first] |= kTopParagraph;
      if (leaf.kind != Leaf::kCode && leaf.kind != Leaf::kHtml) continue;
      for (uint32_t i = leaf.first; i <= leaf.last; ++i) {
        flags[i] |= leaf.kind == Leaf::kCode ? kCodeLine : kHtmlLine;
      }
    }
  }

  Scanner scanner(lines, mdx);
  // Lines of a paragraph that lost a tag may be indented as in HTML; Markdown would read that as code.
  // So cap their indent at that of the paragraph's first line.
  std::vector<int16_t> indent_cap(count, -1);
  for (size_t i = 0; i < count;) {
    const bool html = flags[i] & kHtmlLine;
    if (flags[i] & kCodeLine || (!html && IsBlank(lines[i]))) {
      ++i;
      continue;
    }
    size_t last = i;
    while (last + 1 < count && !(flags[last + 1] & (kStart | kCodeLine)) && (html || !IsBlank(lines[last + 1]))) {
      ++last;
    }
    const size_t cuts = scanner.cuts.size();
    scanner.Region(i, last, flags[i] & kHeadingLine, flags[i] & kTopParagraph);
    if (scanner.cuts.size() > cuts) {
      const Prefix prefix = ReadPrefix(lines[i]);
      if (!prefix.quoted) {
        const size_t cap = std::min<size_t>(prefix.bytes, 1000);
        for (size_t k = i; k <= last; ++k) indent_cap[k] = int16_t(cap);
      }
    }
    i = last + 1;
  }
  scanner.SortEvents();
  return Writer(lines, scanner, indent_cap).Write();
}

}  // namespace sheaf::packer
