// The native host of the core: serves an Engine or a Container from files.
//
// Idea: the core asks for byte ranges, and the host reads them. In whole mode, the host hands over the
// whole file at once. In lazy mode, it reads only the requested ranges, as a browser does with Range
// requests, and counts them.
//
// Threads: one at a time.
#ifndef SHEAF_PACKER_HOST_ENGINE_HOST_H_
#define SHEAF_PACKER_HOST_ENGINE_HOST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "bundle/container.h"
#include "packer/host/range_file.h"
#include "search/engine.h"

namespace sheaf::packer {

struct Traffic {
  uint64_t requests = 0;     // ranges read
  uint64_t round_trips = 0;  // times a question had to be asked again
  uint64_t bytes = 0;
};

// An Engine backed by files, read whole or lazily (see above).
class EngineHost {
 public:
  explicit EngineHost(bool lazy) : lazy_(lazy) {}

  Status Attach(Source source, const std::string& path);
  const Traffic& traffic() const { return traffic_; }

  // Repeats a question until there is an answer or an error: host.Ask([&](Engine& e) { return e.Open(); }).
  template <typename Question>
  auto Ask(Question question) {
    // A sound core needs a handful of rounds; a defect must not become an endless loop.
    constexpr int kMaxRounds = 1000;
    for (int round = 0;; ++round) {
      auto outcome = question(engine_);
      using Value = std::remove_reference_t<decltype(*outcome.value())>;
      if (outcome.value()) return Result<Value>(std::move(*outcome.value()));
      if (outcome.error()) return Result<Value>(*outcome.error());
      if (round == kMaxRounds) {
        return Result<Value>(Error{ErrorCode::kInternal, "the core asks for more bytes without end"});
      }
      const Status status = Bring(*outcome.needs());
      if (!status.ok()) return Result<Value>(status.error());
    }
  }

 private:
  Status Bring(const Needs& needs);

  Engine engine_;
  bool lazy_;
  std::optional<RangeFile> files_[kSourceCount];
  Traffic traffic_;
};

// Reads a container from a file by ranges. Calls `use` again, with more bytes, for as long as it
// returns kNeedsBytes; any other status is the result.
Status ReadContainer(const RangeFile& file, Container* container, const std::function<Status(Container*)>& use);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_HOST_ENGINE_HOST_H_
