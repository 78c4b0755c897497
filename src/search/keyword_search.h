// Keyword search: query text to terms of the index, terms to passage scores.
//
// Idea: each word of the query becomes a `QueryWord` with the forms of it that the index holds
// (itself, its stem's other forms, identifier parts, completions), each with a weight. A word's weighted frequency in a passage is the sum over its forms, saturated once
// (bm25.h), so that "cache" and "caching" together count as one word, not two.
//
// A query may be a name: of a function, a setting, a page. Posting lists say which of a passage's words name what it
// defines (NameRole). Where these are just the query's words, the passage defines what was asked for.
//
// Inverse document frequency counts *pages*, not passages: a word that fills one long page is rare.
//
// Cost: the postings of all forms, each decoded once; two float arrays of the number of passages.
#ifndef SHEAF_SEARCH_KEYWORD_SEARCH_H_
#define SHEAF_SEARCH_KEYWORD_SEARCH_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/bundle_view.h"
#include "search/query.h"
#include "search/ranking.h"
#include "text/analyzer.h"

namespace sheaf {

struct WordForm {
  TermEntry entry;
  MatchKind kind = MatchKind::kExact;
  float weight = 1;
  std::vector<Posting> postings;
};

struct QueryWord {
  std::string word;                    // folded
  float boost = 1;                     // against other words of the query
  MatchKind kind = MatchKind::kExact;  // kExact, kPart or kJoined
  bool counts = true;                  // for coverage: wholes and joined words are extras
  bool complete = true;                // false: the last word, perhaps unfinished
  uint32_t begin = 0, end = 0;         // bytes of the query
  std::string keys;                    // terms of all its forms (Token::keys)
  bool is_function_word = false;
  std::vector<WordForm> forms;
  size_t roots = 0;  // forms that merely begin alike
  float idf = 0;
  bool known() const { return forms.size() > roots; }
};

struct KeywordScores {
  std::vector<QueryWord> words;
  std::vector<float> scores;       // by passage; 0: no word
  std::vector<float> coverage;     // by passage, 0..1
  std::vector<float> defines;      // by passage, 0..1: how surely it defines what the query names; empty: none does
  float highest = 0;               // no passage can score more by the words that count
  std::vector<uint32_t> matching;  // passages with a score, in no order
  // Words that the index lacks, with near ones that it has. Where there are some, nothing else is found: the
  // caller asks again (`Corrected`), so that a corrected query has the answer of the correct one.
  std::vector<Correction> corrections;
  uint32_t ignored_words = 0;
  bool found = false;  // a word that is no function word, in any form
};

// Error: kCorrupt, kNeedsBytes.
Result<KeywordScores> KeywordSearch(BundleView* bundle, const Analyzer& analyzer, const Query& query,
                                    const Ranking& ranking);

// The query with its mistyped words replaced, also those inside of names.
std::string Corrected(std::string_view query, const std::vector<Correction>& corrections, const Analyzer& analyzer);

// The matched terms of one passage with their share of its score.
std::vector<TermMatch> ExplainKeyword(const KeywordScores& scores, uint32_t passage, float k1);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_KEYWORD_SEARCH_H_
