// UTF-8 in and out, and lengths in UTF-16 code units.
//
// Idea: any bytes decode. Bytes that are not UTF-8 become U+FFFD, one for each maximal subpart, as in
// browsers' TextDecoder; so offsets computed here agree with those computed there.
//
// Invariants
//  1. Decoding makes progress: `size` is 1..4 and stays within the text.
//  2. A decoded code point is a scalar value: no surrogate, and at most U+10FFFF.
//
// Cost: a few comparisons a code point; no allocation but by the string appended to.
#ifndef SHEAF_TEXT_UTF8_H_
#define SHEAF_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code_point = kReplacement;
  uint32_t size = 1;  // bytes consumed
  bool valid = false;
};

// The code point at `at`. REQUIRES: at < text.size()
inline Decoded DecodeUtf8(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return uint32_t(uint8_t(text[i])); };
  const uint32_t lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const uint32_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte's range rules out overlong forms, surrogates and code points beyond U+10FFFF.
  const uint32_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint32_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t code_point = lead & (0x7Fu >> length);
  for (uint32_t i = 1; i < length; ++i) {
    if (at + i >= text.size()) return {kReplacement, i, false};
    const uint32_t next = byte(at + i);
    if (next < (i == 1 ? low : 0x80) || next > (i == 1 ? high : 0xBF)) {
      return {kReplacement, i, false};
    }
    code_point = code_point << 6 | (next & 0x3F);
  }
  return {code_point, length, true};
}

// Whether `byte` goes on with a character that an earlier one began.
inline bool IsUtf8Continuation(char byte) { return (uint8_t(byte) & 0xC0) == 0x80; }

// Writes up to four bytes. Returns how many. REQUIRES: code_point is a scalar value
inline size_t EncodeUtf8(char32_t code_point, char* out) {
  if (code_point < 0x80) {
    out[0] = char(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = char(0xC0 | code_point >> 6);
    out[1] = char(0x80 | (code_point & 0x3F));
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = char(0xE0 | code_point >> 12);
    out[1] = char(0x80 | (code_point >> 6 & 0x3F));
    out[2] = char(0x80 | (code_point & 0x3F));
    return 3;
  }
  out[0] = char(0xF0 | code_point >> 18);
  out[1] = char(0x80 | (code_point >> 12 & 0x3F));
  out[2] = char(0x80 | (code_point >> 6 & 0x3F));
  out[3] = char(0x80 | (code_point & 0x3F));
  return 4;
}

inline void AppendUtf8(char32_t code_point, std::string* out) {
  char bytes[4];
  out->append(bytes, EncodeUtf8(code_point, bytes));
}

inline bool IsUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Decoded d = DecodeUtf8(text, at);
    if (!d.valid) return false;
    at += d.size;
  }
  return true;
}

// How many UTF-16 code units JavaScript sees in `text`.
inline size_t Utf16Length(std::string_view text) {
  size_t units = 0;
  for (size_t at = 0; at < text.size();) {
    const Decoded d = DecodeUtf8(text, at);
    units += d.code_point >= 0x10000 ? 2 : 1;
    at += d.size;
  }
  return units;
}

}  // namespace sheaf

#endif  // SHEAF_TEXT_UTF8_H_
