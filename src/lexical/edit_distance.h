// Optimal string alignment distance: insertions, deletions, substitutions and transpositions of
// neighbours count one each; no stretch is edited twice.
// Source: Damerau 1964; the recurrence as in Boytsov, "Indexing methods for approximate dictionary
// searching", 2011. Banded: cells further than `limit` from the diagonal are never computed.
#ifndef SHEAF_LEXICAL_EDIT_DISTANCE_H_
#define SHEAF_LEXICAL_EDIT_DISTANCE_H_

#include <cstddef>
#include <string_view>

namespace sheaf {

inline constexpr size_t kMaxEditLength = 64;  // bytes; longer strings are never similar

// The distance between two strings in bytes, or limit + 1 when it exceeds `limit`.
// REQUIRES: limit <= 3. Cost: O(length · limit).
int EditDistance(std::string_view a, std::string_view b, int limit);

// Edits forgiven for a word of `length` bytes: none up to 3, one up to 7, two beyond.
constexpr int AllowedEdits(size_t length) { return length <= 3 ? 0 : length <= 7 ? 1 : 2; }

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_EDIT_DISTANCE_H_
