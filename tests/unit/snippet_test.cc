#include "text/snippet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/processor_time.h"
#include "text/utf8.h"

namespace sheaf {
namespace snippet_test {

const Analyzer& English() {
  static const Analyzer analyzer;
  return analyzer;
}

Snippet Make(std::string_view passage, const std::vector<std::string>& terms, size_t max = 200,
             const std::vector<std::string>& headings = {}) {
  std::vector<SnippetTerm> weighted;
  for (const std::string& term : terms) weighted.push_back({term, 1, uint32_t(weighted.size())});
  return MakeSnippet(passage, Markup::kMarkdown, headings, weighted, English(), max);
}

// One word of a query: its own form, another form, and a part of it, best first.
const std::vector<SnippetTerm> kConnect = {
    {"connecting", 1, 0, 0}, {"connection", 0.9f, 0, 2}, {"connect", 0.5f, 0, 3}};

// The text with «» around its highlights, counted in UTF-16 units as JavaScript would.
std::string Marked(const std::string& text, const TextMarks& highlights) {
  std::string out;
  size_t units = 0, at = 0, next = 0;
  const auto marks = [&] {
    if (next < highlights.size() && units == highlights[next].first + highlights[next].second) {
      out += "»";
      ++next;
    }
    if (next < highlights.size() && units == highlights[next].first) out += "«";
  };
  while (at < text.size()) {
    marks();
    const Decoded d = DecodeUtf8(text, at);
    out += text.substr(at, d.size);
    at += d.size;
    units += d.code_point >= 0x10000 ? 2 : 1;
  }
  marks();
  return out;
}

std::string Shown(const Snippet& snippet) { return Marked(snippet.text, snippet.highlights); }

std::string Words(size_t count, const std::string& word = "lorem") {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += word + " ";
  return out;
}

TEST(Snippet, ShowsAShortPassageWhole) {
  const Snippet s = Make("## Using `useEffect`\n\nRun an effect after render.\n", {"useeffect", "effect"});
  EXPECT_EQ(Shown(s), "Using «useEffect» Run an «effect» after render.");
}

TEST(Snippet, ShowsTheBeginningWithoutTerms) {
  EXPECT_EQ(Make("", {}).text, "");
  EXPECT_EQ(Make("one two three four", {}, 10).text, "one two…");
  EXPECT_TRUE(Make("one two three four", {}, 10).highlights.empty());
  EXPECT_EQ(Make("one two three four", {"absent"}, 10).text, "one two…");
  EXPECT_EQ(Make("anything", {"anything"}, 0).text, "");
}

TEST(Snippet, FindsTheWindowWithTheMostDistinctTerms) {
  const std::string text = "apple apple apple " + Words(60) + "apple near pear here " + Words(60);
  const Snippet s = Make(text, {"apple", "pear"}, 100);
  EXPECT_NE(Shown(s).find("«apple» near «pear» here"), std::string::npos) << Shown(s);
  EXPECT_TRUE(s.text.starts_with("…lorem") && s.text.ends_with("lorem…")) << s.text;
}

TEST(Snippet, WeighsTerms) {
  const std::string text = "common one " + Words(60) + "rare two";
  EXPECT_NE(
      MakeSnippet(text, Markup::kMarkdown, {}, {{"common", 1, 0}, {"rare", 3, 1}}, English(), 60).text.find("rare"),
      std::string::npos);
  EXPECT_NE(
      MakeSnippet(text, Markup::kMarkdown, {}, {{"common", 3, 0}, {"rare", 1, 1}}, English(), 60).text.find("common"),
      std::string::npos);
}

TEST(Snippet, GivesTiesToTheEarliest) {
  const Snippet s = Make("start fox " + Words(60) + "fox end", {"fox"}, 50);
  EXPECT_TRUE(s.text.starts_with("start fox")) << s.text;
}

TEST(Snippet, PrefersToBeginWithASentence) {
  const Snippet s = Make(Words(50) + "the end. Here the fox runs. " + Words(50), {"fox"}, 80);
  EXPECT_TRUE(s.text.starts_with("…Here the fox")) << s.text;
}

TEST(Snippet, MergesANameWithItsPartsAndPairsOfIdeographs) {
  EXPECT_EQ(Shown(Make("call asyncio.gather now", {"asyncio.gather", "gather", "asyncio"})),
            "call «asyncio.gather» now");
  EXPECT_EQ(Shown(Make("call asyncio.gather now", {"gather"})), "call asyncio.«gather» now");
  EXPECT_EQ(Shown(Make("新日本語版", {"日本", "本語"})), "新«日本語»版");
}

TEST(Snippet, CountsUtf16Units) {
  const Snippet s = Make("😀😀 é fox", {"fox"});
  ASSERT_EQ(s.highlights.size(), 1u);
  EXPECT_EQ(s.highlights[0], (std::pair<uint32_t, uint32_t>{7, 3}));
}

TEST(Snippet, CutsAnEndlessWord) {
  const Snippet s = Make(std::string(10000, 'x') + " fox", {}, 100);
  EXPECT_EQ(Utf16Length(s.text), 101u);
}

TEST(Snippet, CutsIdeographsAnywhere) {
  const Snippet s = Make(std::string("日本語文") + Words(1, "漢字漢字漢字漢字漢字漢字漢字漢字漢字"), {}, 10);
  EXPECT_EQ(s.text, "日本語文漢字漢字漢字…");
}

TEST(Snippet, LeavesOutTheTitleAndHeadingsAboveIt) {
  const std::vector<std::string> above = {"Guide", "13.1 Using useEffect"};
  const std::string passage = "# Guide {#top}\n\n## 13.1. Using `useEffect`\n\nRun it after render.\n";
  EXPECT_EQ(Make(passage, {"render"}, 200, above).text, "Run it after render.");
  EXPECT_EQ(Make("Guide\n=====\n\nRun it after render.\n", {"render"}, 200, above).text, "Run it after render.");
  EXPECT_EQ(Make("## Another\n\nRun it.\n", {}, 200, above).text, "Another Run it.");
  EXPECT_EQ(Make("Run it.\n\n## Guide\n\nNow.\n", {}, 200, above).text, "Run it. Guide Now.");
  EXPECT_EQ(Make("# Guide\n", {"guide"}, 200, above).text, "");
  EXPECT_EQ(Make("# Guide (integer)\n\nRun.\n", {}, 200, above).text, "Run.") << "what a signature has besides";
  EXPECT_EQ(Make("# Guides\n\nRun.\n", {}, 200, above).text, "Guides Run.");
}

TEST(Snippet, SaysWhetherTheHeadingHasTheWords) {
  const std::string text = "The fox and the dog live here. " + Words(60) + "A fox.";
  const auto follows = [&](const std::vector<std::string>& terms, const std::vector<std::string>& headings) {
    return Make(text, terms, 100, headings).follows_heading;
  };
  EXPECT_TRUE(follows({"fox"}, {"Animals", "Fox"}));
  EXPECT_TRUE(follows({"fox", "den"}, {"Den of a fox"}));
  EXPECT_FALSE(follows({"fox", "dog"}, {"Fox"})) << "the text has more";
  EXPECT_FALSE(follows({"fox"}, {"Fox", "Dog"})) << "only the innermost one counts";
  EXPECT_FALSE(follows({"cat"}, {"Fox"}));
  EXPECT_FALSE(follows({"fox"}, {}));
  const Snippet s = Make(Words(60) + "A fox.", {"fox"}, 20, {"Fox"});
  EXPECT_TRUE(s.text.starts_with("lorem")) << "what follows it: " << s.text;
}

TEST(Snippet, ShowsCodeWithItsLines) {
  const std::string passage =
      "Text before.\n\n```py\nclass A:\n    def run(self):\n        if fox:\n            return 1\n        return 2\n\n"
      "    def stop(self):\n        pass\n```\n\nText after.\n";
  const Snippet s = Make(passage, {"fox"});
  EXPECT_TRUE(s.is_code);
  EXPECT_EQ(Shown(s), "…\nif «fox»:\n    return 1\nreturn 2\n…");
  EXPECT_EQ(Make(passage, {"class"}).text, "class A:\n    def run(self):\n        if fox:\n            return 1\n…");
  EXPECT_EQ(Make(passage, {"pass"}).text, "…\n    return 2\n\ndef stop(self):\n    pass");
  const Snippet prose = Make(passage, {"text", "after"});
  EXPECT_FALSE(prose.is_code);
  EXPECT_EQ(Shown(prose), "«Text» before. … «Text» «after».");
}

TEST(Snippet, CutsALongLineOfCodeAroundItsMatch) {
  const Snippet s = Make("Text.\n\n```\none\n  " + Words(30) + "fox " + Words(30) + "\nthree\n```\n", {"fox"}, 40);
  EXPECT_TRUE(s.is_code);
  EXPECT_TRUE(s.text.starts_with("…\n…") && s.text.ends_with("…\n…")) << s.text;
  EXPECT_NE(Shown(s).find("«fox»"), std::string::npos) << Shown(s);
  EXPECT_LE(Utf16Length(s.text), 46u);
}

TEST(Snippet, IsProseOrCodeButNeverBoth) {
  const std::string passage = "Call the fox here, as follows:\n\n```\nfox(dog)\n```\n";
  EXPECT_EQ(Shown(Make(passage, {"fox"})), "Call the «fox» here, as follows:");
  EXPECT_EQ(Shown(Make(passage, {"fox", "dog"})), "«fox»(«dog»)");
  EXPECT_EQ(Make("Example:\n\n```\nfox(dog)\n```\n", {}).text, "fox(dog)") << "short prose says nothing";
  EXPECT_EQ(Make("Call `fox(dog)` now, or do not.", {"dog"}).is_code, false) << "inline code is prose";
  EXPECT_EQ(Make("```\na\n```\n\n```\nfox\n```\n", {"fox"}).text, "fox") << "blocks stay apart";
  EXPECT_TRUE(Make("Text:\n\n    fox(dog)\n    bird\n\nmore of the text", {"dog"}).is_code) << "indented";
  EXPECT_FALSE(Make("    the rest of an item with a fox\n", {"fox"}).is_code);
  EXPECT_FALSE(Make("!!! note\n    A fox.\n\n    A dog in the same note.\n", {"dog"}).is_code);
}

TEST(Snippet, ShowsProseThatFollowsAHeadingBeforeItsCode) {
  const std::vector<std::string> above = {"fox()"};
  EXPECT_EQ(Make("## fox()\n\n```\nfox(dog)\n```\n\nDoes it.\n", {"fox"}, 200, above).text, "Does it.");
  const Snippet s = Make("## fox()\n\n```\nfox(dog)\n```\n", {"fox"}, 200, above);
  EXPECT_TRUE(s.is_code);
  EXPECT_EQ(s.text, "fox(dog)");
}

TEST(Snippet, MarksFormsAndPartsOnlyWhereNothingBetterIs) {
  const auto shown = [](std::string_view text) {
    return Shown(MakeSnippet(text, Markup::kMarkdown, {}, kConnect, English()));
  };
  EXPECT_EQ(shown("a connection, connecting, to connect"), "a connection, «connecting», to connect");
  EXPECT_EQ(shown("a connection, to connect"), "a «connection», to connect");
  EXPECT_EQ(shown("to connect"), "to «connect»");
  EXPECT_EQ(shown("connecting_pool and connection"), "connecting_pool and «connection»");
  EXPECT_EQ(shown("connecting_pool"), "«connecting»_pool");
}

TEST(Snippet, MarksANameWhole) {
  // As the words of the query `OAuth2`.
  const std::vector<SnippetTerm> terms = {{"oauth2", 1, 0, 0}, {"o", 0.1f, 0, 3}, {"auth2", 0.5f, 0, 3}};
  const auto shown = [&](std::string_view text) {
    return Shown(MakeSnippet(text, Markup::kMarkdown, {}, terms, English()));
  };
  EXPECT_EQ(shown("OAuth2 with auth2 and o"), "«OAuth2» with auth2 and o");
  EXPECT_EQ(shown("OAuth2PasswordBearer"), "«OAuth2»PasswordBearer");
  EXPECT_EQ(shown("auth2 and the letter o"), "«auth2» and the letter o");
}

TEST(MarkWords, MarksNoPartsOfANameThatTheSnippetHasWhole) {
  const std::vector<SnippetTerm> terms = {{"max_connections", 1, 0, 0}, {"connections", 0.5f, 0, 3}};
  const Snippet with = MakeSnippet("At most max_connections of them.", Markup::kMarkdown, {}, terms, English());
  EXPECT_EQ(with.whole, 1u);
  EXPECT_TRUE(MarkWords("Connections", terms, English(), with.whole).empty());
  EXPECT_EQ(MarkWords("max_connections", terms, English(), with.whole).size(), 1u);
  const Snippet without = MakeSnippet("At most so many connections.", Markup::kMarkdown, {}, terms, English());
  EXPECT_EQ(without.whole, 0u);
  EXPECT_EQ(MarkWords("Connections", terms, English(), without.whole).size(), 1u);
}

TEST(MarkWords, MarksTitlesAsTheyStand) {
  const auto marked = [](const std::string& text, const std::vector<SnippetTerm>& terms) {
    return Marked(text, MarkWords(text, terms, English()));
  };
  EXPECT_EQ(marked("Foreign Keys 😀 `key`", {{"foreign", 1, 0}, {"keys", 1, 1, 2}}), "«Foreign» «Keys» 😀 `key`");
  EXPECT_EQ(marked("", {{"foreign", 1}}), "");
  EXPECT_EQ(marked("Foreign", {}), "Foreign");
}

TEST(Snippet, IsPlainText) {
  EXPECT_EQ(Make("a <b>bold</b>\r\n\tc\x01"
                 "d",
                 {})
                .text,
            "a <b>bold</b> c d");
  EXPECT_EQ(Make("bad \xFF byte", {}).text, "bad \uFFFD byte");
  EXPECT_EQ(Make(std::string_view("nul\0byte", 8), {}).text, "nul byte");
}

TEST(Snippet, TakesOddWeights) {
  const float inf = std::numeric_limits<float>::infinity();
  for (float weight : {0.0f, -1.0f, inf, std::numeric_limits<float>::quiet_NaN()}) {
    const Snippet s = MakeSnippet("a fox b fox", Markup::kMarkdown, {}, {{"fox", weight}, {"b", 1}}, English(), 5);
    EXPECT_FALSE(s.text.empty());
  }
}

TEST(SnippetProperty, HoldsItsInvariantsOnAnyBytes) {
  static const std::vector<std::string> kPieces = {
      "fox",    "dog",  "fox_dog",  "foxDog", " ",         " ",      " ",  "\n", "\n\n",      "*",  "**",   "_",  "`",
      "``",     "```",  "```\n",    "~~~",    "\n```js\n", "[",      "](", ")",  "![",        "[^", "]:",   "|",  "\n|",
      "---",    "# ",   "\n# ",     "> ",     "- ",        "1. ",    "<",  ">",  "<https://", "\\", "日",   "本", "😀",
      "\u0301", "\xFF", "\xE3\x81", "\t",     "    ",      "\n    ", "{#", "}",  "::: ",      ". ", "\x01", "~~"};
  std::mt19937 random(11);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (size_t n = random() % 80; n > 0; --n) text += kPieces[random() % kPieces.size()];
    if (random() % 8 == 0) text += '\0';
    const size_t max = 1 + random() % 60;
    const Snippet s = Make(text, {"fox", "dog", "日本", "fox_dog"}, max, {"fox", "# dog"});
    ASSERT_TRUE(IsUtf8(s.text)) << text;
    const size_t units = Utf16Length(s.text);
    ASSERT_LE(units, 2 * (max + 80)) << text;
    size_t end = 0;
    for (const auto& [start, length] : s.highlights) {
      ASSERT_TRUE(start > end || end == 0);
      ASSERT_GT(length, 0u);
      end = start + length;
      ASSERT_LE(end, units);
    }
    if (!s.is_code) {
      ASSERT_EQ(s.text.find('\n'), std::string::npos);
    }
    ASSERT_LE(std::count(s.text.begin(), s.text.end(), '\n'), ptrdiff_t(kMaxCodeLines) + 1);
  }
}

TEST(SnippetProperty, TimeIsLinearWhateverTheBytes) {
  for (std::string_view piece :
       {"[",   "](", "[](",  "[a](", "](<",     "[a][",   "`",  "` ",   "`` ` ", "*",    "*a ",   "**a",
        "_a ", "[^", "[^a]", "|",    "| a",     "\n|",    "> ", ">",    "- ",    "\n- ", "```\n", "\\",
        "<a",  "<",  "~~a",  "![",   "a](b \"", "a](b '", "# ", "::: ", "`a\n",  "1. ",  "((",    "](("}) {
    std::string text;
    while (text.size() < (1 << 18)) text += piece;
    EXPECT_LT(test::SecondsOf([&] { Make(text, {"a", "b"}); }), 10) << piece;
  }
}

}  // namespace snippet_test
}  // namespace sheaf
