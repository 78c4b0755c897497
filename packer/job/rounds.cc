#include "packer/job/rounds.h"

#include <chrono>
#include <string>

#include "base/bytes.h"
#include "base/checksum.h"
#include "packer/base/trim_memory.h"
#include "packer/contents/contents.h"
#include "packer/embed/embedding_passages.h"
#include "packer/source/source.h"

namespace sheaf::packer {
namespace {

// Of what FindSources says of the files. A file whose bytes alone differ has another time.
uint64_t HashOf(const std::vector<SourceFile>& files) {
  uint64_t hash = files.size();
  for (const SourceFile& file : files) {
    const uint64_t numbers[] = {file.size, uint64_t(file.modified_ns)};
    hash = Hash64(AsBytes(file.relative), Hash64({reinterpret_cast<const uint8_t*>(numbers), sizeof numbers}, hash));
  }
  return hash;
}

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<std::unique_ptr<Rounds>> Rounds::Open(CheckedOptions checked, const JobHost& host, BundleTarget target,
                                             const std::function<bool()>& cancelled) {
  std::unique_ptr<Rounds> rounds(new Rounds(std::move(target)));
  const auto note = [self = rounds.get()](const std::string& what) {
    self->encoder_notes_.push_back({"encoder", what});
  };
  SHEAF_ASSIGN_OR_RETURN(rounds->job_, OpenJob(std::move(checked), host, note, cancelled));
  const OpenedJob& job = rounds->job_;
  rounds->plan_ = PlanMemory(job.pipeline.memory, /*with_cache=*/true);
  const uint64_t passage_bytes = job.embedder ? job.embedder->document_encoder().dimensions * sizeof(float) : 0;
  rounds->cache_ = std::make_unique<PageCache>(rounds->plan_.kept, passage_bytes);
  return rounds;
}

RoundReport Rounds::Round(const PackObserver& observer) {
  const Clock clock;
  RoundReport report;
  report.round = ++round_;
  report.output = target_.name;
  Progress progress(observer.progress, observer.cancelled);
  const Status status = Guarded([&] { return Pack(observer, &progress, &report); });
  report.seconds = clock.seconds();
  if (!status.ok()) report.error = status.code() == ErrorCode::kAborted ? Aborted() : status.error();
  report.notes.insert(report.notes.end(), encoder_notes_.begin(), encoder_notes_.end());
  encoder_notes_.clear();
  return report;
}

Status Rounds::Pack(const PackObserver& observer, Progress* progress, RoundReport* report) {
  const Clock listing;
  SHEAF_ASSIGN_OR_RETURN(SearchRules rules, ReadRules(&job_));
  if (rules.text != rules_.text) {
    cache_->Forget();
    is_behind_ = true;
    listed_ = 0;
  }
  rules_ = std::move(rules);
  report->box = rules_.box;
  SHEAF_ASSIGN_OR_RETURN(SourceList list,
                         FindSources(job_.options.inputs, job_.source, [&] { return progress->cancelled(); }));
  OrderByContents(&list);
  report->listing_seconds = listing.seconds();
  // Keep the cache: a site generator that empties the folder is about to refill it.
  if (list.files.empty()) return NothingPacked(list, {});

  const uint64_t listed = HashOf(list.files);
  if (!is_behind_ && last_.problems.empty() && list.problems.empty() && listed == listed_ &&
      cache_->IsCurrent(packed_)) {
    report->problems = last_.problems;
    report->notes = last_.notes;
    Describe({.kept_pages = changes_.kept_pages, .kept_bytes = changes_.kept_bytes}, report);
    return {};
  }

  if (const auto chosen = ChooseSideBySide(&list, SideBySideOf(job_.options)); !chosen.ok()) return chosen.error();
  if (job_.pipeline.surveys) {
    Survey survey = SurveyOf(
        &list, [&] { return progress->cancelled(); }, rules_.parts);
    if (progress->cancelled()) return Aborted();
    if (survey != survey_) {
      cache_->Forget();
      is_behind_ = true;
      survey_ = std::move(survey);
    }
  }
  listed_ = listed;
  packed_ = list.files;
  // Pages that are kept have the words of the first round's language.
  if (std::exchange(job_.pipeline.finds_language, false)) job_.pipeline.language = FindLanguage(&list);
  const Clock packing;
  // The cache reports a change only once. If this round fails, the next one must still write.
  const bool was_behind = std::exchange(is_behind_, true);
  std::optional<JobBuilder> builder;
  PackSummary summary;
  const Status packed = PackInto(&builder, list, observer, progress, &summary);
  report->problems = summary.problems;
  report->notes = summary.notes;
  left_out_ = AllLeftOut(list, summary);
  SHEAF_RETURN_IF_ERROR(packed);
  TrimMemory();  // this process is idle most of the time
  // Passages without a vector may get one in the next round.
  is_behind_ = was_behind || changes_.any() || (job_.embedder && !summary.problems.empty());
  last_ = std::move(summary);
  Describe(changes_, report);
  report->packing_seconds = packing.seconds();
  if (last_.pages == 0) return NothingPacked(list, last_);
  return is_behind_ ? Write(&*builder, report) : Status();
}

Status Rounds::PackInto(std::optional<JobBuilder>* builder, const SourceList& list, const PackObserver& observer,
                        Progress* progress, PackSummary* summary) {
  const PackTools tools = {.urls = job_.urls,
                           .options = job_.pipeline,
                           .survey = survey_,
                           .rules = rules_,
                           .progress = progress,
                           .encoder = job_.table.encoder.get(),
                           .embedder = job_.embedder.get(),
                           .cache = cache_.get(),
                           .report = observer.remark};
  const auto run = [&]() -> Status {
    builder->emplace(job_, target_.scratch_folder, plan_, progress);
    *summary = PackPages(list, tools, (*builder)->get());
    if (!summary->fatal) return {};
    usable_ = !job_.embedder || summary->fatal->code == ErrorCode::kAborted;
    return *summary->fatal;
  };
  cache_->BeginRound();
  SHEAF_RETURN_IF_ERROR(run());
  changes_ = cache_->EndRound();
  if (!summary->again) return {};
  job_.pipeline.marked_only = *summary->again;  // the next round starts with it too
  return run();
}

Status Rounds::Write(JobBuilder* builder, RoundReport* report) {
  const Clock writing;
  SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bundle, builder->Finish());
  SHEAF_RETURN_IF_ERROR(target_.write(bundle));
  is_behind_ = false;
  report->written = true;
  report->bundle_bytes = bundle.size();
  report->writing_seconds = writing.seconds();
  return {};
}

void Rounds::Describe(const RoundChanges& changes, RoundReport* report) const {
  report->has_counts = true;
  report->pages = last_.pages;
  report->passages = last_.passages;
  report->changes = changes;
  report->left_out = left_out_;
  report->language = job_.pipeline.language.tag;
}

void Rounds::Close() {
  if (job_.embedder) job_.embedder->Finish();
}

}  // namespace sheaf::packer
