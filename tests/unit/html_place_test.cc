#include "packer/parse/html/html_place.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "bundle/passage_store.h"
#include "packer/base/charset.h"
#include "packer/parse/parse.h"
#include "tests/unit/processor_time.h"

namespace sheaf::packer {
namespace html_place_test {

using Names = std::vector<std::string>;

std::optional<Names> Place(std::string_view body, std::string_view head = "",
                           std::string_view path = "guide/deep/page.html") {
  const std::string html = "<!doctype html><html><head><title>Page</title>" + std::string(head) + "</head><body>" +
                           std::string(body) + "<main><h1>Page</h1><p>Text.</p></main></body></html>";
  const Result<Document> document = ParseHtml(html, path);
  EXPECT_TRUE(document.ok());
  return document.ok() ? document->place : std::nullopt;
}

const Names kGuideDeep = {"Guide", "Deep"};

TEST(HtmlPlace, ReadsTheLinesThatDocBookWrites) {
  const auto above = [](std::string_view up, std::string_view title) {
    return "<div class=navheader><a accesskey=p href=x.html title='Chapter 9. Other'>Prev</a><a accesskey=u href=" +
           std::string(up) + " title='" + std::string(title) + "'>Up</a><a accesskey=h href=index.html>Home</a></div>";
  };
  EXPECT_EQ(Place(above("mvcc.html", "Chapter 13.\u00A0Concurrency Control")), Names({"Concurrency Control"}));
  EXPECT_EQ(Place(above("index.html", "The Documentation")), Names()) << "a page right below the whole";
}

TEST(HtmlPlace, ReadsTheLinkToThePageAbove) {
  EXPECT_EQ(Place("", "<link rel=up href=deep.html title='3. Deep'>"), Names({"Deep"}));
  EXPECT_EQ(Place("", "<link rel=start href=i.html><link rel=up href=i.html title=Manual>"), Names());
  EXPECT_EQ(Place("", "<link rel=prev href=deep.html title=Deep>"), std::nullopt);
}

TEST(HtmlPlace, ReadsTheLineThatSphinxWrites) {
  EXPECT_EQ(
      Place("<div class=related><ul><li class=right><a href=i>index</a></li>"
            "<li class='nav-item nav-item-0'><a href=../index.html>Python docs</a> &#187;</li>"
            "<li class='nav-item nav-item-1'><a href=index.html>Guide</a> &#187;</li>"
            "<li class='nav-item nav-item-2'><a href=deep.html>2. Deep</a> &#187;</li>"
            "<li class='nav-item nav-item-this'><a href=''>Page</a></li></ul></div>"
            "<div class=related><ul><li class='nav-item nav-item-1'><a href=index.html>Guide</a></li></ul></div>"),
      kGuideDeep);
}

TEST(HtmlPlace, ReadsBreadcrumbs) {
  EXPECT_EQ(Place("<nav aria-label=Breadcrumbs><ol><li><a href=/ aria-label=Home><svg></svg></a></li>"
                  "<li><a href=/g>Guide</a></li><li><span>Deep</span></li><li><span>Page!</span></li></ol></nav>"),
            kGuideDeep);
  EXPECT_EQ(
      Place("<ul class=wy-breadcrumbs><li><a href=/ class='icon icon-home'></a></li><li class=breadcrumb-item>"
            "<a href=/g>Guide</a></li><li><a href=d>Deep</a></li><li class='breadcrumb-item active'>Another title</li>"
            "<li class=wy-breadcrumbs-aside><a href=s>View page source</a></li></ul>"),
      kGuideDeep);
  EXPECT_EQ(Place("<div class=breadcrumbs><a href=/>Docs</a> / <a href=/g>Guide</a> / <a href=d>Deep</a> / Page</div>"),
            kGuideDeep);
  EXPECT_EQ(Place("<ol itemscope itemtype='https://schema.org/BreadcrumbList'><li><a href=/g><span itemprop=name>Guide"
                  "</span></a></li><li><a href=d><span itemprop=name>Deep</span></a></li></ol>"),
            kGuideDeep);
  EXPECT_EQ(Place("<nav class=md-path aria-label=Navigation><ol><li class=md-path__item><a href=/g>Guide</a></li>"
                  "<li><a href=d>Deep</a></li></ol></nav>"),
            kGuideDeep);
  EXPECT_EQ(Place("<nav aria-label=breadcrumb><ol><li aria-current=page>Page</li></ol></nav>"), Names());
}

TEST(HtmlPlace, ReadsModuleAndPackageAboveTheTitleOfAJavadoc) {
  EXPECT_EQ(Place("<div class=header><div class=sub-title><span>Module</span>&nbsp;<a href=m.html>java.base</a></div>"
                  "<div class=sub-title><span>Package</span>&nbsp;<a href=p.html>java.io</a></div>Class Page</div>"),
            Names({"java.base", "java.io"}));
  EXPECT_EQ(Place("<div class=header><a href=/>Home</a><div class=sub-title>x</div></div>"), std::nullopt);
}

TEST(HtmlPlace, ReadsLinkedDataFirst) {
  const auto script = [](std::string_view data) {
    return "<script type='application/ld+json'>" + std::string(data) + "</script><link rel=up href=x title=Other>";
  };
  const std::string items = R"("itemListElement":[{"@type":"ListItem","position":2,"item":{"@id":"d","name":"Deep"}},)"
                            R"({"@type":"ListItem","position":1,"name":"Guide"},{"position":3,"name":"Page"}])";
  EXPECT_EQ(Place("", script(R"({"@type":"BreadcrumbList",)" + items + "}")), kGuideDeep);
  EXPECT_EQ(Place("", script(R"({"@graph":[{"@type":"WebPage"},{"@type":"BreadcrumbList",)" + items + "}]}")),
            kGuideDeep);
  EXPECT_EQ(Place("", script(R"([{"breadcrumb":{"@type":"BreadcrumbList",)" + items + "}}]")), kGuideDeep);
  for (const char* broken :
       {"{", "BreadcrumbList", R"({"@type":"BreadcrumbList"})", R"({"@type":"BreadcrumbList","itemListElement":7})",
        R"({"@type":["BreadcrumbList"],"itemListElement":[]})"}) {
    EXPECT_EQ(Place("", script(broken)), Names({"Other"})) << broken;
  }
}

TEST(HtmlPlace, ReadsTheEntriesAroundThePagesOwnInTheMenu) {
  EXPECT_EQ(
      Place("<nav class=sidebar><ul><li><details open><summary><span>Guide</span></summary><ul><li><a href=o>Other</a>"
            "</li><li><details><summary>Deep</summary><ul><li><a aria-current=page href=p>Page</a></li></ul></details>"
            "</li></ul></details></li></ul></nav>"),
      kGuideDeep)
      << "Starlight";
  EXPECT_EQ(
      Place("<div class=sphinxsidebar><p class=caption>Guide</p><ul><li class='toctree-l1 current'><a class='current "
            "reference' href=d>Deep</a><ul><li class='toctree-l2 current'><a class='current reference' href='#'>Page"
            "</a></li></ul></li></ul></div>"),
      kGuideDeep)
      << "Sphinx";
  EXPECT_EQ(
      Place("<nav><ul><li class=md-nav__item><input type=checkbox><label class=md-nav__link><span>Guide</span></label>"
            "<nav><ul><li><input type=checkbox><label><span>Deep</span></label><nav><ul><li><label>Page</label>"
            "<a href=./ class='md-nav__link "
            "md-nav__link--active'>Page</a></li></ul></nav></li></ul></nav></li></ul></nav>"),
      kGuideDeep)
      << "Material";
  EXPECT_EQ(
      Place(
          "<aside><section class='VPSidebarItem level-0'><div class=item><h2>Guide</h2></div><div class=items>"
          "<div class='VPSidebarItem level-1'><div class=item><h3>Deep</h3></div><div class=items>"
          "<div class='VPSidebarItem level-2'><div class=item><a href=/base/guide/deep/page.html><p>Page</p></a></div>"
          "</div></div></div></div></section></aside>"),
      kGuideDeep)
      << "VitePress marks no entry, but one leads to the page";
  EXPECT_EQ(
      Place("<nav><ol><li class=chapter-item><a href=d>2. Deep</a></li><li><ol class=section><li class=chapter-item>"
            "<a href=p class=active>Page</a></li></ol></li></ol></nav>"),
      Names({"Deep"}))
      << "mdBook";
  EXPECT_EQ(Place("<nav><ul><li><a aria-current=page href=p>Page</a></li></ul></nav>"), std::nullopt);
  EXPECT_EQ(Place("<main><ul><li>Guide<ul><li><a class=active href=x>Page</a></li></ul></li></ul></main>"),
            std::nullopt)
      << "what stands in the text is no menu";
  EXPECT_EQ(
      Place("<nav><ul><li><a href=#a>Guide</a><ul><li><a class=active href=#b>Deep</a></li></ul></li></ul></nav>"),
      std::nullopt)
      << "the page's own headings";
}

TEST(HtmlPlace, IsCleanAndShortWhateverThePageSays) {
  std::string items;
  for (int i = 0; i < 100; ++i)
    items += "<li><a href=x>Level " + std::to_string(i) + std::string(500, '\xC3') + "</a></li>";
  const auto place = Place("<nav aria-label=breadcrumb><ol>" + items + "</ol></nav>");
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->size(), kMaxPlaceLevels);
  for (const std::string& name : *place) {
    EXPECT_TRUE(IsCleanText(name));
    EXPECT_LE(name.size(), 100u);
  }
}

TEST(HtmlPlace, TakesLinearTime) {
  std::string menu = "<nav>", deep = "<nav>";
  for (int i = 0; i < 50'000; ++i) menu += "<ul><li><a class=active href=x>" + std::to_string(i) + "</a></li></ul>";
  for (int i = 0; i < 500; ++i) deep += "<ul><li><a class=active href=x>x</a>";
  EXPECT_LT(test::SecondsOf([&] { Place(menu); }), 20);
  EXPECT_LT(test::SecondsOf([&] { Place(deep); }), 20);
}

}  // namespace html_place_test
}  // namespace sheaf::packer
