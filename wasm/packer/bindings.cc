// The packer's border to JavaScript. module.d.ts describes it: calls, memory, errors.
//
// Idea: Embind carries values, and packer/job and packer/cli do the work. Reports cross as the JSON that the command
// line prints, so that both have the same members.
//
// Invariant: no C++ exception leaves a call.
#include <emscripten/bind.h>
#include <emscripten/val.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "options.h"
#include "packer/base/progress.h"
#include "packer/cli/command_line.h"
#include "packer/cli/native_host.h"
#include "packer/embed/embedding_bridge.h"
#include "packer/job/pack_job.h"
#include "packer/job/rounds.h"
#include "packer/job/unread_files.h"

namespace sheaf::packer {
namespace {

using emscripten::val;

// Of an error or a report.
template <typename Said>
val ToVal(const Said& said) {
  return val::global("JSON").call<val>("parse", JsonOf(said));
}

val ToBytes(ByteSpan bytes) {
  const val view(emscripten::typed_memory_view(bytes.size(), bytes.data()));
  return val::global("Uint8Array").new_(view);  // a copy
}

// Calls `body`; an exception becomes a failure.
template <typename Body>
val Survived(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return ToVal(Error{ErrorCode::kTooLarge, "the memory of the packer's module is full; lower the option memory"});
  } catch (const std::exception& exception) {
    return ToVal(Error{ErrorCode::kInternal, std::string("internal error: ") + exception.what()});
  }
}

bool Has(const val& hooks, const char* name) {
  return !hooks.isUndefined() && !hooks.isNull() && hooks[name].typeOf().as<std::string>() == "function";
}

std::function<bool()> Cancelled(const val& hooks) {
  if (!Has(hooks, "cancelled")) return {};
  return [hooks] { return hooks.call<val>("cancelled").isTrue(); };
}

// Passes progress on ten times a second, and whenever a stage begins.
class ProgressTeller {
 public:
  explicit ProgressTeller(val hooks) : hooks_(std::move(hooks)) {}

  void operator()(const ProgressState& state) {
    const auto now = Clock::now();
    if (state.stage == stage_ && now - told_ < std::chrono::milliseconds(100)) return;
    stage_ = state.stage;
    told_ = now;
    const double of_bytes = state.total_bytes > 0 ? double(state.bytes) / double(state.total_bytes) : 0;
    val progress = val::object();
    progress.set("stage", state.stage);
    progress.set("detail", state.detail);
    progress.set("share", std::min(state.share < 0 ? of_bytes : state.share, 1.0));
    progress.set("pages", double(state.pages));
    progress.set("text", FormatProgress(state, 0));
    hooks_.call<void>("progress", progress);
  }

 private:
  using Clock = std::chrono::steady_clock;
  val hooks_;
  std::string stage_;
  Clock::time_point told_;
};

PackObserver ObserverOf(const val& hooks) {
  PackObserver observer;
  observer.cancelled = Cancelled(hooks);
  if (Has(hooks, "progress")) observer.progress = ProgressTeller(hooks);
  if (Has(hooks, "remark")) {
    observer.remark = [hooks](const Remark& remark, bool is_problem) {
      val told = val::object();
      told.set("path", remark.path);
      told.set("reason", remark.reason);
      hooks.call<void>("remark", told, is_problem);
    };
  }
  return observer;
}

// The named file, or memory.
Result<BundleTarget> TargetOf(const ModuleOptions& options) {
  BundleTarget target;
  if (!options.pack.output.empty()) {
    SHEAF_ASSIGN_OR_RETURN(target, FileTarget(options.pack));
  } else {
    target.scratch_folder = "/tmp";
  }
  if (!options.scratch.empty()) target.scratch_folder = options.scratch;
  return target;
}

val Pack(const val& given, const val& hooks) {
  return Survived([&] {
    Result<ModuleOptions> options = ReadOptions(given, /*rounds=*/false);
    if (!options.ok()) return ToVal(options.error());
    const bool in_memory = options->pack.output.empty();
    Result<CheckedOptions> checked = CheckPackOptions(options->pack);
    if (!checked.ok()) return ToVal(checked.error());
    Result<BundleTarget> target = TargetOf(*options);
    if (!target.ok()) return ToVal(target.error());
    Result<std::unique_ptr<PackJob>> job =
        PackJob::Open(std::move(*checked), NativeHost(), std::move(*target), ObserverOf(hooks));
    if (!job.ok()) return ToVal(job.error());
    Packed packed = (*job)->Run();
    if (!packed.report.error && !in_memory) (*job)->Write(&packed);
    val report = ToVal(packed.report);
    if (!packed.report.error && in_memory) report.set("bundle", ToBytes(packed.bundle));
    return report;
  });
}

val Unread(const val& given) {
  return Survived([&] {
    Result<ModuleOptions> options = ReadOptions(given, /*rounds=*/false);
    if (!options.ok()) return ToVal(options.error());
    Result<CheckedOptions> checked = CheckPackOptions(options->pack);
    if (!checked.ok()) return ToVal(checked.error());
    const Result<std::string> json = UnreadFiles(checked->options.inputs, checked->source, {});
    if (!json.ok()) return ToVal(json.error());
    return val::global("JSON").call<val>("parse", *json);
  });
}

class ModuleRounds {
 public:
  ModuleRounds(val options, val hooks) : options_(std::move(options)), hooks_(std::move(hooks)) {}
  ~ModuleRounds() { Close(); }

