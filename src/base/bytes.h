// Little-endian integers and varints over byte spans: the only code that turns bytes into numbers.
//
// Idea: `ByteReader` walks a span and checks every read against its end. A failed read sets a
// sticky flag and yields zero, so a decoder reads a whole structure and asks `ok()` once.
// `ByteWriter` is its mirror.
//
// Varints are LEB128: seven bits a byte, least significant first, at most ten bytes; a longer one,
// or one with bits beyond 64, fails the reader.
//
// Cost: one comparison a read; no allocation in the reader.
#ifndef SHEAF_BASE_BYTES_H_
#define SHEAF_BASE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

using ByteSpan = std::span<const uint8_t>;

inline ByteSpan AsBytes(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }
inline std::string_view AsText(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// REQUIRES: p points at enough bytes. Unaligned access is fine.
inline uint16_t LoadU16(const uint8_t* p) { return uint16_t(p[0] | (p[1] << 8)); }
inline uint32_t LoadU32(const uint8_t* p) {
  return uint32_t(p[0]) | uint32_t(p[1]) << 8 | uint32_t(p[2]) << 16 | uint32_t(p[3]) << 24;
}
inline uint64_t LoadU64(const uint8_t* p) { return LoadU32(p) | uint64_t(LoadU32(p + 4)) << 32; }

class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }

  uint8_t U8() { return Take(1) ? bytes_[position_ - 1] : 0; }
  uint16_t U16() { return Take(2) ? LoadU16(&bytes_[position_ - 2]) : 0; }
  uint32_t U32() { return Take(4) ? LoadU32(&bytes_[position_ - 4]) : 0; }
  uint64_t U64() { return Take(8) ? LoadU64(&bytes_[position_ - 8]) : 0; }
  float F32() {
    const uint32_t bits = U32();
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (!Take(1)) return 0;
      const uint8_t byte = bytes_[position_ - 1];
      if (shift == 63 && byte > 1) break;
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return value;
    }
    ok_ = false;
    return 0;
  }
  // A varint that must fit 32 bits.
  uint32_t Varint32() {
    const uint64_t value = Varint();
    if (value > UINT32_MAX) ok_ = false;
    return ok_ ? uint32_t(value) : 0;
  }

  // `size` raw bytes, viewed without a copy; empty on failure.
  ByteSpan Bytes(size_t size) { return Take(size) ? bytes_.subspan(position_ - size, size) : ByteSpan(); }
  // A varint length, then that many bytes.
  std::string_view String() {
    const uint64_t size = Varint();
    if (size > remaining()) ok_ = false;
    return ok_ ? AsText(Bytes(size_t(size))) : std::string_view();
  }

 private:
  bool Take(size_t size) {
    if (!ok_ || size > bytes_.size() - position_) {
      ok_ = false;
      return false;
    }
    position_ += size;
    return true;
  }

  ByteSpan bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

inline void AppendVarint(uint64_t v, std::vector<uint8_t>* bytes) {
  for (; v >= 0x80; v >>= 7) bytes->push_back(uint8_t(v) | 0x80);
  bytes->push_back(uint8_t(v));
}

class ByteWriter {
 public:
  size_t size() const { return bytes_.size(); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  std::vector<uint8_t> Take() { return std::move(bytes_); }
  void Reserve(size_t bytes) { bytes_.reserve(bytes); }

  void U8(uint8_t v) { bytes_.push_back(v); }
  void U16(uint16_t v) { Little(v, 2); }
  void U32(uint32_t v) { Little(v, 4); }
  void U64(uint64_t v) { Little(v, 8); }
  void F32(float v) {
    uint32_t bits;
    std::memcpy(&bits, &v, 4);
    U32(bits);
  }
  void Varint(uint64_t v) { AppendVarint(v, &bytes_); }
  void Bytes(ByteSpan bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void String(std::string_view text) {
    Varint(text.size());
    Bytes(AsBytes(text));
  }
  // Overwrites four bytes written earlier. REQUIRES: at + 4 <= size()
  void PatchU32(size_t at, uint32_t v) {
    for (int i = 0; i < 4; ++i) bytes_[at + size_t(i)] = uint8_t(v >> (8 * i));
  }

 private:
  void Little(uint64_t v, int width) {
    for (int i = 0; i < width; ++i) bytes_.push_back(uint8_t(v >> (8 * i)));
  }

  std::vector<uint8_t> bytes_;
};

}  // namespace sheaf

#endif  // SHEAF_BASE_BYTES_H_
