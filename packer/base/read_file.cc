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

namespace {

class OpenFile {
 public:
  // Non-blocking, so that a pipe put in the file's place does not hang us.
  explicit OpenFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (fd_ < 0) {
      const int why = errno;
      status_ = why == ENOENT ? Error{ErrorCode::kNotFound, "no such file"} : Unreadable(why);
    } else if (::fstat(fd_, &info_) != 0) {
      status_ = Unreadable(errno);
    } else if (!S_ISREG(info_.st_mode)) {
      status_ =
          Error{ErrorCode::kInvalidArgument, std::string("cannot be read: it is ") + KindOfSpecial(info_.st_mode)};
    }
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }

  static Error Unreadable(int why) { return Error{ErrorCode::kInvalidArgument, "cannot be read: " + ErrnoText(why)}; }
  const Status& status() const { return status_; }
  uint64_t size() const { return uint64_t(info_.st_size); }
  // 0 at the end, -1 with errno.
  ssize_t Read(char* to, size_t bytes) const {
    for (;;) {
      const ssize_t got = ::read(fd_, to, bytes);
      if (got >= 0 || errno != EINTR) return got;
    }
  }

 private:
  int fd_;
  struct stat info_ = {};
  Status status_;
};

}  // namespace

std::string ReadBeginning(const std::string& path, size_t bytes) {
  const OpenFile file(path);
  if (!file.status().ok()) return {};
  std::string head(bytes, '\0');
  size_t have = 0;
  while (have < bytes) {
    const ssize_t got = file.Read(head.data() + have, bytes - have);
    if (got <= 0) break;
    have += size_t(got);
  }
  head.resize(have);
  return head;
}

Result<std::string> ReadFileBytes(const std::string& path, uint64_t max_bytes) {
  const OpenFile file(path);
  SHEAF_RETURN_IF_ERROR(file.status());
  const auto too_large = [&](uint64_t size) {
    return Error{ErrorCode::kTooLarge,
                 "too large: " + std::to_string(size) + " bytes, at most " + std::to_string(max_bytes) + " are taken"};
  };
  if (file.size() > max_bytes) return too_large(file.size());
  std::string bytes;
  // One byte more than expected, so that the same call also sees the end of the file.
  bytes.resize(size_t(file.size()) + 1);
  size_t have = 0;
  for (;;) {
    const ssize_t got = file.Read(bytes.data() + have, bytes.size() - have);
    if (got < 0) return OpenFile::Unreadable(errno);
    if (got == 0) break;
    have += size_t(got);
    if (have > max_bytes) return too_large(have);
    if (have == bytes.size()) bytes.resize(bytes.size() * 2);  // it grew, or lives in /proc
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace sheaf::packer
