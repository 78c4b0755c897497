// Lists stored as columns: like values lie side by side, where a compressor finds the redundancy.
//
// Idea: a page index holds small numbers and short strings. Every searcher reads it, so its size matters
// more than its speed. Columns compress a quarter better than rows.
//
// Layout of numbers: u8 × count (their low bytes) · v × count (the rest, shifted down by 8).
// Layout of separators (front_coding.h): u8 shared × count · u8 length × count · their bytes, one after the
// other. The first is empty; they ascend strictly.
#ifndef SHEAF_BASE_COLUMNS_H_
#define SHEAF_BASE_COLUMNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/front_coding.h"

namespace sheaf {

inline void WriteNumbers(const std::vector<uint32_t>& numbers, ByteWriter* out) {
  for (uint32_t n : numbers) out->U8(uint8_t(n));
  for (uint32_t n : numbers) out->Varint(n >> 8);
}

// False on damage. REQUIRES: count is bounded by the bytes that remain.
inline bool ReadNumbers(ByteReader* reader, size_t count, std::vector<uint32_t>* numbers) {
  const ByteSpan low = reader->Bytes(count);
  if (!reader->ok()) return false;
  numbers->reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t high = reader->Varint32();
    if (!reader->ok() || high >> 24) return false;
    numbers->push_back(high << 8 | low[i]);
  }
  return true;
}

inline void WriteSeparators(const std::vector<std::string>& sorted, ByteWriter* out) {
  ByteWriter lengths, bytes;
  std::string_view previous;
  for (const std::string& text : sorted) {
    const size_t shared = SharedPrefix(previous, text);
    out->U8(uint8_t(shared));
    lengths.U8(uint8_t(text.size() - shared));
    bytes.Bytes(AsBytes(text).subspan(shared));
    previous = text;
  }
  out->Bytes(lengths.bytes());
  out->Bytes(bytes.bytes());
}

// False on damage, and when one has more than `most` bytes. REQUIRES: count is bounded by the bytes that remain.
inline bool ReadSeparators(ByteReader* reader, size_t count, size_t most, std::vector<std::string>* sorted) {
  const ByteSpan shared = reader->Bytes(count), lengths = reader->Bytes(count);
  if (!reader->ok()) return false;
  sorted->reserve(count);
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const ByteSpan rest = reader->Bytes(lengths[i]);
    if (!reader->ok() || shared[i] > text.size()) return false;
    text.resize(shared[i]);
    text.append(AsText(rest));
    if (text.size() > most || (i ? text <= sorted->back() : !text.empty())) return false;
    sorted->push_back(text);
  }
  return true;
}

}  // namespace sheaf

#endif  // SHEAF_BASE_COLUMNS_H_
