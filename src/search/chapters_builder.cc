#include "search/chapters_builder.h"

namespace sheaf {
namespace {

// Bytes of the white space at the beginning.
size_t SpaceAt(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\u00A0", kWideSpace = "\u3000";
  size_t at = 0;
  for (;;) {
    const std::string_view rest = text.substr(at);
    const size_t size = rest.starts_with(kNoBreakSpace)                                  ? kNoBreakSpace.size()
                        : rest.starts_with(kWideSpace)                                   ? kWideSpace.size()
                        : !rest.empty() && std::string_view(" \t\r\n").find(rest[0]) < 4 ? 1
                                                                                         : 0;
    if (size == 0) return at;
    at += size;
  }
}

// `word` is in small letters as far as it is ASCII, and beyond that as it is written.
bool BeginsWith(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? char(text[i] | 32) : text[i];
    if (c != word[i]) return false;
  }
  return true;
}

}  // namespace

size_t ChapterWordAt(std::string_view text) {
  static constexpr std::string_view kWords[] = {
      "chapter",   "part",     "appendix", "section",   "book",       "unit",    "kapitel",   "teil",     "anhang",
      "abschnitt", "del",      "bilaga",   "avsnitt",   "vedlegg",    "tillegg", "hoofdstuk", "deel",     "bijlage",
      "luku",      "osa",      "liite",    "chapitre",  "partie",     "annexe",  "capítulo",  "parte",    "sección",
      "apéndice",  "apêndice", "capitolo", "appendice", "sezione",    "seção",   "capitolul", "kapitola", "část",
      "rozdział",  "część",    "Глава",    "Часть",     "Приложение", "Раздел",  "Κεφάλαιο",  "Μέρος",    "Παράρτημα",
  };
  for (const std::string_view word : kWords) {
    if (!BeginsWith(text, word)) continue;
    const size_t space = SpaceAt(text.substr(word.size()));
    if (space > 0) return word.size() + space;
  }
  return 0;
}

size_t OrdinalChapterAt(std::string_view text) {
  static constexpr std::string_view kWords[] = {"章", "部", "節", "节", "編", "篇", "장", "부", "절", "편"};
  static constexpr std::string_view kNumerals[] = {"一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "百"};
  constexpr std::string_view kOrdinal = "第";
  constexpr size_t kMostDigits = 5;
  const bool is_ordinal = text.starts_with(kOrdinal);
  size_t at = is_ordinal ? kOrdinal.size() : 0;
  at += SpaceAt(text.substr(at));
  size_t digits = 0;
  for (bool more = true; more; digits += more) {
    more = at < text.size() && text[at] >= '0' && text[at] <= '9';
    at += more;
    for (size_t i = 0; is_ordinal && !more && i < std::size(kNumerals); ++i) {
      more = text.substr(at).starts_with(kNumerals[i]);
      if (more) at += kNumerals[i].size();
    }
    if (digits > kMostDigits) return 0;
  }
  if (digits == 0) return 0;
  if (is_ordinal) at += SpaceAt(text.substr(at));
  for (const std::string_view word : kWords) {
    if (!text.substr(at).starts_with(word)) continue;
    at += word.size();
    const bool marked = at < text.size() && (text[at] == '.' || text[at] == ':');
    if (!is_ordinal && !marked) return 0;  // "3장 이상"
    at += marked;
    const size_t space = SpaceAt(text.substr(at));
    return space == 0 ? 0 : at + space;
  }
  return 0;
}

}  // namespace sheaf
