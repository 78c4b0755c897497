// The inputs that every step of one search reads. `Engine::Search` calls the steps in order: signals.h, candidates.h,
// grouping.h, hits.h.
#ifndef SHEAF_SEARCH_SEARCH_CONTEXT_H_
#define SHEAF_SEARCH_SEARCH_CONTEXT_H_

#include <cstddef>

#include "search/bundle_view.h"
#include "search/query.h"
#include "search/query_encoder.h"
#include "search/ranking.h"
#include "text/analyzer.h"

namespace sheaf {

// The references outlive the search. REQUIRES: the bundle is open
struct SearchContext {
  BundleView& bundle;
  QueryEncoder& encoder;
  const Analyzer& analyzer;
  const Ranking& ranking;
  Query query;  // with its corrected text, once ReadSignals has corrected it

  size_t top_k() const { return query.top_k < kMaxTopK ? query.top_k : kMaxTopK; }
  // By a key of the pages instead of by score: the selection's first line names it.
  bool sorts_by_key() const { return !query.selection.empty() && query.selection[0] != '\n'; }
  // An order cannot express "a little near": sorted hits hold the words.
  Mode mode() const { return sorts_by_key() ? Mode::kKeyword : query.mode; }
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_SEARCH_CONTEXT_H_
