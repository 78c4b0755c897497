#include "text/unicode.h"

#include <cstring>

#include "text/utf8.h"

namespace sheaf {
namespace {

#include "text/unicode_tables.inc"

static_assert(kLongestFold <= kMaxFoldBytes);
static_assert(kTableLimit == sizeof(kClassIndex) << kBlockBits);

constexpr uint8_t kFoldBit = 8;

uint8_t ClassBits(char32_t cp) {
  if (cp < kTableLimit) {
    const uint32_t block = kClassIndex[cp >> kBlockBits];
    const uint32_t within = cp & ((1u << kBlockBits) - 1);
    const uint8_t pair = kClassBlocks[(block << (kBlockBits - 1)) + (within >> 1)];
    return (within & 1) ? pair >> 4 : pair & 15;
  }
  if (cp < 0x33480) return uint8_t(CharClass::kDense);                     // planes 2 and 3 hold ideographs
  if (cp >= 0xE0000 && cp < 0xE1000) return uint8_t(CharClass::kIgnored);  // tags, selectors
  return uint8_t(CharClass::kNone);
}

}  // namespace

CharClass ClassOf(char32_t code_point) { return CharClass(ClassBits(code_point) & ~kFoldBit); }

size_t FoldCodePoint(char32_t code_point, char* out) {
  const uint8_t bits = ClassBits(code_point);
  if (bits == uint8_t(CharClass::kDigit)) {
    // Zeros of scripts end in 0 or, where 5 is no digit, in 6.
    const uint32_t zero = ClassBits((code_point & ~15u) | 5) == bits ? 0 : 6;
    *out = char('0' + ((code_point - zero) & 15));
    return 1;
  }
  if (!(bits & kFoldBit)) return EncodeUtf8(code_point, out);
  // The last range that begins at or before the code point; the fold bit says that it covers it.
  size_t low = 0, high = sizeof(kFoldRanges) / sizeof(kFoldRanges[0]);
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    ((kFoldRanges[middle] & 0x1FFFF) <= code_point ? low : high) = middle;
  }
  const uint32_t value = kFoldValues[low];
  switch (kFoldRanges[low] >> 17 & 3) {
    case 0: return EncodeUtf8(char32_t(code_point + value), out);
    case 1: return EncodeUtf8(value, out);
    default: std::memcpy(out, kFoldPool + (value >> 8), value & 0xFF); return value & 0xFF;
  }
}

char32_t ComposeDense(char32_t first, char32_t second) {
  // Hangul: the standard's arithmetic.
  if (first >= 0x1100 && first < 0x1113 && second >= 0x1161 && second < 0x1176) {
    return 0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28;
  }
  if (first >= 0xAC00 && first < 0xD7A4 && (first - 0xAC00) % 28 == 0 && second > 0x11A7 && second < 0x11C3) {
    return first + (second - 0x11A7);
  }
  // Kana: the voiced letter follows the plain one, the half-voiced one follows that.
  const bool voiced = second == 0x3099 || second == 0xFF9E;
  const bool half_voiced = second == 0x309A || second == 0xFF9F;
  if ((!voiced && !half_voiced) || first < 0x3041 || first > 0x30FE) return 0;
  const bool katakana = first >= 0x30A1;
  const char32_t kana = katakana ? first - 0x60 : first;
  const char32_t shift = first - kana;
  if (kana >= 0x306F && kana <= 0x307B && kana % 3 == 0) return first + (voiced ? 1 : 2);
  if (half_voiced) return 0;
  if (kana == 0x3046) return 0x3094 + shift;
  if (kana == 0x309D) return 0x309E + shift;
  if (kana >= 0x304B && kana <= 0x3061 && kana % 2 == 1) return first + 1;
  if (kana >= 0x3064 && kana <= 0x3068 && kana % 2 == 0) return first + 1;
  return 0;
}

}  // namespace sheaf
