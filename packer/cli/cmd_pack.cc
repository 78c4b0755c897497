// sheaf-pack pack: the whole way from folders to one bundle.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "packer/base/terminal_progress.h"
#include "packer/cli/cmd_pack_options.h"
#include "packer/cli/cmd_pack_report.h"
#include "packer/cli/commands.h"
#include "packer/cli/native_host.h"
#include "packer/job/pack_job.h"

namespace sheaf::packer {
namespace {

struct Saying {
  bool json = false, quiet = false, brief = false;
};

int Pack(PackOptions options, const Saying& saying, const std::function<bool()>& cancelled) {
  const bool json = saying.json;
  const auto failed = [&](const Error& error) { return ReportError(error, json, kExitFailed); };
  Result<CheckedOptions> checked = CheckPackOptions(std::move(options));
  if (!checked.ok()) return ReportError(checked.error(), json, kExitUsage);
  Result<BundleTarget> target = FileTarget(checked->options);
  if (!target.ok()) return failed(target.error());

  const bool color = WantsColor(stderr), is_brief = saying.quiet || saying.brief;
  TerminalProgress terminal(stderr, ChooseProgressMode(stderr, saying.quiet), color);
  Reporter reporter(&terminal, is_brief, color);
  PackObserver observer;
  observer.remark = std::ref(reporter);
  observer.cancelled = cancelled;
  observer.progress = [&](const ProgressState& state) { terminal.Show(state); };
  Result<std::unique_ptr<PackJob>> job =
      PackJob::Open(std::move(*checked), NativeHost(), std::move(*target), std::move(observer));
  if (!job.ok()) return failed(job.error());

  Packed packed = (*job)->Run();
  terminal.Clear();
  if (!packed.report.error) (*job)->Write(&packed);
  if (packed.report.error) return ReportFailure(packed.report, json);
  if (!is_brief) PrintSummary(packed.report);
  if (json) std::printf("%s\n", JsonOf(packed.report, 2).c_str());
  return SayWhatFailed(packed.report.problems, json);
}

}  // namespace

void AddPackCommand(CLI::App* app, RunFunction* run, const std::function<bool()>& cancelled) {
  auto options = std::make_shared<PackOptions>();
  auto saying = std::make_shared<Saying>();
  CLI::App* pack = app->add_subcommand("pack", "Pack documentation into one bundle (the default verb)");
  AddPackOptions(pack, options.get(), kPackLevel);
  pack->add_flag("--json", saying->json, "Print counts, sizes, timing and skipped files as JSON on stdout")
      ->group("Running");
  pack->add_flag("--brief", saying->brief, "Only progress and failures: no notes, no summary")->group("Running");
  pack->add_flag("--quiet,-q", saying->quiet, "No progress, notes or summary; failures are still named")
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
  pack->callback([=] { *run = [=] { return Pack(*options, *saying, cancelled); }; });
}

}  // namespace sheaf::packer
