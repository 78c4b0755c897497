// read -> parse -> chunk -> prepare on worker threads, then commit in order on one.
//
// Idea: the expensive part of a page is a pure function of its bytes, so any thread may do it
// (prepare_file.h), or a cache may have it from an earlier round (page_cache.h). The bundle depends on the
// order of the pages, so one thread commits them in list order, whatever order the workers finish in. The
// bundle's bytes are therefore the same for every --jobs, and with or without a cache.
//
//     list of files -> [ claim the next -> read, parse, chunk, prepare ] x jobs -> commit 0, 1, 2, …
//
// With a transformer, committed pages wait in a window of about a thousand passages. The window is embedded
// as a whole (embedding_passages.h), then added in order. Window borders depend on the pages alone.
//
// Memory: a file may be claimed only while the cost of all files claimed and not yet committed
// stays within the budget. One file is always admitted, so a large file delays the others instead of
// stopping the run. Files are claimed in order, so the file that the commit waits for never itself
// waits for memory: no deadlock. The window of pages waiting for vectors is not part of the budget.
//
// A file that fails is reported with its reason and left out; the others go on.
//
// Addresses: the address that a page states (front matter, canonical link) beats the one from its path,
// unless an earlier page has taken it, as on sites where every page claims to be the home page.
//
// If any page marks its content with data-pagefind-body, unmarked HTML pages are left out, as Pagefind does
// (with honor_noindex). The first marked page reveals this, but pages added earlier cannot be removed. So
// the run starts over with `marked_only` set.
#ifndef SHEAF_PACKER_PIPELINE_PIPELINE_H_
#define SHEAF_PACKER_PIPELINE_PIPELINE_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "packer/pipeline/page_language.h"
#include "packer/pipeline/prepare_file.h"
#include "packer/pipeline/worker_threads.h"
#include "packer/source/source.h"
#include "packer/source/url.h"
#include "search/bundle_builder.h"
#include "text/analyzer.h"

namespace sheaf::packer {

class PageCache;
class PassageEmbedder;
class Progress;

// ---- ordered parallel work -------------------------------------------------------------------

struct OrderedOptions {
  unsigned jobs = 1;             // 0: the calling thread works
  uint64_t budget = UINT64_MAX;  // sum of the costs of items claimed and not yet committed
};

// Does work(i, worker) for 0 <= i < count on `jobs` threads and commit(i, result) on the calling
// thread for i in order, until all are done or a commit returns false. `idle` is called on the
// calling thread a few times a second while it waits. Without threads (none wanted, or none can be started)
// the calling thread works too. REQUIRES: none of the functions throws.
template <typename T>
void RunOrdered(size_t count, const OrderedOptions& options, const std::function<uint64_t(size_t)>& cost,
                const std::function<T(size_t, unsigned)>& work, const std::function<bool(size_t, T)>& commit,
                const std::function<void()>& idle) {
  std::mutex mutex;
  std::condition_variable room, ready;
  size_t next = 0;         // to be claimed
  uint64_t in_flight = 0;  // cost of those claimed and not committed
  bool stop = false;
  std::map<size_t, T> done;

  const auto body = [&](unsigned worker) {
    for (;;) {
      size_t index;
      {
        std::unique_lock lock(mutex);
        // `next` changes only under the lock, so items are claimed strictly in order.
        room.wait(lock, [&] {
          return stop || next == count || in_flight == 0 ||
                 (in_flight < options.budget && cost(next) <= options.budget - in_flight);
        });
        if (stop || next == count) return;
        index = next++;
        in_flight += cost(index);
      }
      T result = work(index, worker);
      {
        std::lock_guard lock(mutex);
        done.emplace(index, std::move(result));
      }
      ready.notify_one();
    }
  };
  const auto jobs = unsigned(std::min<size_t>(options.jobs, std::max<size_t>(count, 1)));
  WorkerThreads threads(jobs, body);
  for (size_t index = 0; index < count; ++index) {
    std::optional<T> result;
    if (threads.count() == 0) {
      result = work(index, 0);
    } else {
      std::unique_lock lock(mutex);
      while (!ready.wait_for(lock, std::chrono::milliseconds(100), [&] { return done.contains(index); })) {
        lock.unlock();
        idle();
        lock.lock();
      }
      const auto found = done.find(index);
      result = std::move(found->second);
      done.erase(found);
    }
    const bool go_on = commit(index, std::move(*result));
    {
      std::lock_guard lock(mutex);
      if (threads.count() > 0) in_flight -= cost(index);
      if (!go_on) stop = true;
    }
    room.notify_all();
    if (!go_on) break;
  }
  threads.Join();
}

// ---- pages ----------------------------------------------------------------------------------

struct PipelineOptions : FileOptions {
  unsigned jobs = 1;                    // 0: all on the calling thread, whose stack must be deep enough
  uint64_t memory = uint64_t(1) << 30;  // see MemoryPlan
  PageLanguage language;
  bool finds_language = false;  // the job sets it, by its pages
  bool strict = false;          // stop at the first problem
  bool marked_only = false;     // assume that some page has data-pagefind-body
};

// Splits a --memory of `total` bytes. While pages come, a quarter is for pages in flight, a quarter for the builder's
// postings before they go to the scratch file, and half for the text and the vectors that the builder holds. Finishing
// the bundle, when no page is in flight, may take all. A cache keeps half of the memory, and the rest is split likewise.
// Not included: the program itself and its tables, 60 MB or so.
struct MemoryPlan {
  uint64_t in_flight = 0;
  uint64_t postings = 0;
  BuilderMemory builder;
  uint64_t kept = 0;
};
MemoryPlan PlanMemory(uint64_t total, bool with_cache = false);
// Estimated memory, in bytes, that a file of `size` bytes needs from read to commit.
uint64_t CostOfFile(uint64_t size);

// The address of each file by its path. If a folder has both an index and a README, the index gets its address.
std::vector<std::string> AssignUrls(const std::vector<SourceFile>& files, const UrlMapper& urls);

struct PackSummary {
  uint64_t files = 0;  // read and parsed, whether they held text or not
  uint64_t pages = 0;
  uint64_t passages = 0;
  uint64_t source_bytes = 0;  // of the files that became pages
  uint64_t text_bytes = 0;    // of the pages' texts
  // In the order of the files; passages without a vector are found when their window is embedded.
  std::vector<Remark> problems, notes;
  std::optional<bool> again;   // the bundle is wrong: run again with this `marked_only`
  std::optional<Error> fatal;  // ended the run: builder or embedding process failed, --strict, or kAborted
};

// Packs every file of `list` into `builder`, in order. `report` is called for each problem and each
// note as it comes up, on the calling thread; `progress` is asked before every page whether to go on. At
// most one of `encoder` and `embedder` makes vectors; both may be null. With `cache`, unchanged files come
// from it, and a file that can no longer be read or parsed keeps its last good page (its problem says so and
// counts as `packed`).
PackSummary PackPages(const SourceList& list, const UrlMapper& urls, const PipelineOptions& options,
                      const StaticEncoder* encoder, BundleBuilder* builder, Progress* progress,
                      const std::function<void(const Remark&, bool is_problem)>& report,
                      PassageEmbedder* embedder = nullptr, PageCache* cache = nullptr);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_PIPELINE_H_
