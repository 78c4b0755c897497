#include "search/keyword_search.h"

#include <algorithm>
#include <bit>

#include "base/gather.h"
#include "base/sort.h"
#include "lexical/bm25.h"
#include "lexical/edit_distance.h"
#include "text/utf8.h"

namespace sheaf {
namespace {

// A word or name of the query, as it may be the name of something.
struct NamePart {
  uint32_t begin = 0, end = 0;
  std::vector<std::string> wholes;  // terms that stand for all of it
  std::string last, above;          // of a path: its last part, and the one before it
};

// Bytes of the words that a word is cut into, in Latin letters. Shorter ones are found in too many.
constexpr size_t kMinPart = 4;

// Names of more words are not looked for.
constexpr size_t kMaxNameParts = 8;

// Null where the passage lacks the form.
const Posting* PostingOf(const WordForm& form, uint32_t passage) {
  const auto it = std::lower_bound(form.postings.begin(), form.postings.end(), passage,
                                   [](const Posting& p, uint32_t id) { return p.passage < id; });
  return it == form.postings.end() || it->passage != passage ? nullptr : &*it;
}

class Searcher {
 public:
  Searcher(BundleView* bundle, const Analyzer& analyzer, const Query& query, const Ranking& ranking)
      : bundle_(bundle), analyzer_(analyzer), query_(query), ranking_(ranking) {}

  Result<KeywordScores> Run() {
    ParseWords();
    Gather gather;
    for (QueryWord& word : out_.words) SHEAF_RETURN_IF_ERROR(gather.Note(FindForms(&word)));
    SHEAF_RETURN_IF_ERROR(gather.status());
    DropNeedless();
    // The corrected query is another one, with words of its own.
    if (!out_.corrections.empty()) return std::move(out_);
    for (const QueryWord& word : out_.words) out_.found |= word.known() && !word.is_function_word;
    WeighParts();
    for (QueryWord& word : out_.words) {
      for (WordForm& form : word.forms) {
        SHEAF_RETURN_IF_ERROR(gather.Note(bundle_->ReadPostings(form.entry, &form.postings)));
      }
    }
    SHEAF_RETURN_IF_ERROR(gather.status());
    DropPlainCompletions();
    Score();
    FindDefinitions();
    return std::move(out_);
  }

 private:
  void AddWord(std::string_view term, float boost, MatchKind kind, bool counts, const Token* token) {
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
    word.is_function_word = token ? token->is_function_word : IsStopWord(term);
    if (token) {
      word.keys = token->keys;
      word.begin = token->begin;
      word.end = token->end;
    }
    out_.words.push_back(std::move(word));
  }

  void ParseWords() {
    std::vector<Token> tokens;
    analyzer_.Tokenize(query_.text, &tokens);
    size_t content = 0, positions = 0;
    uint32_t last_position = UINT32_MAX;
    for (Token& token : tokens) {
      token.is_function_word |= IsStopWord(token.term);
      if (token.position != last_position) ++positions;
      last_position = token.position;
      if (token.kind == TokenKind::kWhole || !token.is_function_word) ++content;
    }
    // In a short query every word is meant ("if let", "for loop", "this").
    const bool skip_stop_words = content > 0 && positions > 3;

    ReadName(tokens, positions, skip_stop_words);

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
      const bool stop = token.kind == TokenKind::kWord && skip_stop_words && token.is_function_word;
      if (stop && ranking_.stop_word_weight <= 0) continue;
      const float boost = stop ? ranking_.stop_word_weight : 1;
      if (token.kind == TokenKind::kWhole) {
        AddWord(token.term, 1, MatchKind::kExact, false, &token);
      } else {
        const bool part = token.kind == TokenKind::kPart;
        // The last part of a name, hardly begun (watchE), is not missing where it is not found. A digit is whole: 3.1.
        const bool begun = part && i > 0 && query_.prefix && token.end == query_.text.size() &&
                           token.term.size() < ranking_.min_prefix && token.term[0] > '9' &&
                           tokens[i - 1].kind == TokenKind::kPart && tokens[i - 1].position == token.position;
        AddWord(token.term, boost, part ? MatchKind::kPart : MatchKind::kExact, !begun, &token);
      }
    }
    // Two neighbouring words may be one in the docs ("time stamp"). Names written with a joint are found
    // by their parts.
    for (size_t i = 0; i + 1 < tokens.size() && i < kMaxQueryWords; ++i) {
      const Token &a = tokens[i], &b = tokens[i + 1];
      if (a.kind != TokenKind::kWord || b.kind != TokenKind::kWord || b.position != a.position + 1) continue;
      if (skip_stop_words && (a.is_function_word || b.is_function_word)) continue;
      if (a.term.size() + b.term.size() + 1 > kMaxTermBytes) continue;
      AddWord(a.term + b.term, ranking_.joined_weight, MatchKind::kJoined, false, nullptr);
    }
    // The last word may be unfinished, unless something follows it; of a name, also the whole: watchE is watch and e.
    for (const Token& token : tokens) {
      if (!query_.prefix || token.end != query_.text.size() || token.term.size() < ranking_.min_prefix) continue;
      for (QueryWord& word : out_.words) {
        if (word.word == token.term) word.complete = false;
      }
    }
  }

