// sheaf-pack verify: is this file intact? Checks every block's checksum, and every offset and index
// inside a bundle.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/cli/commands.h"
#include "packer/host/encoder_table.h"
#include "packer/host/engine_host.h"

namespace sheaf::packer {
namespace {

struct Verified {
  const char* kind = "bundle";
  std::string name;  // "fastapi 0.115.0", or the space of a table
  uint32_t blocks = 0;
  uint64_t bytes = 0;
};

Result<Verified> VerifyTable(const std::string& path) {
  SHEAF_ASSIGN_OR_RETURN(const LoadedEncoder loaded, LoadEncoder(path));
  Verified verified;
  verified.kind = "encoder table";
  verified.name = loaded.encoder->space();
  verified.bytes = loaded.container->file_size();
  SHEAF_ASSIGN_OR_RETURN(verified.blocks, loaded.container->VerifyBlocks());
  return verified;
}

Result<Verified> VerifyFile(const std::string& path) {
  EngineHost host(/*lazy=*/false);
  SHEAF_RETURN_IF_ERROR(host.Attach(kBundleSource, path));
  Result<BundleInfo> info = host.Ask([](Engine& engine) { return engine.Open(); });
  if (info.code() == ErrorCode::kWrongKind) return VerifyTable(path);
  if (!info.ok()) return info.error();
  Verified verified;
  verified.name = info->library + " " + info->version;
  verified.bytes = info->file_size;
  SHEAF_ASSIGN_OR_RETURN(verified.blocks, host.Ask([](Engine& engine) { return engine.Verify(); }));
  return verified;
}

int Verify(const std::string& path, bool json) {
  const auto began = std::chrono::steady_clock::now();
  const Result<Verified> verified = VerifyFile(path);
  if (!verified.ok()) {
    const std::string& message = verified.error().message;
    const bool named = message.find(path) != std::string::npos;
    return ReportError({verified.code(), named ? message : path + ": " + message}, json);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (json) {
    const nlohmann::ordered_json report = {{"ok", true},
                                           {"file", path},
                                           {"kind", verified->kind},
                                           {"name", verified->name},
                                           {"bytes", verified->bytes},
                                           {"blocks", verified->blocks},
                                           {"seconds", seconds}};
    std::printf("%s\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else {
    std::printf("%s: whole: %s %s, %s in %s blocks, checked in %s\n", TerminalText(path).c_str(), verified->kind,
                TerminalText(verified->name).c_str(), FormatBytes(verified->bytes).c_str(),
                FormatCount(verified->blocks).c_str(), FormatDuration(seconds).c_str());
  }
  return kExitOk;
}

}  // namespace

void AddVerifyCommand(CLI::App* app, RunFunction* run) {
  struct Options {
    std::string file;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verify = app->add_subcommand("verify", "Check every checksum and every bound of a bundle or encoder table");
  verify->add_option("file", options->file, "A .sheaf file")->required()->option_text(" ");
  verify->add_flag("--json", options->json, "Print the result as JSON");
  verify->footer(
      "Example:\n"
      "  sheaf-pack verify fastapi@0.115.0.sheaf && echo whole\n"
      "\n"
      "Exit codes: 0 whole; 1 usage; 2 damaged, unreadable or not of this format.");
  verify->callback([=] { *run = [=] { return Verify(options->file, options->json); }; });
}

}  // namespace sheaf::packer
