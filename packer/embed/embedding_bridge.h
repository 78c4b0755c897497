// Connects EmbeddingProcess to a process that the host starts: WebAssembly can start none.
//
// Idea: the host of the module starts the process and passes bytes on (web/node/packer/embedder.ts).
// embedding_bridge.cc implements EmbeddingProcess over these functions, in place of embedding_process.cc; everything
// above is the same.
//
// Threads: one.
#ifndef SHEAF_PACKER_EMBED_EMBEDDING_BRIDGE_H_
#define SHEAF_PACKER_EMBED_EMBEDDING_BRIDGE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace sheaf::packer {

struct EmbeddingBridge {
  // Bytes of the process's stdout, or its end.
  struct Arrival {
    std::vector<uint8_t> bytes;
    bool ended = false;
    std::string how;  // a clause, once it has ended: "it exited with status 3"
    int status = 0;
  };

  std::function<void(const std::string& command)> start;  // any earlier process has ended
  std::function<void(ByteSpan bytes)> send;
  std::function<std::optional<Arrival>(int milliseconds)> receive;  // waits so long; nothing: neither came
  std::function<void()> close;                                      // its stdin
  std::function<void()> kill;
};

// For all that is started from now on.
void SetEmbeddingBridge(EmbeddingBridge bridge);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_EMBEDDING_BRIDGE_H_
