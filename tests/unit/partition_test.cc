#include "vector/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "tests/unit/synthetic_vectors.h"

namespace sheaf {
namespace {

constexpr uint64_t kNoLimit = UINT64_MAX / 2;

// Partitions of a table, in memory; notes what is read.
struct Built {
  explicit Built(const VectorTable& table) : passages(table.size()), code(std::vector<float>(table.dimensions())) {
    built = BuildPartitions(table, code, [this](ByteSpan piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      return piece.size();
    });
  }
  Result<PartitionIndex> Open(ByteSpan index) const {
    return PartitionIndex::Open(index, passages, code, bytes.size());
  }
  Result<PartitionIndex> Open() const { return Open(built.index); }
  PartitionIndex::Read Read() {
    return [this](uint64_t offset, uint64_t length) -> Result<ByteSpan> {
      if (offset > bytes.size() || length > bytes.size() - offset) return Error{ErrorCode::kCorrupt, "outside"};
      const bool fresh = read.emplace(offset, length).second;
      if (fresh && !whole) return Error{ErrorCode::kNeedsBytes, {}};
      return ByteSpan(bytes).subspan(size_t(offset), size_t(length));
    };
  }
  uint64_t read_bytes() const {
    uint64_t sum = 0;
    for (const auto& [offset, length] : read) sum += length;
    return sum;
  }

