#include "search/hits.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/gather.h"
#include "base/sort.h"
#include "search/phrase.h"
#include "text/analyzer.h"
#include "text/snippet.h"

namespace sheaf {
namespace {

// A hit on its way.
struct Draft {
  PageGroup group;
  StoredPassage stored;            // of its best passage
  std::vector<WordMatch> matches;  // in that passage

  const Candidate& best() const { return *group.passages[0]; }
};

Status ReadPassages(const SearchContext& search, std::vector<Draft>* drafts) {
  Gather gather;
  for (Draft& draft : *drafts) {
    SHEAF_RETURN_IF_ERROR(gather.Take(search.bundle.ReadPassage(draft.best().passage), &draft.stored));
  }
  return gather.status();
}

// The words of a text; a name is one word, however it is written.
std::vector<Token> WholeWordsOf(std::string_view text, const Analyzer& analyzer) {
  std::vector<Token> words;
  analyzer.Tokenize(text, &words);
  uint32_t next = 0;
  // The longest token of a position comes first.
  std::erase_if(words, [&](const Token& token) { return token.position < std::exchange(next, token.position + 1); });
  return words;
}

// The title has the words of the query and no others, in any order. The query's last one may be unfinished.
bool IsTitle(const SearchContext& search, const std::vector<Token>& query, std::string_view title) {
  std::vector<Token> words = WholeWordsOf(title, search.analyzer);
  if (words.empty() || words.size() != query.size() || words.size() > kMaxQueryWords) return false;
  for (const Token& asked : query) {
    const bool unfinished =
        search.query.prefix && asked.end == search.query.text.size() && asked.term.size() >= search.ranking.min_prefix;
    const auto same = std::find_if(words.begin(), words.end(), [&](const Token& word) {
      return unfinished ? word.term.starts_with(asked.term) : word.term == asked.term;
    });
    if (same == words.end()) return false;
    words.erase(same);
  }
  return true;
}

// The page's title has the name that the passage, the first of its page, defines: its heading lacks it.
bool NamesPage(const Draft& draft, std::string_view folded) {
  const std::vector<std::string>& headings = draft.stored.headings;
  return draft.best().defines >= 1 &&
         (headings.empty() || Analyzer::Fold(headings.back()).find(folded) == std::string::npos);
}

// A query of a page's title most likely means that page. One whose words stand together in a passage most likely means
// that passage.
void AddTextBonus(const SearchContext& search, const QueryWords& words, std::vector<Draft>* drafts) {
  const Ranking& ranking = search.ranking;
  std::string_view name = search.query.text;
  if (words.asking > 0) {
    const uint32_t begin = words.tokens[words.asking].begin;
    name = name.substr(begin, words.tokens.back().end - begin);
  }
  const std::string folded = Analyzer::Fold(name);
  const std::vector<Token> asked = WholeWordsOf(search.query.text, search.analyzer);
  const Phrase phrase(search.query.text, search.analyzer);
  for (Draft& draft : *drafts) {
    float share = 0;
    const bool titled = IsTitle(search, asked, draft.stored.title);
    if (titled) share = ranking.title_bonus;
    // A page that was asked for opens at its top, not at the heading that its first text stands under.
    const bool begins = search.bundle.FirstPassage(draft.group.page) == draft.best().passage;
    if (begins && (titled || NamesPage(draft, folded))) draft.stored.anchor.clear();
    const auto is_exact = [](const WordMatch& match) { return match.form->kind == MatchKind::kExact; };
    const auto exact = uint32_t(std::count_if(draft.matches.begin(), draft.matches.end(), is_exact));
    // Fewer make no pair.
    if (phrase.counts() && exact >= Phrase::kLeast) {
      const float together = phrase.ShareIn(draft.stored.headings, draft.stored.text);
      share += ranking.phrase_bonus * together;
      if (together == 1 && phrase.is_line()) share += ranking.line_bonus;
    }
    draft.group.bonus += share * draft.group.score;
    draft.group.score += share * draft.group.score;
  }
}

// The share of the query that the passage covers.
float CoverageOf(const KeywordScores& keywords, uint32_t passage) {
  return keywords.coverage.empty() ? 0 : keywords.coverage[passage];
}

// The absolute quality of the best answer: the share of the query it covers, and its cosine. Bundles searched
// together have a weight each, but one common measure merges their hits.
// `coverage` is Ranking::coverage.
float Confidence(const Signals& signals, const Blend& blend, float coverage, const std::vector<Draft>& drafts) {
  float confidence = 0, uncovered = 0;
  for (const Draft& draft : drafts) {
    const Candidate& best = draft.best();
    const float covered = CoverageOf(signals.keywords, best.passage);
    const float near = std::clamp(best.cosine, 0.0f, 1.0f);
    confidence = std::max(confidence, (1 - blend.share) * covered + blend.share * near);
    if (best.keyword_raw > 0) uncovered = (1 - blend.share) * (1 - coverage);
  }
  // Extras cover no part of the query (QueryWord::counts): an operator alone, two words that stand as one only. Their
  // score counts.
  return confidence > 0 ? confidence : uncovered;
}

Explanation Explain(const SearchContext& search, const KeywordScores& keywords, const Blend& blend,
                    const Draft& draft) {
  const Candidate& best = draft.best();
  Explanation e;
  e.keyword_raw = best.keyword_raw;
  e.keyword = best.keyword;
  e.cosine = best.cosine;
  e.semantic = best.semantic;
  e.semantic_weight = blend.weight;
  e.coverage = CoverageOf(keywords, best.passage);
  e.page_bonus = draft.group.bonus + search.ranking.name_bonus * best.defines;
  for (const WordMatch& match : draft.matches) {
    const QueryWord& word = *match.word;
    TermMatch& term = e.terms.emplace_back();
    term.word = word.typed.empty() ? word.text : word.typed;
    term.term = match.form->entry.term;
    term.kind = match.form->kind;
    const bool itself = term.kind == MatchKind::kExact || term.kind == MatchKind::kPart;
    if (!word.typed.empty() && itself) term.kind = MatchKind::kTypo;
    term.idf = word.idf;
    term.weight = match.form->weight;
    term.frequency = match.frequency;
    term.score = match.score;
  }
  return e;
}

// The query as its text is read: the number of each word or name, and how well its terms stand for it.
std::vector<SnippetTerm> TermsOf(const std::vector<Token>& query, const std::vector<WordMatch>& matches) {
  std::vector<SnippetTerm> terms;
  std::vector<std::string_view> joined;
  const uint32_t words = query.empty() ? 0 : query.back().position + 1;
  // Function words do not explain why a passage was found, unless the query has no others.
  const bool has_content =
      std::any_of(matches.begin(), matches.end(), [](const WordMatch& match) { return !match.word->is_function_word; });
  for (const WordMatch& match : matches) {
    const QueryWord& word = *match.word;
    if (has_content && word.is_function_word) continue;
    SnippetTerm term{{}, std::max(word.idf * match.form->weight, 1e-3f)};
    constexpr uint8_t kRanks[] = {0, 2, 3, 1, 3, 0, 4, 2, 4};  // by MatchKind; words as they were corrected
    term.rank = kRanks[size_t(match.form->kind)];
    // A synonym may have several words.
    const auto add = [&] {
      const std::string& all = match.form->entry.term;
      for (size_t at = 0, end; at < all.size(); at = end + 1) {
        end = std::min(all.find(' ', at), all.size());
        term.term = all.substr(at, end - at);
        terms.push_back(term);
      }
    };
    bool found = false;
    for (const Token& token : query) {
      if (token.term != word.text) continue;
      if (token.kind == TokenKind::kPart) term.rank = std::max<uint8_t>(term.rank, 3);
      term.word = token.position;
      add();
      found = true;
    }
    if (found) continue;
    const size_t number = size_t(std::find(joined.begin(), joined.end(), word.text) - joined.begin());
    if (number == joined.size()) joined.push_back(word.text);
    term.word = words + uint32_t(number);
    add();
  }
  return terms;
}

// The symbol that a hit is the entry of. Its anchor goes before the passage's.
HitSymbol MakeSymbol(const Symbol& symbol, StoredPassage* stored) {
  if (!symbol.anchor.empty()) stored->anchor = symbol.anchor;
  HitSymbol made{symbol.kind, symbol.deprecated, symbol.name, {}};
  const size_t begin = std::min<size_t>(symbol.begin, stored->text.size());
  for (const char c : std::string_view(stored->text).substr(begin, symbol.length)) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!made.signature.empty() && made.signature.back() != ' ')) made.signature += blank ? ' ' : c;
  }
  return made;
}

