// The owner's rules: sheaf.search.yaml read, packed and obeyed (packer/rules/search_rules.h, search/owner_rules.h).
#include "search/owner_rules.h"

#include <gtest/gtest.h>

#include "packer/rules/search_rules.h"
#include "tests/unit/job_support.h"
#include "tests/unit/support.h"

namespace sheaf {
namespace owner_rules_test {

using packer::PackReport;
using packer::ParseSearchRules;
using packer::SearchRules;

std::string ErrorOf(const std::string& text) {
  const Result<SearchRules> rules = ParseSearchRules(text, "r.yaml");
  return rules.ok() ? "none" : rules.error().message;
}

TEST(SearchRules, ReadEveryKey) {
  const Result<SearchRules> rules = ParseSearchRules(
      "synonyms:\n  - [a, b, c]\n  - {from: undo, to: [revert, roll back]}\n"
      "pins:\n  install: guide.md\n  getting started: [a.md, b.md]\n"
      "weights:\n  'blog/**': 0.3\nexclude: drafts/**\nstart: [a.md]\ncrumbs: {api_v2: API 2, old: ''}\n",
      "r.yaml");
  ASSERT_TRUE(rules.ok()) << rules.error().message;
  EXPECT_EQ(rules->synonyms.size(), 6u + 2u);
  ASSERT_EQ(rules->pins.size(), 2u);
  EXPECT_EQ(rules->pins[1].pages, (std::vector<std::string>{"a.md", "b.md"}));
  EXPECT_EQ(rules->pins[1].line, 6);
  EXPECT_FLOAT_EQ(rules->weights.at(0).weight, 0.3f);
  EXPECT_EQ(rules->exclude, std::vector<std::string>{"drafts/**"});
  EXPECT_EQ(packer::RenameCrumbs({"API v2", "old", "Guide"}, &*rules), (std::vector<std::string>{"API 2", "Guide"}));
  EXPECT_TRUE(ParseSearchRules("", "r.yaml").ok());
  EXPECT_TRUE(ParseSearchRules("pins:\n# none yet\n", "r.yaml").ok());
}

TEST(SearchRules, NameLineKeyAndWhatIsExpected) {
  EXPECT_EQ(ErrorOf("pins: {}\nsynonym: []\n"),
            "r.yaml:2: synonym: is unknown; expected synonyms, pins, weights, exclude, start, crumbs or box");
  EXPECT_EQ(ErrorOf("synonyms:\n  - [one]\n"),
            "r.yaml:2: synonyms: has one word; expected two or more: [k8s, kubernetes]");
  EXPECT_EQ(ErrorOf("synonyms:\n  - {form: a, to: b}\n"), "r.yaml:2: synonyms.form: is unknown; expected from and to");
  EXPECT_EQ(ErrorOf("weights:\n  blog/**: much\n"), "r.yaml:2: weights.blog/**: expected a number from 0 to 10");
  EXPECT_EQ(ErrorOf("weights:\n  blog/**: 11\n"), "r.yaml:2: weights.blog/**: expected a number from 0 to 10");
  EXPECT_EQ(ErrorOf("pins:\n  install: {a: b}\n"), "r.yaml:2: pins.install: expected a text");
  EXPECT_EQ(ErrorOf("- a\n"), "r.yaml:1: the file: expected keys such as synonyms and pins");
  EXPECT_NE(ErrorOf("pins: [\n").find("r.yaml:2: is no YAML"), std::string::npos) << ErrorOf("pins: [\n");
  EXPECT_EQ(ErrorOf("start: []\nstart: []\n"), "r.yaml:2: start: stands there twice");
}

TEST(SearchRules, TheBoxHasTextsAndLimits) {
  const Result<SearchRules> rules = ParseSearchRules(
      "box:\n  placeholder: Ask us\n  pages: 5\n  recent: 0\n  words: {noResults: 'Nothing about {query}', more: 7}\n",
      "r.yaml");
  ASSERT_TRUE(rules.ok()) << rules.error().message;
  EXPECT_EQ(rules->box.placeholder, "Ask us");
  EXPECT_EQ(rules->box.numbers, (std::vector<std::pair<std::string, uint32_t>>{{"pages", 5}, {"recent", 0}}));
  EXPECT_EQ(rules->box.words,
            (std::vector<std::pair<std::string, std::string>>{{"noResults", "Nothing about {query}"}, {"more", "7"}}));
  EXPECT_TRUE(ParseSearchRules("box:\n", "r.yaml")->box.empty());
  EXPECT_EQ(ErrorOf("box:\n  placehoder: a\n"),
            "r.yaml:2: box.placehoder: is unknown; expected placeholder, pages, sections, recent or words");
  EXPECT_EQ(ErrorOf("box: {pages: 0}\n"), "r.yaml:1: box.pages: expected a whole number from 1 to 50");
  for (const char* number : {"51", "1.5", "-1", "many", "[1]", "''", "1e400"})
    EXPECT_EQ(ErrorOf("box: {pages: " + std::string(number) + "}\n"),
              "r.yaml:1: box.pages: expected a whole number from 1 to 50");
  EXPECT_EQ(ErrorOf("box: {words: {emtpy: a}}\n").substr(0, 73),
            "r.yaml:1: box.words.emtpy: is unknown; expected one of search, clear, clo");
  EXPECT_EQ(ErrorOf("box: {words: {empty: [a]}}\n"), "r.yaml:1: box.words.empty: expected a text");
  EXPECT_EQ(ErrorOf("box: {words: {empty: " + std::string(600, 'a') + "}}\n"),
            "r.yaml:1: box.words.empty: has 600 bytes; expected at most 500");
  EXPECT_EQ(ErrorOf("box: [a]\n"), "r.yaml:1: box: expected texts and limits, such as placeholder: Ask us");
  EXPECT_EQ(ErrorOf("box: {pages: 2, pages: 3}\n"), "r.yaml:1: box.pages: stands there twice");
}

TEST(SearchRules, RefuseWhatContradictsItself) {
  EXPECT_EQ(ErrorOf("pins:\n  install: a.md\n  install: b.md\n"), "r.yaml:3: pins.install: stands there twice");
  EXPECT_EQ(ErrorOf("weights:\n  blog/**: 2\n  blog/**: 0.5\n"), "r.yaml:3: weights.blog/**: stands there twice");
  EXPECT_EQ(ErrorOf("crumbs:\n  a: b\n  a: c\n"), "r.yaml:3: crumbs.a: stands there twice");
  EXPECT_EQ(ErrorOf("synonyms:\n  - {from: a, to: b, from: c}\n"), "r.yaml:2: synonyms.from: stands there twice");
  EXPECT_EQ(ErrorOf("exclude: {select: .a, select: .b}\n"), "r.yaml:1: exclude.select: stands there twice");
  EXPECT_EQ(ErrorOf("weights:\n  kind:code: 2\n").substr(0, 45), "r.yaml:2: weights.kind:code: names no kind; e");
}

TEST(SearchRules, HaveBounds) {
  std::string many = "synonyms:\n";
  for (int i = 0; i < 1200; ++i) many += "  - [a" + std::to_string(i) + ", b" + std::to_string(i) + "]\n";
  EXPECT_EQ(ErrorOf(many), "r.yaml:1002: synonyms: are more than 2000, each direction counted");
  EXPECT_EQ(ErrorOf(std::string(1 << 20, '#')), "r.yaml: has 1048576 bytes; expected at most 262144");
  EXPECT_EQ(ErrorOf("pins: {install: " + std::string(600, 'x') + "}\n"),
            "r.yaml:1: pins.install: has 600 bytes; expected at most 500");
  // Aliases of lists of lists are no texts, however many they stand for.
  EXPECT_EQ(ErrorOf("exclude:\n  - &a [x, x]\n  - &b [*a, *a]\n  - [*b, *b]\n"), "r.yaml:2: exclude: expected a text");
  EXPECT_NE(ErrorOf("exclude: " + std::string(100000, '[')), "none");
  // An alias to itself, and a million words by aliases.
  EXPECT_EQ(ErrorOf("exclude: &a [*a]\n"), "r.yaml:1: exclude: expected a text");
  std::string doubled = "synonyms:\n  - &a [b, c]\n";
  for (char c = 'a'; c < 'u'; ++c) ((doubled += "  - &") += char(c + 1)) += std::string(" [*") + c + ", *" + c + "]\n";
  EXPECT_EQ(ErrorOf(doubled), "r.yaml:2: synonyms: expected a text");
}

TEST(SearchRules, ExcludeTakesGlobsAndSelectors) {
  const Result<SearchRules> rules = ParseSearchRules(
      "exclude:\n  - 'drafts/**'\n  - select: '.changelog, #legacy'\n  - { select: [nav > ul, '[data-x]'] }\n",
      "r.yaml");
  ASSERT_TRUE(rules.ok()) << rules.error().message;
  EXPECT_EQ(rules->exclude, std::vector<std::string>{"drafts/**"});
  std::vector<std::pair<std::string, int>> parts;
  for (const packer::PartSelector& part : rules->parts) parts.emplace_back(part.text, part.line);
  EXPECT_EQ(parts, (std::vector<std::pair<std::string, int>>{
                       {".changelog", 3}, {"#legacy", 3}, {"nav > ul", 4}, {"[data-x]", 4}}));
  EXPECT_EQ(ParseSearchRules("exclude: { select: .a }", "r.yaml")->parts.size(), 1u);
  EXPECT_EQ(ErrorOf("exclude:\n  - { selct: .a }\n"),
            "r.yaml:2: exclude.selct: is unknown; expected { select: .changelog }");
  EXPECT_NE(ErrorOf("exclude:\n  - a/**\n  - { select: 'a:hover' }\n")
                .find("r.yaml:3: exclude.select: 'a:hover' cannot be read at ':hover'; expected names, .class"),
            std::string::npos);
  EXPECT_EQ(ErrorOf("exclude: { select: [[a]] }\n"), "r.yaml:1: exclude.select: expected a text");
  std::string many = ".a";
  for (int i = 0; i < 100; ++i) many += ",.a";
  EXPECT_EQ(ErrorOf("exclude: { select: '" + many + "' }\n"), "r.yaml:1: exclude.select: are more than 100 selectors");
}

class OwnerRulesTest : public test::JobTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(JobTest::SetUp());
    Write("docs/index.md", "# Home\n\nWelcome. Read the [chapter](guide/revert.md).\n");
    Write("docs/guide/setup.md",
          "# Setting up\n\nPrepare Kubernetes on a machine.\n\n## Linux\n\nUnpack the archive.\n");
    Write("docs/guide/revert.md", "# Reverting\n\nYou can revert a change.\n");
    Write("docs/guide/release.md", "# Releases\n\nWhen it fails, roll back the release at once.\n");
    Write("docs/guide/login.md", "# Tokens\n\nAuthenticate with a token. Nobody signs here.\n");
    Write("docs/blog/k.md", "# Kubernetes\n\nKubernetes has news.\n");
  }

