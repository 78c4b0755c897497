#include "vector/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "tests/unit/synthetic_vectors.h"

namespace sheaf {
namespace partition_test {

constexpr PartitionIndex::Limits kNoLimits{UINT64_MAX / 2, UINT32_MAX};
constexpr uint64_t kChecksum = 4;

// Partitions of a table, in memory as in a file; notes what is read.
struct Built {
  Built(const VectorTable& table, uint32_t row_bits)
      : passages(table.size()), bits(row_bits), code(std::vector<float>(table.dimensions())) {
    built = BuildPartitions(table, code, bits, [this](ByteSpan piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      bytes.resize(bytes.size() + kChecksum);
    });
  }
  Result<PartitionIndex> Open(ByteSpan index) const {
    return PartitionIndex::Open(index, passages, code, bits, bytes.size());
  }
  Result<PartitionIndex> Open() const { return Open(built.index); }
  PartitionIndex::Read Read() {
    return [this](uint64_t offset, uint64_t length) -> Result<ByteSpan> {
      if (offset > bytes.size() || length > bytes.size() - offset) return Error{ErrorCode::kCorrupt, "outside"};
      const bool fresh = read.emplace(offset, length).second;
      if (fresh && !whole) return Error{ErrorCode::kNeedsBytes, {}};
      return ByteSpan(bytes).subspan(size_t(offset), size_t(length - kChecksum));
    };
  }
  uint64_t read_bytes() const {
    uint64_t sum = 0;
    for (const auto& [offset, length] : read) sum += length;
    return sum;
  }
  // Pieces read that do not follow one another.
  uint32_t runs() const {
    uint32_t count = 0;
    uint64_t end = UINT64_MAX;
    for (const auto& [offset, length] : read) {
      count += offset != end;
      end = offset + length;
    }
    return count;
  }

