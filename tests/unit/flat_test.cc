#include "vector/flat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/synthetic_vectors.h"

namespace sheaf {
namespace flat_test {

VectorTable TableOfBytes(TestRandom* random, uint32_t rows, uint32_t dimensions, uint32_t bits) {
  std::vector<uint8_t> bytes(rows * RowBytes(dimensions, bits));
  for (uint8_t& b : bytes) b = uint8_t(random->Below(256));
  VectorTable table(dimensions, bits);
  table.Append(bytes);
  return table;
}

TEST(VectorTable, AppendsRowsInBlocksOfAnySize) {
  for (const uint32_t bits : {4u, 8u}) {
    TestRandom random(1);
    std::vector<uint8_t> bytes(100 * RowBytes(32, bits));
    for (uint8_t& b : bytes) b = uint8_t(random.Below(256));
    VectorTable whole(32, bits), pieces(32, bits);
    whole.Append(bytes);
    pieces.Append({});
    for (uint32_t at = 0, take = 1; at < 100; at += take, take = std::min(take + 2, 100 - at))
      pieces.Append(ByteSpan(bytes).subspan(at * RowBytes(32, bits), take * RowBytes(32, bits)));
    ASSERT_EQ(whole.size(), 100u);
    ASSERT_EQ(pieces.size(), 100u);
    for (uint32_t i = 0; i < 100; ++i) {
      EXPECT_TRUE(std::equal(whole.row(i), whole.row(i) + 32, pieces.row(i)));
      EXPECT_EQ(whole.inverse_norm(i), pieces.inverse_norm(i));
    }
  }
}

TEST(VectorTable, DefaultsToNoRows) {
  const VectorTable table;
  EXPECT_EQ(table.size(), 0u);
  std::vector<float> cosines = {1, 2};
  ScanAll(table, VectorQuery(std::vector<float>(16, 1.0f)), &cosines);
  EXPECT_TRUE(cosines.empty());
  EXPECT_TRUE(ScanTop(table, VectorQuery(std::vector<float>(16, 1.0f)), 5).empty());
}

TEST(VectorQuery, GivesCosineOneToItselfAndMinusOneToItsOpposite) {
  TestRandom random(2);
  VectorTable table(64, 8);
  auto vector = RandomUnitVector(&random, 64);
  const VectorQuery query(vector);
  table.Append(QuantizeRow(vector, 8));
  for (float& v : vector) v = -v;
  table.Append(QuantizeRow(vector, 8));
  EXPECT_NEAR(query.Cosine(table, 0), 1, 1e-6);
  EXPECT_NEAR(query.Cosine(table, 1), -1, 1e-6);
  EXPECT_LE(query.Cosine(table, 0), 1.0f);
  EXPECT_GE(query.Cosine(table, 1), -1.0f);
}

TEST(VectorQuery, ApproximatesTheCosineOfTheFloats) {
  LatentVectors latent(3, 256);
  for (int round = 0; round < 50; ++round) {
    const auto a = latent.Next(), b = latent.Next();
    double dot = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      dot += double(a[i]) * double(b[i]);
      aa += double(a[i]) * double(a[i]);
      bb += double(b[i]) * double(b[i]);
    }
    VectorTable table8(256, 8), table4(256, 4);
    table8.Append(QuantizeRow(b, 8));
    table4.Append(QuantizeRow(b, 4));
    EXPECT_NEAR(VectorQuery(a).Cosine(table8, 0), dot / std::sqrt(aa * bb), 0.005);
    EXPECT_NEAR(VectorQuery(a).Cosine(table4, 0), dot / std::sqrt(aa * bb), 0.03);
  }
}

TEST(VectorQuery, OfNothingIsInvalidAndGivesZeros) {
  TestRandom random(4);
  const VectorTable table = TableOfBytes(&random, 600, 16, 8);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> odd(16, 1.0f);
  odd[7] = nan;
  for (const auto& vector : {std::vector<float>(), std::vector<float>(16, 0.0f), odd}) {
    const VectorQuery query(vector);
    EXPECT_FALSE(query.valid());
    EXPECT_EQ(query.Cosine(table, 3), 0.0f);
    std::vector<float> cosines;
    ScanAll(table, query, &cosines);
    EXPECT_EQ(cosines, std::vector<float>(600, 0.0f));
    const auto top = ScanTop(table, query, 3);
    ASSERT_EQ(top.size(), 3u);
    EXPECT_EQ(top[2].id, 2u);
  }
}

TEST(VectorQuery, OfAnotherDimensionGivesZeros) {
  TestRandom random(5);
  const VectorTable table = TableOfBytes(&random, 10, 32, 8);
  for (const size_t dimensions : {1, 16, 31, 33, 48}) {
    const VectorQuery query(std::vector<float>(dimensions, 1.0f));
    EXPECT_EQ(query.Cosine(table, 9), 0.0f);
    std::vector<float> cosines;
    ScanAll(table, query, &cosines);
    EXPECT_EQ(cosines, std::vector<float>(10, 0.0f));
  }
}

TEST(ScanAll, GivesFiniteCosinesForAnyBytes) {
  TestRandom random(6);
  for (const uint32_t bits : {4u, 8u}) {
    VectorTable table = TableOfBytes(&random, 700, 48, bits);
    table.Append(std::vector<uint8_t>(RowBytes(48, bits), 0));
    table.Append(std::vector<uint8_t>(RowBytes(48, bits), 0x80));
    const VectorQuery query(RandomUnitVector(&random, 48));
    std::vector<float> cosines;
    ScanAll(table, query, &cosines);
    for (const float c : cosines) ASSERT_TRUE(c >= -1 && c <= 1) << c;
    if (bits == 8) {
      EXPECT_EQ(cosines[700], 0.0f) << "a row of zeros";
    }
  }
}

TEST(ScanAll, AgreesWithCosineBitForBit) {
  TestRandom random(7);
  const VectorTable table = TableOfBytes(&random, 1237, 256, 8);
  const VectorQuery query(RandomUnitVector(&random, 256));
  std::vector<float> cosines;
  ScanAll(table, query, &cosines);
  ASSERT_EQ(cosines.size(), 1237u);
  for (uint32_t i = 0; i < table.size(); ++i) ASSERT_EQ(cosines[i], query.Cosine(table, i));
}

TEST(ScanTop, EqualsTheHeadOfAFullSort) {
  TestRandom random(8);
  // Few distinct rows, so that ties abound.
  VectorTable table(16, 4);
  for (int i = 0; i < 1500; ++i) {
    std::vector<uint8_t> row(8, 0x88);
    row[random.Below(8)] = uint8_t(random.Below(4));
    table.Append(row);
  }
  const VectorQuery query(RandomUnitVector(&random, 16));
  std::vector<float> cosines;
  ScanAll(table, query, &cosines);
  std::vector<Neighbor> all;
  for (uint32_t i = 0; i < table.size(); ++i) all.push_back({i, cosines[i]});
  std::sort(all.begin(), all.end(), Closer);
  for (const size_t k : {0, 1, 2, 10, 511, 512, 513, 1499, 1500, 1501}) {
    const auto top = ScanTop(table, query, k);
    ASSERT_EQ(top.size(), std::min<size_t>(k, 1500));
    for (size_t i = 0; i < top.size(); ++i) {
      ASSERT_EQ(top[i].id, all[i].id) << "k = " << k << ", place " << i;
      ASSERT_EQ(top[i].cosine, all[i].cosine);
    }
  }
  EXPECT_EQ(ScanTop(table, query, std::numeric_limits<size_t>::max()).size(), 1500u);
}

}  // namespace flat_test
}  // namespace sheaf
