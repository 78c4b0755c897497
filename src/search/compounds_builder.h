// Words that are written as one with others: "Ebenenmaske" is found by "Ebene" and by "Maske", הקובץ by קובץ.
//
// Idea: the words that the documentation uses tell which parts a word has.
//   - In languages that make compounds, a word that can be cut into two known ones, or one of those again, gives the keys
//     of its parts its postings. So a part finds it in every form, and a reader who writes the parts apart finds it too.
//   - Hebrew writes "and", "the", "in", "as", "to", "from" and "that" as one letter before a word. A word that is
//     another one after such a letter gives that one its postings.
//
// Cost: holds all postings of the bundle in memory; some twenty look-ups a word.
#ifndef SHEAF_SEARCH_COMPOUNDS_BUILDER_H_
#define SHEAF_SEARCH_COMPOUNDS_BUILDER_H_

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lexical/postings.h"
#include "text/analyzer.h"

namespace sheaf {

bool JoinsWords(Language language);
bool IsHebrew(std::string_view term);

class Compounds {
 public:
  explicit Compounds(const Analyzer& analyzer) : analyzer_(analyzer) {}
  // REQUIRES: terms ascend
  void Add(std::string_view term, const std::vector<Posting>& postings);
  using Take = std::function<void(std::string_view stem, std::string_view term, const std::vector<Posting>& postings)>;
  // Passes on all terms, in order, with the postings that compounds add to keys.
  void Finish(const Take& take);

 private:
  struct Entry {
    std::string term;
    std::vector<Posting> postings;
    std::vector<uint32_t> compounds;  // entries whose part it is
  };
  // The entry of a word's key; UINT32_MAX: the documentation hardly has it.
  uint32_t PartOf(std::string_view word) const;
  void Cut(uint32_t compound, std::string_view word, int depth);
  void TakeOffPrefix(uint32_t word);

  const Analyzer& analyzer_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, uint32_t> keys_;  // also all words in Hebrew
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_COMPOUNDS_BUILDER_H_
