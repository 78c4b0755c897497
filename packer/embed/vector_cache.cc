#include "packer/embed/vector_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/bytes.h"
#include "base/checksum.h"
#include "packer/base/printable.h"

namespace sheaf::packer {
namespace {

constexpr uint8_t kCacheMagic[8] = {0x89, 'S', 'V', 'E', 'C', '\r', '\n', 0x1a};
constexpr uint32_t kVersion = 1;
constexpr std::string_view kSalt = "sheaf vector key, second half:";
constexpr size_t kReadFromCache = 4 << 20;

Error CacheFailure(const std::string& what, int error) {
  return Error{ErrorCode::kInvalidArgument, what + ": " + ErrnoText(error)};
}

std::vector<uint8_t> MakeHeader(std::string_view identity, uint32_t dimensions) {
  ByteWriter w;
  w.Bytes(kCacheMagic);
  w.U32(kVersion);
  w.U32(dimensions);
  w.U32(uint32_t(identity.size()));
  w.Bytes(AsBytes(identity));
  w.U64(Hash64(w.bytes()));
  return w.Take();
}

// `label` as a part of a file name.
std::string FileLabel(std::string_view label) {
  std::string name;
  for (char c : label.substr(0, 64)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    name += plain ? c : '_';
  }
  return name.empty() || name[0] == '.' ? "_" + name : name;
}

// Reads up to `size` bytes; fewer at the end of the file. Negative: an error, in errno.
ssize_t ReadAt(int fd, uint64_t offset, size_t size, uint8_t* out) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, out + done, size - done, off_t(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += size_t(got);
  }
  return ssize_t(done);
}

class FileLock {
 public:
  explicit FileLock(int fd) : fd_(fd) {
    do {
      held_ = ::flock(fd, LOCK_EX) == 0;
    } while (!held_ && errno == EINTR);
  }
  ~FileLock() {
    if (held_) ::flock(fd_, LOCK_UN);
  }
  bool held() const { return held_; }

 private:
  int fd_;
  bool held_;
};

}  // namespace

VectorKey KeyOfText(std::string_view text) {
  std::string salted(kSalt);
  salted += text;
  return {Hash64(AsBytes(text)), Hash64(AsBytes(salted))};
}

Result<std::unique_ptr<VectorCache>> VectorCache::Open(const std::string& folder, std::string_view label,
                                                       std::string_view identity, uint32_t dimensions,
                                                       uint64_t max_bytes) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return CacheFailure("the folder " + PrintablePath(folder) + " cannot be made", error.value());
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(Hash64(AsBytes(identity))));
  const std::string path = folder + "/" + FileLabel(label) + "-" + hash + ".vectors";
  std::unique_ptr<VectorCache> cache(new VectorCache(path, dimensions, max_bytes));
  if (Status status = cache->OpenFile(identity); !status.ok()) {
    return Error{status.code(), PrintablePath(path) + ": " + status.error().message};
  }
  return cache;
}

VectorCache::~VectorCache() {
  if (fd_ >= 0) ::close(fd_);
}

// ---- opening ----------------------------------------------------------------------------------

Status VectorCache::OpenFile(std::string_view identity) {
  header_ = MakeHeader(identity, dimensions_);
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ < 0) return CacheFailure("cannot be opened", errno);
  FileLock lock(fd_);
  struct stat info;
  if (!lock.held() || ::fstat(fd_, &info) != 0) return CacheFailure("cannot be locked", errno);
  if (!S_ISREG(info.st_mode)) return Error{ErrorCode::kInvalidArgument, "is not a regular file"};
  const uint64_t size = uint64_t(info.st_size);
  SHEAF_ASSIGN_OR_RETURN(const bool ours, HasHeader(size));
  if (!ours || size > max_bytes_) return StartAnew();
  return ReadEntries(size);
}

Result<bool> VectorCache::HasHeader(uint64_t size) const {
  if (size < header_.size()) return false;
  std::vector<uint8_t> found(header_.size());
  const ssize_t got = ReadAt(fd_, 0, found.size(), found.data());
  if (got < 0) return CacheFailure("cannot be read", errno);
  return size_t(got) == found.size() && found == header_;
}

