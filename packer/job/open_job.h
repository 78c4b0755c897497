// Opens the parts that every run of a job uses, once, so that early failures come before the work begins.
//
//     CheckedOptions + JobHost + BundleTarget -> OpenJob -> JobBuilder a bundle
//
// The host runs the job: a process with an environment, or a module in JavaScript. The job reads no
// environment variable and starts no process by itself.
#ifndef SHEAF_PACKER_JOB_OPEN_JOB_H_
#define SHEAF_PACKER_JOB_OPEN_JOB_H_

#include <functional>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "packer/embed/passage_encoder.h"
#include "packer/host/encoder_table.h"
#include "packer/job/options.h"
#include "packer/output/spill_file.h"
#include "packer/rules/search_rules.h"
#include "search/bundle_builder.h"

namespace sheaf::packer {

using TakeNote = std::function<void(const std::string& what)>;

struct JobHost {
  std::string packer;        // named in bundles: "sheaf-pack 0.1.0"
  std::string vector_cache;  // folder, where the options name none; empty: vectors are not kept
  // The path of the encoder table where the options name none. Error: kNotFound; the message says what to do.
  std::function<Result<std::string>()> find_table;
  // Starts the transformer that the options ask for. `note` may be called for as long as it lives.
  std::function<Result<std::unique_ptr<PassageEncoder>>(const PackOptions&, TakeNote note, const GoOn& go_on)>
      start_encoder;
};

// Where a bundle goes, and where its postings wait that do not fit in memory.
struct BundleTarget {
  std::string name;            // for reports: the path of the file
  std::string scratch_folder;  // should be the file's (spill_file.h)
  std::function<Status(ByteSpan bundle)> write;
};

// The file that the options name, replaced atomically (atomic_file.h). Errors: those of ResolveOutput.
Result<BundleTarget> FileTarget(const PackOptions& options);

class PassageEmbedder;
class Progress;

struct OpenedJob {
  PackOptions options;
  SourceOptions source;
  UrlMapper urls;
  PipelineOptions pipeline;
  EncoderKind kind = EncoderKind::kNone;
  std::string packer;
  LoadedEncoder table;                        // with kStatic
  std::unique_ptr<PassageEmbedder> embedder;  // with kProcess
  OpenedJob();
  ~OpenedJob();
  OpenedJob(OpenedJob&&);
  OpenedJob& operator=(OpenedJob&&);
  DocumentEncoder document_encoder() const;  // "static" and its space, too
};

// Opens the encoder table or the transformer. `note` receives problems that do not stop the work; it may be called for
// as long as the job lives. `cancelled` may be empty. Errors: kNotFound, those of the table or the transformer,
// kAborted.
Result<OpenedJob> OpenJob(CheckedOptions checked, const JobHost& host, TakeNote note,
                          const std::function<bool()>& cancelled);

// The rules of the search, as the options name them; what they exclude is excluded from the sources. Errors: those of
// LoadSearchRules.
Result<SearchRules> ReadRules(OpenedJob* job);

// A builder for one bundle with the settings of the job, and its scratch file.
class JobBuilder {
 public:
  // REQUIRES: job and progress outlive the builder. The scratch file, too, asks `progress` whether to go on.
  JobBuilder(const OpenedJob& job, const std::string& scratch_folder, const MemoryPlan& memory, Progress* progress);
  BundleBuilder* get() { return &builder_; }
  uint64_t spilled_bytes() const { return scratch_.size(); }
  // The whole bundle; tells `progress`. Errors: those of BundleBuilder::Finish.
  Result<std::vector<uint8_t>> Finish();

 private:
  Progress* progress_;
  SpillFile scratch_;
  BundleBuilder builder_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_JOB_OPEN_JOB_H_
