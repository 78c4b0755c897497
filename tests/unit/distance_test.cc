#include "vector/distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/unit/synthetic_vectors.h"

namespace sheaf {
namespace distance_test {

std::vector<int8_t> RandomCodes(TestRandom* random, size_t n) {
  std::vector<int8_t> codes(n);
  for (int8_t& c : codes) c = int8_t(random->Below(256));  // any byte, -128 included
  return codes;
}

std::vector<int16_t> Widened(const std::vector<int8_t>& codes) { return {codes.begin(), codes.end()}; }

std::vector<int8_t> Quantized(const std::vector<float>& vector, uint32_t bits) {
  const auto row = QuantizeRow(vector, bits);
  std::vector<int8_t> codes(vector.size());
  UnpackRow(row.data(), uint32_t(vector.size()), bits, codes.data());
  return codes;
}

double Cosine(const std::vector<float>& a, const std::vector<int8_t>& b) {
  double dot = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    dot += double(a[i]) * b[i];
    aa += double(a[i]) * double(a[i]);
    bb += double(b[i]) * double(b[i]);
  }
  return dot / std::sqrt(aa * bb);
}

TEST(Dot, EqualsScalarForEverySizeAndAnyBytes) {
  TestRandom random(1);
  for (size_t n = 16; n <= 1024; n += 16) {
    for (int round = 0; round < 20; ++round) {
      const auto a = RandomCodes(&random, n), b = RandomCodes(&random, n);
      ASSERT_EQ(Dot(a.data(), b.data(), n), DotScalar(a.data(), b.data(), n)) << "n = " << n;
    }
  }
}

TEST(Dot, EqualsScalarAtUnalignedAddresses) {
  TestRandom random(2);
  const auto a = RandomCodes(&random, 256 + 16), b = RandomCodes(&random, 256 + 16);
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) ASSERT_EQ(Dot(&a[i], &b[j], 256), DotScalar(&a[i], &b[j], 256)) << i << ", " << j;
}

TEST(Dot, DoesNotOverflowAtTheExtremes) {
  for (const int x : {-128, -127, 127}) {
    for (const int y : {-128, -127, 127}) {
      for (const size_t n : {16, 32, 48, 256, 4096}) {
        const std::vector<int8_t> a(n, int8_t(x)), b(n, int8_t(y));
        EXPECT_EQ(Dot(a.data(), b.data(), n), x * y * int(n));
        EXPECT_EQ(DotScalar(a.data(), b.data(), n), x * y * int(n));
        int32_t row = 0;
        DotRows(Widened(a).data(), b.data(), n, 1, &row);
        EXPECT_EQ(row, x * y * int(n));
      }
    }
  }
}

TEST(DotRows, EqualsScalarForEveryNumberOfRows) {
  TestRandom random(3);
  for (const size_t n : {16, 48, 256, 384}) {
    for (size_t count = 0; count <= 13; ++count) {
      const auto query = RandomCodes(&random, n), rows = RandomCodes(&random, n * count);
      std::vector<int32_t> dots(count + 1, 7777);
      DotRows(Widened(query).data(), rows.data(), n, count, dots.data());
      for (size_t i = 0; i < count; ++i)
        ASSERT_EQ(dots[i], DotScalar(query.data(), rows.data() + i * n, n)) << n << ", row " << i;
      EXPECT_EQ(dots[count], 7777) << "wrote beyond the last row";
    }
  }
}

// Mean and least cosine between vectors and their codes. At 4 bits the least belongs to vectors
// with one component far above the rest: cutting it off costs about as much as coarser steps would.
struct Fidelity {
  double mean = 0, least = 1;
};
template <typename Source>
Fidelity MeasureFidelity(uint32_t bits, Source&& next) {
  Fidelity fidelity;
  for (int i = 0; i < 500; ++i) {
    const std::vector<float> vector = next();
    const double cosine = Cosine(vector, Quantized(vector, bits));
    fidelity.mean += cosine / 500;
    fidelity.least = std::min(fidelity.least, cosine);
  }
  return fidelity;
}

TEST(QuantizeRow, KeepsDirectionsOfRandomVectors) {
  TestRandom random(4);
  const auto next = [&] { return RandomUnitVector(&random, 256); };
  EXPECT_GT(MeasureFidelity(8, next).least, 0.9999);
  const Fidelity four = MeasureFidelity(4, next);
  EXPECT_GT(four.mean, 0.994);
  EXPECT_GT(four.least, 0.985);
}

TEST(QuantizeRow, KeepsDirectionsOfUnevenVectors) {
  LatentVectors latent(5, 256);
  const auto next = [&] { return latent.Next(); };
  EXPECT_GT(MeasureFidelity(8, next).least, 0.9999);
  const Fidelity four = MeasureFidelity(4, next);
  EXPECT_GT(four.mean, 0.994);
  EXPECT_GT(four.least, 0.985);
}

