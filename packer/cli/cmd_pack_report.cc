#include "packer/cli/cmd_pack_report.h"

#include <algorithm>
#include <cstdio>

#include "packer/base/printable.h"
#include "packer/cli/commands.h"

namespace sheaf::packer {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kNotesShown = 20;

void Print(const Json& json) { std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str()); }

std::string Plural(uint64_t count, const char* noun) {
  return FormatCount(count) + " " + noun + (count == 1 ? "" : "s");
}

// ", such as draft.html: it holds no text"
std::string FirstLeftOut(const std::vector<Remark>& notes) {
  constexpr std::string_view kMark = "left out: ";
  for (const Remark& note : notes) {
    if (note.reason.starts_with(kMark)) return ", such as " + note.path + ": " + note.reason.substr(kMark.size());
  }
  return {};
}

}  // namespace

void Reporter::operator()(const Remark& remark, bool is_problem) {
  if (!said_.emplace(remark.path, remark.reason).second) return;
  if (is_problem) return Line("31", remark.packed ? "in part" : "skipped", remark);
  if (quiet_) return;
  if (++notes_ <= kNotesShown)
    Line("33", "note", remark);
  else if (notes_ == kNotesShown + 1)
    progress_->Message("more notes are counted only; --json lists all of them");
}

void Reporter::Line(const char* color, const char* label, const Remark& remark) {
  std::string line = label;
  if (color_) line = std::string("\033[") + color + "m" + label + "\033[0m";
  progress_->Message(line + " " + TerminalText(remark.path) + ": " + TerminalText(remark.reason));
}

Json ToJson(const std::vector<Remark>& remarks, bool packed) {
  Json list = Json::array();
  for (const Remark& remark : remarks) {
    if (remark.packed == packed) list.push_back({{"path", remark.path}, {"reason", remark.reason}});
  }
  return list;
}

Error NothingPacked(const SourceList& list, const PackSummary& summary) {
  std::string why = list.files.empty()
                        ? "no documentation found in " + PrintablePath(list.root) + " (" + kKnownExtensions + ")"
                        : "no page could be packed";
  if (!summary.problems.empty()) why += "; " + Plural(summary.problems.size(), "file") + " failed, see above";
  if (summary.files > 0) why += "; " + Plural(summary.files, "file") + " left out" + FirstLeftOut(summary.notes);
  if (list.filtered_files > 0)
    why += "; " + Plural(list.filtered_files, "file") + " did not pass --include and --exclude";
  if (list.ignored_folders > 0) {
    why += "; " + Plural(list.ignored_folders, "folder") +
           " passed over (node_modules, build and such; name one as an input, or use --no-ignore)";
  }
  return {ErrorCode::kNotFound, why};
}

int ReportFailure(const Error& error, const PackSummary& summary, bool json) {
  ReportError(error, false);
  if (json) {
    Print({{"ok", false},
           {"error", {{"code", ErrorCodeName(error.code)}, {"message", error.message}}},
           {"skipped", ToJson(summary.problems)},
           {"notes", ToJson(summary.notes)}});
  }
  return kExitFailed;
}

static double PassagesPerSecond(const EmbeddingStats& stats) {
  return stats.seconds > 0 ? double(stats.embedded) / stats.seconds : 0;
}

