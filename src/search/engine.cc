#include "search/engine.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/gather.h"
#include "base/sort.h"
#include "encode/static_encoder.h"
#include "search/bundle_view.h"
#include "search/fusion.h"
#include "search/keyword_search.h"
#include "search/phrase.h"
#include "search/ranking.h"
#include "text/analyzer.h"
#include "text/snippet.h"

namespace sheaf {
namespace {

// Rows at most so many passages apart travel in one request: loaders read what lies between ranges up to 512 bytes apart.
constexpr uint32_t kBeside = 6;

// A page with its fused passages, best first.
struct PageGroup {
  uint32_t page = 0;
  std::vector<const Candidate*> passages;
  float score = 0;
  float bonus = 0;
  uint32_t place = UINT32_MAX;  // by the key that the query sorts by; all alike where it does not
};

Passage MakePassage(StoredPassage stored, uint32_t id, uint32_t page) {
  Passage passage;
  passage.id = id;
  passage.page = page;
  passage.anchor = std::move(stored.anchor);
  passage.headings = std::move(stored.headings);
  passage.first_line = stored.first_line;
  passage.last_line = stored.last_line;
  passage.text = std::move(stored.text);
  return passage;
}

}  // namespace

struct Engine::Impl {
  std::unique_ptr<BundleView> bundle;
  std::unique_ptr<Container> table;
  std::optional<StaticEncoder> encoder;
  std::optional<Analyzer> analyzer;
  Ranking ranking;

  Container* ContainerOf(uint8_t source) {
    if (source == kBundleSource) return bundle ? &bundle->container() : nullptr;
    return table.get();
  }

  void BeginCall() {
    if (bundle) bundle->container().BeginCall();
    if (table) table->BeginCall();
  }

  // An error as the host sees it: missing bytes become ranges.
  template <typename T>
  Outcome<T> Fail(Error error) {
    if (error.code != ErrorCode::kNeedsBytes) return error;
    Needs needs;
    for (uint8_t source = 0; source < kSourceCount; ++source) {
      if (Container* container = ContainerOf(source)) {
        for (const MissingRange& range : container->TakeNeeds()) needs.push_back({source, range.offset, range.length});
      }
    }
    if (needs.empty()) return Error{ErrorCode::kInternal, "bytes are missing but none were asked for"};
    return needs;
  }

  Status OpenBundle() {
    if (!bundle) return Error{ErrorCode::kInvalidArgument, "no bundle: declare one with SetSource first"};
    SHEAF_RETURN_IF_ERROR(bundle->Open());
    if (!analyzer) {
      analyzer.emplace(bundle->settings().language == uint8_t(Language::kEnglish) ? Language::kEnglish : Language::kNone);
    }
    return {};
  }

  Status OpenTable() {
    if (!table) {
      return Error{ErrorCode::kNoEncoder,
                   "no query encoder: supply the encoder table, pass a query vector, or search by keyword"};
    }
    if (!encoder) {
      Result<StaticEncoder> opened = StaticEncoder::Open(table.get());
      if (!opened.ok()) return opened.error();
      encoder.emplace(std::move(*opened));
    }
    if (bundle && bundle->is_open() && bundle->has_vectors() &&
        (encoder->space() != bundle->settings().space || encoder->dimensions() != bundle->settings().dimensions)) {
      return Error{ErrorCode::kSpaceMismatch, "the bundle's vectors live in space '" + bundle->settings().space + "' (" +
                       std::to_string(bundle->settings().dimensions) + " dimensions), the encoder table in '" + encoder->space() +
                       "' (" + std::to_string(encoder->dimensions()) + "); use the table of the bundle's space"};
    }
    return {};
  }

