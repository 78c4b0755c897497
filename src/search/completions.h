// Completions: the terms of the index that an unfinished last word may become.
//
// Idea: a long beginning has few completions, which lie on one or two leaves of the lexicon; all of them are forms of
// the word. The beginning of many words ("co") stands for the commonest plain ones instead, from the list of spellings.
//
// Invariants
//  1. A completion is longer than the word, begins with it, and is of another stem.
//  2. A word has at most Ranking::max_completions, those of the most postings.
//
// Cost: at most Ranking::completion_leaves leaves, or the leaves of spellings of eight lengths.
#ifndef SHEAF_SEARCH_COMPLETIONS_H_
#define SHEAF_SEARCH_COMPLETIONS_H_

#include <vector>

#include "base/result.h"
#include "search/query_words.h"
#include "search/search_context.h"

namespace sheaf {

// Appends the completions of `word` to its forms. `has_forms`: FindForms has read all forms of the word; while their
// leaf is missing, leaves of completions are requested with it. Errors: kCorrupt, kNeedsBytes.
Status FindCompletions(const SearchContext& search, bool has_forms, QueryWord* word);

// Empties the postings of completions that are not of the name that was begun: watchE begins watchEffect, not watchers.
// REQUIRES: all postings are read
void DropOtherCompletions(std::vector<QueryWord>* words);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_COMPLETIONS_H_
