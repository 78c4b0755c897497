#include "packer/job/pack_job.h"

#include <optional>
#include <string>
#include <utility>

#include "packer/contents/contents.h"
#include "packer/embed/embedding_passages.h"
#include "packer/pipeline/pipeline.h"
#include "packer/source/source.h"

namespace sheaf::packer {

Result<std::unique_ptr<PackJob>> PackJob::Open(CheckedOptions checked, const JobHost& host, BundleTarget target,
                                               PackObserver observer) {
  std::unique_ptr<PackJob> job(new PackJob(std::move(target), std::move(observer)));
  const auto note = [self = job.get()](const std::string& what) {
    self->encoder_notes_.push_back({"encoder", what});
    if (self->observer_.remark) self->observer_.remark(self->encoder_notes_.back(), false);
  };
  SHEAF_ASSIGN_OR_RETURN(job->job_, OpenJob(std::move(checked), host, note, job->observer_.cancelled));
  return job;
}

Packed PackJob::Run() {
  Packed packed;
  const Status status = Pack(&packed);
  PackReport& report = packed.report;
  report.notes.insert(report.notes.end(), encoder_notes_.begin(), encoder_notes_.end());
  if (!status.ok()) report.error = status.code() == ErrorCode::kAborted ? Aborted() : status.error();
  report.bundle_bytes = packed.bundle.size();
  Describe(&report);
  report.seconds = Elapsed();
  return packed;
}

Status PackJob::Pack(Packed* packed) {
  PackReport& report = packed->report;
  SHEAF_ASSIGN_OR_RETURN(const SearchRules rules, ReadRules(&job_));
  report.box = rules.box;
  SHEAF_ASSIGN_OR_RETURN(SourceList list,
                         FindSources(job_.options.inputs, job_.source, [&] { return progress_.cancelled(); }));
  OrderByContents(&list);
  report.stage = PackStage::kPacking;
  report.root = list.root;
  report.files = list.files.size();
  report.ignored_folders = list.ignored_folders;
  report.filtered_files = list.filtered_files;
  report.passed_over = list.passed_over;
  report.not_read = list.not_read;

  const double before = Elapsed();
  SHEAF_ASSIGN_OR_RETURN(report.side_by_side, ChooseSideBySide(&list, SideBySideOf(job_.options)));
  const Survey survey = job_.pipeline.surveys ? SurveyOf(
                                                    &list, [&] { return progress_.cancelled(); }, rules.parts)
                                              : Survey();
  report.survey_seconds = Elapsed() - before;
  if (job_.pipeline.finds_language) job_.pipeline.language = FindLanguage(&list);

  const PackTools tools = {.urls = job_.urls,
                           .options = job_.pipeline,
                           .survey = survey,
                           .rules = rules,
                           .progress = &progress_,
                           .encoder = job_.table.encoder.get(),
                           .embedder = job_.embedder.get(),
                           .report = observer_.remark};
  std::optional<JobBuilder> builder;
  PackSummary summary;
  do {
    job_.pipeline.marked_only = summary.again.value_or(false);
    builder.emplace(job_, target_.scratch_folder, PlanMemory(job_.pipeline.memory), &progress_);
    summary = PackPages(list, tools, builder->get());
  } while (summary.again && !summary.fatal);
  if (job_.embedder && !summary.fatal) job_.embedder->Finish();  // else it is killed
  report.pages = summary.pages;
  report.passages = summary.passages;
  report.source_bytes = summary.source_bytes;
  report.text_bytes = summary.text_bytes;
  report.framed_pages = summary.framed_pages;
  report.symbols = summary.symbols;
  report.left_out = AllLeftOut(list, summary);
  if (!summary.fatal && summary.pages == 0) summary.fatal = NothingPacked(list, summary);
  report.problems = std::move(summary.problems);
  report.notes = std::move(summary.notes);
  if (summary.fatal) return *summary.fatal;

  report.packing_seconds = Elapsed();
  report.stage = PackStage::kWriting;
  SHEAF_ASSIGN_OR_RETURN(packed->bundle, builder->Finish());
  report.spilled_bytes = builder->spilled_bytes();
  return {};
}

void PackJob::Describe(PackReport* report) const {
  report->output = target_.name;
  report->library = job_.options.library;
  report->version = job_.options.version;
  report->language = job_.pipeline.language.tag;
  report->jobs = job_.options.jobs;
  if (job_.kind == EncoderKind::kNone) return;
  report->vector_bits = job_.options.vector_bits;
  report->encoder = job_.document_encoder();
  report->has_embedding = job_.embedder != nullptr;
  if (job_.embedder) report->embedding = job_.embedder->stats();
}

void PackJob::Write(Packed* packed) {
  PackReport& report = packed->report;
  const Status written = progress_.cancelled() ? Status(Aborted()) : target_.write(packed->bundle);
  if (!written.ok()) report.error = written.error();
  report.seconds = Elapsed();
}

}  // namespace sheaf::packer
