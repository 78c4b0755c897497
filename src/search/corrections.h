// Corrections: the likely meaning of a word that the index lacks.
//
// Idea: such a word is misspelt, or two words without the space between them. So the nearest word of the list of
// spellings replaces it, or else the two words of the documentation that it consists of. The search then goes on with
// the corrected text, as if it had been typed.
//
// Invariants
//  1. A word has at most one correction. A known word, and a word with a known other form, has none.
//  2. In hybrid mode a word of the encoder's table keeps its spelling: it is a word, which the docs merely lack.
//  3. A corrected text is not corrected again.
//
// Cost: for each word that is lacking, some leaves of spellings; and for each of its cuts, the leaves of two words.
#ifndef SHEAF_SEARCH_CORRECTIONS_H_
#define SHEAF_SEARCH_CORRECTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "search/query.h"
#include "search/query_words.h"
#include "search/search_context.h"
#include "text/analyzer.h"

namespace sheaf {

// Appends the correction of `word`, if it needs and has one. REQUIRES: the forms of `word` are read. Errors: kCorrupt,
// kNeedsBytes.
Status FindCorrection(const SearchContext& search, const QueryWord& word, std::vector<Correction>* corrections);

// Drops the corrections of words that a known word of the query begins or ends with: "Schlag Schatten" needs none where
// the docs have "Schlagschatten".
void DropPartsOfKnownWords(const std::vector<QueryWord>& words, std::vector<Correction>* corrections);

// Drops the corrections of words that the encoder's table has (invariant 2). Errors: those of the table, kNeedsBytes.
Status DropKnownToEncoder(const SearchContext& search, std::vector<Correction>* corrections);

// Replaces the mistyped words of a query's text, those inside of names too. Returns, for each byte of the new text, the
// number of the correction that it is of, from 1; 0: it was typed.
std::vector<uint32_t> Correct(const std::vector<Correction>& corrections, const Analyzer& analyzer, std::string* text);

// Sets QueryWord::typed of the words that `replaced`, the result of Correct, says are of a correction.
void MarkReplaced(const std::vector<uint32_t>& replaced, const std::vector<Correction>& corrections, QueryWords* words);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_CORRECTIONS_H_
