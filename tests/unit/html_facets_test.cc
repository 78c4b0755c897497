// data-sheaf-filter, -meta, -sort and -weight, with Pagefind's names for them, and `sheaf:` in front matter.
#include "packer/parse/html/html_facets.h"

#include <gtest/gtest.h>

#include <string>

#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "packer/parse/parse.h"
#include "packer/parse/shared/front_matter.h"

namespace sheaf::packer {
namespace html_facets_test {

using Entries = std::vector<std::pair<std::string, std::string>>;

Document Parse(std::string_view html) {
  Result<Document> document = ParseHtml(html, "page.html");
  EXPECT_TRUE(document.ok());
  return document.ok() ? std::move(*document) : Document{};
}

Entries Filters(std::string_view html) { return Parse(html).facets.filters; }

TEST(HtmlFacets, AValueIsTheElementsTextAnAttributeOrWrittenOut) {
  EXPECT_EQ(Filters("<p>By <span data-sheaf-filter=author> Anne\n <b>Lister</b></span></p>"),
            (Entries{{"author", "Anne Lister"}}));
  EXPECT_EQ(Filters("<main><p data-sheaf-filter='author[data-who]' data-who=Anne>x"), (Entries{{"author", "Anne"}}));
  EXPECT_EQ(Filters("<p data-sheaf-filter='author:Anne, or Bo: [both]'>x"),
            (Entries{{"author", "Anne, or Bo: [both]"}}));
}

TEST(HtmlFacets, OneAttributeMayHoldSeveral) {
  const char* html =
      "<h1 data-section=Docs data-kind=Article "
      "data-pagefind-filter='heading, tag[data-section], tag[data-kind], author:Text, to the end'>Hello</h1>";
  EXPECT_EQ(Filters(html),
            (Entries{{"heading", "Hello"}, {"tag", "Docs"}, {"tag", "Article"}, {"author", "Text, to the end"}}));
}

TEST(HtmlFacets, AreReadInTheHeadOutsideTheContentAndInWhatIsLeftOut) {
  EXPECT_EQ(Filters("<head><meta data-sheaf-filter='site[content]' content=Kiln></head><body><main><p>x</main>"
                    "<footer><i data-sheaf-filter=by>Bo</i></footer>"
                    "<div data-sheaf-ignore><b data-sheaf-filter=a>1</b></div>"
                    "<div data-pagefind-ignore=index><b data-sheaf-filter=b>2</b></div>"
                    "<div data-pagefind-ignore=all><b data-sheaf-filter=c>3</b></div>"
                    "<div data-sheaf-ignore=all data-sheaf-filter='d:4'></div>"),
            (Entries{{"site", "Kiln"}, {"by", "Bo"}, {"a", "1"}, {"b", "2"}}));
}

TEST(HtmlFacets, OwnNamesComeBeforePagefinds) {
  EXPECT_EQ(Filters("<p data-sheaf-filter='a:1' data-pagefind-filter='a:2'>x</p><p data-pagefind-filter='b:3'>y"),
            (Entries{{"a", "1"}, {"b", "3"}}));
}

TEST(HtmlFacets, AFilterHasEachValueOnceAndMetaAndSortsTheLast) {
  const Document page = Parse(
      "<p data-sheaf-filter='a:1' data-sheaf-meta='m:1' data-sheaf-sort='s:1'>x</p>"
      "<p data-sheaf-filter='a:2' data-sheaf-meta='m:2' data-sheaf-sort='s:2'>x</p><p data-sheaf-filter='a:1'>x");
  EXPECT_EQ(page.facets.filters, (Entries{{"a", "1"}, {"a", "2"}}));
  EXPECT_EQ(page.facets.meta, (Entries{{"m", "2"}}));
  EXPECT_EQ(page.facets.sorts, (Entries{{"s", "2"}}));
}

TEST(HtmlFacets, TheTextLeavesOutWhatIsNoTextOfTheAuthor) {
  EXPECT_EQ(Filters("<h1 data-sheaf-filter=t>Pots<a class=headerlink href=#p>¶</a><script>x()</script></h1>"),
            (Entries{{"t", "Pots"}}));
}

TEST(HtmlFacets, MetaMayNameThePageAndDescribeIt) {
  const Document page = Parse(
      "<title>T - Site</title><meta name=description content=old><h1>T</h1>"
      "<p data-sheaf-meta='title:Better, description[data-d], image[src]' data-d=new src=/i.png>x");
  EXPECT_EQ(page.title, "Better, description[data-d], image[src]");
  const Document other = Parse(
      "<title>T</title><img data-sheaf-meta='image[src], description[alt]' src=/i.png alt=new>"
      "<h1 data-sheaf-meta=title>Best</h1>");
  EXPECT_EQ(other.title, "Best");
  EXPECT_EQ(other.description, "new");
  EXPECT_EQ(other.facets.meta, (Entries{{"image", "/i.png"}, {"description", "new"}}));
}

TEST(HtmlFacets, WhatCannotBeReadIsAWarningAndNothingElse) {
  const auto warnings = [](std::string_view html) {
    const Document page = Parse(html);
    EXPECT_TRUE(page.facets.filters.empty() && page.facets.meta.empty() && page.facets.sorts.empty());
    EXPECT_FALSE(page.blocks.empty());
    return page.warnings.size() == 1 ? page.warnings[0] : std::to_string(page.warnings.size()) + " warnings";
  };
  EXPECT_NE(warnings("<p data-sheaf-filter=''>x").find("without a key"), std::string::npos);
  EXPECT_NE(warnings("<p data-sheaf-filter=':Anne'>x").find("without a key"), std::string::npos);
  EXPECT_NE(warnings("<p data-sheaf-meta='image[src'>x").find("expected key, key[attribute] or key:value"),
            std::string::npos);
  EXPECT_NE(warnings("<p data-sheaf-meta='image[src] x' src=1>x").find("expected key"), std::string::npos);
  EXPECT_NE(warnings("<p data-sheaf-sort='date[datetime]'>x").find("'datetime'"), std::string::npos);
  EXPECT_NE(warnings("<p data-sheaf-filter='" + std::string(65, 'k') + ":v'>x").find("longer than 64 bytes"),
            std::string::npos);
  EXPECT_NE(warnings("<p data-sheaf-filter='k:" + std::string(257, 'v') + "'>x").find("longer than 256 bytes"),
            std::string::npos);
  EXPECT_NE(warnings("<p data-sheaf-weight=heavy>x").find("expected a number from 0 to 10"), std::string::npos);
  EXPECT_EQ(warnings("<p>x <b data-sheaf-filter=author></b>"), "0 warnings");  // templates leave elements empty
}

TEST(HtmlFacets, ADefaultOfMetaCountsWhereNothingElseIsStated) {
  const char* html =
      "<head><meta data-pagefind-default-meta='image[content], by:Bo' content=/site.png></head>"
      "<p data-sheaf-meta='by:Anne' data-sheaf-default-meta='kind:page'>x";
  EXPECT_EQ(Parse(html).facets.meta, (Entries{{"by", "Anne"}, {"image", "/site.png"}, {"kind", "page"}}));
  EXPECT_EQ(Parse("<p data-sheaf-default-meta='image[src]'>x").warnings.size(), 1u);
}

TEST(HtmlFacets, AttributesMayBeReadAsText) {
  const auto prose = [](std::string_view html) {
    std::string text;
    for (const Block& block : Parse(html).blocks)
      text += (block.kind == BlockKind::kHeading ? "# " + block.title : block.prose) + "\n";
    return text;
  };
  EXPECT_EQ(prose("<p>See <img src=x alt=one title='the second' data-pagefind-index-attrs='title, alt,none'> now.</p>"),
            "See one the second now.\n");
  EXPECT_EQ(
      prose("<h2 data-sheaf-index-attrs=title title=aside>Pots</h2><p data-sheaf-index-attrs=data-x data-x=first>then"),
      "# Pots\naside\nfirst then\n");
  EXPECT_EQ(prose("<table><tr><th>k<th>v<tr><td data-sheaf-index-attrs=title title=more>a<td>b</table>"),
            prose("<table><tr><th>k<th>v<tr><td>more a<td>b</table>"));
  EXPECT_EQ(prose("<p>a</p><div data-sheaf-ignore><i data-sheaf-index-attrs=title title=no>b</i></div>"), "a\n");
  EXPECT_EQ(prose("<p data-sheaf-index-attrs='title,title, title' title=once>a"), "once a\n");
}

TEST(HtmlFacets, OfTooManyEntriesThePageSaysHowManyAreLost) {
  std::string html = "<p>x</p>";
  for (int i = 0; i < 400; ++i) html += "<b data-sheaf-filter='tag:" + std::to_string(i) + "'></b>";
  for (int i = 0; i < 400; ++i)
    html += "<b data-sheaf-filter='tag:0' data-sheaf-meta='last:1'></b>";  // the filter is known
  const Document page = Parse(html);
  EXPECT_EQ(page.facets.filters.size(), kMaxPageFacets);
  EXPECT_EQ(page.warnings,
            (std::vector<std::string>{"544 filters, meta and sort values are left out, the first of them filter 'tag': "
                                      "a page may have 256"}));
}

TEST(HtmlFacets, AKeyThatIsSaidAgainAndAgainTakesNoOthersPlace) {
  std::string html = "<p>x</p>";
  for (int i = 0; i < 400; ++i)
    html += "<b data-sheaf-filter='kind:function' data-sheaf-sort='n:" + std::to_string(i) + "'></b>";
  const Document page = Parse(html + "<b data-sheaf-filter='author:Anne'></b>");
  EXPECT_EQ(page.facets.filters, (Entries{{"kind", "function"}, {"author", "Anne"}}));
  EXPECT_EQ(page.facets.sorts, (Entries{{"n", "399"}}));
  EXPECT_TRUE(page.warnings.empty());
}

TEST(HtmlFacets, WarningsBeyondTheFirstAreCounted) {
  std::string html = "<p>x</p>";
  for (int i = 0; i < 20; ++i) html += "<b data-sheaf-filter='" + std::string(65, 'k') + ":v'></b>";
  const std::vector<std::string> warnings = Parse(html).warnings;
  ASSERT_EQ(warnings.size(), kMaxFacetWarnings + 1);
  EXPECT_EQ(warnings.back(), "and 12 more remarks on its filters, meta, sorts and weights");
}

TEST(HtmlFacets, TextThatIsNotReadIsCounted) {
  std::string html = "<p>x</p>";
  for (size_t i = 0; i < kMaxFacetTexts + 3; ++i) html += "<b data-sheaf-filter=tag>same</b>";
  EXPECT_EQ(Parse(html).warnings,
            (std::vector<std::string>{"3 values from the texts of elements are left out: a page may have 1024"}));
  html = "<div data-sheaf-meta=all>";
  for (int i = 0; i < 600; ++i) html += "<i></i>";
  const Document page = Parse(html + "<p>x</div>");
  EXPECT_TRUE(page.facets.meta.empty());
  EXPECT_EQ(page.warnings,
            (std::vector<std::string>{
                "a value of 'all' is left out: its element holds more than 512 elements and pieces of text"}));
}

TEST(HtmlFacets, NestedCapturesStayLinear) {
  const auto nested = [](int depth) {
    std::string html;
    for (int i = 0; i < depth; ++i) html += "<div data-sheaf-filter=a>";
    return html + "x";
  };
  EXPECT_EQ(Filters(nested(400)), (Entries{{"a", "x"}}));
  // The text of so deep a page is out of reach of what is looked at, and the page is read all the same.
  const Document page = Parse(nested(9000));
  EXPECT_TRUE(page.facets.filters.empty());
  EXPECT_EQ(page.blocks.size(), 1u);
}

// ---- weights ----------------------------------------------------------------------------------

std::vector<std::pair<std::string, float>> Weights(std::string_view html) {
  const PageDraft page = MakePage(Parse(html), {});
  std::vector<std::pair<std::string, float>> weights;
  for (const PassageDraft& passage : page.passages) weights.emplace_back(passage.prose, passage.weight);
  return weights;
}
using Weighted = std::vector<std::pair<std::string, float>>;

TEST(HtmlWeights, TheInnermostElementAroundABlockDecides) {
  EXPECT_EQ(Weights("<p>a<p>b"), (Weighted{{"a\nb", 1}}));
  EXPECT_EQ(Weights("<p data-sheaf-weight=2>lead</p><p>rest"), (Weighted{{"lead", 2}, {"rest", 1}}));
  EXPECT_EQ(Weights("<body data-pagefind-weight=0.5><main><p>a</p><div data-sheaf-weight=3><p>b</p>"
                    "<p data-sheaf-weight=0>c</p><p>d</p></div></main>"),
            (Weighted{{"a", 0.5f}, {"b", 3}, {"c", 0}, {"d", 3}}));
  EXPECT_EQ(Weights("<my-card data-sheaf-weight=2><p>a</p></my-card><p>b"), (Weighted{{"a", 2}, {"b", 1}}));
  EXPECT_EQ(Weights("text<div data-sheaf-weight=2>more</div>end"), (Weighted{{"text", 1}, {"more", 2}, {"end", 1}}));
  EXPECT_EQ(Weights("<p data-sheaf-weight=2 data-pagefind-weight=5>a"), (Weighted{{"a", 2}}));
}

TEST(HtmlWeights, StayWithinZeroToTen) {
  EXPECT_EQ(Weights("<p data-sheaf-weight=99>a</p><p data-sheaf-weight=-1>b</p><p data-sheaf-weight=' 2.5 '>c"),
            (Weighted{{"a", 10}, {"b", 0}, {"c", 2.5f}}));
  EXPECT_EQ(Weights("<p data-sheaf-weight=nan>a"), (Weighted{{"a", 1}}));
  EXPECT_EQ(Weights("<p data-sheaf-weight=1e999>a"), (Weighted{{"a", 1}}));
}

TEST(HtmlWeights, OfPartsOfABlockAndOfHeadingsAreLeftOutWithAWarning) {
  for (const char* html : {"<p>a <b data-sheaf-weight=5>b</b> c", "<h2 data-sheaf-weight=5>a</h2><p>b",
                           "<table><tr><th>k<th>v<tr><td><p data-sheaf-weight=5>a</p><td>b</table>",
                           "<pre>a <b data-sheaf-weight=5>b</b></pre>"}) {
    const Document page = Parse(html);
    for (const Block& block : page.blocks) EXPECT_EQ(block.weight, 1) << html;
    ASSERT_EQ(page.warnings.size(), 1u) << html;
    EXPECT_NE(page.warnings[0].find("is left out: put it on an element"), std::string::npos);
  }
}

TEST(HtmlWeights, SplitASectionAndKeepItsHeadingPath) {
  const PageDraft page =
      MakePage(Parse("<h1>T</h1><p>x</p><h2 id=s>S</h2><p>a</p><p data-sheaf-weight=2>b</p><p>c"), {});
  ASSERT_EQ(page.passages.size(), 4u);
  std::string text;
  for (const PassageDraft& passage : page.passages)
    text += page.text.substr(passage.begin, passage.end - passage.begin);
  EXPECT_EQ(text, page.text);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(page.passages[i].headings, std::vector<std::string>{"S"});
    EXPECT_EQ(page.passages[i].anchor, "s");
  }
}

// ---- front matter -----------------------------------------------------------------------------

TEST(FrontMatterFacets, StandUnderTheKeySheafAlone) {
  const FrontMatter front = ReadFrontMatter(
      "---\ntitle: T\ntags: [a, b]\nweight: 3\nsheaf:\n  weight: 0.5\n  filter:\n    tag: [guide, beginner]\n    "
      "author: Anne\n"
      "  meta: { image: /x.png, title: Better }\n  sort: { date: 2024-06-01 }\n---\n\nText.\n");
  EXPECT_EQ(front.title, "Better");
  EXPECT_EQ(front.weight, 0.5f);
  EXPECT_EQ(front.facets.filters, (Entries{{"tag", "guide"}, {"tag", "beginner"}, {"author", "Anne"}}));
  EXPECT_EQ(front.facets.meta, (Entries{{"image", "/x.png"}}));
  EXPECT_EQ(front.facets.sorts, (Entries{{"date", "2024-06-01"}}));
  EXPECT_TRUE(front.warnings.empty());
}

TEST(FrontMatterFacets, OfOtherShapesAreWarnings) {
  for (const char* yaml : {"sheaf: 3", "sheaf: { filter: [a] }", "sheaf: { weight: heavy }",
                           "sheaf: { filters: { a: b } }", "sheaf: { filter: { a: { b: c } } }"}) {
    const FrontMatter front = ReadFrontMatter(std::string("---\n") + yaml + "\n---\nText\n");
    EXPECT_EQ(front.warnings.size(), 1u) << yaml;
    EXPECT_TRUE(front.facets.filters.empty());
    EXPECT_EQ(front.weight, 1);
  }
}

TEST(FrontMatterFacets, WeighTheWholePage) {
  Result<Document> page = ParseMarkdown("---\nsheaf: { weight: 2 }\n---\n# T\n\na\n\n```\nb\n```\n", "a.md", false);
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->blocks.size(), 3u);
  for (const Block& block : page->blocks) EXPECT_EQ(block.weight, 2);
}

}  // namespace html_facets_test
}  // namespace sheaf::packer
