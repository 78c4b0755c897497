// The engine fed by the ranges it asks for, on a collection large enough to have partitions: the same
// answers as when it holds everything, in few rounds, for few bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "bundle/container.h"
#include "tests/unit/support.h"
#include "tests/unit/synthetic_vectors.h"
#include "vector/partition.h"

namespace sheaf {
namespace engine_lazy_test {

using test::Keyword;
using test::SearchAll;

// Of a collection as small as this one, the usual budget would read all vectors.
constexpr uint64_t kProbeBytes = 5 << 10;
constexpr uint32_t kTopics = 20, kWordsPerTopic = 400, kPages = 220, kPassagesPerPage = 3, kDimensions = 64;
constexpr int kWordsPerPassage = 90;

// Passages of made-up words, each mostly of its page's topic; words of a topic are near one another.
struct Corpus {
  std::vector<std::vector<std::string>> topics;
  std::vector<uint8_t> bundle, table;

  Corpus() {
    std::mt19937 random(11);
    std::set<std::string> known;
    topics.resize(kTopics);
    for (auto& topic : topics) {
      while (topic.size() < kWordsPerTopic) {
        const std::string word = Word(&random);
        if (known.insert(word).second) topic.push_back(word);
      }
    }
    table = MakeTable();
    bundle = MakeBundle(&random);
  }

  static std::string Word(std::mt19937* random) {
    static const char* syllables[] = {"ba",  "ko",  "ri", "ten", "mus", "lo",  "dar", "fi",
                                      "gra", "pel", "nu", "sta", "vor", "hem", "qua", "zi"};
    std::string word;
    for (size_t n = 2 + (*random)() % 4; n > 0; --n) word += syllables[(*random)() % std::size(syllables)];
    return word + char('b' + (*random)() % 3);  // no plural of another
  }

  std::vector<uint8_t> MakeTable() const {
    EncoderTableInput input;
    input.space = "test-64";
    input.dimensions = kDimensions;
    input.manifest = "{}";
    TestRandom random(12);
    for (const auto& topic : topics) {
      const std::vector<float> direction = RandomUnitVector(&random, kDimensions);
      for (const std::string& word : topic) {
        input.words.push_back(word);
        const std::vector<float> own = RandomUnitVector(&random, kDimensions);
        for (uint32_t d = 0; d < kDimensions; ++d) input.rows.push_back(direction[d] + 0.8f * own[d]);
      }
    }
    auto bytes = BuildEncoderTable(input);
    EXPECT_TRUE(bytes.ok());
    return std::move(*bytes);
  }

  std::vector<uint8_t> MakeBundle(std::mt19937* random) const {
    std::vector<PageInput> pages;
    size_t turn = 0;
    for (uint32_t p = 0; p < kPages; ++p) {
      const auto& topic = topics[p % kTopics];
      std::vector<test::Section> sections(kPassagesPerPage);
      for (uint32_t i = 0; i < kPassagesPerPage; ++i) {
        sections[i].headings = {"Part " + topic[(*random)() % topic.size()]};
        sections[i].anchor = "part-" + std::to_string(i);
        for (int w = 0; w < kWordsPerPassage; ++w) {
          // Every word of a topic has its turn, beside some of other topics.
          const auto& from = w % 9 == 8 ? topics[(*random)() % kTopics] : topic;
          const size_t word = w % 2 ? turn++ * 7 % kWordsPerTopic : (*random)() % kWordsPerTopic;
          sections[i].prose += from[word] + (w % 12 == 11 ? ". " : w % 5 == 4 ? " and the " : " ");
        }
        sections[i].prose += "common words everywhere";
      }
      pages.push_back(test::MakePageInput("Page " + std::to_string(p), "p" + std::to_string(p) + ".md", sections));
    }
    BuildOptions options = test::SampleOptions();
    options.compression_level = 5;
    test::LoadedEncoder encoder(table);
    return test::Build(std::move(pages), std::move(options), &*encoder.encoder);
  }

