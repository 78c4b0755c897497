#include "packer/cli/native_host.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "packer/cli/command_line.h"
#include "packer/embed/embedding_client.h"
#include "packer/host/encoder_table.h"
#include "packer/job/open_job.h"

namespace sheaf::packer {
namespace {

// Empty when it is not set.
std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Quotes `word` so that the shell takes it as one word.
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
  const std::string path = Variable("PATH");
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = end == begin ? "." : path.substr(begin, end - begin);
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

// The command that embeds with `options.encoder`. Error: kNotFound.
Result<std::string> CommandFor(const PackOptions& options, const std::string& precision) {
  if (!options.encoder_command.empty()) return options.encoder_command;
  std::string sheaf = Variable("SHEAF_COMMAND");
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

Result<std::unique_ptr<PassageEncoder>> StartProcess(const PackOptions& options, TakeNote note, const GoOn& go_on) {
  // The user's own command may have any precision, unless the user asked for one.
  const std::string precision =
      options.encoder_precision.empty() && options.encoder_command.empty() ? "fp32" : options.encoder_precision;
  EncoderCommand process;
  SHEAF_ASSIGN_OR_RETURN(process.command, CommandFor(options, precision));
  process.packer = PackerName();
  process.name = options.encoder;
  process.precision = precision;
  process.advice = options.encoder_command.empty() ? "check SHEAF_COMMAND" : "check --encoder-command";
  process.timeout_seconds = options.encoder_timeout;
  SHEAF_ASSIGN_OR_RETURN(std::unique_ptr<EmbeddingClient> client,
                         EmbeddingClient::Start(std::move(process), std::move(note), go_on));
  return std::unique_ptr<PassageEncoder>(std::move(client));
}

// $XDG_CACHE_HOME/sheaf/vectors, else ~/.cache/sheaf/vectors; empty when neither variable is set.
std::string VectorCacheFolder() {
  // The convention asks to ignore a relative XDG_CACHE_HOME.
  if (const std::string cache = Variable("XDG_CACHE_HOME"); cache.starts_with('/')) return cache + "/sheaf/vectors";
  if (const std::string home = Variable("HOME"); !home.empty()) return home + "/.cache/sheaf/vectors";
  return {};
}

}  // namespace

JobHost NativeHost() {
  JobHost host;
  host.packer = PackerName();
  host.vector_cache = VectorCacheFolder();
  host.find_table = [] { return FindEncoderTable(""); };
  host.start_encoder = &StartProcess;
  return host;
}

}  // namespace sheaf::packer
