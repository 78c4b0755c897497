// Reads and searches the graph whose bytes hnsw_builder.cc writes. Layout in hnsw.h.
#include "vector/hnsw.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace sheaf {
namespace {

constexpr size_t kGraphHeaderBytes = 32;

Error Corrupt(const std::string& what, uint64_t expected, const char* relation, uint64_t got) {
  return {ErrorCode::kCorrupt, "HNSW graph: " + what + ": expected " + relation + std::to_string(expected) + ", got " +
                                   std::to_string(got) + "; pack the bundle again"};
}

// Order of a heap of candidates: the closest in front.
bool Farther(const Neighbor& a, const Neighbor& b) { return Closer(b, a); }

bool SameRow(const VectorTable& table, uint32_t a, uint32_t b) {
  return std::memcmp(table.row(a), table.row(b), table.dimensions()) == 0;
}

}  // namespace

Result<HnswGraph> HnswGraph::Open(ByteSpan bytes) {
  if (bytes.size() < kGraphHeaderBytes) return Corrupt("size of the header", kGraphHeaderBytes, "", bytes.size());
  ByteReader header(bytes.first(kGraphHeaderBytes));
  HnswGraph graph;
  const uint32_t magic = header.U32();
  graph.node_count_ = header.U32();
  graph.dimensions_ = header.U32();
  graph.m_ = header.U32();
  graph.m0_ = header.U32();
  graph.max_level_ = header.U32();
  graph.entry_ = header.U32();
  graph.upper_count_ = header.U32();

  if (magic != kHnswMagic) return Corrupt("magic number", kHnswMagic, "", magic);
  if (graph.node_count_ > kMaxHnswNodes)
    return Corrupt("number of nodes", kMaxHnswNodes, "at most ", graph.node_count_);
  if (graph.dimensions_ == 0 || graph.dimensions_ % 16 != 0 || graph.dimensions_ > kMaxDimensions)
    return Corrupt("dimensions", kMaxDimensions, "a multiple of 16 up to ", graph.dimensions_);
  if (graph.m_ == 0 || graph.m_ > kMaxHnswLinks) return Corrupt("M", kMaxHnswLinks, "1 to ", graph.m_);
  if (graph.m0_ == 0 || graph.m0_ > kMaxHnswLinks) return Corrupt("M0", kMaxHnswLinks, "1 to ", graph.m0_);
  if (graph.max_level_ > kMaxHnswLevel) return Corrupt("highest level", kMaxHnswLevel, "at most ", graph.max_level_);
  if (graph.upper_count_ > graph.node_count_)
    return Corrupt("number of nodes above level 0", graph.node_count_, "at most ", graph.upper_count_);
  if (graph.node_count_ == 0) {
    if (graph.entry_ != 0 || graph.max_level_ != 0)
      return Corrupt("entry point and level of an empty graph", 0, "", graph.entry_ | graph.max_level_);
  } else if (graph.entry_ >= graph.node_count_) {
    return Corrupt("entry point", graph.node_count_, "below ", graph.entry_);
  }

  // All sizes are summed in 64 bits before any pointer is made: a reader's size_t may have 32.
  const uint64_t level0_bytes = uint64_t(graph.node_count_) * graph.m0_ * 4;
  const uint64_t upper_bytes = uint64_t(graph.upper_count_) * 8;
  const uint64_t offset_bytes = uint64_t(graph.upper_count_) * 4;
  const uint64_t fixed_bytes = kGraphHeaderBytes + level0_bytes + upper_bytes + offset_bytes;
  if (fixed_bytes > bytes.size()) return Corrupt("size", fixed_bytes, "at least ", bytes.size());
  graph.level0_ = bytes.data() + kGraphHeaderBytes;
  graph.upper_ = graph.level0_ + size_t(level0_bytes);
  graph.upper_offset_ = graph.upper_ + size_t(upper_bytes);
  graph.upper_links_ = graph.upper_offset_ + size_t(offset_bytes);

  uint64_t rows = 0;  // at most kMaxHnswNodes * kMaxHnswLevel
  uint32_t entry_level = 0;
  for (uint32_t i = 0; i < graph.upper_count_; ++i) {
    const uint32_t node = LoadU32(graph.upper_ + size_t(i) * 8);
    const uint32_t level = LoadU32(graph.upper_ + size_t(i) * 8 + 4);
    const uint32_t offset = LoadU32(graph.upper_offset_ + size_t(i) * 4);
    if (node >= graph.node_count_) return Corrupt("node above level 0", graph.node_count_, "below ", node);
    if (i > 0) {
      const uint32_t previous = LoadU32(graph.upper_ + size_t(i) * 8 - 8);
      if (node <= previous) return Corrupt("order of nodes above level 0", previous, "above ", node);
    }
    if (level == 0 || level > graph.max_level_)
      return Corrupt("level of node " + std::to_string(node), graph.max_level_, "1 to ", level);
    if (offset != rows) return Corrupt("links of node " + std::to_string(node), rows, "at row ", offset);
    if (node == graph.entry_) entry_level = level;
    rows += level;
  }
  if (entry_level != graph.max_level_) return Corrupt("level of the entry point", graph.max_level_, "", entry_level);
  const uint64_t total_bytes = fixed_bytes + rows * graph.m_ * 4;
  if (total_bytes != bytes.size()) return Corrupt("size", total_bytes, "", bytes.size());

  const auto check_links = [&](const uint8_t* links, uint64_t byte_count) -> Status {
    for (const uint8_t* p = links; p != links + size_t(byte_count); p += 4) {
      const uint32_t neighbor = LoadU32(p);
      if (neighbor >= graph.node_count_ && neighbor != kHnswFiller)
        return Corrupt("neighbour", graph.node_count_, "below ", neighbor);
    }
    return {};
  };
  SHEAF_RETURN_IF_ERROR(check_links(graph.level0_, level0_bytes));
  SHEAF_RETURN_IF_ERROR(check_links(graph.upper_links_, rows * graph.m_ * 4));
  return graph;
}

