// Front coding: each string of a sorted list stores only its difference from the one before.
//
// Layout: u8 shared (leading bytes in common with the string before) · u8 length · bytes
// Strings are at most 255 bytes and ascend strictly.
#ifndef SHEAF_BASE_FRONT_CODING_H_
#define SHEAF_BASE_FRONT_CODING_H_

#include <algorithm>
#include <string>
#include <string_view>

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

}  // namespace sheaf

#endif  // SHEAF_BASE_FRONT_CODING_H_