// REQUIRES: the lock is held.
Status VectorCache::StartAnew() {
  at_.clear();
  if (::ftruncate(fd_, 0) != 0) return CacheFailure("cannot be cut", errno);
  ssize_t wrote;
  do {
    wrote = ::write(fd_, header_.data(), header_.size());
  } while (wrote < 0 && errno == EINTR);
  if (wrote != ssize_t(header_.size())) return CacheFailure("cannot be written", wrote < 0 ? errno : ENOSPC);
  return {};
}

// Reads the entries up to the first incomplete one and truncates the file there.
Status VectorCache::ReadEntries(uint64_t size) {
  const size_t entry = entry_bytes();
  const size_t batch = std::max<size_t>(kReadFromCache / entry, 1) * entry;
  std::vector<uint8_t> bytes(batch);
  uint64_t offset = header_.size();
  for (bool whole = true; whole;) {
    const ssize_t got = ReadAt(fd_, offset, batch, bytes.data());
    if (got < 0) return CacheFailure("cannot be read", errno);
    size_t at = 0;
    for (; at + entry <= size_t(got); at += entry) {
      if (LoadU64(&bytes[at + entry - 8]) != Hash64(ByteSpan(&bytes[at], entry - 8))) break;
      at_[{LoadU64(&bytes[at]), LoadU64(&bytes[at + 8])}] = offset + at;
    }
    offset += at;
    whole = at == batch;
  }
  if (offset < size && ::ftruncate(fd_, off_t(offset)) != 0)
    return CacheFailure("its damaged end cannot be cut", errno);
  return {};
}

// ---- use --------------------------------------------------------------------------------------

std::optional<std::vector<float>> VectorCache::Find(const VectorKey& key) const {
  const auto found = at_.find(key);
  if (found == at_.end()) return std::nullopt;
  // Read and verify the entry again: another process may have reset the file.
  std::vector<uint8_t> bytes(entry_bytes());
  if (ReadAt(fd_, found->second, bytes.size(), bytes.data()) != ssize_t(bytes.size())) return std::nullopt;
  const ByteSpan body = ByteSpan(bytes).first(bytes.size() - 8);
  if (LoadU64(&bytes[body.size()]) != Hash64(body)) return std::nullopt;
  ByteReader r(body);
  const VectorKey stored = {r.U64(), r.U64()};
  if (!(stored == key)) return std::nullopt;
  std::vector<float> vector(dimensions_);
  for (float& component : vector) {
    component = r.F32();
    if (!std::isfinite(component)) return std::nullopt;
  }
  return vector;
}

Status VectorCache::Store(std::span<const VectorKey> keys, std::span<const float> rows) {
  if (off_ || keys.empty()) return {};
  ByteWriter w;
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t begin = w.size();
    w.U64(keys[i].first);
    w.U64(keys[i].second);
    for (float component : rows.subspan(i * dimensions_, dimensions_)) w.F32(component);
    w.U64(Hash64(ByteSpan(w.bytes()).subspan(begin)));
  }
  const Status status = AppendLocked(keys, w.bytes());
  off_ = !status.ok();
  if (off_)
    return Error{status.code(),
                 PrintablePath(path_) + ": " + status.error().message + "; no more vectors are stored there"};
  return {};
}

Status VectorCache::AppendLocked(std::span<const VectorKey> keys, std::span<const uint8_t> entries) {
  FileLock lock(fd_);
  struct stat info;
  if (!lock.held() || ::fstat(fd_, &info) != 0) return CacheFailure("cannot be locked", errno);
  uint64_t size = uint64_t(info.st_size);
  if (size < header_.size() || size + entries.size() > max_bytes_) {
    SHEAF_RETURN_IF_ERROR(StartAnew());
    size = header_.size();
  }
  // Bytes left by a process that was killed while writing.
  const uint64_t torn = (size - header_.size()) % entry_bytes();
  if (torn != 0 && ::ftruncate(fd_, off_t(size - torn)) != 0) return CacheFailure("its torn end cannot be cut", errno);
  size -= torn;
  ssize_t wrote;
  do {
    wrote = ::write(fd_, entries.data(), entries.size());
  } while (wrote < 0 && errno == EINTR);
  if (wrote != ssize_t(entries.size())) {
    const int why = wrote < 0 ? errno : ENOSPC;
    (void)!::ftruncate(fd_, off_t(size));
    return CacheFailure("cannot be written", why);
  }
  for (size_t i = 0; i < keys.size(); ++i) at_[keys[i]] = size + i * entry_bytes();
  return {};
}

}  // namespace sheaf::packer
