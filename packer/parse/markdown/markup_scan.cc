#include "packer/parse/markdown/markup_scan.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "packer/base/text_scan.h"
#include "packer/parse/markdown/attribute_list.h"
#include "packer/parse/markdown/markup_table.h"
#include "packer/parse/markdown/markup_tags.h"
#include "packer/parse/markdown/mdx_statements.h"

namespace sheaf::packer {
namespace {

bool IsAnchorText(std::string_view text) {
  return !text.empty() && text.size() <= 200 && text.find_first_of(" \t\n\"'<>{}#") == std::string_view::npos;
}

// Finds what to cut. Goes through the page once, region by region.
class Scanner {
 public:
  Scanner(const Lines& lines, bool mdx)
      : text_(lines.text), lines_(lines), mdx_(mdx), tags_(lines.text), statements_(lines.text, mdx, &tags_) {}

  MarkupCuts Run(std::vector<TextRegion>* regions) {
    for (TextRegion& region : *regions) {
      const size_t before = cuts_.size();
      characters_ = 0;
      Scan(region);
      region.has_cuts = cuts_.size() > before + characters_;
    }
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
    return {std::move(cuts_), std::move(events_), std::move(replacements_), std::move(left_out_)};
  }

 private:
  static constexpr size_t kNone = std::string_view::npos;

  void Scan(const TextRegion& region) {
    const size_t begin = lines_.begin[region.first];
    const size_t end = lines_.begin[region.last + 1] - 1;  // its last '\n' stays
    const bool inside_cut = begin < cursor_;
    if (!inside_cut && region.top_paragraph && (text_[begin] == 'i' || text_[begin] == 'e')) Statements(begin, end);
    runs_.clear();
    runs_known_ = false;
    heading_ = region.heading;
    region_begin_ = begin;
    has_math_ = mdx_ && text_.substr(begin, end - begin).find('$') != kNone;
    const std::string_view all = Trim(text_.substr(begin, std::min<size_t>(end - begin, 20)));
    // The place of a table of contents.
    if (!inside_cut && (all == "[[toc]]" || all == "[[TOC]]" || all == "[[_TOC_]]" || all == "[TOC]"))
      AddCut(begin, end, Cut::kBlock);
    for (size_t i = std::max(begin, cursor_); i < end;) i = std::max(Step(i, end), cursor_);
    cursor_ = std::max(cursor_, end);
    if (region.heading && !inside_cut) HeadingAnchor(begin, end);
    heading_end_ = region.heading ? end : kNone;
  }

  void AddCut(size_t begin, size_t end, Cut::Kind kind) {
    cuts_.push_back({kind, -1, uint32_t(begin), uint32_t(end)});
    cursor_ = std::max(cursor_, end);
  }
  void AddReplacement(size_t begin, size_t end, std::string text) {
    AddCut(begin, end, Cut::kInline);
    cuts_.back().replacement = Replacement(std::move(text));
  }
  int32_t Replacement(std::string text) {
    replacements_.push_back(std::move(text));
    return int32_t(replacements_.size() - 1);
  }
  void AddEvent(Event::Kind kind, size_t at, std::string text) {
    events_.push_back({kind, uint32_t(at), std::move(text)});
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
      case '&': return Entity(i, end);
      case ':': return Icon(i, end);
      default: {
        const size_t next = text_.substr(0, end).find_first_of("<`\\{&:", i + 1);
        return next == kNone ? end : next;
      }
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
    if (const size_t after = Attributes(i, end); after > i) return after;
    return mdx_ && !has_math_ ? Expression(i) : i + 1;
  }

  // Where the line of `i` begins; of a long line, a position on the way.
  size_t LineBegin(size_t i) const {
    constexpr size_t kMost = 500;
    const size_t from = i - std::min(i, kMost);
    const size_t newline = text_.substr(from, i - from).rfind('\n');
    return newline == kNone ? from : from + newline + 1;
  }

