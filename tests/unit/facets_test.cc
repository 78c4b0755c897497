// Filters, counts, orders, weights and meta: through the builder and the engine, and against damaged sections.
#include "search/facets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bundle/container_builder.h"
#include "search/facets_builder.h"
#include "tests/fuzz/edited_bundle.h"
#include "tests/unit/support.h"
#include "vector/partition.h"

namespace sheaf {
namespace facets_test {

using test::Keyword;
using test::SearchAll;

// The sample pages with authors, kinds and dates; "Effects" has none of them.
std::vector<PageInput> Pages() {
  std::vector<PageInput> pages = test::SamplePages();
  pages[0].facets = {{{"author", "Anne"}, {"kind", "guide"}, {"author", "Bo"}},
                     {{"image", "/a.png"}},
                     {{"date", "2024-03-01"}, {"order", "10"}}};
  pages[1].facets = {{{"author", "Anne"}, {"kind", "reference"}}, {}, {{"date", "2023-01-01"}, {"order", "9"}}};
  pages[2].facets = {{{"author", "Bo"}, {"kind", "reference"}},
                     {{"image", "/c.png"}, {"note", "x"}},
                     {{"date", "2025-01-01"}, {"order", "9.0"}}};
  pages[4].facets = {{{"kind", "guide"}}, {}, {}};
  for (PageInput& page : pages) page.passages[0].prose += " woodpile";
  return pages;
}

constexpr int kLevel =
    1;  // of compression, so that damaged files can be put together anew with pieces of the same lengths

std::vector<uint8_t> Bundle(BuildOptions options = test::SampleOptions()) {
  options.compression_level = kLevel;
  const test::LoadedEncoder encoder(test::TableBytes());
  return test::Build(Pages(), std::move(options), &*encoder.encoder);
}

std::vector<std::string> Sources(const Answer& answer) {
  std::vector<std::string> sources;
  for (const Hit& hit : answer.hits) sources.push_back(hit.source.substr(hit.source.find('/') + 1));
  return sources;
}

std::vector<std::string> Sorted(std::vector<std::string> list) {
  std::sort(list.begin(), list.end());
  return list;
}

Query Selected(std::string selection, std::string text = "woodpile") {
  Query query = Keyword(std::move(text));
  query.selection = std::move(selection);
  return query;
}

using List = std::vector<std::string>;

TEST(Facets, AnyValueOfAKeyAndEveryKeyMustFit) {
  const auto bundle = Bundle();
  Engine engine = test::WholeEngine(bundle, {});
  const auto found = [&](const char* selection) { return Sorted(Sources(SearchAll(&engine, Selected(selection)))); };
  EXPECT_EQ(found("").size(), 5u);
  EXPECT_EQ(found("\n").size(), 5u);
  EXPECT_EQ(found("\nauthor\tAnne\t\n"), (List{"caching.md", "response-models.md"}));
  EXPECT_EQ(found("\nauthor\tAnne\tBo\t\n"), (List{"caching.md", "concurrency.md", "response-models.md"}));
  EXPECT_EQ(found("\nauthor\tAnne\tBo\t\nkind\treference\t\n"), (List{"concurrency.md", "response-models.md"}));
  EXPECT_EQ(found("\nkind\tguide\t\nauthor\tBo\t\n"), (List{"caching.md"}));
}

TEST(Facets, ValuesAndKeysThatNoPageHasFindNothing) {
  const auto bundle = Bundle();
  Engine engine = test::WholeEngine(bundle, {});
  for (const char* selection :
       {"\nauthor\tNobody\t\n", "\ncolour\tred\t\n", "\nauthor\tAnne\t\ncolour\tred\t\n", "\nauthor\tAnn\t\n",
        "\nuthor\tAnne\t\n", "\nauthor\tnne\t\n", "\ndate\t2024-03-01\t\n"}) {
    EXPECT_TRUE(SearchAll(&engine, Selected(selection)).hits.empty()) << selection;
  }
  EXPECT_FALSE(SearchAll(&engine, Selected("\nauthor\tNobody\tAnne\t\n")).hits.empty());
}

TEST(Facets, FiltersHoldForBothSignalsAndForTheGraph) {
  for (const GraphMode graph : {GraphMode::kNever, GraphMode::kAlways}) {
    BuildOptions options = test::SampleOptions();
    options.graph = graph;
    const auto bundle = Bundle(options);
    Engine engine = test::WholeEngine(bundle);
    for (const Mode mode : {Mode::kKeyword, Mode::kSemantic, Mode::kHybrid}) {
      for (const bool by_passage : {false, true}) {
        Query query = Selected("\nauthor\tBo\t\nkind\treference\t\n", "cache jobs");
        query.mode = mode;
        query.by_passage = by_passage;
        const Answer answer = SearchAll(&engine, query);
        ASSERT_FALSE(answer.hits.empty());
        for (const Hit& hit : answer.hits) EXPECT_EQ(hit.source, "reference/concurrency.md");
        EXPECT_LE(answer.matching_passages, 2u);
      }
    }
  }
}

TEST(Facets, CountsSayWhatChoosingAValueTooWouldGive) {
  const auto bundle = Bundle();
  Engine engine = test::WholeEngine(bundle, {});
  const auto counts = [&](const char* selection, const char* text) {
    Query query = Selected(selection, text);
    query.facets = true;
    return SearchAll(&engine, query).facets;
  };
  EXPECT_EQ(counts("", "woodpile"), "author\tAnne\t2\nauthor\tBo\t2\nkind\tguide\t2\nkind\treference\t2\n");
  // The other author stays countable while one is chosen; kinds are those of her pages.
  EXPECT_EQ(counts("\nauthor\tAnne\t\n", "woodpile"),
            "author\tAnne\t2\nauthor\tBo\t2\nkind\tguide\t1\nkind\treference\t1\n");
  EXPECT_EQ(counts("\nauthor\tAnne\t\nkind\tguide\t\n", "woodpile"),
            "author\tAnne\t1\nauthor\tBo\t1\nkind\tguide\t1\nkind\treference\t1\n");
  EXPECT_EQ(counts("", "gather"), "author\tBo\t1\nkind\treference\t1\n");
  EXPECT_EQ(counts("\ncolour\tred\t\n", "woodpile"), "");
  EXPECT_EQ(SearchAll(&engine, Keyword("woodpile")).facets, "");
}

TEST(Facets, AnEmptyQueryCountsAllPagesEvenWhereItListsNone) {
  const auto bundle = Bundle();
  Engine engine = test::WholeEngine(bundle, {});
  Query query = Selected("", "");
  query.facets = true;
  query.top_k = 0;
  const Answer answer = SearchAll(&engine, query);
  EXPECT_TRUE(answer.hits.empty());
  EXPECT_EQ(answer.facets, "author\tAnne\t2\nauthor\tBo\t2\nkind\tguide\t2\nkind\treference\t2\n");
}

TEST(Facets, CountsIncludeEveryPageAmongTheHits) {
  const auto bundle = Bundle();
  Engine engine = test::WholeEngine(bundle);
  Query query = Selected("", "memoize");  // no page has the word
  query.mode = Mode::kHybrid;
  query.facets = true;
  query.top_k = 1;
  const Answer answer = SearchAll(&engine, query);
  EXPECT_EQ(Sources(answer), List{"caching.md"});
  EXPECT_EQ(answer.facets, "author\tAnne\t1\nauthor\tBo\t1\nkind\tguide\t1\n");
}

TEST(Facets, SortsByAKeyWithUnmarkedPagesLastInBothDirections) {
  const auto bundle = Bundle();
  Engine engine = test::WholeEngine(bundle);
  for (const bool by_passage : {false, true}) {
    Query query = Selected("date\n");
    query.mode = Mode::kHybrid;
    query.by_passage = by_passage;
    const Answer up = SearchAll(&engine, query);
    EXPECT_FALSE(up.used_semantic);
    const auto three = [](List list) {
      list.erase(std::unique(list.begin(), list.end()), list.end());  // passages of a page stand together
      EXPECT_EQ(list.size(), 5u);
      list.resize(3);
      return list;
    };
    EXPECT_EQ(three(Sources(up)), (List{"response-models.md", "caching.md", "concurrency.md"}));
    query.descending = true;
    EXPECT_EQ(three(Sources(SearchAll(&engine, query))), (List{"concurrency.md", "caching.md", "response-models.md"}));
  }
}

TEST(Facets, SortsNumbersAsNumbersAndEqualOnesByScore) {
  const auto bundle = Bundle();
  Engine engine = test::WholeEngine(bundle, {});
  EXPECT_EQ(Sources(SearchAll(&engine, Selected("order\nkind\treference\t\n"))).size(), 2u);
  EXPECT_EQ(Sources(SearchAll(&engine, Selected("order\n")))[2], "caching.md");  // 10 after 9 and 9.0
  // A key that no page has leaves the order by score.
  EXPECT_EQ(Sources(SearchAll(&engine, Selected("colour\n"))), Sources(SearchAll(&engine, Selected(""))));
}

TEST(Facets, SortingListsEveryMatchAndNotOnlyTheBestByScore) {
  std::vector<PageInput> pages;
  for (int i = 0; i < 300; ++i) {
    const char* text = i == 299 ? "woodpile and much else that makes it long and weak" : "woodpile";
    pages.push_back(test::MakePageInput("Page", "p/" + std::to_string(i) + ".md", {{{}, "", text, ""}}));
    pages.back().facets.sorts = {{"n", std::to_string(1000 - i)}};
  }
  const auto bundle = test::Build(std::move(pages), test::SampleOptions(), nullptr);
  Engine engine = test::WholeEngine(bundle, {});
  EXPECT_EQ(Sources(SearchAll(&engine, Selected("n\n")))[0], "299.md");
}

TEST(Facets, RanksGrowWithTheValuesAndAreZeroWithoutOne) {
  EXPECT_EQ(RankValues({{0, "10"}, {2, "9"}, {3, "9.0"}}, 5), (std::vector<uint32_t>{2, 0, 1, 1, 0}));
  EXPECT_EQ(RankValues({{0, "10"}, {1, "9"}, {2, "x"}}, 3), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(RankValues({{0, "-1.5"}, {1, "1e3"}, {2, "0"}}, 3), (std::vector<uint32_t>{1, 3, 2}));
  EXPECT_EQ(RankValues({{0, "nan"}, {1, "1"}}, 2), (std::vector<uint32_t>{2, 1}));
}

// Asks again and again, bringing what is missing; counts the rounds.
Answer AnswerByRange(const std::vector<uint8_t>& bundle, const std::vector<uint8_t>& table, const Query& query,
                     int* rounds) {
  Engine engine;
  EXPECT_TRUE(engine.SetSource(kBundleSource, bundle.size()).ok() &&
              engine.SetSource(kEncoderSource, table.size()).ok());
  auto outcome = engine.Search(query);
  for (*rounds = 0; *rounds < 20 && outcome.needs(); ++*rounds) {
    for (const Range& range : *outcome.needs()) {
      const ByteSpan bytes =
          ByteSpan(range.source == kBundleSource ? bundle : table).subspan(size_t(range.offset), size_t(range.length));
      EXPECT_TRUE(engine.Supply(range.source, range.offset, bytes).ok());
    }
    outcome = engine.Search(query);
  }
  EXPECT_TRUE(outcome.value());
  return outcome.value() ? std::move(*outcome.value()) : Answer();
}

TEST(Facets, AnswersAreTheSameWholeAndFedByRange) {
  const auto bundle = Bundle();
  Engine whole = test::WholeEngine(bundle, {});
  for (const char* selection : {"", "\nauthor\tBo\t\n", "date\nkind\tguide\t\n"}) {
    Query query = Selected(selection);
    query.facets = true;
    int rounds = 0;
    const Answer fed = AnswerByRange(bundle, test::TableBytes(), query, &rounds), expected = SearchAll(&whole, query);
    EXPECT_EQ(Sources(fed), Sources(expected));
    EXPECT_EQ(fed.facets, expected.facets);
    EXPECT_GT(rounds, 0);
  }
}

TEST(Facets, HoldWhereMeaningIsLookedForInPartitionsAndTakeNoRoundMore) {
  const test::LoadedEncoder encoder(test::TableBytes());
  const std::vector<std::string> words = {"cache",  "memoize", "response",  "endpoint", "jobs",
                                          "gather", "effect",  "lifecycle", "table",    "rows"};
  std::vector<PageInput> pages;
  for (size_t i = 0; i < kPartitionFrom + 90; ++i) {
    const std::string text =
        words[i % 10] + " " + words[i / 10 % 10] + " " + words[i / 100] + " and " + words[i % 7] + ".";
    pages.push_back(
        test::MakePageInput("Page " + std::to_string(i), "p/" + std::to_string(i) + ".md", {{{}, "", text, ""}}));
    pages.back().facets.filters = {{"shelf", std::to_string(i % 9)}};
  }
  const auto bundle = test::Build(std::move(pages), test::SampleOptions(), &*encoder.encoder),
             table = test::TableBytes();
  for (const Mode mode : {Mode::kSemantic, Mode::kHybrid}) {
    Query query;
    query.text = "cached answers";
    query.mode = mode;
    int rounds = 0, filtered_rounds = 0;
    std::vector<bool> shelves(9);
    for (const Hit& hit : AnswerByRange(bundle, table, query, &rounds).hits) shelves[hit.page % 9] = true;
    EXPECT_GT(std::count(shelves.begin(), shelves.end(), true), 1) << "the filter has nothing to leave out";
    query.selection = "\nshelf\t4\t\n";
    query.facets = true;
    const Answer answer = AnswerByRange(bundle, table, query, &filtered_rounds);
    EXPECT_TRUE(answer.used_semantic);
    EXPECT_EQ(answer.hits.size(), 10u);
    for (const Hit& hit : answer.hits) EXPECT_EQ(hit.page % 9, 4u) << hit.source;
    EXPECT_LE(filtered_rounds, rounds);
    query.top_k = 0;  // counts alone
    EXPECT_TRUE(AnswerByRange(bundle, table, query, &filtered_rounds).hits.empty());
  }
}

TEST(Facets, ABundleWithoutThemHasNoSectionAndAnswersAllTheSame) {
  const auto bundle = test::SampleBundle();
  Container container(bundle.size());
  ASSERT_TRUE(container.Supply(0, bundle).ok());
  ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
  EXPECT_EQ(container.Find(SectionId::kFacets), nullptr);
  Engine engine = test::WholeEngine(bundle, {});
  EXPECT_TRUE(SearchAll(&engine, Selected("\nauthor\tAnne\t\n", "cache")).hits.empty());
  EXPECT_EQ(Sources(SearchAll(&engine, Selected("date\n", "cache"))), Sources(SearchAll(&engine, Keyword("cache"))));
  Query query = Keyword("cache");
  query.facets = true;
  EXPECT_EQ(SearchAll(&engine, query).facets, "");
}

TEST(Facets, TheSectionMayBeSkippedAndTheManifestNamesItsKeys) {
  const auto bundle = Bundle();
  Container container(bundle.size());
  ASSERT_TRUE(container.Supply(0, bundle).ok());
  ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
  const SectionInfo* section = container.Find(SectionId::kFacets);
  ASSERT_NE(section, nullptr);
  EXPECT_EQ(section->flags, kSectionSkippable);
  Engine engine = test::WholeEngine(bundle, {});
  const std::string manifest = engine.Open().value()->manifest;
  EXPECT_NE(manifest.find("\"filters\": [\n    \"author\",\n    \"kind\"\n  ]"), std::string::npos) << manifest;
  EXPECT_NE(manifest.find("\"sorts\": [\n    \"date\",\n    \"order\"\n  ]"), std::string::npos);
  EXPECT_TRUE(engine.Verify().value());
}

TEST(Facets, MetaComesWithTheHit) {
  const auto bundle = Bundle();
  Engine engine = test::WholeEngine(bundle, {});
  const Answer answer = SearchAll(&engine, Keyword("woodpile"));
  using Meta = decltype(Hit::meta);
  ASSERT_FALSE(answer.hits.empty());
  for (const Hit& hit : answer.hits) {
    const Meta expected = hit.page == 0   ? Meta{{"image", "/a.png"}}
                          : hit.page == 2 ? Meta{{"image", "/c.png"}, {"note", "x"}}
                                          : Meta{};
    EXPECT_EQ(hit.meta, expected) << hit.source;
  }
}

TEST(Facets, TheBuilderKeepsTheFirstKeysAndNamesTheOthers) {
  FacetsBuilder builder;
  PageFacets page;
  for (int i = 0; i < 40; ++i) page.filters.emplace_back("key" + std::to_string(100 + i), "v");
  builder.Add(0, page);
  builder.Add(1, {{{"key100", "w"}, {"late", "v"}}, {}, {}});
  EXPECT_EQ(builder.filters().size(), kMaxFacetKeys);
  EXPECT_EQ(builder.dropped().size(), 40 - kMaxFacetKeys + 1);
  EXPECT_TRUE(builder.dropped().contains("late"));
}

// ---- weights ----------------------------------------------------------------------------------

Answer SearchWeighted(float first, float second, const char* word = "woodpile") {
  std::vector<PageInput> pages;
  for (const float weight : {first, second}) {
    pages.push_back(test::MakePageInput("Page", "p/" + std::to_string(pages.size()) + ".md",
                                        {{{"Part"}, "", "A woodpile stands here.", ""}, {{}, "", "Other text.", ""}}));
    pages.back().passages[0].weight = weight;
  }
  const auto bundle = test::Build(std::move(pages), test::SampleOptions(), nullptr);
  Engine engine = test::WholeEngine(bundle, {});
  Query query = Keyword(word);
  query.explain = true;
  return SearchAll(&engine, query);
}

TEST(Weights, MultiplyTheFrequencyOfTheirWords) {
  EXPECT_EQ(Sources(SearchWeighted(1, 1)), (List{"0.md", "1.md"}));
  const Answer answer = SearchWeighted(1, 2);
  EXPECT_EQ(Sources(answer), (List{"1.md", "0.md"}));
  EXPECT_NEAR(answer.hits[0].explanation->terms[0].frequency / answer.hits[1].explanation->terms[0].frequency, 2, 0.4);
  EXPECT_EQ(Sources(SearchWeighted(0.5f, 1)), (List{"1.md", "0.md"}));
}

TEST(Weights, OfZeroKeepTextOutOfTheKeywordIndex) {
  EXPECT_EQ(Sources(SearchWeighted(1, 0)), List{"0.md"});
  EXPECT_TRUE(SearchWeighted(0, 0).hits.empty());
  EXPECT_EQ(Sources(SearchWeighted(1, 0, "other")).size(), 2u);  // the page's other passage
}

// ---- damaged sections -------------------------------------------------------------------------

std::vector<uint8_t> WithFacets(const std::vector<uint8_t>& bundle, const std::vector<uint8_t>& facets) {
  const fuzz::Parts parts = fuzz::TakeApart(bundle, ContainerKind::kBundle);
  std::vector<SectionBuilder> sections;
  for (const fuzz::Parts::Part& part : parts.parts) {
    const bool damaged = part.info.id == SectionId::kFacets;
    SectionBuilder& section =
        sections.emplace_back(part.info.id, damaged ? Codec::kRaw : part.info.codec, part.info.block_size, kLevel,
                              parts.dictionary.empty() ? nullptr : &parts.dictionary);
    for (const std::vector<uint8_t>& content : part.contents) {
      if (HasPieces(part.info.codec))
        section.AddPiece(content);
      else
        section.Append(damaged ? facets : content);
    }
  }
  auto file = BuildContainer(ContainerKind::kBundle, std::move(sections));
  EXPECT_TRUE(file.ok());
  return std::move(*file);
}

std::vector<uint8_t> FacetBytes() {
  FacetsBuilder builder;
  const std::vector<PageInput> pages = Pages();
  for (uint32_t i = 0; i < pages.size(); ++i) builder.Add(i, pages[i].facets);
  return builder.Finish(uint32_t(pages.size()));
}

TEST(DamagedFacets, AnyByteChangedOrCutOffGivesAnAnswerOrCorrupt) {
  const auto bundle = Bundle();
  const auto facets = FacetBytes();
  std::vector<std::vector<uint8_t>> damaged;
  for (size_t at = 0; at < facets.size(); ++at) {
    for (const uint8_t value : {0x00, 0x7f, 0xff}) {
      damaged.push_back(facets);
      damaged.back()[at] = value;
    }
    if (at > 0) damaged.emplace_back(facets.begin(), facets.begin() + ptrdiff_t(at));
  }
  size_t refused = 0;
  for (const auto& bytes : damaged) {
    const auto file = WithFacets(bundle, bytes);
    Engine engine = test::WholeEngine(file, {});
    for (const char* selection : {"date\nauthor\tAnne\t\n", "\nkind\tguide\tx\t\nzz\ta\t\n"}) {
      Query query = Selected(selection);
      query.facets = true;
      auto outcome = engine.Search(query);
      ASSERT_FALSE(outcome.needs());
      if (!outcome.error()) continue;
      EXPECT_EQ(outcome.error()->code, ErrorCode::kCorrupt);
      ++refused;
    }
    (void)engine.Verify();
    EXPECT_EQ(SearchAll(&engine, Keyword("woodpile")).hits.size(), 5u);  // who filters by nothing is not disturbed
  }
  EXPECT_GT(refused, damaged.size() / 3);
}

TEST(DamagedFacets, CountsBeyondAllReasonAreRefusedAtOnce) {
  const auto bundle = Bundle();
  const std::vector<uint8_t> huge = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
  std::vector<uint8_t> keys = huge, values = {1, 1, 'k'}, pages = {1, 1, 'k', 1, 1, 'v'}, sorts = {0}, many = {32};
  for (auto* bytes : {&values, &pages, &sorts}) bytes->insert(bytes->end(), huge.begin(), huge.end());
  for (int i = 0; i < 32; ++i) many.insert(many.end(), {1, uint8_t('A' + i), 0});
  many.push_back(0);
  for (const auto& bytes : {keys, values, pages, sorts, many}) {
    const auto file = WithFacets(bundle, bytes);
    Engine engine = test::WholeEngine(file, {});
    auto outcome = engine.Search(Selected("\nk\tv\t\n"));
    ASSERT_TRUE(outcome.error());
    EXPECT_EQ(outcome.error()->code, ErrorCode::kCorrupt);
    EXPECT_EQ(engine.Verify().error()->code, ErrorCode::kCorrupt);
  }
}

}  // namespace facets_test
}  // namespace sheaf
