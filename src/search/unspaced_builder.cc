#include "search/unspaced_builder.h"

#include "text/unicode.h"
#include "text/utf8.h"

namespace sheaf {
namespace {

constexpr char32_t kLongVowel = 0x30FC;  // ー, which hiragana has too
constexpr char32_t kKanaApart = 0x60;    // from a katakana to its hiragana

bool IsSyllable(char32_t c) { return c >= 0xAC00 && c <= 0xD7A3; }
bool IsIdeograph(char32_t c) {
  return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3347F);
}
bool StandsAlone(char32_t c) { return IsIdeograph(c) || IsSyllable(c); }
bool IsKatakana(char32_t c) { return c >= 0x30A1 && c <= 0x30F6; }
char32_t Hiragana(char32_t c) { return IsKatakana(c) ? c - kKanaApart : c; }

// The characters of a token; none, if it is of another script.
struct Characters {
  explicit Characters(std::string_view term) {
    if (!IsUnspaced(term)) return;
    const Decoded d = DecodeUtf8(term, 0);
    first = last = d.code_point;
    if (d.size < term.size()) last = DecodeUtf8(term, d.size).code_point;
    is_pair = d.size < term.size();
  }
  char32_t first = 0, last = 0;
  bool is_pair = false;
};

std::string Spell(char32_t a, char32_t b = 0) {
  char bytes[8];
  size_t size = EncodeUtf8(a, bytes);
  if (b) size += EncodeUtf8(b, bytes + size);
  return {bytes, size};
}

}  // namespace

bool IsUnspaced(std::string_view term) {
  return !term.empty() && uint8_t(term[0]) >= 0x80 && ClassOf(DecodeUtf8(term, 0).code_point) == CharClass::kDense;
}

void AddUnspaced(std::string_view text, const std::vector<Token>& tokens, bool is_name, std::vector<std::string>* out) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const Characters own(token.term);
    if (!own.first) continue;
    // Pairs of one run have a character in common.
    const bool begins = i == 0 || tokens[i - 1].end <= token.begin;
    const bool ends = i + 1 == tokens.size() || tokens[i + 1].begin >= token.end;
    if (own.is_pair) {
      if (is_name && (begins || StandsAlone(own.first))) out->push_back(Spell(own.first));
      if (is_name && ends && StandsAlone(own.last)) out->push_back(Spell(own.last));
      const auto is_kana = [](char32_t c) { return IsKatakana(c) || c == kLongVowel; };
      if (is_kana(own.first) && is_kana(own.last) && (IsKatakana(own.first) || IsKatakana(own.last))) {
        out->push_back(Spell(Hiragana(own.first), Hiragana(own.last)));
      }
    }
    if (!is_name || !ends || i + 1 == tokens.size() || !IsSyllable(own.last)) continue;
    const bool one_space = tokens[i + 1].begin == token.end + 1 && (text[token.end] == ' ' || text[token.end] == '\n');
    const char32_t next = Characters(tokens[i + 1].term).first;
    if (one_space && IsSyllable(next)) out->push_back(Spell(own.last, next));
  }
}

}  // namespace sheaf
