// Reading stored Markdown: see stored_markdown.h.
//
// A mark that will turn out to be a pair (`[`, `*`) is written out and remembered; when its partner comes, both become
// kDead bytes, which are swept away at the end. Every search ahead is bounded or remembered, so the time is linear
// whatever the bytes. The looks of bytes are painted when a pair closes; pairs of one kind do not overlap, so that each
// byte is painted a dozen times at most.
#include "text/stored_markdown.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "text/ascii.h"

namespace sheaf {
namespace {

constexpr char kDead = '\0';  // NULs of the passage itself are taken as spaces
constexpr size_t kNone = size_t(-1);

bool IsMarkPunctuation(char c) {
  return std::string_view("\\`*_{}[]<>()#+-.!|~:\"'&").find(c) != std::string_view::npos;
}

size_t RunOf(std::string_view s, size_t at) {
  size_t end = at;
  while (end < s.size() && s[end] == s[at]) ++end;
  return end - at;
}

// A fence line: three or more backticks or tildes; `info` tells whether more follows.
struct Fence {
  char mark = 0;
  size_t length = 0;
  bool info = false;
};
Fence FenceOf(std::string_view line) {
  line = Trim(line);
  while (!line.empty() && line.front() == '>') line = Trim(line.substr(1));
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return {};
  const size_t length = RunOf(line, 0);
  const std::string_view info = Trim(line.substr(length));
  if (length < 3 || (line[0] == '`' && info.find('`') != std::string_view::npos)) return {};
  return {line[0], length, !info.empty()};
}

bool HasFence(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (FenceOf(text.substr(at, end - at)).mark) return true;
    at = end + 1;
  }
  return false;
}

// A line that only draws: `---`, `***`, `===`, `| --- | :-: |`.
bool IsRule(std::string_view line) {
  line = Trim(line);
  size_t drawn = 0;
  for (char c : line) {
    if (c == '-' || c == '=' || c == '*' || c == '_')
      ++drawn;
    else if (c != ' ' && c != '|' && c != ':' && c != '+')
      return false;
  }
  return drawn >= 2 || (drawn > 0 && line.find('|') != std::string_view::npos);
}

// A block with the fields that drawing needs.
struct DrawnBlock : TextBlock {
  uint8_t depth = 0;
  size_t indent = 0, quotes = 0;  // of code: what stands before its lines
  std::string_view label;
};

// Above the looks of a byte: the line ends where the author said so; the number of its link, from 1.
constexpr uint32_t kBreakBit = 16, kLinkUnit = 32;

// Without `kDrawn` it notes no looks and no links, and the only kinds of blocks are paragraph and code.
template <bool kDrawn>
class Reader {
 public:
  Reader(std::string_view text, Markup markup) : text_(text), markup_(markup) {}
  void Run();

  std::string out_;
  std::vector<std::conditional_t<kDrawn, DrawnBlock, TextBlock>> blocks_;
  std::vector<uint32_t> looks_;  // of the bytes of out_; fewer: those that follow have none
  std::vector<std::string_view> links_;

 private:
  bool is_markdown() const { return markup_ == Markup::kMarkdown; }
  void Line(std::string_view line);
  std::string_view Prefix(std::string_view line, bool* heading);
  void Inline(std::string_view line, bool table);
  bool CodeSpan(std::string_view line, size_t* at);
  void CodeText(std::string_view line, size_t* at);
  void Emphasis(std::string_view line, size_t at, size_t run);
  size_t CloseBracket(std::string_view line, size_t at);
  void EndCell(size_t end);
  void EndParagraph();
  void EndBlock(BlockKind kind, size_t begin, bool joins);
  void Kill(size_t at, size_t count) {
    for (size_t i = 0; i < count; ++i) out_[at + i] = kDead;
  }
  void Paint(size_t begin, size_t end, uint32_t look) {
    if constexpr (kDrawn) {
      looks_.resize(std::max(looks_.size(), end));
      for (size_t i = begin; i < end; ++i) looks_[i] |= look;
    }
  }

