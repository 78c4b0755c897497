#include "search/row_search.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/gather.h"
#include "base/logarithm.h"
#include "lexical/bm25.h"
#include "search/bundle_view.h"
#include "search/candidates.h"
#include "search/corrections.h"
#include "search/grouping.h"
#include "search/hits.h"
#include "search/query_encoder.h"
#include "search/search_context.h"
#include "search/signals.h"
#include "search/symbols.h"
#include "search/word_forms.h"
#include "text/analyzer.h"

namespace sheaf {
namespace {

constexpr size_t kMaxRows = 1 << 16;
constexpr uint32_t kRoles = kMaxNameRole + 1;

struct Group {
  uint32_t pages = 0;
  RowSearch::Terms terms;
};
using Groups = std::map<std::string, Group, std::less<>>;
using Lengths = std::pair<uint32_t, uint32_t>;

bool IsLetter(char c) { return uint8_t(c) >= 0x80 || (c >= 'a' && c <= 'z'); }

// What was supplied for one query, and what it turned out to lack.
struct Supplied {
  Groups groups;
  std::map<Lengths, RowSearch::Terms> spellings;
  std::map<std::string, bool, std::less<>> known;
  std::vector<Row> rows;
  std::vector<float> vector;
  bool has_candidates = false, by_table = false;

  std::set<std::string> lacks_stems;
  std::set<Lengths> lacks_lengths;
};

// Candidates as a bundle of their own: its passages and pages are numbered as they come.
class RowView final : public BundleView {
 public:
  RowView(const RowLibrary& library, const Analyzer& analyzer, Supplied* supplied)
      : BundleView(0), library_(library), analyzer_(analyzer), supplied_(*supplied) {
    settings_.language = LanguageTag(library.language);
    settings_.centroid = library.centroid;
    settings_.dimensions = uint32_t(library.centroid.size());
    settings_.vector_bits = library.centroid.empty() ? 0 : 8;
  }

  // Error: kCorrupt.
  Status ReadRows() {
    const std::vector<Row>& rows = supplied_.rows;
    for (uint32_t passage = 0; passage < rows.size(); ++passage) {
      const bool begins = passage == 0 || rows[passage].page != rows[passage - 1].page;
      const bool is_first = rows[passage].words.starts_with('.');
      if (begins) first_passage_.push_back(is_first ? passage : UINT32_MAX);
      page_of_.push_back(uint32_t(first_passage_.size()) - 1);
      SHEAF_RETURN_IF_ERROR(ReadWords(passage));
    }
    settings_.passages = uint32_t(rows.size());
    settings_.pages = uint32_t(first_passage_.size());
    return {};
  }

  Status FindGroup(std::string_view stem, std::vector<TermEntry>* out) override {
    const auto group = supplied_.groups.find(stem);
    if (group == supplied_.groups.end()) {
      supplied_.lacks_stems.emplace(stem);
      return NeedsBytes();
    }
    for (const auto& [term, pages] : group->second.terms) {
      TermEntry& entry = out->emplace_back();
      entry.term = term;
      entry.postings = pages;
    }
    return {};
  }

  Status ReadPostings(const TermEntry& entry, std::vector<Posting>* out) override {
    const auto found = postings_.find(entry.term);
    if (found != postings_.end()) *out = found->second;
    return {};
  }

  Status VisitSpellings(size_t shortest, size_t longest, std::string_view prefix,
                        const Spellings::Visitor& visit) override {
    const auto found = supplied_.spellings.find({uint32_t(shortest), uint32_t(longest)});
    if (found == supplied_.spellings.end()) {
      supplied_.lacks_lengths.emplace(uint32_t(shortest), uint32_t(longest));
      return NeedsBytes();
    }
    for (const auto& [term, pages] : found->second) {
      if (term.size() < std::max(shortest, kMinSpelling) || term.size() > std::min(longest, kMaxSpelling)) continue;
      if (!term.starts_with(prefix) || !std::all_of(term.begin(), term.end(), IsLetter)) continue;
      const double octaves = Log(std::max(1u, pages)) / kLn2;
      visit({term, LetterSet(term), uint8_t(std::min(255.0, std::round(8 * octaves)))});
    }
    return {};
  }

