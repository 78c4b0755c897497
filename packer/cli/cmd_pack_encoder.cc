#include "packer/cli/cmd_pack_encoder.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "packer/base/printable.h"
#include "packer/cli/choice.h"
#include "packer/cli/commands.h"
#include "packer/embed/vector_cache.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxName = 200;

// Quotes `word` so that the shell takes it as one word, whatever it contains.
std::string ShellQuote(std::string_view word) {
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

bool IsOnPath(const std::string& program) {
  const char* variable = std::getenv("PATH");
  const std::string path = variable != nullptr ? variable : "";
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = end == begin ? "." : path.substr(begin, end - begin);
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

// The command that embeds with `options.encoder`. Error: kNotFound.
Result<std::string> CommandFor(const EncoderOptions& options, const std::string& precision) {
  if (!options.command.empty()) return options.command;
  const char* variable = std::getenv("SHEAF_COMMAND");
  std::string sheaf = variable != nullptr ? variable : "";
  if (sheaf.empty()) {
    if (!IsOnPath("sheaf")) {
      return Error{ErrorCode::kNotFound,
                   "--encoder " + options.encoder +
                       " needs the command `sheaf`, which is not on PATH; install it (npm install --global sheaf), "
                       "name it in the environment variable SHEAF_COMMAND, or give another embedding process with "
                       "--encoder-command"};
    }
    sheaf = "sheaf";
  }
  return sheaf + " embed " + ShellQuote(options.encoder) + " --precision " + ShellQuote(precision);
}

}  // namespace

EncoderKind EncoderOptions::kind() const {
  if (encoder == "none") return EncoderKind::kNone;
  if (encoder == "static" || (encoder.empty() && command.empty())) return EncoderKind::kStatic;
  return EncoderKind::kProcess;
}

void AddEncoderOptions(CLI::App* pack, const char* group, EncoderOptions* options) {
  pack->add_option(
          "--encoder", options->encoder,
          "static: vectors by the encoder table (default); none: keywords only; or the name of a transformer, such as "
          "all-MiniLM-L6-v2, that the command `sheaf` runs ($SHEAF_COMMAND when set): better and slower")
      ->option_text("static|none|MODEL")
      ->group(group);
  AddChoice<std::string>(pack, "--encoder-precision", &options->precision, {{"fp32", "fp32"}, {"int8", "int8"}},
                         "Of the transformer: fp32 (default) or int8, faster and a little worse")
      ->group(group);
  pack->add_option("--encoder-command", options->command,
                   "Run this by /bin/sh as the embedding process instead of `sheaf`; see docs/embedding-protocol.md")
      ->option_text("CMD")
      ->group(group);
  pack->add_option(
          "--encoder-timeout", options->timeout_seconds,
          "Seconds that the embedding process may be silent before it is killed and started again, once; default: 120")
      ->check(CLI::Range(0.1, 86400.0))
      ->option_text("S")
      ->group(group);
  pack->add_option(
          "--vector-cache", options->cache,
          "Folder where the transformer's vectors are kept, so that packing again embeds only what changed; default: "
          "sheaf/vectors in $XDG_CACHE_HOME or ~/.cache; none: do not keep them")
      ->option_text("DIR|none")
      ->group(group);
}

Status CheckEncoderOptions(const EncoderOptions& options) {
  const auto bad = [](std::string what) { return Error{ErrorCode::kInvalidArgument, std::move(what)}; };
  if (options.kind() != EncoderKind::kProcess) {
    const std::string encoder = options.encoder.empty() ? "static" : options.encoder;
    if (!options.command.empty())
      return bad("--encoder-command goes with the name of a transformer, or without --encoder; got --encoder " +
                 encoder);
    if (!options.precision.empty())
      return bad("--encoder-precision goes with a transformer; name one with --encoder, such as all-MiniLM-L6-v2");
    return {};
  }
  if (options.encoder.size() > kMaxName || options.encoder.starts_with("-") ||
      TerminalText(options.encoder) != options.encoder) {
    return bad("--encoder " + TerminalText(options.encoder) +
               ": expected static, none, or the name of a transformer of at most " + std::to_string(kMaxName) +
               " bytes");
  }
  return {};
}

Result<std::unique_ptr<PassageEmbedder>> OpenEmbedder(const EncoderOptions& options,
                                                      std::function<void(const std::string&)> note) {
  // The user's own command may have any precision, unless the user asked for one.
  const std::string precision = options.precision.empty() && options.command.empty() ? "fp32" : options.precision;
  EncoderCommand process;
  SHEAF_ASSIGN_OR_RETURN(process.command, CommandFor(options, precision));
  process.packer = "sheaf-pack " SHEAF_VERSION;
  process.name = options.encoder;
  process.precision = precision;
  process.advice = options.command.empty() ? "check SHEAF_COMMAND" : "check --encoder-command";
  process.timeout_seconds = options.timeout_seconds;
  std::string cache = options.cache;
  if (cache.empty()) {
    cache = DefaultVectorCacheFolder();
    if (cache.empty())
      note(
          "vectors are not kept for the next time: neither XDG_CACHE_HOME nor HOME is set; name a folder with "
          "--vector-cache");
  }
  return PassageEmbedder::Open(std::move(process), cache == "none" ? "" : cache, std::move(note));
}

}  // namespace sheaf::packer
