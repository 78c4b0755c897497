#include "packer/base/printable.h"

#include <algorithm>
#include <cstdint>
#include <system_error>

namespace sheaf::packer {
namespace {

// Length of the UTF-8 sequence at the front of `text`; 0 when it is not well formed.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? uint8_t(text[i]) : uint8_t(0); };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool beyond = first == 0xf4 && byte(1) > 0x8f;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

// C0, DEL and, encoded as C2 80..9F, C1.
bool IsControl(std::string_view sequence) {
  const uint8_t first = uint8_t(sequence[0]);
  return first < 0x20 || first == 0x7f || (first == 0xc2 && uint8_t(sequence[1]) < 0xa0);
}

}  // namespace

std::string PrintablePath(std::string_view name) {
  const auto scan = [&](auto&& plain, auto&& odd) {
    for (size_t at = 0; at < name.size();) {
      const size_t length = SequenceLength(name.substr(at));
      const bool good = length > 0 && !IsControl(name.substr(at, length));
      const std::string_view piece = name.substr(at, std::max<size_t>(length, 1));
      if (good) plain(piece); else odd(piece);
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
  scan([&](std::string_view piece) { if (piece == "%") escape(piece); else out += piece; }, escape);
  return out;
}

std::string TerminalText(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const uint8_t first = uint8_t(text[at]);
    const size_t length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    bool good = length > 0 && at + length <= text.size() && first < 0xf5;
    uint32_t character = length == 1 ? first : first & (0xffu >> (length + 1));
    for (size_t i = 1; good && i < length; ++i) {
      const uint8_t next = uint8_t(text[at + i]);
      good = (next & 0xc0) == 0x80;
      character = character << 6 | (next & 0x3f);
    }
    if (!good) {
      out += '?';
      ++at;
      continue;
    }
    const bool control = character < 0x20 || (character >= 0x7f && character < 0xa0);
    // Line and paragraph separators; embeddings, overrides and isolates of the bidi algorithm.
    const bool reorders = (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069) ||
                          character == 0x200e || character == 0x200f || character == 0x061c;
    if (control || reorders) out += ' '; else out += text.substr(at, length);
    at += length;
  }
  return out;
}

std::string ErrnoText(int error) { return std::generic_category().message(error); }

}  // namespace sheaf::packer