  // The pages of the whole library that have the word in any form.
  float IdfOf(const QueryWord& word, uint32_t pages) const override {
    const auto count = [&](std::string_view stem) {
      const auto group = supplied_.groups.find(stem);
      if (group != supplied_.groups.end()) pages = std::max(pages, group->second.pages);
    };
    if (word.kind == MatchKind::kJoined) {
      for (const WordForm& form : word.forms) pages = std::max(pages, form.entry.postings);
    } else {
      count(analyzer_.Stem(word.text));
      for (std::string_view keys = word.keys; !keys.empty();) count(NextKey(&keys));
      for (const std::string& stem : KinOf(analyzer_, word)) count(stem);
    }
    return Idf(library_.pages, std::min(pages, library_.pages));
  }

  Result<StoredPassage> ReadPassage(uint32_t passage) override {
    const Row& row = supplied_.rows[passage];
    StoredPassage stored;
    stored.page_begins = row.words.starts_with('.');
    stored.title = row.title;
    stored.url = row.url;
    stored.source = row.source;
    stored.headings = row.headings;
    stored.anchor = row.anchor;
    stored.first_line = row.first_line;
    stored.last_line = row.last_line;
    stored.text = row.text;
    return stored;
  }

 private:
  Status ReadWords(uint32_t passage) {
    std::string_view words = supplied_.rows[passage].words;
    if (words.starts_with('.')) words.remove_prefix(1);
    const auto next = [&] {
      if (words.starts_with(' ')) words.remove_prefix(1);
      const std::string_view word = words.substr(0, words.find(' '));
      words.remove_prefix(word.size());
      return word;
    };
    while (!words.empty()) {
      const std::string_view term = next(), number = next();
      uint32_t code = 0;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), code);
      if (term.empty() || error != std::errc() || end != number.data() + number.size() || code >= kLevels * kRoles) {
        return Error{ErrorCode::kCorrupt, "the words of passage " + std::to_string(supplied_.rows[passage].passage) +
                                              " are damaged; export the bundle again"};
      }
      std::vector<Posting>& postings = postings_[std::string(term)];
      if (!postings.empty() && postings.back().passage == passage) continue;
      postings.push_back({passage, uint8_t(code / kRoles), NameRole(code % kRoles)});
    }
    return {};
  }

  const RowLibrary& library_;
  const Analyzer& analyzer_;
  Supplied& supplied_;
  std::map<std::string, std::vector<Posting>, std::less<>> postings_;
};

}  // namespace

std::string PackWords(const PassageTerms& passage) {
  std::string words = passage.begins_page ? "." : "";
  for (const PassageTerms::Term& term : passage.terms) {
    words += ' ';
    words += term.term;
    words += ' ';
    words += std::to_string(term.level * kRoles + term.role);
  }
  return words;
}

std::string PackStems(const PassageTerms& passage) {
  std::string stems;
  for (size_t i = 0; i < passage.terms.size();) {
    const std::string& stem = passage.terms[i].stem;
    float frequency = 0;
    for (; i < passage.terms.size() && passage.terms[i].stem == stem; ++i) {
      frequency += FrequencyOf(passage.terms[i].level);
    }
    for (long copies = std::clamp(std::lround(frequency), 1l, long(kMostCopies)); copies > 0; --copies) {
      if (!stems.empty()) stems += ' ';
      stems += stem;
    }
  }
  return stems;
}

uint32_t RowAnalysis(Language language) { return kTokenizerVersion << 16 | StemmerVersion(language); }

struct RowSearch::Impl {
  RowLibrary library;
  Query query;
  bool asks_encoder;
  Analyzer analyzer;
  Ranking ranking;
  QueryEncoder encoder;
  Supplied supplied;
  std::vector<Correction> corrections;
  std::vector<uint32_t> replaced;  // by Correct, where there are corrections

