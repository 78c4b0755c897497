#include "packer/base/signals.h"

#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>
#include <initializer_list>

namespace sheaf::packer {
namespace {

char g_file[PATH_MAX];  // complete before the flag is set
std::atomic<bool> g_has_file{false};
std::atomic<int> g_group{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// unreachable: for counters, which die with the process; PackCommandTest.EndsTheProcessWhenItIsInterrupted comes here
extern "C" void RemoveFileAndDie(int signal) {
  if (g_has_file.load()) ::unlink(g_file);
  if (const int group = g_group.load(); group > 0) ::kill(-group, SIGTERM);
  if (::isatty(STDERR_FILENO)) (void)!::write(STDERR_FILENO, "\n", 1);
  // Installed with SA_RESETHAND: the signal now has its default action.
  ::raise(signal);
}

}  // namespace

void InstallSignalHandlers() {
  struct sigaction action = {};
  action.sa_handler = RemoveFileAndDie;
  action.sa_flags = int(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before;
    // nohup and background jobs ignore signals on purpose.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &action, nullptr);
  }
  // A file size limit then fails the write, with a message.
  ::signal(SIGXFSZ, SIG_IGN);
}

void KillGroupOnSignal(int group) { g_group = group; }

void RemoveFileOnSignal(const char* path) {
  g_has_file = false;
  if (path == nullptr) return;
  std::strncpy(g_file, path, sizeof g_file - 1);
  g_has_file = true;
}

}  // namespace sheaf::packer
