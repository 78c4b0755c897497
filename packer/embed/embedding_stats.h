// Counts and time of embedding.
#ifndef SHEAF_PACKER_EMBED_EMBEDDING_STATS_H_
#define SHEAF_PACKER_EMBED_EMBEDDING_STATS_H_

#include <cstdint>

namespace sheaf::packer {

struct EmbeddingStats {
  uint64_t embedded = 0;  // by the encoder
  uint64_t cached = 0;    // from the cache, or with the same text as an embedded one
  uint64_t failed = 0;    // left without a vector
  double seconds = 0;     // waiting for the encoder
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_EMBEDDING_STATS_H_
