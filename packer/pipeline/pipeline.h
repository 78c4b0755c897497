// read -> parse -> chunk -> prepare on worker threads, then commit in order on one.
//
// Idea: what a page costs is a pure function of its bytes, so any thread may do it (prepare_file.h), or a
// cache may know it from an earlier round (page_cache.h); what the bundle makes of pages depends on their
// order, so one thread commits them in the order of the list, however the workers finish. The bundle's
// bytes are therefore the same for every --jobs, and the same with a cache as without.
//
//     list of files -> [ claim the next -> read, parse, chunk, prepare ] x jobs -> commit 0, 1, 2, …
//
// With a transformer, committed pages wait in a window of about a thousand passages, which is embedded
// at once (embedding_passages.h) and then added in order: a window's borders depend on the pages alone.
//
// Memory: a file may be claimed only while the cost of all files claimed and not yet committed
// stays within the budget; one file is always let in, so a large file delays the others instead of
// stopping the run. Files are claimed in order, hence the file that the commit waits for is never
// the one that waits for memory: no deadlock. A window of pages waiting for vectors comes on top.
//
// A file that fails is named with its reason and left out; the rest goes on.
//
// Addresses: a page's own word (front matter, canonical link) goes before its path's, unless an
// earlier page has that address already, as on sites whose every page claims to be the home page.
//
// Where a page marks its content with data-pagefind-body, HTML pages without such a mark are left out, as
// Pagefind does (with honor_noindex). That is known when the first marked page comes. Pages that were added
// before cannot be taken back, so the run is made again, with `marked_only` from its start.
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
#include "packer/pipeline/prepare_file.h"
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
  unsigned jobs = 1;
  uint64_t budget = UINT64_MAX;  // sum of the costs of items claimed and not yet committed
};

// `count` threads that run body(number). Stacks are large, since parsers of the outside world
// recurse; signals are left to the main thread. Starts at least one or says why not: the caller
// goes on with fewer than it asked for.
class WorkerThreads {
 public:
  WorkerThreads(unsigned count, std::function<void(unsigned)> body);
  ~WorkerThreads() { Join(); }
  void Join();
  unsigned count() const { return unsigned(threads_.size()); }

 private:
  struct Start;
  std::function<void(unsigned)> body_;
  std::vector<unsigned long> threads_;  // pthread_t
};

// Does work(i, worker) for 0 <= i < count on `jobs` threads and commit(i, result) on the calling
// thread for i in order, until all are done or a commit returns false. `idle` is called on the
// calling thread a few times a second while it waits. Without threads (none can be started) the
// calling thread works too. REQUIRES: none of the functions throws.
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
        // Whoever holds the lock decides about `next`, so items are let in strictly in order.
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
  const auto jobs = unsigned(std::min<size_t>(std::max(options.jobs, 1u), std::max<size_t>(count, 1)));
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
  unsigned jobs = 1;
  uint64_t memory = uint64_t(1) << 30;  // see MemoryPlan
  Language language = Language::kEnglish;
  bool strict = false;       // the first problem ends it
  bool marked_only = false;  // some page is taken to hold data-pagefind-body
};

// How a --memory of `total` bytes is spent: half for pages on their way, half for the builder's
// postings before they go to the scratch file. With a cache, it gets half, and each of those a quarter.
// What the builder must keep anyway (about 1.5 times the finished bundle) and the encoder table come on top.
struct MemoryPlan {
  uint64_t in_flight = 0;
  uint64_t postings = 0;
  uint64_t kept = 0;
};
MemoryPlan PlanMemory(uint64_t total, bool with_cache = false);
// What a file of that many bytes is taken to need between being read and being committed.
uint64_t CostOfFile(uint64_t size);

// The address of each file by its path, where a README makes way for an index of the same folder.
std::vector<std::string> AssignUrls(const std::vector<SourceFile>& files, const UrlMapper& urls);

struct PackSummary {
  uint64_t files = 0;  // read and parsed, whether they held text or not
  uint64_t pages = 0;
  uint64_t passages = 0;
  uint64_t source_bytes = 0;  // of the files that became pages
  uint64_t text_bytes = 0;    // of the pages' texts
  // In the order of the files; passages without a vector are found when their window is embedded.
  std::vector<Remark> problems, notes;
  std::optional<bool> again;   // the bundle is not right: run again, with `marked_only` as this says
  std::optional<Error> fatal;  // ended the run: builder or embedding process failed, or --strict
};

// Packs every file of `list` into `builder`, in order. `report` is called for each problem and each
// note as it comes up, on the calling thread. At most one of `encoder` and `embedder` makes vectors;
// both may be null. With `cache`, files that did not change are taken from it, and a file that can no longer be
// read or parsed keeps its last good page (its problem says so and counts as `packed`).
PackSummary PackPages(const SourceList& list, const UrlMapper& urls, const PipelineOptions& options,
                      const StaticEncoder* encoder, BundleBuilder* builder, Progress* progress,
                      const std::function<void(const Remark&, bool is_problem)>& report,
                      PassageEmbedder* embedder = nullptr, PageCache* cache = nullptr);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_PIPELINE_H_