  // The query as a name. Names in the docs count all their words, so this does too.
  void ReadName(const std::vector<Token>& tokens, size_t positions, bool skip_stop_words) {
    if (positions > kMaxNameParts) return;
    name_words_ = positions;
    const std::string_view text = query_.text;
    for (size_t i = 0; i < tokens.size();) {
      size_t next = i;
      NamePart part;
      part.begin = tokens[i].begin;
      for (; next < tokens.size() && tokens[next].position == tokens[i].position; ++next) {
        part.begin = std::min(part.begin, tokens[next].begin);
        part.end = std::max(part.end, tokens[next].end);
      }
      uint32_t last_begin = 0;
      for (size_t t = i; t < next; ++t) {
        const Token& token = tokens[t];
        if (StandsForAll(text, part.begin, part.end, token)) part.wholes.push_back(token.term);
        if (EndsPath(text, part.begin, part.end, token)) {
          part.last = token.term;
          last_begin = token.begin;
        }
      }
      for (size_t t = i; t < next && !part.last.empty(); ++t) {
        // The first that ends there is the longest.
        const bool ends = tokens[t].end < last_begin && tokens[t].end + 2 >= last_begin;
        if (ends && part.above.empty()) part.above = tokens[t].term;
      }
      if (!(skip_stop_words && next == i + 1 && tokens[i].is_function_word)) name_.push_back(std::move(part));
      i = next;
    }
  }

  Status FindForms(QueryWord* word) {
    std::vector<TermEntry> group;
    const std::string stem = analyzer_.Stem(word->word);
    Gather gather;
    SHEAF_RETURN_IF_ERROR(gather.Note(bundle_->FindGroup(stem, &group)));
    const bool extra = word->kind == MatchKind::kJoined;
    bool known = false;
    for (TermEntry& entry : group) {
      const bool exact = entry.term == word->word;
      if (!exact && (extra || ranking_.stem_weight <= 0)) continue;
      known |= exact;
      word->forms.push_back(
          {std::move(entry), exact ? word->kind : MatchKind::kStem, exact ? 1 : ranking_.stem_weight, {}});
    }
    if (extra) return gather.status();
    group.clear();
    for (std::string_view keys = word->keys; !keys.empty();) {
      SHEAF_RETURN_IF_ERROR(gather.Note(bundle_->FindGroup(NextKey(&keys), &group)));
    }
    for (TermEntry& entry : group) {
      const bool root = IsRoot(entry.term);
      word->roots += root;
      word->forms.push_back(
          {std::move(entry), MatchKind::kStem, root ? ranking_.root_weight : ranking_.stem_weight, {}});
    }
    // Also while the word's own page is missing: both come in one round trip.
    // What stands for all of a name, and is one, is not completed.
    if (!word->complete && (word->counts || !known)) {
      SHEAF_RETURN_IF_ERROR(FindCompletions(word, stem, gather.complete()));
    }
    SHEAF_RETURN_IF_ERROR(gather.status());
    // Where something begins alike, what is further away is another form rather than a slip.
    const int edits = std::min(AllowedEdits(word->word.size()), word->roots ? 1 : 2);
    if (!word->known() && query_.typo && word->counts && edits > 0) {
      const size_t before = out_.corrections.size();
      SHEAF_RETURN_IF_ERROR(FindCorrection(*word, edits));
      if (out_.corrections.size() == before) SHEAF_RETURN_IF_ERROR(CutInTwo(*word));
    }
    return {};
  }

