// Edits in the bytes of a container, and its checksums made right again: what a damaged file cannot be, but a hostile or a
// newer writer's can.
#ifndef SHEAF_TESTS_UNIT_SEALED_H_
#define SHEAF_TESTS_UNIT_SEALED_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/checksum.h"
#include "bundle/format.h"

namespace sheaf::test {

inline void StoreLittle(uint64_t value, int width, uint8_t* out) {
  for (int i = 0; i < width; ++i) out[i] = uint8_t(value >> (8 * i));
}

// The file with directory checksum, content hash and header checksum made right again.
inline std::vector<uint8_t> Resealed(std::vector<uint8_t> bytes) {
  StoreLittle(Checksum32(ByteSpan(bytes).subspan(kHeaderBytes, LoadU32(&bytes[32]))), 4, &bytes[44]);
  StoreLittle(Hash64(ByteSpan(bytes).subspan(kHeaderBytes)), 8, &bytes[24]);
  StoreLittle(Checksum32(ByteSpan(bytes).first(60)), 4, &bytes[60]);
  return bytes;
}

// Place in the file of a section's directory entry.
inline size_t EntryOf(const std::vector<uint8_t>& bytes, SectionId id) {
  for (uint32_t i = 0; i < LoadU32(&bytes[36]); ++i) {
    const size_t at = kHeaderBytes + i * kSectionEntryBytes;
    if (LoadU16(&bytes[at]) == uint16_t(id)) return at;
  }
  ADD_FAILURE() << "no entry";
  return kHeaderBytes;
}

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_UNIT_SEALED_H_
