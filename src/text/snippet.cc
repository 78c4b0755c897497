// Taking light Markdown marks off, and choosing the window: see snippet.h.
//
// Marks: one walk over the lines knows fences, rules, tables and the paragraph; one walk over a
// paragraph's characters knows links, emphasis and code spans. A mark that will turn out to be a
// pair (`[`, `*`) is written out and remembered; when its partner comes, both become kDead bytes,
// which are swept away at the end. Every search ahead is bounded or remembered, so the time is
// linear whatever the bytes.
#include "text/snippet.h"

#include <algorithm>
#include <array>

#include "text/unicode.h"
#include "text/utf8.h"

namespace sheaf {
namespace {

constexpr char kDead = '\0';  // NULs of the passage itself are taken as spaces
constexpr size_t kNone = size_t(-1);

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsSpace(char c) { return uint8_t(c) <= ' ' || c == 127; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAsciiLetter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
bool IsAsciiWord(char c) { return IsDigit(c) || IsAsciiLetter(c) || uint8_t(c) >= 0x80; }
bool IsMarkPunctuation(char c) {
  return std::string_view("\\`*_{}[]<>()#+-.!|~:\"'&").find(c) != std::string_view::npos;
}

std::string_view Trim(std::string_view s) {
  while (!s.empty() && IsSpace(s.front())) s.remove_prefix(1);
  while (!s.empty() && IsSpace(s.back())) s.remove_suffix(1);
  return s;
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

// A stretch of the stripped text: a heading line, a code block's lines, or what is between them.
enum class PartKind : uint8_t { kText, kHeading, kCode };
struct Part {
  PartKind kind = PartKind::kText;
  size_t begin = 0, end = 0;
};

class Stripper {
 public:
  explicit Stripper(std::string_view text) : text_(text) {}
  // `parts` (may be null) gets the stretches in order; blank lines may belong to none.
  std::string Run(std::vector<Part>* parts);

 private:
  void Line(std::string_view line);
  std::string_view Prefix(std::string_view line, bool* heading);
  void Inline(std::string_view line, bool table);
  bool CodeSpan(std::string_view line, size_t* at);
  void CodeText(std::string_view line, size_t* at);
  void Emphasis(std::string_view line, size_t at, size_t run);
  size_t CloseBracket(std::string_view line, size_t at);
  void EndParagraph();
  void EndPart(PartKind kind, size_t begin);
  void Kill(size_t at, size_t count) {
    for (size_t i = 0; i < count; ++i) out_[at + i] = kDead;
  }

  const std::string_view text_;
  std::string out_;
  Fence fence_;  // open fence; mark 0: none
  bool blank_before_ = true, in_list_ = false, in_indented_ = false;
  bool is_new_block_ = true;  // code that comes now is another block than the code before it
  std::vector<Part> parts_;
  std::vector<size_t> brackets_;  // places of open '[' in out_, or of "![" with its '!'
  // Places of open emphasis by mark (* _ ~) and length 1..3.
  std::array<std::array<size_t, 4>, 3> openers_{};
  size_t open_code_ = 0;  // backticks of a code span that goes on from the line before
  // By backticks of a code span: the end that was found last, and up to where there is none.
  std::array<size_t, 9> closer_{}, no_closer_{};
};

void Stripper::EndParagraph() {
  brackets_.clear();
  for (auto& by_length : openers_) by_length.fill(kNone);
  open_code_ = 0;
}

// What was written from `begin` on is of this kind.
void Stripper::EndPart(PartKind kind, size_t begin) {
  const bool joins = !parts_.empty() && parts_.back().kind == kind && kind != PartKind::kHeading &&
                     !(kind == PartKind::kCode && is_new_block_);
  if (joins) {
    parts_.back().end = out_.size();
  } else {
    parts_.push_back({kind, begin, out_.size()});
  }
  is_new_block_ = false;
}

std::string Stripper::Run(std::vector<Part>* parts) {
  out_.reserve(text_.size());
  EndParagraph();
  // A passage may begin within a code block: then its first fence closes, and fences are odd.
  size_t fences = 0;
  Fence first;
  for (size_t at = 0; at < text_.size();) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    const Fence fence = FenceOf(text_.substr(at, end - at));
    if (fence.mark && fences++ == 0) first = fence;
    at = end + 1;
  }
  if (fences % 2 == 1 && !first.info) {
    // An unclosed block at the end looks the same; it is taken for one where it opens the passage.
    const Fence opening = FenceOf(text_.substr(0, text_.find('\n')));
    if (!opening.mark) fence_ = first;
  }
  for (size_t at = 0; at < text_.size();) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    Line(text_.substr(at, end - at));
    at = end + 1;
  }
  if (!out_.empty() && !text_.ends_with('\n') && out_.back() == '\n') out_.pop_back();
  // Parts follow one another, so their places move as their bytes do.
  size_t kept = 0, part = 0;
  bool in_part = false;
  for (size_t at = 0;; ++at) {
    for (; part < parts_.size(); ++part, in_part = false) {
      if (!in_part && parts_[part].begin == at) {
        parts_[part].begin = kept;
        in_part = true;
      }
      if (!in_part || (parts_[part].end > at && at < out_.size())) break;
      parts_[part].end = kept;
    }
    if (at >= out_.size()) break;
    if (out_[at] != kDead) out_[kept++] = out_[at];
  }
  out_.resize(kept);
  if (parts) *parts = std::move(parts_);
  return std::move(out_);
}

void Stripper::Line(std::string_view line) {
  const size_t begin = out_.size();
  const auto verbatim = [&](PartKind kind) {
    for (char c : line) {
      if (c != '\r') out_ += c == kDead ? ' ' : c;
    }
    out_ += '\n';
    EndPart(kind, begin);
  };
  const Fence fence = FenceOf(line);
  if (fence_.mark) {
    if (fence.mark == fence_.mark && fence.length >= fence_.length && !fence.info) {
      fence_ = {};
      blank_before_ = is_new_block_ = true;
      return;
    }
    return verbatim(PartKind::kCode);
  }
  if (fence.mark) {
    fence_ = fence;
    is_new_block_ = true;
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
  if (indented && !in_list_ && !bullet && (blank_before_ || in_indented_)) {
    // At the passage's beginning it may as well be the rest of a list's item.
    const bool known = in_indented_ ? !parts_.empty() && parts_.back().kind == PartKind::kCode : !parts_.empty();
    in_indented_ = true;
    blank_before_ = false;
    return verbatim(known ? PartKind::kCode : PartKind::kText);
  }
  in_indented_ = false;
  if (!indented && line[0] != ' ') in_list_ = false;
  if (IsRule(trimmed)) {
    EndParagraph();
    blank_before_ = true;
    return;
  }
  blank_before_ = false;

  bool heading = false;
  std::string_view rest = Prefix(line, &heading);
  const bool table = rest.starts_with('|');
  if (heading || table) EndParagraph();
  if (Trim(rest).empty()) return;
  is_new_block_ = true;
  // `[name]: target` only serves links elsewhere.
  const size_t label = rest.find("]:");
  if (rest[0] == '[' && label != std::string_view::npos && rest.find(']') == label && !rest.starts_with("[^") &&
      rest.size() > label + 2) {
    return;
  }
  Inline(rest, table);
  if (heading || table) EndParagraph();
  out_ += '\n';
  EndPart(heading ? PartKind::kHeading : PartKind::kText, begin);
}

// Takes the marks off a line's beginning (and a heading's end).
std::string_view Stripper::Prefix(std::string_view line, bool* heading) {
  for (bool again = true; again;) {
    again = false;
    while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
    if (line.empty()) break;
    if (line[0] == '>') {  // quotation
      line.remove_prefix(1);
      again = true;
      continue;
    }
    if ((line[0] == '-' || line[0] == '*' || line[0] == '+') && (line.size() == 1 || IsBlank(line[1]))) {
      line.remove_prefix(1);
      in_list_ = again = true;
      continue;
    }
    size_t digits = 0;
    while (digits < line.size() && digits < 4 && IsDigit(line[digits])) ++digits;
    if (digits > 0 && digits < 4 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') &&
        IsBlank(line[digits + 1])) {
      line.remove_prefix(digits + 1);
      in_list_ = again = true;
    }
  }
  if (line.size() > 4 && line[0] == '[' && line[2] == ']' && IsBlank(line[3]) &&
      (line[1] == ' ' || (line[1] | 32) == 'x')) {
    line.remove_prefix(4);  // task
  }
  if (line.starts_with("[!")) {  // > [!NOTE]
    const size_t close = line.find(']');
    if (close != std::string_view::npos && close > 2 && IsAsciiLetter(line[2])) line.remove_prefix(close + 1);
  }
  if (line.starts_with(":::") || line.starts_with("!!! ") || line.starts_with("??? ")) {
    // `::: tip Title`, `!!! note "Title"`: the title. Under the latter, indented lines are text.
    in_list_ = line[0] != ':' || in_list_;
    line = Trim(line.substr(RunOf(line, 0)));
    const size_t space = line.find(' ');
    line = space == std::string_view::npos ? std::string_view() : Trim(line.substr(space));
    if (line.size() > 1 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
    return line;
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
bool Stripper::CodeSpan(std::string_view line, size_t* at) {
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
void Stripper::CodeText(std::string_view line, size_t* at) {
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
  for (char c : code) out_ += c == kDead ? ' ' : c;
}

// `run` marks at `at` open or close emphasis, or are text.
void Stripper::Emphasis(std::string_view line, size_t at, size_t run) {
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
    opener = kNone;
  } else if (!IsSpace(after) && !is_word(before)) {
    opener = place;
  }
}

// At ']': ends a link, image, footnote or nothing. Returns where to go on.
size_t Stripper::CloseBracket(std::string_view line, size_t at) {
  if (brackets_.empty()) {
    out_ += ']';
    return at + 1;
  }
  const size_t open = brackets_.back();
  brackets_.pop_back();
  const bool image = out_[open] == '!';
  const size_t inner = open + (image ? 2 : 1);
  size_t end = kNone;
  const char next = at + 1 < line.size() ? line[at + 1] : '\0';
  if (next == '(') {
    // Target: no white space, balanced parentheses; then perhaps a title in quotes.
    size_t i = at + 2;
    int depth = 1;
    if (i < line.size() && line[i] == '<') {
      const size_t limit = std::min(line.size(), i + 2048);
      while (i < limit && line[i] != '>') ++i;
    }
    for (; i < line.size() && depth > 0 && depth < 32; ++i) {
      const char c = line[i];
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
  } else if (next == '[') {
    const size_t close = line.find_first_of("[]", at + 2);
    if (close != std::string_view::npos && line[close] == ']') end = close + 1;
  }
  constexpr size_t kLongestFootnote = 64;
  if (end == kNone && inner < out_.size() && out_[inner] == '^' && out_.size() - open < kLongestFootnote) {
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
  return end;
}

void Stripper::Inline(std::string_view line, bool table) {
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  bool cell_begun = false;
  size_t at = 0;
  if (open_code_) CodeText(line, &at);
  while (at < line.size()) {
    const char c = line[at];
    const char next = at + 1 < line.size() ? line[at + 1] : '\0';
    if (c == '\\' && next && IsMarkPunctuation(next)) {
      out_ += next;
      at += 2;
    } else if (c == '`') {
      if (!CodeSpan(line, &at)) {
        const size_t run = RunOf(line, at);
        out_.append(run, '`');
        at += run;
      }
    } else if (c == '*' || c == '_' || c == '~') {
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
      // A row's first pipe leaves nothing; the others leave the space between cells.
      if (cell_begun && at + 1 < line.size() && !out_.empty() && !IsBlank(out_.back())) out_ += ' ';
      ++at;
      while (at < line.size() && IsBlank(line[at])) ++at;
      cell_begun = true;
    } else if (c == '<' && IsAsciiLetter(next)) {
      // <https://…> is shown as the address; other angle brackets are text.
      const size_t close = line.find_first_of("<> ", at + 1);
      const bool address = close != std::string_view::npos && line[close] == '>' &&
                           line.substr(at, close - at).find("://") != std::string_view::npos;
      const size_t end = close == std::string_view::npos ? line.size() : close;
      out_ += line.substr(at + (address ? 1 : 0), end - at - (address ? 1 : 0));
      at = address ? end + 1 : end;
    } else {
      out_ += c == kDead ? ' ' : c;
      ++at;
    }
  }
  while (!out_.empty() && IsBlank(out_.back())) out_.pop_back();
}

// White space joined, or kept as it stands (`lines`); control characters out, invalid bytes replaced.
void AppendPlain(std::string_view text, bool lines, std::string* out) {
  bool space = false;
  for (size_t at = 0; at < text.size();) {
    const Decoded d = DecodeUtf8(text, at);
    at += d.size;
    const char32_t cp = d.code_point;
    if (lines && (cp == '\n' || cp == '\t' || cp == ' ')) {
      *out += char(cp);
      continue;
    }
    if (cp <= ' ' || (cp >= 0x7F && cp <= 0xA0) || cp == 0x2028 || cp == 0x2029) {
      if (lines) {
        *out += ' ';
      } else {
        space = !out->empty();
      }
      continue;
    }
    if (space) *out += ' ';
    space = false;
    AppendUtf8(cp, out);
  }
}

// Whether a snippet may begin or end at byte `at` of plain text: at white space, and beside
// characters of scripts written without it.
bool IsBorder(std::string_view text, size_t at) {
  if (at == 0 || at >= text.size() || IsSpace(text[at]) || IsSpace(text[at - 1])) return true;
  if (uint8_t(text[at]) < 0x80) return false;
  return !IsUtf8Continuation(text[at]) && InfoOf(DecodeUtf8(text, at).code_point).char_class == CharClass::kDense;
}

bool IsLead(char c) { return !IsUtf8Continuation(c); }

// `count` code points on from `at`, at most the end.
size_t Forward(std::string_view text, size_t at, size_t count) {
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && !IsLead(text[at])) ++at;
    --count;
  }
  return at;
}

size_t Backward(std::string_view text, size_t at, size_t count) {
  while (at > 0 && count > 0) {
    --at;
    while (at > 0 && !IsLead(text[at])) --at;
    --count;
  }
  return at;
}

size_t CodePoints(std::string_view text) {
  size_t count = 0;
  for (char c : text) count += IsLead(c);
  return count;
}

// The start of a snippet that must show the text at `core` and has `spare` code points for context: the
// earliest sentence within a third of them, or else the nearest sentence within two thirds, or else the
// earliest word within a third.
size_t ChooseBegin(std::string_view text, size_t core, size_t spare) {
  const size_t usual = Backward(text, core, spare / 3);
  const size_t earliest = Backward(text, usual, spare / 3);
  if (earliest == 0) return 0;
  size_t word = core, sentence = kNone;
  for (size_t at = core; at > earliest; --at) {
    if (at < usual && sentence != kNone) break;
    if (text[at] == ' ' || !IsBorder(text, at)) continue;
    if (at >= usual) word = at;
    const bool begins =
        at >= 2 && text[at - 1] == ' ' && std::string_view(".!?:").find(text[at - 2]) != std::string_view::npos;
    if (begins) sentence = at;
  }
  return sentence != kNone ? sentence : word;
}

constexpr std::string_view kEllipsis = "\u2026";
constexpr uint8_t kPartOfName = 3;

struct Match {
  size_t begin, end;  // bytes of the text
  size_t term;        // number of the term
  uint8_t rank;       // SnippetTerm::rank, or worse where the term is a part of a name in the text
};

// Which tokens match, in the order of the text. Terms are few; of equal ones the best counts.
std::vector<Match> FindMatches(std::string_view text, const std::vector<SnippetTerm>& terms, const Analyzer& analyzer) {
  std::vector<Match> matches;
  std::vector<Token> tokens;
  if (!terms.empty()) analyzer.Tokenize(text, &tokens);
  for (const Token& token : tokens) {
    size_t best = kNone;
    for (size_t i = 0; i < terms.size(); ++i) {
      // A key that another one ends in is the last part of a compound. No other term ends like a key.
      const bool same = terms[i].term == token.term || token.keys.ends_with(terms[i].term);
      if (same && (best == kNone || terms[i].rank < terms[best].rank)) best = i;
    }
    if (best == kNone) continue;
    const uint8_t rank = token.kind == TokenKind::kPart ? std::max(terms[best].rank, kPartOfName) : terms[best].rank;
    matches.push_back({token.begin, token.end, best, rank});
  }
  return matches;
}

uint64_t BitOf(const SnippetTerm& term) { return term.word < 64 ? uint64_t(1) << term.word : 0; }

// The matches worth marking among those within [begin, end): for each word of the query the best that are there; a
// letter that is but part of a name only beside others.
std::vector<Match> Graded(const std::vector<Match>& matches, const std::vector<SnippetTerm>& terms, size_t begin,
                          size_t end) {
  const auto inside = [&](const Match& match) { return match.begin >= begin && match.begin <= end; };
  std::vector<uint32_t> best;  // by word
  for (const Match& match : matches) {
    const uint32_t word = terms[match.term].word;
    if (best.size() <= word) best.resize(word + 1, 255);
    if (inside(match)) best[word] = std::min<uint32_t>(best[word], match.rank);
  }
  std::vector<Match> kept;
  for (const Match& match : matches) {
    if (inside(match) && match.rank == best[terms[match.term].word]) kept.push_back(match);
  }
  for (size_t i = 0; i < kept.size();) {
    const bool lone = kept[i].rank >= kPartOfName && kept[i].end - kept[i].begin == 1 &&
                      !(i > 0 && kept[i - 1].end >= kept[i].begin) &&
                      !(i + 1 < kept.size() && kept[i + 1].begin <= kept[i].end);
    lone ? void(kept.erase(kept.begin() + ptrdiff_t(i))) : void(++i);
  }
  return kept;
}

// What the words of the query that occur among these matches are worth: each counts as its best form.
float WorthOf(std::span<const Match> matches, const std::vector<SnippetTerm>& terms) {
  std::vector<float> by_word;
  for (const Match& match : matches) {
    const SnippetTerm& term = terms[match.term];
    if (by_word.size() <= term.word) by_word.resize(term.word + 1, 0);
    by_word[term.word] = std::max(by_word[term.word], term.weight);
  }
  float sum = 0;
  for (float worth : by_word) sum += worth;
  return sum;
}

// A text that a snippet may be cut from: all prose of the passage, or one of its code blocks.
struct Segment {
  bool is_code = false;
  std::string text;
  std::vector<Match> matches;
  size_t first = 0, count = 0;  // the matches of the best window
  float worth = 0;              // of these

  std::span<const Match> chosen() const { return std::span(matches).subspan(first, count); }
};

// Two pointers over the matches; each step of the left one drops the match before it.
void ChooseWindow(const std::vector<SnippetTerm>& terms, size_t max_characters, Segment* segment) {
  const std::string_view text = segment->text;
  const std::vector<Match>& matches = segment->matches;
  float best_worth = -1;
  std::vector<uint32_t> seen(terms.size());
  float worth = 0;
  size_t next = 0, reach = 0, counted = 0, characters = 0;
  for (size_t first = 0; first < matches.size(); ++first) {
    // `reach` is max_characters on from the beginning of this match; both only move forward.
    if (matches[first].begin > reach) reach = counted = matches[first].begin, characters = 0;
    for (; counted < matches[first].begin; ++counted) characters -= IsLead(text[counted]) ? 1 : 0;
    while (reach < text.size() && characters < max_characters) {
      reach = Forward(text, reach, 1);
      ++characters;
    }
    while (next < matches.size() && (matches[next].end <= reach || next == first)) {
      const size_t term = matches[next++].term;
      if (seen[term]++ == 0 && terms[term].weight > 0) worth += terms[term].weight;
    }
    if (worth > best_worth * 1.0001f + 1e-6f || best_worth < 0) {
      best_worth = worth;
      segment->first = first;
      segment->count = next - first;
    }
    const size_t term = matches[first].term;
    if (--seen[term] == 0 && terms[term].weight > 0) worth -= terms[term].weight;
  }
  segment->worth = WorthOf(segment->chosen(), terms);
}

// A stretch of a segment that the snippet shows.
struct Shown {
  size_t begin, end;  // in the segment
  size_t at;          // in the snippet
};

// The part of [begin, end) that shows the matches in `core` and takes max_characters.
Shown CutWords(std::string_view text, std::span<const Match> core, size_t max_characters) {
  // Room left over goes before and after; a sentence's beginning is a good place to start.
  size_t begin = 0, end = Forward(text, 0, max_characters);
  if (end < text.size() && !core.empty()) {
    // The matches, out to the words they are parts of.
    constexpr size_t kLongestWord = 32;
    size_t core_begin = core[0].begin, core_end = core_begin;
    for (const Match& match : core) core_end = std::max(core_end, match.end);
    for (size_t at = core_begin; at + kLongestWord > core_begin; --at) {
      if (!IsBorder(text, at)) continue;
      core_begin = at;
      break;
    }
    for (size_t at = core_end; at < core_end + kLongestWord; ++at) {
      if (!IsBorder(text, at)) continue;
      core_end = at;
      break;
    }
    const size_t used = CodePoints(text.substr(core_begin, core_end - core_begin));
    const size_t spare = max_characters > used ? max_characters - used : 0;
    begin = ChooseBegin(text, core_begin, spare);
    end = std::max(core_end, Forward(text, begin, max_characters));
    if (end == text.size() && begin > 0) {
      // The text ends within the window: more of what is before fits.
      begin = std::min(begin, Backward(text, end, max_characters));
      while (begin < core_begin && (!IsBorder(text, begin) || text[begin] == ' ')) ++begin;
    }
  }
  if (end < text.size()) {
    size_t cut = end;
    while (cut > begin && !IsBorder(text, cut)) --cut;
    if (cut > begin) end = cut;  // else one word fills the window: it is cut
    while (end > begin && text[end - 1] == ' ') --end;
  }
  return {begin, end, 0};
}

std::vector<Shown> ShowProse(const Segment& segment, std::span<const Match> core, size_t max_characters,
                             std::string* out) {
  Shown shown = CutWords(segment.text, core, max_characters);
  if (shown.begin > 0) *out = kEllipsis;
  shown.at = out->size();
  out->append(segment.text, shown.begin, shown.end - shown.begin);
  if (shown.end < segment.text.size()) *out += kEllipsis;
  return {shown};
}

// The lines around the matches, without the indentation that they share. A line that is too long is cut like prose.
std::vector<Shown> ShowCode(const Segment& segment, std::span<const Match> core, size_t max_characters,
                            std::string* out) {
  const std::string_view text = segment.text;
  std::vector<std::pair<size_t, size_t>> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    size_t last = end;
    while (last > at && IsSpace(text[last - 1])) --last;
    if (last > at || !lines.empty()) lines.emplace_back(at, last);
    at = end + 1;
  }
  const auto is_blank = [&](size_t line) { return lines[line].first == lines[line].second; };
  while (!lines.empty() && is_blank(lines.size() - 1)) lines.pop_back();
  if (lines.empty()) return {};

  const size_t target = core.empty() ? lines[0].first : core[0].begin;
  size_t first = 0;
  while (first + 1 < lines.size() && lines[first + 1].first <= target) ++first;
  size_t last = first + 1,
         characters = CodePoints(text.substr(lines[first].first, lines[first].second - lines[first].first));
  const auto take = [&](size_t line) {
    const size_t more = CodePoints(text.substr(lines[line].first, lines[line].second - lines[line].first));
    if (last - first >= kMaxCodeLines || characters + more > max_characters) return false;
    characters += more;
    return true;
  };
  const bool is_long = characters > max_characters;
  while (last < lines.size() && take(last)) ++last;
  while (first > 0 && take(first - 1)) --first;
  while (is_blank(last - 1)) --last;
  while (is_blank(first)) ++first;

  std::string_view margin;  // what all lines begin with
  for (size_t i = first; i < last; ++i) {
    const auto [begin, end] = lines[i];
    size_t indentation = begin;
    while (indentation < end && IsBlank(text[indentation])) ++indentation;
    if (is_blank(i)) continue;
    const std::string_view own = text.substr(begin, indentation - begin);
    if (i == first) margin = own;
    const size_t most = std::min(margin.size(), own.size());
    size_t same = 0;
    while (same < most && margin[same] == own[same]) ++same;
    margin = margin.substr(0, same);
  }
  std::vector<Shown> shown;
  if (first > 0) (*out += kEllipsis) += '\n';
  for (size_t i = first; i < last; ++i) {
    if (i > first) *out += '\n';
    if (is_blank(i)) continue;
    Shown piece = {lines[i].first + margin.size(), lines[i].second, 0};
    if (is_long) {
      const std::string_view line = text.substr(0, piece.end);
      const size_t begin =
          core.empty() ? piece.begin : std::max(piece.begin, Backward(line, target, max_characters / 3));
      const size_t end = Forward(line, begin, max_characters);
      if (begin > piece.begin) *out += kEllipsis;
      piece = {begin, end, 0};
    }
    piece.at = out->size();
    out->append(text, piece.begin, piece.end - piece.begin);
    if (piece.end < lines[i].second) *out += kEllipsis;
    shown.push_back(piece);
  }
  if (last < lines.size()) (*out += '\n') += kEllipsis;
  return shown;
}

// Appends the matches that are shown; those that overlap or touch become one. A name and its parts, 日本 and 本語.
void Highlight(std::string_view text, const std::vector<Match>& matches, std::span<const Shown> shown,
               TextMarks* marks) {
  size_t counted_to = 0, units = 0, covered = 0;
  const auto units_at = [&](size_t at) {
    units += Utf16Length(text.substr(counted_to, at - counted_to));
    counted_to = at;
    return uint32_t(units);
  };
  for (const Match& match : matches) {
    while (!shown.empty() && match.begin >= shown[0].end) shown = shown.subspan(1);
    if (shown.empty()) return;
    if (match.begin < shown[0].begin) continue;
    const size_t begin = match.begin - shown[0].begin + shown[0].at;
    const size_t end = std::min(match.end, shown[0].end) - shown[0].begin + shown[0].at;
    if (end <= covered) continue;
    const bool joins = !marks->empty() && begin <= covered;
    const uint32_t start = units_at(std::max(begin, covered));
    const uint32_t stop = units_at(end);
    if (joins) {
      marks->back().second += stop - start;
    } else {
      marks->emplace_back(start, stop - start);
    }
    covered = end;
  }
}

// Whether the line is the heading but for marks, spaces and numbers' dots; what a signature has in brackets is not part
// of its heading.
bool SameHeading(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  for (;;) {
    while (i < a.size() && !IsAsciiWord(a[i])) ++i;
    while (j < b.size() && !IsAsciiWord(b[j])) ++j;
    if (i == a.size() || j == b.size()) {
      return j == b.size() && (i == a.size() || (j > 0 && i > 0 && a[i - 1] == '('));
    }
    if (a[i++] != b[j++]) return false;
  }
}

// The passage's prose, then its code blocks.
std::vector<Segment> Segments(std::string_view passage, std::span<const std::string> headings) {
  std::vector<Part> parts;
  const std::string text = Stripper(passage).Run(&parts);
  std::vector<Segment> segments(1);
  bool leading = true, gap = false;
  for (const Part& part : parts) {
    std::string_view words = std::string_view(text).substr(part.begin, part.end - part.begin);
    leading = leading && part.kind != PartKind::kCode;
    while (leading && !words.empty()) {
      // Headings that are underlined are text here.
      const std::string_view line = words.substr(0, words.find('\n'));
      const auto repeats = [&](const std::string& heading) { return SameHeading(line, heading); };
      leading = Trim(line).empty() || std::any_of(headings.begin(), headings.end(), repeats);
      if (leading) words.remove_prefix(std::min(words.size(), line.size() + 1));
    }
    if (words.empty()) continue;
    if (part.kind == PartKind::kCode) {
      AppendPlain(words, true, &segments.emplace_back(Segment{true, {}, {}}).text);
      gap = true;
      continue;
    }
    std::string& prose = segments[0].text;
    if (!prose.empty()) {
      prose += ' ';
      if (gap) (prose += kEllipsis) += ' ';
    }
    gap = false;
    AppendPlain(words, false, &prose);
  }
  return segments;
}

}  // namespace

std::string StripMarks(std::string_view passage) { return Stripper(passage).Run(nullptr); }

TextMarks MarkWords(std::string_view text, const std::vector<SnippetTerm>& terms, const Analyzer& analyzer,
                    uint64_t whole) {
  TextMarks marks;
  const Shown all = {0, text.size(), 0};
  std::vector<Match> graded = Graded(FindMatches(text, terms, analyzer), terms, 0, text.size());
  std::erase_if(graded,
                [&](const Match& match) { return match.rank >= kPartOfName && whole & BitOf(terms[match.term]); });
  Highlight(text, graded, std::span(&all, 1), &marks);
  return marks;
}

Snippet MakeSnippet(std::string_view passage, std::span<const std::string> headings,
                    const std::vector<SnippetTerm>& terms, const Analyzer& analyzer, size_t max_characters) {
  Snippet snippet;
  if (max_characters == 0) return snippet;
  std::vector<Segment> segments = Segments(passage, headings);
  for (Segment& segment : segments) {
    segment.matches = FindMatches(segment.text, terms, analyzer);
    ChooseWindow(terms, max_characters, &segment);
  }
  const Segment* best = &segments[0];
  for (const Segment& segment : segments) {
    // A few words of prose say less than the code that they announce.
    const bool is_short = !best->is_code && best->text.size() < kShortProse && best->worth <= segment.worth;
    if (segment.worth > best->worth * 1.0001f + 1e-6f || is_short) best = &segment;
  }
  std::span<const Match> core = best->chosen();
  if (!headings.empty()) {
    const float worth = WorthOf(FindMatches(headings.back(), terms, analyzer), terms);
    snippet.follows_heading = worth > 0 && worth >= best->worth * 0.9999f;
  }
  if (snippet.follows_heading) {
    if (!segments[0].text.empty()) best = &segments[0];
    core = {};
  }
  snippet.is_code = best->is_code;
  const std::vector<Shown> shown = best->is_code ? ShowCode(*best, core, max_characters, &snippet.text)
                                                 : ShowProse(*best, core, max_characters, &snippet.text);
  if (shown.empty()) return snippet;
  const std::vector<Match> graded = Graded(best->matches, terms, shown.front().begin, shown.back().end);
  for (const Match& match : graded) snippet.whole |= match.rank == 0 ? BitOf(terms[match.term]) : 0;
  Highlight(snippet.text, graded, shown, &snippet.highlights);
  return snippet;
}

}  // namespace sheaf