  // Packs with these rules; the report says what came of it.
  PackReport PackWith(const std::string& rules, packer::PackOptions options) {
    Write("docs/sheaf.search.yaml", rules);
    const PackReport report = Pack(options);
    if (!report.error) {
      const std::string bytes = Read("out/l@1.sheaf");
      engine_ = test::WholeEngine({bytes.begin(), bytes.end()}, {});
    }
    return report;
  }
  PackReport PackWith(const std::string& rules) { return PackWith(rules, Options()); }

  Answer Find(const std::string& text) { return test::SearchAll(&engine_, test::Keyword(text)); }
  std::vector<std::string> Sources(const std::string& text) {
    std::vector<std::string> sources;
    for (const Hit& hit : Find(text).hits) sources.push_back(hit.source + (hit.anchor.empty() ? "" : "#" + hit.anchor));
    return sources;
  }

  Engine engine_;
};
using List = std::vector<std::string>;

TEST_F(OwnerRulesTest, SynonymsFindPagesThatLackTheWord) {
  ASSERT_FALSE(PackWith("synonyms: [[k8s, kubernetes]]\n").error);
  EXPECT_EQ(Sources("k8s"), (List{"blog/k.md", "guide/setup.md"}));
  EXPECT_EQ(Sources("kubernetes"), (List{"blog/k.md", "guide/setup.md"}));
  EXPECT_EQ(Sources("k8s machine")[0], "guide/setup.md");
  ASSERT_FALSE(PackWith("").error);
  EXPECT_EQ(Sources("k8s"), List());
}

