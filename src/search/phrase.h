// How much of a query a passage contains verbatim, as when somebody pastes an error message or another line.
//
// Idea: find the longest run of the query's words that the passage has in the same order without others in between.
// Its length counts content words only. Two or three in a row are a common name ("static site generation"), so a
// run counts from four words on.
// The index holds no positions; a hit's text is read anyway, so only hits are looked at, and no byte more is fetched.
//
// Cost: a tokenization of the passage, and a comparison of each of its words with each of the query's first
// kMaxQueryWords.
#ifndef SHEAF_SEARCH_PHRASE_H_
#define SHEAF_SEARCH_PHRASE_H_

#include <string_view>
#include <vector>

#include "text/analyzer.h"

namespace sheaf {

class Phrase {
 public:
  Phrase(std::string_view query, const Analyzer& analyzer);
  // Words enough to have a run that counts.
  bool counts() const { return content_ >= kLeast; }
  // 0..1: of the query's content words, those of the longest run in `passage`, both beyond the three that do not count.
  // `passage` is Markdown-like. REQUIRES: counts()
  float ShareIn(std::string_view passage) const;

  static constexpr uint32_t kLeast = 4;

 private:
  const Analyzer& analyzer_;
  std::vector<Token> words_;  // a name is one word
  uint32_t content_ = 0;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_PHRASE_H_
