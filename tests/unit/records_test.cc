// Records: what is one, by its form, and what is left alone although it names versions, dates or links.
#include "packer/document/records.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "packer/parse/parse.h"

namespace sheaf::packer {
namespace records_test {

std::vector<Block> BlocksOf(std::string_view source, const std::string& path) {
  Result<Document> document = ParseFile(source, path);
  EXPECT_TRUE(document.ok());
  if (!document.ok()) return {};
  MarkRecords(&*document);
  return std::move(document->blocks);
}

// Letters of the page that records hold, in percent; headings aside.
int Share(std::string_view source, const std::string& path = "page.md") {
  uint32_t all = 0, recorded = 0;
  for (const Block& block : BlocksOf(source, path)) {
    const uint32_t letters = CountLetters(block.prose) + CountLetters(block.code);
    all += letters;
    if (block.record != Record::kNone) recorded += letters;
  }
  return all == 0 ? 0 : int(100 * recorded / all);
}

std::string Repeat(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

// About 300 letters.
const std::string kProse =
    "A pool keeps connections open and hands them to whoever asks next. It is worth its memory where opening one costs "
    "more than the query itself, and it needs a limit, since a database refuses further connections at some point. "
    "Choose the limit by how many requests wait at the same time, and measure before you raise it, because each costs "
    "memory on both sides.\n\n";

TEST(EntryTitles, AreVersionsAndDatesWithAtMostANameBeforeThem) {
  for (const char* title :
       {"1.2.0", "[1.2.0] - 2024-05-01", "v5.2.1", "pytest 7.2.0 (2022-10-23)", "Version 8.5.0", "pkg@1.2.3",
        "0.28.1 (6th December, 2024)", "8.2.2 (2026-08-20)", "fish 3.6.0 (released January 7, 2023)", "2024-05-01",
        "19.0.0 (December 5, 2024)", "Django 4.2.1 release notes - May 3, 2023",
        "git (1:2.39.5-0+deb12u3) bookworm; urgency=medium", "Release 2.0b1", "May 1, 2024"}) {
    EXPECT_TRUE(IsEntryTitle(title)) << title;
  }
  for (const char* title :
       {"3.2 Foreign keys", "4.7. More on Defining Functions", "11.8. Partial Indexes", "HTTP/2", "Python 3 only",
        "Upgrading a project that still uses version 2.0", "Chapter 3", "Unicode 15.0 support", "IPv4", "The year 2024",
        "Fixed", "1.2.3.4 is an address", "utf8mb4", ""}) {
    EXPECT_FALSE(IsEntryTitle(title)) << title;
  }
}

TEST(Records, KeepAChangelogIsALog) {
  const std::string entry =
      "\n### Added\n\n- A `--limit` option.\n- Support for sockets.\n\n### Fixed\n\n- A crash on empty input.\n";
  EXPECT_GE(
      Share("# Changelog\n\nAll notable changes are in this file.\n\n## [Unreleased]\n\n- Nothing.\n\n## [1.1.0] - "
            "2024-05-01\n" +
            entry + "\n## [1.0.1] - 2024-04-01\n" + entry + "\n## [1.0.0] - 2024-03-01\n" + entry),
      75);
}

TEST(Records, TheNameOfTheFileOrThePageDoesNotCount) {
  const std::string entry = "\n- A new option.\n- Fewer allocations.\n\n";
  const std::string log = "## 1.2.0\n" + entry + "## 1.1.0\n" + entry + "## 1.0.0\n" + entry;
  EXPECT_EQ(Share("# Änderungen\n\n" + log, "docs/verlauf.md"), 100);
  EXPECT_EQ(Share("# Changelog\n\n" + kProse, "CHANGELOG.md"), 0);
}

TEST(Records, VersionsOfMixedLevelsAreALogAsToolsWriteThem) {
  const std::string fix = "\n### Bug Fixes\n\n* **css:** handle layers ([#23](https://example.com/issues/23))\n\n";
  const std::string log = "# [2.1.0](https://example.com/a...b) (2024-05-03)\n" + fix +
                          "## [2.0.1](https://example.com/a...b) (2024-05-02)\n" + fix +
                          "## <small>[2.0.0](https://example.com/a...b) (2024-05-01)</small>\n" + fix;
  EXPECT_EQ(Share(log), 100);
}

TEST(Records, NotesOfAReleaseAsGitHubWritesThemAreItemsThatCiteChanges) {
  std::string notes = "# What's Changed\n\n";
  for (int i = 0; i < 6; ++i) {
    notes += "* Fix a leak in the pool by @miro in https://github.com/a/b/pull/" + std::to_string(100 + i) + "\n";
  }
  EXPECT_EQ(Share(notes), 100);
}

TEST(Records, AChangelogOfDebianIsALogWithoutHeadings) {
  std::string log;
  for (int i = 3; i > 0; --i) {
    log += "git (1:2.39.5-0+deb12u" + std::to_string(i) +
           ") bookworm; urgency=medium\n\n  * New upstream release.\n"
           "  * Fix a crash.\n\n -- Lee Garrett <debian@example.org>  Tue, 07 Oct 2025 14:22:08 +0200\n\n";
  }
  EXPECT_GE(Share(log, "changelog.txt"), 60);
}

TEST(Records, OneVersionPerDirectiveIsALog) {
  std::string page = "Changelog\n=========\n\n";
  for (const char* version : {"2.0.3", "2.0.2", "2.0.1"}) {
    page += std::string(".. changelog::\n    :version: ") + version +
            "\n    :released: May 1, 2024\n\n    .. change::\n        :tags: bug, orm\n        :tickets: 123\n\n"
            "        Fixed a crash in the loader.\n\n";
  }
  EXPECT_EQ(Share(page, "page.rst"), 100);
}

TEST(Records, AFewLinesAVersionAreALogAsWell) {
  const std::string line = "\n\nFaster start, and a fix for the cache.\n\n";
  EXPECT_EQ(
      Share("# History\n\n## 3.0 (2024-01-01)" + line + "## 2.0 (2023-01-01)" + line + "## 1.0 (2022-01-01)" + line),
      100);
}

TEST(Records, AHistoryWithinAReadmeIsALogAndTheRestIsNot) {
  const std::string log =
      "## History\n\n### 1.2.0\n\n- One.\n\n### 1.1.0\n\n- Two.\n\n### 1.0.0\n\n- Three.\n\n## Licence\n\nMIT.\n";
  const std::vector<Block> blocks = BlocksOf("# pool\n\n" + kProse + log, "README.md");
  for (const Block& block : blocks) {
    const bool logged = block.prose == "One." || block.prose == "Two." || block.prose == "Three.";
    if (block.kind != BlockKind::kHeading) {
      EXPECT_EQ(block.record == Record::kLog, logged) << block.text;
    }
  }
}

TEST(Records, ListsOfNamesAreRecords) {
  EXPECT_EQ(Share("# Thanks\n\n" + Repeat("* Ann van der Li\n* Miro Hron\xC4\x8D"
                                          "ok\n* Bo Ek\n",
                                          4)),
            100);
  EXPECT_EQ(Share("# Authors\n\n" + Repeat("- [@miro](https://github.com/miro)\n", 12)), 100);
  EXPECT_EQ(Share("# Authors\n\n" + Repeat("- Kevin C <kevin@example.org>\n", 12)), 100);
}

TEST(Records, ListsOfLinksAreRecordsAndWhatStandsAroundThemIsNot) {
  const std::string awesome =
      Repeat("- [fast-cache](https://example.com/fast-cache) - A cache that keeps its promises.\n", 12);
  EXPECT_EQ(Share("# Awesome\n\n" + awesome), 100);
  EXPECT_LT(Share("# Ecosystem\n\n" + kProse + kProse + awesome), 70);
  // An index of an interface: whoever asks for a function wants its page.
  EXPECT_GE(Share("<h1>Functions</h1><ul>" +
                      Repeat("<li><a href=x>uniqBy</a>: <a href=y>removes duplicates</a></li>", 12) + "</ul>",
                  "page.html"),
            90);
}

TEST(Records, DatedRowsAreRecords) {
  EXPECT_EQ(
      Share("# Plugins\n\n| name | last release |\n| --- | --- |\n" + Repeat("| pytest-abq | Apr 07, 2023 |\n", 30)),
      100);
}

TEST(Records, NotesThatExplainAreNone) {
  // As "What's New in Python 3.11": one version, topics as headings, paragraphs and code.
  std::string page = "# What's New in Python 3.11\n\n" + kProse;
  for (int i = 0; i < 6; ++i)
    page += "## PEP 65" + std::to_string(i) + ": Exception Groups\n\n" + kProse + "```\ntry: ...\n```\n\n";
  EXPECT_EQ(Share(page), 0);
  // Several versions, each of which is explained.
  EXPECT_EQ(Share("# Upgrading\n\n## 3.0\n\n" + kProse + kProse + "## 2.0\n\n" + kProse + kProse + "## 1.0\n\n" +
                  kProse + kProse),
            0);
}

TEST(Records, ChaptersTutorialsQuestionsTermsAndOptionsAreNone) {
  EXPECT_EQ(Share("# Manual\n\n## 3.1 Basics\n\n- Open it.\n- Close it.\n\n## 3.2 Foreign keys\n\n- One.\n\n## 3.3 "
                  "Indexes\n\n- Two.\n"),
            0);
  EXPECT_EQ(Share("# Tutorial for version 2.0\n\n## Install 2.0\n\n1. Download it.\n2. Run it.\n\n## Configure\n\n1. "
                  "Open it.\n" +
                  kProse),
            0);
  EXPECT_EQ(Share("# FAQ\n\n" + Repeat("## Why does it wait?\n\n" + kProse, 5)), 0);
  EXPECT_EQ(Share("# Glossary\n\n" + Repeat("- **slot**: a place in a template that the parent fills\n", 20)), 0);
  EXPECT_EQ(Share("# Options\n\n| option | default | meaning |\n| --- | --- | --- |\n" +
                  Repeat("| `timeout` | 30 | seconds to wait |\n", 20)),
            0);
  EXPECT_EQ(
      Share("# Features\n\n" + Repeat("* Keep-alive and pools\n* Sessions with cookies\n* Automatic decoding\n", 5)),
      0);
}

TEST(Records, TopicsThatMentionVersionsAreNone) {
  EXPECT_EQ(
      Share("# Deprecations\n\n## Support for FreeType 2.7\n\nRemoved. Use a later one.\n\n## Tk/Tcl 8.4\n\nRemoved as "
            "well.\n\n## PyQt 5.0\n\nUse Qt 6.\n"),
      0);
}

TEST(Records, PassagesAreCutAsTheyWouldBeWithoutThem) {
  const std::string source =
      "# Page\n\n" + kProse + Repeat("- [link](https://example.com) and a word.\n", 40) + "\n" + kProse;
  Result<Document> document = ParseMarkdown(source, "page.md", false);
  ASSERT_TRUE(document.ok());
  const PageDraft page = MakePage(std::move(*document), {});
  ASSERT_GE(page.passages.size(), 3u);
  EXPECT_EQ(page.passages.front().record, Record::kNone);
  EXPECT_EQ(page.passages[1].record, Record::kList);
}

TEST(Records, HeadingsWithinAVersionAreInnerOnes) {
  const std::string entry = "\n### Fixed\n\n- A crash on empty input.\n\n";
  Result<Document> document =
      ParseMarkdown("# Log\n\n## 1.2.0\n" + entry + "## 1.1.0\n" + entry + "## 1.0.0\n" + entry, "page.md", false);
  ASSERT_TRUE(document.ok());
  const PageDraft page = MakePage(std::move(*document), {});
  ASSERT_FALSE(page.passages.empty());
  EXPECT_EQ(page.passages[0].headings, (std::vector<std::string>{"1.2.0", "Fixed"}));
  EXPECT_EQ(page.passages[0].inner_headings, 1u);
  EXPECT_EQ(page.passages[0].record, Record::kLog);
}

}  // namespace records_test
}  // namespace sheaf::packer
