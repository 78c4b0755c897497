#include "vector/hnsw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/checksum.h"
#include "tests/unit/synthetic_vectors.h"
#include "vector/hnsw_builder.h"

namespace sheaf {
namespace hnsw_test {

constexpr uint32_t kNone = kHnswFiller;

// One small table and its graph, shared: building is the slow part under a sanitizer.
struct Shared {
  Shared() : latent(1, 64), table(latent.Table(1500, 8)) {
    HnswOptions options;
    options.ef_construction = 60;
    bytes = BuildHnsw(table, options, {}).value();
    for (int i = 0; i < 40; ++i) queries.emplace_back(latent.Next());
  }
  LatentVectors latent;
  VectorTable table;
  std::vector<uint8_t> bytes;
  std::vector<VectorQuery> queries;
};
const Shared& TheShared() {
  static const Shared* shared = new Shared;
  return *shared;
}

double Recall(const HnswGraph& graph, const VectorTable& table, const std::vector<VectorQuery>& queries, size_t k,
              size_t ef) {
  size_t found = 0, wanted = 0;
  for (const VectorQuery& query : queries) {
    const auto truth = ScanTop(table, query, k);
    const float least = truth.back().cosine;
    for (const Neighbor& n : graph.Search(table, query, k, ef)) found += n.cosine >= least;
    wanted += truth.size();
  }
  return double(found) / double(wanted);
}

// What every search over every graph that Open accepts must give.
void ExpectSane(const std::vector<Neighbor>& found, const VectorTable& table, const VectorQuery& query, size_t k) {
  EXPECT_LE(found.size(), k);
  std::set<uint32_t> ids;
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_LT(found[i].id, table.size());
    EXPECT_TRUE(ids.insert(found[i].id).second) << "id " << found[i].id << " twice";
    EXPECT_EQ(found[i].cosine, query.Cosine(table, found[i].id));
    if (i > 0) {
      EXPECT_TRUE(Closer(found[i - 1], found[i]));
    }
  }
}

// A graph without upper levels, from a literal.
std::vector<uint8_t> FlatGraph(uint32_t dimensions, uint32_t m0, const std::vector<std::vector<uint32_t>>& links) {
  ByteWriter out;
  for (const uint32_t field : {kHnswMagic, uint32_t(links.size()), dimensions, 1u, m0, 0u, 0u, 0u}) out.U32(field);
  for (const auto& row : links)
    for (size_t i = 0; i < m0; ++i) out.U32(i < row.size() ? row[i] : kNone);
  return out.Take();
}

VectorTable TableOf(const std::vector<std::vector<float>>& vectors) {
  VectorTable table(16, 8);
  for (auto vector : vectors) {
    vector.resize(16);
    table.Append(QuantizeRow(vector, 8));
  }
  return table;
}

TEST(BuildHnsw, GivesTheSameBytesTwice) {
  const Shared& shared = TheShared();
  HnswOptions options;
  options.ef_construction = 60;
  EXPECT_EQ(BuildHnsw(shared.table, options, {}).value(), shared.bytes);
}

TEST(BuildHnsw, SeedChangesTheGraph) {
  HnswOptions options;
  options.ef_construction = 60;
  options.seed = 7;
  EXPECT_NE(BuildHnsw(TheShared().table, options, {}).value(), TheShared().bytes);
}

TEST(BuildHnsw, GivesTheSameBytesWithEveryStandardLibrary) {
  // Few different codes, so that most cosines have many equals: where a heap of the library broke a tie, or its
  // random engine drew a level, this number would be another one.
  TestRandom random(7);
  VectorTable table(16, 8);
  for (uint32_t row = 0; row < 2000; ++row) {
    int8_t codes[16];
    for (int8_t& code : codes) code = int8_t(random.Below(3)) - 1;
    table.AppendCodes(codes);
  }
  EXPECT_EQ(Hash64(BuildHnsw(table, {}, {}).value()), 0xfcbb52820afd21e0u);
}

TEST(BuildHnsw, PutsAShareOfOneInMOnEachHigherLevel) {
  HnswOptions options;
  options.m = 8;
  options.ef_construction = 50;
  LatentVectors latent(8, 16);
  const auto bytes = BuildHnsw(latent.Table(2000, 8), options, {}).value();
  const uint32_t upper = LoadU32(&bytes[28]);
  EXPECT_NEAR(double(upper), 2000.0 / 8, 45) << "three standard deviations of a binomial distribution";
  EXPECT_GE(LoadU32(&bytes[20]), 2u) << "the highest level";
  EXPECT_LE(LoadU32(&bytes[20]), 5u);
}

TEST(BuildHnsw, ReportsEachNode) {
  LatentVectors latent(2, 32);
  std::vector<uint32_t> calls;
  ASSERT_TRUE(BuildHnsw(latent.Table(50, 4), {}, [&](uint32_t n) { calls.push_back(n); }).ok());
  ASSERT_EQ(calls.size(), 50u);
  EXPECT_EQ(calls.front(), 1u);
  EXPECT_EQ(calls.back(), 50u);
}

TEST(BuildHnsw, TurnsAnExceptionIntoAnError) {
  LatentVectors latent(2, 32);
  const auto result = BuildHnsw(latent.Table(5, 8), {}, [](uint32_t n) {
    if (n == 3) throw std::runtime_error("stop here");
  });
  ASSERT_EQ(result.code(), ErrorCode::kInternal);
  EXPECT_NE(result.error().message.find("stop here"), std::string::npos);
}

TEST(BuildHnsw, RefusesOptionsOutOfRange) {
  const VectorTable table(16, 8);
  for (const auto& [m, ef] : std::vector<std::pair<uint32_t, uint32_t>>{
           {0, 200}, {7, 200}, {65, 200}, {16, 49}, {16, 1001}, {kNone, kNone}}) {
    HnswOptions options;
    options.m = m;
    options.ef_construction = ef;
    EXPECT_EQ(BuildHnsw(table, options, {}).code(), ErrorCode::kInvalidArgument) << m << ", " << ef;
  }
}

TEST(Hnsw, FindsWhatTheScanFinds) {
  for (const uint32_t bits : {8u, 4u}) {
    LatentVectors latent(3, 256);
    const VectorTable table = latent.Table(2000, bits);
    const auto bytes = BuildHnsw(table, {}, {}).value();
    const auto graph = HnswGraph::Open(bytes);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    EXPECT_EQ(graph->node_count(), 2000u);
    EXPECT_EQ(graph->dimensions(), 256u);
    std::vector<VectorQuery> queries;
    for (int i = 0; i < 100; ++i) queries.emplace_back(latent.Next());
    EXPECT_GE(Recall(*graph, table, queries, 10, kDefaultEf), 0.98);
    EXPECT_GE(Recall(*graph, table, queries, 1, 10), 0.90);
  }
}

TEST(Hnsw, KeepsRecallWhereManyRowsAreCopies) {
  // hnswlib alone leaves about half of these copies, and what lies behind them, out of reach.
  LatentVectors latent(4, 64);
  TestRandom random(4);
  VectorTable table(64, 8);
  const auto common = latent.Next();
  for (uint32_t i = 0; i < 2000; ++i) table.Append(QuantizeRow(random.Below(100) < 30 ? common : latent.Next(), 8));
  const auto bytes = BuildHnsw(table, {}, {}).value();
  const auto graph = HnswGraph::Open(bytes);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  std::vector<VectorQuery> queries;
  for (int i = 0; i < 60; ++i) queries.emplace_back(latent.Next());
  queries.emplace_back(common);
  EXPECT_GE(Recall(*graph, table, queries, 10, kDefaultEf), 0.98);

  // Copies come back in order of id, as many as were asked for, exactly as by the scan.
  const auto truth = ScanTop(table, queries.back(), 300);
  const auto found = graph->Search(table, queries.back(), 300, 300);
  ASSERT_EQ(found.size(), truth.size());
  for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].id, truth[i].id) << i;
}