// Multiplies the group's score by `scale`. Moves from the draft.
// `query` is the query's text, split.
Hit MakeHit(const SearchContext& search, const Signals& signals, const Blend& blend, const std::vector<Token>& query,
            float scale, Draft* draft) {
  StoredPassage& stored = draft->stored;
  Hit hit;
  hit.page = draft->group.page;
  hit.passage = draft->best().passage;
  if (draft->best().symbol != UINT32_MAX) {
    const Symbol& symbol = signals.symbols[draft->best().symbol];
    if (!symbol.name.empty()) {
      hit.symbol = MakeSymbol(symbol, &stored);
    } else if (search.bundle.FirstPassage(hit.page) == hit.passage) {
      stored.anchor.clear();  // a page that is pinned, not its first part
      stored.headings.clear();
    }
  }
  hit.score = std::clamp(draft->group.score * scale, 0.0f, 1.0f);
  hit.title = std::move(stored.title);
  hit.place = std::move(stored.place);
  hit.url = std::move(stored.url);
  hit.source = std::move(stored.source);
  hit.meta = std::move(stored.entries);
  hit.anchor = std::move(stored.anchor);
  hit.headings = std::move(stored.headings);
  hit.first_line = stored.first_line;
  hit.last_line = stored.last_line;
  const std::vector<SnippetTerm> terms = TermsOf(query, draft->matches);
  std::vector<std::string> above = hit.headings;
  above.insert(above.begin(), hit.title);
  Snippet snippet = MakeSnippet(stored.text, MarkupOf(hit.source), above, terms, search.analyzer);
  hit.kind = snippet.is_code ? HitKind::kCode : snippet.follows_heading ? HitKind::kHeading : HitKind::kText;
  hit.snippet = std::move(snippet.text);
  const auto copy = [](const TextMarks& marks, std::vector<Highlight>* out) {
    for (const auto& [start, length] : marks) out->push_back({start, length});
  };
  copy(snippet.highlights, &hit.highlights);
  copy(MarkWords(hit.title, terms, search.analyzer, snippet.whole), &hit.title_highlights);
  if (!hit.headings.empty())
    copy(MarkWords(hit.headings.back(), terms, search.analyzer, snippet.whole), &hit.heading_highlights);
  if (search.query.explain) hit.explanation = Explain(search, signals.keywords, blend, *draft);
  return hit;
}

}  // namespace

