#include "packer/output/atomic_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "packer/base/printable.h"
#include "packer/base/signals.h"
#include "packer/output/failure.h"

namespace sheaf::packer {
namespace {

std::string FolderToSync(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

class TemporaryFile {
 public:
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (path_.empty()) return;
    SignalPause pause;
    ::unlink(path_.c_str());
    RemoveFileOnSignal(nullptr);
  }

  Status Create(const std::string& folder) {
    std::string name = folder + "/.sheaf-XXXXXX.tmp";
    if (name.size() >= PATH_MAX) return Failure(PrintablePath(folder), ENAMETOOLONG);
    SignalPause pause;
    fd_ = ::mkostemps(name.data(), 4, O_CLOEXEC);
    if (fd_ < 0) return Failure("cannot create a file in " + PrintablePath(folder), errno);
    path_ = std::move(name);
    RemoveFileOnSignal(path_.c_str());
    return {};
  }

  Status Write(ByteSpan bytes) {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(fd_, bytes.data(), std::min<size_t>(bytes.size(), size_t(1) << 30));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return Failure("writing " + std::to_string(bytes.size()) + " more bytes failed", errno);
      bytes = bytes.subspan(size_t(wrote));
    }
    return {};
  }

  Status MoveTo(const std::string& path) {
    struct stat old;
    mode_t mode;
    if (::stat(path.c_str(), &old) == 0) {
      mode = old.st_mode & 07777;
    } else {
      const mode_t mask = ::umask(0);
      ::umask(mask);
      mode = 0666 & ~mask;
    }
    if (::fchmod(fd_, mode) != 0 && errno != EPERM) return Failure("setting permissions failed", errno);
    // Some file systems report a full disk only here.
    if (::fsync(fd_) != 0 && errno != EINVAL) return Failure("writing to disk failed", errno);
    const int closed = ::close(fd_);
    fd_ = -1;
    if (closed != 0 && errno != EINTR) return Failure("writing to disk failed", errno);
    SignalPause pause;
    if (::rename(path_.c_str(), path.c_str()) != 0) return Failure("cannot replace it", errno);
    RemoveFileOnSignal(nullptr);
    path_.clear();
    return {};
  }

 private:
  std::string path_;  // empty: no file
  int fd_ = -1;
};

void SyncFolder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // the file is complete anyway
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

Result<std::string> ResolveOutput(const std::string& path, const std::string& default_name) {
  std::string target = path.empty() ? default_name : path;
  struct stat info;
  // Follows links one by one, since the last may point to a file that does not exist yet.
  for (int hops = 0; ::lstat(target.c_str(), &info) == 0 && S_ISLNK(info.st_mode); ++hops) {
    char next[PATH_MAX];
    const ssize_t length = ::readlink(target.c_str(), next, sizeof next);
    if (length < 0 || hops == 40) return Failure("output " + PrintablePath(path), length < 0 ? errno : ELOOP);
    const std::string leads_to(next, size_t(length));
    target = leads_to.starts_with('/') ? leads_to : FolderToSync(target) + "/" + leads_to;
  }
  if (::stat(target.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return ResolveOutput(target + (target.ends_with('/') ? "" : "/") + default_name, default_name);
  }
  if (target.ends_with('/')) {
    return Error{ErrorCode::kInvalidArgument,
                 "output folder " + PrintablePath(target) + " does not exist; create it first"};
  }
  if (::stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return Error{ErrorCode::kInvalidArgument, "output " + PrintablePath(target) +
                                                  " is not a regular file and cannot be replaced; "
                                                  "choose another with -o"};
  }
  const std::string folder = FolderToSync(target);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    const int why = errno;
    if (why == ENOENT) {
      return Error{ErrorCode::kInvalidArgument,
                   "output folder " + PrintablePath(folder) + " does not exist; create it first"};
    }
    return Failure("output folder " + PrintablePath(folder) + " cannot be written to", why);
  }
  return target;
}

Status WriteFileAtomically(const std::string& path, ByteSpan bytes) {
  const auto named = [&](const Status& status) {
    return Error{status.error().code, PrintablePath(path) + ": " + status.error().message};
  };
  TemporaryFile file;
  Status status = file.Create(FolderToSync(path));
  if (status.ok()) status = file.Write(bytes);
  if (status.ok()) status = file.MoveTo(path);
  if (!status.ok()) return named(status);
  SyncFolder(FolderToSync(path));
  return {};
}

}  // namespace sheaf::packer
