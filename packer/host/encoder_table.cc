#include "packer/host/encoder_table.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/printable.h"
#include "packer/host/range_file.h"

namespace sheaf::packer {

Result<std::string> FindEncoderTable(const std::string& given) {
  if (!given.empty()) return given;
  constexpr std::string_view kName = "minilm-l6-256.sheaf";
  std::vector<std::string> candidates;
  if (const char* models = std::getenv("SHEAF_MODELS"); models != nullptr && *models != '\0') {
    candidates.push_back(std::string(models) + "/" + std::string(kName));
  }
  char executable[4096];
  const ssize_t length = ::readlink("/proc/self/exe", executable, sizeof executable);
  if (length > 0) {
    const std::string_view path(executable, size_t(length));
    const std::string folder(path.substr(0, path.rfind('/') + 1));
    for (const char* below :
         {"../share/sheaf/", "../../share/sheaf/", "models/", "../models/", "../../models/", "../../../models/"}) {
      candidates.push_back(folder + below + std::string(kName));
    }
  }
  for (const std::string& candidate : candidates) {
    if (::access(candidate.c_str(), R_OK) == 0) return candidate;
  }
  return Error{ErrorCode::kNotFound,
               "the encoder table " + std::string(kName) +
                   " was not found beside the executable; name it with "
                   "--encoder-table FILE, or its folder in the environment variable SHEAF_MODELS"};
}

Result<LoadedEncoder> LoadEncoder(const std::string& path) {
  const auto named = [&](const Error& error) {
    return Error{error.code, "encoder table " + PrintablePath(path) + ": " + error.message};
  };
  SHEAF_ASSIGN_OR_RETURN(RangeFile file, RangeFile::Open(path));
  SHEAF_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, file.Read(0, file.size()));
  LoadedEncoder loaded;
  loaded.container = std::make_unique<Container>(file.size());
  const auto load = [&]() -> Status {
    SHEAF_RETURN_IF_ERROR(loaded.container->Supply(0, std::move(bytes)));
    loaded.container->BeginCall();
    SHEAF_RETURN_IF_ERROR(loaded.container->Open(ContainerKind::kEncoderTable));
    SHEAF_ASSIGN_OR_RETURN(StaticEncoder encoder, StaticEncoder::Open(loaded.container.get()));
    loaded.encoder = std::make_unique<StaticEncoder>(std::move(encoder));
    return loaded.encoder->LoadAll();
  };
  const Status status = load();
  if (!status.ok()) return named(status.error());
  return loaded;
}

}  // namespace sheaf::packer
