// Signals to candidates: the best passages of each signal, with both scores of each.
//
// Idea: only the best few hundred of each signal can become hits, so only these are fused. Where all vectors
// are there, cosines are exact: of every passage, or of those that the graph finds. A reader that fetches by
// range probes instead: the partitions near the query estimate the cosines of their passages, and only the
// rows of those that may be hits are read. The others keep the estimate, or count as the background.
//
// Cost: a scan of all vectors or a walk of the graph; probing, two round trips: the partitions, then rows
// together with the passages that the hits will most likely be.
#ifndef SHEAF_SEARCH_CANDIDATES_H_
#define SHEAF_SEARCH_CANDIDATES_H_

#include <vector>

#include "base/result.h"
#include "search/fusion.h"
#include "search/search_context.h"
#include "search/signals.h"

namespace sheaf {

// Sets `candidates`, in no order. Errors: kCorrupt, kNeedsBytes.
Status FindCandidates(const SearchContext& search, const Signals& signals, const Blend& blend,
                      std::vector<Candidate>* candidates);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_CANDIDATES_H_
