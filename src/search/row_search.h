// Search over a database that keeps a bundle's passages as rows: the database matches and counts, all else is decided here, by
// the code that searches bundles.
//
// Idea: a row has its passage's words with their levels and namings, as the bundle has them (Engine::GetTerms). So the
// steps of a search (search_context.h) run over rows as they do over a bundle, through a BundleView that has the
// candidates alone. As with the engine, a call returns an answer or what it lacks: first the groups of terms that the query's
// words belong to, and the words that a mistyped one may be; then the candidates of both signals.
//
// Invariants
//  1. A candidate's scores are those that the bundle gives it, but for the idf of a word with several keys or kin (the most
//     pages of any of them count). So an answer differs where the database's candidates lack a passage.
//  2. What is supplied twice counts once.
//
// Unfinished words are not completed. Threads: none. Cost: that of a search in a bundle of as many passages as there are
// candidates.
#ifndef SHEAF_SEARCH_ROW_SEARCH_H_
#define SHEAF_SEARCH_ROW_SEARCH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "search/query.h"
#include "text/language.h"

namespace sheaf {

// What a database says of a library version.
struct RowLibrary {
  Language language = Language::kEnglish;  // of the analysis
  uint32_t pages = 0;
  std::vector<float> centroid;  // empty: without vectors
};

struct Row {
  uint32_t page = 0, passage = 0;  // numbers in the bundle
  uint32_t first_line = 0, last_line = 0;
  float cosine = 0;
  std::string title, url, source, anchor, text;
  std::vector<std::string> headings;
  std::string words;  // PackWords
};

// A passage's words as a row keeps them: "." where a page begins, then term and number, each with a space before it.
std::string PackWords(const PassageTerms& terms);
// The same as a database matches them: stems between spaces, each as often as the word counts in the passage, and at
// most kMostCopies times.
inline constexpr int kMostCopies = 8;
std::string PackStems(const PassageTerms& terms);
// The versions of a language's tokenizer and stemmer, which rows and queries must share.
uint32_t RowAnalysis(Language language);

struct RowNeeds {
  struct Lengths {
    uint32_t shortest = 0, longest = 0;  // bytes
  };
  struct Word {
    std::string stem;
    float weight = 0;  // what a passage with it gains
  };
  std::vector<std::string> stems;    // groups of terms, with the pages that have them
  std::vector<Lengths> lengths;      // words of these lengths, the commonest kMaxSpellings
  std::vector<std::string> unknown;  // words of which the encoder is asked whether it knows them
  bool candidates = false;           // passages with the words, and, by meaning, those near the text
  std::string text;                  // of the query, corrected
  std::vector<Word> words;           // none: by meaning alone
};

class RowSearch {
 public:
  // REQUIRES for all: the rules of the language are there (text/language.h).
  RowSearch(RowLibrary library, Query query, bool asks_encoder);
  ~RowSearch();

  // Every term of a stem's group, each with its pages; `pages` have any of them. None: the database lacks it.
  using Terms = std::vector<std::pair<std::string, uint32_t>>;
  void SupplyGroup(std::string stem, uint32_t pages, Terms terms);
  void SupplyLengths(RowNeeds::Lengths lengths, Terms terms);
  void SupplyKnown(std::string word, bool is_known);
  // All candidates. `vector`: of the text, or empty; `by_table`: Sheaf's encoder table made it.
  Status SupplyCandidates(std::vector<Row> rows, std::vector<float> vector, bool by_table);

  // Errors: kInvalidArgument, kTooLarge, kCorrupt (a row).
  Result<std::variant<Answer, RowNeeds>> Search();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_ROW_SEARCH_H_