  // `{: #id .class}`, alone on a line or right behind what it belongs to.
  size_t Attributes(size_t i, size_t end) {
    if (StartsWith(text_.substr(i), "{::") || StartsWith(text_.substr(i), "{:/")) return KramdownTag(i, end);
    const std::optional<AttributeList> list = ReadAttributeList(text_.substr(0, end), i);
    if (!list) return i;
    size_t line_end = list->end;
    while (line_end < end && (text_[line_end] == ' ' || text_[line_end] == '\t')) ++line_end;
    const bool ends_line = line_end >= end || text_[line_end] == '\n';
    const size_t line = LineBegin(i);
    const std::string_view before = text_.substr(line, i - line);
    if (heading_ && ends_line && !IsBlank(before)) return i;  // HeadingAnchor's
    if (ends_line && IsBlank(before.substr(std::min(ReadPrefix(before).bytes, before.size()))) && !heading_) {
      size_t begin = i;
      if (list->is_toc && line > region_begin_) {
        const size_t item = LineBegin(line - 1);
        if (item >= cursor_ && ListMarker(text_.substr(item, line - item)) > 0) begin = item;
      }
      if (!list->id.empty() && IsAnchorText(list->id)) BlockAnchor(line, i, list->id);
      AddCut(begin, list->end, Cut::kInline);
      return list->end;
    }
    // `::: {.note}` opens a div of Pandoc: its marks stay, as those of other containers do.
    const std::string_view colons = Trim(before);
    if (ends_line && colons.size() >= 3 && colons.find_first_not_of(':') == kNone) {
      AddCut(i, list->end, Cut::kInline);
      return list->end;
    }
    const bool behind_mark = list->colon && ListMarker(before) == before.size() && !before.empty();
    if (i > region_begin_ && (std::strchr(")]*_`:\">", text_[i - 1]) != nullptr || behind_mark)) {
      AddCut(i, list->end, Cut::kInline);
      return list->end;
    }
    return i;
  }

  // An id below a heading is the heading's; any other stands before what follows.
  void BlockAnchor(size_t line, size_t at, std::string_view id) {
    if (heading_end_ == kNone || heading_end_ + 1 != line) return AddEvent(Event::kAnchor, at, std::string(id));
    AddEvent(Event::kHeadingAnchor, heading_end_ - 1, std::string(id));
    // An empty cut, so that the event is met within the heading.
    const auto after = std::upper_bound(cuts_.begin(), cuts_.end(), heading_end_,
                                        [](size_t value, const Cut& cut) { return value < cut.end; });
    cuts_.insert(after, {Cut::kText, Replacement(""), uint32_t(heading_end_), uint32_t(heading_end_)});
  }

  // `{::options … /}`, `{::nomarkdown}`, `{:/}`; a comment goes with its words.
  size_t KramdownTag(size_t i, size_t end) {
    const size_t close = text_.substr(0, std::min(end, i + 300)).find('}', i);
    if (close == kNone || text_.substr(i, close - i).find('\n') != kNone) return i;
    size_t after = close + 1;
    if (StartsWith(text_.substr(i), "{::comment}")) {
      const size_t last = FindBefore("{:/", after, end, &kramdown_hopeless_);
      const size_t last_close = last == kNone ? kNone : text_.substr(0, end).find('}', last);
      if (last_close != kNone) after = last_close + 1;
    }
    AddCut(i, after, Cut::kInline);
    return after;
  }

  // MDX: a string stays, a constant's value too; an expression without words of its own goes.
  size_t Expression(size_t i) {
    if (i < no_expression_below_) return i + 1;
    const size_t after = tags_.Balanced(i, std::min(text_.size(), i + kMaxTagBytes));
    if (after == kNone) return i + 1;
    const std::string_view inside = Trim(text_.substr(i + 1, after - i - 2));
    if (heading_ && (StartsWith(inside, "#") || StartsWith(inside, "."))) return i + 1;  // HeadingAnchor's
    if (inside.size() >= 2 && (inside[0] == '"' || inside[0] == '\'' || inside[0] == '`') &&
        inside.find(inside[0], 1) == inside.size() - 1 && inside.find("${") == kNone) {
      AddReplacement(i, after, std::string(inside.substr(1, inside.size() - 2)));
      return after;
    }
    if (inside.find('<') != kNone) {  // its elements hold words
      no_expression_below_ = after;
      return i + 1;
    }
    if (const std::string* value = ConstantOf(inside)) {
      AddReplacement(i, after, *value);
      return after;
    }
    const bool is_number = !inside.empty() && inside.find_first_not_of("0123456789.") == kNone;
    if (!inside.empty() && !is_number) ++left_out_["{" + std::string(inside.substr(0, 40)) + "}"];
    if (is_number)
      AddReplacement(i, after, std::string(inside));
    else
      AddCut(i, after, Cut::kInline);
    return after;
  }

  // `export const name = 'value';` of this page.
  const std::string* ConstantOf(std::string_view name) {
    if (!constants_known_) {
      constants_known_ = true;
      for (const std::string_view start : {"export const ", "export let "}) {
        for (size_t at = 0; (at = text_.find(start, at)) != kNone;) {
          const bool begins_line = at == 0 || text_[at - 1] == '\n';
          at += start.size();
          if (!begins_line) continue;
          const std::string_view line = text_.substr(at, std::min(text_.find('\n', at), text_.size()) - at);
          const size_t equals = line.find('=');
          if (equals == kNone || equals > 100) continue;
          std::string_view value = Trim(line.substr(equals + 1));
          if (value.ends_with(';')) value = TrimEnd(value.substr(0, value.size() - 1));
          if (value.size() < 2 || (value[0] != '"' && value[0] != '\'' && value[0] != '`') ||
              value.back() != value[0] || value.find("${") != kNone)
            continue;
          constants_.emplace(Trim(line.substr(0, equals)), value.substr(1, value.size() - 2));
        }
      }
    }
    const auto found = constants_.find(name);
    return found == constants_.end() ? nullptr : &found->second;
  }

