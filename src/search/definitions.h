// Definitions: how surely each passage defines what the query names.
//
// Idea: a query may be a name: of a function, a setting, a page. Posting lists say which words of a passage belong to
// the name of what it defines (NameRole). Where these are just the query's words, the passage defines what was asked
// for, and no text needs to be read to know.
//
// Invariants
//  1. A name has at most eight words, its function words included.
//  2. A name's role says how many words it has, or that it is a path's last part, or one name of several.
//
// Cost: the postings of the query's words once more; 12 bytes a passage for a name of several words.
#ifndef SHEAF_SEARCH_DEFINITIONS_H_
#define SHEAF_SEARCH_DEFINITIONS_H_

#include <vector>

#include "search/query_words.h"
#include "search/search_context.h"

namespace sheaf {

// By passage, 0..1; empty: no passage does. `coverage` is KeywordScores::coverage. REQUIRES: all postings are read
std::vector<float> FindDefinitions(const SearchContext& search, const QueryWords& words,
                                   const std::vector<float>& coverage);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_DEFINITIONS_H_
