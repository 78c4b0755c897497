// The rows of passages' vectors, grouped so that a reader by range fetches a few groups instead of all rows.
//
// Idea: rows are grouped around centroids. A query reads the partitions whose centroids are nearest, and those of the
// passages that its words found, up to a budget of bytes and of separate reads. It compares itself with their rows,
// which are exact: no estimate has to be mended by a further round trip. Of every other passage the index says the
// partition, whose centroid is a fair guess. A reader that has the whole file reads all partitions and puts the rows in
// order. Source: Jégou, Douze and Schmid, "Product quantization for nearest neighbor search", 2011 (inverted file).
//
// The nearest partitions have the largest <q, c> + spread / 4. The spread is the root mean square distance of the
// members from c. So a tight cluster (the same text on many pages) has to lie nearer than a loose one, whose best
// members are closer than its centroid.
//
// Layout of the index: v partitions · v centroid dimensions · f32 largest factor · u8 factor × partitions · u8 spread ×
//   partitions (255ths of 1) · i8 codes × centroid dimensions × partitions · partition × passages (numbers of
//   base/columns.h). A centroid is factor / 255 × largest factor × codes, zero beyond its dimensions.
// Layout of a partition, a piece: with rows of "4 bits", f32 factor and a coded row (row_code.h): factor × its codes is
//   the mean that the rows are coded against; then the rows of its passages, ascending. So arithmetic gives its length.
// Partitions follow one another so that near ones are neighbours, and one read brings several.
//
// Invariant: a passage stands in one partition, and no partition is empty.
// Cost: the index takes 35 bytes a partition and three quarters of a byte a passage when compressed. A row coded
// against its partition's mean needs 10 bytes of 77 less than one coded against the mean of all. Twin:
// partition_builder.cc.
#ifndef SHEAF_VECTOR_PARTITION_H_
#define SHEAF_VECTOR_PARTITION_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "vector/flat.h"
#include "vector/row_code.h"

namespace sheaf {

inline constexpr uint32_t kCentroidDimensions = 128;
// Below this many passages there is one partition: reading all rows is cheaper than choosing.
inline constexpr uint32_t kPartitionFrom = 512;

class PartitionIndex {
 public:
  // Reads a partition's piece.
  using Read = std::function<Result<ByteSpan>(uint64_t offset, uint64_t length)>;

  // How much of the partitions a query may read.
  struct Limits {
    uint64_t bytes = 0;  // stored; two partitions are read in any case
    uint32_t runs = 0;   // of partitions that follow one another: a reader fetches each by one request
  };
  struct Chosen {
    std::vector<uint32_t> partitions;  // ascending
    std::vector<float> cosines;        // of the query with every centroid
  };

  // `code` is that of the rows' mean, `bits` 4 or 8. Error: kCorrupt.
  static Result<PartitionIndex> Open(ByteSpan index, uint32_t passages, const RowCode& code, uint32_t bits,
                                     uint64_t section_bytes);

  // REQUIRES: passage exists
  uint32_t PartitionOf(uint32_t passage) const { return partition_of_[passage]; }
  // Partitions within the limits: those of the passages `likely`, the likeliest first, for up to half of the limits;
  // then the nearest. REQUIRES: query has the vectors' dimensions, passages exist.
  Chosen Choose(std::span<const float> query, std::span<const uint32_t> likely, const Limits& limits) const;
  // Calls `visit` with each member of the partitions, in the order given. Errors: kCorrupt, kNeedsBytes (all that
  // lack are asked for). REQUIRES: partitions exist.
  using Visit = std::function<void(uint32_t passage, std::span<const int8_t> codes)>;
  Status ReadMembers(std::span<const uint32_t> partitions, const Read& read, const Visit& visit) const;
  // All rows in the order of their passages. Errors: kCorrupt, kNeedsBytes.
  Result<VectorTable> ReadAll(const Read& read) const;

  size_t size() const { return partitions_.size(); }

 private:
  struct Partition {
    uint32_t first = 0, members = 0;  // in members_
    uint64_t offset = 0, length = 0;
    float factor = 0, spread = 0;
  };
  class Choice;

  RowCode code_;
  uint32_t bits_ = 0, centroid_dimensions_ = 0;
  std::vector<uint32_t> partition_of_, members_;
  std::vector<Partition> partitions_;
  std::vector<int8_t> codes_;
};

// ---- building, native only (partition_builder.cc) -----------------------------------------------------
// Bytes that grouping takes for a row, besides the table and the coded rows: its partition, twice, and its entries in lists.
inline constexpr uint64_t kPartitionBytesARow = 24;

struct BuiltPartitions {
  std::vector<uint8_t> index;
  size_t partitions = 0;
  VectorTable rows;  // as readers will have them
};
// `table` has rows of 8 bits, which the written ones overwrite; `code` and `bits` are as above; `store`
// takes the bytes of a partition, one after the other. The result depends on rows, code and bits alone.
BuiltPartitions BuildPartitions(VectorTable table, const RowCode& code, uint32_t bits,
                                const std::function<void(ByteSpan)>& store);

}  // namespace sheaf

#endif  // SHEAF_VECTOR_PARTITION_H_
