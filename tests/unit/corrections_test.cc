// That a query is corrected word by word, and that its words know what was typed for them.
#include "search/corrections.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "search/query_words.h"
#include "tests/unit/support.h"

namespace sheaf {
namespace {

TEST(Corrections, ReplaceWordsInsideOfNamesAndKeepCapitals) {
  const Analyzer analyzer;
  const CorrectedText corrected =
      Correct("asyncio.gahter of watchEfect, gather", {{"gahter", "gather"}, {"efect", "effect"}}, analyzer);
  EXPECT_EQ(corrected.text, "asyncio.gather of watchEffect, gather");
  ASSERT_EQ(corrected.replacements.size(), 2u);
  const auto replaced = [&](size_t i) {
    const CorrectedText::Replacement& r = corrected.replacements[i];
    return r.typed + ">" + corrected.text.substr(r.begin, r.end - r.begin);
  };
  EXPECT_EQ(replaced(0), "gahter>gather");
  EXPECT_EQ(replaced(1), "efect>Effect");
}

TEST(Corrections, LeaveATextWithoutMistypedWordsAsItIs) {
  const CorrectedText corrected = Correct("gather  all", {}, Analyzer());
  EXPECT_EQ(corrected.text, "gather  all");
  EXPECT_TRUE(corrected.replacements.empty());
}

TEST(Corrections, MarkTheReplacedWordsAlone) {
  QueryWords words;
  Analyzer().Tokenize("asyncio.gather two words", &words.tokens);
  for (const char* text : {"asyncio.gather", "asyncio", "gather", "two", "words"}) {
    words.words.emplace_back().text = text;
  }
  MarkReplaced({{8, 14, "gahter"}, {15, 24, "twowords"}}, &words);
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

}  // namespace
}  // namespace sheaf
