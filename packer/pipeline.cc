#include "packer/pipeline.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <unordered_map>
#include <unordered_set>

#include "packer/embedding_passages.h"
#include "packer/progress.h"

namespace sheaf::packer {

// ---- threads --------------------------------------------------------------------------------

struct WorkerThreads::Start {
  WorkerThreads* owner;
  unsigned number;

  static void* Run(void* argument) {
    const std::unique_ptr<Start> start(static_cast<Start*>(argument));
    start->owner->body_(start->number);
    return nullptr;
  }
};

WorkerThreads::WorkerThreads(unsigned count, std::function<void(unsigned)> body) : body_(std::move(body)) {
  static_assert(sizeof(pthread_t) <= sizeof(unsigned long));
  threads_.reserve(count);
  // Reserved address space, of which only what is touched costs memory. Smaller where that is scarce.
  constexpr size_t kStackBytes[] = {size_t(64) << 20, size_t(8) << 20};
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);  // inherited by the threads
  for (unsigned number = 0; number < count; ++number) {
    bool started = false;
    for (size_t stack : kStackBytes) {
      pthread_attr_t attributes;
      ::pthread_attr_init(&attributes);
      ::pthread_attr_setstacksize(&attributes, stack);
      pthread_t thread;
      auto start = std::make_unique<Start>(Start{this, number});
      started = ::pthread_create(&thread, &attributes, &Start::Run, start.get()) == 0;
      ::pthread_attr_destroy(&attributes);
      if (!started) continue;
      (void)start.release();
      threads_.push_back((unsigned long)(thread));
      break;
    }
    if (!started) break;
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void WorkerThreads::Join() {
  for (unsigned long thread : threads_) ::pthread_join(pthread_t(thread), nullptr);
  threads_.clear();
}

// ---- one page -------------------------------------------------------------------------------

MemoryPlan PlanMemory(uint64_t total) {
  MemoryPlan plan;
  plan.in_flight = total / 2;
  plan.postings = std::max<uint64_t>(total / 2, uint64_t(8) << 20);
  return plan;
}

uint64_t CostOfFile(uint64_t size) {
  // Bytes, tree, text, drafts and counted terms. Measured on HTML and Markdown: up to 14 times the file.
  constexpr uint64_t kTimes = 14, kAtLeast = uint64_t(64) << 10;
  return size > UINT64_MAX / kTimes / 2 ? UINT64_MAX / 2 : std::max(size * kTimes, kAtLeast);
}

namespace {

// A README without an extension of its own is Markdown; ParseFile goes by the extension.
std::string PathForParser(const SourceFile& file) {
  return file.kind == FileKind::kReadme ? file.source + ".md" : file.source;
}

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

PageInput ToInput(PageDraft draft, const SourceFile& file) {
  PageInput page;
  page.title = std::move(draft.title);
  page.source = file.source;
  page.description = std::move(draft.description);
  page.last_modified = std::move(draft.last_modified);
  page.text = std::move(draft.text);
  page.passages.reserve(draft.passages.size());
  for (PassageDraft& passage : draft.passages) {
    page.passages.push_back({passage.end, std::move(passage.headings), std::move(passage.anchor), passage.first_line,
                             passage.last_line, std::move(passage.prose), std::move(passage.code)});
  }
  return page;
}

Result<LoadedPage> Load(const SourceFile& file, const UrlMapper& urls, const PipelineOptions& options) {
  Result<std::string> read = ReadFileBytes(file.path, options.max_file_size);
  if (read.code() == ErrorCode::kNotFound) return Error{read.code(), "cannot be read: it is no longer there"};
  SHEAF_ASSIGN_OR_RETURN(std::string bytes, std::move(read));
  LoadedPage loaded;
  const std::string path = PathForParser(file);
  Result<Document> document = ParseFile(bytes, path);
  if (!document.ok()) {
    // Remarks stand beside their path already.
    std::string reason = document.error().message;
    if (reason.starts_with(path + ": ")) reason.erase(0, path.size() + 2);
    // README.pdf and the like were a guess by their name; a wrong guess is no failure.
    if (file.kind != FileKind::kReadme) return Error{document.code(), reason};
    loaded.left_out = std::move(reason);
    return loaded;
  }
  bytes = std::string();
  if (options.honor_noindex && document->no_index) {
    loaded.left_out = "it asks not to be indexed (noindex)";
    return loaded;
  }
  ChunkOptions chunking;
  chunking.target_characters = options.passage_characters;
  PageDraft draft = MakePage(std::move(*document), chunking);
  loaded.stated_url = urls.FromPage(draft.url);
  loaded.warnings = std::move(draft.warnings);
  if (draft.passages.empty() || IsBlank(draft.text)) {
    loaded.left_out = "it holds no text";
  } else {
    loaded.page = ToInput(std::move(draft), file);
  }
  return loaded;
}

// Runs `body`, whose result is or holds an Error, and turns what parsers throw into one.
template <typename Body>
auto Guarded(Body&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kTooLarge, "not enough memory for it; lower --jobs or --max-file-size"};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kInternal, std::string("its parser failed: ") + exception.what()};
  }
}

}  // namespace

