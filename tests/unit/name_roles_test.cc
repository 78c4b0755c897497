// What of a heading is a name (name_roles_builder.h), and that a query that is a name leads to where it is defined.
#include "search/name_roles_builder.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "search/engine.h"
#include "tests/unit/support.h"

namespace sheaf {
namespace name_roles_test {

using test::SearchAll;

// The marked words of a heading: "word 1 · …", by the number of its NameRole.
std::string Marks(std::string_view text, void (*mark)(std::string_view, const Analyzer&, TermTally*)) {
  const Analyzer analyzer;
  std::vector<Token> tokens;
  analyzer.Tokenize(text, &tokens);
  TermTally tally;
  tally.Begin(tokens.size());
  for (const Token& token : tokens) tally.Add(token.term, kHeadings);
  mark(text, analyzer, &tally);
  std::string out;
  for (const TermCounts& term : tally.Take()) {
    if (term.role != NameRole::kNone)
      out += (out.empty() ? "" : " · ") + term.term + " " + std::to_string(int(term.role));
  }
  return out;
}
std::string Heading(std::string_view text) { return Marks(text, NameByHeading); }
std::string Term(std::string_view text) { return Marks(text, NameByTerm); }

TEST(NameRoles, TakesOffWhatSurroundsAName) {
  EXPECT_EQ(BareName("19.3.1. Connection Settings"), "Connection Settings");
  EXPECT_EQ(BareName("Chapter 4. Kilns"), "Kilns");
  EXPECT_EQ(BareName("Part II. Kilns"), "Kilns");
  EXPECT_EQ(BareName("Part of a kiln"), "Part of a kiln");
  EXPECT_EQ(BareName("Kapitel\u00A07. Mit GIMP malen"), "Mit GIMP malen");
  EXPECT_EQ(BareName("第7章 図層"), "図層");
  EXPECT_EQ(BareName("F.1. glaze"), "glaze");
  EXPECT_EQ(BareName("max_kilns (integer)"), "max_kilns");
  EXPECT_EQ(BareName("watch(source, callback)"), "watch");
  EXPECT_EQ(BareName("Option<T>"), "Option");
  EXPECT_EQ(BareName("<table>"), "<table>") << "a bracket that opens the name belongs to it";
  EXPECT_EQ(BareName("[a, b] = size (x)"), "size");
  EXPECT_EQ(BareName("'close':"), "close");
  EXPECT_EQ(BareName("3.12 notes"), "3.12 notes") << "a version is no number of a section";
  EXPECT_EQ(BareName("19.3.1 Connection Settings"), "Connection Settings") << "as the packer tidies numbers";
  EXPECT_EQ(BareName("3.16\u00A0Über die Ebenen"), "Über die Ebenen");
  EXPECT_EQ(BareName(".5 Grams"), ".5 Grams") << "a number begins with a digit or a capital";
  EXPECT_EQ(BareName("13.1"), "13.1");
  EXPECT_EQ(BareName("3 Ways"), "3 Ways");
  EXPECT_EQ(BareName("(x)"), "(x)");
  EXPECT_EQ(BareName(" "), "");
}

TEST(NameRoles, MarksTheWordsOfAHeadingWithTheirNumber) {
  EXPECT_EQ(Heading("max_kilns (integer)"), "max_kilns 1") << "not its parts";
  EXPECT_EQ(Heading("superuser_reserved_kilns"), "superuser_reserved_kilns 1");
  EXPECT_EQ(Heading("Create Table"), "create 2 · table 2");
  EXPECT_EQ(Heading("One two three four"), "one 4 · two 4 · three 4 · four 4");
  EXPECT_EQ(Heading("one two three four five six"), "one 5 · two 5 · three 5 · four 5 · five 5 · six 5");
  EXPECT_EQ(Heading("class Furnace"), "class 2 · furnace 1") << "a kind is no part of the name";
  EXPECT_EQ(Heading("ServerName Directive"), "servername 1 · directive 2");
  EXPECT_EQ(Heading("os.path.join(a, b)"), "os.path.join 1 · path.join 6 · join 6");
  EXPECT_EQ(Heading("--amend"), "--amend 1 · amend 1");
  EXPECT_EQ(Heading("C++"), "c++ 1");
  EXPECT_EQ(Heading("kiln-fire - heat what was glazed"), "kiln-fire 1 · heat 5 · what 5 · was 5 · glazed 5");
}

TEST(NameRoles, MarksTheFirstNameOfATermAndItsAlternatives) {
  EXPECT_EQ(Term("-m MESSAGE, --message=MESSAGE"), "-m 7 · m 7 · message 7 · --message 7");
  EXPECT_EQ(Term("user.name"), "user.name 7");
  EXPECT_EQ(Term(""), "");
}

// A manual of an invented database.
std::vector<PageInput> Manual() {
  PageInput list = test::MakePageInput(
      "Kiln command", "kiln.md",
      {{{"Options"}, "options", "--batch fire several at once. --amend change the last firing.", ""}});
  list.passages[0].terms = {"--batch", "--amend"};
  return {
      test::MakePageInput("Settings", "settings.md",
                          {{{"superuser_reserved_kilns (integer)"},
                            "reserved",
                            "How many of max_kilns are kept for superusers. max_kilns must exceed it; see max_kilns.",
                            "max_kilns = 100"},
                           {{"max_kilns (integer)"}, "max-kilns", "The most kilns at once.", ""},
                           {{"Notes"}, "notes", "Raising max_kilns costs max_kilns times as much memory as one.", ""}}),
      test::MakePageInput("CREATE TABLE", "create-table.md",
                          {{{}, "", "Defines a new table.", ""},
                           {{"See Also"}, "see-also", "Create table as; create a table; drop the table; tables.", ""}}),
      test::MakePageInput("CREATE TABLE AS", "create-table-as.md",
                          {{{}, "", "Create table from a query: table create.", ""}}),
      test::MakePageInput("Aggregates", "aggregates.md",
                          {{{"User-Defined Aggregates"},
                            "user-defined",
                            "Like array_agg, which calls array_agg, array_agg.",
                            "array_agg"},
                           {{"array_agg"}, "array-agg", "Collects values.", ""}}),
      test::MakePageInput("Watching", "watching.md",
                          {{{"watch vs. watchEffect"}, "versus", "watch and watchEffect, watchEffect and watch.", ""},
                           {{"watchEffect()"}, "watch-effect", "Runs a function at once.", ""},
                           {{"watch()"}, "watch", "Runs a function later.", ""}}),
      test::MakePageInput("Json", "json.md",
                          {{{"Containment"}, "containment", "Does the left contain the right?", "a @> b"},
                           {{"Fields"}, "fields", "The field as text.", "a ->> 'b'"}}),
      test::MakePageInput("Paths", "paths.md",
                          {{{"os.path.join(a, b)"}, "os.path.join", "Joins paths.", ""},
                           {{"Thread.join()"}, "Thread.join", "Waits; unlike os.path.join.", ""},
                           {{"Joining"}, "joining", "join, join, join: os.path.join and Thread.join.", ""}}),
      std::move(list),
      test::MakePageInput(
          "Firing", "firing.md",
          {{{"Mistakes"}, "mistakes", "Use --amend, then --amend again: --amend amends.", "kiln --amend"}}),
  };
}

class Names : public testing::Test {
 protected:
  Names() : bundle_(test::Build(Manual(), test::SampleOptions(), nullptr)), engine_(test::WholeEngine(bundle_, {})) {}

