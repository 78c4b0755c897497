#include "packer/parse/html/html_charset.h"

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr size_t kLookedAt = 4096;
constexpr size_t kMaxName = 40;
constexpr std::string_view kBlank = " \t\n\r\f";

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == ':' || c == '.';
}

// The name behind `key` and its '=' in `text`, quoted or not.
std::string NameBehind(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    size_t i = text.find_first_not_of(kBlank, at + key.size());
    if (i == std::string_view::npos || text[i] != '=') continue;
    i = text.find_first_not_of(" \t\n\r\f\"'", i + 1);
    if (i == std::string_view::npos) return {};
    size_t end = i;
    while (end < text.size() && IsNameByte(text[end])) ++end;
    if (end > i && end - i <= kMaxName) return std::string(text.substr(i, end - i));
  }
  return {};
}

// What browsers mean by these names.
std::string_view AsBrowsersDo(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kMeant = {{
      {"iso-8859-1", "windows-1252"}, {"latin1", "windows-1252"}, {"us-ascii", "windows-1252"}, {"ascii", "windows-1252"},
      {"iso-8859-9", "windows-1254"}, {"iso-8859-11", "windows-874"}, {"tis-620", "windows-874"},
      {"gb2312", "gb18030"}, {"gbk", "gb18030"}, {"x-gbk", "gb18030"},
      {"shift_jis", "windows-31j"}, {"shift-jis", "windows-31j"}, {"sjis", "windows-31j"}, {"x-sjis", "windows-31j"},
      {"euc-kr", "windows-949"}, {"ks_c_5601-1987", "windows-949"},
  }};
  const auto found = std::find_if(kMeant.begin(), kMeant.end(), [&](const auto& entry) { return entry.first == name; });
  return found == kMeant.end() ? name : found->second;
}

using Converter = std::unique_ptr<UConverter, decltype(&ucnv_close)>;

// Tags and ASCII words stand in it as they do in UTF-8.
bool HoldsAscii(UConverter* converter) {
  std::string ascii;
  for (char c = ' '; c < 0x7f; ++c) ascii += c;
  std::array<UChar, 256> out;
  UErrorCode error = U_ZERO_ERROR;
  const int32_t length = ucnv_toUChars(converter, out.data(), int32_t(out.size()), ascii.data(), int32_t(ascii.size()), &error);
  return U_SUCCESS(error) && std::equal(ascii.begin(), ascii.end(), out.begin(), out.begin() + length);
}

// ICU's own writes U+001A for some of them.
void Replace(const void*, UConverterToUnicodeArgs* arguments, const char*, int32_t, UConverterCallbackReason reason, UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;  // the converter is reset, copied or closed
  static constexpr UChar kReplacement = 0xFFFD;
  *error = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(arguments, &kReplacement, 1, 0, error);
}

}  // namespace

std::string DeclaredCharset(std::string_view html) {
  std::string head = Lower(html.substr(0, kLookedAt));
  for (size_t open; (open = head.find("<!--")) != std::string::npos;) {
    const size_t close = head.find("-->", open + 4);
    head.erase(open, close == std::string::npos ? std::string::npos : close + 3 - open);
  }
  const std::string_view text = head;
  for (size_t at = text.find("<meta"); at != std::string_view::npos; at = text.find("<meta", at + 5)) {
    const std::string name = NameBehind(text.substr(at, text.find('>', at) - at), "charset");
    if (!name.empty()) return name;
  }
  if (text.starts_with("<?xml")) return NameBehind(text.substr(0, text.find("?>")), "encoding");
  return {};
}

std::optional<std::string> DecodeCharset(std::string_view bytes, const std::string& charset) {
  UErrorCode error = U_ZERO_ERROR;
  const Converter converter(ucnv_open(std::string(AsBrowsersDo(charset)).c_str(), &error), &ucnv_close);
  if (U_FAILURE(error)) return std::nullopt;
  const UConverterType type = ucnv_getType(converter.get());
  if ((type != UCNV_SBCS && type != UCNV_MBCS) || !HoldsAscii(converter.get())) return std::nullopt;
  ucnv_setToUCallBack(converter.get(), &Replace, nullptr, nullptr, nullptr, &error);
  const Converter utf8(ucnv_open("UTF-8", &error), &ucnv_close);
  if (U_FAILURE(error)) return std::nullopt;

  std::string text;
  text.reserve(bytes.size() + bytes.size() / 2);
  const char* from = bytes.data();
  const char* const end = from + bytes.size();
  std::array<char, 16384> out;
  std::array<UChar, 8192> between;
  UChar *source = between.data(), *target = between.data();
  for (bool first = true;; first = false) {
    char* to = out.data();
    error = U_ZERO_ERROR;
    ucnv_convertEx(utf8.get(), converter.get(), &to, out.data() + out.size(), &from, end, between.data(), &source, &target,
                   between.data() + between.size(), first, true, &error);
    text.append(out.data(), size_t(to - out.data()));
    if (error == U_BUFFER_OVERFLOW_ERROR) continue;
    if (U_FAILURE(error)) return std::nullopt;
    return text;
  }
}

}  // namespace sheaf::packer
