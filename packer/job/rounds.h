// Packs the same sources again and again, and prepares only changed pages.
//
// Idea: prepared pages stay in memory (page_cache.h), so a round costs listing the files, preparing the changed pages
// and writing the bundle. The caller starts each round; this class watches no files.
//
// Invariants
//  1. A bundle has the same bytes as a PackJob makes of the same files and options. One exception: a page that can no
//     longer be read or parsed keeps its last good version.
//  2. The target is written only when something changed; a round that fails or is cancelled leaves it alone, and the
//     next one writes the missing changes.
//
// Threads: one. Memory: half of the options' keeps pages from round to round.
#ifndef SHEAF_PACKER_JOB_ROUNDS_H_
#define SHEAF_PACKER_JOB_ROUNDS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "packer/job/open_job.h"
#include "packer/job/pack_job.h"
#include "packer/job/report.h"
#include "packer/pipeline/page_cache.h"
#include "packer/pipeline/pipeline.h"

namespace sheaf::packer {

class Rounds {
 public:
  // `cancelled` (may be empty) is asked while a transformer starts. Errors: those of OpenJob.
  static Result<std::unique_ptr<Rounds>> Open(CheckedOptions checked, const JobHost& host, BundleTarget target,
                                              const std::function<bool()>& cancelled = {});

  // One round. Problems are told as they come up, and all is in the report, its error, too: no pages, kAborted.
  RoundReport Round(const PackObserver& observer);
  // False: a transformer failed, and its state is unknown; no round can follow.
  bool usable() const { return usable_; }
  // Lets a transformer end.
  void Close();

 private:
  explicit Rounds(BundleTarget target) : target_(std::move(target)) {}
  Status Pack(const PackObserver& observer, Progress* progress, RoundReport* report);
  // Packs the pages of `list` into `builder`, twice where that is needed. Error: what ended the round.
  Status PackInto(std::optional<JobBuilder>* builder, const SourceList& list, const PackObserver& observer,
                  Progress* progress, PackSummary* summary);
  Status Write(JobBuilder* builder, RoundReport* report);
  void Describe(const RoundChanges& changes, RoundReport* report) const;

  const BundleTarget target_;
  OpenedJob job_;
  MemoryPlan plan_;
  std::unique_ptr<PageCache> cache_;
  std::vector<Remark> encoder_notes_;
  uint64_t round_ = 0;
  PackSummary last_;
  RoundChanges changes_;
  SearchRules rules_;
  Survey survey_;
  std::vector<LeftOut> left_out_;
  uint64_t listed_ = 0;             // a hash of the files that the survey saw: names, sizes and times
  std::vector<SourceFile> packed_;  // those of them that it left in
  bool is_behind_ = true;           // the bundle does not yet have all that the last round found
  bool usable_ = true;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_JOB_ROUNDS_H_