Result<LoadedPage> LoadPage(const SourceFile& file, const UrlMapper& urls, const PipelineOptions& options) {
  return Guarded([&] { return Load(file, urls, options); });
}

std::vector<std::string> AssignUrls(const std::vector<SourceFile>& files, const UrlMapper& urls) {
  std::vector<std::string> assigned(files.size());
  std::unordered_set<std::string_view> taken;
  for (size_t i = 0; i < files.size(); ++i) {
    assigned[i] = urls.FromPath(files[i].relative);
    if (!IsReadme(files[i].relative)) taken.insert(assigned[i]);
  }
  for (size_t i = 0; i < files.size(); ++i) {
    if (IsReadme(files[i].relative) && taken.contains(assigned[i])) {
      assigned[i] = urls.FromPath(files[i].relative, /*as_file=*/true);
    }
  }
  return assigned;
}

// ---- all pages ------------------------------------------------------------------------------

namespace {

// What a worker hands to the commit.
struct Outcome {
  std::optional<Error> error;
  PreparedPagePtr prepared;  // null when there was an error or nothing to index
  std::string url;           // as prepared
  bool url_is_stated = false;
  std::string left_out;
  uint64_t text_bytes = 0, passages = 0;
  std::vector<std::string> warnings;
};

// A page on its way into the bundle.
struct Waiting {
  const SourceFile* file = nullptr;
  PreparedPagePtr prepared;
  uint64_t text_bytes = 0, passages = 0;
};

class Packing {
 public:
  Packing(const SourceList& list, const UrlMapper& urls, const PipelineOptions& options, const StaticEncoder* encoder,
          BundleBuilder* builder, Progress* progress, const std::function<void(const Remark&, bool)>& report,
          PassageEmbedder* embedder)
      : list_(list),
        urls_(urls),
        options_(options),
        encoder_(encoder),
        builder_(builder),
        progress_(progress),
        report_(report),
        embedder_(embedder),
        path_urls_(AssignUrls(list.files, urls)) {
    for (unsigned i = 0; i <= options.jobs; ++i) analyzers_.emplace_back(options.language);
  }

  PackSummary Run() {
    for (const Remark& note : list_.notes) Note(note);
    for (const Remark& problem : list_.problems) {
      if (!Problem(problem)) return std::move(summary_);
    }
    OrderedOptions ordered;
    ordered.jobs = options_.jobs;
    ordered.budget = PlanMemory(options_.memory).in_flight;
    progress_->BeginStage("packing", list_.bytes);
    RunOrdered<Outcome>(
        list_.files.size(), ordered, [&](size_t i) { return CostOfFile(list_.files[i].size); },
        [&](size_t i, unsigned worker) { return Work(i, analyzers_[worker], /*believe_page=*/true); },
        [&](size_t i, Outcome outcome) { return Survives([&] { return Commit(i, std::move(outcome)); }); },
        [&] { progress_->Tick(); });
    if (!summary_.fatal) Survives([&] { return AddWindow(); });
    return std::move(summary_);
  }

 private:
  // Whether to go on; what a library throws ends the run with its reason.
  template <typename Step>
  bool Survives(Step&& step) {
    const Result<bool> go_on = Guarded([&]() -> Result<bool> { return step(); });
    if (!go_on.ok()) summary_.fatal = go_on.error();
    return go_on.ok() && *go_on;
  }

  bool IsTaken(const std::string& url) {
    std::lock_guard lock(taken_mutex_);
    return taken_.contains(url);
  }

  Outcome Work(size_t i, const Analyzer& analyzer, bool believe_page) {
    Outcome outcome;
    const SourceFile& file = list_.files[i];
    Status status = Guarded([&]() -> Status {
      SHEAF_ASSIGN_OR_RETURN(LoadedPage loaded, Load(file, urls_, options_));
      outcome.warnings = std::move(loaded.warnings);
      outcome.left_out = std::move(loaded.left_out);
      if (!outcome.left_out.empty()) return {};
      // Only pages before this one have been committed, so an address that is taken now stays so.
      outcome.url_is_stated = believe_page && !loaded.stated_url.empty() && !IsTaken(loaded.stated_url);
      outcome.url = outcome.url_is_stated ? std::move(loaded.stated_url) : path_urls_[i];
      outcome.text_bytes = loaded.page.text.size();
      outcome.passages = loaded.page.passages.size();
      loaded.page.url = outcome.url;
      SHEAF_ASSIGN_OR_RETURN(outcome.prepared, PreparePage(std::move(loaded.page), analyzer, encoder_));
      return {};
    });
    if (!status.ok()) outcome.error = status.error();
    return outcome;
  }

