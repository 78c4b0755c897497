#include "packer/parse/html/html_charset.h"

#include <cstddef>

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

}  // namespace sheaf::packer
