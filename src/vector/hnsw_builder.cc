// Builds with hnswlib, writes the layout of hnsw.h; its reader is hnsw.cc. Native only, with
// exceptions: hnswlib throws, and no exception leaves this file.
#include "vector/hnsw_builder.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

// hnswlib's own SIMD is off: distances come from our integer dot product, and its prefetches read
// one link past the end of a full list.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

#include "vector/hnsw.h"

namespace sheaf {
namespace {

// The metric of the search itself: minus the cosine of two rows of codes, in fixed point. hnswlib's heaps
// compare distances alone, so between equal ones the standard library's heap would decide. Therefore the
// points' numbers follow in the low bits: for every point that has a list, no two others are equally far from
// it, and of two with the same cosine the earlier is nearer.
//
// A point is `dimensions` codes, its inverse norm as a float, and its number.
class CodeSpace final : public hnswlib::SpaceInterface<int64_t> {
 public:
  explicit CodeSpace(size_t dimensions) : dimensions_(dimensions) {}
  size_t get_data_size() override { return dimensions_ + sizeof(float) + sizeof(uint32_t); }
  hnswlib::DISTFUNC<int64_t> get_dist_func() override { return Distance; }
  void* get_dist_func_param() override { return &dimensions_; }

 private:
  static constexpr float kCosineSteps = 0x1p32f;
  static constexpr int64_t kNumbers = 2 * int64_t(kMaxHnswNodes);  // sums of two numbers are below this

  static int64_t Distance(const void* a, const void* b, const void* dimensions_param) {
    const size_t dimensions = *static_cast<const size_t*>(dimensions_param);
    const auto* x = static_cast<const int8_t*>(a);
    const auto* y = static_cast<const int8_t*>(b);
    float x_norm, y_norm;
    std::memcpy(&x_norm, x + dimensions, sizeof(float));
    std::memcpy(&y_norm, y + dimensions, sizeof(float));
    uint32_t x_number, y_number;
    std::memcpy(&x_number, x + dimensions + sizeof(float), sizeof(uint32_t));
    std::memcpy(&y_number, y + dimensions + sizeof(float), sizeof(uint32_t));
    const float cosine = float(Dot(x, y, dimensions)) * (x_norm * y_norm);
    return int64_t(x_number) + y_number - int64_t(cosine * kCosineSteps) * kNumbers;
  }

  size_t dimensions_;
};

using Index = hnswlib::HierarchicalNSW<int64_t>;

// The levels of the points, one after the other: level l or above has a share of 1 / m^l. Integers alone, by
// SplitMix64 (Steele, Lea and Flood, 2014), where hnswlib would draw from the standard library's default engine
// and take a logarithm, both of which differ between platforms.
class Levels {
 public:
  Levels(uint32_t m, uint32_t seed) : rise_below_(UINT64_MAX / m), state_(seed) {}
  uint32_t Next() {
    uint32_t level = 0;
    while (level < kMaxHnswLevel && Draw() < rise_below_) ++level;
    return level;
  }

