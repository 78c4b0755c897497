#include "packer/cli/commands.h"

#include <cstdio>

#include "packer/base/printable.h"
#include "packer/job/report.h"

namespace sheaf::packer {

int ReportError(const Error& error, bool json, ExitCode exit_code) {
  std::fprintf(stderr, "sheaf-pack: %s\n", TerminalText(error.message).c_str());
  if (json) std::printf("%s\n", JsonOf(error, 2).c_str());
  return exit_code;
}

}  // namespace sheaf::packer
