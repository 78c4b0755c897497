// sheaf-pack pack: the whole way from folders to one bundle.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "packer/choice.h"
#include "packer/cmd_pack_encoder.h"
#include "packer/commands.h"
#include "packer/engine_host.h"
#include "packer/output.h"
#include "packer/pipeline.h"
#include "packer/progress.h"
#include "packer/source.h"
#include "packer/url.h"
#include "search/bundle_builder.h"

namespace sheaf::packer {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kMaxJobs = 256;
constexpr uint64_t kMinMemory = uint64_t(16) << 20;
// Passage borders are 32-bit offsets and a page is parsed in memory.
constexpr uint64_t kMaxFileSizeCap = uint64_t(1) << 30;
constexpr size_t kNotesShown = 20;

struct PackOptions {
  std::vector<std::string> inputs;
  std::string library, version, title, output, rating;
  SourceOptions source;
  bool no_ignore = false;
  bool honor_noindex = false;
  std::string base_url;
  UrlStyle url_style = UrlStyle::kDefault;
  unsigned jobs = 0;  // 0: as many as there are cores
  std::string memory = "1G", max_file_size = "100M";
  GraphMode graph = GraphMode::kAuto;
  uint32_t vector_bits = 4;
  EncoderOptions encoder;
  std::string encoder_table;
  uint32_t passage_size = 800;
  int level = 19;
  Language language = Language::kEnglish;
  bool json = false, strict = false, quiet = false;
};

// Collects what happens and says it as it happens: every problem, and the first notes.
class Reporter {
 public:
  Reporter(Progress* progress, bool quiet, bool color) : progress_(progress), quiet_(quiet), color_(color) {}

  void operator()(const Remark& remark, bool is_problem) {
    if (is_problem) return Line("31", remark.packed ? "in part" : "skipped", remark);
    if (quiet_) return;
    if (++notes_ <= kNotesShown) Line("33", "note", remark);
    else if (notes_ == kNotesShown + 1) progress_->Message("more notes are counted only; --json lists all of them");
  }

 private:
  void Line(const char* color, const char* label, const Remark& remark) {
    std::string line = label;
    if (color_) line = std::string("\033[") + color + "m" + label + "\033[0m";
    progress_->Message(line + " " + TerminalText(remark.path) + ": " + TerminalText(remark.reason));
  }

