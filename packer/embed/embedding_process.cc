#include "packer/embed/embedding_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/base/signals.h"

extern char** environ;

namespace sheaf::packer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 100;
constexpr size_t kReadFromPipe = 256 << 10;
// How long to wait for a process to exit after it closed its stdout or stdin.
constexpr double kGraceSeconds = 2;

Clock::time_point After(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Blocks SIGPIPE on this thread and clears one that a write raised.
class PipeSignalPause {
 public:
  PipeSignalPause() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalPause() {
    // sigtimedwait() would do it in one call; macOS has none.
    sigset_t pending;
    int taken = 0;
    if (raised_ && ::sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1) ::sigwait(&pipe_, &taken);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  void set_raised() { raised_ = true; }

 private:
  sigset_t pipe_, before_;
  bool raised_ = false;
};

struct Pipe {
  int read = -1, write = -1;
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
  bool Open() {
    // Not pipe2(), which macOS lacks: no other thread starts a process, which could inherit the ends before they are
    // marked.
    int ends[2];
    if (::pipe(ends) != 0) return false;
    read = ends[0];
    write = ends[1];
    return ::fcntl(read, F_SETFD, FD_CLOEXEC) == 0 && ::fcntl(write, F_SETFD, FD_CLOEXEC) == 0;
  }
};

std::string SignalText(int signal) {
  const char* name = ::strsignal(signal);
  return "signal " + std::to_string(signal) + (name != nullptr ? " (" + std::string(name) + ")" : "");
}

// 0 or the error of posix_spawn.
int Spawn(const std::string& command, int in, int out, pid_t* pid) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, ignored_here;
  sigemptyset(&none);
  sigemptyset(&ignored_here);
  for (int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&ignored_here, signal);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &ignored_here);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string shell = "sh", option = "-c", text = command;
  char* arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  const int error = ::posix_spawn(pid, "/bin/sh", &files, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

Result<std::unique_ptr<EmbeddingProcess>> EmbeddingProcess::Start(const std::string& command) {
  Pipe in, out;
  if (!in.Open() || !out.Open()) return Error{ErrorCode::kInternal, "no pipe can be opened: " + ErrnoText(errno)};
  for (int fd : {in.write, out.read}) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  pid_t pid = -1;
  if (const int error = Spawn(command, in.read, out.write, &pid); error != 0) {
    return Error{ErrorCode::kInternal, "/bin/sh cannot be started: " + ErrnoText(error)};
  }
  KillGroupOnSignal(pid);
  std::unique_ptr<EmbeddingProcess> process(
      new EmbeddingProcess(pid, std::exchange(in.write, -1), std::exchange(out.read, -1)));
  return process;
}

bool EmbeddingProcess::WriteSome() {
  PipeSignalPause pause;
  while (!unsent_.empty()) {
    const std::vector<uint8_t>& frame = unsent_.front();
    const ssize_t wrote = ::write(to_, frame.data() + sent_, frame.size() - sent_);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (wrote < 0) {
      pause.set_raised();
      return false;
    }
    sent_ += size_t(wrote);
    if (sent_ < frame.size()) continue;
    unsent_.pop_front();
    sent_ = 0;
  }
  return true;
}

bool EmbeddingProcess::ReadSome() {
  const size_t before = received_.size();
  received_.resize(before + kReadFromPipe);
  ssize_t got;
  do {
    got = ::read(from_, received_.data() + before, kReadFromPipe);
  } while (got < 0 && errno == EINTR);
  received_.resize(before + size_t(std::max<ssize_t>(got, 0)));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

Result<Frame> EmbeddingProcess::Receive(double seconds, const std::function<bool()>& go_on) {
  if (pid_ < 0) return Error{ErrorCode::kInternal, ending_};
  Clock::time_point deadline = After(seconds);
  bool nobody_reads = false;
  for (;;) {
    Result<std::optional<Frame>> frame = TakeFrame(&received_);
    if (!frame.ok()) return Failed(frame.error().message, 0);
    if (frame->has_value()) return std::move(**frame);

    const bool writes = !unsent_.empty() && !nobody_reads;
    struct pollfd fds[] = {{from_, POLLIN, 0}, {writes ? to_ : -1, POLLOUT, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    ::poll(fds, 2, int(std::clamp<int64_t>(left + 1, 0, kTickMilliseconds)));
    if (fds[1].revents != 0 && !WriteSome()) {
      // Still read its output from before it exited.
      nobody_reads = true;
      deadline = std::min(deadline, After(kGraceSeconds));
    }
    if (fds[0].revents != 0) {
      if (!ReadSome()) return Failed("it closed its output", kGraceSeconds);
    } else if (Clock::now() >= deadline) {
      return Failed(nobody_reads ? "it closed its input" : "it sent nothing for " + FormatDuration(seconds),
                    kTickMilliseconds / 1e3);
    } else if (!go_on()) {
      Kill();
      return Aborted();
    }
  }
}

Error EmbeddingProcess::Failed(std::string clause, double grace) {
  // An exit status says more than "it fell silent".
  if (grace > 0 && WaitForEnd(grace)) clause = ending_;
  Kill();
  ending_ = clause;
  return Error{ErrorCode::kInternal, std::move(clause)};
}

bool EmbeddingProcess::WaitForEnd(double seconds) {
  const Clock::time_point deadline = After(seconds);
  for (;;) {
    if (pid_ < 0) return true;
    siginfo_t info = {};
    // Check without reaping: until it is reaped, no other process can get its id or group id.
    if (::waitid(P_PID, id_t(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_) {
      Reap();
      return true;
    }
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void EmbeddingProcess::Reap() {
  ::kill(-pid_, SIGKILL);
  KillGroupOnSignal(0);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  for (int* fd : {&to_, &from_}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
  if (WIFSIGNALED(status)) {
    ending_ = "it was ended by " + SignalText(WTERMSIG(status));
    return;
  }
  exited_with_ = WEXITSTATUS(status);
  ending_ = "it exited with status " + std::to_string(exited_with_);
  // A shell reports in this way that a signal ended its command.
  if (exited_with_ > 128 && exited_with_ <= 128 + 64) ending_ += ", as after " + SignalText(exited_with_ - 128);
}

void EmbeddingProcess::Kill() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // in case it left its group
  Reap();
}

std::string EmbeddingProcess::Finish(double seconds) {
  if (pid_ < 0) return ending_;
  if (to_ >= 0) ::close(to_);
  to_ = -1;
  // Discard the rest of its output, so that it does not block on a full pipe.
  const Clock::time_point deadline = After(seconds);
  while (!WaitForEnd(0)) {
    struct pollfd fd = {from_, POLLIN, 0};
    if (::poll(&fd, 1, 5) > 0 && !ReadSome() && !WaitForEnd(0))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    received_.clear();
    if (Clock::now() < deadline) continue;
    Kill();
    return "it did not end when its input did and was killed";
  }
  return exited_with_ == 0 ? std::string() : ending_;
}

}  // namespace sheaf::packer
