#include "search/fusion.h"

#include <gtest/gtest.h>

namespace sheaf {
namespace fusion_test {

Candidate Make(uint32_t passage, float keyword, float cosine) {
  Candidate c;
  c.passage = passage;
  c.keyword_raw = keyword;
  c.cosine = cosine;
  return c;
}

TEST(BalancedWeight, IsTheGivenShareWhereTheBestPassageIsAsGoodAsItShouldBe) {
  EXPECT_FLOAT_EQ(BalancedWeight(0.5f, 8, 8), 0.5f);
  EXPECT_FLOAT_EQ(BalancedWeight(0.3f, 8, 8), 0.3f);
}

TEST(BalancedWeight, GrowsTheLessOfTheQueryItsWordsReach) {
  EXPECT_FLOAT_EQ(BalancedWeight(0.5f, 2, 8), 2 / 3.0f);  // a quarter of the score, half of the trust
  EXPECT_FLOAT_EQ(BalancedWeight(0.5f, 32, 8), 1 / 3.0f);
  float last = 1;
  for (float best = 0; best < 40; best += 1) {
    const float weight = BalancedWeight(0.5f, best, 8);
    EXPECT_LE(weight, last) << best;
    EXPECT_GT(weight, 0) << best;
    last = weight;
  }
}

TEST(BalancedWeight, LeavesOneSignalAloneToItself) {
  EXPECT_EQ(BalancedWeight(0, 0, 8), 0);
  EXPECT_EQ(BalancedWeight(0, 3, 8), 0);
  EXPECT_EQ(BalancedWeight(1, 3, 8), 1);
  EXPECT_EQ(BalancedWeight(0.5f, 0, 8), 1);     // no word is found: meaning decides
  EXPECT_EQ(BalancedWeight(0.5f, 3, 0), 0.5f);  // nothing to measure by
}

TEST(FuseConvex, LetsMeaningDecideWhereARareWordAloneIsFound) {
  // The first holds one word out of many, the second none but is what was meant.
  std::vector<Candidate> candidates = {Make(0, 1, 0.2f), Make(1, 0, 0.5f), Make(2, 0, 0.1f)};
  FuseConvex(&candidates, BalancedWeight(0.5f, 1, 10), 0.1f);
  EXPECT_GT(candidates[1].score, candidates[0].score);
  // All words found: the first it is.
  FuseConvex(&candidates, BalancedWeight(0.5f, 10, 10), 0.1f);
  EXPECT_GT(candidates[0].score, candidates[1].score);
}

TEST(FuseConvex, GivesOneToWhatIsBestInBoth) {
  std::vector<Candidate> candidates = {Make(0, 7, 0.6f), Make(1, 3, 0.3f)};
  for (const float weight : {0.0f, 0.2f, 0.5f, 0.9f, 1.0f}) {
    FuseConvex(&candidates, weight, 0.1f);
    EXPECT_FLOAT_EQ(candidates[0].score, 1);
    EXPECT_LT(candidates[1].score, 1);
  }
}

TEST(FuseRanks, GivesOneToWhatIsFirstInBothAndNothingForNothing) {
  std::vector<Candidate> candidates = {Make(0, 7, 0.6f), Make(1, 3, 0.3f), Make(2, 0, 0.1f)};
  FuseRanks(&candidates, 0.5f, 0.1f, 60);
  EXPECT_FLOAT_EQ(candidates[0].score, 1);
  EXPECT_FLOAT_EQ(candidates[1].score, 61 / 62.0f);
  EXPECT_EQ(candidates[2].score, 0);
}

}  // namespace fusion_test
}  // namespace sheaf
