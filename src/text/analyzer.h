// Text to terms: one analyzer, shared by packing and querying, so that they agree by construction.
//
// Idea: technical text is words *and* names. A name is kept whole, because a reader who
// types `response_model_exclude_unset` wants exactly that. It is also split into its parts, because a
// reader who types "exclude unset" wants it too. Stems are not tokens: `Stem` maps a term to its
// group, and the lexicon keeps the forms of one stem side by side. So in English. In other languages a stem may begin
// otherwise than its word, and depends on accents that terms lack. So a word there has keys, which are terms beside its
// own.
//
// Folding (text/unicode.h): invalid UTF-8 becomes U+FFFD (a separator); compatibility forms, case
// and combining marks go, so that `Café` = `cafe`, `ＡＢＣ` = `abc`, `ﬁ` = `fi`, `Straße` = `strasse`.
// Soft hyphens, zero-width characters and removable marks are passed over inside words.
//
// Tokens of a text, in order of `begin`, longer before shorter; tokens of one name share `position`:
//   hello                word  hello
//   useEffect            whole useeffect · part use · part effect
//   XMLHttpRequest       whole xmlhttprequest · part xml · part http · part request
//   URLs, IPv4, GHz      word urls · word ipv4 · word ghz (no border within an acronym's ending)
//   response_model       whole response_model · part response · part model
//   __init__, _my_var    whole __init__ · part init; whole _my_var · whole my_var · part my · part var
//   asyncio.gather       whole asyncio.gather · part asyncio · part gather
//   a.b.c                also wholes of its suffixes: b.c (the last three that begin with a letter)
//   nn.cross_entropy     also the compounds in it: whole cross_entropy · part cross · part entropy
//   std::vector<T>       whole std::vector · part std · part vector · (T: word)
//   node:fs              whole node:fs · part node · part fs
//   @vue/reactivity      whole @vue/reactivity · part vue · part reactivity
//   --save-dev, -Wall    whole --save-dev · whole save-dev · part save · part dev; whole -wall · part wall
//   v-model              whole v-model · part v · part model (`well-known` likewise)
//   C++  C#  F#  C++17   whole c++ / c# / f# · part c / f; C++17 also whole c++17 · part 17
//   <table> </table>     whole <table> · part table; also `<table class=…>` and, at the end, `<table`
//   @click  $emit  #id   whole @click · part click; also `.env`, `:root`, `::before`, `$$props` where
//                        white space, a bracket or a quote is before them; not before a digit
//   utf8, 0xFF, 3.12     word utf8 · word 0xff · whole 3.12 · part 3 · part 12
//   don't, user's, we'll word dont · word user · word we; any other apostrophe separates
//   !! ?. => ... ===     runs of operator characters that stand alone: whole "!!", "?.", … (2..4 long;
//                        one character drawn three times or more is a line, but for ... and ===)
//   https://x.org/a-b    whole x.org · part x · part org · word a · word b: a URL's host is a name, the
//                        rest plain words; the scheme of web addresses is dropped
//   foo->bar, and/or     separate words; so are foo--bar and obj?.prop
//   日本語                CJK bigrams 日本 · 本語 (a run of one: the character itself). Kana, Hangul,
//                        Thai, Lao, Khmer and Burmese are cut likewise; emoji are separators
//
// Invariants
//  1. A term is never empty and at most kMaxTermBytes bytes of valid UTF-8; longer ones are
//     dropped as wholes while their parts stay. A run of letters and digits alone that is longer
//     is data (base64, hashes) and gives no token. A name gives at most kMaxParts parts; it ends at
//     the first '.', ':' or '-' after them, and the rest is a name of its own.
//  2. Tokenize(text) depends on the text alone: no locale, no state between calls.
//  3. Stem(t) shares all but the last byte of its own with t (the lexicon's prefix search counts
//     on it); where Snowball would break this, the term is its own stem.
//  4. Idempotent: tokenizing a term gives that term first; a word's or part's gives no other token.
//     Fold(term) is the term.
//
// Threads: Analyzer is immutable but for the stemmer's scratch space; use one per thread.
// Cost: one pass, linear for any bytes; 150 to 230 MB/s native on English documentation.
#ifndef SHEAF_TEXT_ANALYZER_H_
#define SHEAF_TEXT_ANALYZER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/language.h"

namespace sheaf {

inline constexpr size_t kMaxTermBytes = 64;
inline constexpr size_t kMaxParts = 12;

enum class TokenKind : uint8_t {
  kWord = 0,   // a plain word, number or CJK bigram
  kWhole = 1,  // a compound name kept whole; does not count towards a field's length
  kPart = 2,   // part of a compound name
};

struct Token {
  std::string term;  // folded
  TokenKind kind = TokenKind::kWord;
  uint32_t position = 0;  // running number of the word or name in the text
  uint32_t begin = 0;     // byte range in the text that was given
  uint32_t end = 0;
  // Of a word or part, where the language has rules (text/language.h): the terms under which all its forms are found,
  // one after the other. Each ends in '*', which no other term does that begins with a letter.
  std::string keys;
  bool is_function_word = false;  // by those rules
};

// Bundles name how their words were made, because words made otherwise are silently not found. Each change of tokens or
// folding makes a new version of the tokenizer, each change of stems one of that language's stemmer; 0: no stemmer.
inline constexpr uint16_t kTokenizerVersion = 1;
uint16_t StemmerVersion(Language language);
// Very frequent function words ("the", "how", "is") that queries may ignore when they also hold
// other words: of a fixed English list, or of the language's own. Folded terms.
bool IsStopWord(std::string_view term);

// Takes the first key off `keys`; empty: there is none.
inline std::string_view NextKey(std::string_view* keys) {
  const std::string_view key = keys->substr(0, keys->find('*') + 1);
  keys->remove_prefix(key.size());
  return key;
}

// Whether a key is the beginning of a stem and no stem.
inline bool IsRoot(std::string_view key) { return key.ends_with(".*"); }

class Analyzer {
 public:
  explicit Analyzer(Language language = Language::kEnglish);
  ~Analyzer();
  Analyzer(Analyzer&&) noexcept;
  Analyzer& operator=(Analyzer&&) noexcept;

  // Appends the tokens of `text` to `out`; positions count from 0 in each text. Any bytes are
  // accepted; those beyond 4 GiB are ignored.
  void Tokenize(std::string_view text, std::vector<Token>* out) const;

  bool IsEnglish() const;

  // The stem of a folded term; the term itself when it holds anything but the letters a..z, is
  // shorter than three letters, or the language is not English: others have keys.
  std::string Stem(std::string_view term) const;

  // Text folded as tokens are, other characters kept; for comparing titles. White space becomes ' '
  // where it is a kind of it, typographic apostrophes and hyphens become ' and -, fullwidth forms
  // ASCII. Idempotent; the result is valid UTF-8.
  static std::string Fold(std::string_view text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Of a name that takes the bytes [begin, end) of a text: a token of it stands for all of it, sigils aside (`amend` of
// --amend); it is the last part of a path (`join` of os.path.join).
bool StandsForAll(std::string_view text, uint32_t begin, uint32_t end, const Token& token);
bool EndsPath(std::string_view text, uint32_t begin, uint32_t end, const Token& token);

}  // namespace sheaf

#endif  // SHEAF_TEXT_ANALYZER_H_
