// The flags that `pack` and `watch` share.
#ifndef SHEAF_PACKER_CLI_CMD_PACK_OPTIONS_H_
#define SHEAF_PACKER_CLI_CMD_PACK_OPTIONS_H_

namespace CLI {
class App;
}

namespace sheaf::packer {

struct PackOptions;

// REQUIRES: `options` outlives the parse. `default_level` is --level's when it is not given.
void AddPackOptions(CLI::App* verb, PackOptions* options, int default_level);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_CMD_PACK_OPTIONS_H_
