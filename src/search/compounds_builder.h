// Compounds of languages that write several words as one: "Ebenenmaske" is found by "Ebene" and by "Maske".
//
// Idea: what the parts of a word are is known by the words that the documentation itself uses. A word that can be cut into
// two of them, or one of those again, gets the keys of its parts, in the passages where it stands. So a part finds it
// in every form, and whoever writes the parts as words of their own finds it too.
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

class Compounds {
 public:
  explicit Compounds(const Analyzer& analyzer) : analyzer_(analyzer) {}
  // REQUIRES: terms ascend
  void Add(std::string_view term, const std::vector<Posting>& postings);
  using Take = std::function<void(std::string_view stem, std::string_view term, const std::vector<Posting>& postings)>;
  // Passes on all terms, in order, with what the compounds add to keys.
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

  const Analyzer& analyzer_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, uint32_t> keys_;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_COMPOUNDS_BUILDER_H_
