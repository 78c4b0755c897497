// Caches vectors on disk, keyed by the content of their text. A re-pack embeds only what changed, and a
// pack that was killed resumes where it stopped.
//
// Idea: one append-only file per encoder. Each entry is written whole, under a lock, with its own
// checksum. A crash leaves at worst a torn tail, which the next reader cuts off.
//
//     89 53 56 45 43 0D 0A 1A  magic "\x89SVEC\r\n\x1A"
//     u32 version (1) · u32 dimensions · u32 identity length · identity, UTF-8
//     u64 XXH64 of all before
//     entries: u64 × 2 key · f32 × dimensions · u64 XXH64 of all before in the entry
//
// The identity is a text that names everything that vectors depend on; the file's name holds its hash.
// A key is two XXH64 of the text, the second with a salt in front: 128 bits against accidents. (Not
// against forgery: an author who crafts a collision can make one of his passages rank like another.)
//
// Invariants
//  1. Find returns only a vector stored under that key, verified by checksum; anything else is a miss.
//  2. Two processes may use one file at once: appends are single writes under flock. Each sees the
//     entries that were there when it opened the file, and its own.
//  3. A cache never fails a pack: any failure turns it off, with a reason.
//
// Cost: opening reads the file once; 24 to 40 bytes of memory per entry; a hit is one pread. Beyond
// 2 GiB (about 2 million vectors of 256) the file starts anew.
#ifndef SHEAF_PACKER_EMBED_VECTOR_CACHE_H_
#define SHEAF_PACKER_EMBED_VECTOR_CACHE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sheaf::packer {

struct VectorKey {
  uint64_t first = 0, second = 0;
  bool operator==(const VectorKey&) const = default;
};
struct VectorKeyHash {
  size_t operator()(const VectorKey& key) const { return size_t(key.first); }
};
VectorKey KeyOfText(std::string_view text);

class VectorCache {
 public:
  static constexpr uint64_t kMaxBytes = uint64_t(2) << 30;

  // Opens the file for `identity` in `folder`; creates both if missing. `label` is for people who look
  // into the folder. A file of another kind or version starts anew. Error: kInvalidArgument with
  // the system's reason; the caller goes on without a cache.
  static Result<std::unique_ptr<VectorCache>> Open(const std::string& folder, std::string_view label,
                                                   std::string_view identity, uint32_t dimensions,
                                                   uint64_t max_bytes = kMaxBytes);
  ~VectorCache();
  VectorCache(const VectorCache&) = delete;
  VectorCache& operator=(const VectorCache&) = delete;

  // The vector stored under `key`.
  std::optional<std::vector<float>> Find(const VectorKey& key) const;
  // Stores rows[i * dimensions ...] under keys[i], all in one write. After an error the cache stores
  // nothing more, and says so once: later calls do nothing.
  Status Store(std::span<const VectorKey> keys, std::span<const float> rows);

  size_t size() const { return at_.size(); }
  const std::string& path() const { return path_; }

 private:
  VectorCache(std::string path, uint32_t dimensions, uint64_t max_bytes)
      : path_(std::move(path)), dimensions_(dimensions), max_bytes_(max_bytes) {}
  Status OpenFile(std::string_view identity);
  Result<bool> HasHeader(uint64_t size) const;
  Status StartAnew();
  Status ReadEntries(uint64_t size);
  Status AppendLocked(std::span<const VectorKey> keys, std::span<const uint8_t> entries);
  size_t entry_bytes() const { return 24 + size_t(dimensions_) * 4; }

  std::string path_;
  uint32_t dimensions_;
  uint64_t max_bytes_;
  std::vector<uint8_t> header_;
  int fd_ = -1;
  bool off_ = false;
  std::unordered_map<VectorKey, uint64_t, VectorKeyHash> at_;  // offset of the entry
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_VECTOR_CACHE_H_
