#include "packer/embed/embedding_client.h"

#include <algorithm>
#include <deque>
#include <map>

#include "encode/static_encoder.h"  // Normalize
#include "packer/base/progress.h"

namespace sheaf::packer {
namespace {

constexpr double kEndSeconds = 10;  // time to exit after its input ends

Error Broken(std::string what) { return Error{ErrorCode::kCorrupt, std::move(what)}; }

// Whether a retry may help: the process failed, as opposed to giving an answer that cannot be used.
bool MayPass(ErrorCode code) { return code == ErrorCode::kInternal || code == ErrorCode::kCorrupt; }

}  // namespace

// ---- start ------------------------------------------------------------------------------------

Result<std::unique_ptr<EmbeddingClient>> EmbeddingClient::Start(EncoderCommand command,
                                                                std::function<void(const std::string&)> note,
                                                                const GoOn& go_on) {
  std::unique_ptr<EmbeddingClient> client(new EmbeddingClient(std::move(command), std::move(note)));
  Status opened = client->Open(go_on);
  if (opened.code() == ErrorCode::kAborted) return opened.error();
  if (!opened.ok() && MayPass(opened.code()))
    opened = client->StartAgain(opened.error().message, "", go_on);
  else if (!opened.ok())
    return Error{opened.code(), client->Named() + ": " + opened.error().message};
  if (!opened.ok()) return opened.error();
  return client;
}

Status EmbeddingClient::Open(const GoOn& go_on) {
  SHEAF_ASSIGN_OR_RETURN(process_, EmbeddingProcess::Start(command_.command));
  Result<EncoderInfo> info = Greet(go_on);
  if (!info.ok()) {
    process_->Kill();
    if (process_->command_not_found()) {
      return Error{ErrorCode::kNotFound, "the command was not found or cannot be run" +
                                             (command_.advice.empty() ? "" : "; " + command_.advice)};
    }
    return info.error();
  }
  if (has_info_ && !(*info == info_)) {
    return Error{ErrorCode::kInvalidArgument, "started again, it is another encoder than before (" + info->name +
                                                  ", was " + info_.name + ", or other settings)"};
  }
  SHEAF_RETURN_IF_ERROR(Check(*info));
  info_ = std::move(*info);
  has_info_ = true;
  return {};
}

Result<EncoderInfo> EmbeddingClient::Greet(const GoOn& go_on) {
  process_->Send(WriteHello(command_.packer));
  SHEAF_ASSIGN_OR_RETURN(const Frame frame, process_->Receive(command_.timeout_seconds, go_on));
  if (frame.type == FrameType::kError) {
    SHEAF_ASSIGN_OR_RETURN(const ErrorFrame error, ReadError(frame.payload));
    return Error{ErrorCode::kInternal, "it reports: " + error.message};
  }
  if (frame.type != FrameType::kReady) {
    return Broken("it sent a frame of type " + std::to_string(int(frame.type)) + " where `ready` was expected");
  }
  return ReadReady(frame.payload);
}

Status EmbeddingClient::Check(const EncoderInfo& info) const {
  const auto differs = [](const char* what, const std::string& asked, const std::string& got) {
    return Error{ErrorCode::kInvalidArgument,
                 std::string("asked for the ") + what + " " + asked + ", it offers " + got};
  };
  if (!command_.name.empty() && info.name != command_.name) return differs("encoder", command_.name, info.name);
  if (!command_.precision.empty() && info.precision != command_.precision)
    return differs("precision", command_.precision, info.precision);
  return {};
}

Status EmbeddingClient::StartAgain(const std::string& reason, const std::string& page, const GoOn& go_on) {
  const std::string during = page.empty() ? std::string() : "; a passage of " + page + " was being embedded";
  const std::string way_out =
      "; its output on stderr may give the reason. The cache has the vectors that arrived, so packing again continues "
      "from there";
  process_ = nullptr;
  if (restarted_)
    return Error{ErrorCode::kInternal, Named() + " failed twice, the last time because " + reason + during + way_out};
  restarted_ = true;
  note_(Named() + " is started again because " + reason + during);
  const Status opened = Open(go_on);
  if (opened.ok() || opened.code() == ErrorCode::kAborted) return opened;
  process_ = nullptr;
  return Error{MayPass(opened.code()) ? ErrorCode::kInternal : opened.code(),
               Named() + " failed because " + reason + during + "; started again: " + opened.error().message + way_out};
}

// ---- embedding --------------------------------------------------------------------------------

class EmbeddingClient::Run {
 public:
  Run(EmbeddingClient* client, std::span<const EmbeddingItem> items, const EmbeddingCalls& calls)
      : client_(client), items_(items), calls_(calls) {
    for (std::vector<uint32_t>& numbers : MakeBatches(items, client->info_.batch_tokens))
      waiting_.push_back({std::move(numbers), false, {}});
  }

  Status ToTheEnd() {
    while (!waiting_.empty() || !unanswered_.empty()) {
      if (!calls_.go_on()) return Aborted();
      SendSome();
      Result<Frame> frame = client_->process_->Receive(client_->command_.timeout_seconds, calls_.go_on);
      const Status taken = frame.ok() ? Take(*frame) : Status(frame.error());
      if (taken.ok()) continue;
      if (taken.code() == ErrorCode::kAborted) return taken;
      const uint32_t item = unanswered_.begin()->second.items.front();
      SHEAF_RETURN_IF_ERROR(client_->StartAgain(taken.error().message, calls_.page_of(item), calls_.go_on));
      SendAgain();
    }
    return {};
  }

