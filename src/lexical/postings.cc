#include "lexical/postings.h"

#include <algorithm>
#include <bit>

#include "lexical/bm25.h"

namespace sheaf {
namespace {

// Reads up to 32 bits at a time from a bit string that has been bounds-checked as a whole. Reads the last bytes one by
// one, so that no load passes the end.
class BitReader {
 public:
  BitReader(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  uint32_t Take(uint32_t bits) {
    if (bits == 0) return 0;
    while (held_ < bits) {
      buffer_ |= uint64_t(at_ < size_ ? data_[at_] : 0) << held_;
      ++at_;
      held_ += 8;
    }
    const uint32_t value = uint32_t(buffer_ & ((uint64_t(1) << bits) - 1));
    buffer_ >>= bits;
    held_ -= bits;
    return value;
  }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
  uint64_t buffer_ = 0;
  uint32_t held_ = 0;
};

class BitWriter {
 public:
  explicit BitWriter(std::vector<uint8_t>* out) : out_(out) {}
  void Put(uint32_t value, uint32_t bits) {
    buffer_ |= uint64_t(value) << held_;
    held_ += bits;
    while (held_ >= 8) {
      out_->push_back(uint8_t(buffer_));
      buffer_ >>= 8;
      held_ -= 8;
    }
  }
  void Flush() {
    if (held_) out_->push_back(uint8_t(buffer_));
    buffer_ = 0;
    held_ = 0;
  }

 private:
  std::vector<uint8_t>* out_;
  uint64_t buffer_ = 0;
  uint32_t held_ = 0;
};

// A posting's number in its block, and its role.
constexpr uint32_t kNumberBits = 7, kRoleBits = 3;
static_assert(kPostingBlock == 1u << kNumberBits && kMaxNameRole < 1u << kRoleBits);

Error BadList(const char* what) {
  return Error{ErrorCode::kCorrupt,
               std::string("a posting list ") + what + "; the file is damaged, fetch or pack it again"};
}

}  // namespace

Status DecodePostings(ByteSpan bytes, uint32_t count, uint32_t passages, std::vector<Posting>* out) {
  if (count > passages || count > bytes.size() * 8) return BadList("is longer than the number of passages");
  const size_t start = out->size();
  out->resize(start + count);
  Posting* posting = out->data() + start;
  size_t at = 0;
  uint64_t next = 0;  // smallest passage that may follow
  for (uint32_t left = count; left > 0;) {
    const uint32_t n = std::min(left, kPostingBlock);
    if (bytes.size() - at < 2) return BadList("ends early");
    const uint32_t gap_bits = bytes[at] & 127;
    const bool named = bytes[at] & 128;
    const uint32_t base = bytes[at + 1] & 31, level_bits = bytes[at + 1] >> 5;
    at += 2;
    // A posting takes a bit at least, so that a list costs no more than its bytes make plausible.
    if (gap_bits > 32 || level_bits > 5 || gap_bits + level_bits == 0) return BadList("has an impossible width");
    const size_t size = (size_t(n) * (gap_bits + level_bits) + 7) / 8;
    if (bytes.size() - at < size) return BadList("ends early");
    BitReader reader(bytes.data() + at, size);
    at += size;
    for (uint32_t i = 0; i < n; ++i) {
      next += reader.Take(gap_bits);
      if (next >= passages) return BadList("names a passage that does not exist");
      posting[i].passage = uint32_t(next++);
    }
    for (uint32_t i = 0; i < n; ++i) {
      posting[i].level = uint8_t(std::min<uint32_t>(base + reader.Take(level_bits), kLevels - 1));
    }
    if (named) {
      if (at == bytes.size()) return BadList("ends early");
      const uint32_t names = uint32_t(bytes[at++]) + 1;
      const size_t name_bytes = (size_t(names) * (kNumberBits + kRoleBits) + 7) / 8;
      if (bytes.size() - at < name_bytes) return BadList("ends early");
      BitReader name(bytes.data() + at, name_bytes);
      at += name_bytes;
      for (uint32_t i = 0; i < names; ++i) {
        const uint32_t number = name.Take(kNumberBits);
        if (number >= n) return BadList("names a posting that does not exist");
        posting[number].role = NameRole(name.Take(kRoleBits));
      }
    }
    posting += n;
    left -= n;
  }
  return at == bytes.size() ? Status() : BadList("is longer than it says");
}

void EncodePostings(const std::vector<Posting>& postings, std::vector<uint8_t>* out) {
  uint32_t next = 0;
  for (size_t start = 0; start < postings.size(); start += kPostingBlock) {
    const size_t end = std::min<size_t>(postings.size(), start + kPostingBlock);
    uint32_t widest = 0, low = kLevels - 1, high = 0, names = 0;
    uint32_t expected = next;
    for (size_t i = start; i < end; ++i) {
      widest = std::max(widest, postings[i].passage - expected);
      expected = postings[i].passage + 1;
      low = std::min<uint32_t>(low, postings[i].level);
      high = std::max<uint32_t>(high, postings[i].level);
      names += postings[i].role != NameRole::kNone;
    }
    const uint32_t gap_bits = uint32_t(std::bit_width(widest));
    const uint32_t level_bits = uint32_t(std::max<int>(std::bit_width(high - low), gap_bits == 0));
    out->push_back(uint8_t(gap_bits | (names ? 128 : 0)));
    out->push_back(uint8_t(low | level_bits << 5));
    BitWriter writer(out);
    for (size_t i = start; i < end; ++i) {
      writer.Put(postings[i].passage - next, gap_bits);
      next = postings[i].passage + 1;
    }
    for (size_t i = start; i < end; ++i) writer.Put(postings[i].level - low, level_bits);
    writer.Flush();
    if (!names) continue;
    out->push_back(uint8_t(names - 1));
    for (size_t i = start; i < end; ++i) {
      if (postings[i].role == NameRole::kNone) continue;
      writer.Put(uint32_t(i - start), kNumberBits);
      writer.Put(uint32_t(postings[i].role), kRoleBits);
    }
    writer.Flush();
  }
}

}  // namespace sheaf
