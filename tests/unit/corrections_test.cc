// That a query is corrected word by word, and that its words know what was typed for them.
#include "search/corrections.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "search/query_words.h"
#include "tests/unit/support.h"

namespace sheaf {
namespace corrections_test {

TEST(Corrections, ReplaceWordsInsideOfNamesAndKeepCapitals) {
  const Analyzer analyzer;
  std::string text = "asyncio.gahter of watchEfect, gather";
  const std::vector<uint32_t> replaced = Correct({{"gahter", "gather"}, {"efect", "effect"}}, analyzer, &text);
  EXPECT_EQ(text, "asyncio.gather of watchEffect, gather");
  std::string numbers;
  for (uint32_t number : replaced) numbers += std::to_string(number);
  EXPECT_EQ(numbers, "0000000011111100000000022222200000000");
}

TEST(Corrections, LeaveATextWithoutMistypedWordsAsItIs) {
  std::string text = "gather  all";
  EXPECT_EQ(Correct({}, Analyzer(), &text), std::vector<uint32_t>(text.size()));
  EXPECT_EQ(text, "gather  all");
}

TEST(Corrections, MarkTheReplacedWordsAlone) {
  QueryWords words;
  Analyzer().Tokenize("asyncio.gather two words", &words.tokens);
  for (const char* text : {"asyncio.gather", "asyncio", "gather", "two", "words"}) {
    words.words.emplace_back().text = text;
  }
  std::vector<uint32_t> replaced(8);
  replaced.resize(14, 1);
  replaced.resize(15);
  replaced.resize(24, 2);
  MarkReplaced(replaced, {{"gahter", "gather"}, {"twowords", "two words"}}, &words);
  std::vector<std::string> typed;
  for (const QueryWord& word : words.words) typed.push_back(word.typed);
  EXPECT_EQ(typed, (std::vector<std::string>{"", "", "gahter", "twowords", "twowords"}));
}

TEST(Corrections, ExplainHitsByTheWordThatWasTyped) {
  const auto bundle = test::SampleBundle();
  Engine engine = test::WholeEngine(bundle, {});
  Query query = test::Keyword("asyncio.gahter");
  query.explain = true;
  const Answer answer = test::SearchAll(&engine, query);
  ASSERT_EQ(answer.corrections.size(), 1u);
  ASSERT_FALSE(answer.hits.empty());
  bool explained = false;
  for (const TermMatch& match : answer.hits[0].explanation->terms) {
    if (match.term != "gather") continue;
    explained = true;
    EXPECT_EQ(match.word, "gahter");
    EXPECT_EQ(match.kind, MatchKind::kTypo);
  }
  EXPECT_TRUE(explained);
}

}  // namespace corrections_test
}  // namespace sheaf
