#include "packer/cli/commands.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "packer/base/printable.h"
#include "packer/job/report.h"

namespace sheaf::packer {

int ReportError(const Error& error, bool json, ExitCode exit_code) {
  std::fprintf(stderr, "sheaf-pack: %s\n", TerminalText(error.message).c_str());
  if (json) {
    const nlohmann::ordered_json report = {{"ok", false}, {"error", JsonOf(error)}};
    std::printf("%s\n", Dump(report, 2).c_str());
  }
  return exit_code;
}

}  // namespace sheaf::packer
