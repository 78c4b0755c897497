// One packing run: sources -> pages -> builder -> bundle -> report.
//
//     PackJob::Open -> Run, the bundle in memory -> Write, where a file is wanted
//
// The observer gets remarks and progress. The run asks it whether to stop: while it walks folders, before every page,
// between batches of passages that a transformer embeds, at every read and write of the scratch file, and while it
// makes the bundle. It finishes the page under way first.
//
// Invariants
//  1. A run that fails or is cancelled leaves no file behind and does not touch an older bundle.
//  2. All callbacks come on the caller's thread.
#ifndef SHEAF_PACKER_JOB_PACK_JOB_H_
#define SHEAF_PACKER_JOB_PACK_JOB_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "packer/base/progress.h"
#include "packer/job/open_job.h"
#include "packer/job/report.h"

namespace sheaf::packer {

// Any of them may be empty.
struct PackObserver {
  std::function<void(const Remark& remark, bool is_problem)> remark;  // one may come twice
  Progress::Show progress;                                            // thousands of times a second
  std::function<bool()> cancelled;
};

// The bundle, unless the report has an error.
struct Packed {
  std::vector<uint8_t> bundle;
  PackReport report;
};

class PackJob {
 public:
  // Errors: those of OpenJob.
  static Result<std::unique_ptr<PackJob>> Open(CheckedOptions checked, const JobHost& host, BundleTarget target,
                                               PackObserver observer);

  // The whole run, but for writing the bundle. Call it once. Errors are in the report; kAborted, too.
  Packed Run();
  // Writes the bundle to the target, and completes the report: its error and its times.
  // REQUIRES: Run made `packed`, without an error; the target can be written to.
  void Write(Packed* packed);

 private:
  using Clock = std::chrono::steady_clock;
  PackJob(BundleTarget target, PackObserver observer)
      : target_(std::move(target)),
        observer_(std::move(observer)),
        progress_(observer_.progress, observer_.cancelled) {}
  Status Pack(Packed* packed);
  void Describe(PackReport* report) const;
  double Elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  const Clock::time_point began_ = Clock::now();
  const BundleTarget target_;
  const PackObserver observer_;
  Progress progress_;
  OpenedJob job_;
  std::vector<Remark> encoder_notes_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_JOB_PACK_JOB_H_
