// The bytes of one file that the host has supplied so far: disjoint segments in order of offset.
//
// Idea: the core does no I/O; the host supplies bytes. If the store holds the whole range, a read returns
// a view: without a copy when one segment holds it, gathered into scratch space when it spans several.
// Otherwise the read returns no view, and the caller notes the range as needed.
//
// Invariants: segments never overlap, never move once inserted, and lie inside [0, size).
// Cost: one map lookup a read.
#ifndef SHEAF_BUNDLE_BYTE_STORE_H_
#define SHEAF_BUNDLE_BYTE_STORE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf {

class ByteStore {
 public:
  explicit ByteStore(uint64_t size = 0) : size_(size) {}

  uint64_t size() const { return size_; }

  // Stores the bytes it does not hold yet. Error: kInvalidArgument past the end.
  Status Supply(uint64_t offset, std::vector<uint8_t> bytes);

  // End of the contiguous bytes held from `offset` on, capped at `end`. REQUIRES: offset <= end
  uint64_t HeldUntil(uint64_t offset, uint64_t end) const;
  // Every byte of the range is there.
  bool Holds(uint64_t offset, uint64_t length) const;
  // The range as a view, or nullopt when a byte of it is missing. Views of ranges that span
  // segments live in `scratch`; others live as long as the store.
  std::optional<ByteSpan> View(uint64_t offset, uint64_t length, std::vector<uint8_t>* scratch) const;

 private:
  uint64_t size_;
  std::map<uint64_t, std::vector<uint8_t>> segments_;
};

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_BYTE_STORE_H_
