// The command line of sheaf-pack (main.cc lists its verbs and exit codes), for the program and for the module.
#ifndef SHEAF_PACKER_CLI_COMMAND_LINE_H_
#define SHEAF_PACKER_CLI_COMMAND_LINE_H_

#include <functional>
#include <string>
#include <vector>

namespace sheaf::packer {

// The version of package.json.
std::string PackerVersion();

// "sheaf-pack " and the version, for bundles, embedding processes and users.
std::string PackerName();

// Runs `arguments`, which begin after the program's name, and returns the exit code. `cancelled` (may be empty) cancels
// packing; signals end the program instead (base/signals.h). Throws no exception.
int RunCommandLine(std::vector<std::string> arguments, const std::function<bool()>& cancelled = {});

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_COMMAND_LINE_H_
