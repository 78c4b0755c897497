// Other wordings: how people say a thing, and how documentation does ("undo": revert, reset, rollback).
//
// Idea: an encoder table brings a list of technical English with it, so that each reader who can search by meaning has
// it, and no bundle grows. A query asks it once its own words have found little (search/other_wordings.h).
//
// Layout of the section `wordings`: v words · the words, front-coded and ascending · for each of them v count · that many
// v, the numbers of other words, ascending: the first as it is, each further one as its distance from the one before. A
// word is folded; one with a space in it stands for two neighbouring words ("log in").
//
// Invariant: a word leads to words of one part alone, and not to itself.
// Cost: the section is read whole, once, some 10 kB of a file; a stem for each of its words.
#ifndef SHEAF_ENCODE_WORDINGS_H_
#define SHEAF_ENCODE_WORDINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "text/analyzer.h"

namespace sheaf {

class Container;

class Wordings {
 public:
  // Nothing leads anywhere.
  Wordings() = default;
  // Of the section's bytes. Error: kCorrupt.
  static Result<Wordings> Read(ByteSpan section, const Analyzer& english);

  // The stems of the words that words with these stems lead to, by their numbers; one may come twice. `stems`: a stem, or
  // two with a space between.
  std::vector<std::string_view> Of(std::string_view stems) const;

 private:
  std::vector<std::string> stems_;  // of the words, by number
  std::vector<uint32_t> others_;    // that words lead to, word after word
  std::vector<size_t> ends_;        // of each word's
};

// ---- building, native only (wordings_builder.cc) --------------------------------------
// The section's bytes of a text. Words of a line "= a b" lead to each other; "a b: x y" leads from a and from b to x and y;
// "#" begins a comment. `log_in` stands for two words, to which none leads. Error: kInvalidArgument, by its line.
Result<std::vector<uint8_t>> WordingsSection(std::string_view text);

// The encoder table with that section instead of its own. `table` is whole in memory.
Result<std::vector<uint8_t>> WithWordings(Container* table, ByteSpan wordings);

}  // namespace sheaf

#endif  // SHEAF_ENCODE_WORDINGS_H_
