// sheaf-pack unread: names the files of the formats that a converter must read first (source/unread.h).
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "packer/cli/cmd_pack_options.h"
#include "packer/cli/commands.h"
#include "packer/job/options.h"
#include "packer/job/unread_files.h"

namespace sheaf::packer {

void AddUnreadCommand(CLI::App* app, RunFunction* run, const std::function<bool()>& cancelled) {
  auto options = std::make_shared<PackOptions>();
  auto ignored = std::make_shared<bool>(false);
  CLI::App* unread = app->add_subcommand("unread", "Name the files that converters must read first");
  AddPackOptions(unread, options.get(), kPackLevel);
  unread->add_flag("--json,--brief,--quiet,-q", *ignored, "As `pack` has them; without effect here")->group("Running");
  unread->footer(
      "Takes the arguments of `pack` and prints one JSON object: \"root\", \"includesFrom\", and \"files\", each with "
      "its\n"
      "\"path\" below the root, its \"file\" on disk, its \"format\" (asciidoc, openapi, pdf, man) and its \"size\".\n"
      "Pages made of them go into the folder of --converted.");
  unread->callback([=, kept = ignored] {  // which the flag writes
    *run = [=] {
      Result<CheckedOptions> checked = CheckPackOptions(*options);
      if (!checked.ok()) return int(ReportError(checked.error(), true, kExitUsage));
      const Result<std::string> json = UnreadFiles(checked->options.inputs, checked->source, cancelled);
      if (!json.ok()) return int(ReportError(json.error(), true));
      std::printf("%s\n", json->c_str());
      return int(kExitOk);
    };
  });
}

}  // namespace sheaf::packer
