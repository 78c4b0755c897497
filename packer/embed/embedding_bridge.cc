#include "packer/embed/embedding_bridge.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "packer/base/progress.h"
#include "packer/embed/embedding_process.h"

namespace sheaf::packer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;

EmbeddingBridge& Bridge() {
  static EmbeddingBridge bridge;
  return bridge;
}

Clock::time_point SecondsFromNow(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

void SetEmbeddingBridge(EmbeddingBridge bridge) { Bridge() = std::move(bridge); }

Result<std::unique_ptr<EmbeddingProcess>> EmbeddingProcess::Start(const std::string& command) {
  if (!Bridge().start) {
    return Error{ErrorCode::kInternal, "no process can be started here; pack with --encoder static or none"};
  }
  Bridge().start(command);
  return std::unique_ptr<EmbeddingProcess>(new EmbeddingProcess(/*pid=*/1, -1, -1));
}

bool EmbeddingProcess::WriteSome() {
  for (; !unsent_.empty(); unsent_.pop_front()) Bridge().send(unsent_.front());
  return true;
}

Result<Frame> EmbeddingProcess::Receive(double seconds, const std::function<bool()>& go_on) {
  if (pid_ < 0) return Error{ErrorCode::kInternal, ending_};
  const Clock::time_point deadline = SecondsFromNow(seconds);
  WriteSome();
  for (;;) {
    Result<std::optional<Frame>> frame = TakeFrame(&received_);
    if (!frame.ok()) return Failed(frame.error().message, 0);
    if (frame->has_value()) return std::move(**frame);
    if (std::optional<EmbeddingBridge::Arrival> arrival = Bridge().receive(kPollMilliseconds)) {
      if (arrival->ended) {
        exited_with_ = arrival->status;
        return Failed(std::move(arrival->how), 0);
      }
      received_.insert(received_.end(), arrival->bytes.begin(), arrival->bytes.end());
    } else if (Clock::now() >= deadline) {
      return Failed("it sent nothing for " + FormatDuration(seconds), 0);
    } else if (!go_on()) {
      Kill();
      return Aborted();
    }
  }
}

Error EmbeddingProcess::Failed(std::string clause, double) {
  Kill();
  ending_ = clause;
  return Error{ErrorCode::kInternal, std::move(clause)};
}

void EmbeddingProcess::Kill() {
  if (std::exchange(pid_, -1) >= 0) Bridge().kill();
}

std::string EmbeddingProcess::Finish(double seconds) {
  if (pid_ < 0) return ending_;
  Bridge().close();
  for (const Clock::time_point deadline = SecondsFromNow(seconds); Clock::now() < deadline;) {
    const std::optional<EmbeddingBridge::Arrival> arrival = Bridge().receive(kPollMilliseconds);
    if (!arrival || !arrival->ended) continue;  // drops the rest of its output
    pid_ = -1;
    exited_with_ = arrival->status;
    ending_ = arrival->how;
    return exited_with_ == 0 ? std::string() : ending_;
  }
  Kill();
  return "it did not end when its input did and was killed";
}

}  // namespace sheaf::packer
