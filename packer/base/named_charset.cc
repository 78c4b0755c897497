#include "packer/base/named_charset.h"

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace sheaf::packer {
namespace {

// The encodings that browsers use for these names.
std::string_view AsBrowsersDo(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kMeant = {{
      {"iso-8859-1", "windows-1252"},
      {"latin1", "windows-1252"},
      {"us-ascii", "windows-1252"},
      {"ascii", "windows-1252"},
      {"iso-8859-9", "windows-1254"},
      {"iso-8859-11", "windows-874"},
      {"tis-620", "windows-874"},
      {"gb2312", "gb18030"},
      {"gbk", "gb18030"},
      {"x-gbk", "gb18030"},
      {"shift_jis", "windows-31j"},
      {"shift-jis", "windows-31j"},
      {"sjis", "windows-31j"},
      {"x-sjis", "windows-31j"},
      {"euc-kr", "windows-949"},
      {"ks_c_5601-1987", "windows-949"},
  }};
  const auto found = std::find_if(kMeant.begin(), kMeant.end(), [&](const auto& entry) { return entry.first == name; });
  return found == kMeant.end() ? name : found->second;
}

// The converters that every build has.
bool IsBuiltIn(std::string_view converter) {
  static constexpr std::array kConverters = std::to_array<std::string_view>({
#include "packer/base/named_charset.inc"
  });
  return std::find(kConverters.begin(), kConverters.end(), converter) != kConverters.end();
}

using Converter = std::unique_ptr<UConverter, decltype(&ucnv_close)>;

// Whether ASCII bytes mean ASCII in the encoding, as they do in UTF-8.
bool HoldsAscii(UConverter* converter) {
  std::string ascii;
  for (char c = ' '; c < 0x7f; ++c) ascii += c;
  std::array<UChar, 256> out;
  UErrorCode error = U_ZERO_ERROR;
  const int32_t length =
      ucnv_toUChars(converter, out.data(), int32_t(out.size()), ascii.data(), int32_t(ascii.size()), &error);
  return U_SUCCESS(error) && std::equal(ascii.begin(), ascii.end(), out.begin(), out.begin() + length);
}

// Replaces bad bytes by U+FFFD; ICU's own callback writes U+001A for some.
void Replace(const void*, UConverterToUnicodeArgs* arguments, const char*, int32_t, UConverterCallbackReason reason,
             UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;  // the converter is reset, copied or closed
  static constexpr UChar kReplacement = 0xFFFD;
  *error = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(arguments, &kReplacement, 1, 0, error);
}

Converter Open(std::string_view name) {
  UErrorCode error = U_ZERO_ERROR;
  Converter converter(ucnv_open(std::string(name).c_str(), &error), &ucnv_close);
  if (U_SUCCESS(error)) ucnv_setToUCallBack(converter.get(), &Replace, nullptr, nullptr, nullptr, &error);
  if (U_FAILURE(error)) converter.reset();
  return converter;
}

std::optional<std::string> Convert(UConverter* converter, std::string_view bytes) {
  const Converter utf8 = Open("UTF-8");
  if (!utf8) return std::nullopt;

  std::string text;
  text.reserve(bytes.size() + bytes.size() / 2);
  const char* from = bytes.data();
  const char* const end = from + bytes.size();
  std::array<char, 16384> out;
  std::array<UChar, 8192> between;
  UChar *source = between.data(), *target = between.data();
  for (bool first = true;; first = false) {
    char* to = out.data();
    UErrorCode error = U_ZERO_ERROR;
    ucnv_convertEx(utf8.get(), converter, &to, out.data() + out.size(), &from, end, between.data(), &source, &target,
                   between.data() + between.size(), first, true, &error);
    text.append(out.data(), size_t(to - out.data()));
    if (error == U_BUFFER_OVERFLOW_ERROR) continue;
    if (U_FAILURE(error)) return std::nullopt;
    return text;
  }
}

std::optional<std::string> Decode(std::string_view name, std::string_view bytes) {
  const Converter converter = Open(name);
  return converter ? Convert(converter.get(), bytes) : std::nullopt;
}

}  // namespace

std::optional<std::string> DecodeCharset(std::string_view bytes, const std::string& charset) {
  const Converter converter = Open(AsBrowsersDo(charset));
  if (!converter) return std::nullopt;
  UErrorCode error = U_ZERO_ERROR;
  const char* own_name = ucnv_getName(converter.get(), &error);
  if (U_FAILURE(error) || !IsBuiltIn(own_name) || !HoldsAscii(converter.get())) return std::nullopt;
  return Convert(converter.get(), bytes);
}

std::optional<std::string> DecodeWindows1252(std::string_view bytes) { return Decode("windows-1252", bytes); }

std::optional<std::string> DecodeUtf16(std::string_view bytes, bool big_endian) {
  return Decode(big_endian ? "UTF-16BE" : "UTF-16LE", bytes);
}

}  // namespace sheaf::packer
