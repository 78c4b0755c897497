#include "packer/base/terminal_progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace sheaf::packer {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr auto kLineEvery = std::chrono::seconds(2);

bool TermIsDumb() {
  const char* term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::strcmp(term, "dumb") == 0;
}

size_t Columns(std::FILE* stream) {
  struct winsize size;
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

ProgressMode ChooseProgressMode(std::FILE* stream, bool quiet) {
  if (quiet) return ProgressMode::kNone;
  return ::isatty(::fileno(stream)) && !TermIsDumb() ? ProgressMode::kBar : ProgressMode::kLines;
}

bool WantsColor(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return ::isatty(::fileno(stream)) && !TermIsDumb() && (no_color == nullptr || *no_color == '\0');
}

TerminalProgress::TerminalProgress(std::FILE* stream, ProgressMode mode, bool color)
    : stream_(stream), mode_(mode), color_(color), last_drawn_(Clock::now()) {}

void TerminalProgress::Show(const ProgressState& state) {
  if (mode_ == ProgressMode::kNone) return;
  const auto now = Clock::now();
  if (now - last_drawn_ < (mode_ == ProgressMode::kBar ? Clock::duration(kRedrawEvery) : Clock::duration(kLineEvery)))
    return;
  last_drawn_ = now;
  Draw(state);
}

void TerminalProgress::Draw(const ProgressState& state) {
  if (mode_ == ProgressMode::kLines) {
    std::fprintf(stream_, "%s\n", FormatProgress(state, 0).c_str());
  } else {
    // One column is left free: some terminals wrap when the last one is written.
    const std::string line = FormatProgress(state, Columns(stream_) - 1);
    std::fprintf(stream_, color_ ? "\r\033[K\033[36m%s\033[0m" : "\r\033[K%s", line.c_str());
    bar_is_shown_ = true;
  }
  std::fflush(stream_);
}

void TerminalProgress::Message(std::string_view text) {
  Clear();
  std::fprintf(stream_, "%.*s\n", int(std::min<size_t>(text.size(), 1 << 20)), text.data());
  std::fflush(stream_);
}

void TerminalProgress::Clear() {
  if (!bar_is_shown_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
  bar_is_shown_ = false;
}

}  // namespace sheaf::packer
