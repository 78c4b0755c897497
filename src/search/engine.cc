#include "search/engine.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "encode/static_encoder.h"
#include "search/bundle_view.h"
#include "search/fusion.h"
#include "search/keyword_search.h"
#include "search/ranking.h"
#include "text/analyzer.h"
#include "text/snippet.h"

namespace sheaf {
namespace {

// A page with its fused passages, best first.
struct PageGroup {
  uint32_t page = 0;
  std::vector<const Candidate*> passages;
  float score = 0;
  float bonus = 0;
};

Passage MakePassage(const BundleView::PageParts& page, uint32_t page_id, size_t index, std::string text) {
  Passage passage;
  passage.id = page.record.first_passage + uint32_t(index);
  passage.page = page_id;
  passage.anchor = page.head.Anchor(index);
  passage.headings = page.head.Path(index);
  passage.first_line = page.head.passages[index].first_line;
  passage.last_line = page.head.passages[index].last_line;
  passage.text = std::move(text);
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
    if (query.mode == Mode::kSemantic) SHEAF_RETURN_IF_ERROR(bundle->RequireVectors());
    Answer answer;
    const size_t top_k = std::min(query.top_k, kMaxTopK);
    if (top_k == 0) return answer;

    // Both signals ask for their bytes before either gives up.
    bool missing = false;
    const auto keep = [&](Status status) -> Status {
      if (status.ok() || status.code() != ErrorCode::kNeedsBytes) return status;
      missing = true;
      return {};
    };

    KeywordScores keywords;
    if (query.mode != Mode::kSemantic) {
      Result<KeywordScores> result = KeywordSearch(bundle.get(), *analyzer, query, ranking);
      if (result.ok()) keywords = std::move(*result);
      else SHEAF_RETURN_IF_ERROR(keep(result.error()));
      answer.used_keyword = true;
    }

    std::vector<float> vector;
    const VectorTable* vectors = nullptr;
    const HnswGraph* graph = nullptr;
    const bool wants_vectors = query.mode != Mode::kKeyword && bundle->has_vectors();
    if (wants_vectors && (table || !query.vector.empty() || query.mode == Mode::kSemantic)) {
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
        SHEAF_RETURN_IF_ERROR(keep(opened));
        if (opened.ok()) {
          Result<std::vector<float>> embedded = encoder->Embed(query.text, *analyzer);
          if (embedded.ok()) vector = std::move(*embedded);
          else SHEAF_RETURN_IF_ERROR(keep(embedded.error()));
        }
      }
      Result<const VectorTable*> loaded = bundle->Vectors();
      if (loaded.ok()) vectors = *loaded;
      else SHEAF_RETURN_IF_ERROR(keep(loaded.error()));
      Result<const HnswGraph*> frozen = bundle->Graph();
      if (frozen.ok()) graph = *frozen;
      else SHEAF_RETURN_IF_ERROR(keep(frozen.error()));
    }
    if (missing) return Error{ErrorCode::kNeedsBytes, {}};

    const VectorQuery vector_query(vector);
    const bool semantic = vectors && vector_query.valid();
    answer.used_semantic = semantic;
    answer.ignored_words = keywords.ignored_words;
    answer.corrections = std::move(keywords.corrections);
    answer.matching_passages = uint32_t(keywords.matching.size());

    const float weight = SemanticWeight(query, semantic, answer.used_keyword);
    std::vector<Candidate> candidates = Candidates(keywords, semantic ? vectors : nullptr, graph, vector_query, top_k);
    float background = 0;
    if (semantic) {
      for (size_t d = 0; d < vector.size(); ++d) background += vector[d] * bundle->settings().centroid[d];
    }
    if (query.rrf) FuseRanks(&candidates, weight, background, ranking.rrf_k);
    else FuseConvex(&candidates, weight, background);
    std::sort(candidates.begin(), candidates.end(), Better);
    std::erase_if(candidates, [](const Candidate& c) { return !(c.score > 0); });

