// Search over a frozen HNSW graph, read from bytes without a copy.
// Source: Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
// Hierarchical Navigable Small World graphs", 2016, algorithms 2 and 5 (search only).
//
// The graph is built by hnswlib at pack time (hnsw_builder.h) and written in fixed-width fields,
// so that a 64-bit packer and a 32-bit reader agree. Layout, little-endian:
//
//   u32 magic 'HNS1'   u32 node_count   u32 dimensions   u32 M (links per node above level 0)
//   u32 M0 (links at level 0)   u32 max_level   u32 entry_point   u32 upper_node_count
//   u32 level0[node_count][M0]                      neighbours, 0xFFFFFFFF fills unused slots
//   u32 upper[upper_node_count][2]                  (node, level 1..max_level), sorted by node; a
//                                                   node of level L has one entry, with L
//   u32 upper_offset[upper_node_count]              index into upper_links of that node's level 1:
//                                                   the sum of the levels of the entries before it
//   u32 upper_links[…][M]                           one row for each level 1..L of each such node
//
// Copies. Documentation repeats itself, and rows that are equal byte for byte would crowd each
// other's links until whole regions are cut off. So the graph proper holds the first node of each
// distinct row. Its copies form a chain from it, in ascending order: each links to the next one
// alone. The search skips copies and adds them to its results at the end.
//
// An empty graph has node_count, entry_point, max_level and upper_node_count 0.
//
// Invariants that Open checks: sizes add up to the span exactly, counts are under their caps, the
// entry point exists at max_level, and every neighbour is < node_count or the filler; a neighbour
// at an upper level without a row there is ignored by the search. Checking is O(bytes), done once.
// A graph that passes may still be nonsense (cycles, self links, islands): a search over it ends,
// and returns distinct ids below node_count with their true cosines.
//
// Cost of a search: about ef * log(n) dot products (60 us native for 50,000 rows of 256 at ef 96),
// a bitmap of visited nodes and three lists.
#ifndef SHEAF_VECTOR_HNSW_H_
#define SHEAF_VECTOR_HNSW_H_

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "vector/flat.h"

namespace sheaf {

inline constexpr uint32_t kHnswMagic = 0x31534e48;   // "HNS1"
inline constexpr uint32_t kHnswFiller = 0xffffffff;  // an unused slot in a row of links

// Caps: far above any real graph, low enough that 64-bit sums of products cannot overflow.
inline constexpr uint32_t kMaxHnswNodes = 1u << 26;
inline constexpr uint32_t kMaxHnswLinks = 1024;  // of M and of M0
inline constexpr uint32_t kMaxHnswLevel = 63;

// Candidates a search looks at unless told otherwise. Measured on clustered
// vectors (50,000 x 256, M 16): recall@10 is 0.990 at ef 24, 0.999 at 64 and 0.9998 at 96.
inline constexpr size_t kDefaultEf = 96;

class HnswGraph {
 public:
  HnswGraph() = default;
  // `bytes` must outlive the graph. Error: kCorrupt, with the expected and the found value.
  static Result<HnswGraph> Open(ByteSpan bytes);

  uint32_t node_count() const { return node_count_; }
  uint32_t dimensions() const { return dimensions_; }
  // Up to k neighbours in the order of Closer, looking at max(ef, k) candidates. Deterministic.
  // REQUIRES: table.size() == node_count(); another table's neighbours are an empty list.
  std::vector<Neighbor> Search(const VectorTable& table, const VectorQuery& query, size_t k, size_t ef) const;

 private:
  // Links of `node` at `level`, or an empty span where it has no row there.
  ByteSpan Links(uint32_t node, uint32_t level) const;

  // The next higher node that `node` links to and whose row is the same; 0xFFFFFFFF for none.
  uint32_t NextCopy(const VectorTable& table, uint32_t node) const;

  uint32_t node_count_ = 0, dimensions_ = 0, m_ = 0, m0_ = 0, max_level_ = 0, entry_ = 0, upper_count_ = 0;
  // Views into bytes_ (alignment is not assumed).
  const uint8_t* level0_ = nullptr;
  const uint8_t* upper_ = nullptr;
  const uint8_t* upper_offset_ = nullptr;
  const uint8_t* upper_links_ = nullptr;
};

}  // namespace sheaf

#endif  // SHEAF_VECTOR_HNSW_H_
