// Reports how far a run is, and asks whether to go on. A terminal shows the report (terminal_progress.h); a module
// passes it to its host.
//
//   packing  [=========>          ]  46%  1,169 pages · 812 pages/s · 9.3 MB/s · 2 s left
//   packing  [=========>          ]  46%  1,169 pages · 8,412 passages · 143 passages/s · 52 s left
//   writing  [==================> ]  92%  postings
//
// Threads: one thread owns a Progress. Cost: an update reads the clock and calls `show`, thousands of times a second;
// the callback decides how often it draws or sends.
#ifndef SHEAF_PACKER_BASE_PROGRESS_H_
#define SHEAF_PACKER_BASE_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace sheaf::packer {

// ---- formatting, pure -----------------------------------------------------------------------

std::string FormatCount(uint64_t count);                     // 1,234,567
std::string FormatPlural(uint64_t count, const char* noun);  // 1 page, 1,234 pages
std::string FormatBytes(uint64_t bytes);                     // 512 bytes, 9.3 kB, 12 MB, 1.4 GB (powers of 1000)
std::string FormatDuration(double seconds);                  // 0.31 s, 12 s, 3 min 20 s, 2 h 5 min

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

// ---- the watch over a run --------------------------------------------------------------------

// The error of a cancelled run: kAborted.
Error Aborted();

class Progress {
 public:
  using Show = std::function<void(const ProgressState&)>;
  Progress() = default;  // shows nothing and goes on
  // Both may be empty.
  Progress(Show show, std::function<bool()> cancelled) : show_(std::move(show)), ask_(std::move(cancelled)) {}

  void BeginStage(std::string stage, uint64_t total_bytes);
  void Update(uint64_t pages, uint64_t bytes);
  void UpdatePassages(uint64_t passages, uint64_t embedded, double embedding_seconds);  // shown by the next Update
  void UpdateShare(std::string_view detail, double share);
  void Tick();

  // Whether the run is called off. Once it is, it stays so.
  bool cancelled();

 private:
  using Clock = std::chrono::steady_clock;

  Show show_;
  std::function<bool()> ask_;
  bool is_cancelled_ = false;
  ProgressState state_;
  Clock::time_point stage_began_ = Clock::now();
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_PROGRESS_H_
