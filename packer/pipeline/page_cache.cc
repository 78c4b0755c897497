#include "packer/pipeline/page_cache.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <utility>

#include "base/checksum.h"

namespace sheaf::packer {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kSettledAfter = 2 * kSecond;  // FAT keeps times to two seconds, the coarsest in use

int64_t Nanoseconds(const struct timespec& time) { return int64_t(time.tv_sec) * kSecond + time.tv_nsec; }

// Taken before the file is read: a change during the read then shows as a new stamp in the next round.
std::optional<FileStamp> StampOf(const std::string& path) {
  struct timespec now;
  struct stat info;
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  FileStamp stamp;
  stamp.size = uint64_t(info.st_size);
  stamp.device = uint64_t(info.st_dev);
  stamp.inode = uint64_t(info.st_ino);
#ifdef __APPLE__
  stamp.modified_ns = Nanoseconds(info.st_mtimespec);
  stamp.changed_ns = Nanoseconds(info.st_ctimespec);
#else
  stamp.modified_ns = Nanoseconds(info.st_mtim);
  stamp.changed_ns = Nanoseconds(info.st_ctim);
#endif
  stamp.settled = Nanoseconds(now) - std::max(stamp.modified_ns, stamp.changed_ns) > kSettledAfter;
  return stamp;
}

}  // namespace

bool FileStamp::SameAs(const FileStamp& other) const {
  return size == other.size && device == other.device && inode == other.inode && modified_ns == other.modified_ns &&
         changed_ns == other.changed_ns;
}

// Missing files count: a page waits for them.
bool PageCache::HasSameIncludes(const Entry& entry) {
  return std::all_of(entry.includes.begin(), entry.includes.end(), [](const Include& include) {
    const std::optional<FileStamp> stamp = StampOf(include.path);
    if (!stamp || !include.stamp) return stamp.has_value() == include.stamp.has_value();
    return include.stamp->settled && include.stamp->SameAs(*stamp);
  });
}

bool PageCache::IsCurrent(const std::vector<SourceFile>& files) const {
  std::lock_guard lock(mutex_);
  if (files.size() != entries_.size()) return false;
  return std::all_of(files.begin(), files.end(), [&](const SourceFile& file) {
    const auto found = entries_.find(file.relative);
    if (found == entries_.end() || !found->second.stamp.settled) return false;
    const std::optional<FileStamp> stamp = StampOf(file.path);
    return stamp && found->second.stamp.SameAs(*stamp) && HasSameIncludes(found->second);
  });
}

void PageCache::BeginRound() {
  round_ = {};
  for (auto& [name, entry] : entries_) entry.seen = false;
}

void PageCache::Forget() {
  std::lock_guard lock(mutex_);
  for (auto& [name, entry] : entries_) Drop(&entry);
}

KeptFile PageCache::Get(const SourceFile& file, uint64_t max_file_size, const Prepare& prepare) {
  const std::optional<FileStamp> stamp = StampOf(file.path);
  {
    std::lock_guard lock(mutex_);
    const auto found = entries_.find(file.relative);
    if (found != entries_.end() && stamp) {
      Entry& entry = found->second;
      if (entry.prepared && entry.stamp.settled && entry.stamp.SameAs(*stamp) && HasSameIncludes(entry)) {
        entry.seen = true;
        return {entry.prepared, {}};
      }
    }
  }
  Result<std::string> bytes = ReadListedFile(file, max_file_size);
  if (!bytes.ok()) return Failed(file, bytes.error());
  const uint64_t own_hash = Hash64(AsBytes(*bytes));
  {
    std::lock_guard lock(mutex_);
    const auto found = entries_.find(file.relative);
    if (found != entries_.end() && found->second.prepared && found->second.own_hash == own_hash &&
        HasSameIncludes(found->second)) {
      Entry& entry = found->second;
      if (stamp) entry.stamp = *stamp;
      entry.seen = true;
      return {entry.prepared, {}};
    }
  }
  Result<PreparedFilePtr> prepared = prepare(std::move(*bytes));
  if (!prepared.ok()) return Failed(file, prepared.error());

  std::vector<Include> includes;
  for (const std::string& path : (*prepared)->looked_at) includes.push_back({path, StampOf(path)});
  const uint64_t hash = own_hash ^ (*prepared)->included;

  std::lock_guard lock(mutex_);
  const auto [at, is_new] = entries_.try_emplace(file.relative);
  Entry& entry = at->second;
  ++round_.prepared;
  if (is_new)
    ++round_.added;
  else if (entry.hash != hash)
    ++round_.changed;  // else the page was not cached, for lack of room
  entry.stamp = stamp.value_or(FileStamp{});
  entry.own_hash = own_hash;
  entry.hash = hash;
  entry.includes = std::move(includes);
  entry.seen = true;
  Keep(&entry, *prepared);
  return {std::move(*prepared), {}};
}

KeptFile PageCache::Failed(const SourceFile& file, Error error) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(file.relative);
  const bool is_gone = error.code == ErrorCode::kNotFound;
  if (found == entries_.end() || !found->second.prepared || is_gone) return {nullptr, std::move(error)};
  found->second.seen = true;
  return {found->second.prepared, std::move(error)};
}

void PageCache::Keep(Entry* entry, PreparedFilePtr prepared) {
  Drop(entry);
  uint64_t bytes = sizeof(PreparedFile) + prepared->links.size() * sizeof(PageLink);
  if (prepared->page) bytes += MemoryOf(*prepared->page) + prepared->passages * passage_bytes_;
  if (bytes > limit_ - bytes_) return;
  bytes_ += bytes;
  entry->bytes = bytes;
  entry->prepared = std::move(prepared);
}

void PageCache::Drop(Entry* entry) {
  bytes_ -= entry->bytes;
  entry->bytes = 0;
  entry->prepared.reset();
}

RoundChanges PageCache::EndRound() {
  for (auto at = entries_.begin(); at != entries_.end();) {
    if (at->second.seen) {
      round_.kept_pages += at->second.prepared && at->second.prepared->page ? 1 : 0;
      ++at;
      continue;
    }
    ++round_.removed;
    Drop(&at->second);
    at = entries_.erase(at);
  }
  round_.kept_bytes = bytes_;
  return round_;
}

}  // namespace sheaf::packer