TEST_F(OwnerRulesTest, SynonymsGoOneWayOnlyWhereTheySaySo) {
  ASSERT_FALSE(PackWith("synonyms: [{from: undo, to: [revert, roll back]}]\n").error);
  EXPECT_EQ(Sources("undo"), (List{"guide/revert.md", "guide/release.md"}));
  EXPECT_EQ(Sources("revert"), List{"guide/revert.md"});
  EXPECT_EQ(Sources("back"), List{"guide/release.md"});
}

TEST_F(OwnerRulesTest, TwoWordsAreAskedTogether) {
  ASSERT_FALSE(PackWith("synonyms: [{from: sign on, to: authenticate}]\n").error);
  EXPECT_EQ(Sources("sign on")[0], "guide/login.md");
  EXPECT_EQ(Sources("on machine")[0], "guide/setup.md");
  const Answer alone = Find("on");
  for (const Hit& hit : alone.hits) EXPECT_NE(hit.source, "guide/login.md") << "its other word is missing";
}

TEST_F(OwnerRulesTest, SynonymsMarkTheWordsOfThePageAndAreNamed) {
  ASSERT_FALSE(PackWith("synonyms: [[k8s, kubernetes], {from: undo, to: roll back}]\n").error);
  Query query = test::Keyword("k8s");
  query.explain = true;
  const Answer answer = test::SearchAll(&engine_, query);
  ASSERT_EQ(answer.hits.size(), 2u);
  const Hit& hit = answer.hits[1];
  ASSERT_EQ(hit.highlights.size(), 1u);
  EXPECT_EQ(hit.snippet.substr(hit.highlights[0].start, hit.highlights[0].length), "Kubernetes");
  ASSERT_EQ(hit.explanation->terms.size(), 1u);
  EXPECT_EQ(hit.explanation->terms[0].kind, MatchKind::kSynonym);
  EXPECT_EQ(hit.explanation->terms[0].term, "kubernetes");
  const Answer rolled = Find("undo");
  ASSERT_EQ(rolled.hits.size(), 1u);
  EXPECT_EQ(rolled.hits[0].highlights.size(), 2u) << rolled.hits[0].snippet;
}