  // Returns whether to go on.
  bool Commit(size_t i, Outcome outcome) {
    const SourceFile& file = list_.files[i];
    if (outcome.prepared && outcome.url_is_stated && IsTaken(outcome.url)) {
      outcome = Work(i, analyzers_.back(), /*believe_page=*/false);
    }
    committed_bytes_ += file.size;
    bool go_on = true;
    if (outcome.error) {
      go_on = Problem({file.source, outcome.error->message});
    } else {
      ++summary_.files;
      for (std::string& warning : outcome.warnings) Note({file.source, std::move(warning)});
      if (outcome.prepared) go_on = TakePage(file, std::move(outcome));
      else Note({file.source, "left out: " + outcome.left_out});
    }
    if (window_.empty()) done_bytes_ = committed_bytes_;
    progress_->Update(summary_.pages, done_bytes_);
    return go_on;
  }

  bool TakePage(const SourceFile& file, Outcome outcome) {
    bool first;
    std::string other;
    {
      std::lock_guard lock(taken_mutex_);
      const auto [at, inserted] = taken_.emplace(outcome.url, &file);
      first = inserted;
      if (!first) other = at->second->source;
    }
    if (!first) Note({file.source, "has the same URL as " + other + ", which is the one that lookups by URL find"});
    Waiting page{&file, std::move(outcome.prepared), outcome.text_bytes, outcome.passages};
    if (embedder_ == nullptr) return AddPage(std::move(page));
    window_passages_ += page.passages;
    window_.push_back(std::move(page));
    return window_passages_ < kEmbeddingWindow || AddWindow();
  }

  bool AddPage(Waiting page) {
    const Status status = builder_->Add(std::move(page.prepared));
    if (!status.ok()) {
      summary_.fatal = Error{status.error().code, page.file->source + ": " + status.error().message};
      return false;
    }
    ++summary_.pages;
    summary_.passages += page.passages;
    summary_.source_bytes += page.file->size;
    summary_.text_bytes += page.text_bytes;
    return true;
  }

  // Embeds the pages that wait, then adds them. Returns whether to go on.
  bool AddWindow() {
    if (window_.empty()) return true;
    std::vector<PageToEmbed> pages;
    for (const Waiting& page : window_) pages.push_back({page.prepared.get(), page.file->source});
    const Result<std::vector<PageFailure>> failures =
        embedder_->Embed(pages, [&](size_t done, size_t all) { ShowEmbedding(done, all); });
    if (!failures.ok()) {
      summary_.fatal = failures.error();
      return false;
    }
    for (const PageFailure& failure : *failures) {
      if (!Problem(WithoutVectors(window_[failure.page], failure))) return false;
    }
    for (Waiting& page : window_) {
      if (!AddPage(std::move(page))) return false;
    }
    window_.clear();
    window_passages_ = 0;
    done_bytes_ = committed_bytes_;
    return true;
  }

  static Remark WithoutVectors(const Waiting& page, const PageFailure& failure) {
    const std::string count = std::to_string(failure.passages) + " of " + std::to_string(page.passages);
    return {page.file->source, "no vector for " + count + " passages, which keywords alone find: " + failure.reason,
            true};
  }

  void ShowEmbedding(size_t done, size_t all) {
    const EmbeddingStats stats = embedder_->stats();
    progress_->UpdatePassages(stats.embedded + stats.cached, stats.embedded, stats.seconds);
    const uint64_t waiting = committed_bytes_ - done_bytes_;
    progress_->Update(summary_.pages,
                      done_bytes_ + uint64_t(double(waiting) * double(done) / double(std::max<size_t>(all, 1))));
  }

  bool Problem(Remark remark) {
    report_(remark, true);
    if (options_.strict) {
      summary_.fatal = Error{ErrorCode::kInvalidArgument, "stopped at the first file that failed (--strict): " + remark.path + ": " + remark.reason};
    }
    summary_.problems.push_back(std::move(remark));
    return !options_.strict;
  }
  void Note(Remark remark) {
    report_(remark, false);
    summary_.notes.push_back(std::move(remark));
  }

  const SourceList& list_;
  const UrlMapper& urls_;
  const PipelineOptions& options_;
  const StaticEncoder* encoder_;
  BundleBuilder* builder_;
  Progress* progress_;
  const std::function<void(const Remark&, bool)>& report_;
  PassageEmbedder* embedder_;
  const std::vector<std::string> path_urls_;
  std::vector<Analyzer> analyzers_;  // one per worker, the last for the commit
  std::mutex taken_mutex_;
  std::unordered_map<std::string, const SourceFile*> taken_;  // addresses of committed pages
  uint64_t committed_bytes_ = 0, done_bytes_ = 0;             // of source; the rest waits in the window
  std::vector<Waiting> window_;
  uint64_t window_passages_ = 0;
  PackSummary summary_;
};

}  // namespace

PackSummary PackPages(const SourceList& list, const UrlMapper& urls, const PipelineOptions& options,
                      const StaticEncoder* encoder, BundleBuilder* builder, Progress* progress,
                      const std::function<void(const Remark&, bool is_problem)>& report, PassageEmbedder* embedder) {
  return Packing(list, urls, options, encoder, builder, progress, report, embedder).Run();
}

}  // namespace sheaf::packer
