#include "packer/job/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/pipeline/pipeline.h"

namespace sheaf::packer {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

Json ErrorJson(const Error& error) { return {{"code", ErrorCodeName(error.code)}, {"message", error.message}}; }

// ", such as draft.html: it holds no text"
std::string FirstLeftOut(const std::vector<Remark>& notes) {
  constexpr std::string_view kMark = "left out: ";
  for (const Remark& note : notes) {
    if (note.reason.starts_with(kMark)) return ", such as " + note.path + ": " + note.reason.substr(kMark.size());
  }
  return {};
}

// The `remarks` whose page is in the bundle (`packed`) or is not.
Json ListOf(const std::vector<Remark>& remarks, bool packed = false) {
  Json list = Json::array();
  for (const Remark& remark : remarks) {
    if (remark.packed == packed) list.push_back({{"path", remark.path}, {"reason", remark.reason}});
  }
  return list;
}

// The folders, and how many files of documentation lie in each; null: too many to count.
Json ListOf(const std::vector<PassedOver>& folders) {
  Json list = Json::array();
  for (const PassedOver& passed : folders) {
    list.push_back({{"folder", passed.folder}, {"files", passed.files ? Json(*passed.files) : Json()}});
  }
  return list;
}

Json ListOf(const std::vector<LeftOut>& files) {
  Json list = Json::array();
  for (const LeftOut& one : files) list.push_back({{"kind", one.kind}, {"files", one.files}, {"example", one.example}});
  return list;
}

// "packed" is null where all of them are packed, or none is.
Json ListOf(const std::vector<SideBySide>& places) {
  Json list = Json::array();
  for (const SideBySide& place : places) {
    list.push_back({{"kind", place.are_languages ? "languages" : "versions"},
                    {"folder", place.folder},
                    {"packed", place.packed.empty() ? Json() : Json(place.packed)},
                    {"others", place.others}});
  }
  return list;
}

// {"box": {"placeholder": "…", "pages": 5, "words": {"noResults": "…"}}}, where the owner has rules of it.
void AddBox(const BoxRules& rules, Json* report) {
  if (rules.empty()) return;
  Json& box = (*report)["box"];
  if (!rules.placeholder.empty()) box["placeholder"] = rules.placeholder;
  for (const auto& [name, number] : rules.numbers) box[name] = number;
  for (const auto& [name, text] : rules.words) box["words"][name] = text;
}

Json FailureJson(const PackReport& report) {
  Json json = {{"ok", false}, {"error", ErrorJson(*report.error)}};
  if (report.stage == PackStage::kPacking) {
    json["skipped"] = ListOf(report.problems);
    json["notes"] = ListOf(report.notes);
  }
  return json;
}

}  // namespace

Error NothingPacked(const SourceList& list, const PackSummary& summary) {
  std::string why = list.files.empty()
                        ? "no documentation found in " + PrintablePath(list.root) + " (" + kKnownExtensions + ")"
                        : "no page could be packed";
  if (!summary.problems.empty()) why += "; " + FormatPlural(summary.problems.size(), "file") + " failed, see above";
  if (summary.files > 0) why += "; " + FormatPlural(summary.files, "file") + " left out" + FirstLeftOut(summary.notes);
  const std::vector<LeftOut> left_out = AllLeftOut(list, summary);
  if (!left_out.empty()) why += "; left out: " + Counted(left_out) + " (--no-ignore packs them)";
  if (!list.not_read.empty()) why += "; not read: " + Counted(list.not_read, "file");
  if (!list.unread.empty()) {
    const UnreadFormat format = list.unread.front().format;
    why += "; " + FormatPlural(list.unread.size(), "file") + " of formats such as " + FormatName(format) + ", " +
           Advice(format);
  }
  if (list.filtered_files > 0)
    why += "; " + FormatPlural(list.filtered_files, "file") + " did not pass --include and --exclude";
  if (list.ignored_folders > 0) {
    why += "; " + FormatPlural(list.ignored_folders, "folder") +
           " passed over (node_modules and such; name one as an input, or use --no-ignore)";
  }
  return {ErrorCode::kNotFound, why};
}

std::vector<LeftOut> AllLeftOut(const SourceList& list, const PackSummary& summary) {
  std::vector<LeftOut> all = list.left_out;
  all.insert(all.end(), summary.left_out.begin(), summary.left_out.end());
  return all;
}

