// Checksums of stored bytes: XXH64 as zstd ships it, whole or cut to its low 32 bits. The seed says where bytes belong.
// Specification: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
// Against accidents, not against forgery. Cost: several GB/s native, about 1 GB/s in WASM.
#ifndef SHEAF_BASE_CHECKSUM_H_
#define SHEAF_BASE_CHECKSUM_H_

#include <cstdint>

#include "base/bytes.h"

namespace sheaf {

uint64_t Hash64(ByteSpan bytes, uint64_t seed = 0);
inline uint32_t Checksum32(ByteSpan bytes, uint64_t seed = 0) { return uint32_t(Hash64(bytes, seed)); }

}  // namespace sheaf

#endif  // SHEAF_BASE_CHECKSUM_H_
