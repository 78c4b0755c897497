#include "packer/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "packer/base/printable.h"
#include "packer/cli/commands.h"

namespace sheaf::packer {
namespace {

constexpr std::array<std::string_view, 9> kVerbs = {"pack",   "watch", "unread",  "inspect", "verify",
                                                    "search", "table", "version", "help"};

// CLI11 prints an option's description on one line, however long.
class WrappingFormatter : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override { return Wrap(option->get_description()); }

 private:
  static std::string Wrap(const std::string& text) {
    constexpr size_t kColumns = 66;
    std::string wrapped;
    size_t column = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(' ', begin), text.size());
      if (column > 0 && column + 1 + (end - begin) > kColumns) {
        wrapped += '\n';
        column = 0;
      } else if (column > 0) {
        wrapped += ' ';
        ++column;
      }
      wrapped.append(text, begin, end - begin);
      column += end - begin;
      begin = end + 1;
    }
    return wrapped;
  }
};

// The arguments with the verb `pack` in front unless they begin with a verb or ask for help.
std::vector<std::string> WithVerb(std::vector<std::string> arguments) {
  if (arguments.empty()) return {"--help"};
  const std::string& first = arguments.front();
  // On its own it cannot be the version of a library.
  if (first == "--version" && arguments.size() == 1) return {"version"};
  if (first == "-h" || first == "--help" || first == "--tool-version") return arguments;
  if (first == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
    return arguments;
  }
  if (std::find(kVerbs.begin(), kVerbs.end(), first) == kVerbs.end()) arguments.insert(arguments.begin(), "pack");
  return arguments;
}

int Run(std::vector<std::string> arguments, const std::function<bool()>& cancelled) {
  CLI::App app{"Packs documentation into one .sheaf bundle that browsers, extensions and agents can search."};
  app.name("sheaf-pack");
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<WrappingFormatter>());  // inherited by the verbs
  RunFunction run;
  bool tool_version = false;
  app.add_flag("--tool-version", tool_version, "Print the version of this tool");
  AddPackCommand(&app, &run, cancelled);
  AddWatchCommand(&app, &run);
  AddUnreadCommand(&app, &run, cancelled);
  AddInspectCommand(&app, &run);
  AddVerifyCommand(&app, &run);
  AddSearchCommand(&app, &run);
  AddTableCommand(&app, &run);
  app.add_subcommand("version", "Print the version of this tool")->callback([&] { tool_version = true; });
  app.footer(
      "`pack` may be left out: sheaf-pack docs --library fastapi --version 0.115.0\n"
      "(an input called like a verb is written ./search)\n"
      "\n"
      "Exit codes: 0 done; 1 usage; 2 failed, nothing was written;\n"
      "3 the bundle was written, but some files failed and are not in it.\n"
      "\n"
      "`sheaf-pack VERB --help` tells more.");

  arguments = WithVerb(std::move(arguments));
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  if (tool_version) {
    std::printf("%s\n", PackerName().c_str());
    return kExitOk;
  }
  const int exit_code = run();  // WithVerb has seen to a verb, and each sets it
  if (std::fflush(stdout) != 0) {
    std::fprintf(stderr, "sheaf-pack: writing to stdout failed: %s\n", ErrnoText(errno).c_str());
    return kExitFailed;
  }
  return exit_code;
}

}  // namespace

std::string PackerVersion() { return SHEAF_VERSION; }

std::string PackerName() { return "sheaf-pack " + PackerVersion(); }

int RunCommandLine(std::vector<std::string> arguments, const std::function<bool()>& cancelled) {
  try {
    return Run(std::move(arguments), cancelled);
  } catch (const std::bad_alloc&) {
    std::fputs("sheaf-pack: out of memory; lower --memory and --jobs\n", stderr);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "sheaf-pack: internal error: %s\n", exception.what());
  }
  return kExitFailed;
}

}  // namespace sheaf::packer
