// Shows a run on the terminal: a bar that redraws itself, or a line every two seconds where stderr is a file or a pipe;
// no progress with --quiet. Every mode shows messages too.
//
// NO_COLOR (set and not empty) and TERM=dumb turn colours off; TERM=dumb also the bar.
//
// Text from documents (paths, titles, snippets) passes TerminalText before it is printed, so that no document can move
// the cursor or forge a line.
//
// Threads: one thread owns a TerminalProgress. Cost: Show only reads the clock unless it is time to draw.
#ifndef SHEAF_PACKER_BASE_TERMINAL_PROGRESS_H_
#define SHEAF_PACKER_BASE_TERMINAL_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "packer/base/progress.h"

namespace sheaf::packer {

enum class ProgressMode : uint8_t { kBar, kLines, kNone };

// Depends on the kind of `stream`, TERM and `quiet`.
ProgressMode ChooseProgressMode(std::FILE* stream, bool quiet);
// Depends on the kind of `stream`, NO_COLOR and TERM.
bool WantsColor(std::FILE* stream);

class TerminalProgress {
 public:
  TerminalProgress(std::FILE* stream, ProgressMode mode, bool color);
  ~TerminalProgress() { Clear(); }

  void Show(const ProgressState& state);  // draws when it is time to
  // A line of its own, above the bar. `text` is printed as it is.
  void Message(std::string_view text);
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  void Draw(const ProgressState& state);

  std::FILE* stream_;
  ProgressMode mode_;
  bool color_;
  Clock::time_point last_drawn_;
  bool bar_is_shown_ = false;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_TERMINAL_PROGRESS_H_
