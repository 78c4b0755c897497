// The verbs of sheaf-pack, their exit codes and their error reports.
//
// Each cmd_<verb>.cc registers one CLI11 subcommand and sets `*run` for that verb;
// main.cc runs it once the whole command line is parsed.
#ifndef SHEAF_PACKER_CLI_COMMANDS_H_
#define SHEAF_PACKER_CLI_COMMANDS_H_

#include <functional>

#include "base/result.h"

namespace CLI {
class App;
}

namespace sheaf::packer {

enum ExitCode : int {
  kExitOk = 0,
  kExitUsage = 1,    // the command line is wrong; no work was done
  kExitFailed = 2,   // no file was written, or the file is not whole, or there is no answer
  kExitPartial = 3,  // pack: the bundle was written, but some files failed and are not in it
};

using RunFunction = std::function<int()>;
// `cancelled` (may be empty) cancels the packing.
void AddPackCommand(CLI::App* app, RunFunction* run, const std::function<bool()>& cancelled);
void AddWatchCommand(CLI::App* app, RunFunction* run);
void AddUnreadCommand(CLI::App* app, RunFunction* run, const std::function<bool()>& cancelled);
void AddInspectCommand(CLI::App* app, RunFunction* run);
void AddVerifyCommand(CLI::App* app, RunFunction* run);
void AddSearchCommand(CLI::App* app, RunFunction* run);
void AddTableCommand(CLI::App* app, RunFunction* run);

// Prints `error` on stderr and, with `json`, as {"ok": false, "error": {code, message}} on stdout.
// Returns `exit_code`.
int ReportError(const Error& error, bool json, ExitCode exit_code = kExitFailed);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_COMMANDS_H_
