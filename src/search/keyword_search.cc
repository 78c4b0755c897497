#include "search/keyword_search.h"

#include <algorithm>
#include <bit>

#include "base/gather.h"
#include "base/sort.h"
#include "lexical/bm25.h"
#include "lexical/edit_distance.h"

namespace sheaf {
namespace {

class Searcher {
 public:
  Searcher(BundleView* bundle, const Analyzer& analyzer, const Query& query, const Ranking& ranking)
      : bundle_(bundle), analyzer_(analyzer), query_(query), ranking_(ranking) {}

  Result<KeywordScores> Run() {
    ParseWords();
    Gather gather;
    for (QueryWord& word : out_.words) SHEAF_RETURN_IF_ERROR(gather.Note(FindForms(&word)));
    SHEAF_RETURN_IF_ERROR(gather.status());
    WeighParts();
    for (QueryWord& word : out_.words) {
      for (WordForm& form : word.forms) {
        SHEAF_RETURN_IF_ERROR(gather.Note(bundle_->ReadPostings(form.entry, &form.postings)));
      }
    }
    SHEAF_RETURN_IF_ERROR(gather.status());
    Score();
    return std::move(out_);
  }

 private:
  void AddWord(std::string_view term, float boost, MatchKind kind, bool counts) {
    for (QueryWord& word : out_.words) {
      if (word.word != term) continue;
      word.boost = std::max(word.boost, boost);
      word.counts = word.counts || counts;
      if (kind == MatchKind::kExact) word.kind = kind;
      return;
    }
    QueryWord word;
    word.word = term;
    word.boost = boost;
    word.kind = kind;
    word.counts = counts;
    out_.words.push_back(std::move(word));
  }

  void ParseWords() {
    std::vector<Token> tokens;
    analyzer_.Tokenize(query_.text, &tokens);
    size_t content = 0, positions = 0;
    uint32_t last_position = UINT32_MAX;
    for (const Token& token : tokens) {
      if (token.position != last_position) ++positions;
      last_position = token.position;
      if (token.kind == TokenKind::kWhole || !IsStopWord(token.term)) ++content;
    }
    // In a short query every word is meant ("if let", "for loop", "this").
    const bool skip_stop_words = content > 0 && positions > 3;

    uint32_t taken = 0;
    last_position = UINT32_MAX;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      const bool first = token.position != last_position;
      last_position = token.position;
      if (taken >= kMaxQueryWords) {
        if (first) ++out_.ignored_words;
        continue;
      }
      if (first) ++taken;
      const bool stop = token.kind == TokenKind::kWord && skip_stop_words && IsStopWord(token.term);
      if (stop && ranking_.stop_word_weight <= 0) continue;
      const float boost = stop ? ranking_.stop_word_weight : 1;
      if (token.kind == TokenKind::kWhole) {
        AddWord(token.term, 1, MatchKind::kExact, false);
      } else {
        AddWord(token.term, boost, token.kind == TokenKind::kPart ? MatchKind::kPart : MatchKind::kExact, true);
      }
    }
    // Two neighbouring words may be one in the docs ("time stamp"). Names written with a joint are found
    // by their parts.
    for (size_t i = 0; i + 1 < tokens.size() && i < kMaxQueryWords; ++i) {
      const Token &a = tokens[i], &b = tokens[i + 1];
      if (a.kind != TokenKind::kWord || b.kind != TokenKind::kWord || b.position != a.position + 1) continue;
      if (skip_stop_words && (IsStopWord(a.term) || IsStopWord(b.term))) continue;
      if (a.term.size() + b.term.size() + 1 > kMaxTermBytes) continue;
      AddWord(a.term + b.term, ranking_.joined_weight, MatchKind::kJoined, false);
    }
    // The last word may be unfinished, unless something follows it.
    if (query_.prefix && !tokens.empty() && tokens.back().end == query_.text.size()) {
      for (QueryWord& word : out_.words) {
        if (word.word == tokens.back().term && word.word.size() >= ranking_.min_prefix) word.complete = false;
      }
    }
  }

