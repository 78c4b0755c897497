// Property: the engine takes any two files as bundle and encoder table. Every call answers or fails
// with an error from the list, answers keep the promises of search/query.h, and feeding the same
// file by the ranges that the engine asks for gives the same answers as feeding it whole.
//
// Input: one byte chooses what the rest means.
//   0      the rest is the bundle
//   1      edits to the bytes of a valid bundle: nearly always caught by a checksum
//   2, 3   edits to one decoded section of a valid bundle, which is then written anew with good
//          checksums: the contents contradict each other, as a hostile packer could have them
//   4, 5   the same with the encoder table
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "bundle/container.h"
#include "bundle/container_builder.h"
#include "encode/static_encoder.h"
#include "tests/fuzz/fuzz.h"
#include "search/bundle_builder.h"
#include "search/engine.h"

namespace sheaf::fuzz {
namespace {

using Bytes = std::vector<uint8_t>;

[[noreturn]] void CannotSetUp(const Error& error) {
  std::fprintf(stderr, "the sample cannot be built: %s\n", error.message.c_str());
  std::exit(2);
}
template <typename T>
T Must(Result<T> result) {
  if (!result.ok()) CannotSetUp(result.error());
  return std::move(result).value();
}
void Must(Status status) {
  if (!status.ok()) CannotSetUp(status.error());
}

const std::vector<std::string>& Words() {
  static const auto* words = new std::vector<std::string>{
      "cache",  "router", "install", "guide", "token", "async",  "vector", "query", "error",
      "config", "page",   "index",   "build", "type",  "import", "value",  "##s"};
  return *words;
}

const Bytes& ValidTable() {
  static const Bytes* table = [] {
    EncoderTableInput input;
    input.space = "fuzz-16";
    input.dimensions = 16;
    input.bits = 8;
    input.manifest = "{}";
    input.words = Words();
    for (size_t i = 0; i < input.words.size() * 16; ++i)
      input.rows.push_back(float(int(i * 2654435761u >> 24) % 41 - 20) / 20);
    return new Bytes(Must(BuildEncoderTable(input)));
  }();
  return *table;
}

const Bytes& ValidBundle() {
  static const Bytes* bundle = [] {
    Container container(ValidTable().size());
    Must(container.Supply(0, ValidTable()));
    Must(container.Open(ContainerKind::kEncoderTable));
    StaticEncoder encoder = Must(StaticEncoder::Open(&container));
    Must(encoder.LoadAll());
    BuildOptions options;
    options.library = "fuzz";
    options.version = "1.0";
    options.vector_bits = 8;
    options.graph = GraphMode::kAlways;
    options.compression_level = 1;
    BundleBuilder builder(options, &encoder);
    const Analyzer analyzer;
    for (size_t i = 0; i < 12; ++i) {
      PageInput page;
      page.title = Words()[i] + " guide";
      page.url = "https://example.org/" + Words()[i] + ".html";
      page.source = Words()[i] + ".md";
      for (size_t j = 0; j <= i % 4; ++j) {
        PassageInput passage;
        passage.prose = "The " + Words()[(i + j) % Words().size()] + " of " + Words()[j + 9] +
                        " caches café 日本語 useEffect; install_all " + std::to_string(i);
        passage.code = "asyncio.gather(std::vector, " + Words()[(i * j) % 16] + ")";
        passage.headings = {"Part " + std::to_string(j)};
        passage.anchor = "part-" + std::to_string(j);
        passage.first_line = uint32_t(3 * j + 1);
        passage.last_line = passage.first_line + 2;
        page.text += "## Part\n\n" + passage.prose + "\n`" + passage.code + "`\n";
        passage.end = uint32_t(page.text.size());
        page.passages.push_back(std::move(passage));
      }
      Must(builder.Add(Must(PreparePage(std::move(page), analyzer, &encoder))));
    }
    return new Bytes(Must(builder.Finish({})));
  }();
  return *bundle;
}

// The file with one section edited and every checksum right.
Bytes WithEditedSection(const Bytes& file, ContainerKind kind, Input* input) {
  Container container(file.size());
  Must(container.Supply(0, file));
  Must(container.Open(kind));
  const size_t chosen = input->Byte() % container.sections().size();
  Bytes dictionary;
  std::vector<SectionBuilder> sections;
  for (size_t i = 0; i < container.sections().size(); ++i) {
    const SectionInfo& section = container.sections()[i];
    Bytes raw = Must(container.ReadAll(section));
    if (section.id == SectionId::kDictionary) dictionary = raw;
    if (i == chosen) Edit(input, &raw);
    sections.emplace_back(section.id, section.codec, section.block_size, 1,
                          dictionary.empty() ? nullptr : &dictionary);
    sections.back().Append(raw);
  }
  auto built = BuildContainer(kind, std::move(sections));
  return built.ok() ? std::move(built).value() : file;
}

// Asks again and again, bringing what the engine says it lacks, as a host would. The number of
// rounds is bounded: an engine that keeps asking for what it has would hang its host.
struct Host {
  const Bytes* files[kSourceCount];
  bool whole;
  Engine engine;
  bool stuck = false;

