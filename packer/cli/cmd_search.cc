// sheaf-pack search: one question to the core, natively, with the answer as text or as JSON. The
// JSON has the fields of src/search/query.h in camelCase, as web/browser/client/types.ts has them.
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/printable.h"
#include "packer/base/terminal_progress.h"
#include "packer/cli/choice.h"
#include "packer/cli/commands.h"
#include "packer/host/encoder_table.h"
#include "packer/host/engine_host.h"
#include "text/utf8.h"

namespace sheaf::packer {
namespace {

using Json = nlohmann::ordered_json;

struct SearchOptions {
  std::string file;
  std::vector<std::string> words;
  Query query;
  std::vector<std::string> filters;
  std::string sort;
  bool no_prefix = false, no_typo = false;
  bool json = false, lazy = false;
  std::string encoder_table;
};

const char* MatchKindName(MatchKind kind) {
  switch (kind) {
    case MatchKind::kExact: return "exact";
    case MatchKind::kStem: return "stem";
    case MatchKind::kPart: return "part";
    case MatchKind::kJoined: return "joined";
    case MatchKind::kPrefix: return "prefix";
    case MatchKind::kTypo: return "typo";
    case MatchKind::kWording: return "wording";
    case MatchKind::kSynonym: return "synonym";
    case MatchKind::kPinned: return "pinned";
  }
  return "unknown";  // unreachable: the switch names every value
}

// ---- JSON -----------------------------------------------------------------------------------

Json ToJson(const Explanation& e) {
  Json terms = Json::array();
  for (const TermMatch& t : e.terms) {
    terms.push_back({{"word", t.word},
                     {"term", t.term},
                     {"kind", MatchKindName(t.kind)},
                     {"idf", t.idf},
                     {"weight", t.weight},
                     {"frequency", t.frequency},
                     {"score", t.score}});
  }
  return {{"keywordRaw", e.keyword_raw},
          {"keyword", e.keyword},
          {"cosine", e.cosine},
          {"semantic", e.semantic},
          {"semanticWeight", e.semantic_weight},
          {"coverage", e.coverage},
          {"pageBonus", e.page_bonus},
          {"terms", terms}};
}

// Lines of fields between tabs, as Answer::facets has them.
std::vector<std::vector<std::string>> Fields(const std::string& lines) {
  std::vector<std::vector<std::string>> fields;
  for (size_t at = 0, end; (end = lines.find('\n', at)) != std::string::npos; at = end + 1) {
    std::vector<std::string>& line = fields.emplace_back(1);
    for (size_t i = at; i < end; ++i) {
      if (lines[i] == '\t')
        line.emplace_back();
      else
        line.back() += lines[i];
    }
    line.resize(3);  // fields missing in a damaged file become empty
  }
  return fields;
}

Json FacetsToJson(const std::string& lines) {
  Json facets = Json::array();
  for (const auto& line : Fields(lines)) {
    if (facets.empty() || facets.back()["key"] != line[0])
      facets.push_back({{"key", line[0]}, {"values", Json::array()}});
    facets.back()["values"].push_back({{"value", line[1]}, {"pages", std::strtoul(line[2].c_str(), nullptr, 10)}});
  }
  return facets;
}

Json ToJson(const std::vector<Highlight>& highlights) {
  Json json = Json::array();
  for (const Highlight& h : highlights) json.push_back({{"start", h.start}, {"length", h.length}});
  return json;
}

const char* HitKindName(HitKind kind) {
  constexpr const char* kNames[] = {"heading", "code", "text"};
  return kNames[size_t(kind)];
}

Json ToJson(const Hit& hit) {
  Json json = {{"page", hit.page},
               {"passage", hit.passage},
               {"score", hit.score},
               {"title", hit.title},
               {"place", hit.place},
               {"url", hit.url},
               {"source", hit.source},
               {"anchor", hit.anchor},
               {"headings", hit.headings},
               {"firstLine", hit.first_line},
               {"lastLine", hit.last_line},
               {"kind", HitKindName(hit.kind)},
               {"snippet", hit.snippet},
               {"highlights", ToJson(hit.highlights)},
               {"titleHighlights", ToJson(hit.title_highlights)},
               {"headingHighlights", ToJson(hit.heading_highlights)}};
  for (const auto& [key, value] : hit.meta) json["meta"][key] = value;
  if (hit.symbol) {
    json["symbol"] = {{"kind", SymbolKindName(hit.symbol->kind)},
                      {"deprecated", hit.symbol->deprecated},
                      {"name", hit.symbol->name},
                      {"signature", hit.symbol->signature}};
  }
  if (hit.explanation) json["explanation"] = ToJson(*hit.explanation);
  return json;
}

Json ToJson(const Answer& answer) {
  Json hits = Json::array(), corrections = Json::array();
  for (const Hit& hit : answer.hits) hits.push_back(ToJson(hit));
  for (const Correction& c : answer.corrections) corrections.push_back({{"word", c.word}, {"term", c.term}});
  Json json = {{"hits", hits},
               {"corrections", corrections},
               {"matchingPassages", answer.matching_passages},
               {"ignoredWords", answer.ignored_words},
               {"usedKeyword", answer.used_keyword},
               {"usedSemantic", answer.used_semantic},
               {"weak", answer.weak}};
  if (!answer.facets.empty()) json["facets"] = FacetsToJson(answer.facets);
  return json;
}

// ---- text -----------------------------------------------------------------------------------

// The snippet on one line, or of code on its own lines, with `on` and `off` around its highlights, whose offsets are in
// UTF-16 units.
std::string Marked(const Hit& hit, const char* on, const char* off) {
  std::string out, piece;
  size_t next = 0;
  uint32_t unit = 0;
  bool inside = false;
  const auto flush = [&] {
    out += TerminalText(piece);
    piece.clear();
  };
  for (size_t at = 0; at <= hit.snippet.size(); ++at) {
    const bool boundary = at == hit.snippet.size() || !IsUtf8Continuation(hit.snippet[at]);
    if (boundary) {
      if (inside && unit >= hit.highlights[next].start + hit.highlights[next].length) {
        flush();
        out += off;
        inside = false;
        ++next;
      }
      if (!inside && next < hit.highlights.size() && unit == hit.highlights[next].start) {
        flush();
        out += on;
        inside = true;
      }
      if (at == hit.snippet.size()) break;
      unit += uint8_t(hit.snippet[at]) >= 0xf0 ? 2 : 1;
    }
    if (hit.kind == HitKind::kCode && hit.snippet[at] == '\n') {
      flush();
      out += "\n     ";
    } else {
      piece += hit.snippet[at];
    }
  }
  flush();
  if (inside) out += off;
  return out;
}

void PrintExplanation(const Explanation& e) {
  std::printf(
      "     keyword %.3f (raw %.2f, coverage %.2f)  semantic %.3f (cosine %.3f, weight %.2f)  page bonus %.3f\n",
      e.keyword, e.keyword_raw, e.coverage, e.semantic, e.cosine, e.semantic_weight, e.page_bonus);
  for (const TermMatch& t : e.terms) {
    std::printf("       %s -> %s  %s  idf %.2f  weight %.2f  frequency %.2f  score %.3f\n",
                TerminalText(t.word).c_str(), TerminalText(t.term).c_str(), MatchKindName(t.kind), t.idf, t.weight,
                t.frequency, t.score);
  }
}

void Print(const Answer& answer) {
  const bool color = WantsColor(stdout);
  const char* bold = color ? "\033[1m" : "";
  const char* dim = color ? "\033[2m" : "";
  const char* off = color ? "\033[0m" : "";
  for (const Correction& c : answer.corrections) {
    std::printf("%sno match for %s; searched %s%s\n", dim, TerminalText(c.word).c_str(), TerminalText(c.term).c_str(),
                off);
  }
  if (answer.hits.empty()) std::printf("No hits.\n");
  for (size_t i = 0; i < answer.hits.size(); ++i) {
    const Hit& hit = answer.hits[i];
    std::string path;
    for (const std::string& name : hit.place) path += name + " › ";
    path += hit.title;
    for (const std::string& heading : hit.headings) path += " › " + heading;
    std::string address = hit.url;
    if (!hit.anchor.empty()) address += "#" + hit.anchor;
    std::string lines;
    if (hit.first_line > 0) lines = ":" + std::to_string(hit.first_line) + "-" + std::to_string(hit.last_line);
    std::printf("%2zu. %s%s%s  %.4f\n", i + 1, bold, TerminalText(path).c_str(), off, hit.score);
    std::printf("     %s%s  %s%s%s\n", dim, TerminalText(address).c_str(), TerminalText(hit.source).c_str(),
                lines.c_str(), off);
    if (hit.symbol) {
      const HitSymbol& symbol = *hit.symbol;
      const std::string& signature = symbol.signature.empty() ? symbol.name : symbol.signature;
      std::printf("     %s%s%s%s  %s\n", dim, symbol.deprecated ? "deprecated " : "", SymbolKindName(symbol.kind), off,
                  TerminalText(signature).c_str());
    }
    std::printf("     %s\n", Marked(hit, bold, off).c_str());
    if (hit.explanation) PrintExplanation(*hit.explanation);
  }
  for (const auto& line : Fields(answer.facets)) {
    std::printf("%s%s=%s%s  %s\n", dim, TerminalText(line[0]).c_str(), TerminalText(line[1]).c_str(), off,
                TerminalText(line[2]).c_str());
  }
}

// ---- the search -----------------------------------------------------------------------------

// Opens the encoder table if the query can use one. Without a table, hybrid search falls back to
// keywords and says so, but a table or mode that the user named must work. Returns the mode to use.
Result<Mode> OpenEncoder(const SearchOptions& options, const BundleInfo& info, EngineHost* host) {
  const Mode mode = options.query.mode;
  const bool needed = mode == Mode::kSemantic || !options.encoder_table.empty();
  if (mode == Mode::kKeyword) return mode;
  if (info.dimensions == 0 && mode == Mode::kSemantic) {
    return Error{ErrorCode::kNoVectors,
                 options.file + " holds no vectors; search it with --mode keyword, or pack it with an encoder"};
  }
  if (info.dimensions == 0) return mode;
  const auto open = [&]() -> Status {
    SHEAF_ASSIGN_OR_RETURN(const std::string path, FindEncoderTable(options.encoder_table));
    SHEAF_RETURN_IF_ERROR(host->Attach(kEncoderSource, path));
    const Result<std::string> space = host->Ask([](Engine& engine) { return engine.OpenEncoder(); });
    if (!space.ok()) return Error{space.code(), path + ": " + space.error().message};
    return {};
  };
  const Status status = open();
  if (status.ok()) return mode;
  if (needed) return status.error();
  std::fprintf(stderr, "sheaf-pack: searching by keywords only: %s\n", TerminalText(status.error().message).c_str());
  return Mode::kKeyword;
}

Result<Answer> Ask(const SearchOptions& options, EngineHost* host) {
  SHEAF_RETURN_IF_ERROR(host->Attach(kBundleSource, options.file));
  const Result<BundleInfo> info = host->Ask([](Engine& engine) { return engine.Open(); });
  if (!info.ok()) return Error{info.code(), options.file + ": " + info.error().message};
  Query query = options.query;
  SHEAF_ASSIGN_OR_RETURN(query.mode, OpenEncoder(options, *info, host));
  return host->Ask([&](Engine& engine) { return engine.Search(query); });
}

// Query::selection from --sort KEY[:desc] and --filter KEY=VALUE.
Status Select(const SearchOptions& options, Query* query) {
  constexpr std::string_view kDescending = ":desc";
  query->selection = options.sort;
  query->descending = options.sort.ends_with(kDescending);
  if (query->descending) query->selection.resize(options.sort.size() - kDescending.size());
  query->selection += '\n';
  std::map<std::string, std::string> lines;
  for (const std::string& filter : options.filters) {
    const size_t equals = filter.find('=');
    if (equals == std::string::npos || equals == 0 || filter.find_first_of("\t\n") != std::string::npos) {
      return Error{ErrorCode::kInvalidArgument, "--filter " + filter + ": expected KEY=VALUE, such as author=Anne"};
    }
    lines[filter.substr(0, equals)] += filter.substr(equals + 1) + '\t';
  }
  for (const auto& [key, values] : lines) query->selection += key + '\t' + values + '\n';
  return {};
}

// "kind:function open" asks for functions of that name alone, as in the client (kind_filter.ts).
void TakeKind(Query* query) {
  constexpr std::string_view kMark = "kind:", kBlanks = " \t\n\r\f\v";
  for (size_t at = 0; (at = query->text.find(kMark, at)) != std::string::npos; ++at) {
    if (at > 0 && kBlanks.find(query->text[at - 1]) == kBlanks.npos) continue;
    const size_t end = std::min(query->text.find_first_of(kBlanks, at), query->text.size());
    const std::string_view word = std::string_view(query->text).substr(at + kMark.size(), end - at - kMark.size());
    for (uint8_t kind = 0; kind < kSymbolKinds && !query->kind; ++kind) {
      if (word == SymbolKindName(SymbolKind(kind))) query->kind = SymbolKind(kind);
    }
    if (query->kind) query->text.erase(at, end - at);
    return;
  }
}

int Search(SearchOptions options) {
  for (const std::string& word : options.words) {
    if (!options.query.text.empty()) options.query.text += ' ';
    options.query.text += word;
  }
  TakeKind(&options.query);
  options.query.prefix = !options.no_prefix;
  options.query.typo = !options.no_typo;
  if (const Status selected = Select(options, &options.query); !selected.ok()) {
    return ReportError(selected.error(), options.json, kExitUsage);
  }
  EngineHost host(options.lazy);
  const Result<Answer> answer = Ask(options, &host);
  if (!answer.ok()) return ReportError(answer.error(), options.json);
  if (options.json) {
    std::printf("%s\n", ToJson(*answer).dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    Print(*answer);
  }
  if (options.lazy) {
    const Traffic& traffic = host.traffic();
    std::fflush(stdout);
    std::fprintf(stderr, "read %s bytes in %s requests, %s round trips\n", FormatCount(traffic.bytes).c_str(),
                 FormatCount(traffic.requests).c_str(), FormatCount(traffic.round_trips).c_str());
  }
  return kExitOk;
}

}  // namespace

void AddSearchCommand(CLI::App* app, RunFunction* run) {
  auto options = std::make_shared<SearchOptions>();
  CLI::App* search = app->add_subcommand("search", "Search a bundle with the core that the web uses");
  search->add_option("file", options->file, "A .sheaf bundle")->required()->option_text(" ");
  search
      ->add_option("query", options->words,
                   "What to look for; several words need no quotes (words that begin with - "
                   "stand behind --)")
      ->required()
      ->option_text("...");
  search
      ->add_option("-k,--top-k", options->query.top_k,
                   "Pages (with --by-passage: passages) to return, at most 1000; default: 10")
      ->option_text("N");
  AddChoice<Mode>(search, "--mode", &options->query.mode,
                  {{"keyword", Mode::kKeyword}, {"semantic", Mode::kSemantic}, {"hybrid", Mode::kHybrid}},
                  "Signals to use (default: hybrid)");
  search
      ->add_option("--semantic-weight", options->query.semantic_weight,
                   "Share of the semantic signal, 0 to 1; default: by query")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("X");
  search->add_flag("--rrf", options->query.rrf, "Reciprocal rank fusion instead of the convex combination");
  search->add_flag("--no-prefix", options->no_prefix, "Do not complete the last word");
  search->add_flag("--no-typo", options->no_typo, "Do not correct typing errors");
  search->add_flag("--by-passage", options->query.by_passage,
                   "Passages, several of one page where they are good, instead of pages");
  search
      ->add_option("--filter", options->filters,
                   "Only pages with this value; repeated: any of the values of a key, and all keys")
      ->option_text("KEY=VALUE ...")
      ->allow_extra_args(false);
  search->add_flag("--facets", options->query.facets, "Count the pages of each filter's values");
  search
      ->add_option("--sort", options->sort,
                   "Pages that hold the words, by their values of this key instead of by score")
      ->option_text("KEY[:desc]");
  search->add_flag("--explain", options->query.explain, "Show the parts of each score");
  search
      ->add_option("--encoder-table", options->encoder_table,
                   "Encoder table of the bundle's space; default: minilm-l6-256.sheaf in $SHEAF_MODELS or beside the "
                   "executable. Without one, hybrid search uses keywords only")
      ->option_text("FILE");
  search->add_flag("--lazy", options->lazy,
                   "Read only the ranges that are needed, and print their count and size on stderr");
  search->add_flag("--json", options->json, "Print the answer as JSON");
  search->footer(
      "Examples:\n"
      "  sheaf-pack search fastapi@0.115.0.sheaf exclude unset fields\n"
      "  sheaf-pack search vue@3.sheaf --mode keyword --explain -k 3 -- --save-dev\n"
      "\n"
      "Exit codes: 0 answered, with or without hits; 1 usage; 2 failed.");
  search->callback([=] { *run = [=] { return Search(*options); }; });
}

}  // namespace sheaf::packer
