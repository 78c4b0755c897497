// sheaf-pack watch: packs, then repacks on request and prepares only what changed (job/rounds.h).
//
//     stdin:  again\n      another round; the first begins by itself. End of input ends the process.
//     stdout: one line of JSON per round
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "packer/base/terminal_progress.h"
#include "packer/cli/cmd_pack_options.h"
#include "packer/cli/cmd_pack_report.h"
#include "packer/cli/commands.h"
#include "packer/cli/native_host.h"
#include "packer/job/rounds.h"

namespace sheaf::packer {
namespace {

void PrintLine(const std::string& json) {
  std::printf("%s\n", json.c_str());
  std::fflush(stdout);
}

// Runs one round and prints its line. Returns whether to go on.
bool Round(Rounds* rounds, TerminalProgress* terminal, bool shows_progress) {
  Reporter reporter(terminal, /*quiet=*/true, WantsColor(stderr));
  PackObserver observer;
  observer.remark = std::ref(reporter);
  if (shows_progress) observer.progress = [&](const ProgressState& state) { terminal->Show(state); };
  const RoundReport report = rounds->Round(observer);
  terminal->Clear();
  PrintLine(JsonOf(report));
  return rounds->usable();
}

int RunWatch(PackOptions options, bool quiet) {
  Result<CheckedOptions> checked = CheckPackOptions(std::move(options));
  if (!checked.ok()) return ReportError(checked.error(), false, kExitUsage);
  Result<BundleTarget> target = FileTarget(checked->options);
  if (!target.ok()) return ReportError(target.error(), false, kExitFailed);
  Result<std::unique_ptr<Rounds>> rounds = Rounds::Open(std::move(*checked), NativeHost(), std::move(*target));
  if (!rounds.ok()) return ReportError(rounds.error(), false, kExitFailed);

  TerminalProgress terminal(stderr, ChooseProgressMode(stderr, quiet), WantsColor(stderr));
  if (!Round(rounds->get(), &terminal, /*shows_progress=*/true)) return kExitFailed;
  for (std::string line; std::getline(std::cin, line);) {
    if (line != "again") {
      const Error unknown{ErrorCode::kInvalidArgument, "expected 'again', got '" + line.substr(0, 80) + "'"};
      PrintLine(JsonOf(unknown));
    } else if (!Round(rounds->get(), &terminal, /*shows_progress=*/false)) {  // later rounds are short
      return kExitFailed;
    }
  }
  (*rounds)->Close();
  return kExitOk;
}

}  // namespace

void AddWatchCommand(CLI::App* app, RunFunction* run) {
  auto options = std::make_shared<PackOptions>();
  auto quiet = std::make_shared<bool>(false);
  CLI::App* watch = app->add_subcommand("watch", "Pack again and again, preparing only changed pages");
  AddPackOptions(watch, options.get(), kRoundsLevel);
  watch->add_flag("--quiet,-q", *quiet, "Show no progress of the first round")->group("Running");
  watch->footer(
      "Packs at once, and then for each line 'again' on stdin, until stdin ends. Each round prints one line of\n"
      "JSON: counts (pages, added, changed, removed, prepared), \"written\", \"seconds\" by stage, files that failed\n"
      "(\"skipped\", and \"inPart\" for those whose last good version is in the bundle).\n"
      "Half of --memory keeps pages from round to round; pages beyond it are prepared again in every round\n"
      "(\"keptPages\" is less than \"pages\").\n"
      "\n"
      "Exit codes: 0 stdin ended; 1 usage; 2 failed before the first round, or the embedding process failed.");
  watch->callback([=] { *run = [=] { return RunWatch(*options, *quiet); }; });
}

}  // namespace sheaf::packer