  Progress* progress_;
  bool quiet_, color_;
  size_t notes_ = 0;
};

// Those of `remarks` whose pages are in the bundle, or are not.
Json ToJson(const std::vector<Remark>& remarks, bool packed = false) {
  Json list = Json::array();
  for (const Remark& remark : remarks) {
    if (remark.packed == packed) list.push_back({{"path", remark.path}, {"reason", remark.reason}});
  }
  return list;
}

void Print(const Json& json) {
  std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

std::string Plural(uint64_t count, const char* noun) {
  return FormatCount(count) + " " + noun + (count == 1 ? "" : "s");
}

// Nothing was packed: says why as well as can be told.
Error NothingPacked(const SourceList& list, const PackSummary& summary) {
  std::string why = list.files.empty() ? "no documentation found in " + PrintablePath(list.root) + " (" + kKnownExtensions + ")"
                                       : "no page could be packed";
  if (!summary.problems.empty()) why += "; " + Plural(summary.problems.size(), "file") + " failed, see above";
  if (summary.files > 0) why += "; " + Plural(summary.files, "file") + " without text";
  if (list.filtered_files > 0) why += "; " + Plural(list.filtered_files, "file") + " did not pass --include and --exclude";
  if (list.ignored_folders > 0) {
    why += "; " + Plural(list.ignored_folders, "folder") +
           " passed over (node_modules, build and such; name one as an input, or use --no-ignore)";
  }
  return {ErrorCode::kNotFound, why};
}

// As ReportError, with what was skipped on the way.
int ReportFailure(const Error& error, const PackSummary& summary, bool json) {
  ReportError(error, false);
  if (json) {
    Print({{"ok", false},
           {"error", {{"code", ErrorCodeName(error.code)}, {"message", error.message}}},
           {"skipped", ToJson(summary.problems)},
           {"notes", ToJson(summary.notes)}});
  }
  return kExitFailed;
}

struct Report {
  const PackOptions& options;
  const SourceList& list;
  const PackSummary& summary;
  const BundleBuilder& builder;
  EncoderKind encoder = EncoderKind::kNone;
  DocumentEncoder document_encoder;  // "static" and its space, too
  EmbeddingStats embedding;
  std::string output;
  uint64_t bundle_bytes = 0, spilled_bytes = 0;
  double seconds = 0, packing_seconds = 0;
};

double PassagesPerSecond(const EmbeddingStats& stats) {
  return stats.seconds > 0 ? double(stats.embedded) / stats.seconds : 0;
}

void PrintJson(const Report& report) {
  const PackSummary& summary = report.summary;
  const double seconds = std::max(report.seconds, 1e-9);
  const bool vectors = report.encoder != EncoderKind::kNone;
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  Print({
      {"ok", true},
      {"output", report.output},
      {"library", report.options.library},
      {"version", report.options.version},
      {"root", report.list.root},
      {"files", report.list.files.size()},
      {"pages", summary.pages},
      {"passages", summary.passages},
      {"sourceBytes", summary.source_bytes},
      {"textBytes", summary.text_bytes},
      {"bundleBytes", report.bundle_bytes},
      {"bytesPerPage", summary.pages > 0 ? double(report.bundle_bytes) / double(summary.pages) : 0},
      {"spilledBytes", report.spilled_bytes},
      {"vectorBits", vectors ? report.options.vector_bits : 0},
      {"space", text(report.document_encoder.space)},
      {"encoder", text(report.document_encoder.name)},
      {"precision", text(report.document_encoder.precision)},
      {"embeddedPassages", report.embedding.embedded},
      {"cachedPassages", report.embedding.cached},
      {"failedPassages", report.embedding.failed},
      {"embeddingSeconds", report.embedding.seconds},
      {"embeddedPassagesPerSecond", PassagesPerSecond(report.embedding)},
      {"jobs", report.options.jobs},
      {"seconds", report.seconds},
      {"packingSeconds", report.packing_seconds},
      {"writingSeconds", report.seconds - report.packing_seconds},
      {"pagesPerSecond", double(summary.pages) / seconds},
      {"megabytesPerSecond", double(summary.source_bytes) / 1e6 / seconds},
      {"ignoredFolders", report.list.ignored_folders},
      {"filteredFiles", report.list.filtered_files},
      {"skipped", ToJson(summary.problems)},
      {"inPart", ToJson(summary.problems, /*packed=*/true)},
      {"notes", ToJson(summary.notes)},
  });
}

void PrintEmbedding(const DocumentEncoder& encoder, const EmbeddingStats& stats) {
  std::fprintf(stderr, "vectors by %s %s: %s embedded", TerminalText(encoder.name).c_str(),
               TerminalText(encoder.precision).c_str(), Plural(stats.embedded, "passage").c_str());
  if (stats.embedded > 0) std::fprintf(stderr, " at %s passages/s", FormatRate(PassagesPerSecond(stats)).c_str());
  std::fprintf(stderr, ", %s from the cache\n", FormatCount(stats.cached).c_str());
}

void PrintSummary(const Report& report) {
  const PackSummary& summary = report.summary;
  std::fprintf(stderr, "%s  %s, %s\n", TerminalText(report.output).c_str(), Plural(summary.pages, "page").c_str(),
               Plural(summary.passages, "passage").c_str());
  std::fprintf(stderr, "%s from %s of source (%s a page) in %s: %s pages/s, %s MB/s\n",
               FormatBytes(report.bundle_bytes).c_str(), FormatBytes(summary.source_bytes).c_str(),
               FormatBytes(report.bundle_bytes / std::max<uint64_t>(summary.pages, 1)).c_str(),
               FormatDuration(report.seconds).c_str(),
               FormatRate(double(summary.pages) / std::max(report.seconds, 1e-3)).c_str(),
               FormatRate(double(summary.source_bytes) / 1e6 / std::max(report.seconds, 1e-3)).c_str());
  if (report.encoder == EncoderKind::kProcess) PrintEmbedding(report.document_encoder, report.embedding);
  if (!summary.notes.empty()) std::fprintf(stderr, "%s\n", Plural(summary.notes.size(), "note").c_str());
}

// Returns the exit code.
int SayWhatFailed(const std::vector<Remark>& problems) {
  if (problems.empty()) return kExitOk;
  const auto in_part =
      uint64_t(std::count_if(problems.begin(), problems.end(), [](const Remark& remark) { return remark.packed; }));
  const uint64_t skipped = problems.size() - in_part;
  std::string said;
  if (skipped > 0)
    said = Plural(skipped, "file") + " failed and " + (skipped == 1 ? "is" : "are") + " not in the bundle";
  if (in_part > 0)
    said += (said.empty() ? "" : "; ") + Plural(in_part, "page") + (in_part == 1 ? " has" : " have") +
            " passages without a vector";
  std::fprintf(stderr, "%s, see above (exit code %d)\n", said.c_str(), int(kExitPartial));
  return kExitPartial;
}

int Pack(PackOptions options) {
  const auto began = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  const auto usage = [&](const Error& error) { return ReportError(error, options.json, kExitUsage); };
  const auto failed = [&](const Error& error) { return ReportError(error, options.json, kExitFailed); };

  if (Status name = CheckLibraryName(options.library); !name.ok()) return usage(name.error());
  if (Status version = CheckVersion(options.version); !version.ok()) return usage(version.error());
  Result<UrlMapper> urls = UrlMapper::Create(options.base_url, options.url_style);
  if (!urls.ok()) return usage(urls.error());
  if (Result<PathFilter> filter = PathFilter::Create(options.source.include, options.source.exclude); !filter.ok()) {
    return usage(filter.error());
  }

  PipelineOptions pipeline;
  if (!ParseBytes(options.memory, &pipeline.memory) || pipeline.memory < kMinMemory) {
    return usage({ErrorCode::kInvalidArgument, "--memory " + options.memory + ": expected a size of at least 16M, such as 512M or 2G"});
  }
  if (!ParseBytes(options.max_file_size, &pipeline.max_file_size) || pipeline.max_file_size == 0 ||
      pipeline.max_file_size > kMaxFileSizeCap) {
    return usage({ErrorCode::kInvalidArgument,
                  "--max-file-size " + options.max_file_size + ": expected a size between 1 and 1G, such as 100M"});
  }
  if (options.jobs == 0) options.jobs = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxJobs);
  if (Status encoder = CheckEncoderOptions(options.encoder); !encoder.ok()) return usage(encoder.error());
  const EncoderKind kind = options.vector_bits == 0 ? EncoderKind::kNone : options.encoder.kind();
  pipeline.jobs = options.jobs;
  pipeline.passage_characters = options.passage_size;
  pipeline.language = options.language;
  pipeline.strict = options.strict;
  pipeline.honor_noindex = options.honor_noindex;

  // Everything that can fail early fails before the work begins.
  Result<std::string> output = ResolveOutput(options.output, BundleFileName(options.library, options.version));
  if (!output.ok()) return failed(output.error());
  LoadedEncoder encoder;
  if (kind == EncoderKind::kStatic) {
    Result<std::string> path = FindEncoderTable(options.encoder_table);
    if (!path.ok()) {
      return failed({path.error().code, path.error().message + ", or pack without vectors with --encoder none"});
    }
    Result<LoadedEncoder> loaded = LoadEncoder(*path);
    if (!loaded.ok()) return failed(loaded.error());
    encoder = std::move(*loaded);
  }
  options.source.ignore_rules = !options.no_ignore;
  Result<SourceList> list = FindSources(options.inputs, options.source);
  if (!list.ok()) return failed(list.error());

  const bool color = WantsColor(stderr);
  Progress progress(stderr, ChooseProgressMode(stderr, options.quiet), color);
  Reporter reporter(&progress, options.quiet, color);
  std::vector<Remark> encoder_notes;
  const auto note_encoder = [&](const std::string& what) {
    encoder_notes.push_back({"encoder", what});
    reporter(encoder_notes.back(), false);
  };
  std::unique_ptr<PassageEmbedder> embedder;
  if (kind == EncoderKind::kProcess) {
    Result<std::unique_ptr<PassageEmbedder>> opened = OpenEmbedder(options.encoder, note_encoder);
    if (!opened.ok()) return failed(opened.error());
    embedder = std::move(*opened);
  }

  BuildOptions build;
  build.library = options.library;
  build.version = options.version;
  build.title = options.title;
  build.base_url = urls->base();
  build.language = options.language;
  build.vector_bits = kind != EncoderKind::kNone ? options.vector_bits : 0;
  if (embedder) build.document_encoder = embedder->document_encoder();
  build.graph = options.graph;
  build.compression_level = options.level;
  build.passage_characters = options.passage_size;
  build.extra.emplace_back("packer", "sheaf-pack " SHEAF_VERSION);
  if (!options.rating.empty()) build.extra.emplace_back("safesearch", options.rating);
  BundleBuilder builder(build, encoder.encoder.get());
  const size_t slash = output->rfind('/');
  SpillFile scratch(slash == std::string::npos ? "." : output->substr(0, slash + 1));
  Spill spill;
  spill.append = [&](ByteSpan bytes) { return scratch.Append(bytes); };
  spill.read = [&](uint64_t offset, size_t size, uint8_t* out) { return scratch.Read(offset, size, out); };
  spill.memory_limit = PlanMemory(pipeline.memory).postings;
  builder.SetSpill(std::move(spill));

  PackSummary summary =
      PackPages(*list, *urls, pipeline, encoder.encoder.get(), &builder, &progress, std::ref(reporter), embedder.get());
  if (embedder && !summary.fatal) embedder->Finish();  // else it is killed
  summary.notes.insert(summary.notes.end(), encoder_notes.begin(), encoder_notes.end());
  if (summary.fatal || summary.pages == 0) {
    progress.Clear();
    return ReportFailure(summary.fatal ? *summary.fatal : NothingPacked(*list, summary), summary, options.json);
  }
  const double packing_seconds = elapsed();

  progress.BeginStage("writing", 0);
  Result<std::vector<uint8_t>> bundle =
      builder.Finish([&](const char* stage, double share) { progress.UpdateShare(stage, share); });
  progress.Clear();
  if (!bundle.ok()) return failed(bundle.error());
  if (Status written = WriteFileAtomically(*output, *bundle); !written.ok()) return failed(written.error());

  Report report{options, *list,   summary,        builder,        kind,      {},
                {},      *output, bundle->size(), scratch.size(), elapsed(), packing_seconds};
  if (encoder.encoder) {
    report.document_encoder.name = "static";
    report.document_encoder.space = encoder.encoder->space();
  }
  if (embedder) {
    report.document_encoder = embedder->document_encoder();
    report.embedding = embedder->stats();
  }
  if (!options.quiet) PrintSummary(report);
  if (options.json) PrintJson(report);
  return SayWhatFailed(summary.problems);
}

}  // namespace