TEST(Hnsw, HandlesATableOfNothingButCopies) {
  for (const float value : {0.0f, 1.0f}) {
    VectorTable table(16, 8);
    for (int i = 0; i < 300; ++i) table.Append(QuantizeRow(std::vector<float>(16, value), 8));
    const auto bytes = BuildHnsw(table, {}, {}).value();
    const auto graph = HnswGraph::Open(bytes);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const auto found = graph->Search(table, VectorQuery(std::vector<float>(16, 1.0f)), 250, 10);
    ASSERT_EQ(found.size(), 250u);
    for (uint32_t i = 0; i < 250; ++i) EXPECT_EQ(found[i].id, i);
  }
}

TEST(Hnsw, HandlesEverySmallTable) {
  LatentVectors latent(5, 16);
  for (uint32_t n = 0; n <= 40; ++n) {
    const VectorTable table = latent.Table(n, 8);
    const auto bytes = BuildHnsw(table, {}, {}).value();
    const auto graph = HnswGraph::Open(bytes);
    ASSERT_TRUE(graph.ok()) << n << ": " << graph.error().message;
    const VectorQuery query(latent.Next());
    const auto found = graph->Search(table, query, 100, 100);
    const auto truth = ScanTop(table, query, 100);
    ASSERT_EQ(found.size(), n);
    for (uint32_t i = 0; i < n; ++i) EXPECT_EQ(found[i].id, truth[i].id);
  }
}

