// The table of all languages or, with SHEAF_ONE_LANGUAGE, of the one that SHEAF_LANGUAGE_xx names.
#include "text/language_table.h"

#define SHEAF_LANGUAGE(tag, name, words, endings)   \
  extern "C" SN_env* name##_UTF_8_create_env(void); \
  extern "C" void name##_UTF_8_close_env(SN_env*);  \
  extern "C" int name##_UTF_8_stem(SN_env*);
#include "text/languages.inc"
#undef SHEAF_LANGUAGE

namespace sheaf {

constexpr LanguageRow kLanguageTable[] = {
#define SHEAF_LANGUAGE(tag, name, words, endings) \
  {uint32_t(#tag[0]) | uint32_t(#tag[1]) << 8,    \
   name##_UTF_8_create_env,                       \
   name##_UTF_8_close_env,                        \
   name##_UTF_8_stem,                             \
   words,                                         \
   endings},
#include "text/languages.inc"
#undef SHEAF_LANGUAGE
};
constexpr size_t kLanguageCount = sizeof kLanguageTable / sizeof *kLanguageTable;

}  // namespace sheaf
