#include "search/phrase.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/support.h"

namespace sheaf {
namespace phrase_test {

using test::FirstSource;
using test::Keyword;
using test::SearchAll;

float Share(std::string_view query, std::string_view passage, const std::vector<std::string>& headings = {}) {
  const Analyzer analyzer(Language::kEnglish);
  const Phrase phrase(query, analyzer);
  return phrase.counts() ? phrase.ShareIn(headings, passage) : -1;
}

TEST(Phrase, AWholeQueryInARowIsAllOfIt) {
  EXPECT_EQ(
      Share("value on right hand side is undefined", "It prints `value on right hand side is undefined` and stops."),
      1);
  EXPECT_EQ(Share("right hand side undefined", "right hand\nside undefined"), 1);
  EXPECT_EQ(Share("static site generation", "Static site generation is quick."), 1);
}

TEST(Phrase, OfAPartThePairsCount) {
  const std::string query = "press damps paper before printing sheets";  // six content words, five pairs
  EXPECT_FLOAT_EQ(Share(query, "The press damps paper."), 0.4f);
  EXPECT_FLOAT_EQ(Share(query, "Printing sheets. Paper. A press damps."), 0.4f);
  EXPECT_EQ(Share(query, "Sheets for printing; paper damps a press."), 0) << "in another order";
}

TEST(Phrase, AtMostTwoWordsStandBetweenTheTwoOfAPair) {
  EXPECT_EQ(Share("damp paper", "damp and clean paper"), 1);
  EXPECT_EQ(Share("damp paper", "damp and very clean paper"), 0);
  EXPECT_EQ(Share("damp paper", "damp, and then a damp clean paper"), 1) << "the nearest one counts";
}

TEST(Phrase, FunctionWordsAreNoPartOfAPair) {
  EXPECT_EQ(Share("the press", "the press"), -1);
  EXPECT_EQ(Share("how do I do it with the press", "how do I do it with the press"), -1);
  EXPECT_EQ(Share("damp of the paper", "damp paper"), 1);
  EXPECT_EQ(Share("", "anything"), -1);
}

TEST(Phrase, AWordIsNotItsOwnNeighbour) {
  EXPECT_EQ(Share("clean damp damp paper", "clean damp paper"), 2 / 3.0f);
  EXPECT_EQ(Share("damp damp", "damp"), 0);
  EXPECT_EQ(Share("damp damp", "damp, damp"), 1);
}

TEST(Phrase, FourContentWordsAreALine) {
  const Analyzer analyzer(Language::kEnglish);
  EXPECT_FALSE(Phrase("damp the clean paper", analyzer).is_line());
  EXPECT_TRUE(Phrase("damp the clean paper sheets", analyzer).is_line());
}

TEST(Phrase, HeadingsStandAboveTheText) {
  EXPECT_EQ(Share("damp paper", "It is clean.", {"Sheets", "Damp paper"}), 1);
  EXPECT_EQ(Share("damp paper", "Paper is clean.", {"Damp"}), 1);
}

TEST(Phrase, FunctionWordsAreThoseOfTheLanguageToo) {
  const Analyzer german(LanguageOf("de"));
  const std::string_view around = "wie kann ich das mit der Ebene";
  EXPECT_FALSE(Phrase(around, german).counts()) << "one content word";
  EXPECT_TRUE(Phrase(around, Analyzer(Language::kNone)).counts());
  const Phrase phrase("eine Ebene mit der Maske dauerhaft anwenden", german);
  EXPECT_EQ(phrase.ShareIn({}, "Eine Ebene mit der Maske dauerhaft anwenden."), 1);
}

TEST(Phrase, NamesAreOneWordAndAddressesOfLinksNone) {
  EXPECT_EQ(Share("response_model_exclude_unset", "response_model_exclude_unset"), -1);
  EXPECT_EQ(Share("damp sheets dry slowly", "damp [sheets](../press/sheets.html) dry **slowly**"), 1);
}

TEST(Phrase, WordsBeyondTheLimitOfAQueryAreLeftOut) {
  std::string many, last;
  for (size_t i = 0; i < kMaxQueryWords + 10; ++i) {
    const std::string word = "word" + std::string(1, char('a' + i / 26)) + char('a' + i % 26) + " ";
    many += word;
    if (i >= kMaxQueryWords) last += word;
  }
  EXPECT_EQ(Share(many, last), 0);
  EXPECT_EQ(Share(many, many), 1);
}

TEST(Phrase, ThePassageThatHasItComesFirstAndExplainSaysSo) {
  std::vector<PageInput> pages = {
      test::MakePageInput("Paper", "paper.md",
                          {{{},
                            "",
                            "Sheets, hands and presses: the side of a sheet, the press at hand, the damp "
                            "side, undefined colours, sides of hands, a press of sheets.",
                            ""}}),
      test::MakePageInput("Messages", "messages.md",
                          {{{},
                            "",
                            "Where nothing was set in the forme, the press stops for the day, the boy "
                            "runs for the overseer, and a note says: press damp sheets side hand "
                            "undefined.",
                            ""}})};
  Engine engine = test::WholeEngine(test::Build(std::move(pages), test::SampleOptions(), nullptr), {});
  Query query = Keyword("press damp sheets side hand undefined");
  query.explain = true;
  const Answer answer = SearchAll(&engine, query);
  EXPECT_EQ(FirstSource(answer), "messages.md");
  EXPECT_GT(answer.hits[0].explanation->page_bonus, 0);
  EXPECT_LE(answer.hits[0].score, 1);
  EXPECT_EQ(FirstSource(SearchAll(&engine, Keyword("undefined hand sheets side press damp"))), "paper.md");
}

}  // namespace phrase_test
}  // namespace sheaf
