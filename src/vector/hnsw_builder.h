// Builds an HNSW graph with hnswlib and freezes it in the layout of hnsw.h. Native only.
//
// The same bytes on every machine and with every compiler: nodes are inserted in order of id, on one thread. Their
// levels are drawn by integers from a fixed seed. Distances are the cosines of the table's own codes by the integer dot
// product of distance.h, and no two of them are equal. So the graph is built over exactly the rows that are searched.
// Neither the order in which a compiler sums floats nor the standard library's random engines and heaps have a say.
// Rows that repeat an earlier one are chained to it instead of inserted (see hnsw.h).
//
// Cost: O(n log n); about 6 s for 50,000 rows of 256.
#ifndef SHEAF_VECTOR_HNSW_BUILDER_H_
#define SHEAF_VECTOR_HNSW_BUILDER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "vector/flat.h"

namespace sheaf {

struct HnswOptions {
  uint32_t m = 16;                 // links per node; 8..64: more recall, more bytes
  uint32_t ef_construction = 200;  // 50..1000: better graph, slower build
  uint32_t seed = 100;
};

// Bytes that building takes for a row, besides the table: the point, its links as they are built and as they are
// written, and 160 for hnswlib to find and to lock it.
constexpr uint64_t HnswBytesARow(uint32_t dimensions, uint32_t m) {
  return uint64_t(dimensions) + uint64_t(2 * m + 1) * 2 * sizeof(uint32_t) + 16 + 160;
}

// `progress` (may be empty) is called with the number of nodes done so far, once for each node.
// Errors: kInvalidArgument (options out of range), kTooLarge (more than kMaxHnswNodes, or than memory
// can address), kInternal (an exception of hnswlib or `progress`).
Result<std::vector<uint8_t>> BuildHnsw(const VectorTable& table, const HnswOptions& options,
                                       const std::function<void(uint32_t)>& progress);

}  // namespace sheaf

#endif  // SHEAF_VECTOR_HNSW_BUILDER_H_
