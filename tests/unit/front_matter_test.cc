#include "packer/parse/shared/front_matter.h"

#include <gtest/gtest.h>

#include <string>

#include "packer/parse/parse.h"

namespace sheaf::packer {
namespace front_matter_test {

TEST(FrontMatter, ReadsTheFieldsItKnows) {
  const FrontMatter front = ReadFrontMatter(
      "---\n"
      "title: \"Routing: the basics\"\n"
      "description: >\n"
      "  How requests\n"
      "  find their way.\n"
      "date: 2023-01-02\n"
      "last_modified: 2024-05-06T07:08:09Z\n"
      "permalink: /guide/routing\n"
      "tags: [a, b]\n"
      "---\n"
      "# Body\n");
  EXPECT_EQ(front.title, "Routing: the basics");
  EXPECT_EQ(front.description, "How requests find their way.");
  EXPECT_EQ(front.last_modified, "2024-05-06T07:08:09Z");
  EXPECT_EQ(front.url, "/guide/routing");
  EXPECT_EQ(front.lines, 10u);
  EXPECT_TRUE(front.warnings.empty());
}

TEST(FrontMatter, CountsTheBytesAndLinesItTakes) {
  const std::string source = "---\ntitle: T\n---\nBody\n";
  const FrontMatter front = ReadFrontMatter(source);
  EXPECT_EQ(source.substr(front.bytes), "Body\n");
  EXPECT_EQ(front.lines, 3u);
}

TEST(FrontMatter, LeavesAPageWithoutOneAlone) {
  for (const char* source : {"", "---", "---\n", "# Title\n", "text\n---\ntitle: x\n---\n", " ---\ntitle: x\n---\n"}) {
    const FrontMatter front = ReadFrontMatter(source);
    EXPECT_EQ(front.bytes, 0u) << source;
    EXPECT_EQ(front.lines, 0u) << source;
    EXPECT_TRUE(front.title.empty()) << source;
  }
}

TEST(FrontMatter, LeavesARuleAtTheTopAlone) {
  EXPECT_EQ(ReadFrontMatter("---\n\nSome text, then another rule.\n\n---\n").bytes, 0u);
  EXPECT_EQ(ReadFrontMatter("---\ntitle: never closed\n\ntext\n").bytes, 0u);
}

TEST(FrontMatter, FallsBackToLinesWhenTheYamlIsBroken) {
  const FrontMatter front =
      ReadFrontMatter("---\ntitle: A \"quoted\": title\nbad: [unclosed\n\tdate: x\ndate: 2020-02-03\n---\nText\n");
  ASSERT_EQ(front.warnings.size(), 1u);
  EXPECT_NE(front.warnings[0].find("not valid YAML"), std::string::npos);
  EXPECT_EQ(front.title, "A \"quoted\": title");
  EXPECT_EQ(front.last_modified, "2020-02-03");
  EXPECT_EQ(front.lines, 6u);
}

TEST(FrontMatter, TakesAddressesOnlyWhenTheyStandAlone) {
  auto url = [](const std::string& line) { return ReadFrontMatter("---\n" + line + "\n---\n").url; };
  EXPECT_EQ(url("url: https://example.org/a"), "https://example.org/a");
  EXPECT_EQ(url("slug: /guide/a"), "/guide/a");
  EXPECT_EQ(url("slug: guide-a"), "");
  EXPECT_EQ(url("permalink: /:year/:title/"), "");
  EXPECT_EQ(url("permalink: //evil.example/a"), "");
  EXPECT_EQ(url("url: javascript:alert(1)"), "");
  EXPECT_EQ(url("url: /a b"), "");
  EXPECT_EQ(url("url: /"), "");
}

TEST(FrontMatter, TakesDatesOnlyInIso8601) {
  auto date = [](const std::string& line) { return ReadFrontMatter("---\n" + line + "\n---\n").last_modified; };
  EXPECT_EQ(date("date: 2024-01-31"), "2024-01-31");
  EXPECT_EQ(date("date: 2024-01-31 10:00:00 +0200"), "2024-01-31 10:00:00 +0200");
  EXPECT_EQ(date("lastUpdated: 2024-01-31"), "2024-01-31");
  EXPECT_EQ(date("last_update:\n  date: 2024-03-01\n  author: me"), "2024-03-01");
  EXPECT_EQ(date("date: 31/01/2024"), "");
  EXPECT_EQ(date("date: 2024-13-01"), "");
  EXPECT_EQ(date("date: 2024-01-31x"), "");
  EXPECT_EQ(date("lastUpdated: true\ndate: 2024-01-30"), "2024-01-30");
}

TEST(FrontMatter, ReadsTomlLines) {
  const FrontMatter front = ReadFrontMatter("+++\ntitle = \"Hugo page\"\ndate = 2024-01-02\n+++\nText\n");
  EXPECT_EQ(front.title, "Hugo page");
  EXPECT_EQ(front.last_modified, "2024-01-02");
  EXPECT_EQ(front.lines, 4u);
}

TEST(FrontMatter, TakesNumbersAndBooleansAsTitles) {
  EXPECT_EQ(ReadFrontMatter("---\ntitle: 404\n---\n").title, "404");
  EXPECT_EQ(ReadFrontMatter("---\ntitle:\n---\n").title, "");
  EXPECT_EQ(ReadFrontMatter("---\ntitle: [a, b]\n---\n").title, "");
}

TEST(FrontMatter, SurvivesHostileYaml) {
  const std::string nested = "---\ntitle: T\na: " + std::string(20000, '[') + "\n---\nx\n";
  EXPECT_EQ(ReadFrontMatter(nested).title, "T");
  std::string bomb = "---\ntitle: T\na0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + ", *a" +
            std::to_string(i - 1) + "]\n";
  }
  EXPECT_EQ(ReadFrontMatter(bomb + "---\n").title, "T");
  const std::string huge = "---\ntitle: T\nblob: " + std::string(kMaxFrontMatterBytes, 'x') + "\n---\n";
  const FrontMatter front = ReadFrontMatter(huge);
  EXPECT_EQ(front.title, "T");
  EXPECT_EQ(front.warnings.size(), 1u);
  EXPECT_EQ(ReadFrontMatter("---\n*unknown\n---\n").bytes, 0u);
  EXPECT_EQ(ReadFrontMatter("---\n&a : *a\n? : x\n---\n").title, "");
}

TEST(Titles, OfTemplatesAreTheFirstHeading) {
  for (const char* title : {"{{ page.title }}", "'{{ page.title }} - {{ site.name }}'", "'{% t title %}'"}) {
    const Result<Document> page = ParseFile("---\ntitle: " + std::string(title) + "\n---\n# Firing\n\nText.\n", "a.md");
    ASSERT_TRUE(page.ok());
    EXPECT_EQ(page->title, "Firing") << title;
  }
}

TEST(Titles, OfBracesWithoutQuotesAreText) {
  const Result<Document> page = ParseFile("---\ntitle: {let/const ...}\n---\nText.\n", "a-let.md");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->title, "{let/const ...}");
}

}  // namespace front_matter_test
}  // namespace sheaf::packer
