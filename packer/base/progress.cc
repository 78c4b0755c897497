#include "packer/base/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "text/utf8.h"

namespace sheaf::packer {
namespace {

// An estimate from less time than this is too unstable to help.
constexpr double kEstimateAfterSeconds = 1;

// One decimal below ten, none above: 9.3, 12.
std::string Short(double value) {
  char text[64];
  std::snprintf(text, sizeof text, value < 9.95 ? "%.1f" : "%.0f", value);
  return text;
}

// Terminal columns of one of our own lines: ASCII except for the middle dots.
size_t Width(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return !IsUtf8Continuation(c); }));
}

}  // namespace

// ---- formatting -----------------------------------------------------------------------------

std::string FormatCount(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string FormatPlural(uint64_t count, const char* noun) {
  return FormatCount(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string FormatBytes(uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = double(bytes) / 1000;
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return Short(value) + " " + kUnits[unit];
}

std::string FormatDuration(double seconds) {
  if (!(seconds >= 0)) seconds = 0;
  char text[64];
  if (seconds < 9.95) {
    std::snprintf(text, sizeof text, seconds < 1 ? "%.2f s" : "%.1f s", seconds);
    return text;
  }
  const uint64_t whole = seconds < 1e15 ? uint64_t(std::llround(seconds)) : uint64_t(1e15);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string FormatRate(double a_second) {
  return a_second < 9.95 ? Short(a_second) : FormatCount(uint64_t(std::llround(std::min(a_second, 1e15))));
}

bool ParseBytes(std::string_view text, uint64_t* bytes) {
  size_t at = 0;
  double value = 0, scale = 1;
  bool digits = false, fraction = false;
  for (; at < text.size(); ++at) {
    if (text[at] >= '0' && text[at] <= '9') {
      digits = true;
      if (fraction) scale /= 10;
      value = fraction ? value + scale * (text[at] - '0') : value * 10 + (text[at] - '0');
    } else if (text[at] == '.' && !fraction) {
      fraction = true;
    } else {
      break;
    }
  }
  if (!digits) return false;
  while (at < text.size() && text[at] == ' ') ++at;
  std::string unit;
  for (; at < text.size(); ++at) unit += char(text[at] | 0x20);
  const auto is = [&](char letter) {
    return unit == std::string{letter} || unit == std::string{letter, 'b'} || unit == std::string{letter, 'i', 'b'};
  };
  int power = 0;
  if (is('k'))
    power = 1;
  else if (is('m'))
    power = 2;
  else if (is('g'))
    power = 3;
  else if (is('t'))
    power = 4;
  else if (!unit.empty() && unit != "b")
    return false;
  value = std::ldexp(value, 10 * power);
  if (!(value < 9e18)) return false;
  *bytes = uint64_t(value);
  return true;
}

std::string FormatProgress(const ProgressState& state, size_t columns) {
  double share = state.share;
  if (share < 0) share = state.total_bytes > 0 ? double(state.bytes) / double(state.total_bytes) : 0;
  share = std::clamp(share, 0.0, 1.0);

  // A stage of unknown progress shows only its name.
  const bool tells = state.detail.empty() || share > 0;
  std::string tail;
  if (tells) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3d%%  ", int(share * 100));
    tail = percent;
  }
  if (!state.detail.empty()) {
    tail += state.detail;
  } else {
    tail += FormatCount(state.pages) + (state.pages == 1 ? " page" : " pages");
    if (state.embeds) {
      tail += " · " + FormatCount(state.passages) + (state.passages == 1 ? " passage" : " passages");
      if (state.embedding_seconds > 0)
        tail += " · " + FormatRate(double(state.embedded_passages) / state.embedding_seconds) + " passages/s";
    } else if (state.seconds > 0) {
      tail += " · " + FormatRate(double(state.pages) / state.seconds) + " pages/s · " +
              Short(double(state.bytes) / state.seconds / 1e6) + " MB/s";
    }
  }
  if (state.seconds >= kEstimateAfterSeconds && share > 0.01 && share < 1) {
    tail += " · " + FormatDuration(state.seconds / share * (1 - share)) + " left";
  }

  std::string line = state.stage + "  ";
  constexpr size_t kBarColumns = 24;
  if (tells && columns >= Width(line) + kBarColumns + 4 + Width(tail)) {
    const size_t filled = size_t(share * double(kBarColumns));
    line += '[';
    for (size_t i = 0; i < kBarColumns; ++i) line += i < filled ? '=' : i == filled ? '>' : ' ';
    line += "]  ";
  }
  line += tail;
  if (columns > 0 && Width(line) > columns) {
    size_t bytes = 0;
    for (size_t width = 0; bytes < line.size(); ++bytes) {
      if (!IsUtf8Continuation(line[bytes]) && width++ == columns) break;
    }
    line.resize(bytes);
  }
  return line;
}

// ---- the watch over a run --------------------------------------------------------------------

Error Aborted() { return {ErrorCode::kAborted, "packing was aborted; nothing was written"}; }

void Progress::BeginStage(std::string stage, uint64_t total_bytes) {
  state_ = ProgressState();
  state_.stage = std::move(stage);
  state_.total_bytes = total_bytes;
  stage_began_ = Clock::now();
}

void Progress::Update(uint64_t pages, uint64_t bytes) {
  state_.pages = pages;
  state_.bytes = bytes;
  Tick();
}

void Progress::UpdatePassages(uint64_t passages, uint64_t embedded, double embedding_seconds) {
  state_.embeds = true;
  state_.passages = passages;
  state_.embedded_passages = embedded;
  state_.embedding_seconds = embedding_seconds;
}

void Progress::UpdateShare(std::string_view detail, double share) {
  state_.detail = std::string(detail);
  state_.share = share;
  Tick();
}

void Progress::Tick() {
  if (!show_) return;
  state_.seconds = std::chrono::duration<double>(Clock::now() - stage_began_).count();
  show_(state_);
}

bool Progress::cancelled() {
  is_cancelled_ = is_cancelled_ || (ask_ && ask_());
  return is_cancelled_;
}

}  // namespace sheaf::packer