    std::vector<PageGroup> groups = query.by_passage ? EachPassage(candidates, top_k) : GroupByPage(candidates, top_k);
    SHEAF_RETURN_IF_ERROR(MakeHits(query, keywords, weight, &groups, &answer));
    return answer;
  }

  float SemanticWeight(const Query& query, bool semantic, bool keyword) const {
    if (!semantic) return 0;
    if (!keyword) return 1;
    if (query.semantic_weight >= 0) return query.semantic_weight;
    return LooksLikeSymbol(query.text) ? ranking.symbol_semantic_weight : ranking.semantic_weight;
  }

  // The best passages of each signal, with both scores of each.
  std::vector<Candidate> Candidates(const KeywordScores& keywords, const VectorTable* vectors, const HnswGraph* graph,
                                    const VectorQuery& vector_query, size_t top_k) const {
    const size_t wanted = std::max(ranking.candidates, 4 * top_k);
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
      if (graph) {
        near = graph->Search(*vectors, vector_query, wanted, std::max<size_t>(wanted, kDefaultEf));
      } else {
        ScanAll(*vectors, vector_query, &cosines);
        near.reserve(cosines.size());
        for (uint32_t id = 0; id < cosines.size(); ++id) near.push_back({id, cosines[id]});
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
  std::vector<PageGroup> GroupByPage(const std::vector<Candidate>& candidates, size_t top_k) const {
    std::vector<PageGroup> groups;
    std::vector<uint32_t> group_of(bundle->settings().pages, UINT32_MAX);
    for (const Candidate& c : candidates) {
      uint32_t& slot = group_of[bundle->PageOf(c.passage)];
      if (slot == UINT32_MAX) {
        slot = uint32_t(groups.size());
        groups.push_back({bundle->PageOf(c.passage), {}, 0, 0});
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
    std::sort(groups.begin(), groups.end(), BetterGroup);
    if (groups.size() > top_k) groups.resize(top_k);
    return groups;
  }

  // REQUIRES: candidates are sorted.
  std::vector<PageGroup> EachPassage(const std::vector<Candidate>& candidates, size_t top_k) const {
    std::vector<PageGroup> groups;
    for (size_t i = 0; i < candidates.size() && i < top_k; ++i) {
      groups.push_back({bundle->PageOf(candidates[i].passage), {&candidates[i]}, candidates[i].score, 0});
    }
    return groups;
  }

  // Passages are numbered page by page, so this is also the order of pages.
  static bool BetterGroup(const PageGroup& a, const PageGroup& b) {
    return a.score != b.score ? a.score > b.score : a.passages[0]->passage < b.passages[0]->passage;
  }

  Status MakeHits(const Query& query, const KeywordScores& keywords, float weight, std::vector<PageGroup>* groups,
                  Answer* answer) {
    bool missing = false;
    std::vector<std::optional<BundleView::PageParts>> parts(groups->size());
    for (size_t i = 0; i < groups->size(); ++i) {
      Result<BundleView::PageParts> page = bundle->ReadPage((*groups)[i].page);
      if (page.ok()) parts[i] = std::move(*page);
      else if (page.code() == ErrorCode::kNeedsBytes) missing = true;
      else return page.error();
    }
    if (missing) return Error{ErrorCode::kNeedsBytes, {}};

    // A query that is a page's title most likely means that page.
    const std::string folded = Analyzer::Fold(query.text);
    std::vector<size_t> order(groups->size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      PageGroup& group = (*groups)[i];
      if (ranking.title_bonus > 0 && answer->used_keyword && SameWords(folded, Analyzer::Fold(parts[i]->head.title))) {
        group.bonus += ranking.title_bonus * group.score;
        group.score += ranking.title_bonus * group.score;
      }
    }
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return BetterGroup((*groups)[a], (*groups)[b]); });

    // How good the best answer is in itself: the share of the query it covers, its cosine.
    float confidence = 0;
    for (size_t i : order) {
      const Candidate& best = *(*groups)[i].passages[0];
      const float covered = keywords.coverage.empty() ? 0 : keywords.coverage[best.passage];
      confidence = std::max(confidence, (1 - weight) * covered + weight * std::clamp(best.cosine, 0.0f, 1.0f));
    }
    if (!(confidence > 0)) return {};  // near in no way: an answer of score 0 is none
    const float scale = confidence / ((1 + 2 * ranking.page_bonus) * (1 + ranking.title_bonus));

    for (size_t i : order) {
      const PageGroup& group = (*groups)[i];
      const BundleView::PageParts& page = *parts[i];
      const Candidate& best = *group.passages[0];
      const size_t index = best.passage - page.record.first_passage;
      Result<std::string> text = bundle->ReadText(page, index);
      if (!text.ok()) {
        if (text.code() != ErrorCode::kNeedsBytes) return text.error();
        missing = true;
        continue;
      }
      if (missing) continue;
      Hit hit;
      hit.page = group.page;
      hit.passage = best.passage;
      hit.score = std::clamp(group.score * scale, 0.0f, 1.0f);
      hit.title = page.head.title;
      hit.url = page.head.url;
      hit.source = page.head.source;
      Passage passage = MakePassage(page, group.page, index, std::move(*text));
      hit.anchor = std::move(passage.anchor);
      hit.headings = std::move(passage.headings);
      hit.first_line = passage.first_line;
      hit.last_line = passage.last_line;
      std::vector<TermMatch> matches = ExplainKeyword(keywords, best.passage, bundle->settings().k1);
      std::vector<SnippetTerm> terms;
      for (const TermMatch& match : matches) terms.push_back({match.term, std::max(match.idf * match.weight, 1e-3f)});
      Snippet snippet = MakeSnippet(passage.text, terms, *analyzer);
      hit.snippet = std::move(snippet.text);
      for (const auto& [start, length] : snippet.highlights) hit.highlights.push_back({start, length});
      if (query.explain) {
        Explanation e;
        e.keyword_raw = best.keyword_raw;
        e.keyword = best.keyword;
        e.cosine = best.cosine;
        e.semantic = best.semantic;
        e.semantic_weight = weight;
        e.coverage = keywords.coverage.empty() ? 0 : keywords.coverage[best.passage];
        e.page_bonus = group.bonus;
        e.terms = std::move(matches);
        hit.explanation = std::move(e);
      }
      answer->hits.push_back(std::move(hit));
    }
    if (missing) return Error{ErrorCode::kNeedsBytes, {}};
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
    SHEAF_ASSIGN_OR_RETURN(const BundleView::PageParts parts, impl_->bundle->ReadPage(id));
    Page page;
    page.id = id;
    page.title = parts.head.title;
    page.url = parts.head.url;
    page.source = parts.head.source;
    page.description = parts.head.description;
    page.last_modified = parts.head.last_modified;
    bool missing = false;
    for (size_t i = 0; i < parts.head.passages.size(); ++i) {
      Result<std::string> text = impl_->bundle->ReadText(parts, i);
      if (text.ok()) page.passages.push_back(MakePassage(parts, id, i, std::move(*text)));
      else if (text.code() == ErrorCode::kNeedsBytes) missing = true;
      else return text.error();
    }
    if (missing) return Error{ErrorCode::kNeedsBytes, {}};
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
    const uint32_t page = impl_->bundle->PageOf(id);
    SHEAF_ASSIGN_OR_RETURN(const BundleView::PageParts parts, impl_->bundle->ReadPage(page));
    const size_t index = id - parts.record.first_passage;
    SHEAF_ASSIGN_OR_RETURN(std::string text, impl_->bundle->ReadText(parts, index));
    return MakePassage(parts, page, index, std::move(text));
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
    return blocks;
  };
  Result<uint32_t> blocks = verify();
  if (!blocks.ok()) return impl_->Fail<uint32_t>(blocks.error());
  return *blocks;
}

void Engine::set_ranking(const Ranking& ranking) { impl_->ranking = ranking; }

}  // namespace sheaf
