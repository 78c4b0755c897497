// Finds the static encoder's table on disk and loads it into memory.
//
// Threads: any number may share a loaded table.
#ifndef SHEAF_PACKER_HOST_ENCODER_TABLE_H_
#define SHEAF_PACKER_HOST_ENCODER_TABLE_H_

#include <memory>
#include <string>

#include "base/result.h"
#include "bundle/container.h"
#include "encode/static_encoder.h"

namespace sheaf::packer {

// Where the encoder table is: `given` if not empty, else the first that exists of
//   $SHEAF_MODELS/minilm-l6-256.sheaf
//   ../share/sheaf/, ../../share/sheaf/, models/, ../models/, ../../models/, ../../../models/
//   below the folder of the executable.
// Error: kNotFound; the message says what to do.
Result<std::string> FindEncoderTable(const std::string& given);

// The whole table in memory, for use by several threads.
struct LoadedEncoder {
  std::unique_ptr<Container> container;
  std::unique_ptr<StaticEncoder> encoder;
};
Result<LoadedEncoder> LoadEncoder(const std::string& path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_HOST_ENCODER_TABLE_H_