void AddPackCommand(CLI::App* app, RunFunction* run) {
  auto options = std::make_shared<PackOptions>();
  CLI::App* pack = app->add_subcommand("pack", "Pack documentation into one bundle (the default verb)");
  pack->add_option("input", options->inputs,
                   "Files, folders and quoted globs ('docs/**/*.md'). Taken are .md .mdx .rst .txt .html .htm .ipynb and "
                   "README. Passed over below an input: hidden files and the folders node_modules __pycache__ images img "
                   "assets static _build build dist")
      ->required()->option_text("...");
  pack->add_option("--library", options->library, "Name of the library: fastapi, socket.io, @vue/runtime-core")->required()->option_text("NAME (required)");
  pack->add_option("--version", options->version, "Its version: any text without '/'")->required()->option_text("TEXT (required)");
  pack->add_option("--title", options->title, "Name for people; the library's when not given")->option_text("TEXT");
  AddChoice<std::string>(pack, "--safesearch", &options->rating,
                         {{"none", "none"}, {"moderate", "moderate"}, {"strict", "strict"}},
                         "Strictest level of safe search that still shows the library; not given: all");
  pack->add_option("-o,--output", options->output,
                   "File to write, or a folder to write LIBRARY@VERSION.sheaf in ('/' of the library becomes '~'); "
                   "default: that name here")
      ->option_text("FILE");

  const char* sources = "What is packed";
  pack->add_option("--include", options->source.include,
                   "Take only paths that match this glob, relative to the root; may be repeated. Without '/' it is tried on "
                   "every part of the path")
      ->allow_extra_args(false)->option_text("GLOB")->group(sources);
  pack->add_option("--exclude", options->source.exclude, "Leave out paths that match this glob; may be repeated")
      ->allow_extra_args(false)->option_text("GLOB")->group(sources);
  pack->add_flag("--no-ignore", options->no_ignore, "Take hidden files and ignored folders too")->group(sources);
  pack->add_option("--root", options->source.root,
                   "Folder that pages' paths are relative to; default: the input, or the deepest folder above all inputs")
      ->option_text("DIR")->group(sources);
  pack->add_option("--max-file-size", options->max_file_size, "Refuse larger files; at most 1G, default: 100M")->option_text("SIZE")->group(sources);
  pack->add_flag("--honor-noindex", options->honor_noindex,
                 "Leave out HTML pages that ask search engines to (<meta name=robots content=noindex>)")
      ->group(sources);
  pack->add_flag("--strict", options->strict, "Stop at the first file that cannot be read or parsed")->group(sources);

  const char* addresses = "Addresses";
  pack->add_option("--base-url", options->base_url,
                   "Where the root is on the web; without it a page's URL is its path. A page's own URL (front matter, "
                   "canonical link) goes first")
      ->option_text("URL")->group(addresses);
  AddChoice<UrlStyle>(pack, "--url-style", &options->url_style,
                      {{"html", UrlStyle::kHtml}, {"clean", UrlStyle::kClean}, {"dir", UrlStyle::kDir}, {"keep", UrlStyle::kKeep}},
                      "How a/b.md is addressed: html a/b.html (default with --base-url), clean a/b, dir a/b/, keep a/b.md "
                      "(default without). index and README stand for their folder, except with keep")
      ->group(addresses);

  const char* index = "The index";
  AddEncoderOptions(pack, index, &options->encoder);
  pack->add_option("--encoder-table", options->encoder_table,
                   "Encoder table; default: minilm-l6-256.sheaf in $SHEAF_MODELS or beside the executable")
      ->option_text("FILE")->group(index);
  AddChoice<uint32_t>(pack, "--vector-bits", &options->vector_bits, {{"4", 4}, {"8", 8}, {"0", 0}},
                      "Bits a vector component: 4 (default), 8, or 0 for no vectors")
      ->group(index);
  AddChoice<GraphMode>(pack, "--hnsw", &options->graph,
                       {{"auto", GraphMode::kAuto}, {"always", GraphMode::kAlways}, {"never", GraphMode::kNever}},
                       "Graph for vector search; auto: from 50,000 passages on (default)")
      ->group(index);
  pack->add_option("--passage-size", options->passage_size, "Characters a passage is filled up to, 200 to 4000; default: 800")
      ->check(CLI::Range(200, 4000))->option_text("N")->group(index);
  AddChoice<Language>(pack, "--language", &options->language, {{"en", Language::kEnglish}, {"none", Language::kNone}},
                      "Language of the stemmer (default: en)")
      ->group(index);
  pack->add_option("--level", options->level, "zstd level, 1 to 22: lower packs faster, higher gives smaller bundles; default: 19")
      ->check(CLI::Range(1, 22))->option_text("N")->group(index);

  const char* running = "Running";
  pack->add_option("--jobs", options->jobs, "Threads; default: one a core. The bundle is the same for any number")
      ->check(CLI::Range(1, int(kMaxJobs)))->option_text("N")->group(running);
  pack->add_option("--memory", options->memory,
                   "Memory for pages on their way and for postings, which go to a scratch file beyond it; at least 16M, default: 1G")
      ->option_text("SIZE")->group(running);
  pack->add_flag("--json", options->json, "Print counts, sizes, timing and skipped files as JSON on stdout")->group(running);
  pack->add_flag("--quiet,-q", options->quiet, "No progress, notes or summary; failures are still named")->group(running);
  pack->footer(
      "Examples:\n"
      "  sheaf-pack docs --library fastapi --version 0.115.0 --base-url https://fastapi.tiangolo.com/\n"
      "  sheaf-pack 'src/**/*.md' README.md --library mylib --version 2.1 -o public/\n"
      "  sheaf-pack node_modules --include README.md --library readmes --version 2024-06\n"
      "  sheaf-pack public --library site --version 7 --exclude 'blog/**' --url-style clean --base-url /\n"
      "  sheaf-pack book/src --library rust-book --version 2021 --encoder all-MiniLM-L6-v2\n"
      "\n"
      "Exit codes: 0 all files packed; 1 usage; 2 failed, an older bundle is untouched;\n"
      "3 written, but files that failed are not in it (named on stderr and under \"skipped\" in --json), or some\n"
      "passages have no vector (\"inPart\").");
  pack->callback([=] { *run = [=] { return Pack(*options); }; });
}

}  // namespace sheaf::packer
