// Candidates to pages: fuses and sorts candidates and groups them by page.
//
// Idea: a page is as good as its best passage, and a little better for each further good one. A passage that defines
// what the query names is better than any that does not. By passage
// (Query::by_passage) each candidate is a group of its own. Pages that the query sorts by a key of theirs are
// ordered by it first.
//
// Symbols that the query names come first, each a group.
//
// Cost: two sorts, of the candidates and of the groups; 4 bytes a page of the bundle.
#ifndef SHEAF_SEARCH_GROUPING_H_
#define SHEAF_SEARCH_GROUPING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/fusion.h"
#include "search/search_context.h"
#include "search/signals.h"

namespace sheaf {

// A page with its fused passages, best first.
struct PageGroup {
  uint32_t page = 0;
  std::vector<const Candidate*> passages;
  float score = 0;
  float bonus = 0;             // of the score: the part beyond the best passage alone
  uint32_t rank = UINT32_MAX;  // by the key that the query sorts by, or among the symbols that it names; else all alike
};

// Passages are numbered page by page, so ties fall in the order of pages.
bool BetterGroup(const PageGroup& a, const PageGroup& b);

// The `top_k` best groups, best first. Fuses and sorts `candidates` and drops those of score 0; groups point
// into it.
std::vector<PageGroup> Rank(const SearchContext& search, const Blend& blend, size_t top_k,
                            std::vector<Candidate>* candidates);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_GROUPING_H_
