// Parts of pages that an owner's selectors leave out (document/part_selector.h, parse/html/html_parts.h).
#include "packer/document/part_selector.h"

#include <gtest/gtest.h>

#include <string>

#include "packer/document/document.h"
#include "packer/parse/parse.h"
#include "tests/unit/support.h"

namespace sheaf::packer {
namespace part_selector_test {

std::string ErrorOf(std::string_view text) {
  const auto selectors = ParsePartSelectors(text);
  return selectors.ok() ? "none" : selectors.error().message;
}

Document Without(std::string_view selector, std::string_view html) {
  const auto selectors = ParsePartSelectors(selector);
  EXPECT_TRUE(selectors.ok()) << selectors.error().message;
  Result<Document> document = ParseHtml(html, "page.html", {}, *selectors);
  EXPECT_TRUE(document.ok());
  return document.ok() ? std::move(*document) : Document{};
}

// The text that is left, on one line.
std::string Left(std::string_view selector, const std::string& html) {
  std::string text;
  for (const Block& block : Without(selector, html).blocks) {
    if (!text.empty()) text += ' ';
    text += block.prose.empty() ? block.title : block.prose;
  }
  return text;
}

constexpr const char* kPage =
    "<main><h1>Title</h1><p class='a b'>one</p><div id=log><p data-kind='log entry' lang=en-GB>two</p>"
    "<section><p>three</p></section></div><my-note><p>four</p></my-note><p title='a.b c'>five</p></main>";

TEST(PartSelector, EachFormNamesWhatItDoesInCss) {
  const std::string all = "Title one two three four five";
  const std::pair<const char*, const char*> cases[] = {
      {".a", "Title two three four five"},
      {"p.a.b", "Title two three four five"},
      {"p.a.c", "Title one two three four five"},
      {"#log", "Title one four five"},
      {"#log > p", "Title one three four five"},
      {"#log p", "Title one four five"},
      {"main>div>section > p", "Title one two four five"},
      {"main > p", "Title two three four"},
      {"#log *", "Title one four five"},
      {"MY-NOTE", "Title one two three five"},
      {"[data-kind]", "Title one three four five"},
      {"[ data-kind ~= 'log' ]", "Title one three four five"},
      {"[data-kind=log]", "Title one two three four five"},
      {"[data-kind^=log]", "Title one three four five"},
      {"[data-kind$=entry]", "Title one three four five"},
      {"[data-kind*=\"og e\"]", "Title one three four five"},
      {"[lang|=en]", "Title one three four five"},
      {"[lang|=e]", "Title one two three four five"},
      {"[data-kind*='']", "Title one two three four five"},
      {"[title='a.b c']", "Title one two three four"},
      {".b , #log,my-note", "Title five"},
      {"section div p", "Title one two three four five"},
  };
  EXPECT_EQ(Left(".none", kPage), all);
  for (const auto& [selector, left] : cases) EXPECT_EQ(Left(selector, kPage), left) << selector;
}

TEST(PartSelector, NamesMayHoldEscapedCharacters) {
  EXPECT_EQ(Left(".md\\:flex", "<main><p>one</p><p class='x md:flex'>two</p></main>"), "one");
}

TEST(PartSelector, MeansWhatDataSheafIgnoreMeans) {
  const char* html =
      "<main><h1>T</h1><div class=by><p>By <b data-sheaf-filter=author>Anne</b></p></div>"
      "<div class=by data-sheaf-ignore=all><b data-sheaf-filter=author>Bo</b></div><p>one</p></main>";
  const Document page = Without(".by", html);
  EXPECT_EQ(Left(".by", html), "T one");
  EXPECT_EQ(page.facets.filters, (std::vector<std::pair<std::string, std::string>>{{"author", "Anne"}}));
  EXPECT_EQ(page.ignored_parts, std::set<uint32_t>{0});
  EXPECT_EQ(Without(".x, .by, .y", html).ignored_parts, std::set<uint32_t>{1});
}

TEST(PartSelector, APageOfItsOwnBodyHasNoText) {
  for (const char* selector : {"body.home", "html[lang]", "html > body"}) {
    const std::string html = "<html lang=en><body class=home><main><h1>Title</h1><p>one</p></main></body></html>";
    EXPECT_EQ(Left(selector, html), "") << selector;
  }
}

TEST(PartSelector, RefusesWhatItCannotRead) {
  const std::string expected =
      "; expected names, .class, #id and [attribute=\"value\"], with spaces, '>' or commas between elements";
  EXPECT_EQ(ErrorOf("p:first-child"), "cannot be read at ':first-child'" + expected);
  EXPECT_EQ(ErrorOf("a + b"), "cannot be read at '+ b'" + expected);
  for (const char* text : {"",     " ",     ",",    "a,",   ".",       "#",   "a >", "> a", "[",      "[x",      "[x=",
                           "[x='", "[x=']", "[x~]", "[=x]", "a > > b", "..a", "a{}", "\\",  "[x!=y]", "::before"})
    EXPECT_NE(ErrorOf(text).find(expected), std::string::npos) << text;
  EXPECT_EQ(ErrorOf("a b c d e f g h i"), "names more than 8 elements inside one another");
  EXPECT_EQ(ErrorOf("a.b.c.d.e.f.g.h.i"), "asks more than 8 things of one element");
}

// Each element is looked at once, whatever lies around it.
TEST(PartSelector, DeepAndWidePagesAreOneWalk) {
  std::string deep;
  for (int i = 0; i < 400; ++i) deep += "<div class='a'>";
  EXPECT_EQ(Left(".a .a .a .a .a .a .a .b", deep + "<p>x</p>"), "x");
  EXPECT_EQ(Left(".a .a .a .a .a .a .a p", deep + "<p>x</p>"), "");
  std::string attributes = "<main><h1>T</h1><p";
  for (int i = 0; i < 300; ++i) attributes += " a" + std::to_string(i) + "=1";
  EXPECT_EQ(Left("p[a299]", attributes + ">x</p></main>"), "T x") << "attributes beyond the limit are not read";
  EXPECT_EQ(Left("p[a7]", attributes + ">x</p></main>"), "T") << "the mark is read, though there are too many";
}

}  // namespace part_selector_test
}  // namespace sheaf::packer
