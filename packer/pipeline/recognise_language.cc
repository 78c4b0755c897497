#include "packer/pipeline/recognise_language.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/analyzer.h"
#include "text/unicode.h"
#include "text/utf8.h"

namespace sheaf::packer {
namespace {

constexpr size_t kWords = 4000;          // looked at in all
constexpr size_t kLeastWords = 30;       // of a page that is judged, unless its script tells
constexpr size_t kLeastLetters = 60;     // of such a script
constexpr size_t kLeastShare = 20;       // of a page's words one in so many is a function word
constexpr size_t kLeastLead = 3;         // as many words are of this language and not of another as the other way round
constexpr size_t kLeastYiddish = 4;      // different words that make a page in Hebrew letters Yiddish
constexpr size_t kMostOfRelative = 200;  // one word in so many may be a relative's

struct Rules {
  std::string_view tag, words;
  std::string_view near = {};  // has no rules; nearly all function words of `near` are its own, these are its own alone
};
// The words of languages that their script tells would only take room.
constexpr std::string_view WordsOf(std::string_view tag, std::string_view words) {
  return tag == "el" || tag == "hy" || tag == "ta" ? std::string_view() : words;
}
constexpr Rules kRules[] = {
#define SHEAF_LANGUAGE(tag, stemmer, words, endings) {#tag, WordsOf(#tag, words)},
#include "text/languages.inc"
#undef SHEAF_LANGUAGE
    {"ms", "apabila boleh hendaklah ialah kandungan kerana maklumat mesti sahaja saiz semasa semula senarai tiada",
     "id"},
    {"gd", "aig airson bha bheil bho cha chaidh chan deach dhe dhen dhut eil gus ris sibh tha", "ga"},
};
constexpr size_t kLanguages = std::size(kRules);
static_assert(kLanguages <= 32, "a word's languages are bits of a uint32_t");

struct Script {
  char32_t first, last;
  std::string_view tag;
};
// Ascending. Each is written in the language named, or in none that Sheaf knows of.
constexpr Script kScripts[] = {
    {0x370, 0x3FF, "el"},   {0x531, 0x58F, "hy"},   {0x591, 0x5F4, "he"},   {0xB80, 0xBFF, "ta"},
    {0xE01, 0xE5B, "th"},   {0xE81, 0xEDF, "lo"},   {0x1000, 0x109F, "my"}, {0x1780, 0x17FF, "km"},
    {0x1F00, 0x1FFF, "el"}, {0x3041, 0x30FF, "ja"}, {0x3400, 0x9FFF, "zh"}, {0xAC00, 0xD7A3, "ko"},
};

// Frequent characters that are written in one way or the other.
constexpr std::u32string_view kSimplified = U"们个这说为时后来对", kTraditional = U"們個這說為時後來對";

// The function words of all languages, folded, each with the languages that have it.
class FunctionWords {
 public:
  FunctionWords() {
    for (size_t i = 0; i < kLanguages; ++i) {
      const bool is_serbian = kRules[i].tag == "sr";
      std::string_view rest = kRules[i].words;
      while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        const std::string term = Analyzer::Fold(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        // Single ASCII letters are of every language, and of formulas.
        if (term.size() < 2 || (is_serbian && DecodeUtf8(term, 0).code_point < 0x400)) continue;
        uint32_t& languages = words_[term];
        if ((languages >> i & 1) == 0) ++sizes_[i];
        languages |= uint32_t(1) << i;
      }
    }
  }
  uint32_t LanguagesOf(const std::string& term) const {
    const auto found = words_.find(term);
    return found == words_.end() ? 0 : found->second;
  }
  size_t size(size_t language) const { return sizes_[language]; }

