// Small readers of ASCII marks in UTF-8 text: white space, prefixes of lines, list markers.
//
// None depends on the locale or reads outside its argument.
#ifndef SHEAF_PACKER_BASE_TEXT_SCAN_H_
#define SHEAF_PACKER_BASE_TEXT_SCAN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sheaf::packer {

inline bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n'; }
inline bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; }
inline bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsWordByte(char c) { return IsAlpha(c) || IsDigit(c) || c == '_' || uint8_t(c) >= 0x80; }

inline bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\n") == std::string_view::npos; }

inline std::string_view TrimEnd(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

inline std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return TrimEnd(text);
}

inline std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = LowerAscii(c);
  return out;
}

inline bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// `prefix` is lower case.
inline bool StartsWithFolded(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (LowerAscii(text[i]) != prefix[i]) return false;
  }
  return true;
}

// `needle` is lower case.
inline size_t FindFolded(std::string_view text, std::string_view needle, size_t from, size_t limit) {
  limit = std::min(limit, text.size());
  for (size_t i = from; i + needle.size() <= limit; ++i) {
    if (StartsWithFolded(text.substr(i), needle)) return i;
  }
  return std::string_view::npos;
}

// Collapses white space to single spaces and trims both ends.
inline std::string CollapseSpace(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n') {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// What code needs around it: more backticks than any run in `content`, and at least `least`.
inline std::string BackticksAround(std::string_view content, size_t least) {
  size_t longest = 0, run = 0;
  for (const char c : content) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  return std::string(longest == 0 ? least : std::max(least, longest + 1), '`');
}

// Columns of leading white space; `*bytes` is its length in bytes.
inline size_t Indent(std::string_view line, size_t* bytes = nullptr) {
  size_t column = 0, i = 0;
  for (; i < line.size() && (line[i] == ' ' || line[i] == '\t'); ++i) {
    column = line[i] == '\t' ? (column / 4 + 1) * 4 : column + 1;
  }
  if (bytes) *bytes = i;
  return column;
}

// The line without its first `columns` columns of white space.
inline std::string_view Dedent(std::string_view line, size_t columns) {
  size_t column = 0, i = 0;
  while (i < line.size() && column < columns && (line[i] == ' ' || line[i] == '\t')) {
    column = line[i] == '\t' ? (column / 4 + 1) * 4 : column + 1;
    ++i;
  }
  return line.substr(i);
}

// Length of a list marker at the start of `text` (with one following space), else 0.
inline size_t ListMarker(std::string_view text) {
  size_t i = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '*' || text[0] == '+')) {
    i = 1;
  } else {
    while (i < text.size() && i < 9 && IsDigit(text[i])) ++i;
    if (i == 0 || i >= text.size() || (text[i] != '.' && text[i] != ')')) return 0;
    ++i;
  }
  return i < text.size() && (text[i] == ' ' || text[i] == '\t') ? i + 1 : 0;
}

struct Prefix {
  size_t bytes = 0;  // white space, `>` and list markers before the content
  size_t marks = 0;  // `>` and list markers among them
  bool quoted = false;
};

inline Prefix ReadPrefix(std::string_view line) {
  Prefix prefix;
  for (;;) {
    const std::string_view rest = line.substr(prefix.bytes);
    if (rest.empty()) return prefix;
    if (rest[0] == ' ' || rest[0] == '\t') {
      ++prefix.bytes;
    } else if (rest[0] == '>') {
      ++prefix.bytes;
      ++prefix.marks;
      prefix.quoted = true;
    } else if (const size_t marker = ListMarker(rest)) {
      prefix.bytes += marker;
      ++prefix.marks;
    } else {
      return prefix;
    }
  }
}

// End of an autolink `<https://…>` or `<name@host>` that begins at `at`, else 0.
inline size_t AutolinkEnd(std::string_view text, size_t at) {
  const size_t limit = std::min(text.size(), at + 2048);
  size_t i = at + 1;
  if (i >= limit || !(IsAlpha(text[i]) || IsDigit(text[i]))) return 0;
  bool scheme = false, mail = false;
  for (; i < limit; ++i) {
    const char c = text[i];
    if (c == '>') return scheme || mail ? i + 1 : 0;
    if (c == '<' || IsSpace(c)) return 0;
    if (scheme || mail) continue;
    if (c == ':') {
      if (i - at < 3 || i - at > 33) return 0;
      scheme = true;
    } else if (c == '@') {
      mail = true;
    } else if (!IsAlpha(c) && !IsDigit(c) && !std::strchr("+.-_", c)) {
      return 0;
    }
  }
  return 0;
}

// Whether the `<` at `at` begins a link's `<destination>`.
inline bool IsDestination(std::string_view text, size_t at) {
  if (at >= 2 && text[at - 1] == '(' && text[at - 2] == ']') return true;
  size_t i = at;
  while (i > 0 && text[i - 1] == ' ') --i;
  return i >= 2 && text[i - 1] == ':' && text[i - 2] == ']';
}

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_TEXT_SCAN_H_
