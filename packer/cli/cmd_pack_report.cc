#include "packer/cli/cmd_pack_report.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "packer/base/printable.h"
#include "packer/cli/commands.h"

namespace sheaf::packer {
namespace {

constexpr size_t kNotesShown = 20;

void PrintEmbedding(const DocumentEncoder& encoder, const EmbeddingStats& stats) {
  std::fprintf(stderr, "vectors by %s %s: %s embedded", TerminalText(encoder.name).c_str(),
               TerminalText(encoder.precision).c_str(), FormatPlural(stats.embedded, "passage").c_str());
  if (stats.embedded > 0) std::fprintf(stderr, " at %s passages/s", FormatRate(PassagesPerSecond(stats)).c_str());
  std::fprintf(stderr, ", %s from the cache\n", FormatCount(stats.cached).c_str());
}

// "passed over: env/ (1 file), node_modules/ (too many files to count)"
void PrintPassedOver(const std::vector<PassedOver>& folders) {
  constexpr size_t kShown = 5;
  if (folders.empty()) return;
  std::string line = "passed over: ";
  for (size_t i = 0; i < std::min(folders.size(), kShown); ++i) {
    const std::string files = folders[i].files ? FormatPlural(*folders[i].files, "file") : "too many files to count";
    line += (i > 0 ? ", " : "") + TerminalText(folders[i].folder) + "/ (" + files + ")";
  }
  if (folders.size() > kShown) line += " and " + FormatPlural(folders.size() - kShown, "more folder");
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

void Reporter::operator()(const Remark& remark, bool is_problem) {
  if (!said_.emplace(remark.path, remark.reason).second) return;
  if (is_problem) return Line("31", remark.packed ? "in part" : "skipped", remark);
  if (quiet_) return;
  if (++notes_ <= kNotesShown)
    Line("33", "note", remark);
  else if (notes_ == kNotesShown + 1)
    terminal_->Message("further notes are only counted; --json lists all of them");
}

void Reporter::Line(const char* color, const char* label, const Remark& remark) {
  std::string line = label;
  if (color_) line = std::string("\033[") + color + "m" + label + "\033[0m";
  terminal_->Message(line + " " + TerminalText(remark.path) + ": " + TerminalText(remark.reason));
}

int ReportFailure(const PackReport& report, bool json) {
  ReportError(*report.error, false);
  if (json) std::printf("%s\n", JsonOf(report, 2).c_str());
  return kExitFailed;
}

void PrintSummary(const PackReport& report) {
  std::fprintf(stderr, "%s  %s, %s\n", TerminalText(report.output).c_str(), FormatPlural(report.pages, "page").c_str(),
               FormatPlural(report.passages, "passage").c_str());
  std::fprintf(stderr, "%s from %s of source (%s a page) in %s: %s pages/s, %s MB/s\n",
               FormatBytes(report.bundle_bytes).c_str(), FormatBytes(report.source_bytes).c_str(),
               FormatBytes(report.bundle_bytes / std::max<uint64_t>(report.pages, 1)).c_str(),
               FormatDuration(report.seconds).c_str(),
               FormatRate(double(report.pages) / std::max(report.seconds, 1e-3)).c_str(),
               FormatRate(double(report.source_bytes) / 1e6 / std::max(report.seconds, 1e-3)).c_str());
  if (report.has_embedding) PrintEmbedding(report.encoder, report.embedding);
  PrintPassedOver(report.passed_over);
  if (!report.left_out.empty())
    std::fprintf(stderr, "left out: %s (--no-ignore packs them)\n", TerminalText(Counted(report.left_out)).c_str());
  if (report.framed_pages > 0)
    std::fprintf(stderr, "without menus and notices that most pages share: %s\n",
                 FormatPlural(report.framed_pages, "page").c_str());
  if (!report.symbols.empty()) {
    std::string symbols;
    for (const auto& [kind, count] : report.symbols)
      symbols += (symbols.empty() ? "" : ", ") + kind + " " + FormatCount(count);
    std::fprintf(stderr, "named: %s\n", symbols.c_str());
  }
  if (!report.not_read.empty())
    std::fprintf(stderr, "not read: %s\n", TerminalText(Counted(report.not_read, "file")).c_str());
  if (!report.notes.empty()) std::fprintf(stderr, "%s\n", FormatPlural(report.notes.size(), "note").c_str());
}

int SayWhatFailed(const std::vector<Remark>& problems, bool json) {
  if (problems.empty()) return kExitOk;
  const auto in_part =
      uint64_t(std::count_if(problems.begin(), problems.end(), [](const Remark& remark) { return remark.packed; }));
  const uint64_t skipped = problems.size() - in_part;
  std::string said;
  if (skipped > 0)
    said = FormatPlural(skipped, "file") + " failed and " + (skipped == 1 ? "is" : "are") + " not in the bundle";
  if (in_part > 0)
    said += (said.empty() ? "" : "; ") + FormatPlural(in_part, "page") + (in_part == 1 ? " has" : " have") +
            " passages without a vector";
  // A program that reads the JSON may end with an exit code of its own, so the message names none.
  std::fprintf(stderr, json ? "%s, see above\n" : "%s, see above (exit code %d)\n", said.c_str(), int(kExitPartial));
  return kExitPartial;
}

}  // namespace sheaf::packer
