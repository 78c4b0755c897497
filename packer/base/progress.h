// What the person at the terminal sees while packing: a bar that redraws itself, or a line every
// two seconds where stderr is a file or a pipe; nothing with --quiet. Every mode shows
// messages too.
//
//   packing  [=========>          ]  46%  1,169 pages · 812 pages/s · 9.3 MB/s · 2 s left
//   packing  [=========>          ]  46%  1,169 pages · 8,412 passages · 143 passages/s · 52 s left
//   writing  [==================> ]  92%  postings
//
// NO_COLOR (set and not empty) and TERM=dumb turn colours off; TERM=dumb also the bar.
//
// Everything that came from outside (paths, titles, snippets) passes TerminalText before it is
// printed, so that no document can move the cursor or forge a line.
//
// Threads: one thread owns a Progress. Cost: an update only reads the clock unless it is time to draw.
#ifndef SHEAF_PACKER_BASE_PROGRESS_H_
#define SHEAF_PACKER_BASE_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace sheaf::packer {

// ---- formatting, pure -----------------------------------------------------------------------

std::string FormatCount(uint64_t count);     // 1,234,567
std::string FormatBytes(uint64_t bytes);     // 512 bytes, 9.3 kB, 12 MB, 1.4 GB (powers of 1000)
std::string FormatDuration(double seconds);  // 0.31 s, 12 s, 3 min 20 s, 2 h 5 min

std::string FormatRate(double a_second);  // 9.3, 12, 1,234

// "512M", "1.5G", "100 MiB", "4096": K, M, G, T are powers of 1024. False if it is no size.
bool ParseBytes(std::string_view text, uint64_t* bytes);

struct ProgressState {
  std::string stage;   // "packing"
  std::string detail;  // instead of counts and rates, when not empty
  uint64_t pages = 0;
  uint64_t bytes = 0;              // of source done
  uint64_t total_bytes = 0;        // of source; 0: unknown
  double share = -1;               // 0..1, or negative: bytes / total_bytes
  double seconds = 0;              // since the stage began
  bool embeds = false;             // a transformer makes vectors: passages are counted, not pages and bytes
  uint64_t passages = 0;           // with a vector
  uint64_t embedded_passages = 0;  // of these, embedded by the process
  double embedding_seconds = 0;    // that the process took for these
};

// The line above, at most `columns` wide. No bar when `columns` is 0.
std::string FormatProgress(const ProgressState& state, size_t columns);

// ---- the display ----------------------------------------------------------------------------

enum class ProgressMode : uint8_t { kBar, kLines, kNone };

// Depends on the kind of `stream`, TERM and `quiet`.
ProgressMode ChooseProgressMode(std::FILE* stream, bool quiet);
// Depends on the kind of `stream`, NO_COLOR and TERM.
bool WantsColor(std::FILE* stream);

class Progress {
 public:
  Progress(std::FILE* stream, ProgressMode mode, bool color);
  ~Progress() { Clear(); }

  void BeginStage(std::string stage, uint64_t total_bytes);
  void Update(uint64_t pages, uint64_t bytes);                                          // draws when it is time to
  void UpdatePassages(uint64_t passages, uint64_t embedded, double embedding_seconds);  // draws with the next Update
  void UpdateShare(std::string_view detail, double share);
  void Tick();  // draws when it is time to

  // A line of its own, above the bar. `text` is printed as it is.
  void Message(std::string_view text);
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  void Draw();

  std::FILE* stream_;
  ProgressMode mode_;
  bool color_;
  ProgressState state_;
  Clock::time_point stage_began_, last_drawn_;
  bool bar_is_shown_ = false;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_PROGRESS_H_
