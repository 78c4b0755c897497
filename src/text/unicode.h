// The Unicode data the analyzer needs: the class of a code point and its folding.
//
// Idea: two tables made by scripts/unicode_tables.mjs, a two-stage one for classes and a sorted
// list of ranges for foldings. Most letters fold to themselves; their class says so, and the list
// is not searched.
//
// Folding is NFKD without marks, case folded, Latin strokes and ligatures spelled out: É -> e,
// ß -> ss, Ł -> l, ﬁ -> fi, Ａ -> a, ² -> 2, ς -> σ. Digits of all scripts are ASCII's (٣ -> 3), and letters that
// Persian and Arabic keyboards have each for itself are one: ي and ى -> ی, ك -> ک. Marks are removed where words stay
// readable without them (Latin, Greek, Cyrillic, Hebrew, Arabic); elsewhere (Indic, Thai) they are vowels and stay.
// Dense scripts stay composed: が and 각 are letters of their own.
//
// Invariants
//  1. Folding is idempotent, and a folded code point is never kUpper.
//  2. A word character folds to word characters, a dense one to dense ones; neither folds to an empty text.
//
// Left out, see the script: compatibility ideographs, Arabic ligatures, Hangul compatibility jamo
// (not folded), historic scripts of plane 1 (separators).
// Cost: one load for the class of ASCII, two beyond; ten comparisons for a folding.
#ifndef SHEAF_TEXT_UNICODE_H_
#define SHEAF_TEXT_UNICODE_H_

#include <cstddef>
#include <cstdint>

namespace sheaf {

enum class CharClass : uint8_t {
  kNone = 0,  // separators: white space, punctuation, symbols, emoji, unassigned
  kLower = 1,
  kUpper = 2,   // also title case
  kLetter = 3,  // without case; marks that are vowels
  kDigit = 4,
  kDense = 5,    // scripts without spaces: Han, kana, Hangul, Bopomofo, Thai, Lao, Khmer, Burmese
  kIgnored = 6,  // removable marks, soft hyphens, zero-width characters: dropped inside words
};

CharClass ClassOf(char32_t code_point);

inline bool IsWordClass(CharClass c) { return c >= CharClass::kLower && c <= CharClass::kDigit; }

inline constexpr size_t kMaxFoldBytes = 16;

// Writes the folding of a word or dense character as UTF-8; returns the number of bytes, 1..16.
// Other characters are written as they are.
size_t FoldCodePoint(char32_t code_point, char* out);

// The composition of two dense characters that make one letter: か + voiced mark (also its
// halfwidth form) = が, Hangul jamo = syllable. 0 where there is none.
char32_t ComposeDense(char32_t first, char32_t second);

}  // namespace sheaf

#endif  // SHEAF_TEXT_UNICODE_H_
