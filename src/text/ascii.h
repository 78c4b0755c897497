// Classes of ASCII bytes, as the readers of text see them. Bytes of other characters are part of words.
#ifndef SHEAF_TEXT_ASCII_H_
#define SHEAF_TEXT_ASCII_H_

#include <cstdint>
#include <string_view>

namespace sheaf {

inline bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool IsSpace(char c) { return uint8_t(c) <= ' ' || c == 127; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsAsciiLetter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
inline bool IsAsciiWord(char c) { return IsDigit(c) || IsAsciiLetter(c) || uint8_t(c) >= 0x80; }

inline std::string_view Trim(std::string_view s) {
  while (!s.empty() && IsSpace(s.front())) s.remove_prefix(1);
  while (!s.empty() && IsSpace(s.back())) s.remove_suffix(1);
  return s;
}

}  // namespace sheaf

#endif  // SHEAF_TEXT_ASCII_H_