Status MakeHits(const SearchContext& search, const Signals& signals, const Blend& blend, std::vector<PageGroup> groups,
                std::vector<Hit>* hits) {
  std::vector<Draft> drafts(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) drafts[i].group = std::move(groups[i]);
  SHEAF_RETURN_IF_ERROR(ReadPassages(search, &drafts));
  for (Draft& draft : drafts) {
    draft.matches = MatchesIn(signals.words.words, draft.best().passage, search.bundle.settings().k1);
  }
  if (signals.by_keyword) AddTextBonus(search, signals.words, &drafts);
  std::vector<Draft*> order;
  for (Draft& draft : drafts) order.push_back(&draft);
  Sort(&order, [](const Draft* a, const Draft* b) { return BetterGroup(a->group, b->group); });

  const Ranking& ranking = search.ranking;
  const float confidence = signals.symbols.empty() ? Confidence(signals, blend, ranking.coverage, drafts) : 1;
  if (!(confidence > 0)) return {};  // near in no way: an answer of score 0 is none
  float scale = confidence / ((1 + 2 * ranking.page_bonus) * (1 + ranking.title_bonus));
  const auto defines = [](const Draft& draft) { return draft.best().defines > 0; };
  if (std::any_of(drafts.begin(), drafts.end(), defines)) scale /= 1 + ranking.name_bonus;
  std::vector<Token> query;
  search.analyzer.Tokenize(search.query.text, &query);
  while (!query.empty() && query.back().position >= kMaxQueryWords) query.pop_back();
  for (Draft* draft : order) hits->push_back(MakeHit(search, signals, blend, query, scale, draft));
  // What follows a symbol is not above it, whatever its score.
  for (size_t i = signals.symbols.empty() ? 0 : hits->size(); i-- > 1;) {
    (*hits)[i - 1].score = std::max((*hits)[i - 1].score, (*hits)[i].score);
  }
  return {};
}

}  // namespace sheaf
