// A posting list: the passages that hold a term, ascending, each with its level (bm25.h).
//
// Layout: blocks of up to 128 postings, one after the other:
//   u8 gap_bits                     0..32
//   u8 level_base | level_bits << 5    base 0..31, bits 0..5
//   then, as one little-endian bit string padded to a byte:
//     n × gap_bits     passage - previous passage - 1   (the first of the list against -1)
//     n × level_bits   level - level_base
// The number of postings is known from the lexicon; every block but the last holds 128.
//
// Cost: about 8 bits a posting on documentation; decoding runs at some 300 million a second.
#ifndef SHEAF_LEXICAL_POSTINGS_H_
#define SHEAF_LEXICAL_POSTINGS_H_

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf {

inline constexpr uint32_t kPostingBlock = 128;

struct Posting {
  uint32_t passage = 0;
  uint8_t level = 0;
};

// Appends `count` postings to `out`. `passages` bounds the numbers. Error: kCorrupt.
Status DecodePostings(ByteSpan bytes, uint32_t count, uint32_t passages, std::vector<Posting>* out);

// REQUIRES: postings ascend strictly by passage; levels < kLevels.
void EncodePostings(const std::vector<Posting>& postings, std::vector<uint8_t>* out);

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_POSTINGS_H_
