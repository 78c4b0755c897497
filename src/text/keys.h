// Keys of tokens, by the rules of a language (text/language.h). Apart from the analyzer, which is compiled for speed:
// this is not in its loop.
#ifndef SHEAF_TEXT_KEYS_H_
#define SHEAF_TEXT_KEYS_H_

#include <string_view>

#include "text/analyzer.h"

namespace sheaf {

// Sets keys and is_function_word of a token of `text`.
void AddKeys(const LanguageRules& rules, std::string_view text, Token* token);

}  // namespace sheaf

#endif  // SHEAF_TEXT_KEYS_H_