  Host(const Bytes& bundle, const Bytes& table, bool feed_whole)
      : files{&bundle, &table}, whole(feed_whole) {
    for (uint8_t source = 0; source < kSourceCount; ++source) {
      (void)engine.SetSource(source, files[source]->size());
      if (whole && !files[source]->empty()) (void)engine.SupplyOwned(source, 0, *files[source]);
    }
  }

  template <typename Call>
  auto Ask(Call&& call) {
    auto outcome = call(engine);
    for (int round = 0; outcome.needs(); ++round) {
      bool progress = round < 64 && !whole;
      for (const Range& range : *outcome.needs()) {
        progress = progress && range.source < kSourceCount && range.length > 0 &&
                   range.offset <= files[range.source]->size() &&
                   range.length <= files[range.source]->size() - range.offset;
        if (!progress) break;
        const ByteSpan bytes = ByteSpan(*files[range.source]).subspan(range.offset, range.length);
        progress = engine.Supply(range.source, range.offset, bytes).ok();
      }
      if (!progress) {
        stuck = true;
        break;
      }
      outcome = call(engine);
    }
    return outcome;
  }
};

std::vector<Query> Queries() {
  std::vector<Query> queries;
  const auto add = [&](const char* text, Mode mode) -> Query& {
    Query query;
    query.text = text;
    query.mode = mode;
    queries.push_back(query);
    return queries.back();
  };
  add("cache router", Mode::kHybrid).explain = true;
  add("instal", Mode::kKeyword);
  add("cahce of tokens", Mode::kKeyword).explain = true;
  add("useEffect asyncio.gather", Mode::kHybrid).rrf = true;
  add("日本語 café", Mode::kHybrid);
  add("vector query errors", Mode::kSemantic).top_k = 1000;
  add("", Mode::kHybrid);
  add("page", Mode::kSemantic).vector = std::vector<float>(16, 0.25f);
  return queries;
}

void CheckAnswer(const Answer& answer, const Query& query, const BundleInfo& info) {
  SHEAF_REQUIRE(answer.hits.size() <= query.top_k);
  for (size_t i = 0; i < answer.hits.size(); ++i) {
    const Hit& hit = answer.hits[i];
    SHEAF_REQUIRE(hit.page < info.pages && hit.passage < info.passages);
    SHEAF_REQUIRE(hit.score >= 0 && hit.score <= 1);  // false for NaN
    if (i > 0) { SHEAF_REQUIRE(hit.score <= answer.hits[i - 1].score); }
    SHEAF_REQUIRE(IsValidUtf8(hit.snippet));
    uint64_t from = 0;
    for (const Highlight& highlight : hit.highlights) {
      SHEAF_REQUIRE(highlight.start >= from);
      from = uint64_t(highlight.start) + highlight.length;
      SHEAF_REQUIRE(from <= hit.snippet.size());
    }
  }
}

// Equal up to what a stranger's file may make either fail at: with good bytes both must agree.
void CheckSame(Outcome<Answer>* whole, Outcome<Answer>* fed) {
  SHEAF_REQUIRE((whole->value() != nullptr) == (fed->value() != nullptr));
  if (whole->value() == nullptr) return;
  const auto &a = whole->value()->hits, &b = fed->value()->hits;
  SHEAF_REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    SHEAF_REQUIRE(a[i].page == b[i].page && a[i].passage == b[i].passage);
    SHEAF_REQUIRE(a[i].score == b[i].score && a[i].snippet == b[i].snippet);
  }
}

template <typename T>
bool IsProperError(const Outcome<T>& outcome) {
  return outcome.error() == nullptr || (outcome.error()->code != ErrorCode::kOk &&
                                        outcome.error()->code != ErrorCode::kNeedsBytes &&
                                        outcome.error()->code != ErrorCode::kInternal &&
                                        !outcome.error()->message.empty());
}

}  // namespace

