// A child process that exchanges frames over its stdin and stdout.
//
// Idea: both pipes are non-blocking and one poll serves both, so frames are written while answers are
// read: full pipes on both sides at once (the classic deadlock) cannot happen. The process leads a
// group of its own, and the whole group is killed.
//
// Invariants
//  1. The destructor kills the process group and reaps the process.
//  2. Writing to an exited process never raises SIGPIPE here.
//
// Threads: one. Memory: the queued frames and one received frame.
#ifndef SHEAF_PACKER_EMBED_EMBEDDING_PROCESS_H_
#define SHEAF_PACKER_EMBED_EMBEDDING_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "packer/embed/embedding_protocol.h"

namespace sheaf::packer {

class EmbeddingProcess {
 public:
  // Runs /bin/sh -c `command`. Error: kInternal if no process or pipe can be created.
  static Result<std::unique_ptr<EmbeddingProcess>> Start(const std::string& command);
  ~EmbeddingProcess() { Kill(); }
  EmbeddingProcess(const EmbeddingProcess&) = delete;
  EmbeddingProcess& operator=(const EmbeddingProcess&) = delete;

  // Queues a frame; Receive writes it.
  void Send(std::vector<uint8_t> frame) { unsent_.push_back(std::move(frame)); }

  // The next frame. `go_on` is asked a few times a second while it waits. After an error the process
  // is dead; the message is a clause about it: "it exited with status 3", "it sent nothing for 120 s".
  // Errors: kInternal, and kAborted when `go_on` said no.
  Result<Frame> Receive(double seconds, const std::function<bool()>& go_on);

  // Closes its stdin, waits up to `seconds` for it to exit, then kills it. Returns what went wrong,
  // as a clause, or nothing.
  std::string Finish(double seconds);
  void Kill();

  // Whether it ended with the shell's status for a command that does not exist or cannot run.
  bool command_not_found() const { return exited_with_ == 126 || exited_with_ == 127; }

 private:
  EmbeddingProcess(pid_t pid, int to, int from) : pid_(pid), to_(to), from_(from) {}
  bool WriteSome();                 // false: its stdin is closed
  bool ReadSome();                  // false: the end
  bool WaitForEnd(double seconds);  // true: reaped
  void Reap();
  Error Failed(std::string clause, double grace);

  pid_t pid_;      // -1: reaped
  int to_, from_;  // -1: closed
  std::deque<std::vector<uint8_t>> unsent_;
  size_t sent_ = 0;  // of unsent_.front()
  std::vector<uint8_t> received_;
  std::string ending_;  // how it ended, once reaped
  int exited_with_ = -1;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_EMBED_EMBEDDING_PROCESS_H_
