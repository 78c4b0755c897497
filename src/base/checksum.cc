#include "base/checksum.h"

#define XXH_NAMESPACE ZSTD_  // the name under which zstd builds its copy
#include "common/xxhash.h"

namespace sheaf {

uint64_t Hash64(ByteSpan bytes, uint64_t seed) { return XXH64(bytes.data(), bytes.size(), seed); }

}  // namespace sheaf