 private:
  struct Batch {
    std::vector<uint32_t> items;
    bool alone = false;                      // sent on its own after its batch failed
    std::map<uint32_t, std::string> errors;  // by position in the batch
  };

  void SendSome() {
    while (!waiting_.empty() && unanswered_.size() < client_->info_.in_flight) {
      const uint32_t id = client_->next_batch_++;
      if (client_->next_batch_ == kWhole) client_->next_batch_ = 0;
      client_->process_->Send(WriteBatch(id, items_, waiting_.front().items, client_->info_.takes_tokens));
      unanswered_.emplace(id, std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }

  void SendAgain() {
    for (auto at = unanswered_.rbegin(); at != unanswered_.rend(); ++at) {
      at->second.errors.clear();
      waiting_.push_front(std::move(at->second));
    }
    unanswered_.clear();
  }

  Status Take(const Frame& frame) {
    if (frame.type == FrameType::kVectors) {
      SHEAF_ASSIGN_OR_RETURN(VectorsFrame vectors, ReadVectors(frame.payload, client_->info_.dimensions));
      return TakeVectors(std::move(vectors));
    }
    if (frame.type == FrameType::kError) {
      SHEAF_ASSIGN_OR_RETURN(const ErrorFrame error, ReadError(frame.payload));
      return TakeError(error);
    }
    return Broken("it sent a frame of type " + std::to_string(int(frame.type)) + " where vectors were expected");
  }

  Status TakeVectors(VectorsFrame vectors) {
    const auto at = unanswered_.find(vectors.batch);
    if (at == unanswered_.end())
      return Broken("it answered batch " + std::to_string(vectors.batch) + ", which is not unanswered");
    const Batch& batch = at->second;
    if (vectors.count != batch.items.size()) {
      return Broken("it answered batch " + std::to_string(vectors.batch) + " of " + std::to_string(batch.items.size()) +
                    " passages with " + std::to_string(vectors.count) + " vectors");
    }
    const size_t dimensions = client_->info_.dimensions;
    std::vector<uint32_t> numbers;
    std::vector<float> rows;
    rows.reserve(vectors.rows.size());
    for (uint32_t i = 0; i < vectors.count; ++i) {
      const auto begin = vectors.rows.begin() + ptrdiff_t(i * dimensions);
      std::vector<float> row(begin, begin + ptrdiff_t(dimensions));
      const auto error = batch.errors.find(i);
      if (error != batch.errors.end()) {
        calls_.failed(batch.items[i], error->second);
      } else if (!Normalize(&row)) {
        calls_.failed(batch.items[i], "its vector is zero");
      } else {
        numbers.push_back(batch.items[i]);
        rows.insert(rows.end(), row.begin(), row.end());
      }
    }
    unanswered_.erase(at);
    if (!numbers.empty()) calls_.answered(numbers, rows);
    return {};
  }

  Status TakeError(const ErrorFrame& error) {
    if (error.batch == kWhole) return Error{ErrorCode::kInternal, "it reports: " + error.message};
    const auto at = unanswered_.find(error.batch);
    if (at == unanswered_.end())
      return Broken("it reports an error for batch " + std::to_string(error.batch) +
                    ", which is not unanswered: " + error.message);
    Batch& batch = at->second;
    if (error.item != kWhole) {
      if (error.item >= batch.items.size()) {
        return Broken("it reports an error for item " + std::to_string(error.item) + " of a batch of " +
                      std::to_string(batch.items.size()) + ": " + error.message);
      }
      batch.errors.emplace(error.item, error.message);
      return {};
    }
    if (batch.alone) {
      calls_.failed(batch.items.front(), error.message);
    } else {
      for (auto item = batch.items.rbegin(); item != batch.items.rend(); ++item)
        waiting_.push_front({{*item}, true, {}});
    }
    unanswered_.erase(at);
    return {};
  }

  EmbeddingClient* client_;
  std::span<const EmbeddingItem> items_;
  const EmbeddingCalls& calls_;
  std::deque<Batch> waiting_;
  std::map<uint32_t, Batch> unanswered_;
};

Status EmbeddingClient::Embed(std::span<const EmbeddingItem> items, const EmbeddingCalls& calls) {
  Status status;
  if (!process_ && aborted_)
    status = Open(calls.go_on);
  else if (!process_)
    return Error{ErrorCode::kInternal, Named() + " has failed before"};
  if (status.ok()) status = Run(this, items, calls).ToTheEnd();
  aborted_ = status.code() == ErrorCode::kAborted;
  if (!status.ok()) process_ = nullptr;  // after an abort it may still work on passages that are no longer wanted
  return status;
}

std::string EmbeddingClient::Finish() {
  if (!process_) return {};
  const std::string wrong = process_->Finish(std::min(kEndSeconds, command_.timeout_seconds));
  process_ = nullptr;
  return wrong.empty() ? wrong : Named() + ": all passages were answered, but " + wrong;
}

}  // namespace sheaf::packer
