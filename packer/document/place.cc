#include "packer/document/place.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "bundle/passage_store.h"
#include "packer/base/text_scan.h"
#include "search/chapters_builder.h"

namespace sheaf::packer {
namespace {

constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

// Bytes of the white space or no-break space at the beginning.
size_t LeadingSpace(std::string_view text) {
  size_t at = 0;
  for (;;) {
    if (at < text.size() && IsSpace(text[at])) {
      ++at;
    } else if (text.substr(at).starts_with(kNoBreakSpace)) {
      at += kNoBreakSpace.size();
    } else {
      return at;
    }
  }
}

// "13", "13.1", "A.2", "IV": bytes of a number of chapters at the beginning; `letters` allows letters alone.
size_t NumberAt(std::string_view text, bool letters, size_t* levels) {
  size_t at = 0;
  *levels = 0;
  for (;;) {
    size_t end = at;
    while (end < text.size() && IsDigit(text[end])) ++end;
    if (end == at && *levels == 0) {
      while (end < text.size() && text[end] >= 'A' && text[end] <= 'Z') ++end;
      // A letter numbers only what follows it: "A.2", "Appendix F".
      if (!letters && (end - at != 1 || end + 1 >= text.size() || text[end] != '.' || !IsDigit(text[end + 1])))
        return 0;
    }
    if (end == at || end - at > 5) return *levels > 0 ? at - 1 : 0;
    ++*levels;
    if (end >= text.size() || text[end] != '.') return end;
    at = end + 1;
  }
}

// Bytes of "Chapter 13. ", "Part II: ", "3. ", "13.1 ", "Kapitel 7. " at the beginning.
size_t NumberingAt(std::string_view text) {
  if (const size_t ordinal = OrdinalChapterAt(text); ordinal > 0) return ordinal;
  size_t at = ChapterWordAt(text);
  const bool named = at > 0;
  size_t levels = 0;
  const size_t number = NumberAt(text.substr(at), named, &levels);
  if (number == 0) return 0;
  at += number;
  const bool marked = at < text.size() && (text[at] == '.' || text[at] == ':');
  if (marked) ++at;
  if (!marked && levels < 2 && !named) return 0;       // "3 ways to do it"
  if (named && !marked && at < text.size()) return 0;  // "Part 2 of the tour"
  const size_t space = LeadingSpace(text.substr(at));
  return space == 0 ? 0 : at + space;
}

bool IsSeparator(std::string_view text, size_t at, size_t* size) {
  static constexpr std::array<std::string_view, 11> kSeparators = {"/",
                                                                   "|",
                                                                   ">",
                                                                   "\xC2\xBB",
                                                                   "\xE2\x80\xBA",
                                                                   "\xE2\x86\x92",
                                                                   "\xE2\x80\xA3",
                                                                   "\xE2\x96\xB8",
                                                                   "::",
                                                                   "\xE2\x80\x8B",
                                                                   kNoBreakSpace};
  for (const std::string_view separator : kSeparators) {
    if (!text.substr(at).starts_with(separator)) continue;
    *size = separator.size();
    return true;
  }
  return false;
}

// Whether both name the same: letters and digits are, in any case, numbers of chapters aside.
bool SameName(std::string_view a, std::string_view b) {
  a.remove_prefix(NumberingAt(a));
  b.remove_prefix(NumberingAt(b));
  size_t i = 0, j = 0;
  for (;;) {
    while (i < a.size() && !IsWordByte(a[i])) ++i;
    while (j < b.size() && !IsWordByte(b[j])) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (LowerAscii(a[i++]) != LowerAscii(b[j++])) return false;
  }
}

bool NamesTheWhole(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kNames = {
      "home",      "docs",     "documentation", "start", "index", "top", "contents", "table of contents",
      "main page", "overview", "root"};
  return std::find(kNames.begin(), kNames.end(), Lower(name)) != kNames.end();
}

}  // namespace

std::string PlaceName(std::string_view text) {
  std::string spaced;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with(kNoBreakSpace)) {
      spaced += ' ';
      ++at;
    } else {
      spaced += text[at];
    }
  }
  std::string name = CollapseSpace(spaced);
  std::string_view rest = name;
  size_t size = 0;
  for (bool more = true; more;) {
    more = false;
    rest = Trim(rest);
    if (!rest.empty() && IsSeparator(rest, 0, &size)) {
      rest.remove_prefix(size);
      more = true;
    }
    for (size_t back = 1; back <= 3 && back <= rest.size(); ++back) {
      if (!IsSeparator(rest, rest.size() - back, &size) || size != back) continue;
      rest.remove_suffix(back);
      more = true;
      break;
    }
  }
  rest.remove_prefix(NumberingAt(rest));
  if (rest.size() > kMaxPlaceNameBytes) {
    size_t end = rest.rfind(' ', kMaxPlaceNameBytes);
    if (end == std::string_view::npos || end == 0) {
      end = kMaxPlaceNameBytes;
      while (end > 0 && (uint8_t(rest[end]) & 0xC0) == 0x80) --end;  // between characters
    }
    return std::string(TrimEnd(rest.substr(0, end))) + "\xE2\x80\xA6";
  }
  return std::string(rest);
}

std::vector<std::string> TidyPlace(const std::vector<std::string>& names, std::string_view title) {
  std::vector<std::string> place;
  for (const std::string& text : names) {
    std::string name = PlaceName(text);
    const bool says_nothing =
        std::none_of(name.begin(), name.end(), IsWordByte) || (place.empty() && NamesTheWhole(name));
    if (says_nothing || (!place.empty() && SameName(place.back(), name))) continue;
    place.push_back(std::move(name));
  }
  if (!place.empty() && SameName(place.back(), title)) place.pop_back();
  if (place.size() > kMaxPlaceLevels) place.resize(kMaxPlaceLevels);
  return place;
}

std::string FolderName(std::string_view folder) {
  // "02-guides" is ordered by its number.
  size_t at = 0;
  while (at < folder.size() && IsDigit(folder[at])) ++at;
  if (at > 0 && at < folder.size() && (folder[at] == '-' || folder[at] == '_' || folder[at] == ' ')) {
    folder.remove_prefix(at + 1);
  }
  static constexpr std::array<std::string_view, 12> kAcronyms = {"api", "cli", "css", "faq", "html", "http",
                                                                 "ide", "js",  "sdk", "sql", "ui",   "url"};
  std::string name, word;
  const auto end_word = [&] {
    if (word.empty()) return;
    if (std::find(kAcronyms.begin(), kAcronyms.end(), word) != kAcronyms.end()) {
      for (char& c : word) c = char(c - 32);
    }
    if (name.empty() && word[0] >= 'a' && word[0] <= 'z') word[0] = char(word[0] - 32);
    if (!name.empty()) name += ' ';
    name += word;
    word.clear();
  };
  for (const char c : folder) {
    if (c == '-' || c == '_' || c == ' ') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return PlaceName(name);
}

std::string TidyNumber(std::string text) {
  size_t levels = 0;
  const size_t number = NumberAt(text, false, &levels);
  if (levels >= 2 && number < text.size() && text[number] == '.' &&
      LeadingSpace(std::string_view(text).substr(number + 1)) > 0) {
    text.erase(number, 1);
  }
  return text;
}

}  // namespace sheaf::packer
