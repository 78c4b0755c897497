// Page groups to hits: reads their passages, settles the order by their text, and makes scores and snippets.
//
// Idea: the index cannot say whether the query is the page's title or whether its words appear in a row. So
// check that in the few passages that are shown anyway. The order is then final, and scores become comparable
// between queries and bundles: the best hit's score is the absolute quality of the answer.
//
// Cost: one passage read and split into words a hit, and once more for its snippet.
#ifndef SHEAF_SEARCH_HITS_H_
#define SHEAF_SEARCH_HITS_H_

#include <vector>

#include "base/result.h"
#include "search/grouping.h"
#include "search/query.h"
#include "search/search_context.h"
#include "search/signals.h"

namespace sheaf {

// Appends them to `hits`, best first; none where no passage is near in any way. Errors: kCorrupt, kNeedsBytes.
Status MakeHits(const SearchContext& search, const Signals& signals, const Blend& blend, std::vector<PageGroup> groups,
                std::vector<Hit>* hits);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_HITS_H_
