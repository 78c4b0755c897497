// Nearest neighbours for a reader that fetches by range: a few kilobytes of sketches instead of all rows.
//
// Idea: vectors are grouped around centroids. A query reads the partitions whose centroids are nearest,
// up to a budget of bytes, estimates every member's cosine from a sketch of its residual (a sign a
// dimension and one scale), and reads the rows of the best estimates alone. Sources: Jégou, Douze and
// Schmid, "Product quantization for nearest neighbor search", 2011 (inverted file, residuals); signs with
// a scale a vector as in Gao and Long, "RaBitQ", 2024, without its random rotation: dimensions come from
// a principal component analysis, so that the leading ones serve as a shorter sketch.
//
//   estimate = <q, c> + s Σ_d ±q_d,   s = Σ r_d² / Σ |r_d|,   r = v - c,   d below the sketch's dimensions
//
// The nearest partitions have the largest <q, c> + spread / 4. The spread is the root mean square distance of the
// members from c. So a tight cluster (the same text on many pages) has to lie nearer than a loose one, whose best
// members are closer than its centroid.
//
// Layout of the index: v partitions · v centroid dimensions · v sketch dimensions · f32 largest factor ·
//   f32 largest scale · members × partitions · stored lengths × partitions (both numbers of base/columns.h) ·
//   u8 factor × partitions · u8 spread × partitions (255ths of 1) · i8 codes × centroid dimensions × partitions. A centroid
//   is factor / 255 × largest factor × codes, zero beyond its dimensions.
// Layout of a partition, a piece: the whole centroid: f32 factor · its row (row_code.h), in full because the
//   signs are only as accurate as the centroid they are relative to; passages: v first, then v gap - 1 each;
//   u8 scale × members (255ths of the largest); sketch dimensions / 8 bytes × members, bit d % 8 of byte d / 8
//   set where r_d >= 0.
// Partitions follow one another so that near ones are neighbours, and a reader fetches several at once.
//
// Invariants: a passage stands in one partition; numbers are checked against the passages' before use.
// Cost: the index takes 35 bytes a partition when compressed, a sketch 18 bytes a passage of 256 dimensions; twice as
// long, it would serve a third fewer passages with the same bytes, and rows of the best estimates are cheap.
// Twin: partition_builder.cc.
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

inline constexpr uint32_t kCentroidDimensions = 128, kSketchDimensions = 128;
// Below this many passages, reading all rows is cheaper than probing.
inline constexpr uint32_t kPartitionFrom = 512;

class PartitionIndex {
 public:
  // Reads a partition's piece.
  using Read = std::function<Result<ByteSpan>(uint64_t offset, uint64_t length)>;

  // `code` is the rows'. Error: kCorrupt.
  static Result<PartitionIndex> Open(ByteSpan index, uint32_t passages, const RowCode& code, uint64_t section_bytes);

  // The members of the nearest partitions, as many as `budget` stored bytes hold and two at least,
  // with their estimated cosines, in no order. Errors: kCorrupt, kNeedsBytes (all of them are asked for).
  // REQUIRES: query has the vectors' dimensions.
  Status Estimate(std::span<const float> query, uint64_t budget, const Read& read, std::vector<Neighbor>* out) const;
  // Every partition is sound and every passage in just one.
  Status Verify(const Read& read) const;

  size_t size() const { return partitions_.size(); }

 private:
  struct Partition {
    uint32_t members = 0;
    uint64_t offset = 0, length = 0;
    float factor = 0, spread = 0;
  };
  // A partition's piece, taken apart.
  struct Content {
    float factor = 0;
    std::vector<int8_t> centroid;
    ByteSpan scales, signs;
    std::vector<uint32_t> passages;
  };
  Status ReadContent(const Partition& partition, const Read& read, Content* content) const;

  RowCode code_;
  uint32_t passages_ = 0, centroid_dimensions_ = 0, sketch_dimensions_ = 0;
  float scale_ = 0;  // of one part of 255
  std::vector<Partition> partitions_;
  std::vector<int8_t> codes_;
};

// ---- building, native only (partition_builder.cc) -----------------------------------------------------
struct BuiltPartitions {
  std::vector<uint8_t> index;
  size_t partitions = 0;
};
// `store` takes a partition's bytes and returns its stored length. The result depends on rows and code alone.
BuiltPartitions BuildPartitions(const VectorTable& table, const RowCode& code,
                                const std::function<uint64_t(ByteSpan)>& store);

}  // namespace sheaf

#endif  // SHEAF_VECTOR_PARTITION_H_
