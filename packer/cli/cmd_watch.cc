// sheaf-pack watch: packs, then repacks on request and prepares only what changed.
//
//     stdin:  again\n      another round; the first begins by itself. End of input ends the process.
//     stdout: one line of JSON per round
//
// Idea: prepared pages stay in memory (page_cache.h), so a round costs listing the files, preparing the
// changed pages and writing the bundle. The caller says when to look; this process watches nothing.
//
// Invariants
//  1. A bundle has the same bytes as `pack` writes for the same files, options and --level. One exception: a
//     page that can no longer be read or parsed keeps its last good version.
//  2. The file appears whole or not at all; a round that fails or changes nothing leaves it alone.
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/progress.h"
#include "packer/cli/cmd_pack_options.h"
#include "packer/cli/cmd_pack_report.h"
#include "packer/cli/commands.h"
#include "packer/output/atomic_file.h"
#include "packer/pipeline/page_cache.h"
#include "packer/pipeline/pipeline.h"
#include "packer/source/source.h"

namespace sheaf::packer {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kWatchLevel = 3;  // packs text five times as fast as 19

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

void PrintLine(const Json& json) {
  std::printf("%s\n", json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

Json ToJson(const Error& error) { return {{"code", ErrorCodeName(error.code)}, {"message", error.message}}; }

// This process is idle most of the time: return the memory of pages in flight to the system.
void TrimMemory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

class Watch {
 public:
  explicit Watch(PackJob job)
      : job_(std::move(job)),
        color_(WantsColor(stderr)),
        progress_(stderr, ChooseProgressMode(stderr, job_.options.quiet), color_),
        silent_(stderr, ProgressMode::kNone, false) {}

  Status Open() {
    SHEAF_RETURN_IF_ERROR(OpenPackJob(&job_, [this](const std::string& what) {
      encoder_notes_.push_back({"encoder", what});
    }));
    plan_ = PlanMemory(job_.pipeline.memory, /*with_cache=*/true);
    const uint64_t passage_bytes = job_.embedder ? job_.embedder->document_encoder().dimensions * sizeof(float) : 0;
    cache_ = std::make_unique<PageCache>(plan_.kept, passage_bytes);
    return {};
  }

  // Returns whether to go on.
  bool Round() {
    Progress& progress = ++round_ == 1 ? progress_ : silent_;  // later rounds are short
    Json line = {{"ok", true}, {"round", round_}};
    const Clock clock;
    PackSummary summary;
    const Status status = Guarded([&] { return Pack(&progress, &line, &summary); });
    progress.Clear();
    line["seconds"]["all"] = clock.seconds();
    if (!status.ok()) {
      line["ok"] = false;
      line["error"] = ToJson(status.error());
    }
    line["skipped"] = packer::ToJson(summary.problems);
    line["inPart"] = packer::ToJson(summary.problems, /*packed=*/true);
    summary.notes.insert(summary.notes.end(), encoder_notes_.begin(), encoder_notes_.end());
    encoder_notes_.clear();
    line["notes"] = packer::ToJson(summary.notes);
    PrintLine(line);
    return !summary.fatal || !job_.embedder;  // its process is in an unknown state
  }

  void Close() {
    if (job_.embedder) job_.embedder->Finish();
  }

 private:
  Status Pack(Progress* progress, Json* line, PackSummary* summary) {
    const Clock listing;
    SHEAF_ASSIGN_OR_RETURN(const SourceList list, FindSources(job_.options.inputs, job_.options.source));
    (*line)["seconds"]["listing"] = listing.seconds();
    // Keep the cache: a site generator that empties the folder is about to refill it.
    if (list.files.empty()) return NothingPacked(list, *summary);

    if (!is_behind_ && last_.problems.empty() && list.problems.empty() && cache_->IsCurrent(list.files)) {
      *summary = last_;
      Describe({.kept_pages = changes_.kept_pages, .kept_bytes = changes_.kept_bytes}, line);
      return {};
    }

    const Clock packing;
    std::optional<JobBuilder> builder;
    Reporter reporter(progress, /*quiet=*/true, color_);
    cache_->BeginRound();
    // The cache reports a change only once. If this round fails, the next one must still write.
    const bool was_behind = std::exchange(is_behind_, true);
    const auto run = [&] {
      builder.emplace(job_, plan_.postings);
      *summary = PackPages(list, job_.urls, job_.pipeline, job_.encoder.encoder.get(), builder->get(), progress,
                           std::ref(reporter), job_.embedder.get(), cache_.get());
    };
    run();
    if (summary->fatal) return *summary->fatal;
    changes_ = cache_->EndRound();
    if (summary->again) {
      job_.pipeline.marked_only = *summary->again;  // the next round starts with it too
      run();
      if (summary->fatal) return *summary->fatal;
    }
    TrimMemory();
    // Passages without a vector may get one in the next round.
    is_behind_ = was_behind || changes_.any() || (job_.embedder && !summary->problems.empty());
    last_ = *summary;
    Describe(changes_, line);
    (*line)["seconds"]["packing"] = packing.seconds();
    if (summary->pages == 0) return NothingPacked(list, *summary);
    if (!is_behind_) return {};

    const Clock writing;
    progress->BeginStage("writing", 0);
    SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bundle, (*builder)->Finish([&](const char* stage, double share) {
      progress->UpdateShare(stage, share);
    }));
    SHEAF_RETURN_IF_ERROR(WriteFileAtomically(job_.output, bundle));
    is_behind_ = false;
    (*line)["written"] = true;
    (*line)["bundleBytes"] = bundle.size();
    (*line)["seconds"]["writing"] = writing.seconds();
    return {};
  }

  void Describe(const RoundChanges& changes, Json* line) const {
    Json& to = *line;
    to["output"] = job_.output;
    to["pages"] = last_.pages;
    to["passages"] = last_.passages;
    to["added"] = changes.added;
    to["changed"] = changes.changed;
    to["removed"] = changes.removed;
    to["prepared"] = changes.prepared;
    to["keptPages"] = changes.kept_pages;
    to["keptBytes"] = changes.kept_bytes;
    to["written"] = false;
  }

  PackJob job_;
  const bool color_;
  Progress progress_, silent_;
  MemoryPlan plan_;
  std::unique_ptr<PageCache> cache_;
  std::vector<Remark> encoder_notes_;
  uint64_t round_ = 0;
  PackSummary last_;
  RoundChanges changes_;
  bool is_behind_ = true;  // the bundle does not yet have all that the last round found
};

int RunWatch(PackOptions given) {
  if (given.level == 0) given.level = kWatchLevel;
  Result<PackJob> job = CheckPackOptions(std::move(given));
  if (!job.ok()) return ReportError(job.error(), false, kExitUsage);
  Watch watch(std::move(*job));
  if (Status opened = watch.Open(); !opened.ok()) return ReportError(opened.error(), false, kExitFailed);
  if (!watch.Round()) return kExitFailed;
  for (std::string line; std::getline(std::cin, line);) {
    if (line != "again") {
      const Error unknown{ErrorCode::kInvalidArgument, "expected 'again', got '" + line.substr(0, 80) + "'"};
      PrintLine({{"ok", false}, {"error", ToJson(unknown)}});
    } else if (!watch.Round()) {
      return kExitFailed;
    }
  }
  watch.Close();
  return kExitOk;
}

}  // namespace

void AddWatchCommand(CLI::App* app, RunFunction* run) {
  auto options = std::make_shared<PackOptions>();
  CLI::App* watch = app->add_subcommand("watch", "Pack again and again, preparing only what changed");
  AddPackOptions(watch, options.get(), kWatchLevel);
  watch->add_flag("--quiet,-q", options->quiet, "No progress of the first round")->group("Running");
  watch->footer(
      "Packs at once, and then for each line 'again' on stdin, until stdin ends. Each round prints one line of\n"
      "JSON: counts (pages, added, changed, removed, prepared), \"written\", \"seconds\" by stage, files that failed\n"
      "(\"skipped\", and \"inPart\" for those whose last good version is in the bundle).\n"
      "Half of --memory keeps pages from round to round; pages beyond it are prepared again in every round\n"
      "(\"keptPages\" is less than \"pages\").\n"
      "\n"
      "Exit codes: 0 stdin ended; 1 usage; 2 failed before the first round, or the embedding process failed.");
  watch->callback([=] { *run = [=] { return RunWatch(*options); }; });
}

}  // namespace sheaf::packer
