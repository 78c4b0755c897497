#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "packer/base/charset.h"
#include "packer/document/document.h"
#include "packer/parse/markdown/markdown_view.h"
#include "packer/parse/parse.h"
#include "packer/parse/shared/slug.h"
#include "tests/unit/processor_time.h"

namespace sheaf::packer {
namespace parse_markdown_test {

Document Parse(std::string_view source, bool mdx = false) {
  Result<Document> document = ParseMarkdown(source, mdx ? "page.mdx" : "docs/page.md", mdx);
  EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().message);
  return document.ok() ? std::move(*document) : Document();
}

std::string Text(const Document& document) {
  std::string text;
  for (const Block& block : document.blocks) text += block.text;
  return text;
}

std::string Cleaned(std::string_view source, bool mdx = false) { return Text(Parse(source, mdx)); }

std::vector<std::string> Anchors(const Document& document) {
  std::vector<std::string> anchors;
  for (const Block& block : document.blocks) {
    if (block.kind == BlockKind::kHeading) anchors.push_back(block.anchor);
  }
  return anchors;
}
using Strings = std::vector<std::string>;

std::string Prose(std::string_view source, bool mdx = false) {
  std::string prose;
  for (const Block& block : Parse(source, mdx).blocks) prose += block.prose + "|";
  return prose;
}
std::string Code(std::string_view source, bool mdx = false) {
  std::string code;
  for (const Block& block : Parse(source, mdx).blocks) code += block.code + "|";
  return code;
}

// What document.h promises of every document.
void CheckInvariants(const Document& document, const std::string& name) {
  uint32_t line = 0;
  for (const Block& block : document.blocks) {
    ASSERT_FALSE(block.text.empty()) << name;
    ASSERT_EQ(block.text.back(), '\n') << name;
    ASSERT_TRUE(IsCleanText(block.text)) << name;
    ASSERT_TRUE(IsCleanText(block.prose)) << name;
    ASSERT_TRUE(IsCleanText(block.code)) << name << ": " << block.code;
    ASSERT_LE(line, block.first_line) << name << ": " << block.text;
    ASSERT_LE(block.first_line, block.last_line) << name << ": " << block.text;
    line = block.first_line;
    if (block.kind == BlockKind::kHeading) {
      ASSERT_FALSE(block.title.empty()) << name;
      ASSERT_TRUE(block.level >= 1 && block.level <= 6) << name;
      ASSERT_TRUE(block.prose.empty()) << name;
    } else {
      ASSERT_EQ(block.level, 0) << name;
    }
  }
}

// ---- text and blocks ----

TEST(ParseMarkdown, KeepsThePageAsItIs) {
  const std::string source =
      "# Title\n\nA *paragraph*\nof two lines.\n\n\n- one\n- two\n\n  more of two\n\n> quoted\n\n"
      "```js\ncode()\n\n```\n\n***\n\nlast  \nline\n";
  EXPECT_EQ(Cleaned(source), source);
  EXPECT_EQ(Cleaned(source, true), source);
}

TEST(ParseMarkdown, MakesOneBlockOfEachLeaf) {
  const Document document = Parse("# T\n\npara\n\n- a\n- b\n\n```\nx\n```\n| h |\n|---|\n| r |\n| s |\n");
  std::vector<BlockKind> kinds;
  for (const Block& block : document.blocks) kinds.push_back(block.kind);
  EXPECT_EQ(kinds, (std::vector<BlockKind>{BlockKind::kHeading, BlockKind::kText, BlockKind::kText, BlockKind::kText,
                                           BlockKind::kCode, BlockKind::kTableRow, BlockKind::kTableRow,
                                           BlockKind::kTableRow}));
  EXPECT_EQ(document.blocks[5].text, "| h |\n|---|\n");
  EXPECT_EQ(document.blocks[2].text, "- a\n");
}

TEST(ParseMarkdown, EndsEveryPageWithALineFeed) {
  EXPECT_EQ(Cleaned("no end"), "no end\n");
  EXPECT_EQ(Cleaned("```\nnever closed"), "```\nnever closed\n");
}

TEST(ParseMarkdown, CountsLinesFromTheTopOfTheFile) {
  const Document document = Parse("---\ntitle: T\n---\n\n<div>\n\n# One\n\ntext\nmore\n\n</div>\n\n```\nx\n```\n");
  ASSERT_EQ(document.blocks.size(), 3u);
  EXPECT_EQ(document.blocks[0].first_line, 7u);
  EXPECT_EQ(document.blocks[1].first_line, 9u);
  EXPECT_EQ(document.blocks[1].last_line, 10u);
  EXPECT_EQ(document.blocks[2].first_line, 14u);
  EXPECT_EQ(document.blocks[2].last_line, 16u);
}

TEST(ParseMarkdown, GivesATableUnderAParagraphItsOwnBlocks) {
  const Document document = Parse("See\nthis:\n| a | b |\n|---|---|\n| 1 | 2 |\n");
  ASSERT_EQ(document.blocks.size(), 3u);
  EXPECT_EQ(document.blocks[0].text, "See\nthis:\n");
  EXPECT_EQ(document.blocks[1].text, "| a | b |\n|---|---|\n");
  EXPECT_EQ(document.blocks[2].prose, "1 2");
}

TEST(ParseMarkdown, KeepsLinkDefinitionsOutOfTheIndex) {
  const Document document = Parse("See [it][a].\n\n[a]: https://example.org/secret \"T\"\n\n## Next\n");
  EXPECT_EQ(Text(document), "See [it][a].\n\n[a]: https://example.org/secret \"T\"\n\n## Next\n");
  EXPECT_EQ(document.blocks[0].prose, "See it.");
  for (const Block& block : document.blocks) {
    EXPECT_EQ((block.prose + block.code).find("secret"), std::string::npos);
  }
}

// ---- headings ----

TEST(ParseMarkdown, ReadsAtxAndSetextHeadings) {
  const Document document = Parse("Main `one`\n===\n\n## Sub *two* ##\n\nThird\nline\n---\n");
  ASSERT_EQ(document.blocks.size(), 3u);
  EXPECT_EQ(document.blocks[0].title, "Main one");
  EXPECT_EQ(document.blocks[0].level, 1);
  EXPECT_EQ(document.blocks[1].title, "Sub two");
  EXPECT_EQ(document.blocks[2].title, "Third line");
  EXPECT_EQ(document.blocks[2].text, "Third\nline\n---\n");
  EXPECT_EQ(document.blocks[2].last_line, 8u);
}

TEST(ParseMarkdown, MakesAnchorsAsGitHubDoes) {
  EXPECT_EQ(Slug("Hello, World!"), "hello-world");
  EXPECT_EQ(Slug("What's new in v3.12?"), "whats-new-in-v312");
  EXPECT_EQ(Slug("a  b - c_d"), "a--b---c_d");
  EXPECT_EQ(Slug("Größe & Café Ω"), "größe--café-ω");
  EXPECT_EQ(Slug("日本語 ガイド。"), "日本語-ガイド");
  EXPECT_EQ(Slug("🎉 Party"), "-party");
  EXPECT_EQ(Slug("std::vector<T>"), "stdvectort");
  EXPECT_EQ(Anchors(Parse("# A\n## A\n## a-1\n## A\n## `--flag` [link](x)\n")),
            (Strings{"a", "a-1", "a-1-1", "a-2", "--flag-link"}));
}

TEST(ParseMarkdown, TakesExplicitAnchorsOutOfTheText) {
  const Document document = Parse(
      "## foo() <sup class=\"vt-badge\" data-text=\"3.5+\" /> {#foo}\n\n## Bar {: #bar .wide }\n\n"
      "## Baz { #baz }\n\nQux {#q-x}\n---\n\n## Css {.only}\n");
  EXPECT_EQ(Anchors(document), (Strings{"foo", "bar", "baz", "q-x", "css"}));
  EXPECT_EQ(Text(document), "## foo()\n\n## Bar\n\n## Baz\n\nQux\n---\n\n## Css\n");
  EXPECT_EQ(document.blocks[0].title, "foo()");
}

TEST(ParseMarkdown, LeavesBracesThatAreNoAnchor) {
  const Document document = Parse("## Use `{#id}`\n\n## A set {1, 2}\n\n## ${#x}\n");
  EXPECT_EQ(Anchors(document), (Strings{"use-id", "a-set-1-2", "x"}));
  EXPECT_EQ(Text(document), "## Use `{#id}`\n\n## A set {1, 2}\n\n## ${#x}\n");
}

TEST(ParseMarkdown, TakesAnchorsFromTagsBeforeOrInAHeading) {
  EXPECT_EQ(Anchors(Parse("<a name=\"old\"></a>\n\n## One\n")), (Strings{"old"}));
  EXPECT_EQ(Anchors(Parse("## <a id=\"two\"></a>Two\n")), (Strings{"two"}));
  EXPECT_EQ(Anchors(Parse("text <a id=\"x\"></a>\n\n## Three\n")), (Strings{"three"}));
  EXPECT_EQ(Anchors(Parse("## Four {/*four-id*/}\n", true)), (Strings{"four-id"}));
}

TEST(ParseMarkdown, TurnsHtmlHeadingsIntoMarkdown) {
  const Document document =
      Parse("<h1 align=\"center\">\n  <img src=\"l.png\" alt=\"Logo\">\n  Vite &amp; Co\n</h1>\n\nText.\n");
  EXPECT_EQ(Text(document), "# Vite & Co\n\nText.\n");
  EXPECT_EQ(document.title, "Vite & Co");
}

TEST(ParseMarkdown, LeavesHeadingsInsideListsAndQuotationsToTheirText) {
  const Document document = Parse("# T\n\n> ## Quoted\n> text\n\n1. ### Step\n");
  EXPECT_EQ(Anchors(document), (Strings{"t"}));
  EXPECT_EQ(document.blocks[1].prose, "Quoted");
}

// ---- title ----

TEST(ParseMarkdown, TakesTheTitleFromFrontMatterHeadingOrName) {
  EXPECT_EQ(Parse("---\ntitle: Front\n---\n# Head\n").title, "Front");
  EXPECT_EQ(Parse("## Sub\n\n# Head\n").title, "Head");
  EXPECT_EQ(Parse("## Only sub\n\ntext\n").title, "Only sub");
  EXPECT_EQ(Parse("text\n\n## Later\n").title, "Page");
  EXPECT_EQ(ParseMarkdown("text", "a/getting-started_now.md", false)->title, "Getting Started Now");
  EXPECT_EQ(ParseMarkdown("text", "a/hooks/index.md", false)->title, "Hooks");
}

// ---- tags, comments, MDX ----

TEST(ParseMarkdown, RemovesTagsAndKeepsTheirText) {
  EXPECT_EQ(Cleaned("A <b class=\"x\">bold</b> H<sub>2</sub>O.<br/>\n"), "A bold H2O.\n");
  EXPECT_EQ(Cleaned("<div>\n<p>Text</p>\n</div>\n"), "Text\n");
  EXPECT_EQ(Cleaned("<details><summary>More</summary>\n\nHidden.\n\n</details>\n"), "More\n\nHidden.\n");
  EXPECT_EQ(Cleaned("one\n\n<div>\n\ntwo\n\n</div>\n\nthree\n"), "one\n\ntwo\n\nthree\n");
  EXPECT_EQ(Cleaned("<table><tr><td>a</td><td>b</td></tr></table>\n"), "a b\n");
}

TEST(ParseMarkdown, KeepsTagsInCode) {
  const std::string source =
      "Use `<table>` or ``<b>`x`</b>``.\n\n```html\n<div>\n<!-- kept -->\n</div>\n```\n\n    <indented>\n\n"
      "- item\n\n  ~~~\n  import x from 'y'\n  <T>\n  ~~~\n";
  EXPECT_EQ(Cleaned(source), source);
}

TEST(ParseMarkdown, KeepsWhatOnlyLooksLikeATag) {
  for (const char* source : {"a < b and c > d\n", "<https://example.org/a>\n", "<me@example.org>\n", "[x](<a b>)\n",
                             "x \\<T> y\n", "Vec<T> and Promise<string>\n", "HashMap<K, V>\n", "5 <6> 7\n", "<3\n",
                             "&lt;div&gt;\n", "<\n", "<>\n", "[r]: <a b>\n\n[r]\n"}) {
    EXPECT_EQ(Cleaned(source), source);
  }
}

TEST(ParseMarkdown, KeepsInlineCodeOfHtml) {
  EXPECT_EQ(Cleaned("Call <code>Vec&lt;T&gt;</code> now.\n"), "Call `Vec<T>` now.\n");
  EXPECT_EQ(Code("Call <code>Vec&lt;T&gt;</code> now.\n"), "Vec<T>|");
}

TEST(ParseMarkdown, FencesPreformattedHtml) {
  const Document document =
      Parse("Before\n\n<pre><code class=\"language-c\">int <b>x</b>;\n\n\nif (a &lt; b) {}\n</code></pre>\n\nAfter\n");
  EXPECT_EQ(Text(document), "Before\n\n```c\nint x;\n\n\nif (a < b) {}\n```\n\nAfter\n");
  EXPECT_EQ(document.blocks[1].kind, BlockKind::kCode);
}

TEST(ParseMarkdown, RemovesCommentsScriptsAndStyles) {
  EXPECT_EQ(Cleaned("a\n\n<!-- one\n\ntwo `x` -->\n\nb <!-- c --> d\n"), "a\n\nb  d\n");
  EXPECT_EQ(
      Cleaned("<script setup>\nimport x from 'y'\n\nconst a = '<b>'\n</script>\n\n# T\n\n<style>\n.a {}\n</style>\n"),
      "# T\n");
  EXPECT_EQ(Cleaned("text\n\n<!-- never closed\n\n# Still here\n"), "text\n\n<!-- never closed\n\n# Still here\n");
}

TEST(ParseMarkdown, RemovesImportsAndExports) {
  EXPECT_EQ(
      Cleaned("import Tabs from '@theme/Tabs';\nimport {\n  a,\n  b as c,\n} from \"./x\"\nimport './y.css'\n\n# T\n"),
      "# T\n");
  EXPECT_EQ(Cleaned("export const meta = {\n  a: [1],\n\n  b: `x\n}`,\n}\n\n# T\n", true), "# T\n");
  EXPECT_EQ(Cleaned("export default ({children}) => <div>it's {children}</div>\n\n# T\n", true), "# T\n");
}

TEST(ParseMarkdown, KeepsSentencesAboutImports) {
  for (const char* source :
       {"import the module from the package.\n", "import x from 'y' to begin with.\n", "exports are listed below.\n",
        "important: read\n", "export your data (now)\n", "```\nimport x from 'y'\n```\n", "- import x from 'y'\n"}) {
    EXPECT_EQ(Cleaned(source), source);
  }
}

TEST(ParseMarkdown, ReadsMarkdownInsideJsx) {
  const Document document = Parse(
      "<Tabs\n  values={[{label: 'A > B'}, {x: `}`}]}>\n  <TabItem value=\"a\" label=\"First tab\">\n\n"
      "    Some *text* {/* note\n    more */}here.\n\n    ```js\n    <b/>\n    ```\n\n    - item\n\n  "
      "</TabItem>\n</Tabs>\n",
      true);
  ASSERT_EQ(document.blocks.size(), 3u);
  EXPECT_EQ(document.blocks[0].prose, "First tab Some text here.");
  EXPECT_EQ(document.blocks[1].kind, BlockKind::kCode);
  EXPECT_EQ(document.blocks[1].code, "<b/>");
  EXPECT_EQ(document.blocks[2].prose, "item");
}

TEST(ParseMarkdown, SeesFencesRightBehindATag) {
  const Document document =
      Parse("<Listing caption=\"Making a `Vec`\">\n```rust\nlet v: Vec<T>;\n\n<T>\n```\n</Listing>\n");
  ASSERT_EQ(document.blocks.size(), 1u);
  EXPECT_EQ(document.blocks[0].kind, BlockKind::kCode);
  EXPECT_EQ(document.blocks[0].code, "let v: Vec<T>;\n\n<T>");
  EXPECT_EQ(document.blocks[0].prose, "Making a Vec");
}

TEST(ParseMarkdown, ReadsVueAttributes) {
  EXPECT_EQ(Cleaned("<Foo :a=\"x > 1\" @click.once='go()' #default=\"{ y }\" v-if>text</Foo>\n"), "text\n");
}

// ---- admonitions ----

TEST(ParseMarkdown, KeepsMarkerLinesOutOfTheWords) {
  EXPECT_EQ(Prose(":::tip My Title\nBe careful.\n:::\n\nNext.\n"), "My Title Be careful.|Next.|");
  EXPECT_EQ(Prose("::: details Click {open}\nx\n:::\n"), "Click x|");
  EXPECT_EQ(Prose(":::note[Ti tle]\nx\n:::\n"), "Ti tle x|");
  EXPECT_EQ(Prose("!!! warning \"Look out\"\n    Body of it.\n\n    Second.\n\nAfter.\n"),
            "Look out Body of it.|Second.|After.|");
  EXPECT_EQ(Prose("> [!NOTE]\n> Text.\n"), "Text.|");
  EXPECT_EQ(Prose("```{note}\nMyST text\n```\n"), "MyST text|");
}

TEST(ParseMarkdown, KeepsMarkerLinesInTheText) {
  const std::string source = "Before\n\n:::tip\n## Inside\n\n- a\n:::\n\n> [!TIP]\n> x\n\n!!! note\n    y\n";
  const Document document = Parse(source);
  EXPECT_EQ(Text(document), source);
  EXPECT_EQ(document.blocks[1].text, ":::tip\n## Inside\n\n");
  EXPECT_EQ(document.blocks[1].title, "Inside");
  EXPECT_EQ(document.blocks[2].text, "- a\n:::\n\n");
}

TEST(ParseMarkdown, ReadsCodeInsideAnIndentedAdmonition) {
  const Document document = Parse("!!! note\n\n    ```py\n    x = 1\n    ```\n");
  ASSERT_EQ(document.blocks.size(), 1u);
  EXPECT_EQ(document.blocks[0].kind, BlockKind::kCode);
  EXPECT_EQ(document.blocks[0].code, "x = 1");
}

TEST(ParseMarkdown, LeavesMarkersInFencesAlone) {
  EXPECT_EQ(Code("```md\n:::tip\n!!! note\n    x\n:::\n```\n"), ":::tip\n!!! note\n    x\n:::|");
}

// ---- index words ----

TEST(ParseMarkdown, PartsProseFromCode) {
  EXPECT_EQ(Prose("Call `ref()` on *it* [now](https://x.y \"t\") ![alt text](i.png) ~~gone~~ &amp; \\*so\\*.\n"),
            "Call on it now alt text gone & *so*.|");
  EXPECT_EQ(Code("Call `ref()` and `a b`.\n"), "ref() a b|");
  EXPECT_EQ(Code("```js title=\"x\"\nlet a = 1\n```\n"), "let a = 1|");
  EXPECT_EQ(Prose("| `a` | b *c* |\n|---|---|\n| d | <br>e |\n"), "b c|d e|");
  EXPECT_EQ(Prose("<img src=\"x\" alt=\"A diagram\">\n\nText.\n"), "A diagram Text.|");
}

TEST(ParseMarkdown, LeavesIncludeLinesOutOfTheIndex) {
  EXPECT_EQ(Code("```rust\n{{#rustdoc_include ../a/b.rs:here}}\nfn main() {}\n```\n"), "fn main() {}|");
}

TEST(ParseMarkdown, PutsMaskedCharactersBack) {
  EXPECT_EQ(Prose("Vec<T> | x\n"), "Vec<T> | x|");
  EXPECT_EQ(Code("`a < b`\n\n    if (a < b)\n"), "a < b|if (a < b)|");
  EXPECT_EQ(Parse("## Vec<T>\n").blocks.at(0).title, "Vec<T>");
}

// ---- bad input ----

TEST(ParseMarkdown, AcceptsEmptyPages) {
  for (const char* source : {"", "\n\n", "   ", "---\ntitle: T\n---\n", "<!-- -->\n", "<div/>"}) {
    EXPECT_EQ(Cleaned(source), "") << source;
  }
}

TEST(ParseMarkdown, CleansBytesThatAreNotText) {
  const Document document = Parse(std::string_view("# A\0B\xFF\r\n\r\nx\x01y\x0Ez\n", 16));
  EXPECT_EQ(Text(document), "# A B\uFFFD\n\nx y z\n");
  CheckInvariants(document, "bytes");
}

TEST(ParseMarkdown, RefusesPagesBeyondTheCaps) {
  const Result<Document> lines = ParseMarkdown(std::string(kMaxPageUnits + 10, '\n'), "long.md", false);
  ASSERT_FALSE(lines.ok());
  EXPECT_EQ(lines.code(), ErrorCode::kTooLarge);
  EXPECT_NE(lines.error().message.find("long.md"), std::string::npos);
}

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(ParseMarkdown, ReadsBlankLinesOfSpacesInThePreOfAListItem) {
  const Document document = Parse("- <pre>\n        \n  text</pre>\n");
  EXPECT_NE(Text(document).find("text"), std::string::npos);
}

TEST(ParseMarkdown, ReadsNoTableOfFarMoreCellsThanLetters) {
  const auto rows = [](size_t columns, size_t lines) {
    const Document document = Parse(Repeat("|a", columns) + "\n" + Repeat("|-", columns) + "\n" + Repeat("b\n", lines));
    return std::count_if(document.blocks.begin(), document.blocks.end(),
                         [](const Block& block) { return block.kind == BlockKind::kTableRow; });
  };
  EXPECT_EQ(rows(10, 100), 101);
  EXPECT_EQ(rows(390, 20'000), 0);
}

// Each of these once made some Markdown parser quadratic, or recursive.
TEST(ParseMarkdown, SurvivesHostilePages) {
  const size_t n = 10'000;
  std::string steps;
  for (size_t i = 0; i < 400; ++i) steps += std::string(2 * i, ' ') + "- a\n";
  const std::vector<std::string> pages = {Repeat("> ", n) + "x",
                                          Repeat("- ", n) + "x\n" + Repeat("\n", n),
                                          Repeat("1. ", n) + "x",
                                          Repeat("[", n) + "x" + Repeat("]", n),
                                          Repeat("![", n),
                                          Repeat("[a](", n),
                                          Repeat("*a ", n),
                                          Repeat("**a _b ", n),
                                          Repeat("<", n),
                                          Repeat("<a ", n),
                                          Repeat("<a b=\"", n),
                                          Repeat("<a {", n),
                                          Repeat("<a b={`${{", n),
                                          Repeat("{/* ", n),
                                          Repeat("<!-- ", n),
                                          Repeat("`a``b", n),
                                          Repeat("<h1>a</h1>", n),
                                          Repeat("<code>`</code>", n),
                                          Repeat("a<b> a<Bc> ", n),
                                          Repeat("<script> ", n),
                                          Repeat("<pre>\n", n),
                                          Repeat("# a\n", n),
                                          Repeat("## a {#b}\n", n),
                                          Repeat("# a}\n", n),
                                          Repeat("a\n===\n", n),
                                          Repeat("|a", n) + "\n" + Repeat("|-", n) + "\n" + Repeat("|\n", n),
                                          Repeat("export const a = {\n\n", n),
                                          Repeat("export const a =\n\n", n),
                                          Repeat("import {\n\n", n),
                                          Repeat(":::tip\n", n),
                                          Repeat("::: tip {[", n),
                                          Repeat("!!! note\n", n),
                                          Repeat("> [!NOTE]\n", n),
                                          Repeat("[a]: b\n", n),
                                          Repeat("](<", n),
                                          Repeat("```\n~~~\n", n),
                                          Repeat("---\n", n),
                                          Repeat("\\", n),
                                          Repeat("&lt;", n),
                                          Repeat("\t", n),
                                          Repeat("\xF0\x9F\x8E\x89", n),
                                          steps};
  for (const std::string& page : pages) {
    for (const bool mdx : {false, true}) {
      Result<Document> document = ParseMarkdown(page, "hostile.md", mdx);
      if (!document.ok()) continue;
      CheckInvariants(*document, page.substr(0, 20));
      const size_t size = Text(*document).size();
      EXPECT_LE(size, 2 * page.size() + 16) << page.substr(0, 20);
    }
  }
}

// Random pages from pieces that disturb each other.
TEST(ParseMarkdown, KeepsItsPromisesOnRandomPages) {
  const std::vector<std::string> pieces = {"# ",
                                           "## h",
                                           "\n",
                                           "\n\n",
                                           "- ",
                                           "1. ",
                                           "> ",
                                           "    ",
                                           "\t",
                                           "```",
                                           "~~~",
                                           "`",
                                           "``",
                                           "<div>",
                                           "</div>",
                                           "<a id=\"x\">",
                                           "<T>",
                                           "<b",
                                           "\"",
                                           "'",
                                           "{",
                                           "}",
                                           "{/*",
                                           "*/}",
                                           "<!--",
                                           "-->",
                                           "<pre>",
                                           "</pre>",
                                           "<script>",
                                           "</script>",
                                           "|",
                                           "|---|",
                                           "| a | b |\n",
                                           "[a](b)",
                                           "[x]: y\n",
                                           "===\n",
                                           "---\n",
                                           "***",
                                           "word ",
                                           "Ä日 ",
                                           ":::tip T\n",
                                           ":::\n",
                                           "!!! note\n",
                                           "> [!NOTE]\n",
                                           "import a from 'b'\n",
                                           "export const x = {\n",
                                           "{#id}",
                                           "\\",
                                           "<h2>",
                                           "</h2>",
                                           "<code>",
                                           "</code>",
                                           "&lt;",
                                           "~~",
                                           "/>",
                                           "=",
                                           "<svg>",
                                           "</svg>",
                                           "\xFF",
                                           std::string(1, '\0'),
                                           "\r\n"};
  uint64_t state = 42;
  auto next = [&state](size_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return size_t(state >> 33) % limit;
  };
  for (int round = 0; round < 4000; ++round) {
    std::string page;
    for (size_t i = next(60); i > 0; --i) page += pieces[next(pieces.size())];
    const bool mdx = next(2) == 0;
    const Result<Document> document = ParseMarkdown(page, "random.md", mdx);
    ASSERT_TRUE(document.ok());
    CheckInvariants(*document, page);
    if (HasFatalFailure()) return;
  }
}

// The packer parses on many threads and promises the same bytes whatever their number.
TEST(ParseMarkdown, GivesTheSameDocumentOnEveryThread) {
  const std::string page =
      Repeat("## A `b` ~~c~~\n\n| x | *y* |\n|---|---|\n| z | [w](u) https://e.org |\n\n- [ ] task ~d~\n\n", 50);
  auto signature = [&page] {
    std::string all;
    for (const Block& block : Parse(page).blocks)
      all += block.text + block.title + block.anchor + block.prose + block.code;
    return all;
  };
  const std::string expected = signature();
  std::vector<std::string> got(4);
  std::vector<std::thread> threads;
  for (std::string& result : got) {
    threads.emplace_back([&result, &signature] {
      for (int i = 0; i < 10; ++i) result = signature();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : got) EXPECT_EQ(result, expected);
}

// ---- real pages ----

TEST(ParseMarkdown, CleansRealDocumentation) {
  const char* shared = std::getenv("SHEAF_SHARED");
  if (!shared) GTEST_SKIP() << "SHEAF_SHARED is not set to a folder of Markdown pages";
  size_t pages = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".md") continue;
    ++pages;
    const std::string name = entry.path().string();
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const Result<Document> document = ParseFile(bytes, name);
    ASSERT_TRUE(document.ok()) << name << ": " << document.error().message;
    CheckInvariants(*document, name);
    if (HasFatalFailure()) return;
    const size_t source_lines = size_t(std::count(bytes.begin(), bytes.end(), '\n')) + 1;
    for (const Block& block : document->blocks) {
      EXPECT_LE(block.last_line, source_lines) << name;
      if (block.kind == BlockKind::kCode) continue;
      // Neither text nor words keep statements or tags; what stands in backticks is code.
      EXPECT_FALSE(block.text.substr(0, 7) == "import ") << name << ": " << block.text;
      for (const char* tag : {"<div", "</div", "<script", "<style", "<!--", "</Listing"}) {
        size_t at = block.text.find(tag);
        const bool code =
            at != std::string::npos && std::count(block.text.begin(), block.text.begin() + ptrdiff_t(at), '`') % 2 == 1;
        const bool escaped = at != std::string::npos && at > 0 && block.text[at - 1] == '\\';
        EXPECT_TRUE(at == std::string::npos || code || escaped) << name << ": " << block.text;
      }
      EXPECT_EQ(block.title.find("{#"), std::string::npos) << name;
    }
  }
  EXPECT_GT(pages, 0u);
}

// ---- what other Markdown dialects write -----------------------------------------------------

TEST(ParseMarkdown, AttributeListsGoAndNameHeadings) {
  const Document document = Parse(
      "# One { #first .wide data-x=\"y\" }\n\n## Two\n{: #second .no_toc }\n\n### Three {.x}\n\n#### "
      "Four\n{:.a}\nText.\n{: .note }\n");
  EXPECT_EQ(Anchors(document), (Strings{"first", "second", "three", "four"}));
  EXPECT_EQ(Text(document), "# One\n\n## Two\n\n### Three\n\n#### Four\nText.\n");
  EXPECT_EQ(Cleaned("* TOC\n{:toc}\n\n[a](b){: .btn } and `c`{ .py } *d*{:.e}.\n"), "[a](b) and `c` *d*.\n");
}

TEST(ParseMarkdown, BracesThatAreNoAttributeListStay) {
  for (const char* text : {"A {x: 1} b {y} c ${z} d {{ e }} {}.\n", "`{: .a}` {.b} c\n", "```\n{: .a}\n```\n",
                           "A set {1, 2} and f{a=b c}.\n"}) {
    EXPECT_EQ(Cleaned(text), text);
  }
}

TEST(ParseMarkdown, EntitiesAreCharacters) {
  EXPECT_EQ(Cleaned("A&nbsp;b &#34;c&#34; &lt;d&gt; &mdash; &bogus; `&amp;`  \n&#42;e&#42; &amp; &#124;\n"),
            "A b \"c\" &lt;d&gt; \u2014 &bogus; `&amp;`  \n\\*e\\* &amp; \\|\n");
  EXPECT_EQ(Prose("&#42;e&#42; &lt;d&gt;\n"), "*e* <d>|");
}

TEST(ParseMarkdown, ABarInCodeOfARowStaysInItsCell) {
  EXPECT_EQ(Cleaned("| a | b |\n|---|---|\n| <code>x &vert; y</code> | z |\n"),
            "| a | b |\n|---|---|\n| `x \\| y` | z |\n");
  EXPECT_EQ(Cleaned("<code>x &vert; y</code>\n"), "`x | y`\n");
}

TEST(ParseMarkdown, RawTablesBecomeRows) {
  const Document document = Parse(
      "Text.\n\n<table>\n  <caption>C</caption>\n  <tr><th>A</th><th>B|C</th></tr>\n\n  <tr><td><code>x|y</code></td>"
      "<td><p>&lt;d&gt;</p>\n<p>e</p></td></tr>\n<tr><td>only</td></tr></table>\n\nEnd.\n");
  EXPECT_EQ(Text(document), "Text.\n\nC\n\n| A | B\\|C |\n|---|---|\n| `x\\|y` | <d> e |\n| only |  |\n\nEnd.\n");
  size_t rows = 0;
  for (const Block& block : document.blocks) rows += block.kind == BlockKind::kTableRow;
  EXPECT_EQ(rows, 3u);
}

TEST(ParseMarkdown, TablesThatAreNoRowsKeepTheirWords) {
  for (const char* text :
       {"<table><tr><td>one</td></tr></table>\n",
        "<table><tr><td>one<table><tr><td>a</td><td>b</td></tr></table></td></tr></table>\n",
        "<table><tr><td>one</td><td>\n\n```\ncode\n```\n\n</td></tr></table>\n", "<table><tr><td>one</td><td>two\n"}) {
    EXPECT_EQ(Cleaned(text).find('|'), std::string::npos) << text;
    EXPECT_NE(Cleaned(text).find("one"), std::string::npos) << text;
  }
  std::string wide = "<table><tr>";
  for (int i = 0; i < 1000; ++i) wide += "<td>x</td>";
  EXPECT_EQ(Cleaned(wide + "</tr></table>\n").find('|'), std::string::npos);
}

TEST(ParseMarkdown, ExpressionsOfMdxGoAndTheirStringsStay) {
  const Document document = Parse(
      "export const release = '4.2';\n\nA {release} {'b'} {frontMatter.x} {3} {list.map((x) => <li>word</li>)} <Chart "
      "/>.\n\n$x_{i}$\n",
      true);
  EXPECT_EQ(Text(document), "A 4.2 b  3 {list.map((x) => word )} .\n\n$x_{i}$\n");
  EXPECT_EQ(document.left_out, (std::map<std::string, uint32_t>{{"<Chart />", 1}, {"{frontMatter.x}", 1}}));
  EXPECT_EQ(Cleaned("A {release} b.\n"), "A {release} b.\n");
}

TEST(ParseMarkdown, IconsAreNoWords) {
  EXPECT_EQ(Cleaned(":material-fire:{ .hot } Hot, :octicons-tag-24: tag; a:b:c and 10:20:30 :rocket:\n"),
            "Hot, tag; a:b:c and 10:20:30 :rocket:\n");
}

TEST(ParseMarkdown, AHeadingInMidPageIsNoTitle) {
  EXPECT_EQ(Parse("Set a timeout.\n\n## Options\n\nNX\n\n# Appendix\n").title, "Page");
  EXPECT_EQ(Parse("[badge]\n\n# Name\n\n## Use\n").title, "Name");
  EXPECT_EQ(Parse("## Begins\n\nText.\n\n# Later\n").title, "Begins");
  EXPECT_EQ(Parse("---\ntitle: {let/const ...}\n---\nText.\n").title, "{let/const ...}");
  EXPECT_EQ(Parse("---\ntitle: {@attach ...}\n---\nText.\n").title, "{@attach ...}");
}

TEST(ParseMarkdown, MarksOfDialectsTakeLinearTime) {
  for (const char* unit : {"{: #a ", "{: .a}\n", "&#", "&amp;", "a&", ":material-a", "<table><tr><td>", "<table>",
                           "{a{", "{'", "{a}", "## H\n{: #a}\n", "{::comment}", "* T\n{:toc}\n", ")[{.a}"}) {
    std::string text;
    while (text.size() < 100'000) text += unit;
    for (const bool mdx : {false, true}) {
      EXPECT_LT(test::SecondsOf([&] { ParseMarkdown(text, "page.md", mdx).ok(); }), 2) << unit << mdx;
    }
  }
}

}  // namespace parse_markdown_test
}  // namespace sheaf::packer