  // A character in the place of `&#34;`; marks of Markdown are escaped.
  size_t Entity(size_t i, size_t end) {
    std::string text;
    const size_t length = ReadEntity(text_.substr(i, end - i), &text);
    if (length == 0) return i + 1;
    // These protect what would look like a tag; readers of stored Markdown decode them.
    const std::string_view written = text_.substr(i, length);
    if (written == "&lt;" || written == "&gt;" || written == "&amp;") return i + length;
    const size_t line = LineBegin(i);
    const bool begins_line = i - line < 100 && IsBlank(text_.substr(line, i - line));
    const bool is_mark = text.size() == 1 && (std::strchr("*_`[]|~\\", text[0]) != nullptr ||
                                              (begins_line && std::strchr("#>+-=:{", text[0]) != nullptr));
    if (is_mark) text.insert(0, 1, '\\');
    cuts_.push_back({Cut::kText, Replacement(std::move(text)), uint32_t(i), uint32_t(i + length)});
    cursor_ = std::max(cursor_, i + length);
    ++characters_;
    return i + length;
  }

  // `:material-account:`, with its attributes: a picture.
  size_t Icon(size_t i, size_t end) {
    static constexpr std::string_view kSets[] = {":material-", ":fontawesome-", ":octicons-", ":simple-"};
    const std::string_view rest = text_.substr(i, std::min<size_t>(end - i, 100));
    if (std::none_of(std::begin(kSets), std::end(kSets), [&](std::string_view set) { return StartsWith(rest, set); }))
      return i + 1;
    size_t stop = 1;
    while (stop < rest.size() && (IsWordByte(rest[stop]) || rest[stop] == '-')) ++stop;
    if (stop >= rest.size() || rest[stop] != ':') return i + 1;
    size_t after = i + stop + 1;
    if (after < end && text_[after] == '{') {
      if (const auto list = ReadAttributeList(text_.substr(0, end), after)) after = list->end;
    }
    const bool begins_word = i == 0 || IsSpace(text_[i - 1]);
    if (begins_word && after < end && text_[after] == ' ') ++after;
    AddCut(i, after, Cut::kInline);
    return after;
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
    const size_t limit = mdx_ ? text_.size() : TagLimit(end);
    if (!tags_.Read(i, limit, mdx_, &tag) || IsGeneric(i, end, tag)) return i + 1;
    if (!tag.closing && !tag.self_closing && (Element(i, mdx_ ? end : limit, tag) || Table(i, tag))) return cursor_;
    if (mdx_ && tag.self_closing && tag.words.empty() && tag.name[0] >= 'A' && tag.name[0] <= 'Z')
      ++left_out_["<" + tag.name.substr(0, 40) + " />"];
    if (!tag.id.empty() && IsAnchorText(tag.id) && std::islower(uint8_t(tag.name[0]))) {
      AddEvent(Event::kAnchor, i, tag.id);
    }
    if (!tag.words.empty()) AddEvent(Event::kWords, i, std::move(tag.words));
    AddCut(i, tag.end, IsInlineElement(tag.name) ? Cut::kInline : Cut::kBlock);
    return tag.end;
  }

  // A formatter puts the '>' of a long tag on a line of its own, which looks like a quotation.
  size_t TagLimit(size_t end) const {
    const size_t line = text_.substr(0, end).ends_with('\n') || end >= text_.size() ? end : text_.find('\n', end);
    const size_t next = line == kNone ? kNone : text_.find_first_not_of(" \t\n", line);
    if (next == kNone || next > line + 20 || (text_[next] != '>' && text_.substr(next, 2) != "/>")) return end;
    return std::min(text_.find('\n', next), text_.size());
  }

  // `Vec<T>` and `Promise<string>` in running text: words, not tags.
  bool IsGeneric(size_t i, size_t end, const Tag& tag) const {
    if (tag.closing || tag.self_closing || tag.has_values || tag.name.empty()) return false;
    if (i == 0 || !IsWordByte(text_[i - 1]) || IsHtmlElement(tag.name)) return false;
    const std::string closing = "</" + tag.name;
    return text_.substr(0, std::min(end, tag.end + 300)).find(closing, tag.end) == kNone;
  }