  const std::string_view text_;
  const Markup markup_;
  Fence fence_;  // open fence; mark 0: none
  bool blank_before_ = true, in_list_ = false, in_indented_ = false;
  bool is_new_block_ = true;      // code that comes now is another block than the code before it
  std::vector<size_t> brackets_;  // places of open '[' in out_, or of "![" with its '!'
  // Places of open emphasis by mark (* _ ~) and length 1..3.
  std::array<std::array<size_t, 4>, 3> openers_{};
  size_t open_code_ = 0;  // backticks of a code span that goes on from the line before
  // By backticks of a code span: the end that was found last, and up to where there is none.
  std::array<size_t, 9> closer_{}, no_closer_{};
  // ---- if kDrawn ----
  bool open_ = false;  // a line that comes now goes on with the last block
  bool is_admonition_ = false;
  size_t quotes_ = 0, depth_ = 0, fence_indent_ = 0, fence_quotes_ = 0;  // of the line
  std::string_view label_;
  size_t cell_ = kNone;  // where the open cell begins
  size_t cells_ = 0;     // of the row, so far
  size_t link_end_ = 0;
};

template <bool kDrawn>
void Reader<kDrawn>::EndParagraph() {
  brackets_.clear();
  for (auto& by_length : openers_) by_length.fill(kNone);
  open_code_ = 0;
  if constexpr (kDrawn) open_ = false;
}

// Ends a block of this kind, which `begin` began.
template <bool kDrawn>
void Reader<kDrawn>::EndBlock(BlockKind kind, size_t begin, bool joins) {
  if (joins && !blocks_.empty() && blocks_.back().kind == kind) {
    blocks_.back().end = out_.size();
  } else {
    auto& block = blocks_.emplace_back();
    block.kind = kind;
    block.begin = begin;
    block.end = out_.size();
    if constexpr (kDrawn) {
      block.depth = uint8_t(depth_);
      block.indent = fence_indent_;
      block.quotes = fence_quotes_;
      block.label = label_;
    }
  }
  is_new_block_ = false;
}

template <bool kDrawn>
void Reader<kDrawn>::Run() {
  out_.reserve(text_.size());
  EndParagraph();
  // A passage may begin within a code block: then its first fence closes, and fences are odd. A block that is cut at the
  // passage's end looks the same, but its fence opens the passage or stands behind an empty line.
  size_t fences = 0;
  Fence first;
  bool opens = true, blank = true;
  for (size_t at = 0; at < text_.size();) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    const std::string_view line = text_.substr(at, end - at);
    const Fence fence = FenceOf(line);
    if (fence.mark && fences++ == 0) {
      first = fence;
      opens = blank || fence.info;
    }
    blank = Trim(line).empty();
    at = end + 1;
  }
  if (fences % 2 == 1 && !opens) fence_ = first;
  for (size_t at = 0; at < text_.size();) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    Line(text_.substr(at, end - at));
    at = end + 1;
  }
  if (!out_.empty() && !text_.ends_with('\n') && out_.back() == '\n') out_.pop_back();
  if constexpr (kDrawn) {
    looks_.resize(out_.size());
    for (DrawnBlock& block : blocks_) {
      for (size_t* place : {&block.begin, &block.end}) *place = std::min(*place, out_.size());
    }
  }
  // Blocks follow one another, so their places move as their bytes do.
  size_t kept = 0, block = 0;
  bool in_block = false;
  for (size_t at = 0;; ++at) {
    for (; block < blocks_.size(); ++block, in_block = false) {
      if (!in_block && blocks_[block].begin == at) {
        blocks_[block].begin = kept;
        in_block = true;
      }
      if (!in_block || (blocks_[block].end > at && at < out_.size())) break;
      blocks_[block].end = kept;
    }
    if (at >= out_.size()) break;
    if (out_[at] == kDead) continue;
    if constexpr (kDrawn) looks_[kept] = looks_[at];
    out_[kept++] = out_[at];
  }
  out_.resize(kept);
}

