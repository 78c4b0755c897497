#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "vector/row_code.h"

namespace sheaf {
namespace {

uint32_t ZigZag(int32_t e) { return e > 0 ? uint32_t(2 * e - 1) : uint32_t(-2 * e); }

}  // namespace

// The differences at one scale, up to the last that is not 0, and the bits they take.
struct RowCode::Fitted {
  std::vector<int32_t> differences;
  size_t bits = 0;
};

bool RowCode::Fit(std::span<const double> unit, uint32_t scale, size_t most_bits, Fitted* out) const {
  const int64_t multiplier = Multiplier(scale);
  const double s = double(multiplier) / 16;
  out->differences.clear();
  out->bits = 0;
  size_t last = 0, bits = 0;
  uint32_t spread = kFirstSpread;
  for (size_t d = 0; d < unit.size(); ++d) {
    const int32_t predicted = Predicted(d, multiplier);
    // Rounding towards the mean would allow a finer scale but pull all rows together: cosines to the vectors
    // improve, search results do not.
    const auto e = int32_t(std::lround(unit[d] * s - predicted));
    if (std::abs(predicted + e) > 127) return false;
    const uint32_t k = Parameter(spread), zeros = ZigZag(e) >> k;
    if (zeros > kMaxZeros) return false;
    bits += zeros + 1 + k;
    spread += uint32_t(std::abs(e)) - spread / 16;
    out->differences.push_back(e);
    if (e != 0) {
      last = out->differences.size();
      out->bits = bits;
      if (bits > most_bits) return false;
    }
  }
  out->differences.resize(last);
  return true;
}

std::vector<uint8_t> RowCode::Encode(std::span<const float> vector, size_t bytes) const {
  std::vector<uint8_t> row(bytes);
  row[0] = kZeroRow;
  double square = 0;
  for (const float v : vector) square += double(v) * double(v);
  if (!(square > 0) || !std::isfinite(square)) return row;
  std::vector<double> unit;
  const double inverse = 1 / std::sqrt(square);
  for (const float v : vector) unit.push_back(double(v) * inverse);

  const size_t most_bits = (bytes - 1) * 8;
  Fitted fitted;
  uint32_t low = 0, high = kZeroRow;  // low fits, or nothing does
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (Fit(unit, middle, most_bits, &fitted) ? low : high) = middle;
  }
  if (!Fit(unit, low, most_bits, &fitted)) fitted.differences.clear();
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