TEST(Hnsw, ReturnsKWhateverEfIs) {
  const Shared& shared = TheShared();
  const auto graph = HnswGraph::Open(shared.bytes);
  for (const size_t k : {0u, 1u, 10u, 200u})
    for (const size_t ef : {size_t(0), size_t(1), size_t(50), SIZE_MAX}) {
      const auto found = graph->Search(shared.table, shared.queries[0], k, ef);
      EXPECT_EQ(found.size(), k) << "k " << k << ", ef " << ef;
      ExpectSane(found, shared.table, shared.queries[0], k);
    }
  EXPECT_EQ(graph->Search(shared.table, shared.queries[0], SIZE_MAX, 1).size(), shared.table.size());
}

TEST(Hnsw, WithAnUnlimitedEfIsExact) {
  const Shared& shared = TheShared();
  const auto graph = HnswGraph::Open(shared.bytes);
  for (const VectorQuery& query : shared.queries) {
    const auto found = graph->Search(shared.table, query, 20, SIZE_MAX);
    const auto truth = ScanTop(shared.table, query, 20);
    for (size_t i = 0; i < 20; ++i) {
      ASSERT_EQ(found[i].id, truth[i].id);
      ASSERT_EQ(found[i].cosine, truth[i].cosine);
    }
  }
}

TEST(Hnsw, AnswersAnInvalidQueryAsTheScanDoes) {
  const Shared& shared = TheShared();
  const auto graph = HnswGraph::Open(shared.bytes);
  const auto found = graph->Search(shared.table, VectorQuery(), 3, 10);
  ASSERT_EQ(found.size(), 3u);
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].id, i);
    EXPECT_EQ(found[i].cosine, 0.0f);
  }
}

TEST(Hnsw, GivesNothingForAnotherTable) {
  const Shared& shared = TheShared();
  const auto graph = HnswGraph::Open(shared.bytes);
  LatentVectors latent(6, 64);
  EXPECT_TRUE(graph->Search(latent.Table(10, 8), shared.queries[0], 3, 10).empty());
  LatentVectors wider(6, 128);
  EXPECT_TRUE(graph->Search(wider.Table(1500, 8), shared.queries[0], 3, 10).empty());
}

TEST(Hnsw, BreaksTiesById) {
  std::vector<float> towards(16);
  towards[0] = 1;
  // Three rows at the same angle from the query, entered from the far end of a chain.
  const VectorTable table = TableOf({{-1, 0, 0}, {1, 0, 1}, {1, -1, 0}, {1, 1, 0}});
  const auto bytes = FlatGraph(16, 2, {{3}, {}, {1}, {2}});
  const auto graph = HnswGraph::Open(bytes);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto found = graph->Search(table, VectorQuery(towards), 2, 4);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, 1u);
  EXPECT_EQ(found[1].id, 2u);
}

TEST(Hnsw, SurvivesSelfLinksCyclesAndIslands) {
  const VectorTable table = TableOf({{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}});
  std::vector<float> towards(16);
  towards[1] = 1;
  const auto bytes = FlatGraph(16, 3, {{0, 0, 2}, {1}, {kNone, 0, 1}, {3, 4}, {3}});
  const auto graph = HnswGraph::Open(bytes);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto found = graph->Search(table, VectorQuery(towards), 5, 5);
  ASSERT_EQ(found.size(), 3u) << "3 and 4 are an island";
  EXPECT_EQ(found[0].id, 1u);
  ExpectSane(found, table, VectorQuery(towards), 5);
}

TEST(Hnsw, SurvivesCopiesLinkedInACycle) {
  const VectorTable table = TableOf({{1, 0}, {1, 0}, {1, 0}, {0, 1}});
  std::vector<float> towards(16);
  towards[0] = 1;
  const auto bytes = FlatGraph(16, 3, {{1, 2, 3}, {2, 0}, {0, 1}, {1, 2, 0}});
  const auto graph = HnswGraph::Open(bytes);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  for (size_t k = 1; k <= 4; ++k)
    ExpectSane(graph->Search(table, VectorQuery(towards), k, 4), table, VectorQuery(towards), k);
}

