// The reports of jobs: plain values, and the same as JSON.
//
// The JSON of `pack` and of each round of `watch` is an interface that other programs read (web/node/packer); its
// members only grow in number.
#ifndef SHEAF_PACKER_JOB_REPORT_H_
#define SHEAF_PACKER_JOB_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "packer/embed/embedding_stats.h"
#include "packer/pipeline/round_changes.h"
#include "packer/pipeline/side_by_side.h"
#include "packer/rules/box_rules.h"
#include "packer/source/source.h"
#include "search/document_encoder.h"

namespace sheaf::packer {

struct PackSummary;  // pipeline/pipeline.h

enum class PackStage : uint8_t { kListing, kPacking, kWriting };

struct PackReport {
  std::optional<Error> error;             // there is no new bundle, and why
  PackStage stage = PackStage::kListing;  // the last that was begun
  std::string output;                     // the target's name
  std::string library, version;
  std::string language;  // of the pages, a tag or "none"
  std::string root;      // resolved folder that the sources are relative to
  uint64_t files = 0;    // found
  uint64_t ignored_folders = 0, filtered_files = 0;
  std::vector<PassedOver> passed_over;
  std::vector<LeftOut> left_out, not_read;
  std::vector<SideBySide> side_by_side;
  uint64_t framed_pages = 0;                // of which menus and banners were removed
  std::map<std::string, uint64_t> symbols;  // by kind (search/symbols.h)
  uint64_t pages = 0, passages = 0, source_bytes = 0, text_bytes = 0;
  uint64_t bundle_bytes = 0, spilled_bytes = 0;
  uint32_t vector_bits = 0;    // 0: no vectors
  DocumentEncoder encoder;     // empty without vectors
  bool has_embedding = false;  // a transformer made the vectors
  EmbeddingStats embedding;
  unsigned jobs = 0;
  double seconds = 0, packing_seconds = 0;  // the rest is writing
  double survey_seconds = 0;                // of packing
  BoxRules box;                             // for the site's box
  std::vector<Remark> problems, notes;
};

// The result of one round (rounds.h).
struct RoundReport {
  uint64_t round = 0;  // from 1
  std::optional<Error> error;
  std::string output;
  bool has_counts = false;  // pages, passages and changes are known
  std::string language;     // of the pages, a tag or "none"; with the counts
  uint64_t pages = 0, passages = 0;
  RoundChanges changes;
  std::vector<LeftOut> left_out;
  bool written = false;
  uint64_t bundle_bytes = 0;                                                // if written
  std::optional<double> listing_seconds, packing_seconds, writing_seconds;  // of the stages that there were
  double seconds = 0;
  BoxRules box;
  std::vector<Remark> problems, notes;
};

// The error of a run that found or packed nothing, with the most likely reason: kNotFound.
Error NothingPacked(const SourceList& list, const PackSummary& summary);

// What the survey left out, then what packing did.
std::vector<LeftOut> AllLeftOut(const SourceList& list, const PackSummary& summary);
// "Doxygen's sources (1,204 pages), error pages (1 page)"
std::string Counted(const std::vector<LeftOut>& files, const char* noun = "page");

// JSON, in which U+FFFD replaces bytes that are not UTF-8. `indent` below 0: on one line.
// {"ok": false, "error": {"code": "NOT_FOUND", "message": "…"}}
std::string JsonOf(const Error& error, int indent = -1);
// {"ok": true, …}; or as an error, with the skipped files if it failed while packing.
std::string JsonOf(const PackReport& report, int indent = -1);
std::string JsonOf(const RoundReport& report, int indent = -1);

// Of a transformer; 0 when it embedded nothing.
double PassagesPerSecond(const EmbeddingStats& stats);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_JOB_REPORT_H_