  val Round() {
    return Survived([&] {
      if (rounds_ == nullptr) {
        if (const Status opened = Open(); !opened.ok()) return ToVal(opened.error());
      }
      const RoundReport report = rounds_->Round(ObserverOf(hooks_));
      if (!rounds_->usable()) rounds_.reset();  // the next round opens it again
      return ToVal(report);
    });
  }

 private:
  Status Open() {
    SHEAF_ASSIGN_OR_RETURN(ModuleOptions options, ReadOptions(options_, /*rounds=*/true));
    if (options.pack.output.empty()) return Error{ErrorCode::kInvalidArgument, "rounds need the option output"};
    SHEAF_ASSIGN_OR_RETURN(CheckedOptions checked, CheckPackOptions(options.pack));
    SHEAF_ASSIGN_OR_RETURN(BundleTarget target, TargetOf(options));
    SHEAF_ASSIGN_OR_RETURN(rounds_,
                           Rounds::Open(std::move(checked), NativeHost(), std::move(target), Cancelled(hooks_)));
    return {};
  }

  void Close() {
    Survived([&] {
      if (rounds_ != nullptr) rounds_->Close();
      return val::undefined();
    });
  }

  val options_, hooks_;
  std::unique_ptr<Rounds> rounds_;
};

int Run(const val& args, const val& hooks) {
  std::vector<std::string> arguments;
  const auto count = args["length"].as<uint32_t>();
  for (uint32_t i = 0; i < count; ++i) arguments.push_back(args[i].as<std::string>());
  return RunCommandLine(std::move(arguments), Cancelled(hooks));
}

std::optional<EmbeddingBridge::Arrival> ToArrival(const val& got) {
  if (got.isUndefined()) return std::nullopt;
  EmbeddingBridge::Arrival arrival;
  arrival.ended = !got["how"].isUndefined();
  if (arrival.ended) {
    arrival.how = got["how"].as<std::string>();
    arrival.status = got["status"].as<int>();
  } else {
    arrival.bytes = emscripten::convertJSArrayToNumberVector<uint8_t>(got);
  }
  return arrival;
}

void SetBridge(const val& bridge) {
  SetEmbeddingBridge({
      .start = [bridge](const std::string& command) { bridge.call<void>("start", command); },
      .send = [bridge](ByteSpan bytes) { bridge.call<void>("send", ToBytes(bytes)); },
      .receive = [bridge](int milliseconds) { return ToArrival(bridge.call<val>("receive", milliseconds)); },
      .close = [bridge] { bridge.call<void>("close"); },
      .kill = [bridge] { bridge.call<void>("kill"); },
  });
}

void SetFileMask(int mask) { ::umask(mode_t(mask)); }

}  // namespace
}  // namespace sheaf::packer

EMSCRIPTEN_BINDINGS(sheaf_packer) {
  namespace packer = sheaf::packer;
  emscripten::function("pack", &packer::Pack);
  emscripten::function("unread", &packer::Unread);
  emscripten::class_<packer::ModuleRounds>("Rounds").constructor<emscripten::val, emscripten::val>().function(
      "round", &packer::ModuleRounds::Round);
  emscripten::function("run", &packer::Run);
  emscripten::function("setBridge", &packer::SetBridge);
  emscripten::function("setFileMask", &packer::SetFileMask);
  emscripten::function("version", &packer::PackerVersion);
}
