#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "vector/row_code.h"

namespace sheaf {
namespace {

uint32_t ZigZag(int32_t e) { return e > 0 ? uint32_t(2 * e - 1) : uint32_t(-2 * e); }

}  // namespace

// The differences at one scale, up to the last that is not 0.
struct RowCode::Fitted {
  std::vector<int32_t> differences;
};

bool RowCode::Fit(std::span<const double> unit, uint32_t scale, size_t most_bits, Fitted* out) const {
  // At most 2^16 times 2^13: 32 bits hold it, and processors multiply more such numbers at once.
  const auto multiplier = int32_t(Multiplier(scale));
  const double s = double(multiplier) / 16;
  std::vector<int32_t>& differences = out->differences;
  differences.resize(unit.size());
  size_t last = 0, bits = 0;
  uint32_t spread = kFirstSpread;
  // In turns, since a scale that does not fit mostly shows soon. Of a turn, processors compute several at once.
  constexpr size_t kTurn = 32;
  for (size_t begin = 0; begin < unit.size(); begin += kTurn) {
    const size_t end = std::min(begin + kTurn, unit.size());
    int32_t largest = 0;
    for (size_t d = begin; d < end; ++d) {
      const int32_t predicted = (mean_[d] * multiplier + (1 << 17)) >> 18;
      // Rounding towards the mean would allow a finer scale but pull all rows together: cosines to the vectors
      // improve, search results do not.
      const double difference = unit[d] * s - double(predicted) / kQuarters;
      const auto e = int32_t(difference + std::copysign(0.5, difference));
      largest = std::max(largest, std::abs(predicted + kQuarters * e));
      differences[d] = e;
    }
    if (largest > 127) return false;
    for (size_t d = begin; d < end; ++d) {
      const int32_t e = differences[d];
      const uint32_t k = Parameter(spread), zeros = ZigZag(e) >> k;
      if (zeros > kMaxZeros) return false;
      bits += zeros + 1 + k;
      spread += uint32_t(std::abs(e)) - spread / 16;
      if (e != 0) {
        last = d + 1;
        if (bits > most_bits) return false;
      }
    }
  }
  differences.resize(last);
  return true;
}

std::vector<uint8_t> RowCode::Encode(std::span<const float> vector, size_t bytes) const {
  std::vector<uint8_t> row(bytes);
  row[0] = kZeroRow;
  double square = 0;
  for (const float v : vector) square += double(v) * double(v);
  if (!(square > 0) || !std::isfinite(square)) return row;
  std::vector<double> unit(vector.size());
  const double inverse = 1 / std::sqrt(square);
  for (size_t d = 0; d < vector.size(); ++d) unit[d] = double(vector[d]) * inverse;

  const size_t most_bits = (bytes - 1) * 8;
  Fitted fitted, tried;
  uint32_t low = 0, high = kZeroRow;  // low fits, or no scale does
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (Fit(unit, middle, most_bits, &tried)) {
      low = middle;
      std::swap(fitted, tried);
    } else {
      high = middle;
    }
  }
  if (low == 0 && !Fit(unit, low, most_bits, &fitted)) fitted.differences.clear();
  row[0] = uint8_t(low);

  size_t at = 8;
  const auto put = [&](uint32_t value, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, ++at) row[at / 8] |= uint8_t((value >> i & 1) << (at % 8));
  };
  uint32_t spread = kFirstSpread;
  for (const int32_t e : fitted.differences) {
    const uint32_t k = Parameter(spread), z = ZigZag(e);
    at += z >> k;
    put(1, 1);
    put(z & ((1u << k) - 1), k);
    spread += uint32_t(std::abs(e)) - spread / 16;
  }
  return row;
}

}  // namespace sheaf