  Result<Answer> Search(const Query& query) {
    SHEAF_RETURN_IF_ERROR(OpenBundle());
    if (query.text.size() > kMaxQueryBytes) {
      return Error{ErrorCode::kTooLarge, "the query has " + std::to_string(query.text.size()) + " bytes, at most " +
                                             std::to_string(kMaxQueryBytes) + " are searched; shorten it"};
    }
    if (std::isnan(query.semantic_weight) || query.semantic_weight > 1) {
      return Error{ErrorCode::kInvalidArgument, "the semantic weight must be 0..1, or negative for the default"};
    }
    const bool sorted = !query.selection.empty() && query.selection[0] != '\n';
    const Mode mode = sorted ? Mode::kKeyword : query.mode;
    if (mode == Mode::kSemantic) SHEAF_RETURN_IF_ERROR(bundle->RequireVectors());
    Answer answer;
    const size_t top_k = std::min(query.top_k, kMaxTopK);
    if (top_k == 0 && !query.facets) return answer;

    Gather gather;  // both signals ask for their bytes before either gives up
    const uint32_t pages = bundle->settings().pages;
    Facets& facets = bundle->facets();
    SHEAF_RETURN_IF_ERROR(gather.Note(facets.Prepare(&bundle->container(), pages, query.selection, query.facets)));

    SHEAF_RETURN_IF_ERROR(gather.Note(bundle->PrepareHits()));
    KeywordScores keywords;
    if (mode != Mode::kSemantic) {
      SHEAF_RETURN_IF_ERROR(gather.Take(KeywordSearch(bundle.get(), *analyzer, query, ranking), &keywords));
      answer.used_keyword = true;
    }

    std::vector<float> vector;
    const VectorTable* vectors = nullptr;
    const HnswGraph* graph = nullptr;
    const PartitionIndex* partitions = nullptr;
    const bool wants_vectors = mode != Mode::kKeyword && bundle->has_vectors();
    if (wants_vectors && (table || !query.vector.empty() || mode == Mode::kSemantic)) {
      if (!query.vector.empty()) {
        if (query.vector.size() != bundle->settings().dimensions) {
          return Error{ErrorCode::kInvalidArgument, "the query vector has " + std::to_string(query.vector.size()) +
                           " dimensions, the bundle's space '" + bundle->settings().space + "' has " +
                           std::to_string(bundle->settings().dimensions)};
        }
        vector = query.vector;
        for (float v : vector) {
          if (!std::isfinite(v)) return Error{ErrorCode::kInvalidArgument, "the query vector holds a value that is not finite"};
        }
        if (!Normalize(&vector)) vector.clear();
      } else {
        const Status opened = OpenTable();
        SHEAF_RETURN_IF_ERROR(gather.Note(opened));
        if (opened.ok()) SHEAF_RETURN_IF_ERROR(gather.Take(encoder->Embed(query.text, *analyzer), &vector));
      }
      if (bundle->ProbesVectors()) {
        SHEAF_RETURN_IF_ERROR(gather.Take(bundle->Partitions(), &partitions));
      } else {
        SHEAF_RETURN_IF_ERROR(gather.Take(bundle->Vectors(), &vectors));
        SHEAF_RETURN_IF_ERROR(gather.Take(bundle->Graph(), &graph));
      }
    }
    SHEAF_RETURN_IF_ERROR(gather.status());

    std::vector<uint32_t> matching;  // pages, before filtering: counts need what the filters of other keys leave
    if (query.facets) matching = std::vector<uint32_t>(pages, query.text.empty());
    size_t passing = 0;
    float best_keyword = 0;
    for (const uint32_t passage : keywords.matching) {
      const uint32_t page = bundle->PageOf(passage);
      if (query.facets) matching[page] = 1;
      if (!facets.Passes(page)) continue;
      keywords.matching[passing++] = passage;
      best_keyword = std::max(best_keyword, keywords.scores[passage]);
    }
    keywords.matching.resize(passing);

    const VectorQuery vector_query(vector);
    const bool semantic = (vectors || partitions) && vector_query.valid();
    answer.used_semantic = semantic;
    answer.ignored_words = keywords.ignored_words;
    answer.corrections = std::move(keywords.corrections);
    answer.matching_passages = uint32_t(keywords.matching.size());

    const float weight = SemanticWeight(query, semantic, answer.used_keyword);
    const float good = query.semantic_weight < 0 ? ranking.well_answered * keywords.highest : 0;
    float background = 0;
    if (semantic) {
      for (size_t d = 0; d < vector.size(); ++d) background += vector[d] * bundle->settings().centroid[d];
    }
    Fusion fusion = {BalancedWeight(weight, best_keyword, good), background, top_k, query.rrf, query.by_passage};
    if (sorted) fusion.wanted = SIZE_MAX;
    else fusion.wanted = std::max(ranking.candidates, 4 * top_k);
    fusion.descending = query.descending;
    std::vector<Candidate> candidates;
    if (semantic && partitions) {
      SHEAF_ASSIGN_OR_RETURN(candidates, Probe(keywords, *partitions, vector, vector_query, fusion));
    } else {
      candidates = Candidates(keywords, semantic ? vectors : nullptr, graph, vector_query, fusion.wanted);
    }
    std::vector<PageGroup> groups = Rank(&candidates, fusion);
    SHEAF_RETURN_IF_ERROR(MakeHits(query, keywords, weight, fusion.weight, &groups, &answer));
    if (query.facets) {
      for (const Hit& hit : answer.hits) matching[hit.page] = 1;
      answer.facets = facets.Count(matching);
    }
    return answer;
  }

