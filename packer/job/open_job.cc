#include "packer/job/open_job.h"

#include <string_view>
#include <utility>

#include "packer/base/progress.h"
#include "packer/base/trim_memory.h"
#include "packer/embed/embedding_passages.h"
#include "packer/output/atomic_file.h"
#include "packer/output/bundle_name.h"

namespace sheaf::packer {
namespace {

BuildOptions BuildOptionsOf(const OpenedJob& job) {
  const PackOptions& options = job.options;
  BuildOptions build;
  build.library = options.library;
  build.version = options.version;
  build.title = options.title;
  build.base_url = job.urls.base();
  build.language = job.pipeline.language.analysis;
  build.language_tag = job.pipeline.language.tag;
  build.vector_bits = job.kind != EncoderKind::kNone ? options.vector_bits : 0;
  if (job.embedder) build.document_encoder = job.embedder->document_encoder();
  build.graph = options.graph;
  build.compression_level = options.level;
  build.passage_characters = options.passage_size;
  build.extra.emplace_back("packer", job.packer);
  if (!options.safesearch.empty()) build.extra.emplace_back("safesearch", options.safesearch);
  return build;
}

std::string FolderOrHere(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Result<LoadedEncoder> OpenTable(const PackOptions& options, const JobHost& host) {
  std::string path = options.encoder_table;
  if (path.empty()) {
    Result<std::string> found = host.find_table();
    if (!found.ok())
      return Error{found.code(), found.error().message + ", or pack without vectors with --encoder none"};
    path = std::move(*found);
  }
  return LoadEncoder(path);
}

Result<std::unique_ptr<PassageEmbedder>> OpenEmbedder(const PackOptions& options, const JobHost& host, TakeNote note,
                                                      const GoOn& go_on) {
  SHEAF_ASSIGN_OR_RETURN(std::unique_ptr<PassageEncoder> encoder, host.start_encoder(options, note, go_on));
  std::string cache = options.vector_cache.empty() ? host.vector_cache : options.vector_cache;
  if (cache.empty()) {
    note(
        "vectors are not cached: neither XDG_CACHE_HOME nor HOME is set; name a folder with "
        "--vector-cache");
  }
  return PassageEmbedder::Open(std::move(encoder), cache == "none" ? "" : cache, std::move(note));
}

}  // namespace

Result<BundleTarget> FileTarget(const PackOptions& options) {
  SHEAF_ASSIGN_OR_RETURN(std::string path,
                         ResolveOutput(options.output, BundleFileName(options.library, options.version)));
  BundleTarget target;
  target.scratch_folder = FolderOrHere(path);
  target.write = [path](ByteSpan bundle) { return WriteFileAtomically(path, bundle); };
  target.name = std::move(path);
  return target;
}

OpenedJob::OpenedJob() = default;
OpenedJob::~OpenedJob() = default;
OpenedJob::OpenedJob(OpenedJob&&) = default;
OpenedJob& OpenedJob::operator=(OpenedJob&&) = default;

DocumentEncoder OpenedJob::document_encoder() const {
  if (embedder) return embedder->document_encoder();
  DocumentEncoder made;
  if (table.encoder) {
    made.name = "static";
    made.space = table.encoder->space();
  }
  return made;
}

Result<OpenedJob> OpenJob(CheckedOptions checked, const JobHost& host, TakeNote note,
                          const std::function<bool()>& cancelled) {
  OpenedJob job;
  job.options = std::move(checked.options);
  job.source = std::move(checked.source);
  job.urls = std::move(checked.urls);
  job.pipeline = checked.pipeline;
  job.kind = checked.kind;
  job.packer = host.packer;
  if (job.kind == EncoderKind::kStatic) {
    SHEAF_ASSIGN_OR_RETURN(job.table, OpenTable(job.options, host));
  }
  if (job.kind == EncoderKind::kProcess) {
    const GoOn go_on = [&] { return !cancelled || !cancelled(); };
    SHEAF_ASSIGN_OR_RETURN(job.embedder, OpenEmbedder(job.options, host, std::move(note), go_on));
  }
  return job;
}

Result<SearchRules> ReadRules(OpenedJob* job) {
  const PackOptions& options = job->options;
  const std::string beside = !options.root.empty() ? options.root : options.inputs.size() == 1 ? options.inputs[0] : "";
  SHEAF_ASSIGN_OR_RETURN(SearchRules rules, LoadSearchRules(options.rules, beside));
  job->source.exclude = options.exclude;
  job->source.exclude.insert(job->source.exclude.end(), rules.exclude.begin(), rules.exclude.end());
  return rules;
}

JobBuilder::JobBuilder(const OpenedJob& job, const std::string& scratch_folder, const MemoryPlan& memory,
                       Progress* progress)
    : progress_(progress), scratch_(scratch_folder), builder_(BuildOptionsOf(job), job.table.encoder.get()) {
  Spill spill;
  spill.append = [this](ByteSpan bytes) -> Status {
    if (progress_->cancelled()) return Aborted();
    return scratch_.Append(bytes);
  };
  spill.read = [this](uint64_t offset, size_t size, uint8_t* out) -> Status {
    if (progress_->cancelled()) return Aborted();
    return scratch_.Read(offset, size, out);
  };
  spill.memory_limit = memory.postings;
  builder_.SetSpill(std::move(spill));
  builder_.SetMemory(memory.builder);
}

Result<std::vector<uint8_t>> JobBuilder::Finish() {
  progress_->BeginStage("writing", 0);
  std::string_view last;
  Result<std::vector<uint8_t>> bundle = builder_.Finish([&](const char* stage, double share) {
    // Frees the memory of the stage before: pages in flight, postings, k-means.
    if (stage != std::exchange(last, stage)) TrimMemory();
    progress_->UpdateShare(stage, share);
    return !progress_->cancelled();
  });
  if (bundle.code() == ErrorCode::kAborted || (bundle.ok() && progress_->cancelled())) return Aborted();
  return bundle;
}

}  // namespace sheaf::packer