  uint32_t passages;
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

std::vector<Neighbor> Best(std::vector<Neighbor> near, size_t count) {
  std::sort(near.begin(), near.end(), Closer);
  near.resize(std::min(near.size(), count));
  return near;
}

// Share of the ten nearest rows that are among the `taken` best estimates, over some queries.
double Recall(const VectorTable& table, LatentVectors* source, uint64_t budget, size_t taken) {
  Built built(table);
  auto index = built.Open();
  EXPECT_TRUE(index.ok());
  size_t found = 0, wanted = 0;
  for (int round = 0; round < 40; ++round) {
    const std::vector<float> query = Unit(source->Next());
    std::vector<Neighbor> near;
    EXPECT_TRUE(index->Estimate(query, budget, built.Read(), &near).ok());
    std::set<uint32_t> best;
    for (const Neighbor& n : Best(near, taken)) best.insert(n.id);
    for (const Neighbor& n : ScanTop(table, VectorQuery(query), 10)) {
      ++wanted;
      found += best.contains(n.id);
    }
  }
  return double(found) / double(wanted);
}

TEST(Partitions, HoldEveryPassageJustOnce) {
  LatentVectors source(1, 256);
  for (uint32_t rows : {1u, 2u, 3u, 17u, 600u, 2000u}) {
    Built built(source.Table(rows, 8));
    auto index = built.Open();
    ASSERT_TRUE(index.ok()) << rows;
    EXPECT_TRUE(index->Verify(built.Read()).ok());
    EXPECT_EQ(index->size(), built.built.partitions);
    EXPECT_EQ(built.read_bytes(), built.bytes.size());
    std::vector<Neighbor> near;
    ASSERT_TRUE(index->Estimate(Unit(source.Next()), kNoLimit, built.Read(), &near).ok());
    std::set<uint32_t> seen;
    for (const Neighbor& n : near) EXPECT_TRUE(n.id < rows && seen.insert(n.id).second);
    EXPECT_EQ(seen.size(), rows);
  }
}

TEST(Partitions, AreAboutTwoAndAHalfTimesTheRootOfTheRows) {
  LatentVectors source(2, 256);
  Built built(source.Table(2500, 4));
  EXPECT_GT(built.built.partitions, 60u);
  EXPECT_LE(built.built.partitions, 130u);
}

TEST(Partitions, EstimatesFindTheNearestRows) {
  for (uint32_t bits : {4u, 8u}) {
    LatentVectors source(3, 256);
    const VectorTable table = source.Table(3000, bits);
    EXPECT_GE(Recall(table, &source, kNoLimit, 48), 0.93) << bits;
    EXPECT_GE(Recall(table, &source, 48 << 10, 48), 0.9) << bits;
  }
}

TEST(Partitions, EstimatesAreNearTheCosines) {
  LatentVectors source(4, 256);
  const VectorTable table = source.Table(1000, 8);
  Built built(table);
  auto index = built.Open();
  const std::vector<float> query = Unit(source.Next());
  std::vector<Neighbor> near;
  ASSERT_TRUE(index->Estimate(query, kNoLimit, built.Read(), &near).ok());
  const VectorQuery exact(query);
  double error = 0;
  for (const Neighbor& n : near) error += std::fabs(double(n.cosine) - double(exact.Cosine(table, n.id)));
  EXPECT_LT(error / double(near.size()), 0.08);
}

TEST(Partitions, WorkInFewDimensionsAndForRowsOfZeros) {
  LatentVectors source(5, 16);
  VectorTable table = source.Table(700, 8);
  table.Append(std::vector<uint8_t>(16 * 30));
  Built built(table);
  auto index = built.Open();
  ASSERT_TRUE(index.ok());
  ASSERT_TRUE(index->Verify(built.Read()).ok());
  std::vector<Neighbor> near;
  ASSERT_TRUE(index->Estimate(Unit(source.Next()), kNoLimit, built.Read(), &near).ok());
  for (const Neighbor& n : near) EXPECT_TRUE(std::isfinite(n.cosine));
  VectorTable zeros(16, 8);
  zeros.Append(std::vector<uint8_t>(16 * 600));
  Built nothing(zeros);
  auto empty = nothing.Open();
  ASSERT_TRUE(empty.ok()) << empty.error().message;
  EXPECT_TRUE(empty->Verify(nothing.Read()).ok());
}

TEST(Partitions, ReadNoMoreThanTheBudgetAndTheNearestFirst) {
  LatentVectors source(6, 256);
  Built built(source.Table(2000, 8));
  auto index = built.Open();
  const std::vector<float> query = Unit(source.Next());
  std::set<uint64_t> before;
  uint64_t two = 0;
  for (uint64_t budget : {uint64_t(0), uint64_t(8) << 10, uint64_t(20) << 10, kNoLimit}) {
    built.read.clear();
    std::vector<Neighbor> near;
    ASSERT_TRUE(index->Estimate(query, budget, built.Read(), &near).ok());
    std::set<uint64_t> places;
    for (const auto& [offset, length] : built.read) places.insert(offset);
    if (budget == 0) {
      EXPECT_EQ(places.size(), 2u) << "two are always read";
      two = built.read_bytes();
    } else {
      EXPECT_LE(built.read_bytes(), std::max(budget, two));
      EXPECT_GT(places.size(), before.size());
    }
    EXPECT_TRUE(std::includes(places.begin(), places.end(), before.begin(), before.end()))
        << "a larger budget reads further, not elsewhere";
    before = places;
  }
  EXPECT_EQ(before.size(), index->size());
}

TEST(Partitions, AskForAllTheyLackAtOnce) {
  LatentVectors source(7, 256);
  Built built(source.Table(2000, 8));
  auto index = built.Open();
  const std::vector<float> query = Unit(source.Next());
  std::vector<Neighbor> whole, fed;
  ASSERT_TRUE(index->Estimate(query, 30 << 10, built.Read(), &whole).ok());
  const auto asked = built.read;
  built.read.clear();
  built.whole = false;
  ASSERT_EQ(index->Estimate(query, 30 << 10, built.Read(), &fed).code(), ErrorCode::kNeedsBytes);
  EXPECT_EQ(built.read, asked);
  fed.clear();
  ASSERT_TRUE(index->Estimate(query, 30 << 10, built.Read(), &fed).ok());
  ASSERT_EQ(fed.size(), whole.size());
  for (size_t i = 0; i < fed.size(); ++i) EXPECT_TRUE(fed[i].id == whole[i].id && fed[i].cosine == whole[i].cosine);
}

// Members of a loose partition may lie much nearer than its centroid; many copies of one text make a tight one.
TEST(Partitions, ALooseOneComesBeforeATightOneThatIsHardlyNearer) {
  ByteWriter index;
  for (uint64_t v : {3u, 16u, 16u}) index.Varint(v);
  index.F32(0.005f);
  index.F32(0.2f);
  const auto length = uint8_t(4 + StoredCentroidBytes(16) + 4);
  index.Bytes(std::vector<uint8_t>{1, 1, 1, 0, 0, 0});                 // members
  index.Bytes(std::vector<uint8_t>{length, length, length, 0, 0, 0});  // stored lengths
  index.Bytes(std::vector<uint8_t>{255, 245, 230});                    // 0.5, 0.48 and 0.45 near the query
  index.Bytes(std::vector<uint8_t>{0, 0, 102});                        // the last is loose
  for (int i = 0; i < 3; ++i) {
    std::vector<uint8_t> codes(16);
    codes[0] = 100;
    index.Bytes(codes);
  }
  std::vector<uint8_t> pieces;
  for (uint8_t passage : {0, 1, 2}) {
    pieces.resize(pieces.size() + 4 + StoredCentroidBytes(16));
    pieces.insert(pieces.end(), {passage, 9, 0xf0, 0x0f});
  }
  auto opened = PartitionIndex::Open(index.bytes(), 3, RowCode(std::vector<float>(16)), pieces.size());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  std::vector<float> query(16);
  query[0] = 1;
  std::vector<uint64_t> read;
  std::vector<Neighbor> near;
  const Status status = opened->Estimate(
      query, 0,
      [&](uint64_t offset, uint64_t size) -> Result<ByteSpan> {
        read.push_back(offset / length);
        return ByteSpan(pieces).subspan(size_t(offset), size_t(size));
      },
      &near);
  ASSERT_TRUE(status.ok());
  EXPECT_EQ(read, (std::vector<uint64_t>{2, 0})) << "two are always read, the most promising first";
}

TEST(Partitions, AreTheSameForTheSameRows) {
  LatentVectors source(8, 64);
  const VectorTable table = source.Table(800, 4);
  Built a(table), b(table);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.built.index, b.built.index);
}

TEST(Partitions, AnIndexThatEndsEarlyOrFitsNothingIsRefused) {
  LatentVectors source(9, 64);
  Built built(source.Table(600, 8));
  const std::vector<uint8_t>& index = built.built.index;
  for (size_t size = 0; size < index.size(); ++size) {
    ASSERT_EQ(built.Open(ByteSpan(index).first(size)).code(), ErrorCode::kCorrupt) << size;
  }
  EXPECT_EQ(PartitionIndex::Open(index, 599, built.code, built.bytes.size()).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(PartitionIndex::Open(index, 601, built.code, built.bytes.size()).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(PartitionIndex::Open(index, 600, RowCode(std::vector<float>(48)), built.bytes.size()).code(),
            ErrorCode::kCorrupt);
  EXPECT_EQ(PartitionIndex::Open(index, 600, built.code, built.bytes.size() + 1).code(), ErrorCode::kCorrupt);
}

// The two floats behind the three counts.
std::vector<uint8_t> WithScales(std::vector<uint8_t> index, float factor, float scale) {
  ByteReader r(index);
  for (int i = 0; i < 3; ++i) (void)r.Varint();
  ByteWriter w;
  w.F32(factor);
  w.F32(scale);
  std::copy(w.bytes().begin(), w.bytes().end(), index.begin() + ptrdiff_t(r.position()));
  return index;
}

TEST(Partitions, ImpossibleScalesAreRefusedSoThatEveryEstimateIsANumber) {
  LatentVectors source(10, 64);
  Built built(source.Table(600, 8));
  EXPECT_TRUE(built.Open(WithScales(built.built.index, 0.2f, 0.3f)).ok());
  for (float bad : {INFINITY, -INFINITY, NAN, 3e38f, -0.1f, 1e9f}) {
    EXPECT_EQ(built.Open(WithScales(built.built.index, bad, 0.3f)).code(), ErrorCode::kCorrupt) << bad;
    EXPECT_EQ(built.Open(WithScales(built.built.index, 0.2f, bad)).code(), ErrorCode::kCorrupt) << bad;
  }
}

TEST(Partitions, DamageIsRefusedOrGivesNumbersOfPassagesThatExist) {
  LatentVectors source(11, 64);
  Built sound(source.Table(600, 8));
  const std::vector<float> query = Unit(source.Next());
  std::mt19937 random(12);
  size_t refused = 0;
  for (int round = 0; round < 1500; ++round) {
    Built damaged = sound;
    std::vector<uint8_t> index = sound.built.index;
    for (int k = 0; k < 4; ++k) {
      if (round % 3)
        damaged.bytes[random() % damaged.bytes.size()] = uint8_t(random());
      else
        index[random() % (round % 2 ? index.size() : 200)] = uint8_t(random());
    }
    auto opened = damaged.Open(index);
    std::vector<Neighbor> near;
    const Status status =
        opened.ok() ? opened->Estimate(query, kNoLimit, damaged.Read(), &near) : Status(opened.error());
    refused += !status.ok();
    if (!status.ok()) {
      ASSERT_EQ(status.code(), ErrorCode::kCorrupt);
      continue;
    }
    for (const Neighbor& n : near) ASSERT_TRUE(n.id < 600 && n.cosine >= -1 && n.cosine <= 1);
    (void)opened->Verify(damaged.Read());
  }
  EXPECT_GT(refused, 300u);
}

TEST(Partitions, VerifyNoticesAPassageThatStandsTwice) {
  // Two partitions of one member each, in 16 dimensions.
  ByteWriter index;
  for (uint64_t v : {2u, 16u, 16u}) index.Varint(v);
  index.F32(0.2f);
  index.F32(0.2f);
  const RowCode code(std::vector<float>(16));
  const auto length = uint8_t(4 + StoredCentroidBytes(16) + 4);
  index.Bytes(std::vector<uint8_t>{1, 1, 0, 0});            // members
  index.Bytes(std::vector<uint8_t>{length, length, 0, 0});  // stored lengths
  index.Bytes(std::vector<uint8_t>{255, 255, 9, 9});        // factors, spreads
  index.Bytes(std::vector<uint8_t>(2 * 16, 0x5a));
  for (uint8_t second : {1, 0}) {
    std::vector<uint8_t> pieces;
    for (uint8_t passage : {uint8_t(0), second}) {
      pieces.resize(pieces.size() + 4 + StoredCentroidBytes(16));  // a factor of 0 and any centroid
      pieces.insert(pieces.end(), {passage, 9, 0xf0, 0x0f});
    }
    auto opened = PartitionIndex::Open(index.bytes(), 2, code, pieces.size());
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    const Status verified = opened->Verify([&](uint64_t offset, uint64_t length) -> Result<ByteSpan> {
      return ByteSpan(pieces).subspan(size_t(offset), size_t(length));
    });
    EXPECT_EQ(verified.code(), second ? ErrorCode::kOk : ErrorCode::kCorrupt);
  }
}

}  // namespace
}  // namespace sheaf
