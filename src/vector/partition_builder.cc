#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/columns.h"
#include "vector/distance.h"
#include "vector/partition.h"

namespace sheaf {
namespace {

constexpr int kRounds = 8;
constexpr uint32_t kSample = 16384;     // rows that the coarse clusters are trained on
constexpr size_t kNearSupers = 4;       // coarse clusters in which a row looks for its partition
constexpr double kPerRoot = 3;          // partitions: times the root of the rows
constexpr uint32_t kLeastMembers = 32;  // on average; a centroid costs as much as two rows
constexpr double kShortScale =
    12;  // of a unit vector in the index: two bits a component when compressed, and no finer one ranks better

// Spherical k-means (Dhillon and Modha, 2001) on codes: unit centroids of 8 bits, rows as they are stored.
class Clusters {
 public:
  explicit Clusters(uint32_t dimensions) : dimensions_(dimensions) {}

  uint32_t size() const { return uint32_t(inverse_norms_.size()); }
  const int8_t* codes(uint32_t i) const { return &codes_[size_t(i) * dimensions_]; }
  float inverse_norm(uint32_t i) const { return inverse_norms_[i]; }

  void Add(std::span<const float> direction) {
    const std::vector<uint8_t> row = QuantizeRow(direction, 8);
    codes_.insert(codes_.end(), row.begin(), row.end());
    inverse_norms_.push_back(InverseNorm(codes(size()), dimensions_));
  }
  // Cosine-like scores of a row with clusters [first, first + count), up to the row's own norm.
  void Score(const int8_t* row, uint32_t first, uint32_t count, float* scores) const {
    int16_t wide[kMaxDimensions];
    std::copy_n(row, dimensions_, wide);
    dots_.resize(count);
    DotRows(wide, codes(first), dimensions_, count, dots_.data());
    for (uint32_t i = 0; i < count; ++i) scores[i] = float(dots_[i]) * inverse_norms_[first + i];
  }
  uint32_t Nearest(const int8_t* row) const {
    std::vector<float>& scores = scores_;
    scores.resize(size());
    Score(row, 0, size(), scores.data());
    return uint32_t(std::max_element(scores.begin(), scores.end()) - scores.begin());
  }
  void Append(const Clusters& other) {
    codes_.insert(codes_.end(), other.codes_.begin(), other.codes_.end());
    inverse_norms_.insert(inverse_norms_.end(), other.inverse_norms_.begin(), other.inverse_norms_.end());
  }

 private:
  uint32_t dimensions_;
  std::vector<int8_t> codes_;
  std::vector<float> inverse_norms_;
  mutable std::vector<int32_t> dots_;
  mutable std::vector<float> scores_;
};

class Sums {
 public:
  Sums(uint32_t clusters, uint32_t dimensions)
      : dimensions_(dimensions), sums_(size_t(clusters) * dimensions), counts_(clusters) {}
  void Add(uint32_t cluster, const VectorTable& table, uint32_t row) {
    float* sum = &sums_[size_t(cluster) * dimensions_];
    for (uint32_t d = 0; d < dimensions_; ++d) sum[d] += float(table.row(row)[d]) * table.inverse_norm(row);
    ++counts_[cluster];
  }
  uint32_t count(uint32_t cluster) const { return counts_[cluster]; }
  std::span<const float> sum(uint32_t cluster) const { return {&sums_[size_t(cluster) * dimensions_], dimensions_}; }

