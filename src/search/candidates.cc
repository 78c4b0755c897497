#include "search/candidates.h"

#include <algorithm>

#include "base/gather.h"
#include "search/grouping.h"

namespace sheaf {
namespace {

// Rows at most this many passages apart travel in one request: loaders merge ranges up to 512 bytes apart and
// read the gap too.
constexpr uint32_t kBeside = 6;

// Functions, not lambdas: one instantiation of std::sort serves all orders of candidates.
bool ByKeyword(const Candidate& a, const Candidate& b) {
  return a.keyword_raw != b.keyword_raw ? a.keyword_raw > b.keyword_raw : a.passage < b.passage;
}
bool ByPassage(const Candidate& a, const Candidate& b) { return a.passage < b.passage; }

void SortUnique(std::vector<uint32_t>* passages) {
  std::sort(passages->begin(), passages->end());
  passages->erase(std::unique(passages->begin(), passages->end()), passages->end());
}

// How many candidates each signal gives.
size_t Wanted(const SearchContext& search) {
  return search.sorted() ? SIZE_MAX : std::max(search.ranking.candidates, 4 * search.top_k());
}

// Keeps the `wanted` best, in no order: by cosine, or by the score stored in its place.
void KeepBest(size_t wanted, std::vector<Neighbor>* passages) {
  if (passages->size() <= wanted) return;
  std::nth_element(passages->begin(), passages->begin() + ptrdiff_t(wanted), passages->end(), Closer);
  passages->resize(wanted);
}

// In no order. Selects by score through the same code as by cosine.
std::vector<uint32_t> BestByKeyword(const KeywordScores& keywords, size_t wanted) {
  std::vector<Neighbor> best;
  best.reserve(keywords.matching.size());
  for (uint32_t passage : keywords.matching) best.push_back({passage, keywords.scores[passage]});
  KeepBest(wanted, &best);
  std::vector<uint32_t> passages;
  for (const Neighbor& n : best) passages.push_back(n.id);
  return passages;
}

// A passage with its keyword score.
Candidate MakeCandidate(const KeywordScores& keywords, uint32_t passage) {
  Candidate c;
  c.passage = passage;
  if (!keywords.scores.empty()) c.keyword_raw = keywords.scores[passage];
  return c;
}

std::vector<Candidate> MakeCandidates(const KeywordScores& keywords, const std::vector<uint32_t>& passages) {
  std::vector<Candidate> candidates;
  candidates.reserve(passages.size());
  for (uint32_t passage : passages) candidates.push_back(MakeCandidate(keywords, passage));
  return candidates;
}

// ---- with all vectors ---------------------------------------------------------------------------

// The nearest passages of pages that pass, in no order. `cosines` gets those of all passages if they were
// computed, and stays empty otherwise. REQUIRES: signals.vectors
std::vector<Neighbor> Nearest(const SearchContext& search, const Signals& signals, size_t wanted,
                              std::vector<float>* cosines) {
  const Facets& facets = search.bundle.facets();
  // A graph finds the nearest of all pages, few of which may pass; the scan finds the nearest that do.
  if (signals.graph && !facets.filters()) {
    return signals.graph->Search(*signals.vectors, signals.vector_query, wanted, std::max<size_t>(wanted, kDefaultEf));
  }
  ScanAll(*signals.vectors, signals.vector_query, cosines);
  std::vector<Neighbor> near;
  near.reserve(cosines->size());
  for (uint32_t id = 0; id < cosines->size(); ++id) {
    if (facets.Passes(search.bundle.PageOf(id))) near.push_back({id, (*cosines)[id]});
  }
  KeepBest(wanted, &near);
  return near;
}

std::vector<Candidate> Compare(const SearchContext& search, const Signals& signals) {
  const size_t wanted = Wanted(search);
  std::vector<uint32_t> chosen = BestByKeyword(signals.keywords, wanted);
  if (!signals.by_meaning()) return MakeCandidates(signals.keywords, chosen);
  std::vector<float> cosines;
  for (const Neighbor& neighbor : Nearest(search, signals, wanted, &cosines)) chosen.push_back(neighbor.id);
  SortUnique(&chosen);
  std::vector<Candidate> candidates = MakeCandidates(signals.keywords, chosen);
  for (Candidate& c : candidates) {
    c.cosine = cosines.empty() ? signals.vector_query.Cosine(*signals.vectors, c.passage) : cosines[c.passage];
  }
  return candidates;
}

// ---- by probing ---------------------------------------------------------------------------------

// Prefetches the likely hits in a round trip that is due anyway. For `share` times as many pages as are
// wanted, it asks for the best passage and those behind it by less than `margin` of its score.
void Foresee(const SearchContext& search, const Blend& blend, float share, float margin,
             std::vector<Candidate> candidates) {
  const size_t pages = size_t(float(search.top_k()) * share);
  for (const PageGroup& group : Rank(search, blend, pages, &candidates)) {
    const float least = group.passages[0]->score * (1 - margin);
    for (const Candidate* c : group.passages) {
      if (c->score >= least) (void)search.bundle.ReadPassage(c->passage);
    }
  }
}

// Estimated cosines of the passages in the partitions near the query, on pages that pass; in no order.
Status Estimate(const SearchContext& search, const Signals& signals, std::vector<Neighbor>* near) {
  BundleView& bundle = search.bundle;
  const Facets& facets = bundle.facets();
  // Where only some pages pass, fewer of the near ones do.
  const uint64_t budget = facets.filters() ? 4 * search.ranking.probe_bytes : search.ranking.probe_bytes;
  const auto read = [&](uint64_t offset, uint64_t length) { return bundle.Partition(offset, length); };
  SHEAF_RETURN_IF_ERROR(signals.partitions->Estimate(signals.vector, budget, read, near));
  if (facets.filters()) {
    std::erase_if(*near, [&](const Neighbor& n) { return !facets.Passes(bundle.PageOf(n.id)); });
  }
  return {};
}

// Passages that may be among the best once their cosines are exact. REQUIRES: estimates are sorted.
std::vector<uint32_t> RowsWorthReading(const SearchContext& search, const std::vector<Neighbor>& near) {
  const Ranking& ranking = search.ranking;
  const size_t top_k = search.top_k();
  std::vector<uint32_t> rows;
  if (near.empty()) return rows;
  const float last = near[std::clamp<size_t>(top_k, 1, near.size()) - 1].cosine;
  const auto within = [&](float margin, size_t least, size_t most) {
    size_t count = std::min(least, near.size());
    while (count < std::min(most, near.size()) && near[count].cosine >= last - margin) ++count;
    return count;
  };
  const size_t sure = within(ranking.near_margin, ranking.reranked_least, std::max(ranking.reranked, 2 * top_k));
  const size_t perhaps = within(ranking.neighbour_margin, sure, ranking.neighbours);
  for (size_t i = 0; i < sure; ++i) rows.push_back(near[i].id);
  std::sort(rows.begin(), rows.end());
  for (size_t i = sure; i < perhaps; ++i) {
    // Only the first `sure` are sorted; neighbours added beside them bring in no further ones.
    const auto end = rows.begin() + ptrdiff_t(sure);
    const auto above = std::lower_bound(rows.begin(), end, near[i].id);
    const bool beside = (above != end && *above - near[i].id <= kBeside) ||
                        (above != rows.begin() && near[i].id - above[-1] <= kBeside);
    if (beside) rows.push_back(near[i].id);
  }
  return rows;
}

constexpr float kUnknown = -2;  // no estimate: far below every cosine

// Sets the estimated cosines of `candidates`, and appends the other `near` passages. `estimates` holds all
// estimates by passage, or kUnknown. The call consumes them.
void AddEstimates(const KeywordScores& keywords, const std::vector<Neighbor>& near, std::vector<float>* estimates,
                  std::vector<Candidate>* candidates) {
  for (Candidate& c : *candidates) {
    float& estimate = (*estimates)[c.passage];
    if (estimate != kUnknown) c.cosine = estimate;
    estimate = kUnknown;
  }
  for (const Neighbor& n : near) {
    if ((*estimates)[n.id] == kUnknown) continue;  // it is a candidate by keyword
    candidates->push_back(MakeCandidate(keywords, n.id));
    candidates->back().cosine = n.cosine;
  }
}

// Replaces estimates by exact cosines. `table` has the rows of the passages `rows`. REQUIRES: rows and
// candidates ascend by passage.
void Rerank(const VectorTable& table, const std::vector<uint32_t>& rows, const VectorQuery& query,
            std::vector<Candidate>* candidates) {
  size_t at = 0;
  for (Candidate& c : *candidates) {
    while (at < rows.size() && rows[at] < c.passage) ++at;
    if (at < rows.size() && rows[at] == c.passage) c.cosine = query.Cosine(table, uint32_t(at));
  }
}

Status Probe(const SearchContext& search, const Signals& signals, const Blend& blend, std::vector<Candidate>* out) {
  const Ranking& ranking = search.ranking;
  const size_t wanted = Wanted(search);
  std::vector<Candidate>& candidates = *out;
  candidates = MakeCandidates(signals.keywords, BestByKeyword(signals.keywords, wanted));
  for (Candidate& c : candidates) c.cosine = blend.background;

  std::vector<Neighbor> near;
  const Status probed = Estimate(search, signals, &near);
  if (LacksBytes(probed)) Foresee(search, blend, 1, 0, candidates);
  SHEAF_RETURN_IF_ERROR(probed);
  std::vector<float> estimates(search.bundle.passages(), kUnknown);
  for (const Neighbor& n : near) estimates[n.id] = n.cosine;
  std::sort(near.begin(), near.end(), Closer);
  near.resize(std::min(near.size(), std::max({wanted, ranking.reranked, 2 * search.top_k()})));

  std::vector<uint32_t> rows = RowsWorthReading(search, near);
  std::sort(candidates.begin(), candidates.end(), ByKeyword);
  for (size_t i = 0; i < std::min(candidates.size(), ranking.reranked_keyword); ++i) {
    rows.push_back(candidates[i].passage);
  }
  SortUnique(&rows);
  AddEstimates(signals.keywords, near, &estimates, &candidates);
  std::sort(candidates.begin(), candidates.end(), ByPassage);

  const Result<VectorTable> table = search.bundle.ReadRows(rows);
  if (LacksBytes(table)) Foresee(search, blend, ranking.foreseen, ranking.foreseen_margin, candidates);
  if (!table.ok()) return table.error();
  Rerank(*table, rows, signals.vector_query, &candidates);
  return {};
}

}  // namespace

Status FindCandidates(const SearchContext& search, const Signals& signals, const Blend& blend,
                      std::vector<Candidate>* candidates) {
  if (signals.by_meaning() && signals.partitions) return Probe(search, signals, blend, candidates);
  *candidates = Compare(search, signals);
  return {};
}

}  // namespace sheaf
