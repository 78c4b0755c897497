#include "packer/base/charset.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "packer/base/named_charset.h"
#include "text/utf8.h"

namespace sheaf::packer {
namespace {

// How many of the bytes from `at` on are ASCII and no controls, eight looked at together: of the eight, the high bit of one
// that is not is set, or becomes so when 0x20 is taken from it or 1 is added.
size_t CountPlain(std::string_view text, size_t at) {
  constexpr uint64_t kEach = 0x0101010101010101;
  const size_t begin = at;
  for (; text.size() - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
    uint64_t eight;
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight | (eight - 0x20 * kEach) | (eight + kEach)) & 0x80 * kEach) break;
  }
  return at - begin;
}

bool IsStrayControl(uint32_t c) { return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0); }

// Writes characters one by one and keeps the invariants on the way.
class CleanWriter {
 public:
  explicit CleanWriter(size_t expected) { out_.reserve(expected); }

  void Put(uint32_t c) {
    if (c == '\n' && after_return_) {
      after_return_ = false;
      return;  // the second half of CR LF
    }
    after_return_ = c == '\r';
    if (c == '\r') {
      out_.push_back('\n');
    } else if (IsStrayControl(c)) {
      out_.push_back(' ');
    } else {
      AppendUtf8(c, &out_);
    }
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
  bool after_return_ = false;
};

struct Census {
  size_t nul = 0;
  size_t control = 0;    // C0 controls that text has no use for, NUL included
  size_t bad = 0;        // bytes that are not part of valid UTF-8
  size_t multibyte = 0;  // valid sequences of two or more bytes
};

Census Count(std::string_view bytes) {
  Census census;
  size_t look_at = 0;  // for plain bytes
  for (size_t i = 0; i < bytes.size();) {
    if (i >= look_at) {
      i += CountPlain(bytes, i);
      look_at = i + 8;
      if (i == bytes.size()) break;
    }
    const uint8_t c = uint8_t(bytes[i]);
    if (c < 0x80) {
      if (c == 0) ++census.nul;
      // Form feed, vertical tab, backspace and escape occur in old plain text.
      if (c < 0x20 && !(c >= 0x08 && c <= 0x0D) && c != 0x1B) ++census.control;
      ++i;
      continue;
    }
    const Decoded character = DecodeUtf8(bytes, i);
    if (character.valid)
      ++census.multibyte;
    else
      census.bad += character.size;
    i += character.size;
  }
  return census;
}

bool LooksBinary(const Census& census, size_t size) {
  if (census.nul >= 4 && census.nul > size / 100) return true;
  return census.control >= 8 && census.control > size / 20;
}

// unreachable: every ICU has both encodings
Error NotBuiltIn(const char* encoding) {
  return Error{ErrorCode::kInternal, std::string("this build reads no ") + encoding + ": convert the file to UTF-8"};
}

size_t CountReplacements(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find("\uFFFD", at)) != std::string_view::npos; at += 3) ++count;
  return count;
}

}  // namespace

void AppendUtf8(uint32_t c, std::string* out) {
  const bool is_scalar = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
  sheaf::AppendUtf8(is_scalar ? char32_t(c) : kReplacement, out);
}

uint32_t NextCodePoint(std::string_view text, size_t* position) {
  const Decoded character = DecodeUtf8(text, *position);
  *position += character.valid ? character.size : 1;
  return character.code_point;
}

size_t CountCodePoints(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += !IsUtf8Continuation(c);
  return count;
}

bool IsCleanText(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") return false;
  for (size_t i = CountPlain(text, 0); i < text.size(); i += CountPlain(text, i)) {
    // Up to a whole plain word of eight.
    for (const size_t end = std::min(i + 8, text.size()); i < end;) {
      const Decoded character = DecodeUtf8(text, i);
      if (!character.valid || IsStrayControl(character.code_point)) return false;
      i += character.size;
    }
  }
  return true;
}

std::string CleanText(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  if (IsCleanText(text)) return std::string(text);
  CleanWriter writer(text.size());
  for (size_t i = 0; i < text.size();) writer.Put(NextCodePoint(text, &i));
  std::string cleaned = writer.Take();
  // Several marks in a row come from files glued together.
  size_t marks = 0;
  while (cleaned.compare(marks, 3, "\xEF\xBB\xBF") == 0) marks += 3;
  return cleaned.erase(0, marks);
}

Result<DecodedText> DecodeText(std::string_view bytes, std::string_view path, const std::string& declared) {
  DecodedText decoded;
  auto starts = [&](std::string_view mark) { return bytes.substr(0, mark.size()) == mark; };

  if (starts(std::string_view("\xFF\xFE\0\0", 4)) || starts(std::string_view("\0\0\xFE\xFF", 4))) {
    return Error{ErrorCode::kInvalidArgument,
                 std::string(path) + " is UTF-32; expected UTF-8, UTF-16 or Latin-1: convert it to UTF-8"};
  }
  if (starts("\xFF\xFE") || starts("\xFE\xFF")) {
    const std::optional<std::string> text = DecodeUtf16(bytes.substr(2), starts("\xFE\xFF"));
    if (!text) return NotBuiltIn("UTF-16");
    decoded.text = CleanText(*text);
    if (const size_t damaged = CountReplacements(*text); damaged > 0) {
      decoded.warnings.push_back("UTF-16 with " + std::to_string(damaged) + " broken characters, replaced by U+FFFD");
    }
    return decoded;
  }
  const bool marked = starts("\xEF\xBB\xBF");
  if (marked) bytes.remove_prefix(3);

  const Census census = Count(bytes);
  if (!marked && LooksBinary(census, bytes.size())) {
    return Error{ErrorCode::kInvalidArgument, std::string(path) + " looks binary (" + std::to_string(census.nul) +
                                                  " NUL bytes and " + std::to_string(census.control - census.nul) +
                                                  " other control characters in " + std::to_string(bytes.size()) +
                                                  " bytes); expected text: leave it out, or save it as UTF-8"};
  }
  std::optional<std::string> as_declared;
  if (census.bad > 0 && !marked && !declared.empty()) as_declared = DecodeCharset(bytes, declared);
  if (census.bad == 0) {
    decoded.text = CleanText(bytes);
  } else if (as_declared) {
    const size_t damaged = CountReplacements(*as_declared);
    if (damaged > 0) {
      decoded.warnings.push_back(declared + " with " + std::to_string(damaged) +
                                 " broken characters, replaced by U+FFFD");
    }
    decoded.text = CleanText(*as_declared);
  } else if (marked || census.multibyte > census.bad) {
    decoded.text = CleanText(bytes);
    decoded.warnings.push_back("not valid UTF-8: " + std::to_string(census.bad) + " bad bytes, replaced by U+FFFD");
  } else {
    const std::optional<std::string> text = DecodeWindows1252(bytes);
    if (!text) return NotBuiltIn("Windows-1252");
    decoded.text = CleanText(*text);
    decoded.warnings.push_back("not valid UTF-8, read as Latin-1 (Windows-1252)");
  }
  return decoded;
}

}  // namespace sheaf::packer
