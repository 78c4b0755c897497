#include "search/keyword_search.h"

#include <algorithm>
#include <utility>

#include "base/gather.h"
#include "lexical/bm25.h"
#include "search/completions.h"
#include "search/corrections.h"
#include "search/definitions.h"
#include "search/owner_rules.h"
#include "search/word_forms.h"

namespace sheaf {
namespace {

// Finds the forms of `word`, its completions, or else its correction.
Status FindWord(const SearchContext& search, QueryWord* word, std::vector<Correction>* corrections) {
  Gather gather;
  SHEAF_RETURN_IF_ERROR(gather.Note(FindForms(search, word)));
  // Before completions, which may end this try: one round trip brings the forms and the kin.
  std::vector<TermEntry> kin;
  Gather kin_gather;
  SHEAF_RETURN_IF_ERROR(kin_gather.Note(FindKin(search, *word, &kin)));
  SHEAF_RETURN_IF_ERROR(FindCompletions(search, gather.complete(), word));
  SHEAF_RETURN_IF_ERROR(gather.status());
  SHEAF_RETURN_IF_ERROR(kin_gather.status());
  for (TermEntry& entry : kin) {
    if (KindOfForm(entry.term) != MatchKind::kStem) continue;  // a rule of that word
    ++word->roots;
    word->forms.push_back({std::move(entry), MatchKind::kStem, search.ranking.kin_weight, {}});
  }
  return FindCorrection(search, *word, corrections);
}

// Parts of a name matter less when the name itself is there.
void WeighParts(const Ranking& ranking, std::vector<QueryWord>* words) {
  const bool whole_found = std::any_of(words->begin(), words->end(), [](const QueryWord& word) {
    return word.kind == MatchKind::kExact && !word.counts && !word.forms.empty();
  });
  for (QueryWord& word : *words) {
    if (word.kind == MatchKind::kPart) word.boost *= whole_found ? ranking.part_weight : ranking.part_alone_weight;
  }
  std::erase_if(*words, [](const QueryWord& word) { return word.kind == MatchKind::kJoined && word.forms.empty(); });
}

// Of other wordings, or of all other forms.
Status ReadPostings(BundleView* bundle, bool wordings, std::vector<QueryWord>* words) {
  Gather gather;
  for (QueryWord& word : *words) {
    for (WordForm& form : word.forms) {
      if ((form.kind == MatchKind::kWording) != wordings) continue;
      SHEAF_RETURN_IF_ERROR(gather.Note(bundle->ReadPostings(form.entry, &form.postings)));
    }
  }
  return gather.status();
}

void Score(const SearchContext& search, std::vector<QueryWord>* words, KeywordScores* out) {
  const BundleView& bundle = search.bundle;
  const uint32_t passages = bundle.passages();
  const float k1 = bundle.settings().k1;
  out->matching.clear();
  out->scores.assign(passages, 0);
  out->coverage.assign(passages, 0);
  std::vector<float> frequency(passages, 0);
  std::vector<uint32_t> touched, page_seen(bundle.settings().pages, 0);
  uint32_t round = 0;
  float total = 0;
  for (QueryWord& word : *words) {
    touched.clear();
    size_t own = 0;  // so many of `touched` have a form that is no other wording: those are the last forms
    for (const WordForm& form : word.forms) {
      for (const Posting& posting : form.postings) {
        float& x = frequency[posting.passage];
        if (x == 0) touched.push_back(posting.passage);
        x += form.weight * FrequencyOf(posting.level);
      }
      if (form.kind != MatchKind::kWording) own = touched.size();
    }
    ++round;
    uint32_t pages = 0;
    for (size_t i = 0; i < (own ? own : touched.size()); ++i) {
      uint32_t& seen = page_seen[bundle.PageOf(touched[i])];
      if (seen != round) ++pages;
      seen = round;
    }
    word.idf = bundle.IdfOf(word, pages);
    if (word.counts) total += word.boost * word.idf;
    for (size_t i = 0; i < touched.size(); ++i) {
      const uint32_t passage = touched[i];
      if (out->scores[passage] == 0) out->matching.push_back(passage);
      out->scores[passage] += word.boost * TermScore(word.idf, frequency[passage], k1);
      const float share = i < own ? 1 : search.ranking.wording_share;
      if (word.counts) out->coverage[passage] += word.boost * word.idf * share;
      frequency[passage] = 0;
    }
  }
  out->highest = total * (k1 + 1);
  for (uint32_t passage : out->matching) {
    float& coverage = out->coverage[passage];
    coverage = total > 0 ? std::min(1.0f, coverage / total) : 0;
    out->scores[passage] *= CoverageFactor(search.ranking, coverage);
  }
}

}  // namespace

Status FindWords(const SearchContext& search, QueryWords* words) {
  ParseQuery(search, words);
  Gather gather;
  for (QueryWord& word : words->words) {
    SHEAF_RETURN_IF_ERROR(gather.Note(FindWord(search, &word, &words->corrections)));
  }
  SHEAF_RETURN_IF_ERROR(gather.status());
  DropPartsOfKnownWords(words->words, &words->corrections);
  KeepRules(search.analyzer, words);
  return {};
}

Status ScoreWords(const SearchContext& search, QueryWords* words, KeywordScores* scores) {
  for (const QueryWord& word : words->words) scores->found |= word.known() && !word.is_function_word;
  WeighParts(search.ranking, &words->words);
  SHEAF_RETURN_IF_ERROR(ReadPostings(&search.bundle, false, &words->words));
  NameRules(words);
  DropOtherCompletions(&words->words);
  Score(search, &words->words, scores);
  scores->defines = FindDefinitions(search, *words, scores->coverage);
  return {};
}

float KeywordScores::Best() const {
  float best = 0;
  for (uint32_t passage : matching) best = std::max(best, scores[passage]);
  return best;
}

Status AddWordings(const SearchContext& search, const Wordings& wordings, QueryWords* words, KeywordScores* scores) {
  Gather gather;
  for (QueryWord& word : words->words) {
    if (word.kind != MatchKind::kExact || !word.counts) continue;
    if (word.known() && word.idf < search.ranking.wording_idf) continue;
    std::vector<TermEntry> entries;
    const auto find = [&](const std::string& stems) -> Status {
      for (std::string_view other : wordings.Of(stems)) {
        SHEAF_RETURN_IF_ERROR(gather.Note(search.bundle.FindGroup(other, &entries)));
      }
      return {};
    };
    SHEAF_RETURN_IF_ERROR(find(search.analyzer.Stem(word.text)));
    // "Log in": the word with its neighbour, which may be a function word.
    for (size_t i = 1; i < words->tokens.size(); ++i) {
      const std::string &a = words->tokens[i - 1].term, &b = words->tokens[i].term;
      if (a != word.text && b != word.text) continue;
      SHEAF_RETURN_IF_ERROR(find(search.analyzer.Stem(a) + ' ' + search.analyzer.Stem(b)));
    }
    for (TermEntry& entry : entries) {
      const auto is_same = [&](const WordForm& form) { return form.entry.term == entry.term; };
      if (KindOfForm(entry.term) != MatchKind::kStem || std::any_of(word.forms.begin(), word.forms.end(), is_same)) {
        continue;
      }
      ++word.roots;
      word.forms.push_back({std::move(entry), MatchKind::kWording, search.ranking.wording_weight, {}});
    }
  }
  SHEAF_RETURN_IF_ERROR(gather.status());
  SHEAF_RETURN_IF_ERROR(ReadPostings(&search.bundle, true, &words->words));
  Score(search, &words->words, scores);
  return {};
}

std::vector<WordMatch> MatchesIn(const std::vector<QueryWord>& words, uint32_t passage, float k1) {
  std::vector<WordMatch> matches;
  for (const QueryWord& word : words) {
    const size_t first = matches.size();
    float sum = 0;
    for (const WordForm& form : word.forms) {
      const Posting* posting = form.PostingIn(passage);
      if (!posting) continue;
      const float frequency = FrequencyOf(posting->level);
      sum += form.weight * frequency;
      matches.push_back({&word, &form, frequency, 0});
    }
    // A word's score is saturated once; its forms share it by their frequency.
    for (size_t i = first; i < matches.size(); ++i) {
      WordMatch& match = matches[i];
      match.score = word.boost * TermScore(word.idf, sum, k1) * match.form->weight * match.frequency / sum;
    }
  }
  return matches;
}

}  // namespace sheaf
