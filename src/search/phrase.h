// How much of a query stands together in a passage: neighbouring words in their order, as in a pasted error message, in
// a common name ("static site generation") or in a clause that says the same.
//
// Idea: of the query's pairs of neighbouring content words, count those that the passage has in this order with at most
// two words in between. This is the ordered window of Metzler and Croft, "A Markov random field model for term
// dependencies", SIGIR 2005, by exact words. Function words are no part of a pair, but have their place in the passage.
// The index holds no positions; a hit's text is read anyway, so only hits are looked at, and no byte more is fetched.
//
// Cost: a tokenization of the passage, and a comparison of each of its words with each of the query's first
// kMaxQueryWords.
#ifndef SHEAF_SEARCH_PHRASE_H_
#define SHEAF_SEARCH_PHRASE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/analyzer.h"

namespace sheaf {

class Phrase {
 public:
  Phrase(std::string_view query, const Analyzer& analyzer);
  // The query has a pair.
  bool counts() const { return words_.size() >= kLeast; }
  // All pairs of so many words together are no common name but the very line that was asked for.
  bool is_line() const { return words_.size() >= kLine; }
  // 0..1: the share of the query's pairs that the passage has. `headings` are above its text, which is Markdown-like; a
  // pair may begin in one and end in the next. REQUIRES: counts()
  float ShareIn(const std::vector<std::string>& headings, std::string_view text) const;

  // Content words of a query with a pair, and of a line; and how far apart the two of a pair may be, 1 being neighbours.
  static constexpr uint32_t kLeast = 2, kLine = 4, kWithin = 3;

 private:
  const Analyzer& analyzer_;
  std::vector<Token> words_;  // without function words; a name is one word
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_PHRASE_H_
