#include "packer/base/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "packer/base/printable.h"

namespace sheaf::packer {

const char* KindOfSpecial(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISDIR(mode)) return "a folder";
  return "not a regular file";
}

Result<std::string> ReadFileBytes(const std::string& path, uint64_t max_bytes) {
  // Non-blocking, so that a pipe put in the file's place does not hang us.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    const int why = errno;
    if (why == ENOENT) return Error{ErrorCode::kNotFound, "no such file"};
    return Error{ErrorCode::kInvalidArgument, "cannot be read: " + ErrnoText(why)};
  }
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } closer{fd};
  struct stat info;
  if (::fstat(fd, &info) != 0) return Error{ErrorCode::kInvalidArgument, "cannot be read: " + ErrnoText(errno)};
  if (!S_ISREG(info.st_mode)) {
    return Error{ErrorCode::kInvalidArgument, std::string("cannot be read: it is ") + KindOfSpecial(info.st_mode)};
  }
  const auto too_large = [&](uint64_t size) {
    return Error{ErrorCode::kTooLarge,
                 "too large: " + std::to_string(size) + " bytes, at most " + std::to_string(max_bytes) + " are taken"};
  };
  if (uint64_t(info.st_size) > max_bytes) return too_large(uint64_t(info.st_size));
  std::string bytes;
  // One byte more than expected, so that the same call also sees the end of the file.
  bytes.resize(size_t(info.st_size) + 1);
  size_t have = 0;
  for (;;) {
    const ssize_t got = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{ErrorCode::kInvalidArgument, "cannot be read: " + ErrnoText(errno)};
    if (got == 0) break;
    have += size_t(got);
    if (have > max_bytes) return too_large(have);
    if (have == bytes.size()) bytes.resize(bytes.size() * 2);  // it grew, or lives in /proc
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace sheaf::packer