ByteSpan HnswGraph::Links(uint32_t node, uint32_t level) const {
  if (level == 0) return {level0_ + size_t(node) * m0_ * 4, size_t(m0_) * 4};
  uint32_t low = 0, high = upper_count_;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (LoadU32(upper_ + size_t(middle) * 8) < node) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == upper_count_ || LoadU32(upper_ + size_t(low) * 8) != node) return {};
  if (level > LoadU32(upper_ + size_t(low) * 8 + 4)) return {};
  const size_t row = size_t(LoadU32(upper_offset_ + size_t(low) * 4)) + level - 1;
  return {upper_links_ + row * m_ * 4, size_t(m_) * 4};
}

std::vector<Neighbor> HnswGraph::Search(const VectorTable& table, const VectorQuery& query, size_t k, size_t ef) const {
  if (k == 0 || node_count_ == 0 || table.size() != node_count_ || table.dimensions() != dimensions_) return {};
  if (!query.valid()) return ScanTop(table, query, k);  // all cosines are 0: the first k rows
  k = std::min<size_t>(k, node_count_);
  ef = std::clamp<size_t>(ef, k, node_count_);

  // Descent: at each upper level walk to the closest neighbour until none is closer. Every step
  // is an improvement in a total order, so the walk ends, for any links.
  Neighbor nearest{entry_, query.Cosine(table, entry_)};
  for (uint32_t level = max_level_; level > 0; --level) {
    for (bool improved = true; improved;) {
      improved = false;
      const ByteSpan links = Links(nearest.id, level);
      for (size_t i = 0; i < links.size(); i += 4) {
        const uint32_t id = LoadU32(&links[i]);
        // A neighbour that has no row at this level is a bad link.
        if (id == kHnswFiller || Links(id, level).empty()) continue;
        const Neighbor neighbor{id, query.Cosine(table, id)};
        if (Closer(neighbor, nearest)) {
          nearest = neighbor;
          improved = true;
        }
      }
    }
  }

  // Level 0: expand the closest candidate until it is farther than the farthest of the ef best.
  // Every node is looked at once.
  std::vector<uint64_t> visited((size_t(node_count_) + 63) / 64);
  const auto visit = [&visited](uint32_t id) {
    uint64_t& word = visited[id / 64];
    const uint64_t bit = uint64_t(1) << (id % 64);
    const bool first = (word & bit) == 0;
    word |= bit;
    return first;
  };
  std::vector<Neighbor> candidates{nearest};  // heap, closest in front
  std::vector<Neighbor> best{nearest};        // heap, farthest in front
  best.reserve(ef + 1);
  visit(nearest.id);
  std::vector<uint32_t> fresh(m0_);
  while (!candidates.empty()) {
    const Neighbor candidate = candidates.front();
    if (best.size() == ef && Closer(best.front(), candidate)) break;
    std::pop_heap(candidates.begin(), candidates.end(), Farther);
    candidates.pop_back();

    // Gathering first lets the rows travel from memory while the first ones are compared.
    size_t fresh_count = 0;
    const uint8_t* links = level0_ + size_t(candidate.id) * m0_ * 4;
    for (uint32_t i = 0; i < m0_; ++i) {
      const uint32_t id = LoadU32(links + size_t(i) * 4);
      if (id == kHnswFiller || !visit(id)) continue;
      fresh[fresh_count++] = id;
#if defined(__GNUC__) && !defined(__wasm__)
      for (uint32_t at = 0; at < table.dimensions(); at += 64) __builtin_prefetch(table.row(id) + at);
#endif
    }
    for (size_t i = 0; i < fresh_count; ++i) {
      const Neighbor neighbor{fresh[i], query.Cosine(table, fresh[i])};
      if (best.size() == ef && !Closer(neighbor, best.front())) continue;
      if (neighbor.cosine == candidate.cosine && SameRow(table, neighbor.id, candidate.id)) continue;
      candidates.push_back(neighbor);
      std::push_heap(candidates.begin(), candidates.end(), Farther);
      best.push_back(neighbor);
      std::push_heap(best.begin(), best.end(), Closer);
      if (best.size() > ef) {
        std::pop_heap(best.begin(), best.end(), Closer);
        best.pop_back();
      }
    }
  }
  std::sort_heap(best.begin(), best.end(), Closer);

  // Each distinct row brings its copies. A node behind k others that are closer than it cannot be
  // among the first k, and neither can the k-th copy of any.
  std::vector<Neighbor> found;
  for (size_t i = 0; i < best.size(); ++i) {
    if (found.size() >= k && best[i].cosine < best[i - 1].cosine) break;
    found.push_back(best[i]);
    uint32_t copy = best[i].id;
    for (size_t copies = 1; copies < k; ++copies) {
      copy = NextCopy(table, copy);
      if (copy == kHnswFiller) break;
      found.push_back({copy, best[i].cosine});
    }
  }
  // A graph by a stranger may name a copy twice.
  std::sort(found.begin(), found.end(), Closer);
  found.erase(
      std::unique(found.begin(), found.end(), [](const Neighbor& a, const Neighbor& b) { return a.id == b.id; }),
      found.end());
  found.resize(std::min(found.size(), k));
  return found;
}

uint32_t HnswGraph::NextCopy(const VectorTable& table, uint32_t node) const {
  uint32_t next = kHnswFiller;
  const ByteSpan links = Links(node, 0);
  for (size_t i = 0; i < links.size(); i += 4) {
    const uint32_t id = LoadU32(&links[i]);
    // kHnswFiller is the highest id there is, so that `id < next` refuses it too.
    if (id > node && id < next && SameRow(table, node, id)) next = id;
  }
  return next;
}

}  // namespace sheaf
