#include "text/stored_markdown.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/unit/processor_time.h"
#include "text/utf8.h"

namespace sheaf {
namespace stored_markdown_test {

// Runs as `words`, [code], /emphasis/, *strong*, ~deleted~, and <words address> for links.
std::string Words(const Block& block, const Blocks& all) {
  std::string out;
  for (const TextRun& run : block.runs) {
    std::string words = run.text;
    if (run.looks & kLookCode) words = "[" + words + "]";
    if (run.looks & kLookEmphasis) words = "/" + words + "/";
    if (run.looks & kLookStrong) words = "*" + words + "*";
    if (run.looks & kLookDeleted) words = "~" + words + "~";
    if (run.link) words = "<" + words + " " + std::string(all.links[run.link - 1]) + ">";
    out += words;
  }
  return out;
}

// One line a block: its kind, depth and label, then its words.
std::vector<std::string> Seen(std::string_view text, Markup markup = Markup::kMarkdown, bool is_code = false) {
  static const char* kNames[] = {"paragraph", "heading", "quote", "item", "code", "cell"};
  const Blocks read = ReadBlocks(text, markup, is_code);
  std::vector<std::string> out;
  for (const Block& block : read.blocks) {
    std::string line = kNames[size_t(block.kind)];
    if (block.kind >= BlockKind::kItem && block.kind != BlockKind::kCode) line += std::to_string(block.depth);
    if (!block.label.empty()) line += " " + block.label;
    out.push_back(line + ": " + Words(block, read));
  }
  return out;
}

std::string Line(std::string_view text, Markup markup = Markup::kMarkdown) {
  std::string out;
  for (const std::string& block : Seen(text, markup)) out += (out.empty() ? "" : "\n") + block;
  return out;
}

using Lines = std::vector<std::string>;

TEST(StripMarks, TakesOffHeadingsAndTheirAnchors) {
  EXPECT_EQ(StripMarks("# Title\n"), "Title\n");
  EXPECT_EQ(StripMarks("### Deep `code` {#deep}\n"), "Deep code\n");
  EXPECT_EQ(StripMarks("## Closed ##\n"), "Closed\n");
  EXPECT_EQ(StripMarks("Setext\n======\nText"), "Setext\nText");
  EXPECT_EQ(StripMarks("#hashtag C#"), "#hashtag C#");
  EXPECT_EQ(StripMarks("####### seven"), "####### seven");
}

TEST(StripMarks, TakesOffBulletsQuotesAndTasks) {
  EXPECT_EQ(StripMarks("- one\n* two\n+ three\n1. four\n12) five\n"), "one\ntwo\nthree\nfour\nfive\n");
  EXPECT_EQ(StripMarks("> quoted\n> - deep\n"), "quoted\ndeep\n");
  EXPECT_EQ(StripMarks("- [x] done\n- [ ] open\n"), "done\nopen\n");
  EXPECT_EQ(StripMarks("> [!NOTE]\n> Mind this\n"), "Mind this\n");
  EXPECT_EQ(StripMarks("2024. was a year\n-5 degrees"), "2024. was a year\n-5 degrees");
}

TEST(StripMarks, TakesOffAdmonitionFences) {
  EXPECT_EQ(StripMarks("::: tip Be careful\nText\n:::\n"), "Be careful\nText\n");
  EXPECT_EQ(StripMarks("!!! note \"A title\"\nText\n"), "A title\nText\n");
}

TEST(StripMarks, KeepsCodeAsItIs) {
  EXPECT_EQ(StripMarks("```js\nconst a = b * c; // *x* [y](z)\n# no heading\n```\nafter *this*\n"),
            "const a = b * c; // *x* [y](z)\n# no heading\nafter this\n");
  EXPECT_EQ(StripMarks("~~~\n```\n~~~\nx"), "```\nx");
  EXPECT_EQ(StripMarks("Text:\n\n    *a* = b\n\nmore"), "Text:\n\n    *a* = b\n\nmore");
  EXPECT_EQ(StripMarks("`*a*` ``b ` c`` `[d](e)`"), "*a* b ` c [d](e)");
  EXPECT_EQ(StripMarks("a `code\nspan` *b*"), "a code\nspan b");
}

TEST(StripMarks, UnderstandsAPassageThatBeginsWithinCode) {
  EXPECT_EQ(StripMarks("x = *p;\n```\nthen *text*\n"), "x = *p;\nthen text\n");
  EXPECT_EQ(StripMarks("```\nx = *p * 2 * q;\n"), "x = *p * 2 * q;\n");
}

TEST(StripMarks, ReplacesLinksByTheirText) {
  EXPECT_EQ(StripMarks("see [the docs](https://x.org/a_(b) \"title\") now"), "see the docs now");
  EXPECT_EQ(StripMarks("![alt](a.png) [![badge](b.svg)](c)"), "alt badge");
  EXPECT_EQ(StripMarks("[text][ref] [text][]\n\n[ref]: https://x.org\n"), "text text\n\n");
  EXPECT_EQ(StripMarks("[wrapped\nlink](x)"), "wrapped\nlink");
  EXPECT_EQ(StripMarks("<https://x.org/a>"), "https://x.org/a");
  EXPECT_EQ(StripMarks("a footnote[^1].\n[^1]: The note.\n"), "a footnote.\nThe note.\n");
  EXPECT_EQ(StripMarks("list[0] [plain] [broken](a b"), "list[0] [plain] [broken](a b");
}

TEST(StripMarks, TakesOffEmphasisButKeepsNamesAndProducts) {
  EXPECT_EQ(StripMarks("**bold** *it* __strong__ _em_ ~~gone~~ ***both***"), "bold it strong em gone both");
  EXPECT_EQ(StripMarks("**a *nested* b**"), "a nested b");
  EXPECT_EQ(StripMarks("snake_case_name 2*3*4 *args **kwargs a * b * c"),
            "snake_case_name 2*3*4 *args **kwargs a * b * c");
  EXPECT_EQ(StripMarks("日本**強調**です"), "日本強調です");
  EXPECT_EQ(StripMarks("\\*kept\\* \\_"), "*kept* _");
}

TEST(StripMarks, TakesOffTablePipes) {
  EXPECT_EQ(StripMarks("| a | `b` | **d** |\n|---|:-:|---|\n| 1 | 2 \\| 3 |   | 4 |\n"), "a b d\n1 2 | 3 4\n");
}

TEST(StripMarks, RemovesNoHtml) {
  EXPECT_EQ(StripMarks("<script>alert(1)</script> a < b"), "<script>alert(1)</script> a < b");
}

TEST(StripMarks, TakesAFenceBehindAnEmptyLineForOneThatOpens) {
  EXPECT_EQ(StripMarks("# Head\n\n```\na *b* c\n"), "Head\n\na *b* c\n");
}

TEST(ReadBlocks, ReadsHeadingsHoweverTheyAreWritten) {
  EXPECT_EQ(Seen("## Use `kiln` {#use}\n\nText.\n\nOld\n===\n\nOlder\n---\n"),
            (Lines{"heading: Use [kiln]", "paragraph: Text.", "heading: Old", "heading: Older"}));
}

TEST(ReadBlocks, KeepsTheLinesOfCodeWithoutTheIndentationOfTheBlock) {
  EXPECT_EQ(Seen("Run:\n\n```js\nif (a) {\n\n  # b **c**\n}\n```\nAfter.\n"),
            (Lines{"paragraph: Run:", "code: if (a) {\n\n  # b **c**\n}", "paragraph: After."}));
  EXPECT_EQ(Seen("- Item\n\n  ~~~\n    deep\n  back\n  ~~~\n"), (Lines{"item0 •: Item", "code:   deep\nback"}));
  EXPECT_EQ(Seen("Text.\n\n    indented\n      more\n"), (Lines{"paragraph: Text.", "code: indented\n  more"}));
  EXPECT_EQ(Seen("> ```\n> a\n>   b\n> ```\n"), (Lines{"code: a\n  b"}));
  EXPECT_EQ(Seen("````\n```\n````\n"), (Lines{"code: ```"}));
}

TEST(ReadBlocks, ReadsAPassageThatBeginsOrEndsWithinCode) {
  EXPECT_EQ(Seen("  b();\n}\n```\nAfter.\n"), (Lines{"code:   b();\n}", "paragraph: After."}));
  EXPECT_EQ(Seen("Before.\n\n```js\na();\n"), (Lines{"paragraph: Before.", "code: a();"}));
  EXPECT_EQ(Seen("# Head\n\n```\na();\n"), (Lines{"heading: Head", "code: a();"}));
  EXPECT_EQ(Seen("a();\n\nb();\n", Markup::kMarkdown, true), (Lines{"code: a();\n\nb();"}));
  EXPECT_EQ(Seen("def fire():\n    a()\n", Markup::kMarkdown, true), (Lines{"code: def fire():\n    a()"}));
  EXPECT_EQ(Seen("Then run:\n\n    a();\n", Markup::kMarkdown, true), (Lines{"paragraph: Then run:", "code: a();"}));
  EXPECT_EQ(Seen("## Run\n\n    a();\n", Markup::kMarkdown, true), (Lines{"heading: Run", "code: a();"}));
}

TEST(ReadBlocks, ReadsListsWithTheirDepthNumbersAndContinuedLines) {
  EXPECT_EQ(Seen("- one\n  goes on\n  - two\n1. first\n2) second\n- [x] done\n"),
            (Lines{"item0 •: one goes on", "item1 •: two", "item0 1.: first", "item0 2): second", "item0 •: done"}));
  EXPECT_EQ(Seen("> - quoted\n>   - deep\n"), (Lines{"item0 •: quoted", "item1 •: deep"}));
}

TEST(ReadBlocks, ReadsTheCellsOfTables) {
  EXPECT_EQ(Seen("| Name | |\n|------|:-----:|\n| `a \\| b` | [1](x.md) | x \\| y\n"),
            (Lines{"cell0: Name", "cell1: ", "cell0: [a | b]", "cell1: <1 x.md>", "cell2: x | y"}));
}

TEST(ReadBlocks, ReadsQuotationsAndAdmonitions) {
  EXPECT_EQ(
      Seen("> Mind\n> the heat.\n\n::: tip Hot\nText.\n:::\n\n!!! note \"So\"\n    Inside.\n\n> [!warning]\n> Hot.\n"),
      (Lines{"quote: Mind the heat.", "quote: *Hot*", "paragraph: Text.", "quote: *So*", "paragraph: Inside.",
             "quote Warning: Hot."}));
  EXPECT_EQ(Seen("::: tip\nText.\n:::\n"), (Lines{"quote Tip: ", "paragraph: Text."}));
}

TEST(ReadBlocks, LeavesOutWhatNoReaderSeesOfMarkdown) {
  EXPECT_EQ(Seen("A.\n\n[x]: https://kiln.example\n\n---\n\n<!-- hidden -->\n\nB.\n"),
            (Lines{"paragraph: A.", "paragraph: B."}));
}

TEST(ReadBlocks, KnowsCodeEmphasisAndEscapes) {
  EXPECT_EQ(Line("Call `a` or ``b ` c``."), "paragraph: Call [a] or [b ` c].");
  EXPECT_EQ(Line("**a b** and _c_ but snake_case_name, 2 * 3 * 4 and \\*d\\* ~~e~~"),
            "paragraph: *a b* and /c/ but snake_case_name, 2 * 3 * 4 and *d* ~e~");
  EXPECT_EQ(Line("<img src=x onerror=alert(1)> &lt;b&gt; `&lt;`"),
            "paragraph: <img src=x onerror=alert(1)> <b> [&lt;]");
  EXPECT_EQ(Line("one  \ntwo\nthree"), "paragraph: one\ntwo three");
}

TEST(ReadBlocks, KeepsWhereLinksLeadAsTheAuthorWroteIt) {
  EXPECT_EQ(Line("[`props` and **more**](/api#props) ![p](x.png) <https://a.example/> [r][ref]"),
            "paragraph: <[props] /api#props>< and  /api#props><*more* /api#props> p "
            "<https://a.example/ https://a.example/> r");
  EXPECT_EQ(Line("See [the *guide*](<x y.md> \"T\") `[no](x)` [![badge](b.svg)](c.md)"),
            "paragraph: See <the  x y.md></guide/ x y.md> [[no](x)] <badge c.md>");
  EXPECT_EQ(Line("[a [b](inner.md) c](outer.md)"), "paragraph: a <b inner.md> c");
}

// Text of HTML has links, and no other mark of Markdown's: it stood in previews as `[words](address)`.
TEST(ReadBlocks, LinksAreLinksInTextOfHtmlToo) {
  EXPECT_EQ(Line("    Set [track_counts](/runtime.html#X) to `on`.\n", Markup::kLight),
            "paragraph: Set <track_counts /runtime.html#X> to [on].");
  EXPECT_EQ(Seen("| [a](b.html) | `c\\|d` |\n| --- | --- |\n", Markup::kLight),
            (Lines{"cell0: <a b.html>", "cell1: [c|d]"}));
  EXPECT_EQ(Line("Define __init__ & *args, \\d, a[1][2], Map[Key](map) <https://x.org>\nbreak", Markup::kLight),
            "paragraph: Define __init__ & *args, \\d, a[1][2], Map[Key](map) <https://x.org>\nbreak");
}

TEST(ReadBlocks, KeepsIndentedCodeOfPlainText) {
  EXPECT_EQ(Seen("Run *this*:\n\n    a\n      b\n", Markup::kText), (Lines{"paragraph: Run *this*:", "code: a\n  b"}));
}

TEST(MarkupOf, KnowsPagesByTheirSource) {
  for (const char* source : {"a.html", "A.HTM", "guide/a.rst"}) EXPECT_EQ(MarkupOf(source), Markup::kLight) << source;
  for (const char* source : {"a.md", "a.mdx", "a.ipynb", "README", "", "htm"})
    EXPECT_EQ(MarkupOf(source), Markup::kMarkdown) << source;
  EXPECT_EQ(MarkupOf("llms.txt"), Markup::kText);
}

TEST(StoredMarkdownProperty, HoldsItsInvariantsOnAnyBytes) {
  static const std::vector<std::string> kPieces = {
      "fox",       "dog",     "fox_dog",   " ",         " ",  "\n",   "\n\n",    "*",      "**",        "_",  "`",
      "``",        "```",     "```\n",     "~~~",       "[",  "](",   ")",       "![",     "\n```js\n", "[^", "]:",
      "|",         "\n|",     "---",       "# ",        "> ", "- ",   "\n- ",    "1. ",    "<",         "> ", "日",
      "😀",         "\u0301",  "<https://", "\n> ```\n", "\\", "\xFF", "\t",      "\n    ", "{#",        "}",  "::: ",
      "!!! note ", "[!NOTE]", ". ",        "\x01",      "~~", "&lt;", "[a](b.c)"};
  std::mt19937 random(11);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (size_t n = random() % 80; n > 0; --n) text += kPieces[random() % kPieces.size()];
    if (random() % 8 == 0) text += '\0';
    ASSERT_LE(StripMarks(text).size(), text.size() + 1);
    const auto markup = Markup(random() % 3);
    std::vector<TextBlock> blocks;
    const std::string plain = ReadText(text, markup, &blocks);
    size_t end = 0;
    for (const TextBlock& block : blocks) {
      ASSERT_LE(end, block.begin) << text;
      ASSERT_LE(block.begin, block.end) << text;
      end = block.end;
    }
    ASSERT_LE(end, plain.size()) << text;
    const Blocks read = ReadBlocks(text, markup, random() % 2);
    size_t bytes = 0;
    for (const Block& block : read.blocks) {
      for (const TextRun& run : block.runs) {
        bytes += run.text.size();
        ASSERT_LE(run.link, read.links.size()) << text;
        ASSERT_TRUE(block.kind == BlockKind::kCode || !run.text.empty()) << text;
      }
    }
    ASSERT_LE(bytes, text.size() + 1) << text;
    for (const std::string_view link : read.links) ASSERT_NE(text.find(link), std::string::npos) << text;
  }
}

TEST(StoredMarkdownProperty, TimeIsLinearWhateverTheBytes) {
  for (std::string_view piece :
       {"[",       "](",     "[](",  "[a](",     "](<",         "[a][",    "`",      "` ",  "`` ` ",    "*",
        "*a ",     "**a",    "_a ",  "[^",       "[^a]",        "|",       "| a",    "\n|", "> ",       ">",
        "- ",      "\n- ",   "\\",   "```\n",    "<a",          "<",       "~~a",    "![",  "1. ",      "# ",
        "a](b \"", "a](b '", "::: ", "((",       "](",          "`a\n",    "*a *",   "&lt", "[a](b.c)", "[*a*",
        "\n\n",    "\n> ",   ">  ",  "[<a://b>", "_a_[a](b.c)", ":::a \"", "\n    a"}) {
    std::string text;
    while (text.size() < (1 << 17)) text += piece;
    EXPECT_LT(test::SecondsOf([&] { ReadBlocks(text, Markup::kMarkdown, false); }), 5) << piece;
  }
  std::string runs = "[";
  while (runs.size() < (1 << 18)) runs += "*a*b";
  runs += "](" + std::string(1 << 18, 'x') + ".md)";
  EXPECT_LT(test::SecondsOf([&] { ReadBlocks(runs, Markup::kMarkdown, false); }), 10);
}

// The reader in TypeScript took 1.7, 6.8 and 27 s for 20, 40 and 80 thousand: a pattern looked for the end at each line.
TEST(StoredMarkdownProperty, BlankLinesInCodeTakeLinearTime) {
  const auto seconds = [](size_t lines) {
    const std::string text = "```\na" + std::string(lines, '\n') + "b\n```\n";
    return test::SecondsOf([&] {
      for (int i = 0; i < 4; ++i) {
        const Blocks read = ReadBlocks(text, Markup::kMarkdown, false);
        ASSERT_EQ(read.blocks.size(), 1u);
        ASSERT_EQ(read.blocks[0].runs[0].text.size(), lines + 2);
      }
    });
  };
  const double small = seconds(20'000);
  EXPECT_LT(seconds(80'000), 8 * small + 0.5);
}

TEST(StoredMarkdownProperty, TimeIsLinearWhenCodeSpansThatHeadingsCutOffEndFarAway) {
  // The escaped backtick makes the run after it one that opens a span and ends none.
  std::string text;
  while (text.size() < (1 << 20)) text += "# \\``\n";
  std::string plain;
  EXPECT_LT(test::SecondsOf([&] { plain = StripMarks(text + "`"); }), 10);
  EXPECT_EQ(plain.substr(0, 4), "`\n`\n");
}

}  // namespace stored_markdown_test
}  // namespace sheaf