// ---- Open -----------------------------------------------------------------------------------

Result<HnswGraph> OpenWith(size_t field, uint32_t value) {
  static std::vector<uint8_t> bytes;
  bytes = TheShared().bytes;
  for (int i = 0; i < 4; ++i) bytes[field * 4 + size_t(i)] = uint8_t(value >> (8 * i));
  return HnswGraph::Open(bytes);
}

TEST(HnswOpen, RefusesEachFieldOutOfRangeAndNamesIt) {
  const auto message = [](size_t field, uint32_t value) {
    const auto result = OpenWith(field, value);
    EXPECT_EQ(result.code(), ErrorCode::kCorrupt) << field << " = " << value;
    return result.ok() ? std::string() : result.error().message;
  };
  EXPECT_NE(message(0, 0).find("magic number"), std::string::npos);
  for (const uint32_t value : {0u, 1u, 1499u, 1501u, 0x40000000u, kNone}) message(1, value);
  for (const uint32_t value : {0u, 8u, 4112u, kNone})
    EXPECT_NE(message(2, value).find("dimensions"), std::string::npos);
  for (const uint32_t value : {0u, 15u, 1025u, 0x10000000u, kNone}) message(3, value);
  for (const uint32_t value : {0u, 31u, 33u, 1025u, 0x40000000u, kNone}) message(4, value);
  for (const uint32_t value : {0u, 63u, 64u, kNone}) message(5, value);
  EXPECT_NE(message(6, 1500).find("entry point"), std::string::npos);
  for (const uint32_t value : {0u, 1501u, kNone}) message(7, value);
}

TEST(HnswOpen, RefusesEveryTruncationAndATrailingByte) {
  const auto& bytes = TheShared().bytes;
  for (size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : 997) {
    // An exact copy, so that a read beyond it is seen by the sanitizer.
    const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + std::ptrdiff_t(size));
    EXPECT_EQ(HnswGraph::Open(cut).code(), ErrorCode::kCorrupt) << size;
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_EQ(HnswGraph::Open(longer).code(), ErrorCode::kCorrupt);
}

