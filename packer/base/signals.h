// Cleans up before SIGINT, SIGTERM or SIGHUP ends the process: removes a half-written file and kills a child that must
// not outlive us.
//
// Invariant: at most one file and one process group at a time; the handler knows only these two.
//
// Here and elsewhere sigfillset() and its kin stand without `::`, since macOS has them as macros.
#ifndef SHEAF_PACKER_BASE_SIGNALS_H_
#define SHEAF_PACKER_BASE_SIGNALS_H_

#include <signal.h>

namespace sheaf::packer {

// Call once, first thing in main().
void InstallSignalHandlers();

// The process group of a child that must not outlive this process; 0: none.
void KillGroupOnSignal(int group);

// The file to remove, shorter than PATH_MAX bytes; nullptr: none. REQUIRES: a SignalPause is held, so
// that the file and its name appear and disappear together.
void RemoveFileOnSignal(const char* path);

// Keeps signals away from this thread while it lives. Other threads block signals from the start
// (pipeline/worker_threads.cc), so none slips in.
class SignalPause {
 public:
  SignalPause() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalPause() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_SIGNALS_H_
