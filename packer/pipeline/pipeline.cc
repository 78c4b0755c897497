#include "packer/pipeline/pipeline.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "packer/base/paths.h"
#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/embed/embedding_passages.h"
#include "packer/pipeline/folder_places.h"
#include "packer/pipeline/ordered_work.h"
#include "packer/pipeline/page_cache.h"
#include "packer/pipeline/top_pages.h"
#include "packer/survey/left_out.h"
#include "search/facets.h"
#include "search/facets_builder.h"
#include "text/analyzer.h"

namespace sheaf::packer {

// ---- memory ---------------------------------------------------------------------------------

MemoryPlan PlanMemory(uint64_t total, bool with_cache) {
  MemoryPlan plan;
  plan.kept = with_cache ? total / 2 : 0;
  const uint64_t rest = total - plan.kept;
  plan.in_flight = rest / 4;
  plan.postings = rest / 4;
  // However little is given, there is room for the text that the dictionary is trained on.
  constexpr uint64_t kLeast = uint64_t(64) << 20;
  plan.builder = {std::max(rest / 2, kLeast), std::max(rest, kLeast)};
  return plan;
}

uint64_t CostOfFile(uint64_t size) {
  // Bytes, tree, text, drafts and counted terms. Measured on HTML and Markdown: up to 14 times the file.
  constexpr uint64_t kTimes = 14, kAtLeast = uint64_t(64) << 10;
  return size > UINT64_MAX / kTimes / 2 ? UINT64_MAX / 2 : std::max(size * kTimes, kAtLeast);
}

// ---- addresses ------------------------------------------------------------------------------

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

// A page on its way into the bundle.
struct Waiting {
  const SourceFile* file = nullptr;
  PreparedFilePtr prepared;
};

class Packing {
 public:
  Packing(const SourceList& list, const PackTools& tools, BundleBuilder* builder)
      : list_(list),
        tools_(tools),
        options_(tools.options),
        builder_(builder),
        roots_{list.includes_from, list.root},
        path_urls_(AssignUrls(list.files, tools.urls)),
        folders_(list.files) {
    for (unsigned i = 0; i < std::max(options_.jobs, 1u); ++i) analyzers_.emplace_back(options_.language.analysis);
  }

  PackSummary Run() {
    for (const Remark& note : list_.notes) Note(note);
    for (const Remark& problem : list_.problems) {
      if (!Problem(problem)) return std::move(summary_);
    }
    OrderedOptions ordered;
    ordered.jobs = options_.jobs;
    ordered.budget = PlanMemory(options_.memory, tools_.cache != nullptr).in_flight;
    if (const Status read = ReadRules(); !read.ok()) {
      summary_.fatal = read.error();
      return std::move(summary_);
    }
    tools_.progress->BeginStage("packing", list_.bytes);
    RunOrdered<KeptFile>(
        list_.files.size(), ordered, [&](size_t i) { return CostOfFile(list_.files[i].size); },
        [&](size_t i, unsigned worker) { return Work(i, analyzers_[worker]); },
        [&](size_t i, KeptFile kept) { return Survives([&] { return Commit(i, std::move(kept)); }); },
        [&] {
          tools_.progress->Tick();
          is_cancelled_ = tools_.progress->cancelled();
        });
    if (!summary_.fatal) Survives([&] { return AddWindow(); });
    builder_->SetTopPages(top_pages_.Choose());
    builder_->SetLinks(top_pages_.CountLinkingPages());
    for (const std::string& key : builder_->facets().dropped()) {
      Note({"'" + key + "'", "is left out of filters and sorts: a bundle has at most " + std::to_string(kMaxFacetKeys) +
                                 " keys of each, and other pages came first with theirs"});
    }
    NoteOtherLanguages();
    NoteUndrawn();
    NoteUnmetRules();
    if (saw_mark_ && added_unmarked_) summary_.again = true;
    if (!saw_mark_ && dropped_unmarked_) summary_.again = false;
    return std::move(summary_);
  }

