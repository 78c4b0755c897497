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
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "packer/embed/embedding_process.h"
#include "packer/embed/embedding_protocol.h"
#include "packer/embed/passage_encoder.h"

namespace sheaf::packer {

struct EncoderCommand {
  std::string command;          // for /bin/sh -c
  std::string packer;           // "sheaf-pack 0.1.0", for `hello`
  std::string name, precision;  // what `ready` must say; empty: anything
  std::string advice;           // what to do if the command is not found
  double timeout_seconds = 120;
};

class EmbeddingClient : public PassageEncoder {
 public:
  // Starts the process and reads its `ready`. `note` receives any restart, now or later. Errors name
  // the command: kNotFound (no such command), kInvalidArgument and kUnsupportedVersion (its `ready`
  // cannot be used), kInternal (it failed twice), kAborted.
  static Result<std::unique_ptr<EmbeddingClient>> Start(
      EncoderCommand command, std::function<void(const std::string&)> note, const GoOn& go_on = [] { return true; });

  std::string Named() const override { return "embedding process '" + command_.command + "'"; }
  const EncoderInfo& info() const override { return info_; }
  // kInternal: the process failed for the second time. After kAborted it is dead, and the next call starts another.
  Status Embed(std::span<const EmbeddingItem> items, const EmbeddingCalls& calls) override;
  std::string Finish() override;

 private:
  class Run;
  EmbeddingClient(EncoderCommand command, std::function<void(const std::string&)> note)
      : command_(std::move(command)), note_(std::move(note)) {}
  Status Open(const GoOn& go_on);
  Result<EncoderInfo> Greet(const GoOn& go_on);
  Status Check(const EncoderInfo& info) const;
  Status StartAgain(const std::string& reason, const std::string& page, const GoOn& go_on);

  EncoderCommand command_;
  std::function<void(const std::string&)> note_;
  EncoderInfo info_;
  bool has_info_ = false, restarted_ = false, aborted_ = false;
  uint32_t next_batch_ = 0;
  std::unique_ptr<EmbeddingProcess> process_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_EMBEDDING_CLIENT_H_
