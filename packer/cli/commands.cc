#include "packer/cli/commands.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "packer/base/printable.h"

namespace sheaf::packer {

int ReportError(const Error& error, bool json, ExitCode exit_code) {
  std::fprintf(stderr, "sheaf-pack: %s\n", TerminalText(error.message).c_str());
  if (json) {
    const nlohmann::ordered_json report = {
        {"ok", false}, {"error", {{"code", ErrorCodeName(error.code)}, {"message", error.message}}}};
    std::printf("%s\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  }
  return exit_code;
}

}  // namespace sheaf::packer
