// The options of module.d.ts as the packer's own (packer/job/options.h).
#ifndef SHEAF_WASM_PACKER_OPTIONS_H_
#define SHEAF_WASM_PACKER_OPTIONS_H_

#include <emscripten/val.h>

#include <string>

#include "base/result.h"
#include "packer/job/options.h"

namespace sheaf::packer {

struct ModuleOptions {
  PackOptions pack;
  std::string scratch;  // a folder; empty: not given
};

// `rounds` chooses the default level. Error: kInvalidArgument, for an option that does not exist or is of another type.
Result<ModuleOptions> ReadOptions(const emscripten::val& given, bool rounds);

}  // namespace sheaf::packer

#endif  // SHEAF_WASM_PACKER_OPTIONS_H_