  // A word that nothing has becomes the two words of the documentation that it is made of, as they were typed: a compound
  // ("Ebenenmaske"), or a space is missing. Of several cuts it is the one whose words are the most frequent together.
  Status CutInTwo(const QueryWord& word) {
    // The letters of other scripts take two bytes or more; where they take three, pairs of them are no words.
    const size_t least = uint8_t(word.word[0]) < 0x80 ? kMinPart : 2 * kMinPart;
    Gather gather;
    uint64_t best = 0;
    std::string found;
    if (word.end - word.begin > kMaxTermBytes) return {};  // whatever is dropped inside of a word has no end
    for (uint32_t at = word.begin + 1; at < word.end; ++at) {
      if (IsUtf8Continuation(query_.text[at])) continue;
      std::string apart = query_.text.substr(word.begin, word.end - word.begin);
      apart.insert(at - word.begin, 1, ' ');
      std::vector<Token> tokens;
      analyzer_.Tokenize(apart, &tokens);
      // An accent stays with its letter.
      uint64_t score = tokens.size() == 2 && tokens[1].begin == at - word.begin + 1;
      for (const Token& token : tokens) {
        if (token.term.size() < least) score = 0;
        if (score == 0) break;  // the second is looked for where the first is
        QueryWord part;
        part.word = token.term;
        part.keys = token.keys;
        part.counts = false;
        SHEAF_RETURN_IF_ERROR(gather.Note(FindForms(&part)));
        score *= part.known() ? part.forms.back().entry.postings : 0;
      }
      if (score <= best) continue;
      best = score;
      found = std::move(apart);
    }
    if (!found.empty()) out_.corrections.push_back({word.word, std::move(found)});
    return gather.status();
  }