  using Outcome = std::variant<Answer, RowNeeds>;

  Impl(RowLibrary given, Query asked, bool asks)
      : library(std::move(given)), query(std::move(asked)), asks_encoder(asks), analyzer(library.language) {
    query.prefix = false;
  }

  bool by_meaning() const { return query.mode != Mode::kKeyword && !library.centroid.empty(); }

  Result<Outcome> Search() {
    if (query.text.size() > kMaxQueryBytes) {
      return Error{ErrorCode::kTooLarge, "the query has " + std::to_string(query.text.size()) + " bytes, at most " +
                                             std::to_string(kMaxQueryBytes) + " are searched; shorten it"};
    }
    if (std::isnan(query.semantic_weight) || query.semantic_weight > 1) {
      return Error{ErrorCode::kInvalidArgument, "the semantic weight must be 0..1, or negative for the default"};
    }
    supplied.lacks_stems.clear();
    supplied.lacks_lengths.clear();
    RowView view(library, analyzer, &supplied);
    SHEAF_RETURN_IF_ERROR(view.ReadRows());
    SearchContext search{view, encoder, analyzer, ranking, query};
    Signals signals;
    signals.by_keyword = query.mode != Mode::kSemantic;
    if (signals.by_keyword) {
      const Status found = FindWords(search, &signals.words);
      if (LacksBytes(found)) return Outcome(LacksWords());
      if (!found.ok()) return found.error();
      if (!signals.words.corrections.empty()) return SearchCorrected(signals.words.corrections);
      if (!corrections.empty()) MarkReplaced(replaced, corrections, &signals.words);
      SHEAF_RETURN_IF_ERROR(ScoreWords(search, &signals.words, &signals.keywords));
    }
    if (!supplied.has_candidates) return Outcome(LacksCandidates(signals.words.words));
    return Outcome(Answered(&search, &signals));
  }

  RowNeeds LacksWords() const {
    RowNeeds needs;
    needs.stems.assign(supplied.lacks_stems.begin(), supplied.lacks_stems.end());
    for (const auto& [shortest, longest] : supplied.lacks_lengths) needs.lengths.push_back({shortest, longest});
    return needs;
  }

  // Once it is known which mistyped words the encoder knows, the query is another one (corrections.h).
  Result<Outcome> SearchCorrected(const std::vector<Correction>& found) {
    RowNeeds needs;
    corrections.clear();
    for (const Correction& correction : found) {
      if (asks_encoder && query.mode == Mode::kHybrid && by_meaning()) {
        const auto known = supplied.known.find(correction.word);
        if (known == supplied.known.end()) needs.unknown.push_back(correction.word);
        if (known == supplied.known.end() || known->second) continue;
      }
      corrections.push_back(correction);
    }
    if (!needs.unknown.empty()) return Outcome(std::move(needs));
    replaced = Correct(corrections, analyzer, &query.text);
    query.typo = false;
    return Search();
  }

  RowNeeds LacksCandidates(const std::vector<QueryWord>& words) const {
    RowNeeds needs;
    needs.candidates = true;
    needs.text = query.text;
    std::map<std::string, float> weights;
    const auto add = [&](std::string_view stem, float weight) {
      const auto group = supplied.groups.find(stem);
      if (group == supplied.groups.end() || group->second.terms.empty()) return;
      float& own = weights[std::string(stem)];
      own = std::max(own, weight * Idf(library.pages, std::min(group->second.pages, library.pages)));
    };
    for (const QueryWord& word : words) {
      add(analyzer.Stem(word.text), word.boost);
      for (const std::string& stem : KinOf(analyzer, word)) add(stem, word.boost * ranking.kin_weight);
      for (std::string_view keys = word.keys; !keys.empty();) {
        const std::string_view key = NextKey(&keys);
        add(key, word.boost * (IsRoot(key) ? ranking.root_weight : ranking.stem_weight));
      }
    }
    for (auto& [stem, weight] : weights) needs.words.push_back({stem, weight});
    return needs;
  }

