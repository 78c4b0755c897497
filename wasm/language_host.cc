// The rules of text/language.h, of a core in WebAssembly: its host has them (module.d.ts).
#include "text/language.h"

extern "C" __attribute__((import_module("sheaf"), import_name("words"))) size_t SheafWords(uint32_t language,
                                                                                           char* room, size_t size);

namespace sheaf {

LanguageRules::LanguageRules(Language language) : language_(language) {}
LanguageRules::~LanguageRules() = default;

uint16_t LanguageRules::version() const { return uint16_t(SheafWords(uint32_t(language_), nullptr, 0)); }
size_t LanguageRules::Read(char* room, size_t size) const { return SheafWords(uint32_t(language_), room, size); }

}  // namespace sheaf
