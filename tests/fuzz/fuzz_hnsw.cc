// Property: HnswGraph::Open refuses any bytes, or searches over them end and return distinct,
// existing ids with their true cosines, in order (vector/hnsw.h).
//
// Input: an even first byte takes the rest as the graph; an odd one edits a small valid graph.
#include <set>
#include <string>

#include "tests/fuzz/fuzz.h"
#include "vector/hnsw.h"

namespace sheaf::fuzz {
namespace {

constexpr uint32_t kNodes = 48, kDimensions = 16, kM = 2, kM0 = 4;

// Rows that are all over the place and sometimes the same; built without hnswlib, so that the
// target also runs where exceptions are off.
const VectorTable& Table(uint32_t rows) {
  static VectorTable* table = nullptr;
  if (table == nullptr || table->size() != rows) {
    delete table;
    table = new VectorTable(kDimensions, 4);
    for (uint32_t i = 0; i < rows; ++i) {
      std::vector<uint8_t> row(RowBytes(kDimensions, 4));
      for (size_t j = 0; j < row.size(); ++j) row[j] = uint8_t((i % 37 + 1) * 2654435761u >> (j % 4 * 8));
      table->Append(row);
    }
  }
  return *table;
}

std::vector<uint8_t> ValidGraph() {
  ByteWriter out;
  for (const uint32_t field : {kHnswMagic, kNodes, kDimensions, kM, kM0, 2u, 5u, 3u}) out.U32(field);
  for (uint32_t i = 0; i < kNodes; ++i)
    for (uint32_t j = 0; j < kM0; ++j) out.U32(j == 3 && i % 3 == 0 ? kHnswFiller : (i * 7 + j * 11 + 1) % kNodes);
  for (const uint32_t field : {5u, 2u, 20u, 1u, 40u, 2u}) out.U32(field);  // node, level
  for (const uint32_t row : {0u, 2u, 3u}) out.U32(row);
  for (const uint32_t link : {20u, 40u, 40u, kHnswFiller, 5u, 40u, 5u, 20u, 5u, kHnswFiller}) out.U32(link);
  return out.Take();
}

}  // namespace

void CheckHnsw(ByteSpan bytes) {
  Input input(bytes);
  std::vector<uint8_t> graph_bytes;
  const uint8_t mode = input.Byte();
  const size_t k = input.Byte() % 64, ef = input.Byte();
  const std::vector<float> direction = {float(int8_t(input.Byte())), 1, -2, 3, 5,  -8, 13, 21,
                                        float(int8_t(input.Byte())), 4, 9,  1, -7, 0,  2,  -1};
  if (mode % 2 == 0) {
    const ByteSpan rest = input.Rest();
    graph_bytes.assign(rest.begin(), rest.end());
  } else {
    graph_bytes = ValidGraph();
    Edit(&input, &graph_bytes);
  }
  const auto graph = HnswGraph::Open(graph_bytes);
  if (!graph.ok()) {
    SHEAF_REQUIRE(graph.code() == ErrorCode::kCorrupt && !graph.error().message.empty());
    return;
  }
  if (graph->node_count() > 4096) return;  // a real, large graph: slow to make a table for

  const VectorTable& table = Table(graph->node_count());
  const VectorQuery query(direction);
  const std::vector<Neighbor> found = graph->Search(table, query, k, ef);
  SHEAF_REQUIRE(found.size() <= k);
  if (graph->dimensions() != kDimensions) {
    SHEAF_REQUIRE(found.empty());
  }
  std::set<uint32_t> ids;
  for (size_t i = 0; i < found.size(); ++i) {
    SHEAF_REQUIRE(found[i].id < table.size() && ids.insert(found[i].id).second);
    SHEAF_REQUIRE(found[i].cosine == query.Cosine(table, found[i].id));
    if (i > 0) {
      SHEAF_REQUIRE(Closer(found[i - 1], found[i]));
    }
  }
}

}  // namespace sheaf::fuzz

SHEAF_FUZZ_TARGET(CheckHnsw)
