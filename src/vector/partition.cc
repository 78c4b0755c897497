#include "vector/partition.h"

#include <algorithm>
#include <cmath>

#include "base/columns.h"
#include "base/gather.h"

namespace sheaf {
namespace {

constexpr uint64_t kMaxPartitions = (1 << 20) - 1;
static_assert(kMaxPartitions * kMaxDimensions <= UINT32_MAX);  // a reader's size_t may have 32 bits
// How much closer to the query than its centroid a partition's members may be. Values from 0.2 to 0.3 do equally
// well; without this term, recall@10 for the same bytes is .86 instead of .89 (development queries over rust-doc).
constexpr float kSpreadShare = 0.25f;
constexpr size_t kLeastPartitions = 2;
constexpr uint64_t kChecksumBytes = 4;  // of a piece

Error Bad(const char* what) {
  return Error{ErrorCode::kCorrupt,
               std::string("the partitions of vectors ") + what + "; the file is damaged, fetch or pack it again"};
}

}  // namespace

Result<PartitionIndex> PartitionIndex::Open(ByteSpan bytes, uint32_t passages, const RowCode& code, uint32_t bits,
                                            uint64_t section_bytes) {
  ByteReader r(bytes);
  PartitionIndex index;
  index.code_ = code;
  index.bits_ = bits;
  const uint32_t dimensions = code.dimensions();
  const uint64_t count = r.Varint();
  index.centroid_dimensions_ = r.Varint32();
  const float largest_factor = r.F32();
  const float factor = largest_factor / 255;
  const bool fits = index.centroid_dimensions_ % 16 == 0 && index.centroid_dimensions_ > 0 &&
                    index.centroid_dimensions_ <= dimensions;
  // Codes are 1 at least; false for NaN.
  const bool scaled = largest_factor >= 0 && largest_factor <= 1;
  if (!r.ok() || !fits || !scaled || count == 0 || count > kMaxPartitions || count > passages ||
      count > r.remaining()) {
    return Bad("have a damaged index");
  }
  index.partitions_.resize(size_t(count));
  for (Partition& p : index.partitions_) p.factor = float(r.U8()) * factor;
  for (Partition& p : index.partitions_) p.spread = float(r.U8()) / 255;
  const ByteSpan codes = r.Bytes(size_t(count) * index.centroid_dimensions_);
  if (!r.ok() || !ReadNumbers(&r, passages, &index.partition_of_) || r.remaining()) return Bad("have a damaged index");
  index.codes_.assign(codes.begin(), codes.end());

  for (const uint32_t partition : index.partition_of_) {
    if (partition >= count) return Bad("have a damaged index");
    ++index.partitions_[partition].members;
  }
  const uint64_t row = StoredRowBytes(dimensions, bits);
  const uint64_t header = bits == 8 ? 0 : sizeof(float) + StoredCentroidBytes(dimensions);
  uint32_t first = 0;
  uint64_t offset = 0;
  for (Partition& p : index.partitions_) {
    if (p.members == 0) return Bad("have a damaged index");
    p.first = first;
    p.offset = offset;
    p.length = header + p.members * row + kChecksumBytes;
    first += p.members;
    offset += p.length;
  }
  if (offset != section_bytes) return Bad("do not fit their index");
  index.members_.resize(passages);
  std::vector<uint32_t> next;
  for (const Partition& p : index.partitions_) next.push_back(p.first);
  for (uint32_t passage = 0; passage < passages; ++passage)
    index.members_[next[index.partition_of_[passage]]++] = passage;
  return index;
}

// Partitions as they are taken, one by one.
class PartitionIndex::Choice {
 public:
  // One beyond either end, so that every partition has two neighbours.
  explicit Choice(const std::vector<Partition>& partitions) : partitions_(partitions), taken_(partitions.size() + 2) {}

