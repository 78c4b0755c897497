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
#include <string_view>
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

// A query's text with its mistyped words replaced, those inside of names too.
struct CorrectedText {
  struct Replacement {
    uint32_t begin = 0, end = 0;  // bytes of `text`
    std::string typed;            // the word that stood there
  };
  std::string text;
  std::vector<Replacement> replacements;  // ascending
};
CorrectedText Correct(std::string_view query, const std::vector<Correction>& corrections, const Analyzer& analyzer);

// Sets QueryWord::typed of the words that stand in a replacement.
void MarkReplaced(const std::vector<CorrectedText::Replacement>& replacements, QueryWords* words);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_CORRECTIONS_H_
