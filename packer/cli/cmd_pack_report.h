// What `pack` and `watch` say of their work: remarks as they come up, then counts for people or as JSON.
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

// Collects what happens and says it as it happens: every problem, and the first notes.
class Reporter {
 public:
  Reporter(Progress* progress, bool quiet, bool color) : progress_(progress), quiet_(quiet), color_(color) {}

  void operator()(const Remark& remark, bool is_problem);

 private:
  void Line(const char* color, const char* label, const Remark& remark);

  Progress* progress_;
  bool quiet_, color_;
  size_t notes_ = 0;
  std::set<std::pair<std::string, std::string>> said_;  // a run that is made again finds the same
};

struct Report {
  const PackJob& job;
  const SourceList& list;
  const PackSummary& summary;
  uint64_t bundle_bytes = 0, spilled_bytes = 0;
  double seconds = 0, packing_seconds = 0;
};

// Those of `remarks` whose pages are in the bundle, or are not.
nlohmann::ordered_json ToJson(const std::vector<Remark>& remarks, bool packed = false);

// Nothing was packed: says why as well as can be told.
Error NothingPacked(const SourceList& list, const PackSummary& summary);
// As ReportError, with what was skipped on the way.
int ReportFailure(const Error& error, const PackSummary& summary, bool json);

void PrintJson(const Report& report);
void PrintSummary(const Report& report);
// Returns the exit code.
int SayWhatFailed(const std::vector<Remark>& problems, bool json);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_CMD_PACK_REPORT_H_