  const std::string& Any(std::mt19937* random) const {
    const auto& topic = topics[(*random)() % kTopics];
    return topic[(*random)() % topic.size()];
  }
  // Some words of one topic.
  std::string Phrase(std::mt19937* random, size_t words) const {
    const auto& topic = topics[(*random)() % kTopics];
    std::string phrase;
    for (; words > 0; --words) phrase += topic[(*random)() % topic.size()] + (words > 1 ? " " : "");
    return phrase;
  }
};

const Corpus& TheCorpus() {
  static const Corpus* corpus = new Corpus;
  return *corpus;
}

// A host that brings just what is asked for, and counts.
class Host {
 public:
  template <typename Call>
  auto Ask(Call call) {
    rounds_ = 0;
    asked_.clear();
    for (;;) {
      auto outcome = call(engine_);
      if (outcome.error()) ADD_FAILURE() << outcome.error()->message;
      if (!outcome.needs() || ++rounds_ > 20) return outcome;
      for (const Range& range : *outcome.needs()) {
        asked_.push_back({range, rounds_});
        const auto& file = range.source == kBundleSource ? TheCorpus().bundle : TheCorpus().table;
        EXPECT_TRUE(
            engine_.Supply(range.source, range.offset, ByteSpan(file).subspan(range.offset, range.length)).ok());
      }
    }
  }

  Host() {
    const Corpus& corpus = TheCorpus();
    Ranking ranking;
    ranking.probe_bytes = kProbeBytes;
    engine_.set_ranking(ranking);
    EXPECT_TRUE(engine_.SetSource(kBundleSource, corpus.bundle.size()).ok());
    EXPECT_TRUE(engine_.SetSource(kEncoderSource, corpus.table.size()).ok());
    EXPECT_TRUE(Ask([](Engine& e) { return e.Open(); }).value());
    EXPECT_TRUE(Ask([](Engine& e) { return e.OpenEncoder(); }).value());
  }
  Answer Search(const Query& query) {
    auto outcome = Ask([&](Engine& e) { return e.Search(query); });
    EXPECT_TRUE(outcome.value()) << "the engine kept asking for bytes";
    return outcome.value() ? std::move(*outcome.value()) : Answer();
  }

  // Of the last call.
  int rounds() const { return rounds_; }
  size_t AskedOfEncoder() const {
    return size_t(std::count_if(asked_.begin(), asked_.end(),
                                [](const auto& asked) { return asked.first.source == kEncoderSource; }));
  }
  uint64_t BytesOf(std::initializer_list<SectionId> ids, int from_round = 1) const {
    static Container* container = [] {
      auto* opened = new Container(TheCorpus().bundle.size());
      EXPECT_TRUE(opened->Supply(0, TheCorpus().bundle).ok());
      EXPECT_TRUE(opened->Open(ContainerKind::kBundle).ok());
      return opened;
    }();
    uint64_t sum = 0;
    for (SectionId id : ids) {
      const SectionInfo* section = container->Find(id);
      if (!section) continue;
      for (const auto& [range, round] : asked_) {
        if (range.source != kBundleSource || round < from_round) continue;
        const uint64_t from = std::max(range.offset, section->offset);
        const uint64_t to = std::min(range.offset + range.length, section->offset + section->stored_size);
        if (from < to) sum += to - from;
      }
    }
    return sum;
  }
  static uint64_t Stored(SectionId id) {
    Container container(TheCorpus().bundle.size());
    EXPECT_TRUE(container.Supply(0, TheCorpus().bundle).ok());
    EXPECT_TRUE(container.Open(ContainerKind::kBundle).ok());
    const SectionInfo* section = container.Find(id);
    return section ? section->stored_size : 0;
  }