 private:
  // Returns whether to go on. An exception from a library ends the run, with its reason.
  template <typename Step>
  bool Survives(Step&& step) {
    const Result<bool> go_on = Guarded([&]() -> Result<bool> { return step(); });
    if (!go_on.ok()) summary_.fatal = go_on.error();
    return go_on.ok() && *go_on;
  }

  // Finds the pages that the owner's rules speak of.
  Status ReadRules() {
    const SearchRules& rules = tools_.rules;
    PageRules usual;
    usual.synonyms = &synonyms_;
    usual.all = &rules;
    page_rules_.assign(list_.files.size(), usual);
    if (rules.file.empty()) return {};
    const auto in_file = [&](const Error& error) {
      return Error{error.code, rules.file + ": " + TerminalText(error.message)};
    };
    Result<SynonymTerms> synonyms = SynonymTerms::Make(rules.synonyms, analyzers_[0]);
    if (!synonyms.ok()) return in_file(synonyms.error());
    synonyms_ = std::move(*synonyms);

    std::unordered_map<std::string, size_t> pages;  // by path, as links are compared, or by address
    for (size_t i = 0; i < list_.files.size(); ++i) pages.emplace(LinkPath(list_.files[i].relative), i);
    for (size_t i = 0; i < path_urls_.size(); ++i) pages.emplace(path_urls_[i], i);
    std::vector<Glob> excluded;
    for (const std::string& pattern : rules.exclude) {
      if (Result<Glob> glob = Glob::Parse(pattern); glob.ok()) excluded.push_back(std::move(*glob));
    }
    const auto find = [&](std::string_view page, int line, const char* key) -> std::optional<size_t> {
      page = page.substr(0, page.find('#'));
      const std::string_view path = page.substr(page.starts_with('/') ? 1 : 0);
      auto found = pages.find(std::string(page));
      if (found == pages.end()) found = pages.find(LinkPath(path));
      if (found != pages.end()) return found->second;
      for (const Glob& glob : excluded) {
        if (!glob.Matches(path)) continue;
        Note({rules.file, "line " + std::to_string(line) + ": " + key + ": the page '" + PrintablePath(page) +
                              "' is left out by exclude"});
        return std::nullopt;
      }
      // A page of another language or version of the site has a bundle of its own.
      if (ResolvePath(list_.root + "/" + std::string(path))) return std::nullopt;
      Note({rules.file, "line " + std::to_string(line) + ": " + key + ": no page '" + PrintablePath(page) +
                            "' is packed; expected its path below the root"});
      return std::nullopt;
    };
    std::map<std::string, std::string> pinned;  // words by their term
    for (const SearchRules::Pin& pin : rules.pins) {
      const Result<std::string> first = PinTerm(pin.words, 0, analyzers_[0]);
      if (!first.ok()) return in_file(first.error());
      const auto [known, is_new] = pinned.emplace(*first, pin.words);
      if (!is_new) {
        return Error{ErrorCode::kInvalidArgument, rules.file + ":" + std::to_string(pin.line) + ": pins." +
                                                      TerminalText(pin.words) + ": is the same to the search as '" +
                                                      TerminalText(known->second) + "'; name all pages in one of them"};
      }
      for (size_t rank = 0; rank < pin.pages.size(); ++rank) {
        const Result<std::string> term = PinTerm(pin.words, rank, analyzers_[0]);
        if (!term.ok()) return in_file(term.error());
        const std::string& page = pin.pages[rank];
        const size_t anchor = page.find('#');
        const std::optional<size_t> file = find(page, pin.line, "pins");
        if (file) page_rules_[*file].pins.emplace_back(anchor == page.npos ? "" : page.substr(anchor + 1), *term);
      }
    }
    std::vector<std::string> offered;
    for (const auto& [page, line] : rules.start) {
      if (const std::optional<size_t> file = find(page, line, "start"); file) {
        offered.push_back(list_.files[*file].relative);
      }
    }
    top_pages_.Offer(std::move(offered));
    return {};
  }

