#include "vector/row_code.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace sheaf {

RowCode::RowCode(std::span<const float> mean) {
  mean_.reserve(mean.size());
  // Unit vectors' mean lies within 1; a damaged one is held there.
  for (const float m : mean)
    mean_.push_back(int32_t(std::lround(double(std::isfinite(m) ? std::clamp(m, -1.0f, 1.0f) : 0.0f) * 65536)));
}

void RowCode::Decode(ByteSpan row, int8_t* codes) const {
  const uint32_t scale = row.empty() ? kZeroRow : row[0];
  if (scale == kZeroRow) {
    std::fill_n(codes, mean_.size(), int8_t(0));
    return;
  }
  const int64_t multiplier = Multiplier(scale);
  uint64_t held = 0;   // bits that were read and not used yet
  uint32_t count = 0;  // how many
  size_t at = 1;
  uint32_t spread = kFirstSpread;
  bool ended = false;
  for (size_t d = 0; d < mean_.size(); ++d) {
    int32_t difference = 0;
    if (!ended) {
      for (; count <= 56 && at < row.size(); count += 8) held |= uint64_t(row[at++]) << count;
      const uint32_t k = Parameter(spread);
      const auto zeros = uint32_t(std::countr_zero(held));
      ended = zeros > kMaxZeros || zeros + 1 + k > count;
      if (!ended) {
        const uint32_t z = zeros << k | (uint32_t(held >> (zeros + 1)) & ((1u << k) - 1));
        held >>= zeros + 1 + k;
        count -= zeros + 1 + k;
        difference = z & 1 ? int32_t(z / 2 + 1) : -int32_t(z / 2);
        spread += uint32_t(std::abs(difference)) - spread / 16;
      }
    }
    codes[d] = int8_t(std::clamp(Predicted(d, multiplier) + kQuarters * difference, -127, 127));
  }
}

}  // namespace sheaf