 private:
  Engine engine_;
  int rounds_ = 0;
  std::vector<std::pair<Range, int>> asked_;  // with the round that asked for it
};

Engine& Resident() {
  static Engine* engine = new Engine(test::WholeEngine(TheCorpus().bundle, TheCorpus().table));
  return *engine;
}

std::string Print(const Answer& answer) {
  std::string out = std::to_string(answer.matching_passages);
  for (const Correction& c : answer.corrections) out += " " + c.word + ">" + c.term;
  for (const Hit& hit : answer.hits) {
    out += "\n" + std::to_string(hit.passage) + " " + std::to_string(hit.score) + " " + hit.title + "#" + hit.anchor +
           " " + hit.snippet;
    for (const Highlight& h : hit.highlights) out += " " + std::to_string(h.start) + "+" + std::to_string(h.length);
  }
  return out;
}

Query Of(std::string text, Mode mode) {
  Query query;
  query.text = std::move(text);
  query.mode = mode;
  return query;
}

TEST(LazyEngine, CollectionOfThisTestHasPartitionsAndThousandsOfWords) {
  ASSERT_GE(kPages * kPassagesPerPage, kPartitionFrom);
  EXPECT_GT(Host::Stored(SectionId::kVectors), 2 * kProbeBytes);
  auto info = Resident().Open();
  ASSERT_TRUE(info.value());
  EXPECT_GT(info.value()->terms, 4000u);
  EXPECT_TRUE(Resident().Verify().value());
}

TEST(LazyEngine, KeywordAnswersAreThoseOfTheResidentOne) {
  std::mt19937 random(1);
  Host warm;
  for (int i = 0; i < 40; ++i) {
    std::string text = TheCorpus().Phrase(&random, 1 + random() % 4);
    if (i % 8 == 5) text += " common";
    if (i % 8 == 6) text += " zzzz";
    Query query = Keyword(text);
    query.explain = i % 2;
    query.by_passage = i % 3 == 0;
    const std::string expected = Print(SearchAll(&Resident(), query));
    Host cold;
    EXPECT_EQ(Print(cold.Search(query)), expected) << text;
    EXPECT_EQ(Print(warm.Search(query)), expected) << text;
  }
}

TEST(LazyEngine, KeywordSearchOfKnownWordsTakesTwoRoundsAndNoVectors) {
  std::mt19937 random(2);
  int worst = 0;
  uint64_t terms = 0;
  for (int i = 0; i < 60; ++i) {
    Host host;
    const Query query = Keyword(TheCorpus().Phrase(&random, 1 + random() % 4));
    EXPECT_FALSE(host.Search(query).hits.empty());
    worst = std::max(worst, host.rounds());
    EXPECT_LE(host.rounds(), 2) << query.text;
    EXPECT_EQ(host.BytesOf({SectionId::kVectors, SectionId::kPartitionIndex, SectionId::kGraph, SectionId::kSpellings,
                            SectionId::kUrlIndex}),
              0u)
        << query.text;
    terms += host.BytesOf({SectionId::kTerms});
    EXPECT_LT(host.BytesOf({SectionId::kTerms}), Host::Stored(SectionId::kTerms) / 5) << query.text;
  }
  EXPECT_EQ(worst, 2);
  EXPECT_GT(terms, 0u);
}

TEST(LazyEngine, HybridSearchOfKnownWordsTakesThreeRoundsOfWordsPartitionsAndHits) {
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    Host host;
    const Query query = Of(TheCorpus().Phrase(&random, 1 + random() % 4), Mode::kHybrid);
    const Answer answer = host.Search(query);
    EXPECT_TRUE(answer.used_semantic && answer.used_keyword);
    EXPECT_LE(host.rounds(), 3) << query.text;
    EXPECT_EQ(
        host.BytesOf({SectionId::kTerms, SectionId::kSpellings, SectionId::kPartitionIndex, SectionId::kVectors}, 3),
        0u)
        << "the third round asks for more than passages: " << query.text;
    EXPECT_LE(host.BytesOf({SectionId::kVectors}), kProbeBytes) << query.text;
    EXPECT_GT(host.BytesOf({SectionId::kVectors}), 0u) << query.text;
  }
}

TEST(LazyEngine, HybridAndSemanticAnswersAreNearlyThoseOfTheResidentOne) {
  std::mt19937 random(4);
  for (Mode mode : {Mode::kSemantic, Mode::kHybrid}) {
    size_t found = 0, wanted = 0, same_top = 0;
    constexpr int kQueries = 40;
    for (int i = 0; i < kQueries; ++i) {
      const Query query = Of(TheCorpus().Phrase(&random, 1 + random() % 4), mode);
      Host host;
      const Answer lazy = host.Search(query), resident = SearchAll(&Resident(), query);
      ASSERT_FALSE(lazy.hits.empty());
      same_top += lazy.hits[0].page == resident.hits[0].page && lazy.hits[0].passage == resident.hits[0].passage;
      std::set<uint32_t> pages;
      for (const Hit& hit : lazy.hits) pages.insert(hit.page);
      for (const Hit& hit : resident.hits) found += pages.contains(hit.page);
      wanted += resident.hits.size();
    }
    EXPECT_EQ(same_top, size_t(kQueries)) << (mode == Mode::kHybrid ? "hybrid" : "semantic");
    EXPECT_GE(double(found) / double(wanted), 0.95) << (mode == Mode::kHybrid ? "hybrid" : "semantic");
  }
}

TEST(LazyEngine, OnceAllBytesAreThereHybridAnswersAreTheResidentOnes) {
  Host host;
  EXPECT_TRUE(host.Ask([](Engine& e) { return e.Verify(); }).value());
  std::mt19937 random(5);
  for (int i = 0; i < 20; ++i) {
    const Query query = Of(TheCorpus().Phrase(&random, 1 + random() % 3), i % 2 ? Mode::kHybrid : Mode::kSemantic);
    EXPECT_EQ(Print(host.Search(query)), Print(SearchAll(&Resident(), query)));
    EXPECT_LE(host.rounds(), 1) << "words of the table alone";
  }
}

// What looking words up may cost: a fifth of all there is.
void ExpectFewLookedUp(const Host& host, const std::string& text) {
  EXPECT_LT(host.BytesOf({SectionId::kTerms, SectionId::kSpellings}),
            (Host::Stored(SectionId::kTerms) + Host::Stored(SectionId::kSpellings)) / 5)
      << text;
}

TEST(LazyEngine, CorrectionsAreTheResidentOnesForAFifthOfTheWords) {
  std::mt19937 random(6);
  int corrected = 0;
  for (int i = 0; i < 40; ++i) {
    std::string word = TheCorpus().Any(&random);
    if (word.size() < 6) continue;
    const size_t at = 1 + random() % (word.size() - 2);
    if (i % 3 == 0)
      std::swap(word[at], word[at + 1]);
    else if (i % 3 == 1)
      word.erase(at, 1);
    else
      word[at] = 'w';
    Query query = Keyword(word);
    query.prefix = i % 2;
    const Answer resident = SearchAll(&Resident(), query);
    Host host;
    const Answer lazy = host.Search(query);
    EXPECT_EQ(Print(lazy), Print(resident)) << word;
    corrected += !lazy.corrections.empty();
    ExpectFewLookedUp(host, word);
    EXPECT_LE(host.rounds(), 4) << word;
  }
  EXPECT_GT(corrected, 20);
}

TEST(LazyEngine, AMistypedWordAsksTheEncoderForNoPieces) {
  std::mt19937 random(8);
  int corrected = 0;
  for (int i = 0; i < 20; ++i) {
    std::string word = TheCorpus().Any(&random);
    if (word.size() < 6) continue;
    word.erase(2, 1);
    Host host;
    const Answer lazy = host.Search(Of(word, Mode::kHybrid));
    if (lazy.corrections.empty()) continue;
    ++corrected;
    EXPECT_LE(host.AskedOfEncoder(), 2u) << word << ": its page, and that of the word that was meant";
  }
  EXPECT_GT(corrected, 5);
}

TEST(LazyEngine, CompletionsAreTheResidentOnesForAFifthOfTheWords) {
  std::mt19937 random(7);
  for (size_t length : {2u, 3u, 4u, 5u, 6u}) {
    for (int i = 0; i < 12; ++i) {
      const std::string word = TheCorpus().Any(&random);
      if (word.size() <= length + 1) continue;
      Query query = Keyword(word.substr(0, length));
      query.typo = i % 2;
      const Answer resident = SearchAll(&Resident(), query);
      Host host;
      EXPECT_EQ(Print(host.Search(query)), Print(resident)) << query.text;
      EXPECT_FALSE(resident.hits.empty()) << query.text;
      ExpectFewLookedUp(host, query.text);
      EXPECT_LE(host.rounds(), 4) << query.text;
    }
  }
}

TEST(LazyEngine, AnEmptyTopKOrUnknownWordsAskForNoPassages) {
  Host host;
  Query query = Keyword("qqqqwwww");
  query.typo = query.prefix = false;
  EXPECT_TRUE(host.Search(query).hits.empty());
  EXPECT_EQ(host.BytesOf({SectionId::kPassages, SectionId::kVectors, SectionId::kSpellings}), 0u);
  query = Of("common", Mode::kHybrid);
  query.top_k = 0;
  const Answer counted = host.Search(query);
  EXPECT_TRUE(counted.hits.empty());
  EXPECT_GT(counted.matching_passages, 0u);
  EXPECT_EQ(host.BytesOf({SectionId::kPassages, SectionId::kVectors, SectionId::kSpellings}), 0u);
}

TEST(LazyEngine, APassageIsOneRequestAndAPageIsItsPassages) {
  Host host;
  const Passage passage = *host.Ask([](Engine& e) { return e.GetPassage(301); }).value();
  EXPECT_EQ(passage.text, Resident().GetPassage(301).value()->text);
  EXPECT_EQ(host.rounds(), 1);
  EXPECT_LT(host.BytesOf({SectionId::kPassages}), 4000u);
  const Page page = *host.Ask([](Engine& e) { return e.GetPage(150); }).value();
  EXPECT_EQ(page.passages.size(), kPassagesPerPage);
  EXPECT_LE(host.rounds(), 1);
}

}  // namespace engine_lazy_test
}  // namespace sheaf
