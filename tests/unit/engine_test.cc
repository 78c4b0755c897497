#include "search/engine.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "tests/unit/processor_time.h"
#include "tests/unit/support.h"

namespace sheaf {
namespace engine_test {

using test::FirstSource;
using test::Keyword;
using test::SearchAll;

TEST(Engine, FindsTechnicalNamesHoweverTheyAreTyped) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle, {});
  const std::vector<std::pair<const char*, const char*>> expected = {
      {"C++", "reference/concurrency.md"},
      {"<table>", "guide/response-models.md"},
      {"--save-dev", "guide/caching.md"},
      {"save-dev", "guide/caching.md"},
      {"response_model_exclude_unset", "guide/response-models.md"},
      {"exclude unset", "guide/response-models.md"},
      {"asyncio.gather", "reference/concurrency.md"},
      {"gather", "reference/concurrency.md"},
      {"std::vector", "reference/concurrency.md"},
      {"useEffect", "reference/effects.md"},
      {"useeffect", "reference/effects.md"},
      {"use effect", "reference/effects.md"},
      {"USE EFFECT", "reference/effects.md"},
      {"以前计算", "zh/guide.md"},
      {"日本語", "zh/guide.md"},
  };
  for (const auto& [query, source] : expected)
    EXPECT_EQ(FirstSource(SearchAll(&engine, Keyword(query))), source) << query;
}

TEST(Engine, FindsOtherFormsBeginningsAndMisspellings) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle, {});
  EXPECT_EQ(FirstSource(SearchAll(&engine, Keyword("caches"))), "guide/caching.md");
  EXPECT_EQ(FirstSource(SearchAll(&engine, Keyword("connec"))), "reference/effects.md");
  const Answer typo = SearchAll(&engine, Keyword("asyncio gahter"));
  EXPECT_EQ(FirstSource(typo), "reference/concurrency.md");
  ASSERT_EQ(typo.corrections.size(), 1u);
  EXPECT_EQ(typo.corrections[0].word, "gahter");
  EXPECT_EQ(typo.corrections[0].term, "gather");
  Query strict = Keyword("gahter");
  strict.typo = false;
  EXPECT_TRUE(SearchAll(&engine, strict).hits.empty());
  Query whole_words = Keyword("connec");
  whole_words.prefix = whole_words.typo = false;
  EXPECT_TRUE(SearchAll(&engine, whole_words).hits.empty());
}

TEST(Engine, FindsWhatAWordIsNamedAfterFarBehindTheWordItself) {
  const auto of = [](std::string language) {
    BuildOptions options = test::SampleOptions();
    options.language = LanguageOf(language);
    return test::Build({test::MakePageInput("Locks", "locks.md", {{{}, "", "Reading never waits for writing.", ""}}),
                        test::MakePageInput("Staff", "staff.md", {{{}, "", "A writer works for the press.", ""}}),
                        test::MakePageInput("Paper", "paper.md", {{{}, "", "Damp sheets dry slowly.", ""}})},
                       options, nullptr);
  };
  Engine engine = test::WholeEngine(of("en"), {});
  const Answer writers = SearchAll(&engine, Keyword("writers"));
  ASSERT_EQ(writers.hits.size(), 2u);
  EXPECT_EQ(writers.hits[0].source, "staff.md");
  EXPECT_EQ(writers.hits[1].source, "locks.md");
  EXPECT_EQ(FirstSource(SearchAll(&engine, Keyword("readers"))), "locks.md");
  EXPECT_EQ(SearchAll(&engine, Keyword("paper")).hits.size(), 1u) << "a word that only ends so has no kin";
  Engine other = test::WholeEngine(of(""), {});
  EXPECT_EQ(SearchAll(&other, Keyword("readers")).hits.size(), 0u) << "the rule is one of English";
}

TEST(Engine, FindsByMeaningWhatNoWordMatches) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle);
  Query query;
  query.text = "memoize";
  query.explain = true;
  const Answer answer = SearchAll(&engine, query);
  EXPECT_EQ(FirstSource(answer), "guide/caching.md");
  EXPECT_TRUE(answer.used_semantic);
  EXPECT_EQ(answer.hits[0].explanation->keyword_raw, 0);
  EXPECT_GT(answer.hits[0].explanation->cosine, 0.5f);
  query.mode = Mode::kSemantic;
  EXPECT_EQ(FirstSource(SearchAll(&engine, query)), "guide/caching.md");
  query.mode = Mode::kKeyword;
  EXPECT_TRUE(SearchAll(&engine, query).hits.empty());
}

