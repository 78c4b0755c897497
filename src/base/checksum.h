// Checksums of stored bytes: XXH64 (seed 0) as zstd ships it, whole or cut to its low 32 bits.
// Specification: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
// Against accidents, not against forgery. Cost: several GB/s native, about 1 GB/s in WASM.
#ifndef SHEAF_BASE_CHECKSUM_H_
#define SHEAF_BASE_CHECKSUM_H_

#include <cstdint>

#include "base/bytes.h"

namespace sheaf {

uint64_t Hash64(ByteSpan bytes);
inline uint32_t Checksum32(ByteSpan bytes) { return uint32_t(Hash64(bytes)); }

}  // namespace sheaf

#endif  // SHEAF_BASE_CHECKSUM_H_
