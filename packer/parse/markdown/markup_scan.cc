#include "packer/parse/markdown/markup_scan.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "packer/base/text_scan.h"
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
      Scan(region);
      region.has_cuts = cuts_.size() > before;
    }
    std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
    return {std::move(cuts_), std::move(events_), std::move(replacements_)};
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
    for (size_t i = std::max(begin, cursor_); i < end;) i = std::max(Step(i, end), cursor_);
    cursor_ = std::max(cursor_, end);
    if (region.heading && !inside_cut) HeadingAnchor(begin, end);
  }

  void AddCut(size_t begin, size_t end, Cut::Kind kind) {
    cuts_.push_back({kind, -1, uint32_t(begin), uint32_t(end)});
    cursor_ = std::max(cursor_, end);
  }
  void AddReplacement(size_t begin, size_t end, std::string text) {
    AddCut(begin, end, Cut::kInline);
    cuts_.back().replacement = int32_t(replacements_.size());
    replacements_.push_back(std::move(text));
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
    if (inside.empty() || (inside[0] != '#' && inside[0] != '.')) return;
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
