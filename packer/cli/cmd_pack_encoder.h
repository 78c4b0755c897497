// The encoder options of `pack`, and the embedding process that they ask for.
#ifndef SHEAF_PACKER_CLI_CMD_PACK_ENCODER_H_
#define SHEAF_PACKER_CLI_CMD_PACK_ENCODER_H_

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "packer/embed/embedding_passages.h"

namespace CLI {
class App;
}

namespace sheaf::packer {

enum class EncoderKind : uint8_t { kNone, kStatic, kProcess };

struct EncoderOptions {
  std::string encoder;    // as given: static, none, a model's name; empty: not given
  std::string command;    // --encoder-command
  std::string precision;  // as given; empty: not given
  double timeout_seconds = 120;
  std::string cache;  // a folder, "none", or empty: the default

  // Follows from the options given; --encoder-command alone asks for a process.
  EncoderKind kind() const;
};

// REQUIRES: `options` outlives the parse. `group` is their heading in the help.
void AddEncoderOptions(CLI::App* pack, const char* group, EncoderOptions* options);

// Checks that the options agree. Error: kInvalidArgument.
Status CheckEncoderOptions(const EncoderOptions& options);

// Starts the process that the options ask for. `note` receives what does not stop the work. Errors:
// those of PassageEmbedder::Open, and kNotFound when there is no command to run.
// REQUIRES: kind() is kProcess and the options were checked.
Result<std::unique_ptr<PassageEmbedder>> OpenEmbedder(const EncoderOptions& options,
                                                      std::function<void(const std::string&)> note);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_CMD_PACK_ENCODER_H_
