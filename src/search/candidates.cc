#include "search/candidates.h"

#include <algorithm>

#include "base/gather.h"
#include "search/grouping.h"

namespace sheaf {
namespace {

void SortUnique(std::vector<uint32_t>* passages) {
  std::sort(passages->begin(), passages->end());
  passages->erase(std::unique(passages->begin(), passages->end()), passages->end());
}

// How many candidates each signal gives.
size_t Wanted(const SearchContext& search) {
  return search.sorts_by_key() ? SIZE_MAX : std::max(search.ranking.candidates, 4 * search.top_k());
}

// Keeps the `wanted` best, in no order: by cosine, or by the score stored in its stead.
void KeepBest(size_t wanted, std::vector<Neighbor>* passages) {
  if (passages->size() <= wanted) return;
  std::nth_element(passages->begin(), passages->begin() + ptrdiff_t(wanted), passages->end(), Closer);
  passages->resize(wanted);
}

// The worth of a passage as a candidate by its words. A definition is one, however low its score.
float WorthOf(const KeywordScores& keywords, uint32_t passage) {
  return keywords.scores[passage] + (keywords.defines.empty() ? 0 : 1e6f * keywords.defines[passage]);
}

// In no order. Selects by score through the same code as by cosine.
std::vector<uint32_t> BestByKeyword(const KeywordScores& keywords, size_t wanted) {
  std::vector<Neighbor> best;
  best.reserve(keywords.matching.size());
  for (uint32_t passage : keywords.matching) best.push_back({passage, WorthOf(keywords, passage)});
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
  if (!keywords.defines.empty()) c.defines = keywords.defines[passage];
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
  if (signals.graph && !facets.has_filters()) {
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

std::vector<Candidate> FindAmongAll(const SearchContext& search, const Signals& signals) {
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

// The `count` best, the best first.
std::vector<uint32_t> Likeliest(const KeywordScores& keywords, const std::vector<uint32_t>& passages, size_t count) {
  std::vector<Neighbor> best;
  for (uint32_t passage : passages) best.push_back({passage, WorthOf(keywords, passage)});
  std::sort(best.begin(), best.end(), Closer);
  std::vector<uint32_t> likeliest;
  for (size_t i = 0; i < std::min(count, best.size()); ++i) likeliest.push_back(best[i].id);
  return likeliest;
}

Status FindByProbing(const SearchContext& search, const Signals& signals, std::vector<Candidate>* out) {
  const Ranking& ranking = search.ranking;
  BundleView& bundle = search.bundle;
  const PartitionIndex& partitions = *signals.partitions;
  const Facets& facets = bundle.facets();
  const size_t wanted = Wanted(search);
  std::vector<uint32_t> candidates = BestByKeyword(signals.keywords, wanted);
  // Where only some pages pass, fewer of the near ones do.
  const uint32_t times = facets.has_filters() ? 2 : 1;
  const PartitionIndex::Chosen chosen =
      partitions.Choose(signals.vector, Likeliest(signals.keywords, candidates, ranking.probe_likely),
                        {times * ProbeBytes(ranking, bundle.passages()), times * ranking.probe_runs});

  constexpr float kUnread = -2;  // below every cosine
  std::vector<float> cosines(bundle.passages(), kUnread);
  std::vector<Neighbor> near;
  VectorTable row(bundle.settings().dimensions, 8);
  row.Resize(1);
  const auto read = [&](uint64_t offset, uint64_t length) { return bundle.Partition(offset, length); };
  SHEAF_RETURN_IF_ERROR(
      partitions.ReadMembers(chosen.partitions, read, [&](uint32_t passage, std::span<const int8_t> codes) {
        row.SetCodes(0, codes);
        cosines[passage] = signals.vector_query.Cosine(row, 0);
        if (facets.Passes(bundle.PageOf(passage))) near.push_back({passage, cosines[passage]});
      }));
  KeepBest(wanted, &near);
  for (const Neighbor& neighbor : near) candidates.push_back(neighbor.id);
  SortUnique(&candidates);
  *out = MakeCandidates(signals.keywords, candidates);
  for (Candidate& c : *out) {
    const float cosine = cosines[c.passage];
    c.cosine = cosine == kUnread ? chosen.cosines[partitions.PartitionOf(c.passage)] : cosine;
  }
  return {};
}

}  // namespace

Status FindCandidates(const SearchContext& search, const Signals& signals, std::vector<Candidate>* candidates) {
  if (signals.by_meaning() && signals.partitions) return FindByProbing(search, signals, candidates);
  *candidates = FindAmongAll(search, signals);
  return {};
}

void AddSymbols(const SearchContext& search, const Signals& signals, std::vector<Candidate>* candidates) {
  if (search.query.kind) candidates->clear();
  for (uint32_t i = 0; i < signals.symbols.size(); ++i) {
    const uint32_t passage = signals.symbols[i].passage;
    size_t at = 0;
    while (at < candidates->size() && (*candidates)[at].passage != passage) ++at;
    if (at == candidates->size()) candidates->push_back(MakeCandidate(signals.keywords, passage));
    (*candidates)[at].symbol = i;
    (*candidates)[at].defines = 1;
  }
}

bool IsWeak(const SearchContext& search, const Signals& signals, const Blend& blend,
            const std::vector<Candidate>& candidates) {
  if (!signals.by_keyword || signals.keywords.found || !signals.symbols.empty()) return false;
  float nearest = blend.background;
  for (const Candidate& c : candidates) nearest = std::max(nearest, c.cosine);
  return nearest - blend.background < search.ranking.weak_margin;
}

}  // namespace sheaf
