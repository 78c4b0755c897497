// Choosing the window of a passage's text: see snippet.h.
#include "text/snippet.h"

#include <algorithm>

#include "text/ascii.h"
#include "text/unicode.h"
#include "text/utf8.h"

namespace sheaf {
namespace {

constexpr size_t kNoWord = size_t(-1);

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
  return !IsUtf8Continuation(text[at]) && ClassOf(DecodeUtf8(text, at).code_point) == CharClass::kDense;
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
  size_t word = core, sentence = kNoWord;
  for (size_t at = core; at > earliest; --at) {
    if (at < usual && sentence != kNoWord) break;
    if (text[at] == ' ' || !IsBorder(text, at)) continue;
    if (at >= usual) word = at;
    const bool begins =
        at >= 2 && text[at - 1] == ' ' && std::string_view(".!?:").find(text[at - 2]) != std::string_view::npos;
    if (begins) sentence = at;
  }
  return sentence != kNoWord ? sentence : word;
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
    size_t best = kNoWord;
    for (size_t i = 0; i < terms.size(); ++i) {
      // A key that another one ends in is the last part of a compound. No other term ends like a key.
      const bool same = terms[i].term == token.term || token.keys.ends_with(terms[i].term);
      if (same && (best == kNoWord || terms[i].rank < terms[best].rank)) best = i;
    }
    if (best == kNoWord) continue;
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
void AppendHighlights(std::string_view text, const std::vector<Match>& matches, std::span<const Shown> shown,
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
std::vector<Segment> Segments(std::string_view passage, Markup markup, std::span<const std::string> headings) {
  std::vector<TextBlock> blocks;
  const std::string text = ReadText(passage, markup, &blocks);
  std::vector<Segment> segments(1);
  bool leading = true, gap = false;
  for (const TextBlock& block : blocks) {
    std::string_view words = std::string_view(text).substr(block.begin, block.end - block.begin);
    leading = leading && block.kind != BlockKind::kCode;
    while (leading && !words.empty()) {
      // Headings that are underlined are text here.
      const std::string_view line = words.substr(0, words.find('\n'));
      const auto repeats = [&](const std::string& heading) { return SameHeading(line, heading); };
      leading = Trim(line).empty() || std::any_of(headings.begin(), headings.end(), repeats);
      if (leading) words.remove_prefix(std::min(words.size(), line.size() + 1));
    }
    if (words.empty()) continue;
    if (block.kind == BlockKind::kCode) {
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

TextMarks MarkWords(std::string_view text, const std::vector<SnippetTerm>& terms, const Analyzer& analyzer,
                    uint64_t whole) {
  TextMarks marks;
  const Shown all = {0, text.size(), 0};
  std::vector<Match> graded = Graded(FindMatches(text, terms, analyzer), terms, 0, text.size());
  std::erase_if(graded,
                [&](const Match& match) { return match.rank >= kPartOfName && whole & BitOf(terms[match.term]); });
  AppendHighlights(text, graded, std::span(&all, 1), &marks);
  return marks;
}

Snippet MakeSnippet(std::string_view passage, Markup markup, std::span<const std::string> headings,
                    const std::vector<SnippetTerm>& terms, const Analyzer& analyzer, size_t max_characters) {
  Snippet snippet;
  if (max_characters == 0) return snippet;
  std::vector<Segment> segments = Segments(passage, markup, headings);
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
  AppendHighlights(snippet.text, graded, shown, &snippet.highlights);
  return snippet;
}

}  // namespace sheaf