  std::string First(const std::string& text, bool by_passage = true) {
    Query query;
    query.text = text;
    query.by_passage = by_passage;
    const Answer answer = SearchAll(&engine_, query);
    return answer.hits.empty() ? "" : answer.hits[0].source + "#" + answer.hits[0].anchor;
  }

  std::vector<uint8_t> bundle_;
  Engine engine_;
};

TEST_F(Names, LeadToTheirDefinition) {
  for (const bool by_passage : {true, false}) {
    EXPECT_EQ(First("max_kilns", by_passage), "settings.md#max-kilns");
    EXPECT_EQ(First("superuser_reserved_kilns", by_passage), "settings.md#reserved");
    EXPECT_EQ(First("array_agg", by_passage), "aggregates.md#array-agg");
    EXPECT_EQ(First("watchEffect", by_passage), "watching.md#watch-effect");
    EXPECT_EQ(First("watch", by_passage), "watching.md#watch");
    EXPECT_EQ(First("WATCH()", by_passage), "watching.md#watch");
  }
}

TEST_F(Names, LeadToTheirDefinitionBeforeTheyAreTypedToTheEnd) {
  EXPECT_EQ(First("max_kil"), "settings.md#max-kilns");
  EXPECT_EQ(First("contai"), "json.md#containment");
}

TEST_F(Names, OfSeveralWordsAreCompletedAsAWhole) {
  EXPECT_EQ(First("watchE"), "watching.md#watch-effect") << "no word begins with e alone";
  EXPECT_EQ(First("watchEff"), "watching.md#watch-effect");
  EXPECT_EQ(First("superuser_r"), "settings.md#reserved");
  EXPECT_EQ(First("array_a"), "aggregates.md#array-agg");
  EXPECT_EQ(First("Thread.jo"), "paths.md#Thread.join");
}

TEST_F(Names, OfSeveralWordsAreNotCompletedToAPlainWord) {
  std::vector<PageInput> pages = Manual();
  pages.push_back(
      test::MakePageInput("Watchers", "watchers.md", {{{}, "", "Watchers watch; watchers, watchers.", ""}}));
  Engine engine = test::WholeEngine(test::Build(pages, test::SampleOptions(), nullptr), {});
  Query query;
  query.by_passage = true;
  query.text = "watchE";
  EXPECT_EQ(SearchAll(&engine, query).hits.at(0).anchor, "watch-effect");
}

TEST_F(Names, LackALastDigitWhereItIsNotFound) {
  std::vector<PageInput> pages = Manual();
  pages.push_back(test::MakePageInput(
      "Releases", "releases.md", {{{}, "", "Since 3.8 kilns are blue.", ""}, {{"Old"}, "old", "It was 1 of 4.", ""}}));
  Engine engine = test::WholeEngine(test::Build(pages, test::SampleOptions(), nullptr), {});
  const auto coverage = [&](const std::string& text) {
    Query query;
    query.by_passage = query.explain = true;
    query.text = text;
    for (const Hit& hit : SearchAll(&engine, query).hits) {
      if (hit.source == "releases.md" && hit.anchor.empty()) return hit.explanation->coverage;
    }
    return -1.0f;
  };
  EXPECT_EQ(coverage("3.8"), 1);
  EXPECT_LT(coverage("3.1"), 0.99f);
  EXPECT_EQ(coverage("3.x"), 1) << "a letter may be the first of more";
}

TEST_F(Names, AreNotCompletedOnRequestOrWhereMoreFollows) {
  const auto completed = [&](const std::string& text, bool prefix) {
    Query query;
    query.text = text;
    query.prefix = prefix;
    query.explain = query.by_passage = true;
    for (const Hit& hit : SearchAll(&engine_, query).hits) {
      for (const TermMatch& match : hit.explanation->terms) {
        if (match.kind == MatchKind::kPrefix && match.term == "watcheffect") return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(completed("watchE", true));
  EXPECT_FALSE(completed("watchE", false));
  EXPECT_FALSE(completed("watchE ", true));
  EXPECT_FALSE(completed("watchE settings", true));
}

TEST_F(Names, ThatAreWholeAreNotTakenForTheBeginningOfAnother) {
  std::vector<PageInput> pages = Manual();
  pages.push_back(
      test::MakePageInput("Limits", "limits.md", {{{"max_kilns2"}, "max-kilns2", "Newer than max_kilns.", ""}}));
  Engine engine = test::WholeEngine(test::Build(pages, test::SampleOptions(), nullptr), {});
  Query query;
  query.by_passage = query.explain = true;
  query.text = "max_kilns";
  const Answer answer = SearchAll(&engine, query);
  ASSERT_FALSE(answer.hits.empty());
  EXPECT_EQ(answer.hits[0].anchor, "max-kilns");
  for (const Hit& hit : answer.hits) {
    for (const TermMatch& match : hit.explanation->terms) EXPECT_NE(match.term, "max_kilns2");
  }
}

TEST_F(Names, AsWrittenComeBeforeThoseWithoutTheirSigil) {
  std::vector<PageInput> pages = Manual();
  pages.push_back(
      test::MakePageInput("Kiln", "guide.md", {{{}, "", "Kiln, kiln, kiln: all of the <Kiln>.", "<Kiln>"}}));
  pages.push_back(test::MakePageInput("Elements", "elements.md", {{{"<Kiln>"}, "kiln", "An oven with a door.", ""}}));
  Engine engine = test::WholeEngine(test::Build(pages, test::SampleOptions(), nullptr), {});
  Query query;
  query.by_passage = true;
  query.text = "<Kiln>";
  EXPECT_EQ(SearchAll(&engine, query).hits.at(0).source, "elements.md");
  query.text = "Kiln";
  EXPECT_EQ(SearchAll(&engine, query).hits.at(0).source, "guide.md");
}

TEST_F(Names, AreWhatAQuestionForThemAsks) {
  std::vector<PageInput> pages = Manual();
  pages.push_back(test::MakePageInput(
      "Logging", "logging.md",
      {{{"log_sintering_min_duration (integer)"}, "log-sintering", "What is written: what sintering is slow.", ""}}));
  pages.push_back(test::MakePageInput(
      "Heat", "heat.md",
      {{{"Sintering"}, "sintering", "Grains grow together below the melting point; a kiln does it by itself.", ""},
       {{"What a glaze is"}, "glaze", "What is a glaze, what is not: a glaze is glass.", ""}}));
  Engine engine = test::WholeEngine(test::Build(pages, test::SampleOptions(), nullptr), {});
  const auto first = [&](const char* text) {
    Query query;
    query.by_passage = true;
    query.text = text;
    const Answer answer = SearchAll(&engine, query);
    return answer.hits.empty() ? "" : answer.hits[0].anchor;
  };
  EXPECT_EQ(first("what is sintering"), "sintering");
  EXPECT_EQ(first("What is the sintering?"), "sintering");
  EXPECT_EQ(first("what are max_kilns"), "max-kilns");
  EXPECT_EQ(first("what is a watchEffect"), "watch-effect");
  EXPECT_EQ(first("what is a glaze"), "glaze");
  EXPECT_EQ(first("what is what"), "glaze") << "function words alone are meant";
}

TEST_F(Names, OfAPathInATitleOfManyWordsAreItsLastPart) {
  // As rustdoc titles a page, and heads it.
  std::vector<PageInput> pages = Manual();
  pages.push_back(
      test::MakePageInput("Oven in pottery::firing - Rust", "oven.md",
                          {{{"Struct pottery::firing::Oven"}, "", "Holds what is fired.", ""},
                           {{"Struct pottery::firing::Oven", "Example"}, "example", "Oven, oven, oven.", "Oven"}}));
  Engine engine = test::WholeEngine(test::Build(pages, test::SampleOptions(), nullptr), {});
  Query query;
  query.by_passage = true;
  query.text = "Oven";
  EXPECT_EQ(SearchAll(&engine, query).hits.at(0).anchor, "");
}

TEST_F(Names, OfPathsAreFoundByTheirLastPart) {
  EXPECT_EQ(First("os.path.join"), "paths.md#os.path.join");
  EXPECT_EQ(First("Thread.join"), "paths.md#Thread.join");
  EXPECT_NE(First("join"), "paths.md#joining");
}

TEST_F(Names, AreFoundAmongTheTermsOfAPassage) { EXPECT_EQ(First("--amend"), "kiln.md#options"); }

TEST_F(Names, OfPagesOpenThePageAtItsTop) {
  for (const bool by_passage : {true, false}) {
    EXPECT_EQ(First("create table", by_passage), "create-table.md#");
    EXPECT_EQ(First("Create Table As", by_passage), "create-table-as.md#");
    EXPECT_EQ(First("settings", by_passage), "settings.md#") << "not at the first heading";
  }
}

TEST_F(Names, AreOperatorsToo) {
  EXPECT_EQ(First("@>"), "json.md#containment");
  EXPECT_EQ(First("->>"), "json.md#fields");
}

TEST_F(Names, NeedNoBonusToBeFoundAmongManyMentions) {
  // A definition is a candidate, however many passages mention the name more often.
  std::vector<PageInput> pages = Manual();
  for (int i = 0; i < 400; ++i) {
    pages.push_back(test::MakePageInput("max_kilns and more " + std::to_string(i), "m" + std::to_string(i) + ".md",
                                        {{{"About max_kilns here"}, "a", "max_kilns max_kilns", "max_kilns"}}));
  }
  Engine engine = test::WholeEngine(test::Build(pages, test::SampleOptions(), nullptr), {});
  Query query;
  query.text = "max_kilns";
  query.by_passage = true;
  query.top_k = 1;
  const Answer answer = SearchAll(&engine, query);
  ASSERT_EQ(answer.hits.size(), 1u);
  EXPECT_EQ(answer.hits[0].anchor, "max-kilns");
}

TEST_F(Names, ScoreAtMostOneAndNeverMoreDownTheList) {
  for (const char* text : {"max_kilns", "create table", "watch", "array_agg aggregates"}) {
    Query query;
    query.text = text;
    float before = 1;
    for (const Hit& hit : SearchAll(&engine_, query).hits) {
      EXPECT_LE(hit.score, before) << text;
      before = hit.score;
    }
  }
}

TEST_F(Names, AWordThatWasMistypedGivesTheAnswerOfTheCorrectOne) {
  for (const auto& [typed, meant] : std::map<std::string, std::string>{{"watchEfect", "watchEffect"},
                                                                       {"max_kilms", "max_kilns"},
                                                                       {"agregates", "aggregates"},
                                                                       {"craete table", "create table"}}) {
    Query query;
    query.by_passage = query.explain = true;
    query.text = typed;
    const Answer typo = SearchAll(&engine_, query);
    query.text = meant;
    const Answer correct = SearchAll(&engine_, query);
    ASSERT_EQ(typo.corrections.size(), 1u) << typed;
    EXPECT_TRUE(correct.corrections.empty());
    ASSERT_EQ(typo.hits.size(), correct.hits.size()) << typed;
    ASSERT_FALSE(typo.hits.empty());
    for (size_t i = 0; i < typo.hits.size(); ++i) {
      EXPECT_EQ(typo.hits[i].passage, correct.hits[i].passage) << typed;
      EXPECT_EQ(typo.hits[i].score, correct.hits[i].score) << typed;
      EXPECT_EQ(typo.hits[i].snippet, correct.hits[i].snippet) << typed;
    }
    // The explanation tells both.
    const auto says = [&](const TermMatch& match) {
      return match.word == typo.corrections[0].word && match.kind == MatchKind::kTypo;
    };
    EXPECT_TRUE(std::any_of(typo.hits[0].explanation->terms.begin(), typo.hits[0].explanation->terms.end(), says));
  }
}

}  // namespace name_roles_test
}  // namespace sheaf
