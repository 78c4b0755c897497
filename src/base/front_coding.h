// Sorted strings, each written as what it adds to its predecessor.
//
// Layout of a list: varint count, then for each string
//   u8 shared (leading bytes in common with the string before) · u8 length · bytes
// Strings are at most 255 bytes and ascend strictly.
#ifndef SHEAF_BASE_FRONT_CODING_H_
#define SHEAF_BASE_FRONT_CODING_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace sheaf {

inline size_t SharedPrefix(std::string_view a, std::string_view b) {
  const size_t limit = std::min({a.size(), b.size(), size_t(255)});
  return size_t(std::mismatch(a.begin(), a.begin() + ptrdiff_t(limit), b.begin()).first - a.begin());
}

inline void WriteFrontCodedString(std::string_view previous, std::string_view text, ByteWriter* out) {
  const size_t shared = SharedPrefix(previous, text);
  out->U8(uint8_t(shared));
  out->U8(uint8_t(text.size() - shared));
  out->Bytes(AsBytes(text.substr(shared)));
}

// Turns `text`, the previous string, into the next one. False on damage.
inline bool ReadFrontCodedString(ByteReader* reader, std::string* text) {
  const size_t shared = reader->U8();
  const ByteSpan rest = reader->Bytes(reader->U8());
  if (!reader->ok() || shared > text->size()) return false;
  text->resize(shared);
  text->append(AsText(rest));
  return true;
}

inline void WriteFrontCoded(const std::vector<std::string>& sorted, ByteWriter* out) {
  out->Varint(sorted.size());
  std::string_view previous;
  for (const std::string& text : sorted) {
    WriteFrontCodedString(previous, text, out);
    previous = text;
  }
}

// False on damage, or when the strings do not ascend strictly.
inline bool ReadFrontCoded(ByteReader* reader, std::vector<std::string>* sorted) {
  const uint64_t count = reader->Varint();
  if (!reader->ok() || count > reader->remaining() / 2) return false;
  sorted->reserve(size_t(count));
  std::string text;
  for (uint64_t i = 0; i < count; ++i) {
    if (!ReadFrontCodedString(reader, &text)) return false;
    if (i && text <= sorted->back()) return false;
    sorted->push_back(text);
  }
  return true;
}

}  // namespace sheaf

#endif  // SHEAF_BASE_FRONT_CODING_H_