TEST(Engine, FindsByMeaningTheFewPassagesOfASmallBundle) {
  const std::vector<uint8_t> table = test::TableBytes();
  const test::LoadedEncoder encoder(table);
  for (const size_t pages : {1, 3}) {
    std::vector<PageInput> all;
    for (size_t i = 0; i < pages; ++i) {
      all.push_back(test::MakePageInput("Stock", "stock" + std::to_string(i) + ".md",
                                        {{{}, "", "The cache keeps answers that were cached before.", ""}}));
    }
    Engine engine = test::WholeEngine(test::Build(std::move(all), test::SampleOptions(), &*encoder.encoder), table);
    Query query;
    query.text = "memoize";
    const Answer near = SearchAll(&engine, query);
    EXPECT_EQ(near.hits.size(), pages);
    EXPECT_FALSE(near.weak) << pages;
    query.text = "lifecycle";
    const Answer far = SearchAll(&engine, query);
    EXPECT_TRUE(far.hits.empty() || far.weak) << pages;
    query.text = "memoize";
    query.mode = Mode::kSemantic;
    EXPECT_EQ(SearchAll(&engine, query).hits.size(), pages);
  }
}

TEST(Engine, GivesTheVectorsThatItComparesWith) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle);
  Query query;
  query.text = "memoize";
  query.mode = Mode::kSemantic;
  query.by_passage = query.explain = true;
  const std::vector<float> asked = *engine.Embed(query.text).value();
  const Answer answer = SearchAll(&engine, query);
  ASSERT_FALSE(answer.hits.empty());
  for (const Hit& hit : answer.hits) {
    auto outcome = engine.GetVector(hit.passage);
    ASSERT_TRUE(outcome.value());
    const std::vector<float>& vector = *outcome.value();
    ASSERT_EQ(vector.size(), asked.size());
    float cosine = 0, square = 0;
    for (size_t d = 0; d < vector.size(); ++d) cosine += vector[d] * asked[d], square += vector[d] * vector[d];
    EXPECT_NEAR(square, 1, 1e-4);
    EXPECT_NEAR(cosine, hit.explanation->cosine, 0.02);  // the scan rounds the query, too
  }
}

TEST(Engine, TellsWhichWordsTheEncoderHas) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle);
  EXPECT_TRUE(*engine.KnowsWord("memoize").value());
  EXPECT_FALSE(*engine.KnowsWord("memoise").value());
  EXPECT_FALSE(*engine.KnowsWord("").value());
  // Words in a row are no word.
  EXPECT_FALSE(*engine.KnowsWord("memoize memoize").value());
}

TEST(Engine, LeansOnMeaningAsFarAsWordsAreMissing) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle);
  const auto share = [&](const char* text, float given = -1) {
    Query query;
    query.text = text;
    query.explain = true;
    query.semantic_weight = given;
    const Answer answer = SearchAll(&engine, query);
    EXPECT_FALSE(answer.hits.empty()) << text;
    return answer.hits.empty() ? 0 : answer.hits[0].explanation->semantic_weight;
  };
  const float all = share("caching answers"), some = share("caching answers zebra quagga okapi"),
              none = share("memoize");
  EXPECT_GT(all, 0);
  EXPECT_LT(all, some);
  EXPECT_LT(some, none);
  EXPECT_EQ(none, 1);
  EXPECT_EQ(share("caching answers zebra quagga okapi", 0.25f), 0.25f);  // the caller's share is the caller's
}

TEST(Engine, ScoresLieInZeroToOneAndNeverIncrease) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle);
  for (const char* text : {"cache", "the answers of a response model", "table rows", "jobs", "a", "caching answers"}) {
    for (Mode mode : {Mode::kKeyword, Mode::kSemantic, Mode::kHybrid}) {
      for (bool rrf : {false, true}) {
        Query query;
        query.text = text;
        query.mode = mode;
        query.rrf = rrf;
        float last = 1;
        for (const Hit& hit : SearchAll(&engine, query).hits) {
          EXPECT_GE(hit.score, 0);
          EXPECT_LE(hit.score, last);
          last = hit.score;
        }
      }
    }
  }
}

