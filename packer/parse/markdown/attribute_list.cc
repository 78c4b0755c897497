#include "packer/parse/markdown/attribute_list.h"

#include <algorithm>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxAttributeList = 500;

bool IsNameByte(char c) { return IsWordByte(c) || c == '-' || c == ':' || c == '.' || c == '/' || c == '@'; }

}  // namespace

std::optional<AttributeList> ReadAttributeList(std::string_view text, size_t at) {
  text = text.substr(0, std::min(text.size(), at + kMaxAttributeList));
  AttributeList list;
  size_t i = at + 1;
  if (i < text.size() && text[i] == ':') {
    list.colon = true;
    ++i;
  }
  size_t parts = 0;
  for (bool apart = true;; apart = false) {
    for (; i < text.size() && (text[i] == ' ' || text[i] == '\t'); ++i) apart = true;
    if (i >= text.size()) return std::nullopt;
    if (text[i] == '}') break;
    // `#a.b` and `.a.b` are several parts.
    if (!apart && text[i] != '.' && text[i] != '#') return std::nullopt;
    ++parts;
    const bool is_id = text[i] == '#', is_class = text[i] == '.';
    const size_t begin = i += size_t(is_id || is_class);
    while (i < text.size() && IsNameByte(text[i]) && !(is_class && text[i] == '.')) ++i;
    const std::string_view name = text.substr(begin, i - begin);
    if (name.empty()) return std::nullopt;
    if (is_id && list.id.empty()) list.id = name;
    if (is_id || is_class) continue;
    if (i < text.size() && text[i] == '=') {
      if (++i >= text.size()) return std::nullopt;
      if (text[i] == '"' || text[i] == '\'') {
        const size_t close = text.find(text[i], i + 1);
        if (close == text.npos) return std::nullopt;
        i = close + 1;
      } else {
        const size_t value = i;
        while (i < text.size() && !IsSpace(text[i]) && text[i] != '}' && text[i] != '{' && text[i] != '"') ++i;
        if (i == value) return std::nullopt;
      }
    } else if (list.colon) {
      list.is_toc = list.is_toc || name == "toc" || name == "TOC";
    } else {
      return std::nullopt;
    }
  }
  if (parts == 0) return std::nullopt;
  list.end = i + 1;
  return list;
}

}  // namespace sheaf::packer
