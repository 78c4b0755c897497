// Lists of links: what is one, and what is left alone.
#include "packer/document/link_tally.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "packer/parse/parse.h"

namespace sheaf::packer {
namespace link_tally_test {

PageDraft Page(const std::string& html) {
  Result<Document> document = ParseHtml(html, "page.html");
  EXPECT_TRUE(document.ok());
  return MakePage(document.ok() ? std::move(*document) : Document{}, {});
}

std::vector<float> Weights(const std::string& html) {
  std::vector<float> weights;
  for (const PassageDraft& passage : Page(html).passages) weights.push_back(passage.weight);
  return weights;
}

std::string Repeat(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

const std::vector<float> kLow = {kListOfLinksWeight}, kFull = {1};

TEST(LinkLists, AnIndexOfAnyMarkupCountsLess) {
  EXPECT_EQ(Weights("<h1>Index</h1><ul>" + Repeat("<li><a href=x>crop() (Image method)</a></li>", 10) + "</ul>"), kLow);
  EXPECT_EQ(Weights("<h1>Index</h1><table>" +
                    Repeat("<tr><td><a href=x><code>abs</code></a>: <td><a href=y>Arithmetic</a>", 10)),
            kLow);
  EXPECT_EQ(
      Weights("<h1>Index</h1><dl>" + Repeat("<dt><a href=x>letter</a><dd><a href=y>type</a>, <a href=z>tray</a>", 5)),
      kLow);
  EXPECT_EQ(Weights("<h1>All</h1><p>" + Repeat("<a href=x>type</a>, <a href=y><em>tray</em></a> | ", 10)), kLow);
}

TEST(LinkLists, APassageCutFromALongParagraphOfLinksIsOneToo) {
  const std::vector<float> weights = Weights("<h1>All</h1><p>" + Repeat("<a href=x>composing stick</a>, ", 200));
  ASSERT_GT(weights.size(), 2u);
  for (const float weight : weights) EXPECT_EQ(weight, kListOfLinksWeight);
}

TEST(LinkLists, ALetterWithOneEntryIsPartOfAnIndexAndNotOfAnArticle) {
  const std::string letter = "<h2>Q</h2><ul><li><a href=x>quad</a></ul>";
  EXPECT_EQ(Weights("<h1>Index</h1><h2>P</h2><ul>" + Repeat("<li><a href=x>pica</a>", 10) + "</ul>" + letter),
            (std::vector<float>{kListOfLinksWeight, kListOfLinksWeight}));
  EXPECT_EQ(Weights("<h1>Type</h1><h2>P</h2>" + Repeat("<p>A pica is a sixth of an inch.", 10) + letter),
            (std::vector<float>{1, 1}));
}

TEST(LinkLists, RowsWithDescriptionsSeeAlsoAndTextWithManyLinksAreNone) {
  EXPECT_EQ(Weights("<table>" + Repeat("<tr><td><a href=x>crop</a><td>cuts a box out of the image", 12) + "</table>"),
            kFull);
  EXPECT_EQ(Weights("<h1>Crop</h1><p>See also: " + Repeat("<a href=x>resize</a>, ", 3)), kFull);
  EXPECT_EQ(Weights("<h1>Crop</h1><ul>" + Repeat("<li><a href=x>resize</a></li>", 9) + "</ul>"), kFull);
  EXPECT_EQ(Weights("<h1>Crop</h1>" + Repeat("<p>The <a href=x>box</a> is a tuple of four numbers.", 10)), kFull);
}

TEST(LinkLists, LinksThatTellSomethingThemselvesAndCodeAreNone) {
  const std::string told =
      "<li><a href=x>How a pressman damps paper on the evening before printing, and why he turns the heap</a>";
  EXPECT_EQ(Weights("<h1>Questions</h1><ul>" + Repeat(told, 8) + "</ul>").front(), 1);
  EXPECT_EQ(Weights("<h1>Code</h1><pre>" + Repeat("<a href=x>fn</a> ", 20) + "</pre>"), kFull);
  EXPECT_EQ(Weights("<h1>Marks</h1><p>" + Repeat("<a name=x>folio</a> ", 20)), kFull);  // a target sends nowhere
}

TEST(LinkLists, AnAuthorsWeightWins) {
  const std::string list = "<ul>" + Repeat("<li><a href=x>pica</a></li>", 12) + "</ul>";
  EXPECT_EQ(Weights("<main><div data-sheaf-weight=1>" + list + "</div></main>"), kFull);
  EXPECT_EQ(Weights("<main><div data-sheaf-weight=2>" + list + "</div></main>"), (std::vector<float>{2}));
  EXPECT_EQ(Weights("<body data-sheaf-weight=1><main>" + list + "</main>"), kFull);
}

TEST(LinkLists, KeepTheirWords) {
  const PageDraft page =
      Page("<h1>Index</h1><ul>" + Repeat("<li><a href=x>pica</a></li>", 10) + "<li><a href=y>zinc</a></ul>");
  ASSERT_EQ(page.passages.size(), 1u);
  EXPECT_NE(page.passages[0].prose.find("zinc"), std::string::npos);
}

TEST(LinkTally, CountsCharactersWithoutMarks) {
  EXPECT_EQ(CountLetters("a_b (1), é字 — |"), 6u);  // the dash is beyond ASCII, too
  const LinkTally third = LinkTally{9, UINT32_MAX}.Share(1, 3);
  EXPECT_EQ(third.links, 3u);
  EXPECT_EQ(third.letters, UINT32_MAX / 3);
  EXPECT_EQ((LinkTally{9, 9}.Share(0, 0).links), 0u);
}

}  // namespace link_tally_test
}  // namespace sheaf::packer
