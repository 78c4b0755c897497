// Bytes that grow without end: appended to and finally drained, in chunks. Native only.
//
// Idea: a vector that grows copies itself, and holds both copies while it does; with hundreds of megabytes that doubles
// the memory of a packer. Chunks never move, and each is returned to the system as soon as it was visited.
#ifndef SHEAF_BASE_BYTE_CHUNKS_BUILDER_H_
#define SHEAF_BASE_BYTE_CHUNKS_BUILDER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.h"

namespace sheaf {

class ByteChunks {
 public:
  // Never cuts the bytes of one call: they come back in one visit.
  void Append(ByteSpan bytes) {
    if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < bytes.size()) {
      chunks_.emplace_back();
      // Small sections stay small.
      chunks_.back().reserve(std::max<size_t>(bytes.size(), size_t(std::min<uint64_t>(size_, kChunkBytes))));
    }
    chunks_.back().insert(chunks_.back().end(), bytes.begin(), bytes.end());
    size_ += bytes.size();
  }
  uint64_t size() const { return size_; }

  // Calls `visit` with all bytes in order, and forgets them as it goes.
  void Drain(const std::function<void(ByteSpan)>& visit) {
    for (std::vector<uint8_t>& chunk : chunks_) {
      visit(chunk);
      std::vector<uint8_t>().swap(chunk);
    }
    chunks_.clear();
    size_ = 0;
  }

 private:
  static constexpr uint64_t kChunkBytes = 1 << 20;

  std::vector<std::vector<uint8_t>> chunks_;
  uint64_t size_ = 0;
};

}  // namespace sheaf

#endif  // SHEAF_BASE_BYTE_CHUNKS_BUILDER_H_