  float SemanticWeight(const Query& query, bool semantic, bool keyword) const {
    if (!semantic) return 0;
    if (!keyword) return 1;
    if (query.semantic_weight >= 0) return query.semantic_weight;
    return ranking.semantic_weight;
  }

  // Functions, not lambdas: one instantiation of std::sort serves all orders of candidates.
  static bool ByKeyword(const Candidate& a, const Candidate& b) {
    return a.keyword_raw != b.keyword_raw ? a.keyword_raw > b.keyword_raw : a.passage < b.passage;
  }
  static bool ByPassage(const Candidate& a, const Candidate& b) { return a.passage < b.passage; }

  struct Fusion {
    float weight = 0, background = 0;
    size_t top_k = 0;
    bool rrf = false, by_passage = false, descending = false;
    size_t wanted = 0;  // candidates of each signal
  };

  // Fuses and sorts the candidates, and groups the best of them. Groups point into `candidates`.
  std::vector<PageGroup> Rank(std::vector<Candidate>* candidates, const Fusion& fusion) const {
    if (fusion.rrf) FuseRanks(candidates, fusion.weight, fusion.background, ranking.rrf_k);
    else FuseConvex(candidates, fusion.weight, fusion.background);
    std::sort(candidates->begin(), candidates->end(), Better);
    std::erase_if(*candidates, [](const Candidate& c) { return !(c.score > 0); });
    std::vector<PageGroup> groups = fusion.by_passage ? EachPassage(*candidates) : GroupByPage(*candidates);
    for (PageGroup& group : groups) {
      const uint32_t rank = bundle->facets().Rank(group.page);
      if (rank) group.place = fusion.descending ? UINT32_MAX - rank : rank;  // rank <= pages, well below both ends
    }
    Sort(&groups, BetterGroup);
    if (groups.size() > fusion.top_k) groups.resize(fusion.top_k);
    return groups;
  }

  // Asks for what the hits will most likely be, in a round trip that is due anyway: of `share` times as many pages as are
  // wanted, the best passage, and those behind it by less than `margin` of its score.
  void Foresee(std::vector<Candidate> candidates, Fusion fusion, float share, float margin) const {
    fusion.top_k = size_t(float(fusion.top_k) * share);
    for (const PageGroup& group : Rank(&candidates, fusion)) {
      const float least = group.passages[0]->score * (1 - margin);
      for (const Candidate* c : group.passages) {
        if (c->score >= least) (void)bundle->ReadPassage(c->passage);
      }
    }
  }