  Status FindForms(QueryWord* word) {
    std::vector<TermEntry> group;
    const std::string stem = analyzer_.Stem(word->word);
    Gather gather;
    SHEAF_RETURN_IF_ERROR(gather.Note(bundle_->lexicon().FindGroup(bundle_, stem, &group)));
    const bool extra = word->kind == MatchKind::kJoined;
    for (TermEntry& entry : group) {
      const bool exact = entry.term == word->word;
      if (!exact && (extra || ranking_.stem_weight <= 0)) continue;
      word->forms.push_back(
          {std::move(entry), exact ? word->kind : MatchKind::kStem, exact ? 1 : ranking_.stem_weight, {}});
    }
    if (extra) return gather.status();
    // Also while the word's own page is missing: both come in one round trip.
    if (!word->complete) SHEAF_RETURN_IF_ERROR(FindCompletions(word, stem, gather.complete()));
    SHEAF_RETURN_IF_ERROR(gather.status());
    const int edits = AllowedEdits(word->word.size());
    if (word->forms.empty() && query_.typo && word->counts && edits > 0) {
      SHEAF_RETURN_IF_ERROR(FindCorrections(word, edits));
    }
    return {};
  }

  // The entry of a term, or nothing when the index lacks it.
  Status FindTerm(const std::string& term, std::vector<TermEntry>* out) {
    std::vector<TermEntry> group;
    SHEAF_RETURN_IF_ERROR(bundle_->lexicon().FindGroup(bundle_, analyzer_.Stem(term), &group));
    for (TermEntry& entry : group) {
      if (entry.term == term) out->push_back(std::move(entry));
    }
    return {};
  }

  // Terms that begin with the word. Where few pages hold all of them these are looked through; the
  // beginning of many words ("co") stands for the commonest plain ones, unless it is a word itself.
  Status FindCompletions(QueryWord* word, const std::string& own_stem, bool own_known) {
    const std::string& prefix = word->word;
    const auto [first, last] = bundle_->lexicon().PagesOf(prefix);
    std::vector<TermEntry> found;
    if (last - first < ranking_.completion_pages) {
      SHEAF_RETURN_IF_ERROR(ScanCompletions(prefix, own_stem, first, &found));
    } else if (own_known && word->forms.empty()) {
      SHEAF_RETURN_IF_ERROR(SpelledCompletions(prefix, &found));
    }
    Sort(&found, [](const TermEntry& a, const TermEntry& b) {
      return a.postings != b.postings ? a.postings > b.postings : a.term < b.term;
    });
    const auto same = [](const TermEntry& a, const TermEntry& b) { return a.term == b.term; };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    if (found.size() > ranking_.max_completions) found.resize(ranking_.max_completions);
    const float weight = word->forms.empty() ? ranking_.prefix_alone_weight : ranking_.prefix_weight;
    for (TermEntry& entry : found) {
      // The less is left to type, the likelier it was meant.
      const float closeness = float(prefix.size()) / float(entry.term.size());
      word->forms.push_back({std::move(entry), MatchKind::kPrefix, weight * closeness, {}});
    }
    return {};
  }

  // Stems of completions begin with the prefix too, or are a beginning of it that differs in the last
  // byte at most (lexicon.h): "quer" finds query under its stem queri.
  Status ScanCompletions(const std::string& prefix, const std::string& own_stem, uint32_t first_page,
                         std::vector<TermEntry>* found) {
    const auto fits = [&](std::string_view stem, std::string_view term) {
      return stem != own_stem && term.size() > prefix.size() && term.starts_with(prefix);
    };
    const auto visit = [&](const TermPageView& page, std::string_view stem, const TermPageView::Form& form) {
      if (fits(stem, page.Term(form))) found->push_back(page.Entry(form));
      return found->size() < 4096;
    };
    // All pages are known in advance, so request all of them before giving up.
    Gather gather;
    SHEAF_RETURN_IF_ERROR(gather.Note(bundle_->lexicon().Scan(bundle_, prefix, visit)));
    for (size_t length = std::max<size_t>(2, prefix.size() > 4 ? prefix.size() - 3 : 2); length < prefix.size();
         ++length) {
      for (const char* end : {"", "e", "i"}) {
        const std::string stem = prefix.substr(0, length) + end;
        // These few terms do not justify reading another page.
        if (stem.starts_with(prefix) || bundle_->lexicon().PagesOf(stem).first < first_page) continue;
        std::vector<TermEntry> group;
        SHEAF_RETURN_IF_ERROR(gather.Note(bundle_->lexicon().FindGroup(bundle_, stem, &group)));
        for (const TermEntry& entry : group) {
          if (fits(stem, entry.term)) found->push_back(entry);
        }
      }
    }
    return gather.status();
  }

