// Exact nearest neighbours by scanning every row. See flat.h.
#include "vector/flat.h"

#include <algorithm>
#include <cassert>

namespace sheaf {
namespace {

constexpr uint32_t kScanBlock = 512;  // rows whose cosines lie on the stack at a time

// Float rounding may carry a cosine a hair beyond 1; the clamp keeps the promise of -1..1.
float Cosine1(int32_t dot, float query_inverse_norm, float row_inverse_norm) {
  return std::clamp(float(dot) * query_inverse_norm * row_inverse_norm, -1.0f, 1.0f);
}

}  // namespace

void VectorTable::Reserve(size_t rows) {
  codes_.reserve(rows * dimensions_);
  inverse_norms_.reserve(rows);
}

void VectorTable::Append(ByteSpan rows) {
  const size_t row_bytes = RowBytes(dimensions_, bits_);
  assert(row_bytes > 0 && rows.size() % row_bytes == 0);
  if (row_bytes == 0) return;
  const size_t count = rows.size() / row_bytes;
  size_t at = codes_.size();
  codes_.resize(at + count * dimensions_);
  for (size_t i = 0; i < count; ++i, at += dimensions_) {
    UnpackRow(&rows[i * row_bytes], dimensions_, bits_, &codes_[at]);
    inverse_norms_.push_back(InverseNorm(&codes_[at], dimensions_));
  }
}

void VectorTable::AppendCodes(std::span<const int8_t> codes) {
  codes_.insert(codes_.end(), codes.begin(), codes.end());
  inverse_norms_.push_back(InverseNorm(codes.data(), codes.size()));
}

void VectorTable::Resize(size_t rows) {
  codes_.resize(rows * dimensions_);
  inverse_norms_.resize(rows);
}

void VectorTable::SetCodes(uint32_t id, std::span<const int8_t> codes) {
  std::copy(codes.begin(), codes.end(), codes_.begin() + ptrdiff_t(size_t(id) * dimensions_));
  inverse_norms_[id] = InverseNorm(codes.data(), codes.size());
}

VectorQuery::VectorQuery(std::span<const float> vector) {
  const std::vector<uint8_t> row = QuantizeRow(vector, 8);
  const auto* codes = reinterpret_cast<const int8_t*>(row.data());
  inverse_norm_ = InverseNorm(codes, row.size());
  codes_.assign(codes, codes + row.size());
}

float VectorQuery::Cosine(const VectorTable& table, uint32_t id) const {
  assert(id < table.size());
  if (codes_.size() != table.dimensions()) return 0;
  int32_t dot;
  DotRows(codes_.data(), table.row(id), codes_.size(), 1, &dot);
  return Cosine1(dot, inverse_norm_, table.inverse_norm(id));
}

// Cosines of `count` rows from `first` on.
void ScanBlock(const VectorTable& table, const VectorQuery& query, uint32_t first, uint32_t count, float* cosines) {
  if (count == 0) return;
  if (query.codes_.size() != table.dimensions()) {
    std::fill_n(cosines, count, 0.0f);
    return;
  }
  int32_t dots[kScanBlock];
  while (count > 0) {
    const uint32_t take = std::min(count, kScanBlock);
    DotRows(query.codes_.data(), table.row(first), query.codes_.size(), take, dots);
    for (uint32_t i = 0; i < take; ++i)
      cosines[i] = Cosine1(dots[i], query.inverse_norm_, table.inverse_norm(first + i));
    first += take;
    cosines += take;
    count -= take;
  }
}

void ScanAll(const VectorTable& table, const VectorQuery& query, std::vector<float>* cosines) {
  cosines->resize(table.size());
  ScanBlock(table, query, 0, table.size(), cosines->data());
}

std::vector<Neighbor> ScanTop(const VectorTable& table, const VectorQuery& query, size_t k) {
  std::vector<Neighbor> top;  // a heap whose front is the farthest of the k closest so far
  k = std::min<size_t>(k, table.size());
  if (k == 0) return top;
  top.reserve(k);
  float cosines[kScanBlock];
  for (uint32_t first = 0; first < table.size(); first += kScanBlock) {
    const uint32_t count = std::min(table.size() - first, kScanBlock);
    ScanBlock(table, query, first, count, cosines);
    for (uint32_t i = 0; i < count; ++i) {
      const Neighbor neighbor{first + i, cosines[i]};
      if (top.size() < k) {
        top.push_back(neighbor);
        std::push_heap(top.begin(), top.end(), Closer);
      } else if (Closer(neighbor, top.front())) {
        std::pop_heap(top.begin(), top.end(), Closer);
        top.back() = neighbor;
        std::push_heap(top.begin(), top.end(), Closer);
      }
    }
  }
  std::sort_heap(top.begin(), top.end(), Closer);
  return top;
}

}  // namespace sheaf
