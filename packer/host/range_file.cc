#include "packer/host/range_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

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
  RangeFile file(path, fd, 0);  // owns fd from here on
  struct stat info;
  if (::fstat(fd, &info) != 0) return refuse(ErrorCode::kInvalidArgument, "cannot be read: " + ErrnoText(errno));
  if (S_ISDIR(info.st_mode)) return refuse(ErrorCode::kInvalidArgument, "is a folder; expected a .sheaf file");
  if (!S_ISREG(info.st_mode))
    return refuse(ErrorCode::kInvalidArgument, "is not a regular file; expected a .sheaf file");
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
    if (got < 0)
      return Error{ErrorCode::kInvalidArgument, PrintablePath(path_) + ": cannot be read: " + ErrnoText(errno)};
    if (got == 0) {
      return Error{ErrorCode::kTruncated, PrintablePath(path_) + ": became shorter while it was read; try again"};
    }
    have += size_t(got);
  }
  return bytes;
}

}  // namespace sheaf::packer
