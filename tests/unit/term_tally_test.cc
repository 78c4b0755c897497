#include <gtest/gtest.h>

#include "search/term_tally_builder.h"

namespace sheaf {
namespace term_tally_test {

TEST(TermTally, CountsEachTermByFieldInTheOrderOfItsFirstUse) {
  TermTally tally;
  tally.Begin(4);
  tally.Add("index", kProse);
  tally.Add("btree", kCode);
  tally.Add("index", kTitle);
  tally.Add("index", kProse);
  const std::vector<TermCounts> terms = tally.Take();
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[0].term, "index");
  EXPECT_EQ(terms[0].counts, (std::array<uint16_t, kFieldCount>{1, 0, 2, 0}));
  EXPECT_EQ(terms[1].term, "btree");
  EXPECT_EQ(terms[1].counts, (std::array<uint16_t, kFieldCount>{0, 0, 0, 1}));
}

TEST(TermTally, ForgetsThePassageBefore) {
  TermTally tally;
  tally.Begin(1);
  tally.Add("a", kProse);
  tally.Begin(2);
  tally.Add("b", kProse);
  EXPECT_EQ(tally.Take().size(), 1u);
  tally.Begin(0);
  EXPECT_TRUE(tally.Take().empty());
}

TEST(TermTally, StopsCountingAtTheLargestCount) {
  TermTally tally;
  tally.Begin(70000);
  for (int i = 0; i < 70000; ++i) tally.Add("again", kCode);
  EXPECT_EQ(tally.Take()[0].counts[kCode], UINT16_MAX);
}

TEST(TermTally, KeepsWhatSaysMostOfAName) {
  const auto kept = [](NameRole first, NameRole second) {
    TermTally tally;
    tally.Begin(1);
    tally.Add("oven", kTitle);
    tally.SetRole("oven", first);
    tally.SetRole("oven", second);
    return tally.Take()[0].role;
  };
  EXPECT_EQ(kept(NameRole::kTwoWords, NameRole::kOneWord), NameRole::kOneWord);
  EXPECT_EQ(kept(NameRole::kOneWord, NameRole::kLastPart), NameRole::kOneWord);
  EXPECT_EQ(kept(NameRole::kThreeWords, NameRole::kLastPart), NameRole::kLastPart)
      << "more than to be one of several words";
  EXPECT_EQ(kept(NameRole::kLastPart, NameRole::kTwoWords), NameRole::kLastPart);
  EXPECT_EQ(kept(NameRole::kInside, NameRole::kManyWords), NameRole::kManyWords);
}

TEST(TermTally, HoldsAsManyDistinctTermsAsWereAnnounced) {
  TermTally tally;
  tally.Begin(5000);
  for (int i = 0; i < 5000; ++i) tally.Add(std::to_string(i), kProse);
  EXPECT_EQ(tally.Take().size(), 5000u);
}

}  // namespace term_tally_test
}  // namespace sheaf
