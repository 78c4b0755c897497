#include "packer/pipeline/worker_threads.h"

#include <utility>

#if SHEAF_HAS_THREADS
#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <memory>
#endif

namespace sheaf::packer {

#if SHEAF_HAS_THREADS

struct WorkerThreads::Start {
  WorkerThreads* owner;
  unsigned number;

  static void* Run(void* argument) {
    const std::unique_ptr<Start> start(static_cast<Start*>(argument));
    start->owner->body_(start->number);
    return nullptr;
  }
};

WorkerThreads::WorkerThreads(unsigned count, std::function<void(unsigned)> body) : body_(std::move(body)) {
  static_assert(sizeof(pthread_t) <= sizeof(unsigned long));
  threads_.reserve(count);
  // This reserves address space; only touched pages cost memory. Falls back to less where address space is scarce.
  constexpr size_t kStackBytes[] = {size_t(64) << 20, size_t(8) << 20};
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);  // inherited by the threads
  for (unsigned number = 0; number < count; ++number) {
    bool started = false;
    for (size_t stack : kStackBytes) {
      pthread_attr_t attributes;
      ::pthread_attr_init(&attributes);
      ::pthread_attr_setstacksize(&attributes, stack);
      pthread_t thread;
      auto start = std::make_unique<Start>(Start{this, number});
      started = ::pthread_create(&thread, &attributes, &Start::Run, start.get()) == 0;
      ::pthread_attr_destroy(&attributes);
      if (!started) continue;
      (void)start.release();
      threads_.push_back((unsigned long)(thread));
      break;
    }
    if (!started) break;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void WorkerThreads::Join() {
  for (unsigned long thread : threads_) ::pthread_join(pthread_t(thread), nullptr);
  threads_.clear();
}

#else

WorkerThreads::WorkerThreads(unsigned, std::function<void(unsigned)> body) : body_(std::move(body)) {}
void WorkerThreads::Join() {}

#endif

}  // namespace sheaf::packer