std::string Counted(const std::vector<LeftOut>& files, const char* noun) {
  constexpr size_t kShown = 8;
  std::string line;
  uint64_t more = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (i < kShown)
      line += (i > 0 ? ", " : "") + files[i].kind + " (" + FormatPlural(files[i].files, noun) + ")";
    else
      more += files[i].files;
  }
  return more == 0 ? line : line + " and " + FormatPlural(more, noun) + " of other kinds";
}

double PassagesPerSecond(const EmbeddingStats& stats) {
  return stats.seconds > 0 ? double(stats.embedded) / stats.seconds : 0;
}

std::string JsonOf(const Error& error, int indent) {
  return Dump({{"ok", false}, {"error", ErrorJson(error)}}, indent);
}

std::string JsonOf(const PackReport& report, int indent) {
  if (report.error) return Dump(FailureJson(report), indent);
  const double seconds = std::max(report.seconds, 1e-9);
  const EmbeddingStats& embedding = report.embedding;
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  Json json = {
      {"ok", true},
      {"output", report.output},
      {"library", report.library},
      {"version", report.version},
      {"language", report.language},
      {"root", report.root},
      {"files", report.files},
      {"pages", report.pages},
      {"passages", report.passages},
      {"sourceBytes", report.source_bytes},
      {"textBytes", report.text_bytes},
      {"bundleBytes", report.bundle_bytes},
      {"bytesPerPage", report.pages > 0 ? double(report.bundle_bytes) / double(report.pages) : 0},
      {"spilledBytes", report.spilled_bytes},
      {"vectorBits", report.vector_bits},
      {"space", text(report.encoder.space)},
      {"encoder", text(report.encoder.name)},
      {"precision", text(report.encoder.precision)},
      {"embeddedPassages", embedding.embedded},
      {"cachedPassages", embedding.cached},
      {"failedPassages", embedding.failed},
      {"embeddingSeconds", embedding.seconds},
      {"embeddedPassagesPerSecond", PassagesPerSecond(embedding)},
      {"jobs", report.jobs},
      {"seconds", report.seconds},
      {"packingSeconds", report.packing_seconds},
      {"surveySeconds", report.survey_seconds},
      {"writingSeconds", report.seconds - report.packing_seconds},
      {"pagesPerSecond", double(report.pages) / seconds},
      {"megabytesPerSecond", double(report.source_bytes) / 1e6 / seconds},
      {"ignoredFolders", report.ignored_folders},
      {"filteredFiles", report.filtered_files},
      {"passedOver", ListOf(report.passed_over)},
      {"leftOut", ListOf(report.left_out)},
      {"sideBySide", ListOf(report.side_by_side)},
      {"notRead", ListOf(report.not_read)},
      {"framedPages", report.framed_pages},
      {"symbols", report.symbols},
      {"skipped", ListOf(report.problems)},
      {"inPart", ListOf(report.problems, /*packed=*/true)},
      {"notes", ListOf(report.notes)},
  };
  AddBox(report.box, &json);
  return Dump(json, indent);
}

std::string JsonOf(const RoundReport& report, int indent) {
  Json json = {{"ok", !report.error}, {"round", report.round}};
  Json& seconds = json["seconds"];
  if (report.listing_seconds) seconds["listing"] = *report.listing_seconds;
  if (report.packing_seconds) seconds["packing"] = *report.packing_seconds;
  if (report.writing_seconds) seconds["writing"] = *report.writing_seconds;
  seconds["all"] = report.seconds;
  if (report.has_counts) {
    json["output"] = report.output;
    json["language"] = report.language;
    json["pages"] = report.pages;
    json["passages"] = report.passages;
    json["added"] = report.changes.added;
    json["changed"] = report.changes.changed;
    json["removed"] = report.changes.removed;
    json["prepared"] = report.changes.prepared;
    json["keptPages"] = report.changes.kept_pages;
    json["keptBytes"] = report.changes.kept_bytes;
    json["leftOut"] = ListOf(report.left_out);
    json["written"] = report.written;
  }
  if (report.written) json["bundleBytes"] = report.bundle_bytes;
  if (report.error) json["error"] = ErrorJson(*report.error);
  json["skipped"] = ListOf(report.problems);
  json["inPart"] = ListOf(report.problems, /*packed=*/true);
  json["notes"] = ListOf(report.notes);
  AddBox(report.box, &json);
  return Dump(json, indent);
}

}  // namespace sheaf::packer
