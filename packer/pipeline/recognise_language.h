// Recognises the language of pages that name none.
//
// Idea: some scripts are written in one language alone; kana are Japanese. In others the function words decide, which
// the rules of a language hold anyway (languages.inc). Languages without rules have words in common with those that
// have some: Galician with Portuguese, Bulgarian with Russian. But a language has most of its own function words in any
// text of some length, and a relative of it less than half of them; so it counts how many different ones there are.
// Malay and Scottish Gaelic are too near to Indonesian and Irish for that, so a few words of theirs count against
// these.
//
// Most pages are not enough, since many are too short to be judged: the language must have most of the words as well.
//
// No answer is better than a wrong one: there is none for pages that are too short, in several languages, or in one
// that has neither a script of its own nor rules. Serbian is recognised in Cyrillic alone: in Latin it is Croatian's
// and Bosnian's too.
//
// Invariants: the answer depends on the pages alone; all numbers are integers.
// Cost: splits the given text into words, about 4,000 of them.
#ifndef SHEAF_PACKER_PIPELINE_RECOGNISE_LANGUAGE_H_
#define SHEAF_PACKER_PIPELINE_RECOGNISE_LANGUAGE_H_

#include <cstddef>
#include <span>
#include <string>

namespace sheaf::packer {

struct Recognised {
  std::string tag;    // BCP 47, "en" too; empty: several or unknown
  size_t pages = 0;   // in that language
  size_t judged = 0;  // pages that are long enough to tell
};

// `pages` are their words outside of code, UTF-8.
Recognised RecogniseLanguage(std::span<const std::string> pages);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_RECOGNISE_LANGUAGE_H_