void CheckOpenBundle(ByteSpan bytes) {
  Input input(bytes);
  Bytes bundle = ValidBundle(), table = ValidTable();
  switch (input.Byte() % 6) {
    case 0: {
      const ByteSpan rest = input.Rest();
      bundle.assign(rest.begin(), rest.end());
      break;
    }
    case 1:
      Edit(&input, &bundle);
      break;
    case 2:
    case 3:
      bundle = WithEditedSection(bundle, ContainerKind::kBundle, &input);
      break;
    default:
      table = WithEditedSection(table, ContainerKind::kEncoderTable, &input);
  }

  Host whole(bundle, table, true), fed(bundle, table, false);
  auto opened = whole.Ask([](Engine& e) { return e.Open(); });
  auto fed_opened = fed.Ask([](Engine& e) { return e.Open(); });
  SHEAF_REQUIRE(!whole.stuck && !fed.stuck);
  SHEAF_REQUIRE(IsProperError(opened) && IsProperError(fed_opened));
  SHEAF_REQUIRE((opened.value() != nullptr) == (fed_opened.value() != nullptr));

  // The sample itself works, or else nothing below would mean much.
  const bool pristine = bundle == ValidBundle() && table == ValidTable();
  if (pristine) { SHEAF_REQUIRE(opened.value() && opened.value()->has_graph); }

  // After a failed Open the engine stays usable: every further call fails in good order.
  auto encoder = whole.Ask([](Engine& e) { return e.OpenEncoder(); });
  auto fed_encoder = fed.Ask([](Engine& e) { return e.OpenEncoder(); });
  SHEAF_REQUIRE(!whole.stuck && !fed.stuck && IsProperError(encoder));
  SHEAF_REQUIRE((encoder.value() != nullptr) == (fed_encoder.value() != nullptr));
  auto vector = whole.Ask([](Engine& e) { return e.Embed("cache of vectors"); });
  SHEAF_REQUIRE(!whole.stuck && IsProperError(vector));
  if (vector.value())
    for (const float v : *vector.value()) SHEAF_REQUIRE(v >= -1.001f && v <= 1.001f);

  if (pristine) { SHEAF_REQUIRE(encoder.value() && vector.value() && !vector.value()->empty()); }

  // Where only the manifest is bad, Open fails and searches may still answer; their numbers are
  // then held against nothing.
  BundleInfo info;
  info.pages = info.passages = UINT32_MAX;
  if (opened.value()) info = *opened.value();
  for (const Query& query : Queries()) {
    auto answer = whole.Ask([&](Engine& e) { return e.Search(query); });
    auto fed_answer = fed.Ask([&](Engine& e) { return e.Search(query); });
    SHEAF_REQUIRE(!whole.stuck && !fed.stuck);
    SHEAF_REQUIRE(IsProperError(answer) && IsProperError(fed_answer));
    if (pristine) {
      SHEAF_REQUIRE(answer.value() && answer.value()->hits.empty() == query.text.empty());
    }
    if (answer.value()) CheckAnswer(*answer.value(), query, info);
    CheckSame(&answer, &fed_answer);
  }
  for (uint32_t id = 0; id < 14; ++id) {
    auto page = whole.Ask([&](Engine& e) { return e.GetPage(id); });
    auto passage = fed.Ask([&](Engine& e) { return e.GetPassage(id * 3); });
    SHEAF_REQUIRE(!whole.stuck && !fed.stuck && IsProperError(page) && IsProperError(passage));
    if (page.value()) { SHEAF_REQUIRE(id < info.pages && page.value()->id == id); }
    if (passage.value()) { SHEAF_REQUIRE(id * 3 < info.passages && passage.value()->id == id * 3); }
  }
  for (const char* name :
       {"https://example.org/cache.html#part-0", "token.md", "", "#", "nowhere"}) {
    auto page = fed.Ask([&](Engine& e) { return e.FindPage(name); });
    SHEAF_REQUIRE(!fed.stuck && IsProperError(page));
    if (page.value()) { SHEAF_REQUIRE(*page.value() < info.pages); }
  }
  for (Host* host : {&whole, &fed}) {
    auto verified = host->Ask([](Engine& e) { return e.Verify(); });
    SHEAF_REQUIRE(!host->stuck && IsProperError(verified));
    if (pristine) { SHEAF_REQUIRE(verified.value() && *verified.value() > 0); }
    // What verifies must also open.
    if (verified.value()) { SHEAF_REQUIRE(opened.value() != nullptr); }
  }
}

}  // namespace sheaf::fuzz

SHEAF_FUZZ_TARGET(CheckOpenBundle)
