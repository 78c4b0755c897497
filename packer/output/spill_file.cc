#include "packer/output/spill_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "packer/base/printable.h"
#include "packer/base/signals.h"
#include "packer/output/failure.h"

namespace sheaf::packer {

SpillFile::~SpillFile() {
  if (fd_ >= 0) ::close(fd_);
}

Status SpillFile::Open() {
#ifdef O_TMPFILE
  fd_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (fd_ >= 0) return {};
#endif
  // The file system has no unnamed files: create a named one and unlink it at once.
  SignalPause pause;
  std::string name = folder_ + "/.sheaf-XXXXXX.tmp";
  fd_ = ::mkostemps(name.data(), 4, O_CLOEXEC);
  if (fd_ < 0) return Failure("cannot create a scratch file in " + PrintablePath(folder_), errno);
  ::unlink(name.c_str());
  return {};
}

Status SpillFile::Append(ByteSpan bytes) {
  if (fd_ < 0) SHEAF_RETURN_IF_ERROR(Open());
  while (!bytes.empty()) {
    const ssize_t wrote = ::pwrite(fd_, bytes.data(), std::min<size_t>(bytes.size(), size_t(1) << 30), off_t(size_));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Failure("writing the scratch file in " + PrintablePath(folder_) + " failed", errno);
    size_ += uint64_t(wrote);
    bytes = bytes.subspan(size_t(wrote));
  }
  return {};
}

Status SpillFile::Read(uint64_t offset, size_t size, uint8_t* out) const {
  if (offset > size_ || size > size_ - offset) {
    return Error{ErrorCode::kInternal, "scratch file: a read past its end"};
  }
  while (size > 0) {
    const ssize_t got = ::pread(fd_, out, size, off_t(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return Failure("reading the scratch file in " + PrintablePath(folder_) + " failed", got < 0 ? errno : EIO);
    out += got;
    offset += uint64_t(got);
    size -= size_t(got);
  }
  return {};
}

}  // namespace sheaf::packer
