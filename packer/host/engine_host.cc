#include "packer/host/engine_host.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "packer/base/printable.h"


namespace sheaf::packer {

Result<RangeFile> RangeFile::Open(const std::string& path) {
  const auto refuse = [&](ErrorCode code, const std::string& why) {
    return Error{code, PrintablePath(path) + ": " + why};
  };
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    const int why = errno;
    return why == ENOENT ? refuse(ErrorCode::kNotFound, "no such file; check the path")
                         : refuse(ErrorCode::kInvalidArgument, "cannot be read: " + ErrnoText(why));
  }
  RangeFile file(path, fd, 0);  // closes it from here on
  struct stat info;
  if (::fstat(fd, &info) != 0) return refuse(ErrorCode::kInvalidArgument, "cannot be read: " + ErrnoText(errno));
  if (S_ISDIR(info.st_mode)) return refuse(ErrorCode::kInvalidArgument, "is a folder; expected a .sheaf file");
  if (!S_ISREG(info.st_mode)) return refuse(ErrorCode::kInvalidArgument, "is not a regular file; expected a .sheaf file");
  file.size_ = uint64_t(info.st_size);
  return file;
}

RangeFile::~RangeFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::vector<uint8_t>> RangeFile::Read(uint64_t offset, uint64_t length) const {
  if (offset > size_ || length > size_ - offset) {
    return Error{ErrorCode::kInternal, PrintablePath(path_) + ": the core asked for bytes past the end"};
  }
  std::vector<uint8_t> bytes(length);
  for (size_t have = 0; have < bytes.size();) {
    const size_t step = std::min<size_t>(bytes.size() - have, size_t(1) << 30);
    const ssize_t got = ::pread(fd_, bytes.data() + have, step, off_t(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{ErrorCode::kInvalidArgument, PrintablePath(path_) + ": cannot be read: " + ErrnoText(errno)};
    if (got == 0) {
      return Error{ErrorCode::kTruncated, PrintablePath(path_) + ": became shorter while it was read; try again"};
    }
    have += size_t(got);
  }
  return bytes;
}

Status EngineHost::Attach(Source source, const std::string& path) {
  SHEAF_ASSIGN_OR_RETURN(RangeFile file, RangeFile::Open(path));
  SHEAF_RETURN_IF_ERROR(engine_.SetSource(source, file.size()));
  if (!lazy_) {
    SHEAF_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, file.Read(0, file.size()));
    SHEAF_RETURN_IF_ERROR(engine_.SupplyOwned(source, 0, std::move(bytes)));
  }
  files_[source].emplace(std::move(file));
  return {};
}

Status EngineHost::Bring(const Needs& needs) {
  ++traffic_.round_trips;
  for (const Range& range : needs) {
    if (range.source >= kSourceCount || !files_[range.source]) {
      return Error{ErrorCode::kInternal, "the core asks for bytes of a file that is not open"};
    }
    SHEAF_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, files_[range.source]->Read(range.offset, range.length));
    ++traffic_.requests;
    traffic_.bytes += bytes.size();
    SHEAF_RETURN_IF_ERROR(engine_.SupplyOwned(range.source, range.offset, std::move(bytes)));
  }
  return {};
}

Status ReadContainer(const RangeFile& file, Container* container, const std::function<Status(Container*)>& use) {
  constexpr int kMaxRounds = 1000;
  for (int round = 0; round < kMaxRounds; ++round) {
    container->BeginCall();
    Status status = use(container);
    if (status.ok() || status.code() != ErrorCode::kNeedsBytes) return status;
    for (const MissingRange& range : container->TakeNeeds()) {
      SHEAF_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, file.Read(range.offset, range.length));
      SHEAF_RETURN_IF_ERROR(container->Supply(range.offset, std::move(bytes)));
    }
  }
  return Error{ErrorCode::kInternal, "the core asks for more bytes without end"};
}

// ---- the encoder table ----------------------------------------------------------------------

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
    for (const char* below : {"../share/sheaf/", "../../share/sheaf/", "models/", "../models/", "../../models/", "../../../models/"}) {
      candidates.push_back(folder + below + std::string(kName));
    }
  }
  for (const std::string& candidate : candidates) {
    if (::access(candidate.c_str(), R_OK) == 0) return candidate;
  }
  return Error{ErrorCode::kNotFound,
               "the encoder table " + std::string(kName) + " was not found beside the executable; name it with "
               "--encoder-table FILE, or its folder in the environment variable SHEAF_MODELS"};
}

Result<LoadedEncoder> LoadEncoder(const std::string& path) {
  const auto named = [&](const Error& error) { return Error{error.code, "encoder table " + PrintablePath(path) + ": " + error.message}; };
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
