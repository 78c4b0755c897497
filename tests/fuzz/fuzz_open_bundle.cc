// Property: the engine takes any two files as bundle and encoder table. Every call answers or fails
// with an error from the list, answers keep the promises of search/query.h, and feeding the same
// file by the ranges that the engine asks for gives the same answers as feeding it whole.
//
// Input: one byte chooses what the rest means.
//   0      the rest is the bundle
//   1      edits to the bytes of a valid bundle: nearly always caught by a checksum
//   2, 3   edits to one decoded section of a valid bundle, or to one piece of it, which is then written
//          anew with good checksums: the contents contradict each other, as a hostile packer could have them
//   4, 5   the same with the encoder table
//   6, 7   the same with a bundle of so many passages that readers by range probe partitions
#include <string>

#include "search/engine.h"
#include "tests/fuzz/edited_bundle.h"
#include "tests/fuzz/fuzz.h"

namespace sheaf::fuzz {
namespace {

// Asks again and again, bringing what the engine says it lacks, as a host would. The number of
// rounds is bounded: an engine that keeps asking for what it has would hang its host.
struct Host {
  const Bytes* files[kSourceCount];
  bool whole;
  Engine engine;
  bool stuck = false;

  Host(const Bytes& bundle, const Bytes& table, bool feed_whole) : files{&bundle, &table}, whole(feed_whole) {
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
  add("guide", Mode::kHybrid).selection = "\nkind\tguide\t\ntopic\tcache\trouter\t\n";
  queries.back().facets = true;
  add("part of", Mode::kKeyword).selection = "order\n";
  add("page", Mode::kSemantic).vector = std::vector<float>(16, 0.25f);
  return queries;
}

void CheckAnswer(const Answer& answer, const Query& query, const BundleInfo& info) {
  SHEAF_REQUIRE(answer.hits.size() <= query.top_k);
  for (size_t i = 0; i < answer.hits.size(); ++i) {
    const Hit& hit = answer.hits[i];
    SHEAF_REQUIRE(hit.page < info.pages && hit.passage < info.passages);
    SHEAF_REQUIRE(hit.score >= 0 && hit.score <= 1);  // false for NaN
    if (i > 0 && query.selection.substr(0, 1) != "o") {
      SHEAF_REQUIRE(hit.score <= answer.hits[i - 1].score);
    }
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
  SHEAF_REQUIRE(whole->value()->facets == fed->value()->facets);
  SHEAF_REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    SHEAF_REQUIRE(a[i].page == b[i].page && a[i].passage == b[i].passage);
    SHEAF_REQUIRE(a[i].score == b[i].score && a[i].snippet == b[i].snippet);
  }
}

template <typename T>
bool IsProperError(const Outcome<T>& outcome) {
  return outcome.error() == nullptr ||
         (outcome.error()->code != ErrorCode::kOk && outcome.error()->code != ErrorCode::kNeedsBytes &&
          outcome.error()->code != ErrorCode::kInternal && !outcome.error()->message.empty());
}

}  // namespace

void CheckOpenBundle(ByteSpan bytes) {
  Input input(bytes);
  static const Parts bundle_parts = TakeApart(ValidBundle(), ContainerKind::kBundle);
  static const Parts large_parts = TakeApart(ValidLargeBundle(), ContainerKind::kBundle);
  static const Parts table_parts = TakeApart(ValidTable(), ContainerKind::kEncoderTable);
  Bytes bundle = ValidBundle(), table = ValidTable();
  bool probes = false;  // a reader by range estimates where a whole one computes
  switch (input.Byte() % 8) {
    case 0: {
      const ByteSpan rest = input.Rest();
      bundle.assign(rest.begin(), rest.end());
      break;
    }
    case 1: Edit(&input, &bundle); break;
    case 2:
    case 3: bundle = WithEditedSection(bundle, bundle_parts, ContainerKind::kBundle, &input); break;
    case 4:
    case 5: table = WithEditedSection(table, table_parts, ContainerKind::kEncoderTable, &input); break;
    default: bundle = WithEditedSection(ValidLargeBundle(), large_parts, ContainerKind::kBundle, &input); probes = true;
  }

  Host whole(bundle, table, true), fed(bundle, table, false);
  auto opened = whole.Ask([](Engine& e) { return e.Open(); });
  auto fed_opened = fed.Ask([](Engine& e) { return e.Open(); });
  SHEAF_REQUIRE(!whole.stuck && !fed.stuck);
  SHEAF_REQUIRE(IsProperError(opened) && IsProperError(fed_opened));
  SHEAF_REQUIRE((opened.value() != nullptr) == (fed_opened.value() != nullptr));

  // The sample itself works, or else nothing below would mean much.
  const bool pristine = (bundle == ValidBundle() || bundle == ValidLargeBundle()) && table == ValidTable();
  if (pristine) {
    SHEAF_REQUIRE(opened.value() && opened.value()->has_graph == !probes);
  }

  // After a failed Open the engine stays usable: every further call fails in good order.
  auto encoder = whole.Ask([](Engine& e) { return e.OpenEncoder(); });
  auto fed_encoder = fed.Ask([](Engine& e) { return e.OpenEncoder(); });
  SHEAF_REQUIRE(!whole.stuck && !fed.stuck && IsProperError(encoder));
  SHEAF_REQUIRE((encoder.value() != nullptr) == (fed_encoder.value() != nullptr));
  auto vector = whole.Ask([](Engine& e) { return e.Embed("cache of vectors"); });
  SHEAF_REQUIRE(!whole.stuck && IsProperError(vector));
  if (vector.value())
    for (const float v : *vector.value()) SHEAF_REQUIRE(v >= -1.001f && v <= 1.001f);

  if (pristine) {
    SHEAF_REQUIRE(encoder.value() && vector.value() && !vector.value()->empty());
  }

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
    if (fed_answer.value()) CheckAnswer(*fed_answer.value(), query, info);
    if (!probes || query.mode == Mode::kKeyword) CheckSame(&answer, &fed_answer);
  }
  for (uint32_t id = 0; id < 14; ++id) {
    auto page = whole.Ask([&](Engine& e) { return e.GetPage(id); });
    auto passage = fed.Ask([&](Engine& e) { return e.GetPassage(id * 3); });
    SHEAF_REQUIRE(!whole.stuck && !fed.stuck && IsProperError(page) && IsProperError(passage));
    if (page.value()) {
      SHEAF_REQUIRE(id < info.pages && page.value()->id == id);
    }
    if (passage.value()) {
      SHEAF_REQUIRE(id * 3 < info.passages && passage.value()->id == id * 3);
    }
  }
  for (const char* name : {"https://example.org/cache.html#part-0", "token.md", "", "#", "nowhere"}) {
    auto page = fed.Ask([&](Engine& e) { return e.FindPage(name); });
    SHEAF_REQUIRE(!fed.stuck && IsProperError(page));
    if (page.value()) {
      SHEAF_REQUIRE(*page.value() < info.pages);
    }
  }
  for (Host* host : {&whole, &fed}) {
    auto verified = host->Ask([](Engine& e) { return e.Verify(); });
    SHEAF_REQUIRE(!host->stuck && IsProperError(verified));
    if (pristine) {
      SHEAF_REQUIRE(verified.value() && *verified.value() > 0);
    }
    // What verifies must also open.
    if (verified.value()) {
      SHEAF_REQUIRE(opened.value() != nullptr);
    }
  }
}

}  // namespace sheaf::fuzz

SHEAF_FUZZ_TARGET(CheckOpenBundle)
