// Work on many threads whose results are committed in order on one.
//
// Idea: an item may be claimed only while the cost of all items claimed and not yet committed stays within the budget.
// One item is always admitted, so a large one delays the others instead of stopping the run. Items are claimed in
// order, so the item that the commit waits for never itself waits for room: no deadlock.
#ifndef SHEAF_PACKER_PIPELINE_ORDERED_WORK_H_
#define SHEAF_PACKER_PIPELINE_ORDERED_WORK_H_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "packer/pipeline/worker_threads.h"

namespace sheaf::packer {

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

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_ORDERED_WORK_H_