template <bool kDrawn>
void Reader<kDrawn>::Line(std::string_view line) {
  const size_t begin = out_.size();
  const auto verbatim = [&](BlockKind kind) {
    for (char c : line) {
      if (c != '\r') out_ += c == kDead ? ' ' : c;
    }
    out_ += '\n';
    EndBlock(kind, begin, kind != BlockKind::kCode || !is_new_block_);
  };
  if constexpr (kDrawn) {
    label_ = {};
    quotes_ = depth_ = 0;
  }
  const Fence fence = FenceOf(line);
  if (fence_.mark) {
    if (fence.mark == fence_.mark && fence.length >= fence_.length && !fence.info) {
      fence_ = {};
      blank_before_ = is_new_block_ = true;
      return;
    }
    return verbatim(BlockKind::kCode);
  }
  if (fence.mark) {
    fence_ = fence;
    is_new_block_ = true;
    if constexpr (kDrawn) {
      fence_indent_ = fence_quotes_ = 0;
      for (size_t at = 0; line[at] != fence.mark; ++at) {
        (line[at] == '>' ? fence_quotes_ : fence_indent_) += line[at] == '>' || fence_quotes_ == 0;
      }
    }
    EndParagraph();
    return;
  }
  const std::string_view trimmed = Trim(line);
  if (trimmed.empty()) {
    out_ += '\n';
    blank_before_ = true;
    EndParagraph();
    return;
  }
  const bool indented = line.starts_with("    ") || line.starts_with('\t');
  const bool bullet = trimmed.size() > 1 && IsBlank(trimmed[1]) && !IsAsciiWord(trimmed[0]);
  if (indented && markup_ != Markup::kLight && !in_list_ && !bullet && (blank_before_ || in_indented_)) {
    // At the passage's beginning it may be the rest of a list's item. A drawing keeps its lines either way.
    const bool known =
        kDrawn || (in_indented_ ? !blocks_.empty() && blocks_.back().kind == BlockKind::kCode : !blocks_.empty());
    in_indented_ = true;
    blank_before_ = false;
    if constexpr (kDrawn) {
      fence_indent_ = 4;
      fence_quotes_ = 0;
    }
    return verbatim(known ? BlockKind::kCode : BlockKind::kParagraph);
  }
  in_indented_ = false;
  if (!indented && line[0] != ' ') in_list_ = false;
  if (IsRule(trimmed)) {
    if constexpr (kDrawn) {
      const bool underlines = RunOf(trimmed, 0) == trimmed.size() && (trimmed[0] == '=' || trimmed[0] == '-');
      if (underlines && markup_ != Markup::kLight && open_ && blocks_.back().kind == BlockKind::kParagraph)
        blocks_.back().kind = BlockKind::kHeading;
    }
    EndParagraph();
    blank_before_ = true;
    return;
  }
  blank_before_ = false;

  bool heading = false;
  std::string_view rest = Prefix(line, &heading);
  const bool table = rest.starts_with('|');
  if (heading || table) EndParagraph();
  BlockKind kind = BlockKind::kParagraph;
  bool joins = true;
  // `[name]: target` only serves links elsewhere.
  const size_t label = rest.find("]:");
  const bool defines = is_markdown() && label != std::string_view::npos && rest[0] == '[' && rest.find(']') == label &&
                       !rest.starts_with("[^") && rest.size() > label + 2;
  const bool is_empty = Trim(rest).empty() || defines;
  if constexpr (kDrawn) {
    if (is_markdown() && trimmed.starts_with("<!--") && trimmed.ends_with("-->")) return EndParagraph();
    const bool in_item = open_ && blocks_.back().kind == BlockKind::kItem;
    kind = heading                                        ? BlockKind::kHeading
           : !label_.empty() && !is_admonition_           ? BlockKind::kItem
           : !label_.empty() || is_admonition_ || quotes_ ? BlockKind::kQuote
           : in_item                                      ? BlockKind::kItem
                                                          : BlockKind::kParagraph;
    joins = open_ && label_.empty() && !is_admonition_;
    if (is_empty && !label_.empty()) EndBlock(kind, begin, false);
    if (is_empty) open_ = !label_.empty();
    if (is_admonition_ && !is_empty) {
      label_ = {};
      Inline(rest, false);
      Paint(begin, out_.size(), kLookStrong);
      out_ += '\n';
      EndBlock(kind, begin, false);
      return EndParagraph();
    }
  }
  if (is_empty) return;
  is_new_block_ = true;
  Inline(rest, table);
  if (heading || table) EndParagraph();
  if (is_markdown() && line.ends_with("  ")) Paint(out_.size(), out_.size() + 1, kBreakBit);
  out_ += '\n';
  if (kDrawn && table) return;
  EndBlock(kind, begin, joins);
  if constexpr (kDrawn) open_ = !heading;
}