  KeptFile Work(size_t i, const Analyzer& analyzer) {
    if (is_cancelled_) return {};  // the next commit ends the run
    const SourceFile& file = list_.files[i];
    const auto prepare = [&](std::string bytes) {
      return PrepareFile(std::move(bytes), file, roots_, tools_.urls, options_, tools_.survey, page_rules_[i], analyzer,
                         tools_.encoder);
    };
    if (tools_.cache != nullptr) return tools_.cache->Get(file, options_.max_file_size, prepare);
    Result<std::string> bytes = ReadListedFile(file, options_.max_file_size);
    if (!bytes.ok()) return {nullptr, bytes.error()};
    Result<PreparedFilePtr> prepared = prepare(std::move(*bytes));
    if (!prepared.ok()) return {nullptr, prepared.error()};
    return {std::move(*prepared), {}};
  }

  // Returns whether to go on.
  bool Commit(size_t i, KeptFile kept) {
    if (tools_.progress->cancelled()) {
      summary_.fatal = Aborted();
      return false;
    }
    const SourceFile& file = list_.files[i];
    committed_bytes_ += file.size;
    bool go_on = true;
    if (kept.problem) {
      const bool has_page = kept.prepared && kept.prepared->page;
      const char* what = has_page ? "; its last good version stays in the index" : "";
      go_on = Problem({file.source, kept.problem->message + what, has_page});
    }
    if (go_on && kept.prepared) {
      ++summary_.files;
      for (const std::string& warning : kept.prepared->warnings) Note({file.source, warning});
      ignored_parts_.insert(kept.prepared->ignored_parts.begin(), kept.prepared->ignored_parts.end());
      weights_.insert(kept.prepared->weights.begin(), kept.prepared->weights.end());
      if (!kept.prepared->page)
        Note({file.source, "left out: " + kept.prepared->left_out});
      else if (IsUnmarked(file, *kept.prepared))
        Note({file.source, "left out: it has no data-pagefind-body, which other pages have"});
      else if (options_.surveys && !texts_.insert(kept.prepared->text_hash).second)
        CountLeftOut("pages with the text of another", file.source, &summary_.left_out);
      else
        go_on = TakePage(i, std::move(kept.prepared));
    }
    if (window_.empty()) done_bytes_ = committed_bytes_;
    tools_.progress->Update(summary_.pages, done_bytes_);
    return go_on;
  }

  // Whether the page is left out because other pages mark their content and this one does not.
  bool IsUnmarked(const SourceFile& file, const PreparedFile& prepared) {
    if (!options_.honor_noindex || file.kind != FileKind::kHtml) return false;
    saw_mark_ = saw_mark_ || prepared.body_mark == BodyMark::kPagefind;
    if (prepared.body_mark != BodyMark::kNone) return false;
    const bool is_out = saw_mark_ || options_.marked_only;
    (is_out ? dropped_unmarked_ : added_unmarked_) = true;
    return is_out;
  }

  // A language given by --language overrules the pages and needs no note.
  void NoteOtherLanguages() {
    if (other_languages_ == 0) return;
    const auto& [source, tag] = first_other_;
    const std::string more =
        other_languages_ == 1 ? "" : ", one of " + std::to_string(other_languages_) + " pages in other languages";
    Note(
        {source, "is in '" + tag + "'" + more + "; the bundle is in '" + options_.language.tag +
                     "', so words of the others are found only in the exact form: `sheaf site` makes a bundle for each "
                     "language; or pack those pages separately, or leave them out with --exclude"});
  }

  // Shortcodes and components that only the generator can draw, the most frequent ones by name.
  void NoteUndrawn() {
    if (undrawn_.empty()) return;
    std::vector<std::pair<std::string, uint64_t>> names(undrawn_.begin(), undrawn_.end());
    std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    uint64_t all = 0;
    for (const auto& [name, uses] : names) all += uses;
    constexpr size_t kNamed = 5;
    std::string reason = "left out: " + FormatPlural(all, "use") + " of templates that the generator alone can draw: ";
    for (size_t i = 0; i < std::min(names.size(), kNamed); ++i)
      reason += (i > 0 ? ", " : "") + names[i].first + " (" + std::to_string(names[i].second) + ")";
    if (names.size() > kNamed) reason += " and " + std::to_string(names.size() - kNamed) + " more";
    Note({".", std::move(reason)});
  }