TEST_F(OwnerRulesTest, PinsComeFirstInTheirOrder) {
  ASSERT_FALSE(PackWith("pins: {kubernetes: [/guide/login, guide/setup.md#linux], roll back: guide/}\n").error);
  EXPECT_EQ(Sources("kubernetes"), (List{"guide/login.md", "guide/setup.md#linux", "blog/k.md"}));
  EXPECT_EQ(Sources("how to kubernetes")[0], "guide/login.md") << "function words do not count";
  EXPECT_EQ(Sources("kubernetes machine")[0], "guide/setup.md") << "another query";
  const Answer answer = Find("kubernetes");
  for (const Hit& hit : answer.hits) EXPECT_FALSE(hit.symbol);
  EXPECT_TRUE(answer.hits[0].headings.empty()) << "the page is pinned, not its first part";
  EXPECT_EQ(answer.hits[1].headings.back(), "Linux");
}

TEST_F(OwnerRulesTest, PinsHoldForCorrectedWordsAndOtherForms) {
  ASSERT_FALSE(PackWith("pins: {reverted releases: guide/login.md}\n").error);
  EXPECT_EQ(Sources("reverting a release")[0], "guide/login.md");
  EXPECT_EQ(Sources("release revert")[0], "guide/login.md");
  EXPECT_EQ(Sources("reverrting releases")[0], "guide/login.md");
}

