#include "packer/document/records.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr size_t kFewestSections = 3;    // of versions: two are a comparison
constexpr size_t kFewestItems = 12;      // of names, links, dates
constexpr size_t kFewestCitations = 5;   // items that cite changes are surer evidence
constexpr uint32_t kShortSection = 400;  // letters, on average: a few lines of text a version are a log as well
constexpr uint32_t kLongItem = 240;      // letters; longer items explain
constexpr size_t kTitleWords = 4;        // besides version and date
constexpr size_t kNameWords = 5;

bool IsLetter(char c) { return IsUpper(c) || (c >= 'a' && c <= 'z') || uint8_t(c) >= 0x80; }
bool IsWhite(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view TrimWhite(std::string_view text) {
  while (!text.empty() && IsWhite(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsWhite(text.back())) text.remove_suffix(1);
  return text;
}

// Calls `visit` with each word: what stands between blanks.
template <typename Visit>
void EachWord(std::string_view text, const Visit& visit) {
  for (size_t at = 0; at < text.size();) {
    while (at < text.size() && IsWhite(text[at])) ++at;
    const size_t begin = at;
    while (at < text.size() && !IsWhite(text[at])) ++at;
    if (at > begin) visit(text.substr(begin, at - begin));
  }
}

// Digits, a point, digits; not inside of another word: "1.2", "v1.2.3-rc1", "pytest-7.2.0", "[1.0.0]".
bool HasVersion(std::string_view word) {
  for (size_t i = 0; i < word.size(); ++i) {
    if (!IsDigit(word[i])) continue;
    const size_t begin = i;
    while (i < word.size() && IsDigit(word[i])) ++i;
    const bool version = i + 1 < word.size() && word[i] == '.' && IsDigit(word[i + 1]);
    const char before = begin == 0 ? ' ' : word[begin - 1];
    const bool own =
        !IsLetter(before) || ((before == 'v' || before == 'V') && (begin == 1 || !IsLetter(word[begin - 2])));
    if (version && own) return true;
  }
  return false;
}

// 2024-05-01, 2024/5/1, 01.05.2024, and years in the company of a day: "May 1, 2024".
struct DateSigns {
  bool whole = false, year = false, day = false;
  void See(std::string_view word) {
    size_t groups = 0, longest = 0, digits = 0;
    bool other = false;
    for (size_t i = 0; i <= word.size(); ++i) {
      if (i < word.size() && IsDigit(word[i])) {
        ++digits;
        continue;
      }
      if (digits > 0) ++groups, longest = std::max(longest, digits);
      digits = 0;
      if (i < word.size()) other = other || IsLetter(word[i]);
    }
    if (groups == 3 && longest == 4 && !other) whole = true;
    if (groups == 1 && longest == 4 && !other) year = true;
    if (groups == 1 && longest <= 2) day = true;  // "1", "1st"
  }
  bool found() const { return whole || (year && day); }
};

// The text of an item of a list or a row of a table; empty for anything else.
std::string_view ItemIn(const Block& block) {
  std::string_view text = TrimWhite(block.text);
  while (!text.empty() && (text[0] == '>' || IsWhite(text[0]))) text.remove_prefix(1);
  if (block.kind == BlockKind::kTableRow) return !text.empty() && text[0] == '|' ? TrimWhite(text.substr(1)) : text;
  if (block.kind != BlockKind::kText || text.size() < 2) return {};
  size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  const bool bullet = text[0] == '-' || text[0] == '*' || text[0] == '+';
  const bool number = digits > 0 && digits < 4 && digits < text.size() && (text[digits] == '.' || text[digits] == ')');
  const size_t mark = bullet ? 1 : number ? digits + 1 : 0;
  return mark > 0 && mark < text.size() && IsWhite(text[mark]) ? TrimWhite(text.substr(mark)) : std::string_view();
}

uint32_t LettersOf(const Block& block) { return CountLetters(block.prose) + CountLetters(block.code); }

// "#123", "GH-123", an address of an issue or a commit, "(1a2b3c4)", "@name": citations of changes and their authors.
bool CitesAChange(std::string_view item) {
  for (size_t i = 0; i + 2 < item.size(); ++i) {
    const char before = i == 0 ? ' ' : item[i - 1];
    if (item[i] == '#' && IsDigit(item[i + 1]) && !IsLetter(before)) return true;
    if (item[i] == '@' && IsLetter(item[i + 1]) && (before == ' ' || before == '[' || before == '(') &&
        item.find('`') > i)
      return true;
    if (before == '(' || before == '[') {
      size_t end = i, digits = 0;
      while (end < item.size() && (IsDigit(item[end]) || (item[end] >= 'a' && item[end] <= 'f'))) {
        digits += IsDigit(item[end++]);
      }
      if (end - i >= 7 && end - i <= 40 && digits > 0 && end < item.size() && (item[end] == ')' || item[end] == ']'))
        return true;
    }
  }
  for (const std::string_view part : {"/issues/", "/pull/", "/commit/", "/merge_requests/", "CVE-"}) {
    if (item.find(part) != item.npos) return true;
  }
  return item.find("`") == item.npos && item.find("issue`") != item.npos;
}

// A few words of which each begins with a capital, or a handle or an address of mail: "Miro Hrončok", "@miro", "Kevin C
// <k@c.org>".
bool IsAName(std::string_view item) {
  if (item.size() > 80 || item.find('`') != item.npos || item.find('|') != item.npos) return false;
  size_t words = 0, small = 0;
  bool only = true;
  EachWord(item, [&](std::string_view word) {
    ++words;
    while (!word.empty() && (word[0] == '[' || word[0] == '(' || word[0] == '<' || word[0] == '@'))
      word.remove_prefix(1);
    // "van", "de la": no longer, and no more than the others.
    if (!word.empty() && !IsUpper(word[0]) && uint8_t(word[0]) < 0x80) {
      ++small;
      only = only && word.size() <= 3;
    }
    // Neither sentences nor versions.
    for (const char c : {':', ';', '!', '?', '=', '/', '&'}) only = only && word.find(c) == word.npos;
    only = only && !HasVersion(word);
  });
  if (words == 0 || words > kNameWords) return false;
  return item.find('@') != item.npos || (only && words > 1 && 2 * small <= words);
}

// It begins with a link, of which it says a few words.
bool IsALink(const Block& block, std::string_view item) {
  while (!item.empty() && (item[0] == '*' || item[0] == '`' || item[0] == '_')) item.remove_prefix(1);
  const bool begins = !item.empty() && item[0] == '[' && item.find("](") != item.npos;
  // HTML does not say where in a block a link stands; it is an item's head if it is a good part of it.
  const bool headed = block.links.links > 0 && 4 * block.links.letters >= LettersOf(block);
  return begins || headed;
}

bool IsDated(std::string_view item) {
  DateSigns signs;
  EachWord(item, [&](std::string_view word) { signs.See(word); });
  return signs.found();
}

// The parts of a stretch of blocks, in letters.
struct Shape {
  uint64_t items = 0, prose = 0, code = 0;
  bool in_item = false;
  void Add(const Block& block) {
    const uint32_t letters = LettersOf(block);
    if (block.kind == BlockKind::kHeading) {
      in_item = false;
      return;
    }
    const bool item = !ItemIn(block).empty();
    // Further paragraphs of an item are indented.
    in_item = item || (in_item && !block.text.empty() && (block.text[0] == ' ' || block.kind == BlockKind::kCode));
    (in_item ? items : block.kind == BlockKind::kCode ? code : prose) += letters;
  }
  uint64_t all() const { return items + prose + code; }
};

// ---- sections of versions ---------------------------------------------------------------------

// The text before the version, which the sections of a log share: "pytest", "Version"; empty for dates.
std::string_view NameIn(std::string_view title) {
  size_t end = 0;
  while (end < title.size() && !IsDigit(title[end])) ++end;
  std::string_view name = title.substr(0, end);
  if (!name.empty() && (name.back() == 'v' || name.back() == 'V')) name.remove_suffix(1);
  while (!name.empty() && !IsLetter(name.back())) name.remove_suffix(1);
  return HasVersion(title) ? name : std::string_view();
}

// The title of the version's section that begins here; empty if none does.
std::string_view EntryAt(const Block& block, bool headings) {
  if (headings)
    return block.kind == BlockKind::kHeading && IsEntryTitle(block.title) ? block.title : std::string_view();
  // Plain text has no headings.
  const std::string_view text = TrimWhite(block.text);
  const bool line = block.kind == BlockKind::kText && text.size() <= 100 && text.find('\n') == text.npos;
  return line && ItemIn(block).empty() && IsEntryTitle(text) ? text : std::string_view();
}

void MarkVersions(std::vector<Block>* blocks) {
  const bool headings = std::any_of(blocks->begin(), blocks->end(), [](const Block& block) {
    return block.kind == BlockKind::kHeading && block.level > 1;
  });
  std::map<std::string_view, size_t> names;
  for (const Block& block : *blocks) {
    if (const std::string_view title = EntryAt(block, headings); !title.empty()) ++names[NameIn(title)];
  }
  // Three names at least are alike; topics that mention versions have a name each.
  const auto opens = [&](const Block& block) {
    const std::string_view title = EntryAt(block, headings);
    return !title.empty() && names[NameIn(title)] >= kFewestSections;
  };

  struct Entry {
    size_t begin, end;
  };
  std::vector<Entry> entries;
  Shape shape;
  for (size_t i = 0; i < blocks->size();) {
    if (!opens((*blocks)[i])) {
      ++i;
      continue;
    }
    const size_t begin = i++;
    const int level = (*blocks)[begin].level;
    for (; i < blocks->size(); ++i) {
      const Block& block = (*blocks)[i];
      if (opens(block) || (block.kind == BlockKind::kHeading && block.level <= level)) break;
      shape.Add(block);
    }
    entries.push_back({begin, i});
  }
  if (entries.empty()) return;
  const bool itemised = 5 * shape.items >= 3 * shape.all();
  const bool brief = shape.all() <= kShortSection * entries.size() && 10 * shape.code <= shape.all();
  if (shape.all() == 0 || (!itemised && !brief)) return;
  for (const Entry& entry : entries) {
    for (size_t i = entry.begin; i < entry.end; ++i) {
      (*blocks)[i].record = Record::kLog;
      (*blocks)[i].inner = i > entry.begin && (*blocks)[i].kind == BlockKind::kHeading;
    }
  }
}

// ---- runs of items ----------------------------------------------------------------------------

bool IsHeading(const Block& block) { return block.kind == BlockKind::kHeading; }

void MarkRun(std::vector<Block>* blocks, size_t begin, size_t end) {
  enum { kCites, kNames, kLinks, kDates };
  std::array<size_t, 4> counts{};
  size_t items = 0;
  for (size_t i = begin; i < end; ++i) {
    const Block& block = (*blocks)[i];
    const std::string_view item = ItemIn(block);
    if (item.empty()) continue;
    ++items;
    uint64_t letters = LettersOf(block);
    for (size_t k = i + 1; k < end && !IsHeading((*blocks)[k]) && ItemIn((*blocks)[k]).empty(); ++k) {
      letters += LettersOf((*blocks)[k]);
    }
    if (letters > 2 * kLongItem) continue;
    counts[kCites] += CitesAChange(item);
    if (letters > kLongItem) continue;
    counts[kNames] += IsAName(item);
    counts[kLinks] += IsALink(block, item);
    counts[kDates] += IsDated(item);
  }
  const auto most = [&](size_t kind, size_t fewest) { return counts[kind] >= fewest && 4 * counts[kind] >= 3 * items; };
  if (!most(kCites, kFewestCitations) && !most(kNames, kFewestItems) && !most(kLinks, kFewestItems) &&
      !most(kDates, kFewestItems)) {
    return;
  }
  for (size_t i = begin; i < end; ++i) {
    Block& block = (*blocks)[i];
    if (!IsHeading(block) && block.record == Record::kNone) block.record = Record::kList;
  }
}

// A run is what stands between two pieces of prose or code. Headings between the letters of a list do not end it.
void MarkRuns(std::vector<Block>* blocks) {
  size_t begin = 0;
  bool in_item = false;
  for (size_t i = 0; i <= blocks->size(); ++i) {
    if (i < blocks->size()) {
      const Block& block = (*blocks)[i];
      const bool item = !ItemIn(block).empty();
      // Further paragraphs of an item are indented.
      in_item = item || (in_item && block.kind == BlockKind::kText && block.text.starts_with(' '));
      if (in_item || IsHeading(block)) continue;
    }
    MarkRun(blocks, begin, i);
    begin = i + 1;
  }
}

}  // namespace

bool IsEntryTitle(std::string_view title) {
  if (title.size() > 120) return false;
  DateSigns signs;
  size_t words = 0, before = 0, after = 0;
  bool version = false, named = false;
  int depth = 0;
  EachWord(title, [&](std::string_view word) {
    const int open = int(std::count(word.begin(), word.end(), '(') + std::count(word.begin(), word.end(), '['));
    const int closed = int(std::count(word.begin(), word.end(), ')') + std::count(word.begin(), word.end(), ']'));
    const bool inside = depth > 0 || word[0] == '(' || word[0] == '[';
    signs.See(word);
    if (!version && HasVersion(word)) {
      version = true;
      named = words == 1 && word[0] == '(';  // "git (2.39.5-0) bookworm; urgency=medium"
    } else if (!inside && std::any_of(word.begin(), word.end(), IsLetter)) {
      ++(version ? after : before);
    }
    ++words;
    depth = std::max(0, depth + open - closed);
  });
  if (!version) return signs.found() && before <= kTitleWords;
  if (named) return true;
  // "3.2 Foreign keys" is a chapter.
  return before <= kTitleWords && (after == 0 || (signs.found() && after <= kTitleWords));
}

void MarkRecords(Document* document) {
  MarkVersions(&document->blocks);
  MarkRuns(&document->blocks);
}

}  // namespace sheaf::packer
