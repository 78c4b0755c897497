// Counts how often each term stands in each field of one passage. Native only.
//
// Idea: passages have some hundred tokens, half of them distinct. One flat hash table, kept from passage to passage,
// counts them without an allocation a term.
//
// Invariant: terms come in the order in which they were first added. Cost: a hash and a comparison a token.
#ifndef SHEAF_SEARCH_TERM_TALLY_BUILDER_H_
#define SHEAF_SEARCH_TERM_TALLY_BUILDER_H_

#include <string_view>
#include <vector>

#include "lexical/bm25.h"
#include "lexical/postings_accumulator_builder.h"

namespace sheaf {

class TermTally {
 public:
  // Forgets the passage before. `tokens` is how many terms will be added, at most.
  void Begin(size_t tokens);
  void Add(std::string_view term, Field field);
  // Gives a term its role in the passage's names; of several, the one that says most stays. Passes over a term that was
  // not added.
  void SetRole(std::string_view term, NameRole role);
  // Gives `to` the role of the term `from`, if it has one.
  void CopyRole(std::string_view from, std::string_view to);
  // The terms of the passage, each once; counts end at 65,535.
  std::vector<TermCounts> Take();

 private:
  // The slot of the term, or the free one where it would go.
  size_t SlotOf(std::string_view term) const;

  std::vector<TermCounts> terms_;
  std::vector<uint32_t> slots_;  // number of a term from 1; 0: free
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_TERM_TALLY_BUILDER_H_
