// Caches prepared pages from one round of packing to the next.
//
// Idea: preparing a page costs a hundred times as much as checking its file's stamp (size, times of change,
// inode). A file with an unchanged stamp counts as unchanged. A file with a new stamp is read again, and
// prepared again only if its bytes differ.
//
//     stamp unchanged ─▶ the cached page
//     else read, hash ─▶ hash unchanged ─▶ the cached page
//                      └▶ prepare ───────▶ the new page; if that fails, the last good one and the reason
//
// Included files count as part of the page: all paths that it tried are compared by their stamps.
//
// If a file changed less than two seconds before its stamp is taken, the stamp proves nothing: the file may
// change again without a new time. Such a file is read again in the next round.
//
// Memory: pages are cached first come, first served, up to a limit; the rest are prepared again in every
// round. Stamps and hashes of all files are kept: about 200 bytes a file.
//
// Threads: during a round, any thread may call Get, once per file; everything else runs on one thread.
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
#include "packer/pipeline/round_changes.h"
#include "packer/source/source.h"

namespace sheaf::packer {

struct FileStamp {
  uint64_t size = 0, device = 0, inode = 0;
  int64_t modified_ns = 0, changed_ns = 0;
  bool settled = false;  // old enough to be trusted
  bool SameAs(const FileStamp& other) const;
};

// Either a page, or a problem, or both: then the page is an earlier version's.
struct KeptFile {
  PreparedFilePtr prepared;
  std::optional<Error> problem;
};

class PageCache {
 public:
  using Prepare = std::function<Result<PreparedFilePtr>(std::string bytes)>;

  // `limit` bytes of pages; `passage_bytes` is added for each passage of a page that gets its vectors later.
  explicit PageCache(uint64_t limit, uint64_t passage_bytes = 0) : limit_(limit), passage_bytes_(passage_bytes) {}

  // Whether the stamps alone show that a round over these files would change nothing.
  bool IsCurrent(const std::vector<SourceFile>& files) const;

  void BeginRound();
  // Drops all pages, but remembers their files: the survey has changed, so each page is prepared again.
  void Forget();
  // An unreadable file keeps its last good page, unless it no longer exists: then it has no page.
  KeptFile Get(const SourceFile& file, uint64_t max_file_size, const Prepare& prepare);
  // Forgets the files that were not requested in this round.
  RoundChanges EndRound();

 private:
  // Of a file that a page looked at in order to include it.
  struct Include {
    std::string path;
    std::optional<FileStamp> stamp;  // none: it was not there
  };
  struct Entry {
    FileStamp stamp;
    std::vector<Include> includes;
    uint64_t own_hash = 0, hash = 0;  // of the file, and of it with its includes
    PreparedFilePtr prepared;         // null if there was no room
    uint64_t bytes = 0;               // counted towards the limit
    bool seen = false;                // in this round, or the last one
  };
  static bool HasSameIncludes(const Entry& entry);
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