  // False when the bytes do not allow it. One that would need a further run is passed over.
  bool Take(uint32_t id, const Limits& limits) {
    if (taken_[id + 1]) return true;
    const bool free = list_.size() < kLeastPartitions;
    if (!free && spent_ + partitions_[id].length > limits.bytes) return false;
    const uint32_t runs = runs_ + 1 - uint32_t(taken_[id]) - uint32_t(taken_[id + 2]);
    if (!free && runs > limits.runs) return true;
    taken_[id + 1] = true;
    runs_ = runs;
    spent_ += partitions_[id].length;
    list_.push_back(id);
    return true;
  }
  std::vector<uint32_t> Sorted() && {
    std::sort(list_.begin(), list_.end());
    return std::move(list_);
  }

 private:
  const std::vector<Partition>& partitions_;
  std::vector<bool> taken_;
  std::vector<uint32_t> list_;
  uint64_t spent_ = 0;
  uint32_t runs_ = 0;
};

PartitionIndex::Chosen PartitionIndex::Choose(std::span<const float> query, std::span<const uint32_t> likely,
                                              const Limits& limits) const {
  Chosen chosen;
  std::vector<Neighbor> order;
  order.reserve(partitions_.size());
  for (uint32_t i = 0; i < partitions_.size(); ++i) {
    float dot = 0;
    for (uint32_t d = 0; d < centroid_dimensions_; ++d)
      dot += query[d] * float(codes_[size_t(i) * centroid_dimensions_ + d]);
    chosen.cosines.push_back(dot * partitions_[i].factor);
    order.push_back({i, chosen.cosines[i] + kSpreadShare * partitions_[i].spread});
  }
  std::sort(order.begin(), order.end(), Closer);

  Choice choice(partitions_);
  const Limits half{limits.bytes / 2, limits.runs / 2};
  for (const uint32_t passage : likely) {
    if (!choice.Take(partition_of_[passage], half)) break;
  }
  for (const Neighbor& near : order) {
    if (!choice.Take(near.id, limits)) break;
  }
  chosen.partitions = std::move(choice).Sorted();
  return chosen;
}

Status PartitionIndex::ReadMembers(std::span<const uint32_t> partitions, const Read& read, const Visit& visit) const {
  const uint32_t dimensions = code_.dimensions();
  const size_t row = StoredRowBytes(dimensions, bits_);
  std::vector<int8_t> codes(dimensions);
  std::vector<float> mean(dimensions);
  Gather gather;
  for (const uint32_t at : partitions) {
    const Partition& partition = partitions_[at];
    ByteSpan piece;
    SHEAF_RETURN_IF_ERROR(gather.Take(read(partition.offset, partition.length), &piece));
    if (!gather.complete()) continue;
    ByteReader r(piece);
    RowCode code;
    if (bits_ != 8) {
      const float factor = r.F32();
      code_.Decode(r.Bytes(StoredCentroidBytes(dimensions)), codes.data());
      for (uint32_t d = 0; d < dimensions; ++d) mean[d] = factor * float(codes[d]);
      code = RowCode(mean);
    }
    for (uint32_t i = 0; i < partition.members; ++i) {
      const ByteSpan stored = r.Bytes(row);
      if (!r.ok()) return Bad("have a damaged piece");
      if (bits_ == 8) {
        std::copy(stored.begin(), stored.end(), codes.begin());
      } else {
        code.Decode(stored, codes.data());
      }
      visit(members_[partition.first + i], codes);
    }
  }
  return gather.status();
}

Result<VectorTable> PartitionIndex::ReadAll(const Read& read) const {
  std::vector<uint32_t> all(partitions_.size());
  for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  VectorTable table(code_.dimensions(), 8);
  table.Resize(partition_of_.size());
  SHEAF_RETURN_IF_ERROR(
      ReadMembers(all, read, [&](uint32_t passage, std::span<const int8_t> codes) { table.SetCodes(passage, codes); }));
  return table;
}

}  // namespace sheaf
