// Text to terms: one analyzer, shared by packing and querying, so that they agree by construction.
//
// Idea: technical text is words *and* names. A name is kept whole, because whoever types
// `response_model_exclude_unset` wants exactly that, and is also split into its parts, because
// whoever types "exclude unset" wants it too. Stems are not tokens: `Stem` maps a term to its
// group, and the lexicon keeps the forms of one stem side by side.
//
// Folding: invalid UTF-8 becomes U+FFFD (a separator); then NFKC-like compatibility folding,
// lower case and removal of combining marks, by a generated table (text/unicode_tables.inc), so
// that `Café` = `cafe`, `ＡＢＣ` = `abc`, `ﬁ` = `fi`.
//
// Tokens of a text, in order of `begin`; tokens of one name share `position`:
//   hello               word  hello
//   useEffect           whole useeffect · part use · part effect
//   XMLHttpRequest      whole xmlhttprequest · part xml · part http · part request
//   response_model      whole response_model · part response · part model
//   asyncio.gather      whole asyncio.gather · part asyncio · part gather
//   a.b.c               also wholes of its suffixes: b.c
//   std::vector<T>      whole std::vector · part std · part vector · (T: word)
//   --save-dev          whole --save-dev · whole save-dev · part save · part dev
//   v-model             whole v-model · part v · part model
//   C++  C#  F#         whole c++ / c# / f# (and word c / f as a part)
//   <table> </table>    whole <table> · part table
//   @click  $emit  #id  whole @click · part click
//   utf8, py3, 3.12     word utf8 · word py3 · whole 3.12 · part 3 · part 12
//   don't, user's       word don't -> dont · word user (possessive dropped)
//   !! ?. => ...        runs of operator characters alone: whole "!!", "?.", "=>", "..." (2..4 long)
//   日本語               CJK bigrams 日本 · 本語 (a run of one: the character itself)
//
// Invariants
//  1. A term is never empty and at most kMaxTermBytes bytes of valid UTF-8; longer ones are
//     dropped as wholes while their parts stay. A name gives at most kMaxParts parts.
//  2. Tokenize(text) depends on the text alone: no locale, no state between calls.
//  3. Stem(t) shares all but the last byte of its own with t (the lexicon's prefix search counts
//     on it); where Snowball would break this, the term is its own stem.
//  4. Idempotent: tokenizing a word's own term gives that term.
//
// Threads: Analyzer is immutable but for the stemmer's scratch space; use one per thread.
// Cost: one pass, about 100 MB/s native.
#ifndef SHEAF_TEXT_ANALYZER_H_
#define SHEAF_TEXT_ANALYZER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

inline constexpr size_t kMaxTermBytes = 64;
inline constexpr size_t kMaxParts = 12;

enum class TokenKind : uint8_t {
  kWord = 0,   // a plain word, number or CJK bigram
  kWhole = 1,  // a compound name kept whole; does not count towards a field's length
  kPart = 2,   // part of a compound name
};

struct Token {
  std::string term;       // folded
  TokenKind kind = TokenKind::kWord;
  uint32_t position = 0;  // running number of the word or name in the text
  uint32_t begin = 0;     // byte range in the text that was given
  uint32_t end = 0;
};

enum class Language : uint8_t { kNone = 0, kEnglish = 1 };

class Analyzer {
 public:
  explicit Analyzer(Language language = Language::kEnglish);
  ~Analyzer();
  Analyzer(Analyzer&&) noexcept;
  Analyzer& operator=(Analyzer&&) noexcept;

  // Appends the tokens of `text` to `out`. Any bytes are accepted.
  void Tokenize(std::string_view text, std::vector<Token>* out) const;

  // The stem of a folded term; the term itself when it holds anything but the letters a..z, is
  // shorter than three letters, or the language is kNone.
  std::string Stem(std::string_view term) const;

  // Text folded as tokens are, other characters kept; for comparing titles.
  static std::string Fold(std::string_view text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Very frequent function words ("the", "how", "is") that queries may ignore when they also hold
// other words. A fixed English list; folded terms.
bool IsStopWord(std::string_view term);

// True for a query that looks like a name rather than a sentence: one or two words of which one is
// a compound (camelCase, snake_case, dotted, `::`, sigil, `--flag`).
bool LooksLikeSymbol(std::string_view query);

}  // namespace sheaf

#endif  // SHEAF_TEXT_ANALYZER_H_
