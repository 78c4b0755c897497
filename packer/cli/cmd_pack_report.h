// What `pack` and `watch` report: remarks as they come up, then totals, as text or JSON.
#ifndef SHEAF_PACKER_CLI_CMD_PACK_REPORT_H_
#define SHEAF_PACKER_CLI_CMD_PACK_REPORT_H_

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/progress.h"
#include "packer/cli/cmd_pack_options.h"
#include "packer/embed/embedding_passages.h"
#include "packer/pipeline/pipeline.h"
#include "packer/source/source.h"

namespace sheaf::packer {

// Collects remarks and prints them as they come up: every problem, and the first notes.
class Reporter {
 public:
  Reporter(Progress* progress, bool quiet, bool color) : progress_(progress), quiet_(quiet), color_(color) {}

  void operator()(const Remark& remark, bool is_problem);

 private:
  void Line(const char* color, const char* label, const Remark& remark);

  Progress* progress_;
  bool quiet_, color_;
  size_t notes_ = 0;
  std::set<std::pair<std::string, std::string>> said_;  // a repeated run finds the same remarks again
};

struct Report {
  const PackJob& job;
  const SourceList& list;
  const PackSummary& summary;
  uint64_t bundle_bytes = 0, spilled_bytes = 0;
  double seconds = 0, packing_seconds = 0;
};

// The `remarks` whose page is in the bundle (`packed`) or is not.
nlohmann::ordered_json ToJson(const std::vector<Remark>& remarks, bool packed = false);

// The error for an empty result, with the most likely reason.
Error NothingPacked(const SourceList& list, const PackSummary& summary);
// Like ReportError, but also lists what was skipped.
int ReportFailure(const Error& error, const PackSummary& summary, bool json);

void PrintJson(const Report& report);
void PrintSummary(const Report& report);
// Returns the exit code.
int SayWhatFailed(const std::vector<Remark>& problems, bool json);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_CMD_PACK_REPORT_H_