TEST(Engine, RewardsATitleInAnyOrderOfItsWordsAndWithItsLastUnfinished) {
  const auto bundle = test::SampleBundle();
  const auto bonus = [&](const char* text, bool prefix, float of_title) {
    Engine engine = test::WholeEngine(bundle);
    Ranking ranking;
    ranking.title_bonus = of_title;
    engine.set_ranking(ranking);
    Query query = Keyword(text);
    query.prefix = prefix;
    query.typo = false;
    query.explain = true;
    for (const Hit& hit : SearchAll(&engine, query).hits) {
      if (hit.source == "guide/caching.md") return hit.explanation->page_bonus;
    }
    ADD_FAILURE() << text;
    return 0.0f;
  };
  const auto gains = [&](const char* text, bool prefix = true) {
    return bonus(text, prefix, 0.2f) > bonus(text, prefix, 0);
  };
  EXPECT_TRUE(gains("Caching answers?"));
  EXPECT_TRUE(gains("answers caching"));
  EXPECT_TRUE(gains("caching answe"));
  EXPECT_TRUE(gains("answers cach"));
  EXPECT_FALSE(gains("answers cach", false)) << "the query says that its words are whole";
  EXPECT_FALSE(gains("cach answers")) << "only the last word may be unfinished";
  EXPECT_FALSE(gains("caching")) << "a part of the title";
  EXPECT_FALSE(gains("caching caching"));
  EXPECT_FALSE(gains("caching answers fast"));
}

TEST(Engine, GivesSeveralPassagesOfAPageWhenAskedByPassage) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle);
  Query query;
  query.text = "cache";
  const Answer pages = SearchAll(&engine, query);
  query.by_passage = true;
  const Answer passages = SearchAll(&engine, query);
  EXPECT_GT(passages.hits.size(), pages.hits.size());
  EXPECT_EQ(passages.hits[0].page, pages.hits[0].page);
  std::set<uint32_t> seen;
  std::map<uint32_t, int> of_page;
  for (size_t i = 0; i < passages.hits.size(); ++i) {
    EXPECT_TRUE(seen.insert(passages.hits[i].passage).second);
    ++of_page[passages.hits[i].page];
    EXPECT_GT(passages.hits[i].score, 0);
    if (i > 0) {
      EXPECT_LE(passages.hits[i].score, passages.hits[i - 1].score);
    }
  }
  EXPECT_LT(of_page.size(), passages.hits.size());
  query.top_k = 2;
  EXPECT_EQ(SearchAll(&engine, query).hits.size(), 2u);
}

TEST(Engine, AnswersNothingRatherThanSomethingOfScoreZero) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle);
  for (const char* text : {"zzqqxxyy", "qwrtzpsd fghjkl", "!!", ""}) {
    for (bool by_passage : {false, true}) {
      Query query;
      query.text = text;
      query.by_passage = by_passage;
      for (const Hit& hit : SearchAll(&engine, query).hits) EXPECT_GT(hit.score, 0) << text;
    }
  }
}

TEST(Engine, FindsWhatCoversNoWordOfTheQuery) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle);
  // An operator alone, and two words that the documentation writes as one.
  for (const auto& [text, source] :
       {std::pair("=>", "reference/effects.md"), std::pair("wood pile", "guide/caching.md")}) {
    for (Mode mode : {Mode::kKeyword, Mode::kHybrid}) {
      Query query = Keyword(text);
      query.mode = mode;
      const Answer answer = SearchAll(&engine, query);
      EXPECT_EQ(answer.matching_passages, 1u) << text;
      ASSERT_EQ(FirstSource(answer), source) << text;
      EXPECT_GT(answer.hits[0].score, 0) << text;
      EXPECT_FALSE(answer.hits[0].highlights.empty()) << text;
    }
  }
}

