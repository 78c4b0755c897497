#include "packer/cli/cmd_pack_options.h"

#include <CLI/CLI.hpp>
#include <string>

#include "packer/cli/choice.h"

namespace sheaf::packer {
namespace {

// `group` is their heading in the help.
void AddEncoderOptions(CLI::App* pack, const char* group, EncoderOptions* options) {
  pack->add_option(
          "--encoder", options->encoder,
          "static: vectors by the encoder table (default); none: keywords only; or the name of a transformer, such as "
          "all-MiniLM-L6-v2, that the command `sheaf` runs ($SHEAF_COMMAND when set): better and slower")
      ->option_text("static|none|MODEL")
      ->group(group);
  AddChoice<std::string>(pack, "--encoder-precision", &options->precision, {{"fp32", "fp32"}, {"int8", "int8"}},
                         "Of the transformer: fp32 (default) or int8, faster and a little worse")
      ->group(group);
  pack->add_option("--encoder-command", options->command,
                   "Run this by /bin/sh as the embedding process instead of `sheaf`; see docs/embedding-protocol.md")
      ->option_text("CMD")
      ->group(group);
  pack->add_option(
          "--encoder-timeout", options->timeout_seconds,
          "Seconds that the embedding process may be silent before it is killed and started again, once; default: 120")
      ->check(CLI::Range(kMinTimeout, kMaxTimeout))
      ->option_text("S")
      ->group(group);
  pack->add_option(
          "--vector-cache", options->cache,
          "Folder where the transformer's vectors are kept, so that packing again embeds only what changed; default: "
          "sheaf/vectors in $XDG_CACHE_HOME or ~/.cache; none: do not keep them")
      ->option_text("DIR|none")
      ->group(group);
}

}  // namespace

void AddPackOptions(CLI::App* verb, PackOptions* options, int default_level) {
  options->level = default_level;
  verb->add_option(
          "input", options->inputs,
          "Files, folders and quoted globs ('docs/**/*.md'). Taken are .md .mdx .rst .txt .html .htm .ipynb and "
          "README. Passed over below an input: hidden files, the folders node_modules and __pycache__, and "
          "virtual environments")
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
  AddChoice<FolderRules>(
      verb, "--ignore", &options->source.folder_rules,
      {{"own", FolderRules::kOwn}, {"openground", FolderRules::kOpenGround}},
      "openground: pass over the folders images img assets static _build build dist too, as OpenGround "
      "does; default: own")
      ->group(sources);
  verb->add_flag("--no-ignore", options->no_ignore,
                 "Take hidden files, ignored folders and the copies that Sphinx keeps of its sources too")
      ->group(sources);
  verb->add_option(
          "--root", options->source.root,
          "Folder that pages' paths are relative to; default: the input, or the deepest folder above all inputs")
      ->option_text("DIR")
      ->group(sources);
  verb->add_option("--includes-from", options->source.includes_from,
                   "Folder above the root, such as that of its repository: pages may include files in it, and none "
                   "elsewhere; default: the root")
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
      ->check(CLI::Range(int(kMinPassageSize), int(kMaxPassageSize)))
      ->option_text("N")
      ->group(index);
  verb->add_option("--language", options->language,
                   "Language of the pages, such as de or pt-BR, or none; default: what most of them name (<html lang>, "
                   "lang: in front matter), else what they are written in, else en")
      ->option_text("TAG")
      ->group(index);
  verb->add_option("--level", options->level,
                   "zstd level, 1 to 22: lower packs faster, higher gives smaller bundles; default: " +
                       std::to_string(default_level))
      ->check(CLI::Range(kMinLevel, kMaxLevel))
      ->option_text("N")
      ->group(index);

  const char* running = "Running";
  verb->add_option("--jobs", options->jobs, "Threads; default: one a core. The bundle is the same for any number")
      ->check(CLI::Range(1, int(kMaxJobs)))
      ->option_text("N")
      ->group(running);
  verb->add_option(
          "--memory", options->memory,
          "Memory for the documentation; words wait in a scratch file beyond a quarter of it, and what cannot wait "
          "ends the run with what is needed; at least 16M, default: 1G")
      ->option_text("SIZE")
      ->group(running);
}

}  // namespace sheaf::packer
