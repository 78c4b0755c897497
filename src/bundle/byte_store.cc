#include "bundle/byte_store.h"

#include <algorithm>

namespace sheaf {

Status ByteStore::Supply(uint64_t offset, std::vector<uint8_t> bytes) {
  if (offset > size_ || bytes.size() > size_ - offset) {
    return Error{ErrorCode::kInvalidArgument, "supplied range " + std::to_string(offset) + "+" +
                                                  std::to_string(bytes.size()) + " lies outside the file of " +
                                                  std::to_string(size_) +
                                                  " bytes; declare the right size with SetSource first"};
  }
  if (bytes.empty()) return {};
  const uint64_t end = offset + bytes.size();

  // Segments that touch the range, in order; the gaps between them are new bytes.
  auto it = segments_.upper_bound(offset);
  if (it != segments_.begin()) {
    auto before = std::prev(it);
    if (before->first + before->second.size() > offset) it = before;
  }
  if (it == segments_.end() || it->first >= end) {
    segments_.emplace(offset, std::move(bytes));
    return {};
  }
  uint64_t at = offset;
  while (at < end) {
    const bool inside = it != segments_.end() && it->first <= at;
    if (inside) {
      at = std::max(at, it->first + it->second.size());
      ++it;
      continue;
    }
    const uint64_t gap_end = it == segments_.end() ? end : std::min(end, it->first);
    segments_.emplace_hint(
        it, at,
        std::vector<uint8_t>(bytes.begin() + ptrdiff_t(at - offset), bytes.begin() + ptrdiff_t(gap_end - offset)));
    at = gap_end;
  }
  return {};
}

uint64_t ByteStore::HeldUntil(uint64_t offset, uint64_t end) const {
  auto it = segments_.upper_bound(offset);
  if (it != segments_.begin()) --it;
  for (; offset < end && it != segments_.end() && it->first <= offset; ++it) {
    offset = std::max(offset, it->first + it->second.size());
  }
  return std::min(offset, end);
}

bool ByteStore::Holds(uint64_t offset, uint64_t length) const {
  return offset <= size_ && length <= size_ - offset && HeldUntil(offset, offset + length) == offset + length;
}

std::optional<ByteSpan> ByteStore::View(uint64_t offset, uint64_t length, std::vector<uint8_t>* scratch) const {
  if (offset > size_ || length > size_ - offset) return std::nullopt;
  if (length == 0) return ByteSpan();
  auto it = segments_.upper_bound(offset);
  if (it == segments_.begin()) return std::nullopt;
  --it;
  uint64_t inside = offset - it->first;
  if (inside >= it->second.size()) return std::nullopt;
  if (length <= it->second.size() - inside) {
    return ByteSpan(it->second).subspan(size_t(inside), size_t(length));
  }
  if (!Holds(offset, length)) return std::nullopt;  // first, so that no memory is allocated for a hostile length
  scratch->clear();
  scratch->reserve(size_t(length));
  while (scratch->size() < length) {
    const size_t take = size_t(std::min<uint64_t>(length - scratch->size(), it->second.size() - inside));
    scratch->insert(scratch->end(), it->second.begin() + ptrdiff_t(inside),
                    it->second.begin() + ptrdiff_t(inside + take));
    inside = 0;
    ++it;
  }
  return ByteSpan(*scratch);
}

}  // namespace sheaf
