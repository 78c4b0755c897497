// The rules of text/language.h, of the languages in kLanguageTable.
#include "text/language.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "text/language_table.h"
#include "text/snowball.h"
#include "text/utf8.h"

namespace sheaf {
namespace {

constexpr uint16_t kVersion = 1;
constexpr int kLongestKey = 40;  // bytes; keys that folding makes too long are dropped (keys.cc)
constexpr int kRootLetters = 4;
constexpr Language kTurkish = LanguageOfCode("tr"), kRomanian = LanguageOfCode("ro");

// The small letter, by Unicode's simple mapping, of the scripts that stemmers know.
char32_t Lower(char32_t c, Language language) {
  if (c < 0x80) {
    if (language == kTurkish && c == 'I') return 0x131;
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
  }
  if (c < 0xC0) return c;
  if (c < 0xDF) return c == 0xD7 ? c : c + 32;
  if (c == 0x130) return 'i';
  if (c == 0x178) return 0xFF;
  if (c >= 0x100 && c < 0x180) {
    const bool odd = (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E);
    if (c == 0x131 || c == 0x138 || c == 0x149 || c == 0x17F) return c;
    return (c & 1) == (odd ? 1 : 0) ? c + 1 : c;
  }
  if (c >= 0x218 && c <= 0x21B) {
    c |= 1;
    // Romanian's comma below, which Snowball 2.2 knows as a cedilla.
    return language != kRomanian ? c : c == 0x219 ? 0x15F : 0x163;
  }
  if (c == 0x386) return 0x3AC;
  if (c >= 0x388 && c <= 0x38A) return c + 37;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x38E || c == 0x38F) return c + 63;
  if (c >= 0x391 && c <= 0x3AB) return c + 32;
  if (c >= 0x400 && c <= 0x40F) return c + 80;
  if (c >= 0x410 && c <= 0x42F) return c + 32;
  if (c >= 0x531 && c <= 0x556) return c + 48;
  return c;
}

// A mark, then the small letters that have it, each before what it becomes: text may come decomposed (NFD), and
// stemmers know letters with their accents as one character.
constexpr char16_t kComposed[] =
    u"\u0300"
    u"aàeèiìoòuùеѐиѝ"
    u"\u0301"
    u"aáeéiíoóuúyýcćlĺnńrŕsśzźϊΐαάεέηήιίϋΰοόυύωώгѓкќ"
    u"\u0302"
    u"aâeêiîoôuûcĉgĝhĥjĵsŝwŵyŷ"
    u"\u0303"
    u"aãnñoõiĩuũ"
    u"\u0304"
    u"aāeēiīoōuū"
    u"\u0306"
    u"aăeĕgğiĭoŏuŭийуў"
    u"\u0307"
    u"cċeėgġzżiiıi"
    u"\u0308"
    u"aäeëiïoöuüyÿιϊυϋеёії"
    u"\u030A"
    u"aåuů"
    u"\u030B"
    u"oőuű"
    u"\u030C"
    u"cčdďeělľnňrřsštťzž"
    u"\u0326"
    u"sștț"
    u"\u0327"
    u"cçgģkķlļnņrŗsştţ"
    u"\u0328"
    u"aąeęiįuų"
    u"\u0653"
    u"اآ"
    u"\u0654"
    u"اأوؤيئ"
    u"\u0655"
    u"اإ";

bool IsAccent(char32_t c) { return c >= 0x300 && c < 0x370; }

bool IsMark(char32_t c) { return IsAccent(c) || (c >= 0x653 && c < 0x656); }

// The letter with the mark; 0: there is none.
char32_t Compose(char32_t letter, char32_t mark) {
  if (!IsMark(mark)) return 0;
  char32_t current = 0;
  for (const char16_t* at = kComposed; *at; at += 2) {
    if (IsMark(*at)) current = *at++;
    if (current == mark && *at == letter) return at[1];
  }
  return 0;
}

// And the point of Catalan's l·l, which is often left out.
bool IsInvisible(char32_t c) {
  return c == 0xAD || c == 0xB7 || (c >= 0x200B && c <= 0x200F) || c == 0x2060 || c == 0xFEFF;
}

// Digits, scripts that are cut into runs, and characters that no stemmer knows.
bool HasNoForms(char32_t c) { return (c >= '0' && c <= '9') || (c >= 0xE00 && c < 0x1E00) || c >= 0x2100; }

// Shorter, as code, than the library's.
bool Contains(std::string_view text, std::string_view part) {
  for (; text.size() >= part.size(); text.remove_prefix(1)) {
    if (std::memcmp(text.data(), part.data(), part.size()) == 0) return true;
  }
  return false;
}

// The first letters of a stem; empty where it has fewer.
std::string_view RootOf(std::string_view stem) {
  size_t end = 0;
  for (int letters = 0; letters < kRootLetters; ++letters) {
    if (end >= stem.size()) return {};
    end += DecodeUtf8(stem, end).size;
  }
  return stem.substr(0, end);
}

std::string_view EndingOf(std::string_view word, const char* endings, std::string_view* written) {
  for (std::string_view rest = endings; !rest.empty();) {
    const size_t end = rest.find(' '), mid = rest.find('>');
    const std::string_view typed = rest.substr(0, mid);
    if (word.size() > typed.size() + 2 && word.ends_with(typed)) {
      *written = rest.substr(mid + 1, end - mid - 1);
      return typed;
    }
    rest.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace

LanguageRules::LanguageRules(Language language) : language_(language) {
  for (size_t i = 0; i < kLanguageCount; ++i) {
    if (Language(kLanguageTable[i].language) != language) continue;
    row_ = &kLanguageTable[i];
    scratch_ = row_->create();
  }
}

LanguageRules::~LanguageRules() {
  if (row_) row_->close(scratch_);
}

uint16_t LanguageRules::version() const { return scratch_ ? kVersion : 0; }

size_t LanguageRules::Read(char* room, size_t size) const {
  if (!scratch_ || size == 0 || size > kRoom) return 0;
  const LanguageRow& rules = *row_;
  SN_env* const env = scratch_;
  // In small letters, with a space before and after.
  char word[2 * kRoom + 8] = " ";
  size_t length = 1, letters = 0, last_at = 0;
  char32_t last = 0;
  for (size_t at = 0; at < size && length + 8 < sizeof word;) {
    const Decoded d = DecodeUtf8({room, size}, at);
    at += d.size;
    if (HasNoForms(d.code_point)) return 0;
    if (IsInvisible(d.code_point)) continue;
    if (const char32_t both = Compose(last, d.code_point)) {
      last = Lower(both, language_);
      length = last_at + EncodeUtf8(last, word + last_at);
      continue;
    }
    if (IsAccent(d.code_point)) continue;  // such as the stress of Cyrillic, which dictionaries write
    last = Lower(d.code_point, language_);
    last_at = length;
    length += EncodeUtf8(last, word + length);
    ++letters;
  }
  word[length] = ' ';
  size_t out = 0;
  if (Contains(rules.function_words, {word, length + 1})) room[out++] = '!';
  size_t first = 0;  // where the first stem begins
  const auto add = [&](std::string_view text) {
    if (SN_set_current(env, int(text.size()), reinterpret_cast<const symbol*>(text.data())) != 0) return;
    if (rules.stem(env) < 0 || env->l < 1 || env->l >= kLongestKey || out + size_t(env->l) >= kRoom) return;
    const std::string_view stem(reinterpret_cast<const char*>(env->p), size_t(env->l));
    if (first == 0) {
      const std::string_view root = RootOf(stem);
      if (!root.empty()) {
        std::memcpy(room + out, root.data(), root.size());
        std::memcpy(room + out + root.size(), ".*", 2);
        out += root.size() + 2;
      }
    }
    std::memcpy(room + out, stem.data(), stem.size());
    room[out + stem.size()] = '*';
    // A second stem that equals the first one adds no key.
    if (first > 0 &&
        std::string_view(room + first - 1, out - first + 1) == std::string_view(room + out, stem.size() + 1))
      return;
    first = out + 1;
    out += stem.size() + 1;
  };
  if (letters < 2) return out;
  const std::string_view plain(word + 1, length - 1);
  add(plain);
  std::string_view written;
  const std::string_view typed = EndingOf(plain, rules.endings, &written);
  if (!typed.empty()) {
    std::memcpy(word + length - typed.size(), written.data(), written.size());
    add({word + 1, length - 1 - typed.size() + written.size()});
  }
  return out;
}

}  // namespace sheaf
