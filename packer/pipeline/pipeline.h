// read -> parse -> chunk -> prepare on worker threads, then commit in order on one.
//
// Idea: the expensive part of a page is a pure function of its bytes, so any thread may do it
// (prepare_file.h), or a cache may have it from an earlier round (page_cache.h). The bundle depends on the
// order of the pages, so one thread commits them in list order, whatever order the workers finish in. The
// bundle's bytes are therefore the same for every --jobs, and with or without a cache.
//
//     list of files -> [ claim the next -> read, parse, chunk, prepare ] x jobs -> commit 0, 1, 2, …
//
// With a transformer, committed pages wait in a window of about a thousand passages. The window is embedded
// as a whole (embedding_passages.h), then added in order. Window borders depend on the pages alone.
//
// Memory: the files on their way from read to commit stay within a budget (ordered_work.h). The window of pages waiting
// for vectors is not part of it.
//
// A file that fails is reported with its reason and left out; the others go on.
//
// Addresses: the address that a page states (front matter, canonical link) beats the one from its path,
// unless an earlier page has taken it, as on sites where every page claims to be the home page.
//
// If any page marks its content with data-pagefind-body, unmarked HTML pages are left out, as Pagefind does
// (with honor_noindex). The first marked page reveals this, but pages added earlier cannot be removed. So
// the run starts over with `marked_only` set.
#ifndef SHEAF_PACKER_PIPELINE_PIPELINE_H_
#define SHEAF_PACKER_PIPELINE_PIPELINE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "packer/pipeline/page_language.h"
#include "packer/pipeline/prepare_file.h"
#include "packer/rules/search_rules.h"
#include "packer/source/source.h"
#include "packer/source/url.h"
#include "search/bundle_builder.h"

namespace sheaf::packer {

class PageCache;
class PassageEmbedder;
class Progress;

struct PipelineOptions : FileOptions {
  unsigned jobs = 1;                    // 0: all on the calling thread, whose stack must be deep enough
  uint64_t memory = uint64_t(1) << 30;  // see MemoryPlan
  PageLanguage language;
  bool finds_language = false;  // the job sets it, by its pages
  bool strict = false;          // stop at the first problem
  bool marked_only = false;     // assume that some page has data-pagefind-body
  bool surveys = false;         // the job sets it: leave out pages with the title and text of an earlier one
};

// Splits a --memory of `total` bytes. While pages come, a quarter is for pages in flight, a quarter for the builder's
// postings before they go to the scratch file, and half for the text and the vectors that the builder holds. Finishing
// the bundle, when no page is in flight, may take all. A cache keeps half of the memory, and the rest is split
// likewise. Not included: the program itself and its tables, 60 MB or so.
struct MemoryPlan {
  uint64_t in_flight = 0;
  uint64_t postings = 0;
  BuilderMemory builder;
  uint64_t kept = 0;
};
MemoryPlan PlanMemory(uint64_t total, bool with_cache = false);
// Estimated memory, in bytes, that a file of `size` bytes needs from read to commit.
uint64_t CostOfFile(uint64_t size);

// The address of each file by its path. If a folder has both an index and a README, the index gets its address.
std::vector<std::string> AssignUrls(const std::vector<SourceFile>& files, const UrlMapper& urls);

struct PackSummary {
  uint64_t files = 0;  // read and parsed, whether they held text or not
  uint64_t pages = 0;
  uint64_t passages = 0;
  uint64_t source_bytes = 0;                // of the files that became pages
  uint64_t text_bytes = 0;                  // of the pages' texts
  uint64_t framed_pages = 0;                // of which menus and banners were removed
  std::map<std::string, uint64_t> symbols;  // by kind
  std::vector<LeftOut> left_out;
  // In the order of the files; passages without a vector are found when their window is embedded.
  std::vector<Remark> problems, notes;
  std::optional<bool> again;   // the bundle is wrong: run again with this `marked_only`
  std::optional<Error> fatal;  // ended the run: builder or embedding process failed, --strict, or kAborted
};

// The tools of a run. REQUIRES: they outlive it.
struct PackTools {
  const UrlMapper& urls;
  const PipelineOptions& options;
  const Survey& survey;
  const SearchRules& rules;
  Progress* progress;                      // asked before every page whether to go on
  const StaticEncoder* encoder = nullptr;  // this or `embedder` makes vectors; without either, none are made
  PassageEmbedder* embedder = nullptr;
  PageCache* cache = nullptr;  // unchanged files come from it; may be null
  // Called for each problem and each note as it comes up, on the calling thread.
  std::function<void(const Remark&, bool is_problem)> report = {};
};

// Packs every file of `list` into `builder`, in order. With a cache, a file that can no longer be read or parsed keeps
// its last good page (its problem says so and counts as `packed`).
PackSummary PackPages(const SourceList& list, const PackTools& tools, BundleBuilder* builder);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_PIPELINE_H_
