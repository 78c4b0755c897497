#include "search/definitions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "lexical/postings.h"

namespace sheaf {
namespace {

// Longer names are not looked for.
constexpr size_t kMaxNameWords = 8;

// A word or name of the query, as it may be the name of something.
struct NameWord {
  uint32_t begin = 0, end = 0;
  std::vector<std::string> wholes;  // terms that stand for all of it
  std::string last, above;          // of a path: its last part, and the one before it
};

// The word of the tokens [first, end), which share a position.
NameWord ReadNameWord(std::string_view text, const std::vector<Token>& tokens, size_t first, size_t end) {
  NameWord word;
  word.begin = tokens[first].begin;
  for (size_t t = first; t < end; ++t) {
    word.begin = std::min(word.begin, tokens[t].begin);
    word.end = std::max(word.end, tokens[t].end);
  }
  uint32_t last_begin = 0;
  for (size_t t = first; t < end; ++t) {
    const Token& token = tokens[t];
    if (StandsForAll(text, word.begin, word.end, token)) word.wholes.push_back(token.term);
    if (EndsPath(text, word.begin, word.end, token)) {
      word.last = token.term;
      last_begin = token.begin;
    }
  }
  for (size_t t = first; t < end && !word.last.empty(); ++t) {
    // The first that ends there is the longest.
    const bool ends = tokens[t].end < last_begin && tokens[t].end + 2 >= last_begin;
    if (ends && word.above.empty()) word.above = tokens[t].term;
  }
  return word;
}

class Definitions {
 public:
  Definitions(const SearchContext& search, const QueryWords& words, const std::vector<float>& coverage)
      : bundle_(search.bundle), ranking_(search.ranking), words_(words.words), coverage_(coverage) {
    ReadName(search.query.text, words);
  }

  std::vector<float> Find() {
    if (length_ > kMaxNameWords || name_.empty()) return {};
    if (length_ == 1) {
      DefineOneWord(name_[0]);
    } else {
      if (length_ == 2 && name_.size() == 2) DefineJoined();
      DefineSeveralWords();
    }
    return std::move(defines_);
  }

 private:
  // A word of the query in the name of what a passage defines.
  struct Named {
    uint32_t passage = 0;
    NameRole role = NameRole::kNone;
    float weight = 0;  // of the form that was found
  };

  // Names in the docs count all their words, so the query's do too. "What is X" asks for X.
  void ReadName(std::string_view text, const QueryWords& words) {
    const std::vector<Token>& tokens = words.tokens;
    for (size_t first = words.asking, end = first; first < tokens.size(); first = end) {
      while (end < tokens.size() && tokens[end].position == tokens[first].position) ++end;
      if (++length_ > kMaxNameWords) return;
      const bool skipped = words.skips_function_words && end == first + 1 && tokens[first].is_function_word;
      if (!skipped) name_.push_back(ReadNameWord(text, tokens, first, end));
    }
  }

  // The postings of the query's word `term`, in all its forms, that are part of a name.
  std::vector<Named> NamesOf(std::string_view term) const {
    std::vector<Named> names;
    for (const QueryWord& word : words_) {
      if (word.text != term) continue;
      for (const WordForm& form : word.forms) {
        for (const Posting& posting : form.postings) {
          if (posting.role != NameRole::kNone) names.push_back({posting.passage, posting.role, form.weight});
        }
      }
    }
    return names;
  }

  void Define(uint32_t passage, float surely) {
    if (!(surely > 0)) return;
    if (defines_.empty()) defines_.resize(bundle_.passages());
    defines_[passage] = std::max(defines_[passage], surely);
  }

  // How surely one word that has this role names what the passage defines.
  float Alone(NameRole role) const {
    return role == NameRole::kOneWord    ? 1
           : role == NameRole::kLastPart ? ranking_.last_part_name
           : role == NameRole::kInside   ? ranking_.inside_name
                                         : 0;
  }

  void DefineOneWord(const NameWord& word) {
    float written = 1;
    for (const std::string& whole : word.wholes) {
      for (const Named& n : NamesOf(whole)) Define(n.passage, written * Alone(n.role) * n.weight);
      written = ranking_.bare_name;
    }
    // A path whose last part has a heading on the page of the one above it: `push` on the page of Vec.
    if (word.last.empty()) return;
    std::vector<bool> pages(bundle_.settings().pages);
    for (const Named& n : NamesOf(word.above)) {
      if (Alone(n.role) > 0) pages[bundle_.PageOf(n.passage)] = true;
    }
    for (const Named& n : NamesOf(word.last)) {
      // One name of several in a passage is another thing of this name.
      if (coverage_[n.passage] < 0.999f || n.role == NameRole::kInside) continue;
      const float path = pages[bundle_.PageOf(n.passage)] ? ranking_.path_name : ranking_.path_name / 2;
      Define(n.passage, path * Alone(n.role) * n.weight);
    }
  }

  // Two words that the docs write as one.
  void DefineJoined() {
    if (name_[0].wholes.empty() || name_[1].wholes.empty()) return;
    for (const Named& n : NamesOf(name_[0].wholes[0] + name_[1].wholes[0])) {
      Define(n.passage, ranking_.path_name * Alone(n.role));
    }
  }

  // All words belong to a name of as many.
  void DefineSeveralWords() {
    const NameRole length = NameRoleOf(length_);
    struct Seen {
      uint32_t words = 0;  // of the query, that belong to names of the passage
      NameRole longest = NameRole::kNone;
      float weight = 1;
    };
    std::vector<Seen> all(bundle_.passages());
    for (uint32_t i = 0; i < name_.size(); ++i) {
      for (const std::string& whole : name_[i].wholes) {
        for (const Named& n : NamesOf(whole)) {
          Seen& seen = all[n.passage];
          if (n.role > length || seen.words < i) continue;
          if (seen.words == i) seen.weight = std::min(seen.weight, n.weight);
          seen.words = i + 1;
          seen.longest = std::max(seen.longest, n.role);
        }
      }
    }
    for (uint32_t passage = 0; passage < all.size(); ++passage) {
      if (all[passage].words < name_.size() || all[passage].longest != length) continue;
      Define(passage, all[passage].weight * (length == NameRole::kManyWords ? ranking_.long_name : 1));
    }
  }

  const BundleView& bundle_;
  const Ranking& ranking_;
  const std::vector<QueryWord>& words_;
  const std::vector<float>& coverage_;
  std::vector<NameWord> name_;  // without function words
  size_t length_ = 0;           // in words, with function words
  std::vector<float> defines_;
};

}  // namespace

std::vector<float> FindDefinitions(const SearchContext& search, const QueryWords& words,
                                   const std::vector<float>& coverage) {
  if (search.ranking.name_bonus <= 0) return {};
  return Definitions(search, words, coverage).Find();
}

}  // namespace sheaf