TEST(Engine, ShowsWhereAHitComesFromAndWhy) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle, {});
  Query query = Keyword("expires ttl");
  query.explain = true;
  const Answer answer = SearchAll(&engine, query);
  ASSERT_FALSE(answer.hits.empty());
  const Hit& hit = answer.hits[0];
  EXPECT_EQ(hit.title, "Caching answers");
  EXPECT_EQ(hit.url, "https://docs.example/guide/caching.html");
  EXPECT_EQ(hit.anchor, "expiry");
  EXPECT_EQ(hit.headings, std::vector<std::string>{"Expiry"});
  EXPECT_EQ(hit.first_line, 6u);
  EXPECT_NE(hit.snippet.find("expires"), std::string::npos);
  EXPECT_FALSE(hit.highlights.empty());
  float sum = 0;
  for (const TermMatch& match : hit.explanation->terms) sum += match.score;
  const float factor = 1 - Ranking().coverage + Ranking().coverage * hit.explanation->coverage;
  EXPECT_NEAR(sum * factor, hit.explanation->keyword_raw, 1e-3);
}

TEST(Engine, GivesPagesAndPassagesBackByteForByte) {
  const auto pages = test::SamplePages();
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle, {});
  for (uint32_t id = 0; id < pages.size(); ++id) {
    auto outcome = engine.GetPage(id);
    ASSERT_TRUE(outcome.value());
    const Page& page = *outcome.value();
    std::string joined;
    for (const Passage& passage : page.passages) {
      joined += passage.text;
      auto alone = engine.GetPassage(passage.id);
      ASSERT_TRUE(alone.value());
      EXPECT_EQ(alone.value()->text, passage.text);
      EXPECT_EQ(alone.value()->anchor, passage.anchor);
    }
    EXPECT_EQ(joined, pages[id].text);
    for (const std::string& name : {pages[id].url, pages[id].source, pages[id].url + "#somewhere"}) {
      auto found = engine.FindPage(name);
      ASSERT_TRUE(found.value()) << name;
      EXPECT_EQ(*found.value(), id);
    }
  }
  EXPECT_EQ(engine.FindPage("nowhere.md").error()->code, ErrorCode::kNotFound);
  EXPECT_EQ(engine.GetPage(99).error()->code, ErrorCode::kNotFound);
  EXPECT_EQ(engine.GetPassage(UINT32_MAX).error()->code, ErrorCode::kNotFound);
  EXPECT_EQ(engine.GetVector(UINT32_MAX).error()->code, ErrorCode::kNotFound);
  EXPECT_TRUE(engine.Verify().value());
}

std::string Print(const Answer& answer) {
  std::string out;
  for (const Hit& hit : answer.hits) {
    out += std::to_string(hit.passage) + " " + std::to_string(hit.score) + " " + hit.title + " " + hit.snippet + "\n";
  }
  return out;
}

TEST(Engine, AnswersAlikeWholeAndFedRangeByRange) {
  BuildOptions options = test::SampleOptions();
  for (GraphMode graph : {GraphMode::kNever, GraphMode::kAlways}) {
    options.graph = graph;
    const auto bundle = test::SampleBundle(options);
    const auto table = test::TableBytes();
    Engine whole = test::WholeEngine(bundle, table);
    for (const char* text : {"cache", "memoize the gahter", "use effect", "conc", "C++", "计算", ""}) {
      for (Mode mode : {Mode::kKeyword, Mode::kSemantic, Mode::kHybrid}) {
        Query query;
        query.text = text;
        query.mode = mode;
        Engine lazy;
        ASSERT_TRUE(lazy.SetSource(kBundleSource, bundle.size()).ok());
        ASSERT_TRUE(lazy.SetSource(kEncoderSource, table.size()).ok());
        std::optional<Answer> answer;
        for (int round = 0; round < 20 && !answer; ++round) {
          auto outcome = lazy.Search(query);
          ASSERT_FALSE(outcome.error()) << outcome.error()->message;
          if (outcome.value()) answer = *outcome.value();
          if (!outcome.needs()) continue;
          for (const Range& range : *outcome.needs()) {
            const auto& file = range.source ? table : bundle;
            // Whatever its shape, feed it in two halves and out of order.
            const uint64_t half = range.length / 2;
            for (const auto& [from, size] :
                 {std::pair(range.offset + half, range.length - half), std::pair(range.offset, half)}) {
              ASSERT_TRUE(lazy.Supply(range.source, from, ByteSpan(file).subspan(from, size)).ok());
            }
          }
        }
        ASSERT_TRUE(answer) << "the engine kept asking for bytes";
        EXPECT_EQ(Print(*answer), Print(SearchAll(&whole, query))) << text;
      }
    }
  }
}

