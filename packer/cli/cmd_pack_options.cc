#include "packer/cli/cmd_pack_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>
#include <utility>

#include "packer/base/progress.h"
#include "packer/cli/choice.h"
#include "packer/cli/commands.h"
#include "packer/output/atomic_file.h"
#include "packer/output/bundle_name.h"

namespace sheaf::packer {
namespace {

constexpr unsigned kMaxJobs = 256;
constexpr uint64_t kMinMemory = uint64_t(16) << 20;
// Passage borders are 32-bit offsets and a page is parsed in memory.
constexpr uint64_t kMaxFileSizeCap = uint64_t(1) << 30;

BuildOptions BuildOptionsOf(const PackJob& job) {
  const PackOptions& options = job.options;
  BuildOptions build;
  build.library = options.library;
  build.version = options.version;
  build.title = options.title;
  build.base_url = job.urls.base();
  build.language = options.language;
  build.vector_bits = job.kind != EncoderKind::kNone ? options.vector_bits : 0;
  if (job.embedder) build.document_encoder = job.embedder->document_encoder();
  build.graph = options.graph;
  build.compression_level = options.level;
  build.passage_characters = options.passage_size;
  build.extra.emplace_back("packer", "sheaf-pack " SHEAF_VERSION);
  if (!options.rating.empty()) build.extra.emplace_back("safesearch", options.rating);
  return build;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

}  // namespace

void AddPackOptions(CLI::App* verb, PackOptions* options, int default_level) {
  verb->add_option(
          "input", options->inputs,
          "Files, folders and quoted globs ('docs/**/*.md'). Taken are .md .mdx .rst .txt .html .htm .ipynb and "
          "README. Passed over below an input: hidden files and the folders node_modules __pycache__ images img "
          "assets static _build build dist")
      ->required()
      ->option_text("...");
  verb->add_option("--library", options->library, "Name of the library: fastapi, socket.io, @vue/runtime-core")
      ->option_text("NAME (required)");
  verb->add_option("--version", options->version, "Its version: any text without '/'")->option_text("TEXT (required)");
  verb->add_option("--title", options->title, "Name for people; the library's when not given")->option_text("TEXT");
  AddChoice<std::string>(verb, "--safesearch", &options->rating,
                         {{"none", "none"}, {"moderate", "moderate"}, {"strict", "strict"}},
                         "Strictest level of safe search that still shows the library; not given: all");
  verb->add_option("-o,--output", options->output,
                   "File to write, or a folder to write LIBRARY@VERSION.sheaf in ('/' of the library becomes '~'); "
                   "default: that name here")
      ->option_text("FILE");

  const char* sources = "What is packed";
  verb->add_option(
          "--include", options->source.include,
          "Take only paths that match this glob, relative to the root; may be repeated. Without '/' it is tried on "
          "every part of the path")
      ->allow_extra_args(false)
      ->option_text("GLOB")
      ->group(sources);
  verb->add_option("--exclude", options->source.exclude, "Leave out paths that match this glob; may be repeated")
      ->allow_extra_args(false)
      ->option_text("GLOB")
      ->group(sources);
  verb->add_flag("--no-ignore", options->no_ignore,
                 "Take hidden files, ignored folders and the copies that Sphinx keeps of its sources too")
      ->group(sources);
  verb->add_option(
          "--root", options->source.root,
          "Folder that pages' paths are relative to; default: the input, or the deepest folder above all inputs")
      ->option_text("DIR")
      ->group(sources);
  verb->add_option("--max-file-size", options->max_file_size, "Refuse larger files; at most 1G, default: 100M")
      ->option_text("SIZE")
      ->group(sources);
  verb->add_flag("--honor-noindex", options->honor_noindex,
                 "Leave out HTML pages that ask search engines to (<meta name=robots content=noindex>) and, where any "
                 "page has "
                 "data-pagefind-body, those that mark no content of theirs")
      ->group(sources);
  verb->add_flag("--strict", options->strict, "Stop at the first file that cannot be read or parsed")->group(sources);

  const char* addresses = "Addresses";
  verb->add_option("--base-url", options->base_url,
                   "Where the root is on the web; without it a page's URL is its path. A page's own URL (front matter, "
                   "canonical link) goes first")
      ->option_text("URL")
      ->group(addresses);
  verb->add_option("--own-urls-in", options->own_urls_in,
                   "Believe a page's own URL only where it lies in this folder, relative to the root: pages of one "
                   "version whose "
                   "canonical links name another keep their place")
      ->option_text("DIR")
      ->group(addresses);
  AddChoice<UrlStyle>(
      verb, "--url-style", &options->url_style,
      {{"html", UrlStyle::kHtml}, {"clean", UrlStyle::kClean}, {"dir", UrlStyle::kDir}, {"keep", UrlStyle::kKeep}},
      "How a/b.md is addressed: html a/b.html (default with --base-url), clean a/b, dir a/b/, keep a/b.md "
      "(default without). index and README stand for their folder, except with keep")
      ->group(addresses);

  const char* index = "The index";
  AddEncoderOptions(verb, index, &options->encoder);
  verb->add_option("--encoder-table", options->encoder_table,
                   "Encoder table; default: minilm-l6-256.sheaf in $SHEAF_MODELS or beside the executable")
      ->option_text("FILE")
      ->group(index);
  AddChoice<uint32_t>(verb, "--vector-bits", &options->vector_bits, {{"4", 4}, {"8", 8}, {"0", 0}},
                      "Bits a vector component: 4 (default), 8, or 0 for no vectors")
      ->group(index);
  AddChoice<GraphMode>(verb, "--hnsw", &options->graph,
                       {{"auto", GraphMode::kAuto}, {"always", GraphMode::kAlways}, {"never", GraphMode::kNever}},
                       "Graph for vector search; auto: from 50,000 passages on (default)")
      ->group(index);
  verb->add_option("--passage-size", options->passage_size,
                   "Characters a passage is filled up to, 200 to 4000; default: 800")
      ->check(CLI::Range(200, 4000))
      ->option_text("N")
      ->group(index);
  AddChoice<Language>(verb, "--language", &options->language, {{"en", Language::kEnglish}, {"none", Language::kNone}},
                      "Language of the stemmer (default: en)")
      ->group(index);
  verb->add_option("--level", options->level,
                   "zstd level, 1 to 22: lower packs faster, higher gives smaller bundles; default: " +
                       std::to_string(default_level))
      ->check(CLI::Range(1, 22))
      ->option_text("N")
      ->group(index);

  const char* running = "Running";
  verb->add_option("--jobs", options->jobs, "Threads; default: one a core. The bundle is the same for any number")
      ->check(CLI::Range(1, int(kMaxJobs)))
      ->option_text("N")
      ->group(running);
  verb->add_option("--memory", options->memory,
                   "Memory for pages on their way and for postings, which go to a scratch file beyond it; at least "
                   "16M, default: 1G")
      ->option_text("SIZE")
      ->group(running);
}

Result<PackJob> CheckPackOptions(PackOptions options) {
  const auto bad = [](std::string what) { return Error{ErrorCode::kInvalidArgument, std::move(what)}; };
  PackJob job;
  // Not checked by CLI11: it would ask for these flags before it reported a missing input folder.
  for (const auto& [flag, value] :
       {std::pair{"--library", &options.library}, std::pair{"--version", &options.version}}) {
    if (!value->empty()) continue;
    SHEAF_RETURN_IF_ERROR(CheckInputs(options.inputs));
    return bad(std::string(flag) +
               " is required: whose documentation it is, and which version. See: sheaf-pack pack --help");
  }
  SHEAF_RETURN_IF_ERROR(CheckLibraryName(options.library));
  SHEAF_RETURN_IF_ERROR(CheckVersion(options.version));
  SHEAF_ASSIGN_OR_RETURN(job.urls, UrlMapper::Create(options.base_url, options.url_style));
  if (!options.own_urls_in.empty()) job.urls.StayIn(options.own_urls_in);
  if (Result<PathFilter> filter = PathFilter::Create(options.source.include, options.source.exclude); !filter.ok()) {
    return filter.error();
  }
  PipelineOptions& pipeline = job.pipeline;
  if (!ParseBytes(options.memory, &pipeline.memory) || pipeline.memory < kMinMemory) {
    return bad("--memory " + options.memory + ": expected a size of at least 16M, such as 512M or 2G");
  }
  if (!ParseBytes(options.max_file_size, &pipeline.max_file_size) || pipeline.max_file_size == 0 ||
      pipeline.max_file_size > kMaxFileSizeCap) {
    return bad("--max-file-size " + options.max_file_size + ": expected a size between 1 and 1G, such as 100M");
  }
  SHEAF_RETURN_IF_ERROR(CheckEncoderOptions(options.encoder));
  if (options.jobs == 0) options.jobs = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxJobs);
  options.source.ignore_rules = !options.no_ignore;
  pipeline.jobs = options.jobs;
  pipeline.passage_characters = options.passage_size;
  pipeline.language = options.language;
  pipeline.strict = options.strict;
  pipeline.honor_noindex = options.honor_noindex;
  job.kind = options.vector_bits == 0 ? EncoderKind::kNone : options.encoder.kind();
  job.options = std::move(options);
  return job;
}

Status OpenPackJob(PackJob* job, std::function<void(const std::string&)> note) {
  const PackOptions& options = job->options;
  SHEAF_ASSIGN_OR_RETURN(job->output, ResolveOutput(options.output, BundleFileName(options.library, options.version)));
  if (job->kind == EncoderKind::kStatic) {
    Result<std::string> path = FindEncoderTable(options.encoder_table);
    if (!path.ok()) {
      return Error{path.error().code, path.error().message + ", or pack without vectors with --encoder none"};
    }
    SHEAF_ASSIGN_OR_RETURN(job->encoder, LoadEncoder(*path));
  }
  if (job->kind == EncoderKind::kProcess) {
    SHEAF_ASSIGN_OR_RETURN(job->embedder, OpenEmbedder(options.encoder, std::move(note)));
  }
  return {};
}

DocumentEncoder PackJob::document_encoder() const {
  if (embedder) return embedder->document_encoder();
  DocumentEncoder made;
  if (encoder.encoder) {
    made.name = "static";
    made.space = encoder.encoder->space();
  }
  return made;
}

JobBuilder::JobBuilder(const PackJob& job, uint64_t postings_memory)
    : scratch_(FolderOf(job.output)), builder_(BuildOptionsOf(job), job.encoder.encoder.get()) {
  Spill spill;
  spill.append = [this](ByteSpan bytes) { return scratch_.Append(bytes); };
  spill.read = [this](uint64_t offset, size_t size, uint8_t* out) { return scratch_.Read(offset, size, out); };
  spill.memory_limit = postings_memory;
  builder_.SetSpill(std::move(spill));
}

}  // namespace sheaf::packer