  Status SpelledCompletions(const std::string& prefix, std::vector<TermEntry>* found) {
    std::vector<std::pair<uint8_t, std::string>> common;
    SHEAF_RETURN_IF_ERROR(
        bundle_->spellings().Visit(bundle_, prefix.size() + 1, prefix.size() + 8, prefix,
                                   [&](const Spellings::Word& word) { common.emplace_back(word.weight, word.text); }));
    Sort(&common,
         [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    if (common.size() > ranking_.spelled_completions) common.resize(ranking_.spelled_completions);
    Gather gather;
    for (const auto& [weight, text] : common) SHEAF_RETURN_IF_ERROR(gather.Note(FindTerm(text, found)));
    return gather.status();
  }

  Status FindCorrections(QueryWord* word, int edits) {
    struct Candidate {
      int distance;
      bool other_start;
      uint8_t weight;
      std::string text;
    };
    std::vector<Candidate> found;
    int best = edits;
    const std::string& text = word->word;
    const uint32_t letters = LetterSet(text);
    const auto visit = [&](const Spellings::Word& listed) {
      if (std::popcount(letters ^ listed.letters) > 2 * best) return;
      const int distance = EditDistance(text, listed.text, best);
      if (distance > best) return;
      best = std::max(1, distance);
      found.push_back({distance, listed.text[0] != text[0], listed.weight, listed.text});
    };
    SHEAF_RETURN_IF_ERROR(
        bundle_->spellings().Visit(bundle_, text.size() - size_t(edits), text.size() + size_t(edits), {}, visit));
    std::erase_if(found, [&](const Candidate& c) { return c.distance > best; });
    Sort(&found, [](const Candidate& a, const Candidate& b) {
      if (a.other_start != b.other_start) return !a.other_start;
      if (a.weight != b.weight) return a.weight > b.weight;
      return a.text < b.text;
    });
    if (found.size() > ranking_.max_corrections) found.resize(ranking_.max_corrections);
    if (found.empty()) return {};
    const float weight = ranking_.typo_weight[best - 1];
    const std::string best_stem = analyzer_.Stem(found[0].text);
    Gather gather;
    for (const Candidate& candidate : found) {
      const std::string stem = analyzer_.Stem(candidate.text);
      std::vector<TermEntry> group;
      SHEAF_RETURN_IF_ERROR(gather.Note(bundle_->lexicon().FindGroup(bundle_, stem, &group)));
      // Forms of the best correction count as it does; others are guesses.
      const bool kin = stem == best_stem;
      for (TermEntry& entry : group) {
        const auto listed = [&](const WordForm& form) { return form.entry.term == entry.term; };
        if (std::any_of(word->forms.begin(), word->forms.end(), listed)) continue;
        if (entry.term == candidate.text) {
          word->forms.push_back({std::move(entry), MatchKind::kTypo, kin ? weight : weight * 0.5f, {}});
        } else if (kin) {
          const auto chosen = [&](const Candidate& c) { return c.text == entry.term; };
          if (std::any_of(found.begin(), found.end(), chosen)) continue;
          word->forms.push_back({std::move(entry), MatchKind::kTypo, weight * ranking_.stem_weight, {}});
        }
      }
    }
    SHEAF_RETURN_IF_ERROR(gather.status());
    if (!word->forms.empty()) out_.corrections.push_back({text, found[0].text});
    return {};
  }

  // Parts of a name matter less when the name itself is there.
  void WeighParts() {
    bool whole_found = false;
    for (const QueryWord& word : out_.words) {
      if (word.kind == MatchKind::kExact && !word.counts && !word.forms.empty()) whole_found = true;
    }
    for (QueryWord& word : out_.words) {
      if (word.kind == MatchKind::kPart) word.boost *= whole_found ? ranking_.part_weight : ranking_.part_alone_weight;
    }
    std::erase_if(out_.words,
                  [](const QueryWord& word) { return word.kind == MatchKind::kJoined && word.forms.empty(); });
  }

  void Score() {
    const uint32_t passages = bundle_->passages();
    const float k1 = bundle_->settings().k1;
    out_.scores.assign(passages, 0);
    out_.coverage.assign(passages, 0);
    std::vector<float> frequency(passages, 0);
    std::vector<uint32_t> touched, page_seen(bundle_->settings().pages, 0);
    uint32_t round = 0;
    float total = 0;
    for (QueryWord& word : out_.words) {
      touched.clear();
      for (const WordForm& form : word.forms) {
        for (const Posting& posting : form.postings) {
          float& x = frequency[posting.passage];
          if (x == 0) touched.push_back(posting.passage);
          x += form.weight * FrequencyOf(posting.level);
        }
      }
      ++round;
      uint32_t pages = 0;
      for (uint32_t passage : touched) {
        uint32_t& seen = page_seen[bundle_->PageOf(passage)];
        if (seen != round) ++pages;
        seen = round;
      }
      word.idf = Idf(bundle_->settings().pages, pages);
      // A word that the index lacks is as rare as can be; nothing covers it.
      if (word.counts) total += word.boost * word.idf;
      for (uint32_t passage : touched) {
        if (out_.scores[passage] == 0) out_.matching.push_back(passage);
        out_.scores[passage] += word.boost * TermScore(word.idf, frequency[passage], k1);
        if (word.counts) out_.coverage[passage] += word.boost * word.idf;
        frequency[passage] = 0;
      }
    }
    out_.highest = total * (k1 + 1);
    for (uint32_t passage : out_.matching) {
      float& coverage = out_.coverage[passage];
      coverage = total > 0 ? std::min(1.0f, coverage / total) : 0;
      out_.scores[passage] *= 1 - ranking_.coverage + ranking_.coverage * coverage;
    }
  }

  BundleView* bundle_;
  const Analyzer& analyzer_;
  const Query& query_;
  const Ranking& ranking_;
  KeywordScores out_;
};

}  // namespace

Result<KeywordScores> KeywordSearch(BundleView* bundle, const Analyzer& analyzer, const Query& query,
                                    const Ranking& ranking) {
  return Searcher(bundle, analyzer, query, ranking).Run();
}

std::vector<TermMatch> ExplainKeyword(const KeywordScores& scores, uint32_t passage, float k1) {
  std::vector<TermMatch> matches;
  for (const QueryWord& word : scores.words) {
    const size_t first = matches.size();
    float sum = 0;
    for (const WordForm& form : word.forms) {
      const auto it = std::lower_bound(form.postings.begin(), form.postings.end(), passage,
                                       [](const Posting& p, uint32_t id) { return p.passage < id; });
      if (it == form.postings.end() || it->passage != passage) continue;
      TermMatch match;
      match.word = word.word;
      match.term = form.entry.term;
      match.kind = form.kind;
      match.idf = word.idf;
      match.weight = form.weight;
      match.frequency = FrequencyOf(it->level);
      sum += form.weight * match.frequency;
      matches.push_back(std::move(match));
    }
    // A word's score is saturated once; its forms share it by their frequency.
    for (size_t i = first; i < matches.size(); ++i) {
      matches[i].score = word.boost * TermScore(word.idf, sum, k1) * matches[i].weight * matches[i].frequency / sum;
    }
  }
  return matches;
}

}  // namespace sheaf