TEST(Engine, TakesAnyQuery) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle);
  std::string noise;
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) noise += char(random());
  for (const std::string& text :
       {std::string(), std::string("   "), std::string("\0cache\0", 7), std::string(100'000, 'a'),
        std::string("cache \xff\xfe\x80 \xed\xa0\x80"), noise, std::string(200'000, ' ')}) {
    for (uint32_t top_k : {0u, 1u, 10u, 1'000'000u, UINT32_MAX}) {
      Query query;
      query.text = text;
      query.top_k = top_k;
      auto outcome = engine.Search(query);
      ASSERT_TRUE(outcome.value());
      EXPECT_LE(outcome.value()->hits.size(), top_k);
    }
  }
  EXPECT_EQ(FirstSource(SearchAll(&engine, Keyword(std::string("\0cache\0", 7)))), "guide/caching.md");
  Query long_query;
  for (int i = 0; i < 500; ++i) long_query.text += "word" + std::to_string(i) + " ";
  EXPECT_EQ(SearchAll(&engine, long_query).ignored_words, 500 - kMaxQueryWords);
  EXPECT_EQ(engine.Search(Keyword(std::string(kMaxQueryBytes + 1, 'a'))).error()->code, ErrorCode::kTooLarge);
}

TEST(Engine, SaysWhatIsMissingForASemanticSearch) {
  const auto bundle = test::SampleBundle();
  Engine no_table = test::WholeEngine(bundle, {});
  Query query;
  query.text = "memoize";
  query.mode = Mode::kSemantic;
  EXPECT_EQ(no_table.Search(query).error()->code, ErrorCode::kNoEncoder);
  query.vector = {1, 2, 3};
  EXPECT_EQ(no_table.Search(query).error()->code, ErrorCode::kInvalidArgument);
  query.vector.assign(16, 0.1f);
  EXPECT_TRUE(no_table.Search(query).value());
  query.vector[3] = NAN;
  EXPECT_EQ(no_table.Search(query).error()->code, ErrorCode::kInvalidArgument);

  query.vector.clear();
  Engine no_vectors = test::WholeEngine(test::Build(test::SamplePages(), test::SampleOptions(), nullptr));
  EXPECT_EQ(no_vectors.Search(query).error()->code, ErrorCode::kNoVectors);
  query.mode = Mode::kHybrid;
  query.text = "cache";
  EXPECT_EQ(FirstSource(SearchAll(&no_vectors, query)), "guide/caching.md");

  EncoderTableInput other = test::SampleTable();
  other.space = "elsewhere";
  Engine mismatch = test::WholeEngine(bundle, *BuildEncoderTable(other));
  auto outcome = mismatch.Search(query);
  ASSERT_TRUE(outcome.error());
  EXPECT_EQ(outcome.error()->code, ErrorCode::kSpaceMismatch);
  EXPECT_NE(outcome.error()->message.find("test-16"), std::string::npos);
  EXPECT_NE(outcome.error()->message.find("elsewhere"), std::string::npos);
}

TEST(Engine, RefusesCallsBeforeASourceIsDeclared) {
  Engine engine;
  EXPECT_EQ(engine.Open().error()->code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(engine.Search(Keyword("x")).error()->code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(engine.Supply(0, 0, {}).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(engine.SetSource(2, 10).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(engine.SetSource(0, UINT64_MAX).code(), ErrorCode::kTooLarge);
}

// Any byte may be hit by damage: it is noticed, or it changes nothing that a reader sees.
TEST(Engine, NeverGivesAWrongAnswerFromAFlippedByte) {
  const auto bundle = test::SampleBundle();
  const auto table = test::TableBytes();
  Query query;
  query.text = "cache gather effect";
  Engine sound = test::WholeEngine(bundle, table);
  const std::string expected = Print(SearchAll(&sound, query));
  size_t unnoticed = 0;
  for (size_t at = 0; at < bundle.size(); ++at) {
    auto copy = bundle;
    copy[at] ^= uint8_t(1u << (at % 8));
    Engine engine = test::WholeEngine(copy, table);
    auto answer = engine.Search(query);
    ASSERT_FALSE(answer.needs());
    if (answer.value()) {
      ASSERT_EQ(Print(*answer.value()), expected) << "byte " << at;
      ++unnoticed;
    }
    auto verified = engine.Verify();
    ASSERT_TRUE(verified.error()) << "byte " << at << " escaped verify";
  }
  // Most blocks are needed by this query; those that are not may be damaged without harm to it.
  EXPECT_LT(unnoticed, bundle.size());
}

TEST(Engine, FindsPagesWhosePathHoldsAHash) {
  auto pages = test::SamplePages();
  pages[0].source = "guide/C#.md";
  pages[0].url = "guide/C%23.html#top";
  Engine engine = test::WholeEngine(test::Build(pages, test::SampleOptions(), nullptr), {});
  for (const char* name : {"guide/C#.md", "guide/C%23.html", "guide/C%23.html#elsewhere"}) {
    auto found = engine.FindPage(name);
    ASSERT_TRUE(found.value()) << name;
    EXPECT_EQ(*found.value(), 0u);
  }
  EXPECT_TRUE(engine.Verify().value());
}

TEST(BundleBuilder, WritesTheSameBytesForTheSameInput) { EXPECT_EQ(test::SampleBundle(), test::SampleBundle()); }

TEST(BundleBuilder, GivesAPassageTheAnchorOfItsNearestHeadingThatHasOne) {
  PageInput page = test::MakePageInput("Notes", "notes.md",
                                       {{{"Fixed"}, "fixed", "one", ""},
                                        {{"Fixed", "Search"}, "", "two", ""},
                                        {{"Fixed"}, "fixed-1", "three", ""},
                                        {{"Fixed", "Search"}, "", "four", ""},
                                        {{"Fixed", "Search", "Speed"}, "speed", "five", ""},
                                        {{"Fixed", "Search"}, "", "six", ""},
                                        {{"Fixed"}, "fixed", "seven", ""},
                                        {{"Added", "Pages"}, "", "eight", ""}});
  const auto bundle = test::Build({page}, test::SampleOptions(), nullptr);
  Engine engine = test::WholeEngine(bundle, {});
  auto outcome = engine.GetPage(0);
  ASSERT_TRUE(outcome.value());
  std::vector<std::string> anchors;
  for (const Passage& passage : outcome.value()->passages) anchors.push_back(passage.anchor);
  EXPECT_EQ(anchors,
            (std::vector<std::string>{"fixed", "fixed", "fixed-1", "fixed-1", "speed", "fixed-1", "fixed", ""}));
}

TEST(BundleBuilder, TakesTimeInStepWithAPagesHeadings) {
  std::vector<test::Section> sections;
  for (int i = 0; i < 100'000; ++i) sections.push_back({{"h" + std::to_string(i)}, "a" + std::to_string(i), "", ""});
  auto prepared = PreparePage(test::MakePageInput("Changes", "changes.md", sections), Analyzer(), nullptr);
  ASSERT_TRUE(prepared.ok());
  BundleBuilder builder(test::SampleOptions(), nullptr);
  // A look at every heading for each would take a minute.
  EXPECT_LT(test::SecondsOf([&] { ASSERT_TRUE(builder.Add(std::move(*prepared)).ok()); }), 15);
}

TEST(BundleBuilder, RefusesPagesWhosePassagesDoNotTileTheText) {
  Analyzer analyzer;
  PageInput page = test::SamplePages()[0];
  page.passages.back().end -= 1;
  EXPECT_EQ(PreparePage(page, analyzer, nullptr).code(), ErrorCode::kInvalidArgument);
  page = test::SamplePages()[0];
  page.passages.clear();
  EXPECT_EQ(PreparePage(page, analyzer, nullptr).code(), ErrorCode::kInvalidArgument);
  BundleBuilder empty(test::SampleOptions(), nullptr);
  EXPECT_EQ(empty.Finish({}).code(), ErrorCode::kInvalidArgument);
}

}  // namespace engine_test
}  // namespace sheaf
