// Chooses the language of a bundle, and the rules of analysis for it.
//
// Idea: a bundle has one language, since a word has one set of keys. It is the language of --language, or else the one
// that most pages name if a tenth of them name any, or else the one they are written in. Words of pages in other
// languages are found in their exact form.
//
// Cost: reads the first bytes of a few hundred files; if hardly any names a language, it parses 40, 128 kB of each, and
// up to 8 MB of those that begin with data.
#ifndef SHEAF_PACKER_PIPELINE_PAGE_LANGUAGE_H_
#define SHEAF_PACKER_PIPELINE_PAGE_LANGUAGE_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "packer/source/source.h"
#include "text/language.h"

namespace sheaf::packer {

struct PageLanguage {
  Language analysis = Language::kEnglish;  // kNone: terms are their own stems, without keys
  std::string tag = "en";                  // BCP 47; "none"
  bool found = false;                      // by the pages, not given by --language
};

// The part of a page that may name its language.
inline constexpr size_t kHeadBytes = 4096;

// Of a tag such as "de-AT", in any case; nb and nn are Norwegian. Error: kInvalidArgument.
Result<PageLanguage> ReadLanguage(std::string_view tag);

// Of two tags, whatever the country and the script: "de-AT" and "de".
bool SameLanguage(std::string_view a, std::string_view b);

// The tag that a page gives itself in its first bytes: <html lang>, or `lang:` or `language:` in front matter, where
// names of programming languages are none; empty for none.
std::string LanguageOfPage(std::string_view head, FileKind kind);

// Of two letters in lower case (ISO 639-1).
bool IsLanguageCode(std::string_view code);

// The tag of the language that the pages are written in; empty where it is not sure (recognise_language.h).
std::string WrittenLanguage(const std::vector<const SourceFile*>& pages);

// The language that most of the naming pages name, under its commonest tag. If fewer than a tenth name any, or the name
// may be a programming language's: the one they are written in (recognise_language.h), with a note in the list; else
// English.
PageLanguage FindLanguage(SourceList* list);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_PAGE_LANGUAGE_H_
