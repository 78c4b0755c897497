#include "search/signals.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/gather.h"
#include "search/corrections.h"
#include "search/fusion.h"

namespace sheaf {
namespace {

// The vector that came with the query.
Result<std::vector<float>> GivenVector(const SearchContext& search) {
  std::vector<float> vector = search.query.vector;
  const Settings& settings = search.bundle.settings();
  if (vector.size() != settings.dimensions) {
    return Error{ErrorCode::kInvalidArgument, "the query vector has " + std::to_string(vector.size()) +
                                                  " dimensions, the bundle's space '" + settings.space + "' has " +
                                                  std::to_string(settings.dimensions)};
  }
  for (float v : vector) {
    if (!std::isfinite(v)) {
      return Error{ErrorCode::kInvalidArgument, "the query vector holds a value that is not finite"};
    }
  }
  if (!Normalize(&vector)) vector.clear();
  return vector;
}

// `settled`: no word of the query will be corrected any more. Until then, pieces of an unknown word are not worth their
// bytes.
Result<std::vector<float>> QueryVector(const SearchContext& search, bool settled) {
  if (!search.query.vector.empty()) return GivenVector(search);
  SHEAF_RETURN_IF_ERROR(search.encoder.Open(&search.bundle));
  return search.encoder.Embed(search.query.text, search.analyzer, settled);
}

// The vectors of the passages.
Status ReadVectors(BundleView* bundle, Signals* signals) {
  if (bundle->ProbesVectors()) {
    SHEAF_ASSIGN_OR_RETURN(signals->partitions, bundle->Partitions());
    return {};
  }
  Gather gather;
  SHEAF_RETURN_IF_ERROR(gather.Take(bundle->Vectors(), &signals->vectors));
  SHEAF_RETURN_IF_ERROR(gather.Take(bundle->Graph(), &signals->graph));
  return gather.status();
}

// Hybrid search goes without meaning where the bundle has no vectors, or the query can have none.
bool WantsMeaning(const SearchContext& search) {
  const Mode mode = search.mode();
  if (mode == Mode::kKeyword || !search.bundle.has_vectors()) return false;
  return mode == Mode::kSemantic || search.encoder.table() || !search.query.vector.empty();
}

float SemanticShare(const SearchContext& search, const Signals& signals) {
  if (!signals.by_meaning()) return 0;
  if (!signals.by_keyword) return 1;
  const float asked = search.query.semantic_weight;
  if (asked >= 0) return asked;
  // The table is English; a vector that came with the query is of any language that its encoder has.
  const bool other = search.query.vector.empty() && LanguageOf(search.bundle.settings().language) != Language::kEnglish;
  return other ? search.ranking.other_language_weight : search.ranking.semantic_weight;
}

// Finds the words of the query, of the corrected one where words are mistyped. `gather` has the reads before it.
Status ReadWords(SearchContext* search, Gather* gather, QueryWords* words) {
  SHEAF_RETURN_IF_ERROR(gather->Note(FindWords(*search, words)));
  if (!gather->complete() || words->corrections.empty()) return {};
  std::vector<Correction> corrections = std::move(words->corrections);
  SHEAF_RETURN_IF_ERROR(DropKnownToEncoder(*search, &corrections));
  const std::vector<uint32_t> replaced = Correct(corrections, search->analyzer, &search->query.text);
  search->query.typo = false;
  SHEAF_RETURN_IF_ERROR(gather->Note(FindWords(*search, words)));
  MarkReplaced(replaced, corrections, words);
  words->corrections = std::move(corrections);
  return {};
}

// Asks the table for other wordings of a query that its own words answer badly, in a language that the table has.
Status Reword(const SearchContext& search, Signals* signals) {
  if (search.mode() != Mode::kHybrid || !search.analyzer.IsEnglish()) return {};
  const KeywordScores& keywords = signals->keywords;
  if (keywords.Best() >= search.ranking.well_answered * keywords.highest) return {};
  SHEAF_ASSIGN_OR_RETURN(const bool fits, search.encoder.Fits(&search.bundle));
  if (!fits) return {};  // the query brought its vector
  SHEAF_ASSIGN_OR_RETURN(const Wordings* wordings, search.encoder.OtherWordings(search.analyzer));
  return AddWordings(search, *wordings, &signals->words, &signals->keywords);
}

}  // namespace

Status ReadSignals(SearchContext* context, Signals* signals) {
  const SearchContext& search = *context;
  BundleView& bundle = search.bundle;
  Gather gather;
  SHEAF_RETURN_IF_ERROR(gather.Note(bundle.facets().Prepare(&bundle.container(), bundle.settings().pages,
                                                            search.query.selection, search.query.facets)));
  SHEAF_RETURN_IF_ERROR(gather.Note(bundle.PrepareHits()));
  signals->by_keyword = search.mode() != Mode::kSemantic;
  if (signals->by_keyword) {
    SHEAF_RETURN_IF_ERROR(ReadWords(context, &gather, &signals->words));
    // The words' leaves hold their postings too, so scoring needs no other read.
    if (gather.complete()) SHEAF_RETURN_IF_ERROR(ScoreWords(search, &signals->words, &signals->keywords));
  }
  if (WantsMeaning(search)) {
    if (signals->by_keyword && gather.complete()) SHEAF_RETURN_IF_ERROR(gather.Note(Reword(search, signals)));
    SHEAF_RETURN_IF_ERROR(gather.Take(QueryVector(search, gather.complete()), &signals->vector));
    SHEAF_RETURN_IF_ERROR(gather.Note(ReadVectors(&bundle, signals)));
  }
  signals->vector_query = VectorQuery(signals->vector);
  return gather.status();
}

void DropFiltered(const SearchContext& search, KeywordScores* keywords) {
  const Facets& facets = search.bundle.facets();
  if (!facets.has_filters()) return;
  std::erase_if(keywords->matching, [&](uint32_t passage) { return !facets.Passes(search.bundle.PageOf(passage)); });
}

Blend Weigh(const SearchContext& search, const Signals& signals) {
  const KeywordScores& keywords = signals.keywords;
  Blend blend;
  blend.share = SemanticShare(search, signals);
  // A weight that was asked for is taken as it is.
  const float good = search.query.semantic_weight < 0 ? search.ranking.well_answered * keywords.highest : 0;
  blend.weight = BalancedWeight(blend.share, keywords.Best(), good);
  if (signals.by_meaning()) {
    const std::vector<float>& centroid = search.bundle.settings().centroid;
    for (size_t d = 0; d < signals.vector.size(); ++d) blend.background += signals.vector[d] * centroid[d];
  }
  return blend;
}

}  // namespace sheaf
