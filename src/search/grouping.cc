#include "search/grouping.h"

#include <algorithm>

#include "base/sort.h"

namespace sheaf {
namespace {

// REQUIRES: candidates are sorted.
std::vector<PageGroup> GroupByPage(const SearchContext& search, const std::vector<Candidate>& candidates) {
  std::vector<PageGroup> groups;
  std::vector<uint32_t> group_of(search.bundle.settings().pages, UINT32_MAX);
  for (const Candidate& c : candidates) {
    const uint32_t page = search.bundle.PageOf(c.passage);
    uint32_t& slot = group_of[page];
    // A symbol stands alone. The other passages of its page join the first of them.
    const bool is_symbol = c.symbol != UINT32_MAX;
    if (slot == UINT32_MAX || is_symbol) {
      if (slot == UINT32_MAX) slot = uint32_t(groups.size());
      groups.emplace_back().page = page;
    }
    (is_symbol ? groups.back() : groups[slot]).passages.push_back(&c);
  }
  for (PageGroup& group : groups) {
    float share = search.ranking.page_bonus;
    for (size_t i = 1; i < group.passages.size() && i < 8; ++i, share /= 2) {
      group.bonus += share * group.passages[i]->score;
    }
    group.score = group.passages[0]->score + group.bonus;
  }
  return groups;
}

// REQUIRES: candidates are sorted.
std::vector<PageGroup> EachPassage(const SearchContext& search, const std::vector<Candidate>& candidates) {
  std::vector<PageGroup> groups;
  for (const Candidate& c : candidates) {
    PageGroup& group = groups.emplace_back();
    group.page = search.bundle.PageOf(c.passage);
    group.passages.push_back(&c);
    group.score = c.score;
  }
  return groups;
}

}  // namespace

bool BetterGroup(const PageGroup& a, const PageGroup& b) {
  if (a.rank != b.rank) return a.rank < b.rank;
  return a.score != b.score ? a.score > b.score : a.passages[0]->passage < b.passages[0]->passage;
}

std::vector<PageGroup> Rank(const SearchContext& search, const Blend& blend, size_t top_k,
                            std::vector<Candidate>* candidates) {
  if (search.query.rrf) {
    FuseRanks(candidates, blend.weight, blend.background, search.ranking.rrf_k);
  } else {
    FuseConvex(candidates, blend.weight, blend.background);
  }
  for (Candidate& c : *candidates) c.score += search.ranking.name_bonus * c.defines;
  std::sort(candidates->begin(), candidates->end(), Better);
  std::erase_if(*candidates, [](const Candidate& c) { return !(c.score > 0); });
  std::vector<PageGroup> groups =
      search.query.by_passage ? EachPassage(search, *candidates) : GroupByPage(search, *candidates);
  for (PageGroup& group : groups) {
    const uint32_t rank = search.bundle.facets().Rank(group.page);
    // A rank is no larger than the number of pages, well below both ends.
    if (rank) group.rank = search.query.descending ? UINT32_MAX - rank : rank;
    group.rank = std::min(group.rank, group.passages[0]->symbol);
  }
  Sort(&groups, BetterGroup);
  if (groups.size() > top_k) groups.resize(top_k);
  return groups;
}

}  // namespace sheaf
