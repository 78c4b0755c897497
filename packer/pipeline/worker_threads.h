// Threads for the pipeline, where there are any.
//
// Idea: natively, even one job has a thread of its own, for its deep stack. A build without threads
// (WebAssembly) starts none; RunOrdered then works on the calling thread, whose stack the linker sets.
#ifndef SHEAF_PACKER_PIPELINE_WORKER_THREADS_H_
#define SHEAF_PACKER_PIPELINE_WORKER_THREADS_H_

#include <functional>
#include <vector>

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
#define SHEAF_HAS_THREADS 0
#else
#define SHEAF_HAS_THREADS 1
#endif

namespace sheaf::packer {

// `count` threads that run body(number). Stacks are large because third-party parsers recurse. Only
// the main thread handles signals. Starts at least one thread or says why not; the caller copes with
// fewer than it asked for.
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

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_WORKER_THREADS_H_