 private:
  uint64_t Draw() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  uint64_t rise_below_, state_;
};

// Which rows repeat an earlier one: the first of each distinct row, in order, and for every row the
// next one that repeats it (kHnswFiller for none).
struct Copies {
  std::vector<uint32_t> first;
  std::vector<uint32_t> next;
};

Copies FindCopies(const VectorTable& table) {
  Copies copies;
  copies.next.assign(table.size(), kHnswFiller);
  std::unordered_map<std::string_view, uint32_t> last;
  last.reserve(table.size());
  for (uint32_t id = 0; id < table.size(); ++id) {
    const std::string_view row(reinterpret_cast<const char*>(table.row(id)), table.dimensions());
    const auto [at, is_first] = last.try_emplace(row, id);
    if (is_first) {
      copies.first.push_back(id);
    } else {
      copies.next[at->second] = id;
      at->second = id;
    }
  }
  return copies;
}

// Appends a row of links, filled to `width`. Ascending: the search does not care, compression does.
void WriteLinks(std::vector<uint32_t> links, size_t width, ByteWriter* out) {
  std::sort(links.begin(), links.end());
  links.resize(width, kHnswFiller);
  for (const uint32_t id : links) out->U32(id);
}

// The memory of one point at level 0 in hnswlib: links and their count, the point, its label.
size_t PointBytes(const VectorTable& table, const HnswOptions& options) {
  return (2 * options.m + 1) * sizeof(hnswlib::tableint) + CodeSpace(table.dimensions()).get_data_size() +
         sizeof(hnswlib::labeltype);
}

std::vector<uint8_t> Build(const VectorTable& table, const HnswOptions& options,
                           const std::function<void(uint32_t)>& progress) {
  const size_t dimensions = table.dimensions();
  const Copies copies = FindCopies(table);
  const uint32_t count = table.size(), distinct = uint32_t(copies.first.size());

  CodeSpace space(dimensions);
  Index index(&space, std::max(distinct, 1u), options.m, options.ef_construction);
  index.mult_ = 0;  // hnswlib's own draw is then level 0, and a level above that is taken from the caller
  Levels levels(options.m, options.seed);
  std::vector<uint8_t> point(space.get_data_size());
  uint32_t inserted = 0;
  for (uint32_t id = 0; id < count; ++id) {
    if (inserted < distinct && copies.first[inserted] == id) {
      const float inverse_norm = table.inverse_norm(id);
      std::memcpy(point.data(), table.row(id), dimensions);
      std::memcpy(point.data() + dimensions, &inverse_norm, sizeof(float));
      std::memcpy(point.data() + dimensions + sizeof(float), &inserted, sizeof(inserted));
      index.addPoint(point.data(), id, int(levels.Next()));
      ++inserted;
    }
    if (progress) progress(id + 1);
  }

  // hnswlib numbers its points as they come: point i is the row copies.first[i].
  const auto links_of = [&](uint32_t point_id, int level) {
    hnswlib::linklistsizeint* list = index.get_linklist_at_level(point_id, level);
    const uint32_t link_count = index.getListCount(list);
    std::vector<uint32_t> links(list + 1, list + 1 + link_count);
    for (uint32_t& link : links) link = copies.first[link];
    return links;
  };
  std::vector<uint32_t> upper;  // points above level 0
  for (uint32_t i = 0; i < distinct; ++i) {
    if (index.element_levels_[i] > 0) upper.push_back(i);
  }

  const size_t m = index.maxM_;
  const size_t m0 = index.maxM0_ + (distinct < count ? 1 : 0);  // room for the link to a copy
  ByteWriter out;
  // A vector that grows would hold the links twice.
  out.Reserve((size_t(count) * m0 + upper.size() * (m + m / 8 + 3) + 16) * sizeof(uint32_t));
  out.U32(kHnswMagic);
  out.U32(count);
  out.U32(uint32_t(dimensions));
  out.U32(uint32_t(m));
  out.U32(uint32_t(m0));
  out.U32(distinct == 0 ? 0 : uint32_t(index.maxlevel_));
  out.U32(distinct == 0 ? 0 : copies.first[index.enterpoint_node_]);
  out.U32(uint32_t(upper.size()));
  for (uint32_t id = 0, i = 0; id < count; ++id) {
    std::vector<uint32_t> links;
    if (i < distinct && copies.first[i] == id) links = links_of(i++, 0);
    if (copies.next[id] != kHnswFiller) links.push_back(copies.next[id]);
    WriteLinks(std::move(links), m0, &out);
  }
  for (const uint32_t i : upper) {
    out.U32(copies.first[i]);
    out.U32(uint32_t(index.element_levels_[i]));
  }
  uint32_t offset = 0;
  for (const uint32_t i : upper) {
    out.U32(offset);
    offset += uint32_t(index.element_levels_[i]);
  }
  for (const uint32_t i : upper)
    for (int level = 1; level <= index.element_levels_[i]; ++level) WriteLinks(links_of(i, level), m, &out);
  return out.Take();
}

}  // namespace

Result<std::vector<uint8_t>> BuildHnsw(const VectorTable& table, const HnswOptions& options,
                                       const std::function<void(uint32_t)>& progress) {
  if (options.m < 8 || options.m > 64)
    return Error{ErrorCode::kInvalidArgument,
                 "HNSW links per node: expected 8 to 64, got " + std::to_string(options.m)};
  if (options.ef_construction < 50 || options.ef_construction > 1000)
    return Error{ErrorCode::kInvalidArgument,
                 "HNSW ef_construction: expected 50 to 1000, got " + std::to_string(options.ef_construction)};
  const auto too_large = [&](uint64_t most) {
    return Error{ErrorCode::kTooLarge, "HNSW graph: expected at most " + std::to_string(most) + " vectors, got " +
                                           std::to_string(table.size()) + "; pack without a graph"};
  };
  if (table.size() > kMaxHnswNodes) return too_large(kMaxHnswNodes);
  // hnswlib keeps all points in one allocation, whose size it computes without a check.
  const uint64_t most_points = uint64_t(PTRDIFF_MAX) / PointBytes(table, options);
  if (table.size() > most_points) return too_large(most_points);
  try {
    return Build(table, options, progress);
  } catch (const std::exception& e) {
    return Error{ErrorCode::kInternal, std::string("HNSW graph: ") + e.what()};
  } catch (...) {
    return Error{ErrorCode::kInternal, "HNSW graph: an unknown exception"};
  }
}

}  // namespace sheaf