TEST(QuantizeRow, UsesTheFullRangeAt8BitsAndNeverMinus128) {
  std::vector<float> vector(16, 0.25f);
  vector[3] = -0.5f;
  const auto codes = Quantized(vector, 8);
  EXPECT_EQ(codes[3], -127);
  EXPECT_EQ(codes[0], 64);  // 63.5 rounds to even
  EXPECT_EQ(*std::min_element(codes.begin(), codes.end()), -127);
}

TEST(QuantizeRow, DependsOnDirectionNotOnLength) {
  TestRandom random(6);
  auto vector = RandomUnitVector(&random, 64);
  const auto row8 = QuantizeRow(vector, 8), row4 = QuantizeRow(vector, 4);
  for (float& v : vector) v *= 0x1p-60f;
  EXPECT_EQ(QuantizeRow(vector, 8), row8);
  EXPECT_EQ(QuantizeRow(vector, 4), row4);
}

TEST(QuantizeRow, CodesAreTheSameOnEveryCompiler) {
  // Pinned: a change here changes the bytes of every bundle.
  std::vector<float> vector(16);
  for (size_t i = 0; i < vector.size(); ++i) vector[i] = float(int(i * 7 % 16) - 8) * 0.375f + 0.125f;
  const std::vector<uint8_t> expected8 = {129, 245, 105, 212, 72, 179, 39, 146, 6, 121, 228, 88, 195, 55, 162, 22};
  const std::vector<uint8_t> expected4 = {112, 94, 60, 26, 248, 214, 180, 146};
  EXPECT_EQ(QuantizeRow(vector, 8), expected8);
  EXPECT_EQ(QuantizeRow(vector, 4), expected4);

  // And one checksum over many, where a fused multiplication or another order of sums would show.
  uint64_t hash = 0;
  uint32_t state = 1;
  for (int row = 0; row < 500; ++row) {
    std::vector<float> uniform(256);
    for (float& v : uniform) {
      state = state * 1664525u + 1013904223u;
      v = float(int32_t(state)) * 0x1p-31f;
    }
    for (const uint32_t bits : {8u, 4u})
      for (const uint8_t byte : QuantizeRow(uniform, bits)) hash = hash * 1099511628211u + byte;
  }
  EXPECT_EQ(hash, 1008394736173256854u);
}

TEST(QuantizeRow, TurnsZeroAndNotFiniteVectorsIntoHarmlessCodes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float odd : {0.0f, nan, infinity, -infinity}) {
    std::vector<float> vector(32, odd == 0 ? 0.0f : 1.0f);
    vector[5] = odd;
    EXPECT_EQ(QuantizeRow(vector, 8), std::vector<uint8_t>(32, 0));
    EXPECT_EQ(QuantizeRow(vector, 4), std::vector<uint8_t>(16, 0x87));
  }
}

TEST(QuantizeRow, CopesWithTheSmallestAndLargestFloats) {
  for (const float scale : {std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()}) {
    std::vector<float> vector(16, 0);
    vector[0] = scale;
    vector[1] = -scale;
    const auto codes8 = Quantized(vector, 8), codes4 = Quantized(vector, 4);
    EXPECT_EQ(codes8[0], 127);
    EXPECT_EQ(codes8[1], -127);
    EXPECT_EQ(codes8[2], 0);
    EXPECT_EQ(codes4[0], 15);
    EXPECT_EQ(codes4[1], -15);
  }
}

TEST(QuantizeRow, AcceptsAnEmptyVector) {
  EXPECT_TRUE(QuantizeRow({}, 8).empty());
  EXPECT_TRUE(QuantizeRow({}, 4).empty());
}

TEST(UnpackRow, ReadsEvenDimensionsFromLowNibbles) {
  const uint8_t row[8] = {0xf0, 0x0f, 0x87, 0x78, 0x21, 0x00, 0xff, 0x9a};
  int8_t codes[16];
  UnpackRow(row, 16, 4, codes);
  const int8_t expected[16] = {-15, 15, 15, -15, -1, 1, 1, -1, -13, -11, -15, -15, 15, 15, 5, 3};
  EXPECT_TRUE(std::equal(codes, codes + 16, expected));
}

TEST(UnpackRow, KeepsEightBitCodesAsTheyAre) {
  uint8_t row[256];
  std::iota(row, row + 256, uint8_t(0));
  int8_t codes[256];
  UnpackRow(row, 256, 8, codes);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(codes[i], int8_t(uint8_t(i)));
}

TEST(RowBytes, CountsBothWidths) {
  EXPECT_EQ(RowBytes(256, 8), 256u);
  EXPECT_EQ(RowBytes(256, 4), 128u);
  EXPECT_EQ(RowBytes(kMaxDimensions, 8), 4096u);
}

TEST(InverseNorm, IsZeroForZeroCodesAndExactForOthers) {
  const std::vector<int8_t> zero(16, 0), fours(16, 4), least(kMaxDimensions, -128);
  EXPECT_EQ(InverseNorm(zero.data(), 16), 0.0f);
  EXPECT_EQ(InverseNorm(fours.data(), 16), 1.0f / 16);
  EXPECT_EQ(InverseNorm(least.data(), kMaxDimensions), 1.0f / (128 * 64));
}

}  // namespace distance_test
}  // namespace sheaf