  // The entry of a term, or nothing when the index lacks it.
  Status FindTerm(const std::string& term, std::vector<TermEntry>* out) {
    std::vector<TermEntry> group;
    SHEAF_RETURN_IF_ERROR(bundle_->FindGroup(analyzer_.Stem(term), &group));
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
    } else if (own_known && !word->known() && word->counts) {
      SHEAF_RETURN_IF_ERROR(SpelledCompletions(prefix, &found));
    }
    Sort(&found, [](const TermEntry& a, const TermEntry& b) {
      return a.postings != b.postings ? a.postings > b.postings : a.term < b.term;
    });
    const auto same = [](const TermEntry& a, const TermEntry& b) { return a.term == b.term; };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    if (found.size() > ranking_.max_completions) found.resize(ranking_.max_completions);
    // By its key alone, what is unfinished is no word yet.
    const bool beside =
        word->counts && !word->forms.empty() && (word->keys.empty() || word->forms[0].kind != MatchKind::kStem);
    const float weight = beside ? ranking_.prefix_weight : ranking_.prefix_alone_weight;
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
      return stem != own_stem && term.size() > prefix.size() && term.starts_with(prefix) && !term.ends_with('*');
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
        SHEAF_RETURN_IF_ERROR(gather.Note(bundle_->FindGroup(stem, &group)));
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
        bundle_->VisitSpellings(prefix.size() + 1, prefix.size() + 8, prefix,
                                   [&](const Spellings::Word& word) { common.emplace_back(word.weight, word.text); }));
    Sort(&common,
         [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    if (common.size() > ranking_.spelled_completions) common.resize(ranking_.spelled_completions);
    Gather gather;
    for (const auto& [weight, text] : common) SHEAF_RETURN_IF_ERROR(gather.Note(FindTerm(text, found)));
    return gather.status();
  }

  // What was most likely meant by a word that nothing has: of the nearest words, the commonest one that begins alike.
  Status FindCorrection(const QueryWord& word, int edits) {
    struct Candidate {
      int distance;
      bool other_start;
      uint8_t weight;
      std::string text;
    };
    std::vector<Candidate> found;
    int best = edits;
    const std::string& text = word.word;
    const uint32_t letters = LetterSet(text);
    const auto visit = [&](const Spellings::Word& listed) {
      if (std::popcount(letters ^ listed.letters) > 2 * best) return;
      const int distance = EditDistance(text, listed.text, best);
      if (distance > best) return;
      best = std::max(1, distance);
      found.push_back({distance, listed.text[0] != text[0], listed.weight, listed.text});
    };
    SHEAF_RETURN_IF_ERROR(
        bundle_->VisitSpellings(text.size() - size_t(edits), text.size() + size_t(edits), {}, visit));
    std::erase_if(found, [&](const Candidate& c) { return c.distance > best; });
    Sort(&found, [](const Candidate& a, const Candidate& b) {
      if (a.other_start != b.other_start) return !a.other_start;
      if (a.weight != b.weight) return a.weight > b.weight;
      return a.text < b.text;
    });
    if (!found.empty()) out_.corrections.push_back({text, found[0].text});
    return {};
  }

  // What is part of another word of the query, alone or with its neighbour, is no other word: "Schlag Schatten".
  void DropNeedless() {
    for (const QueryWord& word : out_.words) {
      if (!word.known()) continue;
      std::erase_if(out_.corrections,
                    [&](const Correction& c) { return word.word.starts_with(c.word) || word.word.ends_with(c.word); });
    }
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

  // The first part of a name stands wherever the name does, and as often. So watchEffect may be what watchE begins;
  // watchers is not, nor is watch another form of it.
  void DropPlainCompletions() {
    for (QueryWord& word : out_.words) {
      if (word.counts || word.complete) continue;
      const QueryWord* first = nullptr;
      for (const QueryWord& part : out_.words) {
        if (!first && part.kind == MatchKind::kPart && word.word.starts_with(part.word)) first = &part;
      }
      bool completed = false;
      for (WordForm& form : word.forms) {
        if (form.kind != MatchKind::kPrefix) continue;
        if (first && !HasPart(form.postings, *first)) form.postings.clear();
        completed |= !form.postings.empty();
      }
      for (WordForm& form : word.forms) {
        if (completed && !form.entry.term.starts_with(word.word)) form.postings.clear();
      }
    }
  }

  static bool HasPart(const std::vector<Posting>& whole, const QueryWord& part) {
    size_t with = 0;
    for (const WordForm& form : part.forms) {
      if (form.kind != part.kind) continue;
      for (const Posting& posting : whole) {
        const Posting* found = PostingOf(form, posting.passage);
        with += found && found->level >= posting.level;
      }
    }
    // The docs may also write the name in lower case, where it has no parts.
    return with * 2 > whole.size();
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
      word.idf = bundle_->IdfOf(word, pages);
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

  // A word with what a passage's names make of it.
  struct Named {
    uint32_t passage = 0;
    uint8_t naming = kNoName;
    float weight = 0;  // of the form that was found
  };

  // The postings of the query's word `term`, in all its forms, that are part of a name.
  std::vector<Named> NamesOf(std::string_view term) const {
    std::vector<Named> names;
    for (const QueryWord& word : out_.words) {
      if (word.word != term) continue;
      for (const WordForm& form : word.forms) {
        for (const Posting& posting : form.postings) {
          if (posting.naming != kNoName) names.push_back({posting.passage, posting.naming, form.weight});
        }
      }
    }
    return names;
  }

  void Define(uint32_t passage, float surely) {
    if (!(surely > 0)) return;
    if (out_.defines.empty()) out_.defines.resize(bundle_->passages());
    out_.defines[passage] = std::max(out_.defines[passage], surely);
  }

  float OneWordName(uint8_t naming) const {
    return naming == kOneWord    ? 1
           : naming == kLastPart ? ranking_.last_part_name
           : naming == kInside   ? ranking_.inside_name
                                 : 0;
  }

  // Finds the passages that define what the query names.
  void FindDefinitions() {
    if (name_.empty() || ranking_.name_bonus <= 0) return;
    if (name_words_ == 1) return DefineOneWord(name_[0]);
    if (name_words_ == 2 && name_.size() == 2 && !name_[0].wholes.empty() && !name_[1].wholes.empty()) {
      for (const Named& n : NamesOf(name_[0].wholes[0] + name_[1].wholes[0])) {
        Define(n.passage, ranking_.path_name * OneWordName(n.naming));
      }
    }
    // All words belong to a name of as many.
    const uint8_t length = uint8_t(std::min<size_t>(name_words_, kManyWords));
    struct Seen {
      uint32_t words = 0;  // of the query, that belong to names of the passage
      uint8_t longest = kNoName;
      float weight = 1;
    };
    std::vector<Seen> all(bundle_->passages());
    for (uint32_t i = 0; i < name_.size(); ++i) {
      for (const std::string& whole : name_[i].wholes) {
        for (const Named& n : NamesOf(whole)) {
          Seen& seen = all[n.passage];
          if (n.naming > length || seen.words < i) continue;
          if (seen.words == i) seen.weight = std::min(seen.weight, n.weight);
          seen.words = i + 1;
          seen.longest = std::max(seen.longest, n.naming);
        }
      }
    }
    for (uint32_t passage = 0; passage < all.size(); ++passage) {
      if (all[passage].words < name_.size() || all[passage].longest != length) continue;
      Define(passage, all[passage].weight * (length == kManyWords ? ranking_.long_name : 1));
    }
  }

  void DefineOneWord(const NamePart& part) {
    float written = 1;
    for (const std::string& whole : part.wholes) {
      for (const Named& n : NamesOf(whole)) Define(n.passage, written * OneWordName(n.naming) * n.weight);
      written = ranking_.bare_name;
    }
    // A path whose last part has a heading on the page of the one above it: `push` on the page of Vec.
    if (part.last.empty()) return;
    std::vector<bool> pages(bundle_->settings().pages);
    for (const Named& n : NamesOf(part.above)) {
      if (OneWordName(n.naming) > 0) pages[bundle_->PageOf(n.passage)] = true;
    }
    for (const Named& n : NamesOf(part.last)) {
      // One thing of several is another one of this name.
      if (out_.coverage[n.passage] < 0.999f || n.naming == kInside) continue;
      const float path = pages[bundle_->PageOf(n.passage)] ? ranking_.path_name : ranking_.path_name / 2;
      Define(n.passage, path * OneWordName(n.naming) * n.weight);
    }
  }

  BundleView* bundle_;
  const Analyzer& analyzer_;
  const Query& query_;
  const Ranking& ranking_;
  KeywordScores out_;
  std::vector<NamePart> name_;  // without function words
  size_t name_words_ = 0;       // with them; 0: the query is no name
};

}  // namespace

Result<KeywordScores> KeywordSearch(BundleView* bundle, const Analyzer& analyzer, const Query& query,
                                    const Ranking& ranking) {
  return Searcher(bundle, analyzer, query, ranking).Run();
}

std::string Corrected(std::string_view query, const std::vector<Correction>& corrections, const Analyzer& analyzer) {
  std::vector<Token> tokens;
  analyzer.Tokenize(query, &tokens);
  std::string corrected;
  size_t at = 0;
  for (const Token& token : tokens) {
    if (token.begin < at) continue;
    for (const Correction& correction : corrections) {
      if (token.term != correction.word) continue;
      corrected.append(query.substr(at, token.begin - at)).append(correction.term);
      // A capital keeps the parts of a name apart: watchEfect.
      char& first = corrected[corrected.size() - correction.term.size()];
      const char typed = query[token.begin];
      if (typed >= 'A' && typed <= 'Z' && first >= 'a' && first <= 'z') first = char(first - 'a' + 'A');
      at = token.end;
      break;
    }
  }
  return corrected.append(query.substr(at));
}

std::vector<TermMatch> ExplainKeyword(const KeywordScores& scores, uint32_t passage, float k1) {
  std::vector<TermMatch> matches;
  for (const QueryWord& word : scores.words) {
    const size_t first = matches.size();
    float sum = 0;
    for (const WordForm& form : word.forms) {
      const Posting* posting = PostingOf(form, passage);
      if (!posting) continue;
      TermMatch match;
      match.word = word.word;
      match.term = form.entry.term;
      match.kind = form.kind;
      match.idf = word.idf;
      match.weight = form.weight;
      match.frequency = FrequencyOf(posting->level);
      match.is_function_word = word.is_function_word;
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
