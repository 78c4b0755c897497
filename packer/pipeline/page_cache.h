// Prepared pages that are kept from one round of packing to the next.
//
// Idea: preparing a page costs a hundred times what looking at its file's stamp costs. A file whose stamp
// (size, times of change, inode) is the same as when it was read is taken to be the same; one whose stamp
// differs is read, and prepared only if its bytes differ.
//
//     stamp as known ──▶ the page as kept
//     else read, hash ─▶ hash as known ──▶ the page as kept
//                      └▶ prepare ───────▶ the new page; if that fails, the last good one and the reason
//
// A stamp that is younger than two seconds when it is taken proves nothing: the file may change again
// without a new time. Such a file is read again in the next round.
//
// Memory: pages are kept up to a limit, the first come first; those beyond it are prepared again in every
// round. Stamps and hashes are kept of all: about 200 bytes a file.
//
// Threads: Get may be called on any thread while a round runs, for each file once; the rest on one thread.
#ifndef SHEAF_PACKER_PIPELINE_PAGE_CACHE_H_
#define SHEAF_PACKER_PIPELINE_PAGE_CACHE_H_

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "packer/pipeline/prepare_file.h"
#include "packer/source/source.h"

namespace sheaf::packer {

struct FileStamp {
  uint64_t size = 0, device = 0, inode = 0;
  int64_t modified_ns = 0, changed_ns = 0;
  bool settled = false;  // old enough to be believed
  bool SameAs(const FileStamp& other) const;
};

// Either a page, or a problem, or both: then the page is an earlier version's.
struct KeptFile {
  PreparedFilePtr prepared;
  std::optional<Error> problem;
};

// What a round found, against the round before.
struct RoundChanges {
  uint64_t added = 0, changed = 0, removed = 0;
  uint64_t prepared = 0;    // read and prepared, whether they changed or not
  uint64_t kept_pages = 0;  // in memory, for the next round
  uint64_t kept_bytes = 0;
  bool any() const { return added + changed + removed > 0; }
};

class PageCache {
 public:
  using Prepare = std::function<Result<PreparedFilePtr>(std::string bytes)>;

  // `limit` bytes of pages; `passage_bytes` is added for each passage of a page that gets its vectors later.
  explicit PageCache(uint64_t limit, uint64_t passage_bytes = 0) : limit_(limit), passage_bytes_(passage_bytes) {}

  // Whether a round over these files would change nothing, by their stamps alone.
  bool IsCurrent(const std::vector<SourceFile>& files) const;

  void BeginRound();
  // A file that cannot be read has no page when it is gone, else its last good one.
  KeptFile Get(const SourceFile& file, uint64_t max_file_size, const Prepare& prepare);
  // Forgets the files that the round did not ask for.
  RoundChanges EndRound();

 private:
  struct Entry {
    FileStamp stamp;
    uint64_t hash = 0;
    PreparedFilePtr prepared;  // null when there was no room for it
    uint64_t bytes = 0;        // that it counts for
    bool seen = false;         // in this round, or the last one
  };
  KeptFile Failed(const SourceFile& file, Error error);
  void Keep(Entry* entry, PreparedFilePtr prepared);
  void Drop(Entry* entry);

  const uint64_t limit_, passage_bytes_;
  mutable std::mutex mutex_;                        // guards all below
  std::unordered_map<std::string, Entry> entries_;  // by SourceFile::relative
  uint64_t bytes_ = 0;
  RoundChanges round_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_PAGE_CACHE_H_