TEST_F(OwnerRulesTest, WeightsStartAndCrumbsAreTaken) {
  const PackReport report = PackWith(
      "weights: {'blog/**': 0.1}\nexclude: [guide/login.md]\nstart: [guide/release.md]\ncrumbs: {guide: Manual}\n");
  ASSERT_FALSE(report.error);
  EXPECT_EQ(report.pages, 5u);
  EXPECT_TRUE(report.not_read.empty()) << "the rules are no file that was not read";
  EXPECT_EQ(Find("setting up").hits.at(0).place, std::vector<std::string>{"Manual"});
  auto opened = engine_.Open();
  ASSERT_TRUE(opened.value());
  const std::string& manifest = opened.value()->manifest;
  EXPECT_LT(manifest.find("guide/release.md"), manifest.find("guide/revert.md")) << manifest;
}

TEST_F(OwnerRulesTest, SelectorsLeaveOutPartsOfPages) {
  const std::string page = "<html><body><main><h1>Firing</h1><p>Kilns are fired.</p><div class=log><p>Zebra.</p></div>";
  Write("docs/firing.html", page + "<p data-x=1>Giraffe.</p></main></body></html>");
  const PackReport report = PackWith("exclude:\n  - { select: '.log, .missing' }\n  - select: '[data-x]'\n");
  ASSERT_FALSE(report.error);
  EXPECT_EQ(Sources("kilns"), List{"firing.html"});
  EXPECT_EQ(Sources("zebra"), List());
  EXPECT_EQ(Sources("giraffe"), List());
  std::vector<std::string> reasons;
  for (const packer::Remark& note : report.notes) reasons.push_back(note.reason);
  EXPECT_EQ(reasons, List{"line 2: exclude.select: no page of HTML has an element like '.missing'"});
}

TEST_F(OwnerRulesTest, RulesThatMeetNothingAreNoted) {
  const PackReport report = PackWith("pins: {install: nowhere.md}\nweights: {'none/**': 2}\nstart: [gone.md]\n");
  ASSERT_FALSE(report.error);
  std::vector<std::string> reasons;
  for (const packer::Remark& note : report.notes) reasons.push_back(note.reason);
  EXPECT_EQ(reasons,
            (std::vector<std::string>{"line 1: pins: no page 'nowhere.md' is packed; expected its path below the root",
                                      "line 3: start: no page 'gone.md' is packed; expected its path below the root",
                                      "line 2: weights: 'none/**' holds for no page"}));
}

TEST_F(OwnerRulesTest, WeightsKnowKindsVersionsAndDates) {
  Write("docs/old.md", "---\ndate: 2019-04-01\n---\n# Kilns of old\n\nAlpacas carry kilns.\n");
  Write("docs/new.md", "---\ndate: 2025-04-01\n---\n# Kilns of today\n\nAlpacas carry kilns.\n");
  Write("docs/first.md", "---\nsheaf: {filter: {version: 1.4}}\n---\n# First\n\nLlamas carry clay.\n");
  Write("docs/second.md", "---\nsheaf: {filter: {version: 2.0}}\n---\n# Second\n\nLlamas carry clay.\n");
  Write("docs/api.rst",
        "API\n===\n\nWombats dig.\n\n.. py:function:: dig(depth)\n\n   Wombats dig wombats, wombats and wombats.\n");
  const auto first = [&](const std::string& rules, const char* text) {
    const PackReport report = PackWith(rules);
    EXPECT_FALSE(report.error) << report.error->message;
    for (const packer::Remark& note : report.notes) ADD_FAILURE() << note.reason;
    return Sources(text).at(0);
  };
  EXPECT_EQ(first("weights: {'date:<2020': 0.1}", "alpacas"), "new.md");
  EXPECT_EQ(first("weights: {'date:>=2020': 0.1}", "alpacas"), "old.md");
  EXPECT_EQ(first("weights: {'version:<2': 0.1}", "llamas"), "second.md");
  EXPECT_EQ(first("weights: {'version:2': 0.1}", "llamas"), "first.md");
  EXPECT_EQ(first("weights: {'kind:function': 5}", "wombats").substr(0, 11), "api.rst#dig");
  EXPECT_EQ(first("weights: {'kind:function': 0.05}", "wombats"), "api.rst");
  const PackReport report = PackWith("weights: {'kind:macro': 2, 'date:<2010': 2, 'version:9': 2}\n");
  std::vector<std::string> reasons;
  for (const packer::Remark& note : report.notes) reasons.push_back(note.reason);
  EXPECT_EQ(reasons,
            (List{"line 1: weights: 'kind:macro' holds for no passage",
                  "line 1: weights: 'date:<2010' holds for no page; pages state dates in their front matter or "
                  "<meta>"}))
      << "the bundle's version has a number; version 9 may be another bundle's";
}

