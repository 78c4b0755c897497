// The two signals of a query, before they meet: how well passages hold its words, and its vector with the rows to
// compare it with. Then how much each signal counts.
//
// Idea: this step finds out which bytes a search lacks. It requests both signals, the filters and the data every
// hit needs before giving up on any of them, so that one round trip brings them all. Mistyped words are corrected
// between finding words and scoring them: from there on, the search is that of the corrected text.
//
// Cost: that of FindWords, twice where a word is corrected, of ScoreWords, and of embedding the query; the vectors are
// read once for all queries.
#ifndef SHEAF_SEARCH_SIGNALS_H_
#define SHEAF_SEARCH_SIGNALS_H_

#include <vector>

#include "base/result.h"
#include "search/keyword_search.h"
#include "search/search_context.h"
#include "search/symbols.h"
#include "vector/flat.h"
#include "vector/hnsw.h"
#include "vector/partition.h"

namespace sheaf {

struct Signals {
  bool by_keyword = false;  // words take part; else `words` and `keywords` are empty
  QueryWords words;         // with the corrections that were made
  KeywordScores keywords;
  std::vector<Symbol> symbols;  // that the query names, the likeliest first (symbols.h)

  std::vector<float> vector;  // of the query, L2-normalised; empty: there is none
  VectorQuery vector_query;   // the same, as rows are compared with it
  // The rows it is compared with: all of them, by the graph if there is one, or else the nearest partitions.
  const VectorTable* vectors = nullptr;
  const HnswGraph* graph = nullptr;
  const PartitionIndex* partitions = nullptr;

  // The query's meaning takes part.
  bool by_meaning() const { return (vectors || partitions) && vector_query.valid(); }
};

// Sets `signals`, and corrects the query's text. Errors: kNoVectors, kNoEncoder, kSpaceMismatch, kInvalidArgument (the
// query's vector), kCorrupt, kNeedsBytes.
Status ReadSignals(SearchContext* search, Signals* signals);

// Keeps only the matching passages on pages that pass the filters.
void DropFiltered(const SearchContext& search, KeywordScores* keywords);

// How the signals are joined (fusion.h).
struct Blend {
  float share = 0;       // of meaning, 0..1: as asked for, or as it is for every query
  float weight = 0;      // of meaning, 0..1: the more, the worse the words answer this query
  float background = 0;  // mean cosine of the query with the passages
};
// REQUIRES: filtered passages were dropped
Blend Weigh(const SearchContext& search, const Signals& signals);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_SIGNALS_H_
