// Rows of passages' vectors in few bytes, all of one length, so that arithmetic says where each lies.
//
// Idea: a row is a direction, so its codes may have any scale. A fine scale gives differences that need many bits, a
// coarse one few. Each row uses the finest scale of a list at which it fits its bytes. It stores its difference from
// the mean of the rows around it at that scale, as Golomb-Rice numbers. Their parameter adapts to the preceding
// differences (Rice, "Some practical universal noiseless coding techniques", 1979; as in lossless audio coding). That
// works because dimensions come from a principal component analysis, so that their spread falls slowly along the row.
// The mean itself counts in quarters: rounded to whole steps, it would cost as much accuracy as the differences do.
//
// Layout: u8 scale, then bits, least significant first in each byte. Scale j stands for s = (32 + j % 32) 2^(j / 32) /
// 16; 255 is a row of zeros. For each dimension, with a = 48 at first:
//   p = floor(m (32 + j % 32) 2^(j / 32) / 2^18 + 1/2), where m = round(2^16 × the mean's component): 4 s times the mean
//   k = the number of bits of floor(10 a / 256), at most 7
//   u zero bits, a one bit, k bits of r: z = u 2^k + r stands for e = 0, 1, -1, 2, -2, … (z = 0, 1, 2, 3, 4, …)
//   the code is p + 4 e, held within -127..127; a grows by |e| - floor(a / 16)
// A number of 48 zero bits or more, or one that does not end within the row, means that it and all further e are 0.
//
// Invariants: any bytes decode to codes of -127..127; integers alone, so that all machines agree.
// Cost: 68 bytes for 256 dimensions, coded against the mean of a partition; 1.4 µs to decode.
// Twin: row_code_builder.cc.
#ifndef SHEAF_VECTOR_ROW_CODE_H_
#define SHEAF_VECTOR_ROW_CODE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace sheaf {

// Bytes of a passage's row: 8 bits a dimension as they are, or coded ("4 bits", which search about as well).
constexpr size_t StoredRowBytes(uint32_t dimensions, uint32_t bits) {
  return bits == 8 ? dimensions : std::max<size_t>(6, (size_t(dimensions) * 17 + 63) / 64);
}
// Bytes of a partition's mean, which all its rows are coded against: two thirds more.
constexpr size_t StoredCentroidBytes(uint32_t dimensions) { return (size_t(dimensions) * 28 + 63) / 64; }

class RowCode {
 public:
  RowCode() = default;
  // `mean`: of unit vectors; its size is that of the rows.
  explicit RowCode(std::span<const float> mean);

  uint32_t dimensions() const { return uint32_t(mean_.size()); }
  // REQUIRES: codes holds as many as there are dimensions. Cost: one pass.
  void Decode(ByteSpan row, int8_t* codes) const;

  // ---- building, native only (row_code_builder.cc) ----
  // The row of `bytes` bytes closest to a vector of any length. REQUIRES: bytes > 0.
  std::vector<uint8_t> Encode(std::span<const float> vector, size_t bytes) const;

 private:
  static constexpr uint32_t kFirstSpread = 48, kMaxZeros = 47, kZeroRow = 255;
  static constexpr int32_t kQuarters = 4;
  static uint32_t Parameter(uint32_t spread) {
    const auto bits = uint32_t(std::bit_width(10 * spread / 256));
    return bits < 7 ? bits : 7;
  }
  static int64_t Multiplier(uint32_t scale) { return int64_t(32 + scale % 32) << (scale / 32); }
  int32_t Predicted(size_t dimension, int64_t multiplier) const {
    return int32_t((mean_[dimension] * multiplier + (1 << 17)) >> 18);
  }
  struct Fitted;
  bool Fit(std::span<const double> unit, uint32_t scale, size_t bits, Fitted* out) const;

  std::vector<int32_t> mean_;  // in parts of 2^16
};

}  // namespace sheaf

#endif  // SHEAF_VECTOR_ROW_CODE_H_
