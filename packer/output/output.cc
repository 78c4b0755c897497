#include "packer/output/output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>

#include "packer/source/source.h"  // PrintablePath, ErrnoText

namespace sheaf::packer {
namespace {

Error Failure(const std::string& what, int error) {
  std::string why = ErrnoText(error);
  if (error == ENOSPC || error == EDQUOT) why += "; make room or choose another place with -o";
  return Error{ErrorCode::kInvalidArgument, what + ": " + why};
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// ---- what the signal handler needs -----------------------------------------------------------

char g_temporary[PATH_MAX];               // complete before the flag is set
std::atomic<bool> g_has_temporary{false};
std::atomic<int> g_group{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void RemoveTemporaryAndDie(int signal) {
  if (g_has_temporary.load()) ::unlink(g_temporary);
  if (const int group = g_group.load(); group > 0) ::kill(-group, SIGTERM);
  if (::isatty(STDERR_FILENO)) (void)!::write(STDERR_FILENO, "\n", 1);
  // Installed with SA_RESETHAND: the signal now has its default action.
  ::raise(signal);
}

// Keeps signals away while the temporary file and its name come or go together. Only this thread's
// mask changes; other threads block signals from the start (see pipeline.cc), so none slips in.
class SignalPause {
 public:
  SignalPause() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalPause() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

class TemporaryFile {
 public:
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!g_has_temporary.load()) return;
    SignalPause pause;
    ::unlink(g_temporary);
    g_has_temporary = false;
  }

  Status Create(const std::string& folder) {
    const std::string pattern = folder + "/.sheaf-XXXXXX.tmp";
    if (pattern.size() >= sizeof g_temporary) return Failure(PrintablePath(folder), ENAMETOOLONG);
    SignalPause pause;
    std::memcpy(g_temporary, pattern.c_str(), pattern.size() + 1);
    fd_ = ::mkostemps(g_temporary, 4, O_CLOEXEC);
    if (fd_ < 0) return Failure("cannot create a file in " + PrintablePath(folder), errno);
    g_has_temporary = true;
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
    if (::rename(g_temporary, path.c_str()) != 0) return Failure("cannot replace it", errno);
    g_has_temporary = false;
    return {};
  }

 private:
  int fd_ = -1;
};

void SyncFolder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // the file is whole all the same
  ::fsync(fd);
  ::close(fd);
}

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

// ---- names ----------------------------------------------------------------------------------

Status CheckLibraryName(std::string_view name) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument,
                 "library name '" + PrintablePath(name) + "' " + why +
                     "; expected one such as fastapi, socket.io, libstdc++ or @vue/runtime-core"};
  };
  if (name.empty()) return refuse("is empty");
  if (name.size() > 128) return refuse("has more than 128 bytes");
  bool at_start = true;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (i == 0 && c == '@') continue;
    if (c == '/') {
      if (at_start) return refuse("has an empty part");
      at_start = true;
      continue;
    }
    if (at_start && !IsLetterOrDigit(c) && c != '_') {
      return refuse("has a part that begins with something else than a letter, a digit or '_'");
    }
    if (!IsLetterOrDigit(c) && std::string_view("._-+").find(c) == std::string_view::npos) {
      return refuse("holds a character other than letters, digits and . _ - + / (and @ in front)");
    }
    at_start = false;
  }
  if (at_start) return refuse("has an empty part");
  return {};
}

Status CheckVersion(std::string_view version) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument, "version '" + PrintablePath(version) + "' " + why +
                                                  "; expected one such as 1.2.3, 2024-06 or latest"};
  };
  if (version.empty()) return refuse("is empty");
  if (version.size() > 64) return refuse("has more than 64 bytes");
  if (version.find_first_of("/\\") != std::string_view::npos) return refuse("holds a slash");
  if (version.starts_with(' ') || version.ends_with(' ')) return refuse("begins or ends with a space");
  if (PrintablePath(version) != version) return refuse("is not printable UTF-8");
  return {};
}

std::string BundleFileName(std::string_view library, std::string_view version) {
  std::string name;
  for (char c : library) name += c == '/' ? '~' : c;
  return name + "@" + std::string(version) + ".sheaf";
}

// ---- writing --------------------------------------------------------------------------------

Result<std::string> ResolveOutput(const std::string& path, const std::string& default_name) {
  std::string target = path.empty() ? default_name : path;
  struct stat info;
  // Links one by one, since the last may lead to a file that is yet to be made.
  for (int hops = 0; ::lstat(target.c_str(), &info) == 0 && S_ISLNK(info.st_mode); ++hops) {
    char next[PATH_MAX];
    const ssize_t length = ::readlink(target.c_str(), next, sizeof next);
    if (length < 0 || hops == 40) return Failure("output " + PrintablePath(path), length < 0 ? errno : ELOOP);
    const std::string leads_to(next, size_t(length));
    target = leads_to.starts_with('/') ? leads_to : FolderOf(target) + "/" + leads_to;
  }
  if (::stat(target.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return ResolveOutput(target + (target.ends_with('/') ? "" : "/") + default_name, default_name);
  }
  if (target.ends_with('/')) {
    return Error{ErrorCode::kInvalidArgument,
                 "output folder " + PrintablePath(target) + " does not exist; create it first"};
  }
  if (::stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return Error{ErrorCode::kInvalidArgument,
                 "output " + PrintablePath(target) + " is not a regular file and cannot be replaced; "
                 "choose another with -o"};
  }
  const std::string folder = FolderOf(target);
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
  Status status = file.Create(FolderOf(path));
  if (status.ok()) status = file.Write(bytes);
  if (status.ok()) status = file.MoveTo(path);
  if (!status.ok()) return named(status);
  SyncFolder(FolderOf(path));
  return {};
}

void InstallSignalHandlers() {
  struct sigaction action = {};
  action.sa_handler = RemoveTemporaryAndDie;
  action.sa_flags = int(SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before;
    // nohup and background jobs ignore signals on purpose.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &action, nullptr);
  }
  // A limit on file sizes then shows as a failed write, with a message.
  ::signal(SIGXFSZ, SIG_IGN);
}

void KillGroupOnSignal(int group) { g_group = group; }

// ---- spill ----------------------------------------------------------------------------------

SpillFile::~SpillFile() {
  if (fd_ >= 0) ::close(fd_);
}

Status SpillFile::Open() {
#ifdef O_TMPFILE
  fd_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (fd_ >= 0) return {};
#endif
  // Where the file system has no nameless files: named for an instant.
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
    if (got <= 0) return Failure("reading the scratch file in " + PrintablePath(folder_) + " failed", got < 0 ? errno : EIO);
    out += got;
    offset += uint64_t(got);
    size -= size_t(got);
  }
  return {};
}

}  // namespace sheaf::packer