 private:
  std::unordered_map<std::string, uint32_t> words_;
  std::array<size_t, kLanguages> sizes_{};
};

struct Judged {
  std::string tag;  // empty: no telling
  bool by_words = false;
  bool leans_to_english = false;  // has more words of English than of any other language, be it too short to tell
  std::string_view script;        // the tag that its letters alone give, however few; empty: none
  int traditional = 0;            // how many more characters are traditional than simplified
  std::vector<std::string> terms;
};

// How much of a text is in a script that tells.
struct ScriptShare {
  std::string_view tag;
  size_t letters = 0, all = 0;  // a character of a script without spaces counts as two
  int traditional = 0;
};

ScriptShare ByScript(std::string_view text) {
  std::array<size_t, std::size(kScripts)> letters{};
  size_t kana = 0, han = 0, run = 0;
  bool before = false;
  ScriptShare share;
  for (size_t at = 0; at < text.size();) {
    const Decoded c = DecodeUtf8(text, at);
    at += c.size;
    share.traditional -= kSimplified.find(c.code_point) != kSimplified.npos;
    share.traditional += kTraditional.find(c.code_point) != kTraditional.npos;
    const CharClass kind = ClassOf(c.code_point);
    if (kind == CharClass::kIgnored) continue;
    const auto script = std::find_if(std::begin(kScripts), std::end(kScripts), [&](const Script& each) {
      return c.code_point >= each.first && c.code_point <= each.last;
    });
    const bool tells = script != std::end(kScripts);
    run = kind == CharClass::kNone || kind == CharClass::kDigit ? 0 : tells == before ? run + 1 : 1;
    before = tells;
    // A word of two or three such characters is as long as one of five letters. Single letters are no words: formulas
    // and units have Greek ones.
    const size_t weight = kind == CharClass::kDense || run == 2 ? 2 : run > 2 ? 1 : 0;
    share.all += weight;
    if (!tells) continue;
    letters[size_t(script - std::begin(kScripts))] += weight;
    kana += script->tag == "ja" ? weight : 0;
    han += script->tag == "zh" ? weight : 0;
  }
  const size_t best = size_t(std::max_element(letters.begin(), letters.end()) - letters.begin());
  share.tag = kScripts[best].tag;
  share.letters = letters[best];
  if (share.tag == "ja" || share.tag == "zh") {  // kana among ideographs make it Japanese
    share.tag = kana * 10 >= han ? "ja" : "zh";
    share.letters = kana + han;
  }
  return share;
}

Judged Judge(std::string_view text, size_t most_words, const FunctionWords& words, const Analyzer& analyzer) {
  Judged judged;
  std::vector<Token> tokens;
  analyzer.Tokenize(text, &tokens);
  size_t english = 0, end = 0;
  std::array<size_t, kLanguages> counts{};
  for (Token& token : tokens) {
    if (token.kind != TokenKind::kWord || token.term.size() < 2 || uint8_t(token.term[0]) <= '9') continue;
    if (judged.terms.size() == most_words) break;
    end = token.end;
    english += IsStopWord(token.term);
    const uint32_t languages = words.LanguagesOf(token.term);
    for (size_t i = 0; i < kLanguages; ++i) counts[i] += languages >> i & 1;
    judged.terms.push_back(std::move(token.term));
  }
  const size_t best = size_t(std::max_element(counts.begin(), counts.end()) - counts.begin());
  const size_t most = std::max(english, counts[best]);
  const bool tells = judged.terms.size() >= kLeastWords && most * kLeastShare >= judged.terms.size();
  judged.leans_to_english = english > counts[best];
  const ScriptShare script = ByScript(text.substr(0, end));
  // An English page may well have a section in another language: of such a page it takes half.
  const size_t least = tells && judged.leans_to_english ? 2 : 3;
  if (script.letters > 0 && script.letters * least >= script.all) judged.script = script.tag;
  if (script.letters >= kLeastLetters) judged.tag = judged.script;
  judged.traditional = script.traditional;
  if (judged.tag == "he" && tells && kRules[best].tag == "yi") {
    // Hebrew has some of these words as well, one of them in every text. Single letters (two bytes) number its lists.
    std::map<std::string, size_t> different;
    for (const std::string& term : judged.terms) {
      if (term.size() > 2 && (words.LanguagesOf(term) >> best & 1) != 0) ++different[term];
    }
    if (different.size() >= kLeastYiddish) judged.tag = "yi";
  }
  if (!judged.tag.empty() || !tells) return judged;
  judged.by_words = true;
  judged.tag = counts[best] > english ? kRules[best].tag : "en";
  return judged;
}

// Whether these words are of the language, rather than of a relative of it.
bool IsSure(size_t language, const std::vector<Judged>& pages, const FunctionWords& words) {
  std::map<std::string, size_t> seen;
  std::array<size_t, kLanguages + 1> ours{}, theirs{};  // not the other's; of the other alone. The last is English
  size_t all = 0;
  for (const Judged& page : pages) {
    if (page.tag != kRules[language].tag) continue;
    for (const std::string& term : page.terms) {
      ++all;
      const uint32_t languages = words.LanguagesOf(term);
      const bool own = languages >> language & 1;
      if (own) ++seen[term];
      for (size_t i = 0; i <= kLanguages; ++i) {
        const bool other = i < kLanguages ? languages >> i & 1 : IsStopWord(term);
        ours[i] += own && !other;
        theirs[i] += other && !own;
      }
    }
  }
  for (size_t i = 0; i <= kLanguages; ++i) {
    if (i == language) continue;
    if (ours[i] < kLeastLead * std::max<size_t>(theirs[i], 1)) return false;
    if (i < kLanguages && kRules[i].near == kRules[language].tag && theirs[i] * kMostOfRelative > all) return false;
  }
  // In percent of its function words: what texts of so many words have at least, and those of its relatives have not.
  const size_t expected = all >= 3000 ? 50 : all >= 2000 ? 46 : all >= 1000 ? 42 : all >= 400 ? 32 : 101;
  return seen.size() * 100 >= expected * words.size(language);
}

// Whether the pages that are not of this language hold as many words as its own. One that is too short to tell may be
// of any language that is written in its letters, unless its words are rather English.
bool IsOutweighed(const Judged& example, const std::vector<Judged>& pages) {
  size_t ours = 0, theirs = 0;
  for (const Judged& page : pages) {
    if (page.tag == example.tag) {
      ours += page.terms.size();
    } else if (!page.tag.empty() || (example.by_words ? page.leans_to_english : page.script.empty())) {
      theirs += page.terms.size();
    }
  }
  return theirs >= ours;
}

}  // namespace

Recognised RecogniseLanguage(std::span<const std::string> pages) {
  const FunctionWords words;
  const Analyzer analyzer(Language::kNone);
  const size_t most_words = kWords / std::max<size_t>(pages.size(), 1);
  std::vector<Judged> judged;
  std::map<std::string, size_t> counts;
  for (const std::string& page : pages) {
    judged.push_back(Judge(page, std::max(most_words, kLeastWords), words, analyzer));
    if (!judged.back().tag.empty()) ++counts[judged.back().tag];
  }
  Recognised recognised;
  for (const auto& [tag, count] : counts) {
    recognised.judged += count;
    if (count > recognised.pages) {
      recognised.pages = count;
      recognised.tag = tag;
    }
  }
  const auto is_of = [&](const Judged& page) { return page.tag == recognised.tag; };
  const auto example = std::find_if(judged.begin(), judged.end(), is_of);
  bool sure = recognised.pages * 2 > recognised.judged;
  if (sure && recognised.tag != "en") sure = !IsOutweighed(*example, judged);
  if (sure && recognised.tag != "en" && example->by_words) {
    const auto rules = std::find_if(std::begin(kRules), std::end(kRules),
                                    [&](const Rules& each) { return each.tag == recognised.tag; });
    sure = IsSure(size_t(rules - std::begin(kRules)), judged, words);
  }
  if (!sure) recognised.tag.clear();
  if (recognised.tag == "zh") {
    int traditional = 0;
    for (const Judged& page : judged) traditional += is_of(page) ? page.traditional : 0;
    if (traditional > 0) recognised.tag = "zh-Hant";
  }
  return recognised;
}

}  // namespace sheaf::packer
