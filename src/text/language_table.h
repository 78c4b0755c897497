// The languages that a program has rules of: all of them, or one in a language's module.
//
// Idea: the code of rules (language.cc) is the same for all languages and is compiled once; this table is what differs.
// Cost: constants; nothing runs.
#ifndef SHEAF_TEXT_LANGUAGE_TABLE_H_
#define SHEAF_TEXT_LANGUAGE_TABLE_H_

#include <cstddef>
#include <cstdint>

struct SN_env;

namespace sheaf {

struct LanguageRow {
  uint32_t language;  // a Language, whose header would include the library's strings
  SN_env* (*create)();
  void (*close)(SN_env*);
  int (*stem)(SN_env*);
  const char* function_words;  // in lower case, a space before and after each
  const char* endings;         // "cion>ción ": as it is often typed, and as the stemmer knows it
};

extern const LanguageRow kLanguageTable[];
extern const size_t kLanguageCount;

}  // namespace sheaf

#endif  // SHEAF_TEXT_LANGUAGE_TABLE_H_