void PrintJson(const Report& report) {
  const PackSummary& summary = report.summary;
  const double seconds = std::max(report.seconds, 1e-9);
  const PackOptions& options = report.job.options;
  const bool vectors = report.job.kind != EncoderKind::kNone;
  const DocumentEncoder encoder = report.job.document_encoder();
  const EmbeddingStats embedding = report.job.embedder ? report.job.embedder->stats() : EmbeddingStats{};
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  Print({
      {"ok", true},
      {"output", report.job.output},
      {"library", options.library},
      {"version", options.version},
      {"root", report.list.root},
      {"files", report.list.files.size()},
      {"pages", summary.pages},
      {"passages", summary.passages},
      {"sourceBytes", summary.source_bytes},
      {"textBytes", summary.text_bytes},
      {"bundleBytes", report.bundle_bytes},
      {"bytesPerPage", summary.pages > 0 ? double(report.bundle_bytes) / double(summary.pages) : 0},
      {"spilledBytes", report.spilled_bytes},
      {"vectorBits", vectors ? options.vector_bits : 0},
      {"space", text(encoder.space)},
      {"encoder", text(encoder.name)},
      {"precision", text(encoder.precision)},
      {"embeddedPassages", embedding.embedded},
      {"cachedPassages", embedding.cached},
      {"failedPassages", embedding.failed},
      {"embeddingSeconds", embedding.seconds},
      {"embeddedPassagesPerSecond", PassagesPerSecond(embedding)},
      {"jobs", options.jobs},
      {"seconds", report.seconds},
      {"packingSeconds", report.packing_seconds},
      {"writingSeconds", report.seconds - report.packing_seconds},
      {"pagesPerSecond", double(summary.pages) / seconds},
      {"megabytesPerSecond", double(summary.source_bytes) / 1e6 / seconds},
      {"ignoredFolders", report.list.ignored_folders},
      {"filteredFiles", report.list.filtered_files},
      {"skipped", ToJson(summary.problems)},
      {"inPart", ToJson(summary.problems, /*packed=*/true)},
      {"notes", ToJson(summary.notes)},
  });
}

static void PrintEmbedding(const DocumentEncoder& encoder, const EmbeddingStats& stats) {
  std::fprintf(stderr, "vectors by %s %s: %s embedded", TerminalText(encoder.name).c_str(),
               TerminalText(encoder.precision).c_str(), Plural(stats.embedded, "passage").c_str());
  if (stats.embedded > 0) std::fprintf(stderr, " at %s passages/s", FormatRate(PassagesPerSecond(stats)).c_str());
  std::fprintf(stderr, ", %s from the cache\n", FormatCount(stats.cached).c_str());
}

void PrintSummary(const Report& report) {
  const PackSummary& summary = report.summary;
  std::fprintf(stderr, "%s  %s, %s\n", TerminalText(report.job.output).c_str(), Plural(summary.pages, "page").c_str(),
               Plural(summary.passages, "passage").c_str());
  std::fprintf(stderr, "%s from %s of source (%s a page) in %s: %s pages/s, %s MB/s\n",
               FormatBytes(report.bundle_bytes).c_str(), FormatBytes(summary.source_bytes).c_str(),
               FormatBytes(report.bundle_bytes / std::max<uint64_t>(summary.pages, 1)).c_str(),
               FormatDuration(report.seconds).c_str(),
               FormatRate(double(summary.pages) / std::max(report.seconds, 1e-3)).c_str(),
               FormatRate(double(summary.source_bytes) / 1e6 / std::max(report.seconds, 1e-3)).c_str());
  if (report.job.embedder) PrintEmbedding(report.job.document_encoder(), report.job.embedder->stats());
  if (!summary.notes.empty()) std::fprintf(stderr, "%s\n", Plural(summary.notes.size(), "note").c_str());
}

int SayWhatFailed(const std::vector<Remark>& problems, bool json) {
  if (problems.empty()) return kExitOk;
  const auto in_part =
      uint64_t(std::count_if(problems.begin(), problems.end(), [](const Remark& remark) { return remark.packed; }));
  const uint64_t skipped = problems.size() - in_part;
  std::string said;
  if (skipped > 0)
    said = Plural(skipped, "file") + " failed and " + (skipped == 1 ? "is" : "are") + " not in the bundle";
  if (in_part > 0)
    said += (said.empty() ? "" : "; ") + Plural(in_part, "page") + (in_part == 1 ? " has" : " have") +
            " passages without a vector";
  // A program that reads the JSON may end with an exit code of its own, so the message names none.
  std::fprintf(stderr, json ? "%s, see above\n" : "%s, see above (exit code %d)\n", said.c_str(), int(kExitPartial));
  return kExitPartial;
}

}  // namespace sheaf::packer
