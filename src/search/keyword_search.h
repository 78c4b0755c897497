// Keyword search: the words of a query to the scores of passages (BM25F, lexical/bm25.h).
//
// Idea: a word's frequency in a passage is the weighted sum over its forms, saturated once, so that "cache" and
// "caching" together count as one word, not two. A passage's score depends on how much of the query it covers.
//
// Invariants
//  1. Inverse document frequency counts pages, not passages: a word that fills one long page is rare.
//  2. A word that the index lacks is as rare as can be, and no passage covers it.
//  3. Other wordings make no word commoner than it is, unless it has no form of its own.
//
// Cost: the postings of all forms, each decoded once; two float arrays of the number of passages.
#ifndef SHEAF_SEARCH_KEYWORD_SEARCH_H_
#define SHEAF_SEARCH_KEYWORD_SEARCH_H_

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "search/query_words.h"
#include "search/search_context.h"

namespace sheaf {

struct KeywordScores {
  std::vector<float> scores;       // by passage; 0: no word
  std::vector<float> coverage;     // by passage, 0..1
  std::vector<float> defines;      // by passage, 0..1: how surely it defines what the query names; empty: none does
  float highest = 0;               // no passage can score more by the words that count
  std::vector<uint32_t> matching;  // passages with a score, in no order
  bool found = false;              // a word that is no function word, in any form

  float Best() const;  // of the matching passages' scores
};

// Sets `words` to those of the query with their forms, and the corrections of words that the index lacks. Errors:
// kCorrupt, kNeedsBytes.
Status FindWords(const SearchContext& search, QueryWords* words);

// Scores the passages by these words, sets each word's `idf`, and reads the postings of its forms. Errors: likewise.
Status ScoreWords(const SearchContext& search, QueryWords* words, KeywordScores* scores);

// Adds other wordings to the words' forms, with their postings, and scores anew by all of them. Definitions stay.
// REQUIRES: ScoreWords has scored. Errors: likewise.
Status AddWordings(const SearchContext& search, const Wordings& wordings, QueryWords* words, KeywordScores* scores);

// A form of a word in a passage.
struct WordMatch {
  const QueryWord* word = nullptr;
  const WordForm* form = nullptr;
  float frequency = 0;  // in the passage
  float score = 0;      // its share of the passage's score, before coverage
};
// Its pointers lead into `words`.
std::vector<WordMatch> MatchesIn(const std::vector<QueryWord>& words, uint32_t passage, float k1);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_KEYWORD_SEARCH_H_