  static const char* WeighedThing(WeightOf of) {
    switch (of) {
      case WeightOf::kKind: return "no passage";
      case WeightOf::kVersion: return "no page, and the bundle's version has no number";
      case WeightOf::kDate: return "no page; pages state dates in their front matter or <meta>";
      default: return "no page";
    }
  }

  // Rules that only the pages show to be of no use.
  void NoteUnmetRules() {
    const SearchRules& rules = tools_.rules;
    const auto note = [&](int line, const std::string& what) {
      Note({rules.file, "line " + std::to_string(line) + ": " + what});
    };
    for (size_t i = 0; i < rules.weights.size(); ++i) {
      const WeightRule& weight = rules.weights[i];
      // Pages of other versions of the site are in bundles of their own.
      const bool elsewhere = weight.of == WeightOf::kVersion && NumbersOfVersion(options_.version);
      if (!weights_.contains(uint32_t(i)) && !elsewhere)
        note(weight.line, "weights: '" + PrintablePath(weight.key) + "' holds for " + WeighedThing(weight.of));
    }
    for (size_t i = 0; i < rules.parts.size(); ++i) {
      if (ignored_parts_.contains(uint32_t(i))) continue;
      note(rules.parts[i].line,
           "exclude.select: no page of HTML has an element like '" + PrintablePath(rules.parts[i].text) + "'");
    }
  }

  // The address that a page states wins unless an earlier page has taken it.
  bool TakePage(size_t i, PreparedFilePtr prepared) {
    const SourceFile& file = list_.files[i];
    const std::string& stated = prepared->stated_url;
    const std::string& url = !stated.empty() && !taken_.contains(stated) ? stated : path_urls_[i];
    const auto [first, inserted] = taken_.emplace(url, &file);
    if (!inserted) {
      Note({file.source, "has the same URL as " + first->second->source + "; a lookup by URL finds that one"});
    }
    SetUrl(prepared->page.get(), url);
    const std::string& title = InputOf(*prepared->page).title;
    top_pages_.Add(file.relative, url, title, prepared->links);
    if (options_.language.found && !prepared->language.empty() &&
        !SameLanguage(prepared->language, options_.language.tag) && other_languages_++ == 0) {
      first_other_ = {file.source, prepared->language};
    }
    for (const auto& [name, uses] : prepared->undrawn) undrawn_[TerminalText(name)] += uses;
    if (!prepared->states_place) {
      SetPlace(prepared->page.get(), RenameCrumbs(folders_.PlaceOf(file, title), &tools_.rules));
    }
    folders_.Note(file.source, title);
    Waiting page{&file, std::move(prepared)};
    if (tools_.embedder == nullptr) return AddPage(page);
    window_passages_ += page.prepared->passages;
    window_.push_back(std::move(page));
    return window_passages_ < kEmbeddingWindow || AddWindow();
  }

  bool AddPage(const Waiting& page) {
    const Status status = builder_->Add(*page.prepared->page);
    if (!status.ok()) {
      summary_.fatal = Error{status.error().code, page.file->source + ": " + status.error().message};
      return false;
    }
    ++summary_.pages;
    if (page.prepared->frame_blocks > 0) ++summary_.framed_pages;
    for (const PassageInput& passage : InputOf(*page.prepared->page).passages) {
      for (const SymbolInput& symbol : passage.symbols) ++summary_.symbols[SymbolKindName(symbol.kind)];
    }
    summary_.passages += page.prepared->passages;
    summary_.source_bytes += page.file->size;
    summary_.text_bytes += page.prepared->text_bytes;
    return true;
  }

