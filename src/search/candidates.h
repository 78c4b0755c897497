// Signals to candidates: the best passages of each signal, with both scores of each.
//
// Idea: only the best few hundred of each signal can become hits, so only these are fused. Where all vectors
// are there, cosines are exact: of every passage, or of those that the graph finds. A reader that fetches by
// range reads the partitions near the query and those of the likeliest passages by their words. Their members have
// exact cosines too; any other passage counts as its centroid does.
//
// Cost: a scan of all vectors or a walk of the graph; probing, one round trip: the partitions.
#ifndef SHEAF_SEARCH_CANDIDATES_H_
#define SHEAF_SEARCH_CANDIDATES_H_

#include <vector>

#include "base/result.h"
#include "search/fusion.h"
#include "search/search_context.h"
#include "search/signals.h"

namespace sheaf {

// Sets `candidates`, in no order. Errors: kCorrupt, kNeedsBytes.
Status FindCandidates(const SearchContext& search, const Signals& signals, std::vector<Candidate>* candidates);

// Makes the entries of the symbols that the query names candidates, and of a query for a kind of symbol the only ones.
void AddSymbols(const SearchContext& search, const Signals& signals, std::vector<Candidate>* candidates);

// Whether the hits are merely the nearest passages: no word of the query is found, and none is clearly nearer to its
// meaning than passages are on average.
bool IsWeak(const SearchContext& search, const Signals& signals, const Blend& blend,
            const std::vector<Candidate>& candidates);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_CANDIDATES_H_
