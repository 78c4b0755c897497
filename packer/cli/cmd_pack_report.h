// Prints the reports of `pack` and `watch`: remarks as they come up, then totals, as text or JSON.
#ifndef SHEAF_PACKER_CLI_CMD_PACK_REPORT_H_
#define SHEAF_PACKER_CLI_CMD_PACK_REPORT_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/terminal_progress.h"
#include "packer/job/report.h"
#include "packer/source/source.h"

namespace sheaf::packer {

// Prints remarks as they come up: every problem, and the first notes.
class Reporter {
 public:
  Reporter(TerminalProgress* terminal, bool quiet, bool color) : terminal_(terminal), quiet_(quiet), color_(color) {}

  void operator()(const Remark& remark, bool is_problem);

 private:
  void Line(const char* color, const char* label, const Remark& remark);

  TerminalProgress* terminal_;
  bool quiet_, color_;
  size_t notes_ = 0;
  std::set<std::pair<std::string, std::string>> said_;  // a repeated run finds the same remarks again
};

// Prints the error of `report` on stderr and, with `json`, the report on stdout. Returns the exit code.
int ReportFailure(const PackReport& report, bool json);

void PrintSummary(const PackReport& report);
// Returns the exit code.
int SayWhatFailed(const std::vector<Remark>& problems, bool json);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_CMD_PACK_REPORT_H_
