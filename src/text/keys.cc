#include "text/keys.h"

#include <cstring>

namespace sheaf {

void AddKeys(const LanguageRules& rules, std::string_view text, Token* token) {
  const size_t size = token->end - token->begin;
  if (token->kind == TokenKind::kWhole || size > LanguageRules::kRoom) return;
  char room[LanguageRules::kRoom];
  std::memcpy(room, text.data() + token->begin, size);
  const std::string_view made(room, rules.Read(room, size));
  token->is_function_word = made.starts_with('!');
  token->keys = Analyzer::Fold(made.substr(token->is_function_word));
  // Folding may make a key longer than a term may be: each "և" becomes two letters.
  for (size_t at = 0; at < token->keys.size();) {
    const size_t end = token->keys.find('*', at) + 1;
    if (end - at > kMaxTermBytes)
      token->keys.erase(at, end - at);
    else
      at = end;
  }
}

std::string LanguageTag(Language language) {
  if (language == Language::kEnglish) return "en";
  std::string tag;
  for (auto code = uint32_t(language); code != 0; code >>= 8) tag += char(code);
  return tag;
}

Language LanguageOf(std::string_view tag) { return tag.size() == 2 ? LanguageOfCode(tag) : Language::kNone; }

uint16_t StemmerVersion(Language language) {
  if (language == Language::kNone) return 0;
  return language == Language::kEnglish ? 1 : LanguageRules(language).version();
}

}  // namespace sheaf