// Takes the marks off a line's beginning (and a heading's end).
template <bool kDrawn>
std::string_view Reader<kDrawn>::Prefix(std::string_view line, bool* heading) {
  [[maybe_unused]] const char* begin = line.data();  // of the line within its quotation
  if constexpr (kDrawn) is_admonition_ = false;
  for (bool again = true; again;) {
    again = false;
    while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
    if (line.empty()) break;
    if (line[0] == '>') {  // quotation
      line.remove_prefix(1);
      again = true;
      if constexpr (kDrawn) {
        ++quotes_;
        begin = line.data() + line.starts_with(' ');
      }
      continue;
    }
    size_t marker = 0;
    if ((line[0] == '-' || line[0] == '*' || line[0] == '+') && (line.size() == 1 || IsBlank(line[1]))) {
      marker = 1;
    } else {
      size_t digits = 0;
      while (digits < line.size() && digits < 4 && IsDigit(line[digits])) ++digits;
      if (digits > 0 && digits < 4 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') &&
          IsBlank(line[digits + 1])) {
        marker = digits + 1;
      }
    }
    if (marker == 0) continue;
    in_list_ = again = true;
    if constexpr (kDrawn) {
      label_ = marker == 1 ? std::string_view("\u2022") : line.substr(0, marker);
      depth_ = line.data() < begin ? 0 : std::min<size_t>(size_t(line.data() - begin) / 2, kDeepestItem);
    }
    line.remove_prefix(marker);
  }
  if (is_markdown()) {
    if (line.size() > 4 && line[0] == '[' && line[2] == ']' && IsBlank(line[3]) &&
        (line[1] == ' ' || (line[1] | 32) == 'x')) {
      line.remove_prefix(4);  // task
    }
    if (line.starts_with("[!")) {  // > [!NOTE]
      const size_t close = line.find(']');
      if (close != std::string_view::npos && close > 2 && IsAsciiLetter(line[2])) {
        if constexpr (kDrawn) {
          label_ = line.substr(2, close - 2);
          is_admonition_ = true;
        }
        line.remove_prefix(close + 1);
      }
    }
    if (line.starts_with(":::") || line.starts_with("!!! ") || line.starts_with("??? ")) {
      // `::: tip Title`, `!!! note "Title"`: the title. Under the latter, indented lines are text.
      in_list_ = line[0] != ':' || in_list_;
      line = Trim(line.substr(RunOf(line, 0)));
      const size_t space = line.find(' ');
      if constexpr (kDrawn) {
        label_ = line.substr(0, space);
        is_admonition_ = !line.empty();
      }
      line = space == std::string_view::npos ? std::string_view() : Trim(line.substr(space));
      if (line.size() > 1 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
      return line;
    }
  }
  if (!line.empty() && line[0] == '#') {
    const size_t level = RunOf(line, 0);
    if (level <= 6 && (level == line.size() || IsBlank(line[level]))) {
      *heading = true;
      line = Trim(line.substr(level));
      if (line.ends_with('}')) {  // {#anchor}
        const size_t brace = line.rfind("{#");
        if (brace != std::string_view::npos) line = Trim(line.substr(0, brace));
      }
      size_t end = line.size();
      while (end > 0 && line[end - 1] == '#') --end;
      if (end == 0 || IsBlank(line[end - 1])) line = Trim(line.substr(0, end));
    }
  }
  return line;
}

// A code span at `*at`: its text as it stands, without the backticks. It may end on a later line
// of the paragraph; what is left of it is then begun by Inline.
template <bool kDrawn>
bool Reader<kDrawn>::CodeSpan(std::string_view line, size_t* at) {
  const size_t run = RunOf(line, *at);
  const size_t from = size_t(line.data() - text_.data()) + *at + run;
  if (run >= no_closer_.size() || from < no_closer_[run]) return false;
  // When a heading cuts a span off, the span's end stays available to those that begin before it.
  size_t look = std::max(from, closer_[run]);
  for (size_t length = 0; look < text_.size(); look += std::max<size_t>(length, 1)) {
    length = text_[look] == '`' ? RunOf(text_, look) : 0;
    if (length == run) break;
    if (text_[look] == '\n' && look + 1 < text_.size() && text_[look + 1] == '\n') {
      no_closer_[run] = look;
      return false;
    }
  }
  if (look >= text_.size()) {
    no_closer_[run] = text_.size();
    return false;
  }
  closer_[run] = look;
  *at += run;
  open_code_ = run;
  CodeText(line, at);
  return true;
}

// Copies up to the end of the open code span, or of the line.
template <bool kDrawn>
void Reader<kDrawn>::CodeText(std::string_view line, size_t* at) {
  const size_t begin = *at;
  size_t end = begin;
  for (size_t length = 0; end < line.size(); end += std::max<size_t>(length, 1)) {
    length = line[end] == '`' ? RunOf(line, end) : 0;
    if (length != open_code_) continue;
    *at = end + length;
    open_code_ = 0;
    break;
  }
  if (open_code_) *at = line.size();
  std::string_view code = line.substr(begin, end - begin);
  if (code.size() > 2 && code.front() == ' ' && code.back() == ' ') code = code.substr(1, code.size() - 2);
  const size_t from = out_.size();
  for (char c : code) out_ += c == kDead ? ' ' : c;
  Paint(from, out_.size(), kLookCode);
}

// `run` marks at `at` open or close emphasis, or are text.
template <bool kDrawn>
void Reader<kDrawn>::Emphasis(std::string_view line, size_t at, size_t run) {
  const char mark = line[at];
  const size_t place = out_.size();
  out_.append(run, mark);
  if (run > 3 || (mark == '~' && run != 2)) return;
  size_t& opener = openers_[mark == '*' ? 0 : mark == '_' ? 1 : 2][run];
  const char before = at > 0 ? line[at - 1] : ' ';
  const char after = at + run < line.size() ? line[at + run] : ' ';
  // Within a word, as in 2*3 and snake_case, marks are text; `*` is none within 日本**強調**です.
  const auto is_word = [&](char c) { return IsAsciiWord(c) && (mark == '_' || uint8_t(c) < 0x80); };
  if (opener != kNone && !IsSpace(before) && !is_word(after)) {
    Kill(opener, run);
    Kill(place, run);
    constexpr uint8_t kLooks[] = {0, kLookEmphasis, kLookStrong, kLookEmphasis | kLookStrong};
    Paint(opener, place, mark == '~' ? uint8_t(kLookDeleted) : kLooks[run]);
    opener = kNone;
  } else if (!IsSpace(after) && !is_word(before)) {
    opener = place;
  }
}

// At ']': ends a link, image, footnote or nothing. Returns where to go on.
template <bool kDrawn>
size_t Reader<kDrawn>::CloseBracket(std::string_view line, size_t at) {
  if (brackets_.empty()) {
    out_ += ']';
    return at + 1;
  }
  const size_t open = brackets_.back();
  brackets_.pop_back();
  const bool image = out_[open] == '!';
  const size_t inner = open + (image ? 2 : 1);
  size_t end = kNone;
  [[maybe_unused]] std::string_view address;
  const char next = at + 1 < line.size() ? line[at + 1] : '\0';
  if (next == '(') {
    // Target: no white space, balanced parentheses; then perhaps a title in quotes.
    size_t i = at + 2;
    int depth = 1;
    if (i < line.size() && line[i] == '<') {
      const size_t limit = std::min(line.size(), i + 2048);
      while (i < limit && line[i] != '>') ++i;
    }
    [[maybe_unused]] size_t address_end = line.size();
    for (; i < line.size() && depth > 0 && depth < 32; ++i) {
      const char c = line[i];
      if constexpr (kDrawn) address_end = i;
      if (c == '\\' && i + 1 < line.size())
        ++i;
      else if (c == '(')
        ++depth;
      else if (c == ')')
        --depth;
      else if (IsSpace(c)) {
        while (i < line.size() && IsSpace(line[i])) ++i;
        if (i < line.size() && (line[i] == '"' || line[i] == '\'')) {
          const size_t quote = line.find(line[i], i + 1);
          i = quote == std::string_view::npos ? line.size() : quote + 1;
        }
        while (i < line.size() && IsSpace(line[i])) ++i;
        if (depth == 1 && i < line.size() && line[i] == ')') {
          depth = 0;
          ++i;
        }
        break;
      }
    }
    if (depth == 0) end = i;
    if constexpr (kDrawn) address = line.substr(at + 2, address_end - at - 2);
    // Elsewhere than in Markdown `Map[Key](map)` may be words.
    if (!is_markdown() && line.substr(at, i - at).find_first_of("./#:?") == std::string_view::npos) end = kNone;
  } else if (next == '[' && is_markdown()) {
    const size_t close = line.find_first_of("[]", at + 2);
    if (close != std::string_view::npos && line[close] == ']') end = close + 1;
  }
  constexpr size_t kLongestFootnote = 64;
  if (end == kNone && is_markdown() && inner < out_.size() && out_[inner] == '^' &&
      out_.size() - open < kLongestFootnote) {
    Kill(open, out_.size() - open);
    if (next != ':') return at + 1;
    at += 2;  // `[^1]: text` becomes text
    while (at < line.size() && IsBlank(line[at])) ++at;
    return at;
  }
  if (end == kNone) {
    out_ += ']';
    return at + 1;
  }
  Kill(open, inner - open);
  if constexpr (kDrawn) {
    if (address.starts_with('<') && address.ends_with('>')) address = address.substr(1, address.size() - 2);
    // The innermost link counts.
    if (!image && !address.empty() && link_end_ <= open) {
      links_.push_back(address);
      Paint(inner, out_.size(), uint32_t(links_.size()) * kLinkUnit);
      link_end_ = out_.size();
    }
  }
  return end;
}

template <bool kDrawn>
void Reader<kDrawn>::EndCell(size_t end) {
  if constexpr (kDrawn) {
    depth_ = std::min<size_t>(cells_++, UINT8_MAX);
    EndBlock(BlockKind::kCell, cell_, false);
    blocks_.back().end = end;
    cell_ = kNone;
  }
}

template <bool kDrawn>
void Reader<kDrawn>::Inline(std::string_view line, bool table) {
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  bool cell_begun = false;
  size_t at = 0;
  if (open_code_) CodeText(line, &at);
  while (at < line.size()) {
    const char c = line[at];
    const char next = at + 1 < line.size() ? line[at + 1] : '\0';
    if (c == '\\' && next && (is_markdown() ? IsMarkPunctuation(next) : table && next == '|')) {
      out_ += next;
      at += 2;
    } else if (c == '`') {
      if (!CodeSpan(line, &at)) {
        const size_t run = RunOf(line, at);
        out_.append(run, '`');
        at += run;
      }
    } else if (is_markdown() && (c == '*' || c == '_' || c == '~')) {
      const size_t run = RunOf(line, at);
      Emphasis(line, at, run);
      at += run;
    } else if (c == '!' && next == '[') {
      brackets_.push_back(out_.size());
      out_ += "![";
      at += 2;
    } else if (c == '[') {
      brackets_.push_back(out_.size());
      out_ += '[';
      ++at;
    } else if (c == ']') {
      at = CloseBracket(line, at);
    } else if (c == '|' && table) {
      [[maybe_unused]] const size_t end_of_cell = out_.size();
      // A row's first pipe leaves nothing; the others leave the space between cells.
      if (cell_begun && at + 1 < line.size() && !out_.empty() && !IsBlank(out_.back())) out_ += ' ';
      ++at;
      if constexpr (kDrawn) {
        if (cell_begun) EndCell(end_of_cell);
      }
      while (at < line.size() && IsBlank(line[at])) ++at;
      cell_begun = true;
      if constexpr (kDrawn) cell_ = at < line.size() ? out_.size() : kNone;
    } else if (is_markdown() && c == '<' && IsAsciiLetter(next)) {
      // <https://…> is shown as the address; other angle brackets are text.
      const size_t close = line.find_first_of("<> ", at + 1);
      const bool address = close != std::string_view::npos && line[close] == '>' &&
                           line.substr(at, close - at).find("://") != std::string_view::npos;
      const size_t end = close == std::string_view::npos ? line.size() : close;
      const size_t from = out_.size();
      out_ += line.substr(at + (address ? 1 : 0), end - at - (address ? 1 : 0));
      if constexpr (kDrawn) {
        if (address) {
          links_.push_back(line.substr(at + 1, end - at - 1));
          Paint(from, out_.size(), uint32_t(links_.size()) * kLinkUnit);
          link_end_ = out_.size();
        }
      }
      at = address ? end + 1 : end;
    } else {
      out_ += c == kDead ? ' ' : c;
      ++at;
    }
  }
  while (!out_.empty() && IsBlank(out_.back())) out_.pop_back();
  if constexpr (kDrawn) {
    looks_.resize(std::min(looks_.size(), out_.size()));
    link_end_ = std::min(link_end_, out_.size());
    if (cell_ != kNone) EndCell(out_.size());
    for (size_t cell = blocks_.size() - cells_; cell < blocks_.size(); ++cell) {
      for (size_t* place : {&blocks_[cell].begin, &blocks_[cell].end}) *place = std::min(*place, out_.size());
    }
    cells_ = 0;
  }
}

// Takes the block's indentation and quotation marks off a line of code.
std::string_view Dedented(std::string_view line, const DrawnBlock& block) {
  size_t at = 0;
  for (size_t i = 0; i < block.quotes; ++i) {
    const size_t mark = line.find_first_not_of(" \t", at);
    if (mark == std::string_view::npos || line[mark] != '>') break;
    at = mark + 1;
    at += at < line.size() && line[at] == ' ';
  }
  for (size_t i = 0; i < block.indent && at < line.size() && IsBlank(line[at]); ++i, ++at) {
    if (line[at] == '\t') i = block.indent;
  }
  return line.substr(at);
}

std::string CodeOf(std::string_view text, const DrawnBlock& block) {
  std::string code;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    (code += Dedented(text.substr(0, end), block)) += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  code.resize(code.find_last_not_of('\n') + 1);
  return code;
}

// Markdown's escapes for what HTML would read as markup.
std::string DecodedText(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEntities = {
      {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&nbsp;", "\u00a0"}}};
  std::string out;
  while (!text.empty()) {
    const auto entity = std::find_if(kEntities.begin(), kEntities.end(),
                                     [&](const auto& each) { return text.starts_with(each.first); });
    const bool found = text[0] == '&' && entity != kEntities.end();
    out += found ? entity->second : text.substr(0, 1);
    text.remove_prefix(found ? entity->first.size() : 1);
  }
  return out;
}

std::vector<TextRun> RunsOf(const Reader<true>& reader, const DrawnBlock& block, Markup markup) {
  std::vector<TextRun> runs;
  const std::string_view text = reader.out_;
  size_t begin = block.begin, end = block.end;
  while (begin < end && IsSpace(text[begin])) ++begin;
  while (begin < end && IsSpace(text[end - 1])) --end;
  const auto same = [&](size_t at) { return reader.looks_[at] & ~kBreakBit; };
  while (begin < end) {
    const uint32_t look = same(begin);
    size_t next = begin;
    std::string words;
    for (; next < end && same(next) == look; ++next) {
      const char c = text[next];
      const bool is_break = markup != Markup::kMarkdown || (reader.looks_[next] & kBreakBit) != 0;
      // Bars within code of a cell are escaped.
      const bool escapes = block.kind == BlockKind::kCell && c == '\\' && next + 1 < end && text[next + 1] == '|';
      if (!escapes) words += c == '\n' && !is_break ? ' ' : c;
    }
    if (markup == Markup::kMarkdown && !(look & kLookCode)) words = DecodedText(words);
    if (!words.empty()) runs.push_back({uint8_t(look % kBreakBit), look / kLinkUnit, std::move(words)});
    begin = next;
  }
  return runs;
}

// A heading, or a line that reads like the end of a sentence.
bool ReadsAsWords(std::string_view line) {
  if (line.starts_with('#')) {
    const size_t level = RunOf(line, 0);
    return level <= 6 && level < line.size() && IsBlank(line[level]);
  }
  if (line.empty() || line.find_first_of("(){};=") != std::string_view::npos) return false;
  const bool begins = (line[0] >= 'A' && line[0] <= 'Z') || uint8_t(line[0]) >= 0x80;
  constexpr std::array<std::string_view, 6> kEnds = {".", ":", "!", "?", "\u3002", "\uff1a"};
  return begins && std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return line.ends_with(end); });
}

}  // namespace