  // Embeds the waiting pages, then adds them. Returns whether to go on.
  bool AddWindow() {
    if (window_.empty()) return true;
    std::vector<PageToEmbed> pages;
    std::vector<size_t> in_window;  // index of each of `pages`
    for (size_t i = 0; i < window_.size(); ++i) {
      if (window_[i].prepared->has_vectors) continue;
      pages.push_back({window_[i].prepared->page.get(), window_[i].file->source});
      in_window.push_back(i);
    }
    const Result<std::vector<PageFailure>> failures = tools_.embedder->Embed(pages, [&](size_t done, size_t all) {
      ShowEmbedding(done, all);
      return !tools_.progress->cancelled();
    });
    if (!failures.ok()) {
      summary_.fatal = failures.error();
      return false;
    }
    for (size_t i : in_window) window_[i].prepared->has_vectors = true;
    for (const PageFailure& failure : *failures) {
      Waiting& page = window_[in_window[failure.page]];
      page.prepared->has_vectors = false;
      if (!Problem(WithoutVectors(page, failure))) return false;
    }
    for (const Waiting& page : window_) {
      if (!AddPage(page)) return false;
    }
    window_.clear();
    window_passages_ = 0;
    done_bytes_ = committed_bytes_;
    return true;
  }

  static Remark WithoutVectors(const Waiting& page, const PageFailure& failure) {
    const std::string count = std::to_string(failure.passages) + " of " + std::to_string(page.prepared->passages);
    return {page.file->source, "no vector for " + count + " passages, so only keywords find them: " + failure.reason,
            true};
  }

  void ShowEmbedding(size_t done, size_t all) {
    const EmbeddingStats stats = tools_.embedder->stats();
    tools_.progress->UpdatePassages(stats.embedded + stats.cached, stats.embedded, stats.seconds);
    const uint64_t waiting = committed_bytes_ - done_bytes_;
    tools_.progress->Update(summary_.pages,
                            done_bytes_ + uint64_t(double(waiting) * double(done) / double(std::max<size_t>(all, 1))));
  }

  bool Problem(Remark remark) {
    if (tools_.report) tools_.report(remark, true);
    if (options_.strict) {
      summary_.fatal = Error{ErrorCode::kInvalidArgument,
                             "stopped at the first file that failed (--strict): " + remark.path + ": " + remark.reason};
    }
    summary_.problems.push_back(std::move(remark));
    return !options_.strict;
  }
  void Note(Remark remark) {
    if (tools_.report) tools_.report(remark, false);
    summary_.notes.push_back(std::move(remark));
  }

  const SourceList& list_;
  const PackTools& tools_;
  const PipelineOptions& options_;
  BundleBuilder* builder_;
  const IncludeRoots roots_;
  const std::vector<std::string> path_urls_;
  FolderPlaces folders_;
  SynonymTerms synonyms_;
  std::vector<PageRules> page_rules_;                         // by file
  std::vector<Analyzer> analyzers_;                           // one per worker
  std::unordered_map<std::string, const SourceFile*> taken_;  // addresses of committed pages
  std::unordered_set<uint64_t> texts_;                        // hashes, of committed pages
  TopPages top_pages_;
  uint64_t committed_bytes_ = 0, done_bytes_ = 0;  // source bytes; the difference waits in the window
  std::atomic<bool> is_cancelled_{false};          // for the workers
  std::vector<Waiting> window_;
  uint64_t window_passages_ = 0;
  uint64_t other_languages_ = 0;                     // pages that name another one than the bundle's
  std::pair<std::string, std::string> first_other_;  // source, tag
  std::map<std::string, uint64_t> undrawn_;          // by name, how often
  std::set<uint32_t> ignored_parts_, weights_;       // of SearchRules::parts and weights that met something
  bool saw_mark_ = false, added_unmarked_ = false, dropped_unmarked_ = false;
  PackSummary summary_;
};

}  // namespace

PackSummary PackPages(const SourceList& list, const PackTools& tools, BundleBuilder* builder) {
  return Packing(list, tools, builder).Run();
}

}  // namespace sheaf::packer
