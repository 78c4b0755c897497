#include "search/repeated_text_builder.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/unit/support.h"

namespace sheaf {
namespace repeated_text_test {

using test::FirstSource;
using test::Keyword;
using test::SearchAll;

std::map<uint32_t, float> Weights(const RepeatedText& texts) {
  std::map<uint32_t, float> weights;
  texts.Each([&](uint32_t passage, float weight) { EXPECT_TRUE(weights.emplace(passage, weight).second); });
  return weights;
}

TEST(RepeatedText, WeighsLessTheMorePagesHaveIt) {
  RepeatedText texts;
  for (uint32_t page = 0; page < 3; ++page) texts.Add(page, "See", "On three pages.", "");
  for (uint32_t page = 0; page < 6; ++page) texts.Add(page, "Licence", "On six pages.", "");
  for (uint32_t page = 0; page < 500; ++page) texts.Add(page, "Notice", "", "on_five_hundred()");
  const auto weights = Weights(texts);
  EXPECT_EQ(weights.size(), 506u);
  EXPECT_FALSE(weights.contains(2));
  EXPECT_EQ(weights.at(3), 0.5f);
  EXPECT_EQ(weights.at(508), RepeatedText::kLeastWeight);
}

TEST(RepeatedText, CopiesOnOnePageCountOnce) {
  RepeatedText texts;
  for (int copy = 0; copy < 50; ++copy) texts.Add(7, "", "Again and again.", "");
  texts.Add(8, "", "Again and again.", "");
  EXPECT_TRUE(Weights(texts).empty());
}

TEST(RepeatedText, HeadingProseAndCodeTellTextsApart) {
  RepeatedText texts;
  for (uint32_t page = 0; page < 9; ++page) {
    const std::string own = std::to_string(page);
    texts.Add(page, "Method " + own, "Returns the value.", "");
    texts.Add(page, "Example", "Returns the value.", "call(" + own + ")");
    texts.Add(page, "Example", own, "call()");
  }
  EXPECT_TRUE(Weights(texts).empty());
}

TEST(RepeatedText, WhatHasNoTextRepeatsNothing) {
  RepeatedText texts;
  for (uint32_t page = 0; page < 9; ++page) texts.Add(page, "", "", "");
  for (uint32_t page = 0; page < 9; ++page) texts.Add(page, "Summary", "", "");
  EXPECT_TRUE(Weights(texts).empty());
}

// Thirty pages with the same notice below their own text, and the page that the notice is about.
std::vector<PageInput> WithNotices() {
  const test::Section notice = {{"Conversions"},
                                "conversions",
                                "Every press knows the proof conversion: proof by proof, conversion makes sheets.",
                                ""};
  std::vector<PageInput> pages;
  for (int i = 10; i < 40; ++i) {
    pages.push_back(
        test::MakePageInput("Press " + std::to_string(i), std::to_string(i) + ".md",
                            {{{}, "", "Press number " + std::to_string(i) + " stands in the hall.", ""}, notice}));
  }
  pages.push_back(
      test::MakePageInput("Proofs", "proofs.md",
                          {{{},
                            "",
                            "A proof is pulled before the run, and read twice by two people in the "
                            "light of the window, who mark what the compositor must set again.",
                            ""},
                           {{"Sheets"}, "sheets", "How a proof becomes sheets, and what conversion is for.", ""}}));
  return pages;
}

TEST(RepeatedText, ComesBehindThePageThatIsAboutItAndIsStillFound) {
  Engine engine = test::WholeEngine(test::Build(WithNotices(), test::SampleOptions(), nullptr), {});
  EXPECT_EQ(FirstSource(SearchAll(&engine, Keyword("proof conversion"))), "proofs.md");
  EXPECT_EQ(SearchAll(&engine, Keyword("every press knows")).hits.size(), 10u);
  EXPECT_EQ(FirstSource(SearchAll(&engine, Keyword("press 27"))), "27.md");
}

TEST(RepeatedText, AWeightThatIsStatedIsKept) {
  auto pages = WithNotices();
  for (PageInput& page : pages) {
    if (page.source != "proofs.md") page.passages.back().weight = 1.01f;
  }
  Engine engine = test::WholeEngine(test::Build(std::move(pages), test::SampleOptions(), nullptr), {});
  EXPECT_NE(FirstSource(SearchAll(&engine, Keyword("proof conversion"))), "proofs.md");
}

}  // namespace repeated_text_test
}  // namespace sheaf
