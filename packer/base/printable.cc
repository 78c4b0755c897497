#include "packer/base/printable.h"

#include <system_error>

#include "text/utf8.h"

namespace sheaf::packer {
namespace {

// C0, DEL and C1.
bool IsControl(char32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

// Characters that break lines or reorder text: line and paragraph separators, and the marks, embeddings,
// overrides and isolates of the bidirectional algorithm.
bool Reorders(char32_t c) {
  return (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0x061c;
}

}  // namespace

std::string PrintablePath(std::string_view name) {
  const auto scan = [&](auto&& plain, auto&& odd) {
    for (size_t at = 0; at < name.size();) {
      const Decoded character = DecodeUtf8(name, at);
      const bool good = character.valid && !IsControl(character.code_point);
      const std::string_view piece = name.substr(at, character.valid ? character.size : 1);
      if (good)
        plain(piece);
      else
        odd(piece);
      at += piece.size();
    }
  };
  bool clean = true;
  scan([](std::string_view) {}, [&](std::string_view) { clean = false; });
  if (clean) return std::string(name);
  std::string out;
  const auto escape = [&](std::string_view piece) {
    constexpr char kHex[] = "0123456789ABCDEF";
    for (char c : piece) (out += '%') += {kHex[uint8_t(c) >> 4], kHex[uint8_t(c) & 15]};
  };
  scan(
      [&](std::string_view piece) {
        if (piece == "%")
          escape(piece);
        else
          out += piece;
      },
      escape);
  return out;
}

std::string TerminalText(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Decoded character = DecodeUtf8(text, at);
    if (!character.valid) {
      out += '?';
      ++at;
      continue;
    }
    if (IsControl(character.code_point) || Reorders(character.code_point)) {
      out += ' ';
    } else {
      out += text.substr(at, character.size);
    }
    at += character.size;
  }
  return out;
}

std::string ErrnoText(int error) { return std::generic_category().message(error); }

}  // namespace sheaf::packer
