// That the answers of several bundles get one scale, as if their bundles were one.
#include "search/federation.h"

#include <gtest/gtest.h>

#include <vector>

#include "lexical/bm25.h"

namespace sheaf {
namespace federation_test {

// Answers, put together hit by hit.
class Answers {
 public:
  void Add(uint32_t pages, uint32_t space = 0) {
    members_.push_back({pages, space, 0});
    spaces_ = std::max(spaces_, space + 1);
  }
  void AddHit(const MemberHit& hit) {
    ++members_.back().hits;
    hits_.push_back(hit);
  }
  void AddMatch(uint32_t word, uint32_t holders, float score = 1, MatchKind kind = MatchKind::kExact) {
    ++hits_.back().matches;
    matches_.push_back({word, kind, Idf(members_.back().pages, holders), score});
    words_ = std::max(words_, word + 1);
  }
  CommonScale Scale() const { return FindCommonScale({words_, spaces_, members_, hits_, matches_}, Ranking()); }

 private:
  uint32_t words_ = 0, spaces_ = 0;
  std::vector<Member> members_;
  std::vector<MemberHit> hits_;
  std::vector<MemberMatch> matches_;
};

MemberHit ByWords() { return {1, 0, 0, 0, 0, 0}; }
MemberHit ByMeaning(float cosine) { return {0, 1, cosine, 1, 0, 0}; }

TEST(Federation, CountsAWordAsRareOrCommonInAllBundlesTogether) {
  Answers answers;
  answers.Add(100);
  answers.AddHit(ByWords());
  answers.AddMatch(0, 1, Idf(100, 1));  // the word that every second page of the other bundle has
  answers.Add(100);
  answers.AddHit(ByWords());
  answers.AddMatch(0, 50, Idf(100, 50));
  answers.AddMatch(1, 3, Idf(100, 3));
  const CommonScale scale = answers.Scale();
  EXPECT_GT(scale.best[1], 2 * scale.best[0]);
  EXPECT_FLOAT_EQ(scale.best[1], 1);  // it covers the query
  EXPECT_EQ(scale.known, (std::vector<uint32_t>{1, 1}));
}

TEST(Federation, LowersAPassageThatCoversLittleByTheConstantOfTheRanking) {
  Answers answers;
  for (const uint32_t covered : {2, 1}) {
    answers.Add(50);
    answers.AddHit(ByWords());
    for (uint32_t word = 0; word < covered; ++word) answers.AddMatch(word, 5, 1.0f / float(covered));
  }
  const CommonScale scale = answers.Scale();
  const Ranking ranking;
  // The second word is in one bundle alone, so it is rarer.
  const float idfs[] = {Idf(100, 10), Idf(100, 5)};
  const float half = idfs[0] / (idfs[0] + idfs[1]);
  const float scores[] = {(idfs[0] + idfs[1]) / 2, idfs[0] * (1 - ranking.coverage + ranking.coverage * half)};
  EXPECT_NEAR(scale.best[1] / scale.best[0], scores[1] / scores[0], 1e-5);
}

TEST(Federation, IgnoresACorrectionWhereAnotherBundleKnowsTheWord) {
  Answers answers;
  answers.Add(100);
  answers.AddHit(ByWords());
  answers.AddMatch(0, 1, 9, MatchKind::kTypo);
  EXPECT_EQ(answers.Scale().known, std::vector<uint32_t>{0});
  EXPECT_FLOAT_EQ(answers.Scale().best[0], 1);
  answers.Add(100);
  answers.AddHit(ByWords());
  answers.AddMatch(0, 60, 1, MatchKind::kStem);
  EXPECT_EQ(answers.Scale().known, std::vector<uint32_t>{1});
  EXPECT_EQ(answers.Scale().best[0], 0);
}

TEST(Federation, CoversNothingByTwoWordsWrittenAsOne) {
  Answers answers;
  answers.Add(100);
  answers.AddHit(ByWords());
  answers.AddMatch(0, 4);
  answers.AddMatch(1, 4, 1, MatchKind::kJoined);
  const float both = answers.Scale().best[0];
  EXPECT_FLOAT_EQ(both, 1);
  answers.Add(100);
  answers.AddHit(ByWords());
  answers.AddMatch(1, 4, 1, MatchKind::kJoined);
  EXPECT_LT(answers.Scale().best[1], 0.2f);
}

TEST(Federation, ComparesCosinesWithinAVectorSpaceOnly) {
  for (const uint32_t other : {0, 1}) {
    Answers answers;
    answers.Add(9, 0);
    answers.AddHit(ByMeaning(0.2f));
    answers.Add(9, other);
    answers.AddHit(ByMeaning(0.8f));
    const CommonScale scale = answers.Scale();
    if (other == 0) {
      EXPECT_FLOAT_EQ(scale.best[0], 0.2f);
    } else {
      EXPECT_FLOAT_EQ(scale.best[0], 0.8f);
    }
    EXPECT_FLOAT_EQ(scale.best[1], 0.8f);
  }
}

TEST(Federation, TakesTheSemanticWeightOfTheBundleWhoseWordsAnswerBest) {
  Answers answers;
  answers.Add(50);
  answers.AddHit({1, 0, 0, 0.9f, 0, 0});  // by words alone
  answers.AddMatch(0, 5);
  answers.Add(50);
  answers.AddHit({0, 1, 0.5f, 0.2f, 0, 0});  // by meaning alone
  const CommonScale scale = answers.Scale();
  EXPECT_NEAR(scale.best[1] / scale.best[0], 0.2 / 0.8, 1e-5);
}

TEST(Federation, GivesZeroWithoutHitsAndWithoutAnythingNear) {
  EXPECT_TRUE(Answers().Scale().best.empty());
  Answers answers;
  answers.Add(5);
  answers.Add(0);
  answers.AddHit(MemberHit());
  EXPECT_EQ(answers.Scale().best, (std::vector<float>{0, 0}));
}

TEST(HoldersOf, IsTheInverseOfTheIdf) {
  for (const double pages : {1.0, 7.0, 300.0, 1e6}) {
    for (const double share : {0.0, 0.01, 0.3, 0.99, 1.0}) {
      EXPECT_NEAR(HoldersOf(pages, Idf(pages, share * pages)), share * pages, 1e-5 * pages) << pages << ' ' << share;
    }
  }
  EXPECT_EQ(HoldersOf(10, 100), 0);
  EXPECT_EQ(HoldersOf(10, -100), 10);
}

}  // namespace federation_test
}  // namespace sheaf