  // Passages that may be among the best once their cosines are exact. REQUIRES: estimates are sorted.
  std::vector<uint32_t> RowsWorthReading(const std::vector<Neighbor>& near, size_t top_k) const {
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
      // Sorted are the first `sure` alone: what is added beside them brings no further ones.
      const auto end = rows.begin() + ptrdiff_t(sure);
      const auto above = std::lower_bound(rows.begin(), end, near[i].id);
      const bool beside = (above != end && *above - near[i].id <= kBeside) || (above != rows.begin() && near[i].id - above[-1] <= kBeside);
      if (beside) rows.push_back(near[i].id);
    }
    return rows;
  }

  // Candidates for a reader that fetches by range: estimates from the partitions near the query, exact
  // cosines for the best of them and for the best by keyword. Others keep the estimate, or count as background.
  Result<std::vector<Candidate>> Probe(const KeywordScores& keywords, const PartitionIndex& partitions, const std::vector<float>& vector,
                                       const VectorQuery& vector_query, const Fusion& fusion) const {
    std::vector<Candidate> candidates = Candidates(keywords, nullptr, nullptr, vector_query, fusion.wanted);
    for (Candidate& c : candidates) c.cosine = fusion.background;
    std::vector<Neighbor> near;
    // Where only some pages pass, fewer of the near ones do.
    const bool filters = bundle->facets().filters();
    const Status probed = partitions.Estimate(vector, filters ? 4 * ranking.probe_bytes : ranking.probe_bytes,
                                              [&](uint64_t offset, uint64_t length) { return bundle->Partition(offset, length); }, &near);
    if (!probed.ok()) {
      if (LacksBytes(probed)) Foresee(candidates, fusion, 1, 0);
      return probed.error();
    }
    if (filters) std::erase_if(near, [&](const Neighbor& n) { return !bundle->facets().Passes(bundle->PageOf(n.id)); });
    const size_t wanted = std::min(near.size(), std::max({fusion.wanted, ranking.reranked, 2 * fusion.top_k}));
    // Far below every cosine: not estimated, and not a candidate either.
    constexpr float kUnknown = -2;
    std::vector<float> estimates(bundle->passages(), kUnknown);
    for (const Neighbor& n : near) estimates[n.id] = n.cosine;
    std::sort(near.begin(), near.end(), Closer);
    near.resize(wanted);

    std::vector<uint32_t> rows = RowsWorthReading(near, fusion.top_k);
    std::sort(candidates.begin(), candidates.end(), ByKeyword);
    for (size_t i = 0; i < candidates.size(); ++i) {
      Candidate& c = candidates[i];
      if (i < ranking.reranked_keyword) rows.push_back(c.passage);
      if (estimates[c.passage] != kUnknown) c.cosine = estimates[c.passage];
      estimates[c.passage] = kUnknown;
    }
    for (const Neighbor& n : near) {
      if (estimates[n.id] == kUnknown) continue;  // it is a candidate by keyword
      Candidate c;
      c.passage = n.id;
      c.keyword_raw = keywords.scores.empty() ? 0 : keywords.scores[c.passage];
      c.cosine = n.cosine;
      candidates.push_back(c);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::sort(candidates.begin(), candidates.end(), ByPassage);
    Result<VectorTable> table = bundle->ReadRows(rows);
    if (!table.ok()) {
      if (LacksBytes(table)) Foresee(candidates, fusion, ranking.foreseen, ranking.foreseen_margin);
      return table.error();
    }
    size_t at = 0;
    for (Candidate& c : candidates) {
      while (at < rows.size() && rows[at] < c.passage) ++at;
      if (at < rows.size() && rows[at] == c.passage) c.cosine = vector_query.Cosine(*table, uint32_t(at));
    }
    return candidates;
  }

  // The best passages of each signal, with both scores of each.
  std::vector<Candidate> Candidates(const KeywordScores& keywords, const VectorTable* vectors, const HnswGraph* graph,
                                    const VectorQuery& vector_query, size_t wanted) const {
    std::vector<uint32_t> chosen = keywords.matching;
    const auto better = [&](uint32_t a, uint32_t b) {
      return keywords.scores[a] != keywords.scores[b] ? keywords.scores[a] > keywords.scores[b] : a < b;
    };
    if (chosen.size() > wanted) {
      std::nth_element(chosen.begin(), chosen.begin() + ptrdiff_t(wanted), chosen.end(), better);
      chosen.resize(wanted);
    }
    std::vector<float> cosines;
    if (vectors) {
      std::vector<Neighbor> near;
      // A graph finds the nearest of all pages, few of which may pass; the scan finds the nearest that do.
      if (graph && !bundle->facets().filters()) {
        near = graph->Search(*vectors, vector_query, wanted, std::max<size_t>(wanted, kDefaultEf));
      } else {
        ScanAll(*vectors, vector_query, &cosines);
        near.reserve(cosines.size());
        for (uint32_t id = 0; id < cosines.size(); ++id) {
          if (bundle->facets().Passes(bundle->PageOf(id))) near.push_back({id, cosines[id]});
        }
        if (near.size() > wanted) {
          std::nth_element(near.begin(), near.begin() + ptrdiff_t(wanted), near.end(), Closer);
          near.resize(wanted);
        }
      }
      for (const Neighbor& neighbor : near) chosen.push_back(neighbor.id);
      std::sort(chosen.begin(), chosen.end());
      chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    }
    std::vector<Candidate> candidates;
    candidates.reserve(chosen.size());
    for (uint32_t passage : chosen) {
      Candidate c;
      c.passage = passage;
      if (!keywords.scores.empty()) c.keyword_raw = keywords.scores[passage];
      if (vectors) c.cosine = cosines.empty() ? vector_query.Cosine(*vectors, passage) : cosines[passage];
      candidates.push_back(c);
    }
    return candidates;
  }

  // REQUIRES: candidates are sorted.
  std::vector<PageGroup> GroupByPage(const std::vector<Candidate>& candidates) const {
    std::vector<PageGroup> groups;
    std::vector<uint32_t> group_of(bundle->settings().pages, UINT32_MAX);
    for (const Candidate& c : candidates) {
      uint32_t& slot = group_of[bundle->PageOf(c.passage)];
      if (slot == UINT32_MAX) {
        slot = uint32_t(groups.size());
        groups.emplace_back().page = bundle->PageOf(c.passage);
      }
      groups[slot].passages.push_back(&c);
    }
    for (PageGroup& group : groups) {
      float share = ranking.page_bonus;
      for (size_t i = 1; i < group.passages.size() && i < 8; ++i, share /= 2) {
        group.bonus += share * group.passages[i]->score;
      }
      group.score = group.passages[0]->score + group.bonus;
    }
    return groups;
  }

  // REQUIRES: candidates are sorted.
  std::vector<PageGroup> EachPassage(const std::vector<Candidate>& candidates) const {
    std::vector<PageGroup> groups;
    for (const Candidate& c : candidates) {
      PageGroup& group = groups.emplace_back();
      group.page = bundle->PageOf(c.passage);
      group.passages.push_back(&c);
      group.score = c.score;
    }
    return groups;
  }

  // Passages are numbered page by page, so this is also the order of pages.
  static bool BetterGroup(const PageGroup& a, const PageGroup& b) {
    if (a.place != b.place) return a.place < b.place;
    return a.score != b.score ? a.score > b.score : a.passages[0]->passage < b.passages[0]->passage;
  }

  Status MakeHits(const Query& query, const KeywordScores& keywords, float weight, float used_weight,
                  std::vector<PageGroup>* groups, Answer* answer) {
    Gather gather;
    std::vector<StoredPassage> stored(groups->size());
    for (size_t i = 0; i < groups->size(); ++i) {
      SHEAF_RETURN_IF_ERROR(gather.Take(bundle->ReadPassage((*groups)[i].passages[0]->passage), &stored[i]));
    }
    SHEAF_RETURN_IF_ERROR(gather.status());

    // A query that is a page's title most likely means that page; one whose words stand in a passage in that order, that passage.
    const std::string folded = Analyzer::Fold(query.text);
    const Phrase phrase(answer->used_keyword ? query.text : std::string_view(), *analyzer);
    std::vector<size_t> order(groups->size());
    std::vector<std::vector<TermMatch>> matches(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      PageGroup& group = (*groups)[i];
      matches[i] = ExplainKeyword(keywords, group.passages[0]->passage, bundle->settings().k1);
      float share = 0;
      if (ranking.title_bonus > 0 && answer->used_keyword && SameWords(folded, Analyzer::Fold(stored[i].title))) {
        share = ranking.title_bonus;
      }
      const auto is_exact = [](const TermMatch& match) { return match.kind == MatchKind::kExact; };
      const auto exact = std::count_if(matches[i].begin(), matches[i].end(), is_exact);  // fewer make no run
      if (phrase.counts() && exact >= Phrase::kLeast) share += ranking.phrase_bonus * phrase.ShareIn(stored[i].text);
      group.bonus += share * group.score;
      group.score += share * group.score;
    }
    Sort(&order, [&](size_t a, size_t b) { return BetterGroup((*groups)[a], (*groups)[b]); });

    // How good the best answer is in itself: the share of the query it covers, its cosine. Of bundles searched together
    // each has its own fusion.weight; the measure by which their hits are merged is one.
    float confidence = 0, uncovered = 0;
    for (size_t i : order) {
      const Candidate& best = *(*groups)[i].passages[0];
      const float covered = keywords.coverage.empty() ? 0 : keywords.coverage[best.passage];
      confidence = std::max(confidence, (1 - weight) * covered + weight * std::clamp(best.cosine, 0.0f, 1.0f));
      if (best.keyword_raw > 0) uncovered = (1 - weight) * (1 - ranking.coverage);
    }
    // Extras cover nothing (QueryWord::counts): an operator alone, two words that stand as one only. Their score counts.
    if (!(confidence > 0)) confidence = uncovered;
    if (!(confidence > 0)) return {};  // near in no way: an answer of score 0 is none
    const float scale = confidence / ((1 + 2 * ranking.page_bonus) * (1 + ranking.title_bonus));

    for (size_t i : order) {
      const PageGroup& group = (*groups)[i];
      const Candidate& best = *group.passages[0];
      Hit hit;
      hit.page = group.page;
      hit.passage = best.passage;
      hit.score = std::clamp(group.score * scale, 0.0f, 1.0f);
      hit.title = std::move(stored[i].title);
      hit.url = std::move(stored[i].url);
      hit.source = std::move(stored[i].source);
      hit.meta = std::move(stored[i].entries);
      Passage passage = MakePassage(std::move(stored[i]), best.passage, group.page);
      hit.anchor = std::move(passage.anchor);
      hit.headings = std::move(passage.headings);
      hit.first_line = passage.first_line;
      hit.last_line = passage.last_line;
      std::vector<SnippetTerm> terms;
      for (const TermMatch& match : matches[i]) terms.push_back({match.term, std::max(match.idf * match.weight, 1e-3f)});
      Snippet snippet = MakeSnippet(passage.text, terms, *analyzer);
      hit.snippet = std::move(snippet.text);
      for (const auto& [start, length] : snippet.highlights) hit.highlights.push_back({start, length});
      if (query.explain) {
        Explanation e;
        e.keyword_raw = best.keyword_raw;
        e.keyword = best.keyword;
        e.cosine = best.cosine;
        e.semantic = best.semantic;
        e.semantic_weight = used_weight;
        e.coverage = keywords.coverage.empty() ? 0 : keywords.coverage[best.passage];
        e.page_bonus = group.bonus;
        e.terms = std::move(matches[i]);
        hit.explanation = std::move(e);
      }
      answer->hits.push_back(std::move(hit));
    }
    return {};
  }

  // Equal but for spaces at the ends.
  static bool SameWords(std::string_view a, std::string_view b) {
    const auto trim = [](std::string_view s) {
      while (!s.empty() && uint8_t(s.front()) <= ' ') s.remove_prefix(1);
      while (!s.empty() && (uint8_t(s.back()) <= ' ' || s.back() == '?')) s.remove_suffix(1);
      return s;
    };
    a = trim(a);
    return !a.empty() && a == trim(b);
  }
};

Engine::Engine() : impl_(std::make_unique<Impl>()) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

Status Engine::SetSource(uint8_t source, uint64_t size) {
  if (source >= kSourceCount) return Error{ErrorCode::kInvalidArgument, "no source " + std::to_string(source) + ": 0 is the bundle, 1 the encoder table"};
  if (size > (uint64_t(1) << 40)) return Error{ErrorCode::kTooLarge, "a file of " + std::to_string(size) + " bytes is beyond the 1 TiB that the format allows"};
  if (source == kBundleSource) {
    impl_->analyzer.reset();
    impl_->bundle = std::make_unique<BundleView>(size);
  } else {
    impl_->encoder.reset();
    impl_->table = std::make_unique<Container>(size);
  }
  return {};
}

Status Engine::SupplyOwned(uint8_t source, uint64_t offset, std::vector<uint8_t> bytes) {
  Container* container = source < kSourceCount ? impl_->ContainerOf(source) : nullptr;
  if (!container) return Error{ErrorCode::kInvalidArgument, "no source " + std::to_string(source) + ": declare it with SetSource first"};
  return container->Supply(offset, std::move(bytes));
}

Status Engine::Supply(uint8_t source, uint64_t offset, ByteSpan bytes) {
  return SupplyOwned(source, offset, {bytes.begin(), bytes.end()});
}

Outcome<BundleInfo> Engine::Open() {
  impl_->BeginCall();
  if (Status opened = impl_->OpenBundle(); !opened.ok()) return impl_->Fail<BundleInfo>(opened.error());
  BundleView& bundle = *impl_->bundle;
  Result<std::string> manifest = bundle.Manifest();
  if (!manifest.ok()) return impl_->Fail<BundleInfo>(manifest.error());
  const Settings& s = bundle.settings();
  BundleInfo info;
  info.library = s.library;
  info.version = s.version;
  info.manifest = std::move(*manifest);
  info.pages = s.pages;
  info.passages = s.passages;
  info.terms = s.terms;
  info.dimensions = s.dimensions;
  info.vector_bits = s.vector_bits;
  info.has_graph = bundle.container().Find(SectionId::kGraph) != nullptr;
  info.space = s.space;
  info.file_size = bundle.container().file_size();
  return info;
}

Outcome<std::string> Engine::OpenEncoder() {
  impl_->BeginCall();
  if (Status opened = impl_->OpenTable(); !opened.ok()) return impl_->Fail<std::string>(opened.error());
  return impl_->encoder->space();
}

Outcome<Answer> Engine::Search(const Query& query) {
  impl_->BeginCall();
  Result<Answer> answer = impl_->Search(query);
  if (!answer.ok()) return impl_->Fail<Answer>(answer.error());
  return std::move(*answer);
}

Outcome<std::vector<float>> Engine::Embed(std::string_view text) {
  impl_->BeginCall();
  if (Status opened = impl_->OpenTable(); !opened.ok()) return impl_->Fail<std::vector<float>>(opened.error());
  if (text.size() > kMaxQueryBytes) return Error{ErrorCode::kTooLarge, "at most " + std::to_string(kMaxQueryBytes) + " bytes are embedded"};
  // The encoder splits words alike in every language, so any analyzer serves.
  const Analyzer fallback;
  Result<std::vector<float>> vector = impl_->encoder->Embed(text, impl_->analyzer ? *impl_->analyzer : fallback);
  if (!vector.ok()) return impl_->Fail<std::vector<float>>(vector.error());
  return std::move(*vector);
}

Outcome<Page> Engine::GetPage(uint32_t id) {
  impl_->BeginCall();
  const auto read = [&]() -> Result<Page> {
    SHEAF_RETURN_IF_ERROR(impl_->OpenBundle());
    SHEAF_RETURN_IF_ERROR(impl_->bundle->RequirePage(id));
    Page page;
    page.id = id;
    Gather gather;
    for (uint32_t passage = impl_->bundle->FirstPassage(id); passage < impl_->bundle->EndPassage(id); ++passage) {
      StoredPassage stored;
      SHEAF_RETURN_IF_ERROR(gather.Take(impl_->bundle->ReadPassage(passage), &stored));
      if (!gather.complete()) continue;
      if (stored.page_begins) {
        page.title = stored.title;
        page.url = stored.url;
        page.source = stored.source;
        page.description = stored.description;
        page.last_modified = stored.last_modified;
      }
      page.passages.push_back(MakePassage(std::move(stored), passage, id));
    }
    SHEAF_RETURN_IF_ERROR(gather.status());
    return page;
  };
  Result<Page> page = read();
  if (!page.ok()) return impl_->Fail<Page>(page.error());
  return std::move(*page);
}

Outcome<uint32_t> Engine::FindPage(std::string_view url_or_source) {
  impl_->BeginCall();
  const auto find = [&]() -> Result<uint32_t> {
    SHEAF_RETURN_IF_ERROR(impl_->OpenBundle());
    return impl_->bundle->FindPage(url_or_source);
  };
  Result<uint32_t> page = find();
  if (!page.ok()) return impl_->Fail<uint32_t>(page.error());
  return *page;
}

Outcome<Passage> Engine::GetPassage(uint32_t id) {
  impl_->BeginCall();
  const auto read = [&]() -> Result<Passage> {
    SHEAF_RETURN_IF_ERROR(impl_->OpenBundle());
    if (id >= impl_->bundle->passages()) {
      return Error{ErrorCode::kNotFound, "no passage " + std::to_string(id) + ": the bundle has passages 0.." +
                                             std::to_string(impl_->bundle->passages() - 1)};
    }
    SHEAF_ASSIGN_OR_RETURN(StoredPassage stored, impl_->bundle->ReadPassage(id));
    return MakePassage(std::move(stored), id, impl_->bundle->PageOf(id));
  };
  Result<Passage> passage = read();
  if (!passage.ok()) return impl_->Fail<Passage>(passage.error());
  return std::move(*passage);
}

Outcome<uint32_t> Engine::Verify() {
  impl_->BeginCall();
  const auto verify = [&]() -> Result<uint32_t> {
    SHEAF_RETURN_IF_ERROR(impl_->OpenBundle());
    SHEAF_ASSIGN_OR_RETURN(const uint32_t blocks, impl_->bundle->container().VerifyBlocks());
    SHEAF_RETURN_IF_ERROR(impl_->bundle->VerifyContents());
    SHEAF_RETURN_IF_ERROR(impl_->bundle->facets().Prepare(&impl_->bundle->container(), impl_->bundle->settings().pages, {}, true));
    return blocks;
  };
  Result<uint32_t> blocks = verify();
  if (!blocks.ok()) return impl_->Fail<uint32_t>(blocks.error());
  return *blocks;
}

void Engine::set_ranking(const Ranking& ranking) { impl_->ranking = ranking; }

}  // namespace sheaf
