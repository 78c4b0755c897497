// The words of a query: its text, split, each word with room for the terms of the index that stand for it.
//
// Idea: a word has *forms*: terms of the index, each with a weight. Parsing decides which words there are and how much
// each of them counts; word_forms.h, completions.h and corrections.h fill in the rest.
//
// Invariants
//  1. Words differ from each other. They stand in the order of their first tokens; joined words come last.
//  2. At most kMaxQueryWords words and names are read; `ignored` counts the others.
//  3. A query with content words skips its function words, unless it is so short that every word is meant. "What is X"
//     means X alone, however short it is.
//
// Cost: one tokenization of the query, and the square of its words.
#ifndef SHEAF_SEARCH_QUERY_WORDS_H_
#define SHEAF_SEARCH_QUERY_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lexical/lexicon.h"
#include "lexical/postings.h"
#include "search/query.h"
#include "search/search_context.h"
#include "text/analyzer.h"

namespace sheaf {

struct WordForm {
  TermEntry entry;
  MatchKind kind = MatchKind::kExact;
  float weight = 1;
  std::vector<Posting> postings;

  // Null where the passage lacks the form.
  const Posting* PostingIn(uint32_t passage) const;
};

struct QueryWord {
  std::string text;                    // folded
  std::string typed;                   // the mistyped word that this one replaces; empty: the word was typed
  float boost = 1;                     // against other words of the query
  MatchKind kind = MatchKind::kExact;  // kExact, kPart or kJoined
  bool counts = true;                  // for coverage: wholes and joined words are extras
  bool complete = true;                // false: the last word, perhaps unfinished
  uint32_t begin = 0, end = 0;         // bytes of the query
  std::string keys;                    // terms of all its forms (Token::keys)
  bool is_function_word = false;
  std::vector<WordForm> forms;
  size_t roots = 0;  // forms that merely begin alike
  float idf = 0;     // set by ScoreWords

  bool known() const { return forms.size() > roots; }
};

struct QueryWords {
  std::vector<Token> tokens;          // of the query's text
  size_t asking = 0;                  // tokens at its beginning that ask what something is: "what is a"
  bool skips_function_words = false;  // the query has content words enough
  std::vector<QueryWord> words;
  uint32_t ignored = 0;          // words beyond kMaxQueryWords
  std::vector<uint32_t> pinned;  // passages, in the owner's order (owner_rules.h)
  // Of words that the index lacks, terms near them that it has.
  std::vector<Correction> corrections;
};

// Sets `words` to those of the query's text, without forms.
void ParseQuery(const SearchContext& search, QueryWords* words);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_QUERY_WORDS_H_
