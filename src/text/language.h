// Languages other than English: the keys of a word, under which all its forms are found.
//
// Idea: the core carries English alone. Any other language is a set of rules behind this small interface. Native
// programs link all of them (language.cc). The search core in WebAssembly asks its host (wasm/language_host.cc), which
// loads the one module that a bundle needs. Both are the same code, so both give the same keys.
//
// Rules see the word as it is written, because stemmers need the accents that folding takes off: the caller folds what
// they give (analyzer.h).
//
// Threads: immutable but for the stemmer's scratch space; use one per thread.
// Cost: about a microsecond a word.
#ifndef SHEAF_TEXT_LANGUAGE_H_
#define SHEAF_TEXT_LANGUAGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sheaf {

// A number for each: the two letters of its subtag, the first in the lowest byte; but none and English.
enum class Language : uint32_t { kNone = 0, kEnglish = 1 };

constexpr Language LanguageOfCode(std::string_view two) {
  return two == "en" ? Language::kEnglish : Language(uint32_t(uint8_t(two[0])) | uint32_t(uint8_t(two[1])) << 8);
}
// The subtag as bundles have it; empty for none.
std::string LanguageTag(Language language);
// The language that a bundle names; kNone for a tag that is not of two letters.
Language LanguageOf(std::string_view tag);

class LanguageRules {
 public:
  explicit LanguageRules(Language language);
  ~LanguageRules();
  LanguageRules(const LanguageRules&) = delete;
  LanguageRules& operator=(const LanguageRules&) = delete;

  // Of the rules; 0: this reader has none of the language.
  uint16_t version() const;

  static constexpr size_t kRoom = 256;
  // Replaces the `size` bytes of a word at the beginning of `room` by its keys, and returns their length: '!' if it is
  // a function word; then its keys, each ending in '*', not folded. REQUIRES: size <= kRoom, room for kRoom bytes.
  size_t Read(char* room, size_t size) const;

 private:
  Language language_;
  const void* rules_ = nullptr;
  void* scratch_ = nullptr;
};

}  // namespace sheaf

#endif  // SHEAF_TEXT_LANGUAGE_H_
