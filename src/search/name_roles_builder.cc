#include "search/name_roles_builder.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "search/chapters_builder.h"
#include "text/ascii.h"

namespace sheaf {
namespace {

constexpr size_t kMaxAlternatives = 16;
constexpr std::string_view kBlank = " \t\n\r\f";

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsNamingByte(char c) {
  return IsDigit(c) || IsUpper(c) || (c >= 'a' && c <= 'z') || c == '_' || uint8_t(c) >= 0x80;
}

std::string_view Trimmed(std::string_view s, std::string_view what = kBlank) {
  const size_t first = s.find_first_not_of(what);
  return first == std::string_view::npos ? std::string_view() : s.substr(first, s.find_last_not_of(what) - first + 1);
}

// "19.3.1 Connection Settings", "F.1. adminpack", "Kapitel 7. Malen": the number of a section has a point at its end,
// or within it and a capital behind it. "3.12 notes" are about a version.
std::string_view WithoutNumber(std::string_view whole) {
  if (const size_t ordinal = OrdinalChapterAt(whole); ordinal > 0) return Trimmed(whole.substr(ordinal));
  const size_t word = ChapterWordAt(whole);
  const std::string_view name = whole.substr(word);
  size_t end = 0;
  if (!name.empty() && (IsDigit(name[0]) || IsUpper(name[0]))) ++end;
  while (word > 0 && end > 0 && end < name.size() && IsUpper(name[end])) ++end;  // Part II
  while (end > 0 && end < name.size() && (IsDigit(name[end]) || name[end] == '.')) ++end;
  const std::string_view number = name.substr(0, end), behind = name.substr(end);
  const size_t space = behind.starts_with(' ') ? 1 : behind.starts_with("\u00A0") ? 2 : 0;
  if (end < 2 || space == 0 || number.find('.') == std::string_view::npos) return whole;
  const std::string_view rest = Trimmed(behind.substr(space));
  const bool capital = !rest.empty() && (IsUpper(rest[0]) || uint8_t(rest[0]) >= 0x80);
  return number.ends_with('.') || capital ? rest : whole;
}

// Words for the kind of a named thing, not its name. Sorted, for the binary search.
constexpr auto kKinds = std::to_array<std::string_view>({
    "abstract",    "async",    "attribute", "class",    "classmethod", "command",   "const",        "constant",
    "constructor", "crate",    "data",      "def",      "directive",   "element",   "enum",         "event",
    "exception",   "fn",       "function",  "hook",     "interface",   "keyword",   "macro",        "method",
    "mod",         "module",   "namespace", "operator", "option",      "parameter", "pragma",       "primitive",
    "program",     "property", "pub",       "setting",  "statement",   "static",    "staticmethod", "struct",
    "trait",       "type",     "typedef",   "union",    "unsafe",      "var",       "variable",
});
bool IsKind(std::string_view term) { return std::binary_search(kKinds.begin(), kKinds.end(), term); }

// Tokens of one position: a word, or a name with its parts.
struct NamedWord {
  std::vector<Token> tokens;
  uint32_t begin = 0, end = 0;
};

std::vector<NamedWord> NameWordsOf(std::string_view text, const Analyzer& analyzer) {
  std::vector<Token> tokens;
  analyzer.Tokenize(text, &tokens);
  std::vector<NamedWord> words;
  for (Token& token : tokens) {
    if (words.empty() || words.back().tokens[0].position != token.position) {
      words.push_back({{}, token.begin, token.end});
    }
    words.back().begin = std::min(words.back().begin, token.begin);
    words.back().end = std::max(words.back().end, token.end);
    words.back().tokens.push_back(std::move(token));
  }
  return words;
}

void SetRole(const Token& token, NameRole role, TermTally* tally) {
  tally->SetRole(token.term, role);
  for (std::string_view keys = token.keys; !keys.empty();) tally->SetRole(NextKey(&keys), role);
}

// Marks the tokens that stand for the whole word: itself, and itself without the sigil before it.
void MarkWhole(std::string_view text, const NamedWord& word, NameRole role, TermTally* tally) {
  for (const Token& token : word.tokens) {
    if (StandsForAll(text, word.begin, word.end, token)) SetRole(token, role, tally);
  }
}

// Marks the last parts of a path.
void MarkLastPart(std::string_view text, const NamedWord& word, TermTally* tally) {
  for (const Token& token : word.tokens) {
    if (EndsPath(text, word.begin, word.end, token)) SetRole(token, NameRole::kLastPart, tally);
  }
}

// Marks the name at the beginning of each alternative: "-m MESSAGE, --message=MESSAGE".
void MarkFirst(std::string_view names, NameRole role, const Analyzer& analyzer, TermTally* tally) {
  for (size_t i = 0; i < kMaxAlternatives && !names.empty(); ++i) {
    const size_t end = std::min(names.find(", "), names.find('\n'));
    const std::string_view one = Trimmed(names.substr(0, end), " \t\n\r\f`");
    const std::vector<NamedWord> words = NameWordsOf(one, analyzer);
    if (!words.empty()) MarkWhole(one, words[0], role, tally);
    names = end == std::string_view::npos ? std::string_view() : names.substr(end + 1);
  }
}

void MarkName(std::string_view name, const Analyzer& analyzer, TermTally* tally) {
  // An option with its arguments.
  if (name.starts_with('-')) return MarkFirst(name, NameRole::kOneWord, analyzer, tally);
  const std::vector<NamedWord> words = NameWordsOf(name, analyzer);
  // A destructor has the name of its class, and is not it.
  if (name.starts_with('~')) {
    for (const NamedWord& word : words) MarkWhole(name, word, NameRole::kTwoWords, tally);
    return;
  }
  const auto names_something = [](const NamedWord& word) { return !IsKind(word.tokens[0].term); };
  const auto named = size_t(std::count_if(words.begin(), words.end(), names_something));
  for (const NamedWord& word : words) {
    MarkWhole(name, word, NameRoleOf(words.size()), tally);
    if (words.size() > 1 && !(named == 1 && names_something(word))) continue;
    MarkWhole(name, word, NameRole::kOneWord, tally);
    MarkLastPart(name, word, tally);
  }
}

}  // namespace

std::string_view BareName(std::string_view heading) {
  std::string_view name = WithoutNumber(Trimmed(heading));
  if (name.starts_with('-')) return name;
  // Its signature: "watch(source)", "Option<T>", "x = f (y)". A text that begins with a bracket is no signature.
  const size_t call = name.find('(');
  if (call != std::string_view::npos && call > 0) {
    name = name.substr(0, call);
    if (const size_t result = name.rfind(" = "); result != std::string_view::npos) name = name.substr(result + 3);
  }
  if (const size_t open = name.find_first_of("<["); open != std::string_view::npos && open > 0) {
    if (IsNamingByte(name[open - 1])) name = name.substr(0, open);
  }
  return Trimmed(name, " \t\n\r\f:;,`'\"");
}

void NameByHeading(std::string_view heading, const Analyzer& analyzer, TermTally* tally) {
  MarkName(BareName(heading), analyzer, tally);
  // "os.path — Common pathname manipulations", "a, b": the name first, or several.
  for (const std::string_view border : {" \u2014 ", " \u2013 ", " - ", ": "}) {
    const size_t end = heading.find(border);
    if (end != std::string_view::npos) MarkName(BareName(heading.substr(0, end)), analyzer, tally);
  }
}

void NameByTerm(std::string_view term, const Analyzer& analyzer, TermTally* tally) {
  MarkFirst(term, NameRole::kInside, analyzer, tally);
}

}  // namespace sheaf