Markup MarkupOf(std::string_view source) {
  if (source.size() < 4) return Markup::kMarkdown;
  const std::string_view tail = source.substr(source.size() - 4);
  const auto ends = [&](std::string_view name) {
    for (size_t i = 0; i < 4; ++i) {
      if ((tail[i] | 32) != name[i]) return false;
    }
    return true;
  };
  if (ends("html") || ends(".htm") || ends(".rst")) return Markup::kLight;
  return ends(".txt") ? Markup::kText : Markup::kMarkdown;
}

std::string ReadText(std::string_view passage, Markup markup, std::vector<TextBlock>* blocks) {
  Reader<false> reader(passage, markup);
  reader.Run();
  *blocks = std::move(reader.blocks_);
  return std::move(reader.out_);
}

std::string StripMarks(std::string_view passage) {
  std::vector<TextBlock> blocks;
  return ReadText(passage, Markup::kMarkdown, &blocks);
}

Blocks ReadBlocks(std::string_view passage, Markup markup, bool is_code) {
  Blocks read;
  Reader<true> reader(passage, markup);
  if (is_code && !HasFence(passage) && !ReadsAsWords(passage.substr(0, passage.find('\n')))) {
    read.blocks.push_back({BlockKind::kCode, 0, {}, {{0, 0, CodeOf(passage, {})}}});
    return read;
  }
  reader.Run();
  for (const DrawnBlock& drawn : reader.blocks_) {
    Block& block = read.blocks.emplace_back(Block{drawn.kind, drawn.depth, std::string(drawn.label), {}});
    if (drawn.kind == BlockKind::kCode) {
      const std::string_view text = std::string_view(reader.out_).substr(drawn.begin, drawn.end - drawn.begin);
      block.runs.push_back({0, 0, CodeOf(text, drawn)});
    } else {
      block.runs = RunsOf(reader, drawn, markup);
      if (drawn.kind == BlockKind::kQuote && !block.label.empty()) block.label[0] = char(block.label[0] & ~32);
    }
  }
  read.links = std::move(reader.links_);
  return read;
}

}  // namespace sheaf
