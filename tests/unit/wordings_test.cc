#include "encode/wordings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/support.h"

namespace sheaf {
namespace wordings_test {

using Stems = std::vector<std::string_view>;

std::vector<uint8_t> SectionOf(const char* text) {
  auto section = WordingsSection(text);
  EXPECT_TRUE(section.ok()) << section.error().message;
  return section.ok() ? *section : std::vector<uint8_t>();
}

Wordings WordingsOf(const char* text) {
  auto read = Wordings::Read(SectionOf(text), Analyzer());
  EXPECT_TRUE(read.ok());
  return read.ok() ? std::move(*read) : Wordings();
}

std::vector<uint8_t> TableWith(const char* text) {
  const std::vector<uint8_t> bytes = test::TableBytes();
  Container container(bytes.size());
  EXPECT_TRUE(container.Supply(0, bytes).ok());
  auto with = WithWordings(&container, SectionOf(text));
  EXPECT_TRUE(with.ok()) << with.error().message;
  return with.ok() ? *with : bytes;
}

TEST(Wordings, LeadFromEachWordOfAGroupToTheOthersAndFromAListOneWay) {
  const Wordings wordings =
      WordingsOf("# How people say it\n= undo revert\nslow: performance\n\n= log_in authenticate\n");
  EXPECT_EQ(wordings.Of("undo"), Stems{"revert"});
  EXPECT_EQ(wordings.Of("revert"), Stems{"undo"});
  EXPECT_EQ(wordings.Of("slow"), Stems{"perform"}) << "stems, as the index has them";
  EXPECT_EQ(wordings.Of("perform"), Stems{});
  EXPECT_EQ(wordings.Of("log in"), Stems{"authent"});
  EXPECT_EQ(wordings.Of("authent"), Stems{}) << "no word leads to two";
  EXPECT_EQ(wordings.Of("kiln"), Stems{});
  EXPECT_EQ(Wordings().Of("undo"), Stems{});
}

TEST(Wordings, OfWordsWithOneStemAreJoined) {
  const Wordings wordings = WordingsOf("caching: memoize\ncache: keep\n");
  EXPECT_EQ(wordings.Of("cach"), (Stems{"keep", "memoiz"}));
}

TEST(Wordings, OfAFileNameTheLineThatIsNone) {
  for (const char* text : {"undo revert\n", "= undo: revert\n", "=\n", "undo:\n", ": revert\n", "= Undo revert\n",
                           "= a_b_c d\n", "= über x\n"}) {
    const auto section = WordingsSection(std::string("# one\n") + text);
    ASSERT_FALSE(section.ok()) << text;
    EXPECT_NE(section.error().message.find("line 2 "), std::string::npos) << section.error().message;
  }
}

TEST(Wordings, ThatAreDamagedAreRefusedWhereverTheyEnd) {
  std::vector<uint8_t> section = SectionOf("= undo revert restore\nslow: performance\n");
  for (size_t size = 0; size < section.size(); ++size)
    EXPECT_FALSE(Wordings::Read(ByteSpan(section).first(size), Analyzer()).ok()) << size;
  section.push_back(0);
  EXPECT_FALSE(Wordings::Read(section, Analyzer()).ok());
  for (size_t i = 0; i + 1 < section.size(); ++i) {
    std::vector<uint8_t> changed(section.begin(), section.end() - 1);
    for (const uint8_t byte : {uint8_t(0), uint8_t(0x7f), uint8_t(0xff)}) {
      changed[i] = byte;
      (void)Wordings::Read(changed, Analyzer());  // no more than an error
    }
  }
}

TEST(Wordings, OfATableLeaveItsRowsAsTheyAre) {
  test::LoadedEncoder plain(test::TableBytes()), with(TableWith("= undo revert\n"));
  const Analyzer analyzer;
  EXPECT_EQ(*plain.encoder->Embed("memoize answers", analyzer), *with.encoder->Embed("memoize answers", analyzer));
  EXPECT_EQ(TableWith("= undo revert\n"), TableWith("= undo revert\n"));
}

class OtherWordings : public testing::Test {
 protected:
  OtherWordings() {
    test::LoadedEncoder loaded(test::TableBytes());
    bundle_ = test::Build(test::SamplePages(), test::SampleOptions(), &*loaded.encoder);
  }

  Answer Ask(const char* text, const std::vector<uint8_t>& table, Mode mode = Mode::kHybrid) {
    Engine engine;
    (void)engine.SetSource(kBundleSource, bundle_.size());
    (void)engine.SupplyOwned(kBundleSource, 0, bundle_);
    (void)engine.SetSource(kEncoderSource, table.size());
    (void)engine.SupplyOwned(kEncoderSource, 0, table);
    Query query;
    query.text = text;
    query.mode = mode;
    query.semantic_weight = 0;
    query.explain = true;
    auto outcome = engine.Search(query);
    EXPECT_TRUE(outcome.value());
    return outcome.value() ? *outcome.value() : Answer();
  }

  static bool Has(const Answer& answer, const char* term) {
    for (const Hit& hit : answer.hits) {
      for (const TermMatch& match : hit.explanation->terms) {
        if (match.kind == MatchKind::kWording && match.term == term) return true;
      }
    }
    return false;
  }

  std::vector<uint8_t> bundle_;
};

TEST_F(OtherWordings, FindWhatAQuestionSaysOtherwise) {
  const char* question = "throw away stale entries";
  EXPECT_TRUE(Ask(question, test::TableBytes()).hits.empty());
  const Answer answer = Ask(question, TableWith("throw_away: drop\nstale: expires\n"));
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_EQ(answer.hits[0].source, "guide/caching.md");
  EXPECT_TRUE(Has(answer, "drops"));
}

TEST_F(OtherWordings, AreNotAskedWhereTheWordsAnswerWellNorInKeywordMode) {
  const std::vector<uint8_t> table = TableWith("= cached endpoint\n= expires jobs\n= stale jobs\n");
  EXPECT_FALSE(Has(Ask("a cached answer expires", table), "endpoint"));
  EXPECT_TRUE(Ask("stale", table, Mode::kKeyword).hits.empty());
  EXPECT_FALSE(Ask("stale", table).hits.empty());
}

TEST_F(OtherWordings, CountLessThanTheWordItself) {
  const Answer answer = Ask("stale jobs zzz yyy xxx", TableWith("stale: expires\n"));
  ASSERT_GE(answer.hits.size(), 2u);
  EXPECT_EQ(answer.hits[0].source, "reference/concurrency.md");
  EXPECT_LT(answer.hits[1].explanation->coverage, answer.hits[0].explanation->coverage);
}

}  // namespace wordings_test
}  // namespace sheaf
