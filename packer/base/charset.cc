#include "packer/base/charset.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "packer/base/named_charset.h"
#include "text/utf8.h"

namespace sheaf::packer {
namespace {

// Windows-1252 for the bytes 0x80..0x9F; 0 where the code page has no character.
constexpr std::array<uint16_t, 32> kWindows1252 = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

bool IsControl(uint32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
}

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
    } else if (IsControl(c)) {
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

std::string DecodeUtf16(std::string_view bytes, bool big_endian, size_t* damaged) {
  CleanWriter writer(bytes.size());
  auto unit = [&](size_t i) {
    const uint32_t first = uint8_t(bytes[i]), second = uint8_t(bytes[i + 1]);
    return big_endian ? first << 8 | second : second << 8 | first;
  };
  size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) {
    const uint32_t high = unit(i);
    if (high < 0xD800 || high > 0xDFFF) {
      writer.Put(high);
      continue;
    }
    const uint32_t low = high <= 0xDBFF && i + 3 < bytes.size() ? unit(i + 2) : 0;
    if (low >= 0xDC00 && low <= 0xDFFF) {
      writer.Put(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
      i += 2;
    } else {
      writer.Put(kReplacement);
      ++*damaged;
    }
  }
  if (i < bytes.size()) {
    writer.Put(kReplacement);
    ++*damaged;
  }
  return writer.Take();
}

std::string DecodeWindows1252(std::string_view bytes) {
  CleanWriter writer(bytes.size() + bytes.size() / 8);
  for (const char byte : bytes) {
    const uint8_t c = uint8_t(byte);
    if (c < 0x80 || c >= 0xA0) {
      writer.Put(c);
    } else {
      const uint16_t mapped = kWindows1252[c - 0x80];
      writer.Put(mapped ? mapped : ' ');
    }
  }
  return writer.Take();
}

struct Census {
  size_t nul = 0;
  size_t control = 0;    // C0 controls that text has no use for, NUL included
  size_t bad = 0;        // bytes that are not part of valid UTF-8
  size_t multibyte = 0;  // valid sequences of two or more bytes
};

Census Count(std::string_view bytes) {
  Census census;
  for (size_t i = 0; i < bytes.size();) {
    const uint8_t c = uint8_t(bytes[i]);
    if (c < 0x80) {
      if (c == 0) ++census.nul;
      // Form feed, vertical tab, backspace and escape occur in old plain text.
      if (c < 0x20 && !(c >= 0x08 && c <= 0x0D) && c != 0x1B) ++census.control;
      ++i;
      continue;
    }
    const Decoded character = DecodeUtf8(bytes, i);
    if (character.valid) ++census.multibyte; else census.bad += character.size;
    i += character.size;
  }
  return census;
}

bool LooksBinary(const Census& census, size_t size) {
  if (census.nul >= 4 && census.nul > size / 100) return true;
  return census.control >= 8 && census.control > size / 20;
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
  for (size_t i = 0; i < text.size();) {
    const Decoded character = DecodeUtf8(text, i);
    if (!character.valid || IsControl(character.code_point)) return false;
    i += character.size;
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
    size_t damaged = 0;
    decoded.text = DecodeUtf16(bytes.substr(2), starts("\xFE\xFF"), &damaged);
    if (damaged > 0) {
      decoded.warnings.push_back("UTF-16 with " + std::to_string(damaged) +
                                 " broken characters, replaced by U+FFFD");
    }
    return decoded;
  }
  const bool marked = starts("\xEF\xBB\xBF");
  if (marked) bytes.remove_prefix(3);

  const Census census = Count(bytes);
  if (!marked && LooksBinary(census, bytes.size())) {
    return Error{ErrorCode::kInvalidArgument,
                 std::string(path) + " looks binary (" + std::to_string(census.nul) + " NUL bytes and " +
                     std::to_string(census.control - census.nul) + " other control characters in " +
                     std::to_string(bytes.size()) +
                     " bytes); expected text: leave it out, or save it as UTF-8"};
  }
  std::optional<std::string> as_declared;
  if (census.bad > 0 && !marked && !declared.empty()) as_declared = DecodeCharset(bytes, declared);
  if (census.bad == 0) {
    decoded.text = CleanText(bytes);
  } else if (as_declared) {
    const size_t damaged = CountReplacements(*as_declared);
    if (damaged > 0) {
      decoded.warnings.push_back(declared + " with " + std::to_string(damaged) + " broken characters, replaced by U+FFFD");
    }
    decoded.text = CleanText(*as_declared);
  } else if (marked || census.multibyte > census.bad) {
    decoded.text = CleanText(bytes);
    decoded.warnings.push_back("not valid UTF-8: " + std::to_string(census.bad) +
                               " bad bytes, replaced by U+FFFD");
  } else {
    decoded.text = DecodeWindows1252(bytes);
    decoded.warnings.push_back("not valid UTF-8, read as Latin-1 (Windows-1252)");
  }
  return decoded;
}

}  // namespace sheaf::packer
