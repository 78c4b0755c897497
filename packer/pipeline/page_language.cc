#include "packer/pipeline/page_language.h"

#include <algorithm>
#include <fstream>
#include <map>

namespace sheaf::packer {
namespace {

constexpr size_t kHeadBytes = 4096;
constexpr size_t kPages = 400;  // spread over the list

bool IsLetter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string Lower(std::string_view s) {
  std::string lower(s);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? char(c | 32) : c;
  return lower;
}

// Two or three letters, then subtags of 1 to 8 letters and digits.
bool IsTag(std::string_view tag) {
  size_t length = 0, subtags = 0;
  if (tag.size() > 35) return false;
  for (char c : tag) {
    if (c == '-') {
      if (length == 0 || (subtags == 0 && length < 2)) return false;
      ++subtags;
      length = 0;
    } else if (++length > (subtags == 0 ? 3 : 8) || !(IsLetter(c) || (subtags > 0 && IsDigit(c)))) {
      return false;
    }
  }
  return subtags == 0 ? length >= 2 : length > 0;
}

// The value at the beginning of `text`, quoted or not.
std::string_view Value(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\"'");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return text.substr(0, text.find_first_of(" \t\r\n\"'>/#"));
}

std::string_view OfHtml(std::string_view head, const std::string& lower) {
  const size_t begin = lower.find("<html"), end = begin == std::string::npos ? begin : lower.find('>', begin);
  if (end == std::string::npos) return {};
  for (const std::string_view name : {"lang", "xml:lang"}) {
    for (size_t at = begin; (at = lower.find(name, at + 1)) < end;) {
      const size_t equals = lower.find_first_not_of(" \t\r\n", at + name.size());
      const char before = lower[at - 1];
      if (equals < end && lower[equals] == '=' && (before == ' ' || before == '\t' || before == '\n' || before == '\r'))
        return Value(head.substr(equals + 1, end - equals));
    }
  }
  return {};
}

std::string_view OfFrontMatter(std::string_view head) {
  if (!head.starts_with("---\n") && !head.starts_with("---\r\n")) return {};
  for (size_t line = head.find('\n') + 1; line < head.size();) {
    const size_t end = std::min(head.find('\n', line), head.size());
    const std::string_view text = head.substr(line, end - line);
    if (text.starts_with("---") || text.starts_with("...")) break;
    for (const std::string_view key : {"lang:", "language:"}) {
      if (text.starts_with(key)) return Value(text.substr(key.size()));
    }
    line = end + 1;
  }
  return {};
}

}  // namespace

Result<PageLanguage> ReadLanguage(std::string_view tag) {
  const std::string lower = Lower(tag);
  if (lower == "none") return PageLanguage{Language::kNone, "none"};
  if (!IsTag(tag)) {
    return Error{ErrorCode::kInvalidArgument, "--language " + std::string(tag.substr(0, 40)) +
                                                  ": expected a language tag, such as de or pt-BR, or none"};
  }
  std::string primary = lower.substr(0, lower.find('-'));
  if (primary == "nb" || primary == "nn") primary = "no";
  if (primary == "iw") primary = "he";
  PageLanguage language{LanguageOf(primary), std::string(tag)};
  if (StemmerVersion(language.analysis) == 0) language.analysis = Language::kNone;
  if (language.analysis == Language::kEnglish) language.tag = "en";
  return language;
}

std::string LanguageOfPage(std::string_view head, FileKind kind) {
  const std::string_view tag = kind == FileKind::kHtml ? OfHtml(head, Lower(head)) : OfFrontMatter(head);
  return IsTag(tag) ? std::string(tag) : std::string();
}

PageLanguage FindLanguage(const SourceList& list) {
  std::map<std::string, size_t> counts;
  const size_t step = std::max<size_t>(1, list.files.size() / kPages);
  for (size_t i = 0; i < list.files.size(); i += step) {
    std::ifstream file(list.files[i].path, std::ios::binary);
    std::string head(kHeadBytes, '\0');
    file.read(head.data(), kHeadBytes);
    head.resize(size_t(std::max<std::streamsize>(file.gcount(), 0)));
    const std::string tag = LanguageOfPage(head, list.files[i].kind);
    if (!tag.empty()) ++counts[tag];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == counts.end()) return {};
  Result<PageLanguage> language = ReadLanguage(most->first);
  return language.ok() ? *language : PageLanguage{};
}

}  // namespace sheaf::packer
