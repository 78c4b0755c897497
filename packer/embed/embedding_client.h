// The packer's side of the embedding protocol: start, greet, batch, and survive one failure.
//
// Idea: batches wait in a queue; unanswered batches are in a table by number. A process that dies,
// breaks the protocol or falls silent is killed and restarted once. The batches in the table go back
// to the queue and the work goes on. The second failure ends it.
//
//     items -> batches, longest first -> [ at most inFlight unanswered ] -> answered(items, rows)
//                      ^----- sent again after a restart; an item at a time after a batch's error
//
// Threads: one. Cost: the batches in flight in memory, once as items and once as bytes.
#ifndef SHEAF_PACKER_EMBED_EMBEDDING_CLIENT_H_
#define SHEAF_PACKER_EMBED_EMBEDDING_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "packer/embed/embedding_process.h"
#include "packer/embed/embedding_protocol.h"

namespace sheaf::packer {

struct EncoderCommand {
  std::string command;          // for /bin/sh -c
  std::string packer;           // "sheaf-pack 0.1.0", for `hello`
  std::string name, precision;  // what `ready` must say; empty: anything
  std::string advice;           // what to do if the command is not found
  double timeout_seconds = 120;
};

// Callbacks of Embed, called on the caller's thread.
struct EmbeddingCalls {
  // Unit vectors of items, one row per item; each item comes once.
  std::function<void(std::span<const uint32_t> items, std::span<const float> rows)> answered;
  // The process cannot embed this item; it has no row.
  std::function<void(uint32_t item, const std::string& reason)> failed;
  std::function<std::string(uint32_t item)> page_of;  // for messages
  std::function<void()> idle;                         // a few times a second
};

class EmbeddingClient {
 public:
  // Starts the process and reads its `ready`. `note` receives any restart, now or later. Errors name
  // the command: kNotFound (no such command), kInvalidArgument and kUnsupportedVersion (its `ready`
  // cannot be used), kInternal (it failed twice).
  static Result<std::unique_ptr<EmbeddingClient>> Start(EncoderCommand command,
                                                        std::function<void(const std::string&)> note);

  const EncoderInfo& info() const { return info_; }
  // Error: kInternal, the process failed for the second time; names command, reason and page.
  Status Embed(std::span<const EmbeddingItem> items, const EmbeddingCalls& calls);
  // Lets the process end. Returns what went wrong, as a sentence, or nothing.
  std::string Finish();

 private:
  class Run;
  EmbeddingClient(EncoderCommand command, std::function<void(const std::string&)> note)
      : command_(std::move(command)), note_(std::move(note)) {}
  Status Open(const std::function<void()>& idle);
  Result<EncoderInfo> Greet(const std::function<void()>& idle);
  Status Check(const EncoderInfo& info) const;
  Status StartAgain(const std::string& reason, const std::string& page, const std::function<void()>& idle);
  std::string Named() const { return "embedding process '" + command_.command + "'"; }

  EncoderCommand command_;
  std::function<void(const std::string&)> note_;
  EncoderInfo info_;
  bool has_info_ = false, restarted_ = false;
  uint32_t next_batch_ = 0;
  std::unique_ptr<EmbeddingProcess> process_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_EMBEDDING_CLIENT_H_