 private:
  uint32_t dimensions_;
  std::vector<float> sums_;
  std::vector<uint32_t> counts_;
};

// `k` clusters of the given rows, begun from rows spread evenly. Empty ones vanish.
Clusters KMeans(const VectorTable& table, const std::vector<uint32_t>& rows, uint32_t k) {
  const uint32_t dimensions = table.dimensions();
  Clusters clusters(dimensions);
  std::vector<float> direction(dimensions);
  for (uint32_t i = 0; i < k; ++i) {
    const int8_t* row = table.row(rows[size_t(uint64_t(i) * rows.size() / k)]);
    for (uint32_t d = 0; d < dimensions; ++d) direction[d] = float(row[d]);
    clusters.Add(direction);
  }
  for (int round = 0; round < kRounds && k > 1; ++round) {
    Sums sums(clusters.size(), dimensions);
    for (uint32_t row : rows) sums.Add(clusters.Nearest(table.row(row)), table, row);
    Clusters next(dimensions);
    for (uint32_t c = 0; c < clusters.size(); ++c) {
      if (sums.count(c)) next.Add(sums.sum(c));
    }
    clusters = std::move(next);
  }
  return clusters;
}

// Partition of each row: coarse clusters first, then finer ones within, then the best of those within the
// coarse clusters nearby.
struct Partitioning {
  Clusters clusters;
  std::vector<std::vector<uint32_t>> members;
};

Partitioning Divide(const VectorTable& table) {
  const uint32_t n = table.size();
  const uint32_t wanted =
      n < kPartitionFrom ? 1u : std::min(uint32_t(std::lround(kPerRoot * std::sqrt(double(n)))), n / kLeastMembers);
  const uint32_t coarse = std::max(1u, uint32_t(std::lround(std::sqrt(double(wanted)))));
  std::vector<uint32_t> sample(std::min(n, kSample));
  for (size_t i = 0; i < sample.size(); ++i) sample[i] = uint32_t(uint64_t(i) * n / sample.size());
  const Clusters supers = KMeans(table, sample, coarse);
  std::vector<std::vector<uint32_t>> of_super(supers.size());
  for (uint32_t row = 0; row < n; ++row) of_super[supers.Nearest(table.row(row))].push_back(row);

  Clusters all(table.dimensions());
  std::vector<uint32_t> first_of(supers.size() + 1);
  for (uint32_t s = 0; s < supers.size(); ++s) {
    first_of[s] = all.size();
    if (of_super[s].empty()) continue;
    const uint32_t k =
        std::clamp(uint32_t(uint64_t(wanted) * of_super[s].size() / n), 1u, uint32_t(of_super[s].size()));
    all.Append(KMeans(table, of_super[s], k));
  }
  first_of[supers.size()] = all.size();

  Partitioning result{std::move(all), {}};
  result.members.resize(result.clusters.size());
  std::vector<float> near(supers.size()), scores(result.clusters.size());
  std::vector<uint32_t> order(supers.size());
  for (uint32_t row = 0; row < n; ++row) {
    supers.Score(table.row(row), 0, supers.size(), near.data());
    std::iota(order.begin(), order.end(), 0u);
    const size_t few = std::min(kNearSupers, order.size());
    std::partial_sort(order.begin(), order.begin() + ptrdiff_t(few), order.end(),
                      [&](uint32_t a, uint32_t b) { return near[a] != near[b] ? near[a] > near[b] : a < b; });
    uint32_t best = UINT32_MAX;
    float best_score = 0;
    for (size_t i = 0; i < few; ++i) {
      const uint32_t first = first_of[order[i]], count = first_of[order[i] + 1] - first;
      if (count == 0) continue;
      result.clusters.Score(table.row(row), first, count, scores.data());
      const uint32_t at = uint32_t(std::max_element(scores.begin(), scores.begin() + count) - scores.begin());
      if (best == UINT32_MAX || scores[at] > best_score) {
        best = first + at;
        best_score = scores[at];
      }
    }
    result.members[best].push_back(row);
  }
  return result;
}

// A greedy walk from each centroid to the nearest unvisited one, so that near partitions lie side by side.
std::vector<uint32_t> Tour(const Partitioning& parts) {
  std::vector<uint32_t> left, tour;
  for (uint32_t i = 0; i < parts.members.size(); ++i) {
    if (!parts.members[i].empty()) left.push_back(i);
  }
  std::vector<float> scores(parts.clusters.size());
  while (!left.empty()) {
    size_t next = 0;
    if (!tour.empty()) {
      parts.clusters.Score(parts.clusters.codes(tour.back()), 0, parts.clusters.size(), scores.data());
      for (size_t i = 1; i < left.size(); ++i) {
        if (scores[left[i]] > scores[left[next]]) next = i;
      }
    }
    tour.push_back(left[next]);
    left.erase(left.begin() + ptrdiff_t(next));
  }
  return tour;
}

// A partition as it is written: its members around their mean.
struct Group {
  std::vector<uint32_t> members;
  std::vector<uint8_t> row;  // of the mean
  std::vector<int8_t> row_codes;
  float row_factor = 0;
  std::vector<int8_t> short_codes;  // of the mean, as the index keeps it
  float short_factor = 0, spread = 0;
};

// The factor that brings codes closest to a vector: <vector, codes> / <codes, codes>.
float FactorOf(std::span<const float> vector, std::span<const int8_t> codes) {
  double dot = 0, square = 0;
  for (size_t d = 0; d < codes.size(); ++d) {
    dot += double(vector[d]) * codes[d];
    square += double(codes[d]) * codes[d];
  }
  return square > 0 ? float(std::max(0.0, dot / square)) : 0;
}

Group MakeGroup(const VectorTable& table, const RowCode& code, std::vector<uint32_t> members) {
  const uint32_t dimensions = table.dimensions();
  Group group;
  Sums sums(1, dimensions);
  for (uint32_t row : members) sums.Add(0, table, row);
  std::vector<float> mean(sums.sum(0).begin(), sums.sum(0).end());
  double square = 0;
  for (float& m : mean) {
    m /= float(members.size());
    square += double(m) * m;
  }
  group.row = code.Encode(mean, StoredCentroidBytes(dimensions));
  group.row_codes.resize(dimensions);
  code.Decode(group.row, group.row_codes.data());
  group.row_factor = FactorOf(mean, group.row_codes);
  const double length = std::sqrt(square);
  for (uint32_t d = 0; d < std::min(kCentroidDimensions, dimensions); ++d) {
    const double direction = length > 0 ? mean[d] / length : 0;
    group.short_codes.push_back(int8_t(std::clamp(std::lround(direction * kShortScale), -127L, 127L)));
  }
  group.short_factor = FactorOf(mean, group.short_codes);
  // The mean squared distance of unit vectors from their mean is 1 minus the mean's squared length.
  group.spread = float(std::sqrt(std::max(0.0, 1 - square)));
  group.members = std::move(members);
  return group;
}

uint8_t Part255(float value, float largest) {
  return largest > 0 ? uint8_t(std::lround(value / largest * 255)) : uint8_t(0);
}

// Mean, rows. The rows replace those of `table`, as readers will have them.
ByteWriter WritePartition(const Group& group, uint32_t bits, VectorTable* table) {
  const uint32_t dimensions = table->dimensions();
  ByteWriter piece;
  if (bits == 8) {
    for (uint32_t passage : group.members) {
      piece.Bytes({reinterpret_cast<const uint8_t*>(table->row(passage)), dimensions});
    }
    return piece;
  }
  piece.F32(group.row_factor);
  piece.Bytes(group.row);
  std::vector<float> vector(dimensions);
  for (uint32_t d = 0; d < dimensions; ++d) vector[d] = group.row_factor * float(group.row_codes[d]);
  const RowCode code(vector);
  std::vector<int8_t> codes(dimensions);
  for (uint32_t passage : group.members) {
    for (uint32_t d = 0; d < dimensions; ++d) vector[d] = float(table->row(passage)[d]);
    const std::vector<uint8_t> row = code.Encode(vector, StoredRowBytes(dimensions, bits));
    piece.Bytes(row);
    code.Decode(row, codes.data());
    table->SetCodes(passage, codes);
  }
  return piece;
}

}  // namespace

BuiltPartitions BuildPartitions(VectorTable table, const RowCode& code, uint32_t bits,
                                const std::function<void(ByteSpan)>& store) {
  std::vector<Group> groups;
  {
    Partitioning parts = Divide(table);
    for (uint32_t cluster : Tour(parts)) groups.push_back(MakeGroup(table, code, std::move(parts.members[cluster])));
  }

  BuiltPartitions built;
  built.partitions = groups.size();
  float largest_factor = 0;
  std::vector<uint32_t> partition_of(table.size());
  for (uint32_t i = 0; i < groups.size(); ++i) {
    largest_factor = std::max(largest_factor, groups[i].short_factor);
    for (const uint32_t passage : groups[i].members) partition_of[passage] = i;
    store(WritePartition(groups[i], bits, &table).bytes());
  }
  ByteWriter index;
  index.Varint(groups.size());
  index.Varint(std::min(kCentroidDimensions, table.dimensions()));
  index.F32(largest_factor);
  for (const Group& group : groups) index.U8(Part255(group.short_factor, largest_factor));
  for (const Group& group : groups) index.U8(Part255(group.spread, 1));
  for (const Group& group : groups)
    index.Bytes({reinterpret_cast<const uint8_t*>(group.short_codes.data()), group.short_codes.size()});
  WriteNumbers(partition_of, &index);
  built.index = index.Take();
  built.rows = std::move(table);
  return built;
}

}  // namespace sheaf