  // A raw table becomes rows.
  bool Table(size_t i, const Tag& tag) {
    if (tag.name != "table" || tag.end < table_hopeless_) return false;
    const size_t limit = std::min(text_.size(), i + kMaxHtmlTable);
    const size_t close = FindFolded(text_, "</table", tag.end, limit);
    const size_t after = close == kNone ? kNone : text_.substr(0, limit).find('>', close);
    if (after == kNone) {
      table_hopeless_ = limit;
      return false;
    }
    const size_t line = LineBegin(i);
    const std::string_view before = text_.substr(line, i - line);
    std::string words;
    std::optional<std::string> rows;
    if (IsBlank(before)) rows = RowsOfHtmlTable(text_.substr(tag.end, close - tag.end), &words);
    if (!rows) return false;
    if (!words.empty()) AddEvent(Event::kWords, i, std::move(words));
    AddReplacement(i, after + 1, "\n" + *rows + "\n");
    return true;
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
      std::string code = StripTags(inside, nullptr);
      // In a row of a table a bar would end the cell.
      const bool in_row = text_.substr(line, i - line).find('|') != kNone;
      for (size_t bar = 0; in_row && (bar = code.find('|', bar)) != kNone; bar += 2) code.insert(bar, 1, '\\');
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
    const std::string fence = BackticksAround(code, 3);
    return fence + language + "\n" + code + "\n" + std::string(indent) + fence + "\n\n";
  }

  // MDX's import and export statements at the head of a paragraph.
  void Statements(size_t begin, size_t end) {
    for (size_t at = begin; at < end;) {
      const size_t stop = statements_.End(at, end);
      if (stop == kNone) return;
      AddCut(at, stop, Cut::kBlock);
      at = stop;
      while (at < end && IsSpace(text_[at])) ++at;
    }
  }

  // `{#id}`, `{ #id .class }` or `{: #id}` at the end of a heading.
  void HeadingAnchor(size_t begin, size_t end) {
    // A setext heading ends with its underline.
    size_t stop = std::min(text_.substr(0, end).find('\n', begin), end);
    size_t cut = cuts_.size();
    for (;;) {
      while (stop > begin && IsSpace(text_[stop - 1])) --stop;
      if (cut > 0 && cuts_[cut - 1].end == stop && cuts_[cut - 1].begin >= begin) {
        stop = cuts_[--cut].begin;
      } else {
        break;
      }
    }
    if (stop <= begin + 2 || text_[stop - 1] != '}') return;
    const size_t within = text_.substr(begin, stop - begin).rfind('{');
    const size_t open = begin + within;
    if (within == kNone || open <= begin || (cut > 0 && cuts_[cut - 1].end > open)) return;
    std::string_view inside = Trim(text_.substr(open + 1, stop - open - 2));
    if (StartsWith(inside, ":")) inside = Trim(inside.substr(1));
    if (inside.empty()) return;
    if (inside[0] != '#' && inside[0] != '.' && !ReadAttributeList(text_.substr(0, end), open)) return;
    if (text_[open - 1] == '$') return;  // a template literal
    const size_t hash = inside.find('#');
    if (hash != kNone) {
      const std::string_view id = inside.substr(hash + 1, inside.find_first_of(" \t", hash) - hash - 1);
      if (!IsAnchorText(id)) return;
      AddEvent(Event::kHeadingAnchor, open, std::string(id));
    }
    cuts_.insert(cuts_.begin() + ptrdiff_t(cut), {Cut::kInline, -1, uint32_t(open), uint32_t(stop)});
  }

  const std::string_view text_;
  const Lines& lines_;
  const bool mdx_;
  TagReader tags_;
  StatementReader statements_;
  std::vector<Cut> cuts_;
  std::vector<Event> events_;
  std::vector<std::string> replacements_;
  size_t cursor_ = 0;
  bool heading_ = false;
  size_t region_begin_ = 0;
  size_t heading_end_ = kNone;  // of the region before, if it is a heading
  bool has_math_ = false;       // braces of MDX may be a formula's
  size_t characters_ = 0;       // cuts of the region that are characters
  bool constants_known_ = false;
  std::map<std::string, std::string, std::less<>> constants_;
  std::map<std::string, uint32_t> left_out_;
  size_t table_hopeless_ = 0, no_expression_below_ = 0, kramdown_hopeless_ = 0;
  struct Runs {
    std::vector<size_t> positions;
    size_t next = 0;
  };
  std::map<size_t, Runs> runs_;  // by length, of the region
  bool runs_known_ = false;
  size_t comment_hopeless_ = 0, comment_end_ = 0, declaration_end_ = 0;
  std::map<std::string, size_t> hopeless_elements_;
};

}  // namespace

MarkupCuts ScanMarkup(const Lines& lines, bool mdx, std::vector<TextRegion>* regions) {
  return Scanner(lines, mdx).Run(regions);
}

}  // namespace sheaf::packer