  uint32_t passages, bits;
  RowCode code;
  std::vector<uint8_t> bytes;
  BuiltPartitions built;
  std::map<uint64_t, uint64_t> read;
  bool whole = true;
};

std::vector<float> Unit(std::vector<float> vector) {
  double square = 0;
  for (float v : vector) square += double(v) * v;
  for (float& v : vector) v = float(v / std::sqrt(square));
  return vector;
}

// Cosines of the members of the partitions that a query chooses.
Status Cosines(const PartitionIndex& index, Built* built, const std::vector<float>& query,
               std::span<const uint32_t> likely, const PartitionIndex::Limits& limits, std::vector<Neighbor>* near) {
  const VectorQuery exact(query);
  VectorTable row(uint32_t(query.size()), 8);
  row.Resize(1);
  return index.ReadMembers(index.Choose(query, likely, limits).partitions, built->Read(),
                           [&](uint32_t passage, std::span<const int8_t> codes) {
                             row.SetCodes(0, codes);
                             near->push_back({passage, exact.Cosine(row, 0)});
                           });
}

TEST(Partitions, HoldEveryPassageJustOnceAndItsRowAsTheBuilderSaysReadersHaveIt) {
  LatentVectors source(1, 256);
  for (uint32_t bits : {4u, 8u}) {
    for (uint32_t rows : {1u, 2u, 17u, 511u, 600u, 2000u}) {
      Built built(source.Table(rows, 8), bits);
      auto index = built.Open();
      ASSERT_TRUE(index.ok()) << rows << ": " << index.error().message;
      EXPECT_EQ(index->size(), built.built.partitions);
      EXPECT_EQ(index->size() == 1, rows < kPartitionFrom);
      auto table = index->ReadAll(built.Read());
      ASSERT_TRUE(table.ok());
      EXPECT_EQ(built.read_bytes(), built.bytes.size());
      ASSERT_EQ(table->size(), rows);
      for (uint32_t i = 0; i < rows; ++i) {
        ASSERT_TRUE(std::equal(table->row(i), table->row(i) + 256, built.built.rows.row(i))) << i;
        ASSERT_EQ(table->inverse_norm(i), built.built.rows.inverse_norm(i)) << i;
      }
    }
  }
}

TEST(Partitions, RowsOfEightBitsAreThoseGivenAndCodedOnesAreNearThem) {
  LatentVectors source(2, 256);
  const VectorTable table = source.Table(1500, 8);
  Built exact(table, 8), coded(table, 4);
  double sum = 0;
  for (uint32_t i = 0; i < table.size(); ++i) {
    ASSERT_TRUE(std::equal(table.row(i), table.row(i) + 256, exact.built.rows.row(i)));
    double dot = 0;
    for (int d = 0; d < 256; ++d) dot += double(table.row(i)[d]) * coded.built.rows.row(i)[d];
    sum += dot * double(table.inverse_norm(i)) * double(coded.built.rows.inverse_norm(i));
  }
  EXPECT_GT(sum / table.size(), 0.97) << "mean cosine of a row with its code";
}

TEST(Partitions, AreAboutTwoAndAHalfTimesTheRootOfTheRows) {
  LatentVectors source(2, 256);
  Built built(source.Table(2500, 8), 4);
  EXPECT_GT(built.built.partitions, 60u);
  EXPECT_LE(built.built.partitions, 130u);
}

TEST(Partitions, AFewNearOnesHoldMostOfTheNearestRows) {
  LatentVectors source(3, 256);
  Built built(source.Table(6000, 8), 4);
  auto index = built.Open();
  ASSERT_TRUE(index.ok());
  size_t found = 0, wanted = 0;
  for (int round = 0; round < 40; ++round) {
    const std::vector<float> query = Unit(source.Next());
    built.read.clear();
    std::vector<Neighbor> near;
    ASSERT_TRUE(Cosines(*index, &built, query, {}, {40 << 10, 6}, &near).ok());
    EXPECT_LE(built.read_bytes(), 40u << 10);
    EXPECT_LE(built.runs(), 6u);
    std::set<uint32_t> have;
    for (const Neighbor& n : near) have.insert(n.id);
    for (const Neighbor& n : ScanTop(built.built.rows, VectorQuery(query), 10)) {
      ++wanted;
      found += have.contains(n.id);
    }
  }
  EXPECT_GE(double(found) / double(wanted), 0.9);
}

TEST(Partitions, WorkInFewDimensionsAndForRowsOfZeros) {
  LatentVectors source(5, 16);
  VectorTable table = source.Table(700, 8);
  table.Append(std::vector<uint8_t>(16 * 30));
  VectorTable zeros(16, 8);
  zeros.Append(std::vector<uint8_t>(16 * 600));
  for (uint32_t bits : {4u, 8u}) {
    for (const VectorTable* rows : {&table, &zeros}) {
      Built built(*rows, bits);
      auto index = built.Open();
      ASSERT_TRUE(index.ok()) << index.error().message;
      EXPECT_TRUE(index->ReadAll(built.Read()).ok());
      std::vector<Neighbor> near;
      ASSERT_TRUE(Cosines(*index, &built, Unit(source.Next()), {}, kNoLimits, &near).ok());
      EXPECT_EQ(near.size(), rows->size());
      for (const Neighbor& n : near) EXPECT_TRUE(std::isfinite(n.cosine));
    }
  }
}

TEST(Partitions, AreChosenWithinTheLimitsAndTwoInAnyCase) {
  LatentVectors source(6, 256);
  Built built(source.Table(2000, 8), 4);
  auto index = built.Open();
  const std::vector<float> query = Unit(source.Next());
  EXPECT_EQ(index->Choose(query, {}, {0, 0}).partitions.size(), 2u);
  size_t before = 2;
  for (uint64_t budget : {uint64_t(16) << 10, uint64_t(40) << 10, uint64_t(80) << 10}) {
    const auto chosen = index->Choose(query, {}, {budget, UINT32_MAX}).partitions;
    EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
    EXPECT_GT(chosen.size(), before) << budget;
    before = chosen.size();
  }
  EXPECT_EQ(index->Choose(query, {}, kNoLimits).partitions.size(), index->size());
  EXPECT_EQ(index->Choose(query, {}, kNoLimits).cosines.size(), index->size());
}

TEST(Partitions, OfLikelyPassagesAreChosenForUpToHalfOfTheLimits) {
  LatentVectors source(7, 256);
  Built built(source.Table(3000, 8), 4);
  auto index = built.Open();
  const std::vector<float> query = Unit(source.Next());
  const PartitionIndex::Limits limits{40 << 10, 8};
  const auto alone = index->Choose(query, {}, limits).partitions;
  uint32_t far = 0;  // a passage whose partition the query does not choose by itself
  while (std::binary_search(alone.begin(), alone.end(), index->PartitionOf(far))) ++far;
  const std::vector<uint32_t> likely = {far};
  const auto with = index->Choose(query, likely, limits).partitions;
  EXPECT_TRUE(std::binary_search(with.begin(), with.end(), index->PartitionOf(far)));
  std::vector<uint32_t> all(3000);
  for (uint32_t i = 0; i < 3000; ++i) all[i] = i;
  const auto crowded = index->Choose(query, all, limits).partitions;
  const auto nearest = index->Choose(query, {}, {0, 0}).partitions;
  EXPECT_TRUE(std::includes(crowded.begin(), crowded.end(), nearest.begin(), nearest.end()))
      << "the nearest have their half, however many are likely";
}

TEST(Partitions, AskForAllTheyLackAtOnce) {
  LatentVectors source(7, 256);
  Built built(source.Table(2000, 8), 4);
  auto index = built.Open();
  const std::vector<float> query = Unit(source.Next());
  std::vector<Neighbor> whole, fed;
  ASSERT_TRUE(Cosines(*index, &built, query, {}, {30 << 10, 6}, &whole).ok());
  const auto asked = built.read;
  built.read.clear();
  built.whole = false;
  ASSERT_EQ(Cosines(*index, &built, query, {}, {30 << 10, 6}, &fed).code(), ErrorCode::kNeedsBytes);
  EXPECT_EQ(built.read, asked);
  fed.clear();
  ASSERT_TRUE(Cosines(*index, &built, query, {}, {30 << 10, 6}, &fed).ok());
  ASSERT_EQ(fed.size(), whole.size());
  for (size_t i = 0; i < fed.size(); ++i) EXPECT_TRUE(fed[i].id == whole[i].id && fed[i].cosine == whole[i].cosine);
}

// Members of a loose partition may lie much nearer than its centroid; many copies of one text make a tight one.
TEST(Partitions, ALooseOneComesBeforeATightOneThatIsHardlyNearer) {
  ByteWriter index;
  for (uint64_t v : {3u, 16u}) index.Varint(v);
  index.F32(0.005f);
  index.Bytes(std::vector<uint8_t>{255, 245, 230});  // 0.5, 0.48 and 0.45 near the query
  index.Bytes(std::vector<uint8_t>{0, 0, 102});      // the last is loose
  for (int i = 0; i < 3; ++i) {
    std::vector<uint8_t> codes(16);
    codes[0] = 100;
    index.Bytes(codes);
  }
  index.Bytes(std::vector<uint8_t>{0, 1, 2, 0, 0, 0});  // passage by passage
  auto opened = PartitionIndex::Open(index.bytes(), 3, RowCode(std::vector<float>(16)), 8, 3 * (16 + kChecksum));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  std::vector<float> query(16);
  query[0] = 1;
  EXPECT_EQ(opened->Choose(query, {}, {0, 0}).partitions, (std::vector<uint32_t>{0, 2})) << "the two most promising";
}

TEST(Partitions, AreTheSameForTheSameRows) {
  LatentVectors source(8, 64);
  const VectorTable table = source.Table(800, 8);
  Built a(table, 4), b(table, 4);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.built.index, b.built.index);
}

TEST(Partitions, AnIndexThatEndsEarlyOrFitsNothingIsRefused) {
  LatentVectors source(9, 64);
  Built built(source.Table(600, 8), 4);
  const std::vector<uint8_t>& index = built.built.index;
  for (size_t size = 0; size < index.size(); ++size) {
    ASSERT_EQ(built.Open(ByteSpan(index).first(size)).code(), ErrorCode::kCorrupt) << size;
  }
  const auto open = [&](uint32_t passages, uint32_t dimensions, uint32_t bits, uint64_t bytes) {
    return PartitionIndex::Open(index, passages, RowCode(std::vector<float>(dimensions)), bits, bytes).code();
  };
  EXPECT_EQ(open(600, 64, 4, built.bytes.size()), ErrorCode::kOk);
  EXPECT_EQ(open(599, 64, 4, built.bytes.size()), ErrorCode::kCorrupt);
  EXPECT_EQ(open(601, 64, 4, built.bytes.size()), ErrorCode::kCorrupt);
  EXPECT_EQ(open(600, 48, 4, built.bytes.size()), ErrorCode::kCorrupt);
  EXPECT_EQ(open(600, 64, 8, built.bytes.size()), ErrorCode::kCorrupt);
  EXPECT_EQ(open(600, 64, 4, built.bytes.size() + 1), ErrorCode::kCorrupt);
}

// The float behind the two counts.
std::vector<uint8_t> WithFactor(std::vector<uint8_t> index, float factor) {
  ByteReader r(index);
  for (int i = 0; i < 2; ++i) (void)r.Varint();
  ByteWriter w;
  w.F32(factor);
  std::copy(w.bytes().begin(), w.bytes().end(), index.begin() + ptrdiff_t(r.position()));
  return index;
}

TEST(Partitions, ImpossibleFactorsAreRefusedSoThatEveryCosineIsANumber) {
  LatentVectors source(10, 64);
  Built built(source.Table(600, 8), 4);
  EXPECT_TRUE(built.Open(WithFactor(built.built.index, 0.2f)).ok());
  for (float bad : {INFINITY, -INFINITY, NAN, 3e38f, -0.1f, 1e9f}) {
    EXPECT_EQ(built.Open(WithFactor(built.built.index, bad)).code(), ErrorCode::kCorrupt) << bad;
  }
}

TEST(Partitions, DamageIsRefusedOrGivesCosinesOfPassagesThatExist) {
  LatentVectors source(11, 64);
  Built sound(source.Table(600, 8), 4);
  const std::vector<float> query = Unit(source.Next());
  std::mt19937 random(12);
  size_t refused = 0, damaged_means = 0;
  for (int round = 0; round < 1500; ++round) {
    Built damaged = sound;
    std::vector<uint8_t> index = sound.built.index;
    for (int k = 0; k < 4; ++k) {
      if (round % 3)
        damaged.bytes[random() % (round % 2 ? damaged.bytes.size() : 4)] = uint8_t(random());
      else
        index[random() % index.size()] = uint8_t(random());
    }
    auto opened = damaged.Open(index);
    std::vector<Neighbor> near;
    const Status status =
        opened.ok() ? Cosines(*opened, &damaged, query, {}, kNoLimits, &near) : Status(opened.error());
    refused += !status.ok();
    if (!status.ok()) {
      ASSERT_EQ(status.code(), ErrorCode::kCorrupt);
      continue;
    }
    damaged_means += round % 3 != 0 && round % 2 == 0;
    for (const Neighbor& n : near) ASSERT_TRUE(n.id < 600 && n.cosine >= -1 && n.cosine <= 1);
    (void)opened->ReadAll(damaged.Read());
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(damaged_means, 100u) << "a factor that is no number gives rows all the same";
}

TEST(Partitions, AnIndexThatLeavesAPartitionEmptyIsRefused) {
  ByteWriter index;
  for (uint64_t v : {2u, 16u}) index.Varint(v);
  index.F32(0.2f);
  index.Bytes(std::vector<uint8_t>{255, 255, 9, 9});
  index.Bytes(std::vector<uint8_t>(2 * 16, 0x5a));
  for (uint8_t second : {1, 0}) {
    std::vector<uint8_t> whole(index.bytes().begin(), index.bytes().end());
    whole.insert(whole.end(), {0, second, 0, 0});
    const auto opened = PartitionIndex::Open(whole, 2, RowCode(std::vector<float>(16)), 8, 2 * (16 + kChecksum));
    EXPECT_EQ(opened.code(), second ? ErrorCode::kOk : ErrorCode::kCorrupt);
  }
}

}  // namespace partition_test
}  // namespace sheaf
