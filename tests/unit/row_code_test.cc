#include "vector/row_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/unit/synthetic_vectors.h"

namespace sheaf {
namespace row_code_test {

double Cosine(const std::vector<float>& vector, const std::vector<int8_t>& codes) {
  double dot = 0, a = 0, b = 0;
  for (size_t d = 0; d < vector.size(); ++d) {
    dot += double(vector[d]) * codes[d];
    a += double(vector[d]) * vector[d];
    b += double(codes[d]) * codes[d];
  }
  return a > 0 && b > 0 ? dot / std::sqrt(a * b) : 0;
}

std::vector<int8_t> Decoded(const RowCode& code, ByteSpan row) {
  std::vector<int8_t> codes(code.dimensions(), 99);
  code.Decode(row, codes.data());
  return codes;
}

std::vector<int8_t> FourBits(const std::vector<float>& vector) {
  std::vector<int8_t> codes(vector.size());
  UnpackRow(QuantizeRow(vector, 4).data(), uint32_t(vector.size()), 4, codes.data());
  return codes;
}

// Vectors whose components shrink, as those of a principal component analysis do.
std::vector<float> Shrinking(std::mt19937* random, size_t dimensions) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(dimensions);
  for (size_t d = 0; d < dimensions; ++d) vector[d] = normal(*random) / std::sqrt(8 + float(d));
  return vector;
}

TEST(RowCode, RowsAreAsCloseAsFourBitCodesOfHalfAsManyBytesMore) {
  std::mt19937 random(1);
  for (uint32_t dimensions : {256u, 384u}) {
    const RowCode code(std::vector<float>(dimensions, 0));
    const size_t bytes = size_t(dimensions) * 21 / 64;
    EXPECT_LT(double(bytes), 0.67 * double(RowBytes(dimensions, 4)));
    double coded = 0, nibbles = 0, worst = 1;
    for (int i = 0; i < 100; ++i) {
      const std::vector<float> vector = Shrinking(&random, dimensions);
      const double cosine = Cosine(vector, Decoded(code, code.Encode(vector, bytes)));
      coded += cosine / 100;
      nibbles += Cosine(vector, FourBits(vector)) / 100;
      worst = std::min(worst, cosine);
    }
    EXPECT_GT(coded, nibbles - 0.003) << dimensions;
    EXPECT_GT(worst, 0.96) << dimensions;
  }
}

TEST(RowCode, RowsNearTheMeanAreCloserForTheSameBytes) {
  std::mt19937 random(2);
  std::vector<float> mean(256);
  for (float& m : mean) m = std::normal_distribution<float>(0, 0.04f)(random);
  const RowCode with(mean), without(std::vector<float>(256, 0));
  double gained = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<float> vector(256);
    for (size_t d = 0; d < 256; ++d) vector[d] = mean[d] + std::normal_distribution<float>(0, 0.03f)(random);
    gained += Cosine(vector, Decoded(with, with.Encode(vector, 84))) -
              Cosine(vector, Decoded(without, without.Encode(vector, 84)));
  }
  EXPECT_GT(gained, 0);
}

TEST(RowCode, MoreBytesAreCloser) {
  std::mt19937 random(3);
  const RowCode code(std::vector<float>(256, 0));
  const std::vector<float> vector = Shrinking(&random, 256);
  double last = 0;
  for (size_t bytes : {20u, 40u, 60u, 84u, 112u, 160u}) {
    const double cosine = Cosine(vector, Decoded(code, code.Encode(vector, bytes)));
    EXPECT_GT(cosine, last) << bytes;
    last = cosine;
  }
  EXPECT_GT(last, 0.998);  // codes of quarters end at 127
}

TEST(RowCode, ADirectionIsKeptWhateverTheLength) {
  std::mt19937 random(4);
  const RowCode code(std::vector<float>(64, 0.01f));
  std::vector<float> vector = Shrinking(&random, 64);
  const auto row = code.Encode(vector, 30);
  for (float& v : vector) v *= 1024;
  EXPECT_EQ(code.Encode(vector, 30), row);
}

TEST(RowCode, WhatHasNoDirectionIsARowOfZeros) {
  const RowCode code(std::vector<float>(32, 0.1f));
  std::vector<float> vector(32);
  for (float odd : {0.0f, NAN, INFINITY}) {
    vector[3] = odd;
    EXPECT_EQ(Decoded(code, code.Encode(vector, 20)), std::vector<int8_t>(32)) << odd;
  }
}

TEST(RowCode, ASingleComponentSurvivesInFewBytes) {
  for (uint32_t dimensions : {16u, 32u, 256u}) {
    const RowCode code(std::vector<float>(dimensions, 0));
    for (size_t at : {size_t(0), size_t(dimensions - 1)}) {
      std::vector<float> vector(dimensions);
      vector[at] = -3;
      EXPECT_GT(Cosine(vector, Decoded(code, code.Encode(vector, StoredRowBytes(dimensions, 4)))), 0.99)
          << dimensions << ' ' << at;
    }
  }
}

TEST(RowCode, AnyBytesDecodeWithinRange) {
  std::mt19937 random(5);
  std::vector<float> mean(48);
  for (float& m : mean) m = std::uniform_real_distribution<float>(-1, 1)(random);
  mean[5] = NAN;
  mean[6] = 1e30f;
  const RowCode code(mean);
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint8_t> row(random() % 40);
    const uint32_t kind = random() % 3;
    for (uint8_t& byte : row)
      byte = kind == 0 ? uint8_t(random()) : kind == 1 ? uint8_t(1u << (random() % 8)) : uint8_t(0);
    for (const int8_t c : Decoded(code, row)) ASSERT_GE(c, -127);
  }
}

// The layout in the head of row_code.h, bit by bit: a change of the format breaks this.
TEST(RowCode, WritesWhatTheFormatSays) {
  const RowCode code(std::vector<float>{0.5f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  // Scale 32: s = 32 × 2 / 16 = 4; predictions of 4 s times the mean: 8, 0, 0, … k is 1 at first: 10 × 48 / 256 = 1.
  // e = 1: z = 1, u = 0, r = 1: bits 1 1. a = 48 + 1 - 3 = 46, k = 1. e = -1: z = 2, u = 1, r = 0: bits 0 1 0.
  // Then the row ends: zeros.
  const std::vector<uint8_t> row = {32, 0b01011, 0};
  std::vector<int8_t> expected(16);
  expected[0] = 12;
  expected[1] = -4;
  EXPECT_EQ(Decoded(code, row), expected);
  std::vector<float> vector(expected.begin(), expected.end());
  EXPECT_GT(Cosine(vector, Decoded(code, code.Encode(vector, 6))), 0.99);
}

}  // namespace row_code_test
}  // namespace sheaf