TEST(HnswOpen, RefusesANeighbourThatDoesNotExist) {
  EXPECT_TRUE(HnswGraph::Open(FlatGraph(16, 1, {{1}, {0}})).ok());
  EXPECT_EQ(HnswGraph::Open(FlatGraph(16, 1, {{2}, {0}})).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(HnswGraph::Open(FlatGraph(16, 1, {{1}, {kNone - 1}})).code(), ErrorCode::kCorrupt);
}

TEST(HnswOpen, RefusesAnEmptyGraphThatClaimsAnEntry) {
  EXPECT_TRUE(HnswGraph::Open(FlatGraph(16, 1, {})).ok());
  auto bytes = FlatGraph(16, 1, {});
  bytes[24] = 1;  // entry point
  EXPECT_EQ(HnswGraph::Open(bytes).code(), ErrorCode::kCorrupt);
  bytes[24] = 0;
  bytes[20] = 1;  // level
  EXPECT_EQ(HnswGraph::Open(bytes).code(), ErrorCode::kCorrupt);
}

TEST(HnswOpen, RefusesSizesWhoseProductWraps32Bits) {
  // 2^25 nodes of 32 links of 4 bytes are 2^32 bytes, which a 32-bit sum would take for none.
  ByteWriter out;
  for (const uint32_t field : {kHnswMagic, 1u << 25, 16u, 16u, 32u, 0u, 0u, 0u}) out.U32(field);
  const auto result = HnswGraph::Open(out.bytes());
  ASSERT_EQ(result.code(), ErrorCode::kCorrupt);
  EXPECT_NE(result.error().message.find("4294967328"), std::string::npos) << result.error().message;
}

TEST(HnswOpen, RefusesUpperNodesOutOfOrderOrWithWrongRows) {
  // Two upper nodes of a three-node graph: 0 at level 1, 2 at level 2.
  const auto graph = [](uint32_t node0, uint32_t level0, uint32_t node1, uint32_t level1, uint32_t offset0,
                        uint32_t offset1) {
    ByteWriter out;
    for (const uint32_t field : {kHnswMagic, 3u, 16u, 1u, 1u, 2u, 2u, 2u}) out.U32(field);
    for (const uint32_t link : {1u, 2u, 0u}) out.U32(link);
    for (const uint32_t field : {node0, level0, node1, level1, offset0, offset1}) out.U32(field);
    for (const uint32_t link : {2u, 0u, kNone}) out.U32(link);
    return out.Take();
  };
  const auto open = [&](auto... fields) { return HnswGraph::Open(graph(fields...)).code(); };
  EXPECT_EQ(open(0u, 1u, 2u, 2u, 0u, 1u), ErrorCode::kOk);
  EXPECT_EQ(open(2u, 2u, 0u, 1u, 0u, 2u), ErrorCode::kCorrupt) << "not sorted";
  EXPECT_EQ(open(2u, 1u, 2u, 2u, 0u, 1u), ErrorCode::kCorrupt) << "one node twice";
  EXPECT_EQ(open(0u, 1u, 3u, 2u, 0u, 1u), ErrorCode::kCorrupt) << "no such node";
  EXPECT_EQ(open(0u, 0u, 2u, 2u, 0u, 0u), ErrorCode::kCorrupt) << "level 0";
  EXPECT_EQ(open(0u, 1u, 2u, 3u, 0u, 1u), ErrorCode::kCorrupt) << "above the highest";
  EXPECT_EQ(open(0u, 2u, 2u, 1u, 0u, 2u), ErrorCode::kCorrupt) << "entry point below the top";
  EXPECT_EQ(open(0u, 1u, 2u, 2u, 0u, 2u), ErrorCode::kCorrupt) << "rows overlap or leave a gap";
  EXPECT_EQ(open(0u, 1u, 2u, 2u, 1u, 0u), ErrorCode::kCorrupt) << "rows out of order";
}

TEST(HnswOpen, RefusesMutatedBytesOrSearchesThemSanely) {
  LatentVectors latent(9, 32);
  const VectorTable table = latent.Table(120, 8);
  const auto original = BuildHnsw(table, {}, {}).value();
  TestRandom random(10);
  const size_t words = original.size() / 4;
  int opened = 0;
  for (int round = 0; round < 4000; ++round) {
    auto bytes = original;
    for (uint32_t change = 0; change <= random.Below(4); ++change) {
      // Half of the changes keep a link valid, so that strange graphs get past the checks.
      const size_t word = random.Below(2) ? random.Below(uint32_t(words)) : random.Below(24);
      const uint32_t value = random.Below(2) ? random.Below(120) : uint32_t(random.Next());
      if (random.Below(2)) {
        for (size_t i = 0; i < 4; ++i) bytes[word * 4 + i] = uint8_t(value >> (8 * i));
      } else {
        bytes[random.Below(uint32_t(bytes.size()))] ^= uint8_t(1 << random.Below(8));
      }
    }
    const auto graph = HnswGraph::Open(bytes);
    if (!graph.ok()) {
      EXPECT_EQ(graph.code(), ErrorCode::kCorrupt);
      continue;
    }
    ++opened;
    if (graph->node_count() != table.size() || graph->dimensions() != table.dimensions()) continue;
    const VectorQuery query(latent.Next());
    ExpectSane(graph->Search(table, query, 10, 30), table, query, 10);
  }
  EXPECT_GT(opened, 100) << "the mutations no longer reach the search";
  EXPECT_LT(opened, 3900) << "the checks refuse next to nothing";
}

TEST(HnswOpen, SearchesGraphsOfRandomLinks) {
  TestRandom random(11);
  LatentVectors latent(12, 16);
  for (int round = 0; round < 300; ++round) {
    const uint32_t n = 1 + random.Below(60), m0 = 1 + random.Below(6);
    const VectorTable table = latent.Table(n, round % 2 ? 8 : 4);
    std::vector<std::vector<uint32_t>> links(n);
    for (auto& row : links)
      for (uint32_t i = 0; i < m0; ++i) row.push_back(random.Below(5) ? random.Below(n) : kNone);
    const auto bytes = FlatGraph(16, m0, links);
    const auto graph = HnswGraph::Open(bytes);
    ASSERT_TRUE(graph.ok());
    const VectorQuery query(latent.Next());
    const size_t k = 1 + random.Below(70);
    ExpectSane(graph->Search(table, query, k, random.Below(70)), table, query, k);
  }
}

}  // namespace hnsw_test
}  // namespace sheaf
