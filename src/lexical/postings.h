// A posting list: the passages that hold a term, ascending, each with its level (bm25.h), and the term's role in the
// name of what the passage defines.
//
// Layout: blocks of up to 128 postings, one after the other:
//   u8 gap_bits | named << 7           bits 0..32; named 1: names follow
//   u8 level_base | level_bits << 5    base 0..31, bits 0..5
//   then, as one little-endian bit string padded to a byte:
//     n × gap_bits     passage - previous passage - 1   (the first of the list against -1)
//     n × level_bits   level - level_base
//   if named: u8 names - 1, then a bit string, padded likewise: for each, 7 bits of the posting's number in the block,
//   ascending, and 3 of its role, not 0
// The number of postings is known from the lexicon; every block but the last holds 128.
//
// Cost: about 8 bits a posting on documentation, and 10 for one in forty that is a name; decoding runs at some 300
// million a second.
#ifndef SHEAF_LEXICAL_POSTINGS_H_
#define SHEAF_LEXICAL_POSTINGS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf {

inline constexpr uint32_t kPostingBlock = 128;

// The role of a term in the name of what a passage defines: its heading, the title of the page that it begins, or a
// term that it explains. The packer sees names as texts; a search sees these roles alone.
enum class NameRole : uint8_t {
  kNone = 0,
  // The name is this word alone, or has two, three or four words, this among them; or more.
  kOneWord = 1,
  kTwoWords = 2,
  kThreeWords = 3,
  kFourWords = 4,
  kManyWords = 5,
  kLastPart = 6,  // the name is a path that ends in this word: `join` of os.path.join
  kInside = 7,    // the name of one thing among others in the passage: an item of a definition list, a row of a table
};
inline constexpr uint8_t kMaxNameRole = uint8_t(NameRole::kInside);

// The role of each word in a name of so many. REQUIRES: words > 0
constexpr NameRole NameRoleOf(size_t words) { return words < 5 ? NameRole(words) : NameRole::kManyWords; }

struct Posting {
  uint32_t passage = 0;
  uint8_t level = 0;
  NameRole role = NameRole::kNone;
};

// Appends `count` postings to `out`. `passages` bounds the numbers. Error: kCorrupt.
Status DecodePostings(ByteSpan bytes, uint32_t count, uint32_t passages, std::vector<Posting>* out);

// REQUIRES: postings ascend strictly by passage; levels < kLevels, roles <= kMaxNameRole.
void EncodePostings(const std::vector<Posting>& postings, std::vector<uint8_t>* out);

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_POSTINGS_H_
