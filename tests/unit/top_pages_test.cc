// The pages a search box offers before anything is typed: who is counted, how links are read, what the list may cost.
#include "packer/pipeline/top_pages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "packer/document/link_targets.h"
#include "packer/parse/parse.h"
#include "search/engine.h"
#include "tests/unit/pack_support.h"

namespace sheaf::packer {
namespace top_pages_test {

struct Source {
  std::string path;
  std::vector<std::string> links;  // in prose
  std::string title;               // the path if empty
  std::vector<std::string> others;
};

std::vector<std::string> Titles(const std::vector<TopPage>& pages) {
  std::vector<std::string> titles;
  for (const TopPage& page : pages) titles.push_back(page.title);
  return titles;
}

std::vector<TopPage> Choose(const std::vector<Source>& sources, const std::string& base = "") {
  TopPages top;
  for (const Source& source : sources) {
    std::vector<LinkTarget> links;
    for (const std::string& link : source.links) links.push_back({link, true});
    for (const std::string& link : source.others) links.push_back({link, false});
    top.Add(source.path, "/" + source.path, source.title.empty() ? source.path : source.title,
            ResolveLinks(source.path, links, base));
  }
  return top.Choose();
}

using List = std::vector<std::string>;

List Written(const std::vector<LinkTarget>& targets, bool prose_alone = false) {
  List written;
  for (const LinkTarget& target : targets) {
    if (target.in_prose || !prose_alone) written.push_back(target.written);
  }
  return written;
}

TEST(TopPages, ThePageThatMostPagesLinkToComesFirst) {
  EXPECT_EQ(Titles(Choose({{"a.md", {"c.md", "b.md"}}, {"b.md", {"c.md"}}, {"c.md", {}}})), (List{"c.md", "b.md"}));
}

TEST(TopPages, LinksInProseComeBeforeThoseOfTables) {
  EXPECT_EQ(Titles(Choose({{"a.md", {"b.md"}, "", {"c.md", "d.md"}},
                           {"b.md", {}, "", {"c.md", "d.md"}},
                           {"c.md", {}, "", {"d.md"}},
                           {"d.md", {}}})),
            (List{"b.md", "d.md", "c.md"}));
}

TEST(TopPages, APageThatLinksTenTimesCountsOnce) {
  const Source often{"a.md", {"b.md", "./b.md", "b.html", "/b", "b"}};
  EXPECT_EQ(Titles(Choose({often, {"b.md", {}}, {"c.md", {}}, {"d.md", {"c.md"}}, {"e.md", {"c.md"}}})),
            (List{"c.md", "b.md"}));
}

TEST(TopPages, APageThatLiesHigherNeedsFewerLinks) {
  const std::vector<Source> sources = {
      {"deep/er/est.md", {}},
      {"one.md", {"deep/er/est.md", "high.md"}},
      {"two.md", {"deep/er/est.md"}},
      {"high.md", {}},
  };
  EXPECT_EQ(Titles(Choose(sources)), (List{"high.md", "deep/er/est.md"}));  // 2 / 1 and 3 / 3
}

TEST(TopPages, AnIndexStandsForItsFolderAndNeedsNoLinkAtTheTop) {
  EXPECT_EQ(
      Titles(Choose({{"guide/index.md", {}}, {"guide/use.md", {}}, {"guide/in/README.md", {}}, {"alone.md", {}}})),
      (List{"guide/index.md"}));
}

TEST(TopPages, ThePageAtTheTopIsLeftOutWhereverTheTopIs) {
  EXPECT_EQ(Titles(Choose({{"index.md", {"a.md"}}, {"a.md", {"index.md", "./"}}})), (List{"a.md"}));
  EXPECT_EQ(Titles(Choose({{"de/2.0/index.html", {"a.html"}}, {"de/2.0/a.html", {"index.html"}}})),
            (List{"de/2.0/a.html"}));
}

TEST(TopPages, DepthCountsBelowTheFolderThatAllPagesShare) {
  const std::vector<Source> sources = {
      {"v1/docs/a.md", {"b/c.md"}}, {"v1/docs/b/c.md", {"../a.md"}}, {"v1/docs/d.md", {"b/c.md"}}};
  EXPECT_EQ(Titles(Choose(sources)), (List{"v1/docs/a.md", "v1/docs/b/c.md"}));  // 2 / 1 and 3 / 2
}

TEST(TopPages, EveryWayToWriteALinkLeadsToItsPage) {
  const std::string base = "https://example.org/docs/";
  for (const char* link : {"use.md", "./use.md", "../guide/use.html", "/docs/guide/use", "/guide/use/", "../use/",
                           "https://example.org/docs/guide/use.html", "%75se.md", "use.md#a", "use.html?x=1"}) {
    LinkTargets targets;
    targets.Add(link);
    EXPECT_EQ(Titles(Choose({{"guide/start.md", Written(targets.Take())}, {"guide/use.md", {}}, {"top.md", {}}}, base)),
              (List{"guide/use.md"}))
        << link;
  }
}

TEST(TopPages, LinksThatLeaveTheDocumentationCountForNothing) {
  for (const char* link : {"https://example.com/b", "//b", "mailto:b", "../../b", "javascript:b", "#b", "?b", "b%00",
                           "https://example.org/docsb", "c", ""}) {
    LinkTargets targets;
    targets.Add(link);
    EXPECT_TRUE(Choose({{"a.md", Written(targets.Take())}, {"b.md", {}}}, "https://example.org/docs/").empty()) << link;
  }
}

TEST(TopPages, EqualPagesStandInTheOrderOfTheirPaths) {
  const std::vector<Source> sources = {{"a.md", {"c.md", "b.md", "x/y.md"}},
                                       {"b.md", {}},
                                       {"c.md", {}},
                                       {"d.md", {"x/y.md"}},
                                       {"e.md", {"x/y.md"}},
                                       {"x/y.md", {}}};
  EXPECT_EQ(Titles(Choose(sources)), (List{"b.md", "c.md", "x/y.md"}));  // 2 / 1, 2 / 1, 4 / 2
}

TEST(TopPages, ATitleStandsOnceAndALongOneNever) {
  const std::string longer(kMaxTopTitleBytes + 1, 'x');
  EXPECT_EQ(Titles(Choose(
                {{"a.md", {"b.md", "c.md", "d.md"}}, {"b.md", {}, "Use"}, {"c.md", {}, "Use"}, {"d.md", {}, longer}})),
            (List{"Use"}));
}

TEST(TopPages, TheListIsShortWhateverThePagesAre) {
  Source first{"a.md", {}};
  std::vector<Source> sources;
  for (int i = 0; i < 40; ++i) {
    const std::string path = std::string(300, char('b' + i % 20)) + std::to_string(i) + ".md";
    sources.push_back({path, {}, "Page \"" + std::to_string(i) + "\" \\"});
    first.links.push_back(path);
  }
  sources.push_back(first);
  const auto bytes = [](const std::vector<TopPage>& pages) {
    nlohmann::json list = nlohmann::json::array();
    for (const TopPage& page : pages) list.push_back({{"title", page.title}, {"url", page.url}});
    return list.dump().size();
  };
  const std::vector<TopPage> few = Choose(sources);
  EXPECT_EQ(few.size(), 2u);
  EXPECT_LE(bytes(few), kMaxTopPagesBytes);
  std::vector<Source> many{{"a.md", {}}};
  for (int i = 0; i < 40; ++i) {
    many.push_back({"p" + std::to_string(i) + ".md", {}});
    many[0].links.push_back(many.back().path);
  }
  EXPECT_EQ(Choose(many).size(), kMaxTopPages);
}

TEST(LinkTargets, KeepEachOnceAndNotMoreThanAPageMayHave) {
  LinkTargets targets;
  for (const char* link : {"a", "b#x", "a?q", " a ", "#top", "", "b"}) targets.Add(link);
  targets.Add(std::string(kMaxLinkTargetBytes + 1, 'x'));
  EXPECT_EQ(Written(targets.Take()), (List{"a", "b"}));
  for (size_t i = 0; i < kMaxTargets + 5; ++i) targets.Add(std::to_string(i));
  EXPECT_EQ(targets.Take().size(), kMaxTargets);
}

TEST(LinkTargets, AreInProseBehindWordsAndOutsideOfTablesAndLists) {
  const auto prose = [](Result<Document> document) {
    return document.ok() ? Written(document->links, true) : List{"failed"};
  };
  EXPECT_EQ(prose(ParseMarkdown("# A [h](h.md)\n\nSee [b](b.md).\n\n[c](c.md) begins.\n\n- [d](d.md): more\n\n"
                                "| a |\n|-|\n| see [e](e.md) |\n",
                                "a.md", false)),
            (List{"b.md"}));
  EXPECT_EQ(
      prose(ParseHtml("<main><h1>A <a href=h>h</a></h1><p>Read it in <a href=b>b</a>, then stop.</p>"
                      "<p><a href=c>C</a> begins.</p><table><tr><th>a<th>b<tr><td>x<td>see <a href=e>e</a></table>"
                      "<p>In: <a href=f>fifteen</a>, <a href=g>sixteen</a></p><pre>x <a href=i>i</a></pre>"
                      "<ul><li>As <a href=b>b</a> and <a href=j>j</a> say so</li></ul></main>",
                      "a.html")),
      (List{"b", "j"}));
}

TEST(LinkTargets, AreThoseOfTheTextInEveryFormat) {
  const auto links = [](Result<Document> document) {
    return document.ok() ? Written(document->links) : List{"failed"};
  };
  EXPECT_EQ(
      links(ParseMarkdown("# A\n\n[b](b.md) ![no](i.png) [c][c] `[d](d)`\n\n| [e](<e f.md>) |\n|-|\n\n[c]: c.md\n",
                          "a.md", false)),
      (List{"b.md", "c.md", "e f.md"}));
  EXPECT_EQ(
      links(ParseHtml("<nav><a href=menu>m</a></nav><main><h1>A</h1><p><a href='b.html#x'>b</a><a name=n>n</a></main>",
                      "a.html")),
      (List{"b.html"}));
  EXPECT_EQ(links(ParseRst("A\n=\n\nSee :doc:`b` and :doc:`C <../c>`, `d <d.html>`_, :ref:`e`.\n\n.. toctree::\n   "
                           ":maxdepth: 2\n\n   f\n   G </g>\n\nAfter.\n",
                           "a.rst")),
            (List{"b", "../c", "d.html", "f", "/g"}));
}

class TopPagesPack : public test::PackTest {};

TEST_F(TopPagesPack, StandInTheManifestOfEveryBundleAndTheSameWithACache) {
  Write("index.md", "# Home\n\nSee [use](guide/use.md)\n");
  Write("guide/use.md", "# Using it\n\nText. [set up](set-up.md)\n");
  Write("guide/set-up.md", "# Setting up\n\nText.\n");
  Write("other.md", "# Other\n\nSee [use](guide/use.md)\n");
  PageCache cache(1 << 20);
  for (PageCache* const with : {static_cast<PageCache*>(nullptr), &cache, &cache}) {
    const Packed packed = Pack({}, "https://example.org/docs/", nullptr, with);
    Engine engine;
    ASSERT_TRUE(engine.SetSource(kBundleSource, packed.bundle.size()).ok());
    ASSERT_TRUE(engine.Supply(kBundleSource, 0, packed.bundle).ok());
    const nlohmann::json expected = {
        {{"title", "Using it"}, {"url", "https://example.org/docs/guide/use.html"}},
        {{"title", "Setting up"}, {"url", "https://example.org/docs/guide/set-up.html"}},
    };
    EXPECT_EQ(nlohmann::json::parse(engine.Open().value()->manifest)["top_pages"], expected);
  }
}

}  // namespace top_pages_test
}  // namespace sheaf::packer