TEST_F(OwnerRulesTest, AVersionWeighsTheWholeBundleWherePagesStateNone) {
  const auto score = [&](const std::string& rules) {
    EXPECT_FALSE(PackWith(rules).error);
    Query query = test::Keyword("kubernetes");
    query.explain = true;
    return test::SearchAll(&engine_, query).hits.at(0).explanation->keyword_raw;
  };
  EXPECT_LT(score("weights: {'version:1': 0.1}"), score("weights: {'version:2': 0.1}"));
}

TEST_F(OwnerRulesTest, PagesThatAreLeftOutCannotBePinned) {
  const PackReport report = PackWith("exclude: [blog/**]\npins: {install: blog/k.md}\nstart: [blog/k.md]\n");
  ASSERT_FALSE(report.error);
  std::vector<std::string> reasons;
  for (const packer::Remark& note : report.notes) reasons.push_back(note.reason);
  EXPECT_EQ(reasons, (List{"line 2: pins: the page 'blog/k.md' is left out by exclude",
                           "line 3: start: the page 'blog/k.md' is left out by exclude"}));
}

TEST_F(OwnerRulesTest, RulesThatCannotBeKeptEndTheRun) {
  const std::string words = std::string(40, 'x') + ' ' + std::string(40, 'y');
  const std::pair<std::string, std::string> cases[] = {
      {"synonyms: [[a b c, d]]\n", ": 'a b c' has 3 words; expected at most 2"},
      {"synonyms: [[revert, reverts]]\n",
       ": 'revert' and 'reverts' are the same word to the search; leave the synonym out"},
      {"synonyms: [['!', d]]\n", ": '!' has no word"},
      {"pins:\n  installing: index.md\n  the install: guide/login.md\n",
       ":3: pins.the install: is the same to the search as 'installing'; name all pages in one of them"},
      {"pins: {" + words + ": index.md}\n",
       ": '" + words + "' is too long: a rule's words have some 50 bytes together at most"},
  };
  Write("out/l@1.sheaf", "an older bundle");
  for (const auto& [rules, expected] : cases) {
    const PackReport report = PackWith(rules);
    ASSERT_TRUE(report.error) << rules;
    EXPECT_NE(report.error->message.find("sheaf.search.yaml" + expected), std::string::npos) << report.error->message;
  }
  EXPECT_EQ(Read("out/l@1.sheaf"), "an older bundle");
  packer::PackOptions options = Options();
  options.rules = At("missing.yaml");
  const PackReport report = Pack(options);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::kNotFound);
}

TEST_F(OwnerRulesTest, OtherLanguagesHaveThem) {
  Write("docs/guide/haus.md", "# Wohnen\n\nDie alten Gebäude stehen am Fluss.\n");
  Write("docs/guide/tor.md", "# Tore\n\nEin Tor hat zwei Flügel.\n");
  packer::PackOptions options = Options();
  options.language = "de";
  ASSERT_FALSE(PackWith("synonyms: [[Häuser, Gebäude]]\npins: {große Tore: guide/haus.md}\n", options).error);
  EXPECT_EQ(Sources("Haus"), List{"guide/haus.md"});
  EXPECT_EQ(Sources("großes Tor")[0], "guide/haus.md");
  EXPECT_EQ(Find("Haus").hits[0].highlights.size(), 1u);
}

TEST_F(OwnerRulesTest, ARuleCostsQueriesOfOtherWordsNoForm) {
  ASSERT_FALSE(PackWith("synonyms: [[kub, revert]]\npins: {kubernete machines: index.md}\n").error);
  Query query = test::Keyword("kubern");
  query.explain = true;
  for (const Hit& hit : test::SearchAll(&engine_, query).hits) {
    for (const TermMatch& match : hit.explanation->terms) EXPECT_EQ(match.kind, MatchKind::kPrefix) << match.term;
  }
}

}  // namespace owner_rules_test
}  // namespace sheaf
