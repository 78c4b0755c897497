// The forms of a word: the terms of the index that are this word, or another form of it.
//
// Idea: the terms of one stem stand side by side in the lexicon, so one look-up finds the word and its inflections. In
// languages with rules (text/language.h) a word has keys, terms of their own under which all its forms are found.
//
// Invariant: a joined word has itself as its only form.
// Cost: one leaf of the lexicon for the stem, and one for each key.
#ifndef SHEAF_SEARCH_WORD_FORMS_H_
#define SHEAF_SEARCH_WORD_FORMS_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "lexical/lexicon.h"
#include "search/query_words.h"
#include "search/search_context.h"

namespace sheaf {

// Appends the forms of `word`, without postings. Errors: kCorrupt, kNeedsBytes.
Status FindForms(const SearchContext& search, QueryWord* word);

// The stems of what a word of English is named after: "readers" do what "read" says.
std::vector<std::string> KinOf(const Analyzer& analyzer, const QueryWord& word);

// Appends the terms of those stems to `kin`; they count as roots. Errors: likewise.
Status FindKin(const SearchContext& search, const QueryWord& word, std::vector<TermEntry>* kin);

// Appends the entry of exactly this term, if the index has it. Errors: likewise.
Status FindTerm(const SearchContext& search, const std::string& term, std::vector<TermEntry>* out);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_WORD_FORMS_H_
