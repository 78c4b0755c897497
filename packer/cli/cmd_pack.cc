// sheaf-pack pack: the whole way from folders to one bundle.
#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/progress.h"
#include "packer/cli/cmd_pack_options.h"
#include "packer/cli/cmd_pack_report.h"
#include "packer/cli/commands.h"
#include "packer/output/atomic_file.h"
#include "packer/pipeline/pipeline.h"
#include "packer/source/source.h"

namespace sheaf::packer {
namespace {

constexpr int kDefaultLevel = 19;

int Pack(PackOptions given) {
  const auto began = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  if (given.level == 0) given.level = kDefaultLevel;
  const bool json = given.json;
  const auto failed = [&](const Error& error) { return ReportError(error, json, kExitFailed); };

  Result<PackJob> job = CheckPackOptions(std::move(given));
  if (!job.ok()) return ReportError(job.error(), json, kExitUsage);
  const PackOptions& options = job->options;
  const bool color = WantsColor(stderr);
  Progress progress(stderr, ChooseProgressMode(stderr, options.quiet), color);
  Reporter reporter(&progress, options.quiet || options.brief, color);
  std::vector<Remark> encoder_notes;
  const auto note_encoder = [&](const std::string& what) {
    encoder_notes.push_back({"encoder", what});
    reporter(encoder_notes.back(), false);
  };
  if (Status opened = OpenPackJob(&*job, note_encoder); !opened.ok()) return failed(opened.error());
  Result<SourceList> list = FindSources(options.inputs, options.source);
  if (!list.ok()) return failed(list.error());

  std::optional<JobBuilder> builder;
  PackSummary summary;
  do {
    job->pipeline.marked_only = summary.again.value_or(false);
    builder.emplace(*job, PlanMemory(job->pipeline.memory).postings);
    summary = PackPages(*list, job->urls, job->pipeline, job->encoder.encoder.get(), builder->get(), &progress,
                        std::ref(reporter), job->embedder.get());
  } while (summary.again && !summary.fatal);
  if (job->embedder && !summary.fatal) job->embedder->Finish();  // else it is killed
  summary.notes.insert(summary.notes.end(), encoder_notes.begin(), encoder_notes.end());
  if (summary.fatal || summary.pages == 0) {
    progress.Clear();
    return ReportFailure(summary.fatal ? *summary.fatal : NothingPacked(*list, summary), summary, json);
  }
  const double packing_seconds = elapsed();

  progress.BeginStage("writing", 0);
  Result<std::vector<uint8_t>> bundle =
      (*builder)->Finish([&](const char* stage, double share) { progress.UpdateShare(stage, share); });
  progress.Clear();
  if (!bundle.ok()) return failed(bundle.error());
  if (Status written = WriteFileAtomically(job->output, *bundle); !written.ok()) return failed(written.error());

  const Report report{*job, *list, summary, bundle->size(), builder->spilled_bytes(), elapsed(), packing_seconds};
  if (!options.quiet && !options.brief) PrintSummary(report);
  if (json) PrintJson(report);
  return SayWhatFailed(summary.problems, json);
}

}  // namespace

void AddPackCommand(CLI::App* app, RunFunction* run) {
  auto options = std::make_shared<PackOptions>();
  CLI::App* pack = app->add_subcommand("pack", "Pack documentation into one bundle (the default verb)");
  AddPackOptions(pack, options.get(), kDefaultLevel);
  pack->add_flag("--json", options->json, "Print counts, sizes, timing and skipped files as JSON on stdout")
      ->group("Running");
  pack->add_flag("--brief", options->brief, "Progress and failures alone: no notes, no summary")->group("Running");
  pack->add_flag("--quiet,-q", options->quiet, "No progress, notes or summary; failures are still named")
      ->group("Running");
  pack->footer(
      "Examples:\n"
      "  sheaf-pack docs --library fastapi --version 0.115.0 --base-url https://fastapi.tiangolo.com/\n"
      "  sheaf-pack 'src/**/*.md' README.md --library mylib --version 2.1 -o public/\n"
      "  sheaf-pack node_modules --include README.md --library readmes --version 2024-06\n"
      "  sheaf-pack public --library site --version 7 --exclude 'blog/**' --url-style clean --base-url /\n"
      "  sheaf-pack book/src --library rust-book --version 2021 --encoder all-MiniLM-L6-v2\n"
      "\n"
      "Exit codes: 0 all files packed; 1 usage; 2 failed, an older bundle is untouched;\n"
      "3 written, but files that failed are not in it (named on stderr and under \"skipped\" in --json), or some\n"
      "passages have no vector (\"inPart\").");
  pack->callback([=] { *run = [=] { return Pack(*options); }; });
}

}  // namespace sheaf::packer
