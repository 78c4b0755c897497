// The interface to a transformer that makes vectors of texts.
//
// Idea: the transformer runs in a child process (embedding_client.h) or in the host of a module. Behind this interface,
// passages, cache and batches are the same for both.
//
// Threads: one.
#ifndef SHEAF_PACKER_EMBED_PASSAGE_ENCODER_H_
#define SHEAF_PACKER_EMBED_PASSAGE_ENCODER_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "packer/embed/embedding_protocol.h"

namespace sheaf::packer {

// Asked a few times a second by what takes long: whether to go on.
using GoOn = std::function<bool()>;

// Callbacks of Embed, called on the caller's thread.
struct EmbeddingCalls {
  // Unit vectors of items, one row per item; each item comes once.
  std::function<void(std::span<const uint32_t> items, std::span<const float> rows)> answered;
  // The encoder cannot embed this item; it has no row.
  std::function<void(uint32_t item, const std::string& reason)> failed;
  std::function<std::string(uint32_t item)> page_of;  // for messages
  GoOn go_on;
};

class PassageEncoder {
 public:
  virtual ~PassageEncoder() = default;

  // "embedding process 'sheaf embed …'", for messages.
  virtual std::string Named() const = 0;
  // The same for as long as the encoder lives.
  virtual const EncoderInfo& info() const = 0;
  // Answers or fails every item. Items hold token ids if info() says so, else text. Errors: kInternal, the encoder
  // failed and cannot be used any more (the message names it, the reason and the page); kAborted when `go_on` said no:
  // then it can be used again.
  virtual Status Embed(std::span<const EmbeddingItem> items, const EmbeddingCalls& calls) = 0;
  // Lets it end. Returns what went wrong, as a sentence, or nothing.
  virtual std::string Finish() = 0;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_PASSAGE_ENCODER_H_