  Answer Answered(SearchContext* context, Signals* signals) {
    Answer answer;
    VectorTable rows;  // their cosines are known already
    SearchContext& search = *context;
    if (by_meaning() && supplied.vector.size() == library.centroid.size()) {
      signals->vector = supplied.vector;
      signals->vector_query = VectorQuery(signals->vector);
      signals->vectors = &rows;
      if (!supplied.by_table) search.query.vector = supplied.vector;
    }
    const Blend blend = Weigh(search, *signals);
    std::vector<Candidate> candidates(supplied.rows.size());
    const KeywordScores& keywords = signals->keywords;
    for (uint32_t passage = 0; passage < candidates.size(); ++passage) {
      Candidate& c = candidates[passage];
      c.passage = passage;
      if (!keywords.scores.empty()) c.keyword_raw = keywords.scores[passage];
      if (!keywords.defines.empty()) c.defines = keywords.defines[passage];
      if (signals->by_meaning()) c.cosine = supplied.rows[passage].cosine;
    }
    AddPinned(search, signals);
    AddSymbols(search, *signals, &candidates);
    answer.used_keyword = signals->by_keyword;
    answer.used_semantic = signals->by_meaning();
    answer.matching_passages = uint32_t(keywords.matching.size());
    answer.ignored_words = signals->words.ignored;
    answer.corrections = corrections;
    if (search.top_k() == 0) return answer;
    std::vector<PageGroup> groups = Rank(search, blend, search.top_k(), &candidates);
    const Status made = MakeHits(search, *signals, blend, std::move(groups), &answer.hits);
    (void)made;  // a row is there already
    answer.weak = IsWeak(search, *signals, blend, candidates) && !answer.hits.empty();
    for (Hit& hit : answer.hits) {
      hit.page = supplied.rows[hit.passage].page;
      hit.passage = supplied.rows[hit.passage].passage;
    }
    return answer;
  }
};

RowSearch::RowSearch(RowLibrary library, Query query, bool asks_encoder)
    : impl_(std::make_unique<Impl>(std::move(library), std::move(query), asks_encoder)) {}
RowSearch::~RowSearch() = default;

void RowSearch::SupplyGroup(std::string stem, uint32_t pages, Terms terms) {
  std::sort(terms.begin(), terms.end());
  impl_->supplied.groups.insert_or_assign(std::move(stem), Group{pages, std::move(terms)});
}
void RowSearch::SupplyLengths(RowNeeds::Lengths lengths, Terms terms) {
  impl_->supplied.spellings.insert_or_assign({lengths.shortest, lengths.longest}, std::move(terms));
}
void RowSearch::SupplyKnown(std::string word, bool is_known) {
  impl_->supplied.known.insert_or_assign(std::move(word), is_known);
}

Status RowSearch::SupplyCandidates(std::vector<Row> rows, std::vector<float> vector, bool by_table) {
  if (rows.size() > kMaxRows) {
    return Error{ErrorCode::kTooLarge, "a database gave " + std::to_string(rows.size()) + " candidates, at most " +
                                           std::to_string(kMaxRows) + " are ranked"};
  }
  const auto before = [](const Row& a, const Row& b) {
    return a.page != b.page ? a.page < b.page : a.passage < b.passage;
  };
  std::sort(rows.begin(), rows.end(), before);
  const auto same = [](const Row& a, const Row& b) { return a.passage == b.passage; };
  rows.erase(std::unique(rows.begin(), rows.end(), same), rows.end());
  Supplied& supplied = impl_->supplied;
  supplied.rows = std::move(rows);
  supplied.vector = std::move(vector);
  supplied.by_table = by_table;
  supplied.has_candidates = true;
  return {};
}

Result<std::variant<Answer, RowNeeds>> RowSearch::Search() { return impl_->Search(); }

}  // namespace sheaf
