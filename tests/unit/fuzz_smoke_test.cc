// Runs every fuzz property on seeds, mutations of them, random bytes and inputs built to be slow.
// The properties are in tests/fuzz; tests/fuzz/README.md tells how to hunt longer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

// Included rather than linked: a property is one file, and no build has to keep a list of them.
#include "tests/fuzz/fuzz_analyzer.cc"
#include "tests/fuzz/fuzz_hnsw.cc"
#include "tests/fuzz/fuzz_open_bundle.cc"
#include "tests/fuzz/fuzz_parse_html.cc"
#include "tests/fuzz/fuzz_parse_markdown.cc"
#include "tests/fuzz/fuzz_parse_rst.cc"
#include "tests/fuzz/fuzz_search_rules.cc"
#include "tests/fuzz/fuzz_snippet.cc"
#include "tests/fuzz/fuzz_wordpiece.cc"
#include "tests/unit/synthetic_vectors.h"  // TestRandom

namespace sheaf::fuzz {
namespace fuzz_smoke_test {

using Property = void (*)(ByteSpan);

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::strtoull(value, nullptr, 10) : otherwise;
}

class FuzzSmoke : public testing::Test {
 protected:
  void SetUp() override {
    previous_ = on_failure;
    failed_ = false;
    on_failure = [](const char* file, int line, const std::string& what) {
      failed_ = true;
      ADD_FAILURE_AT(file, line) << "broken property: " << what;
    };
  }
  void TearDown() override { on_failure = previous_; }

  // One input, within a generous time for a sanitizer build on a busy machine.
  void Try(Property property, std::string_view input, double seconds = 30) {
    if (failed_) return;                      // one finding at a time
    const std::clock_t start = std::clock();  // processor time: a busy machine proves nothing
    property(AsBytes(input));
    const double took = double(std::clock() - start) / CLOCKS_PER_SEC;
    if (took > seconds) {
      failed_ = true;
      ADD_FAILURE() << "took " << took << " s for " << input.size() << " bytes";
    }
    if (failed_) Keep(input);
  }

  // Seeds as they are, then `rounds` mutations and random inputs. Stops at the first failure.
  void Hunt(Property property, const std::vector<std::string>& seeds, uint64_t rounds) {
    TestRandom random(FromEnvironment("SHEAF_FUZZ_SEED", 1));
    rounds = FromEnvironment("SHEAF_FUZZ_ROUNDS", rounds);
    Try(property, "");
    for (const std::string& seed : seeds) Try(property, seed);
    for (uint64_t round = 0; round < rounds && !failed_; ++round) Try(property, Mutant(&random, seeds));
  }

  static std::string Mutant(TestRandom* random, const std::vector<std::string>& seeds) {
    std::string text;
    if (random->Below(8) == 0) {  // nothing but noise
      for (uint32_t i = random->Below(400); i > 0; --i) text += char(random->Below(256));
      return text;
    }
    text = seeds[random->Below(uint32_t(seeds.size()))];
    for (uint32_t edits = 1 + random->Below(6); edits > 0; --edits) {
      const size_t at = random->Below(uint32_t(text.size()) + 1);
      const size_t length = std::min<size_t>(random->Below(40), text.size() - at);
      switch (random->Below(7)) {
        case 0:
          if (at < text.size()) text[at] = char(random->Below(256));
          break;
        case 1:
          if (at < text.size()) text[at] = char(text[at] ^ (1 << random->Below(8)));
          break;
        case 2: text.erase(at, length); break;
        case 3: text.insert(random->Below(uint32_t(text.size()) + 1), text.substr(at, length)); break;
        case 4: {  // a mark, many times over
          const char* const marks[] = {"`",  "*",  "_", "[",  "](", "<",   ">",  "|",    "#", "\n", " ", "\t",
                                       "\\", "&#", ";", "::", "--", "=\n", "\0", "\xff", "é", "{",  "}"};
          const std::string mark = marks[random->Below(std::size(marks))];
          for (uint32_t times = 1 + random->Below(30); times > 0; --times) text.insert(at, mark);
          break;
        }
        case 5: {  // the rest of another seed
          const std::string& other = seeds[random->Below(uint32_t(seeds.size()))];
          text = text.substr(0, at) + other.substr(random->Below(uint32_t(other.size()) + 1));
          break;
        }
        case 6: text.resize(at); break;
      }
    }
    return text;
  }

 private:
  static void Keep(std::string_view input) {
    const std::string path =
        testing::TempDir() + "fuzz_smoke_failure_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ofstream(path, std::ios::binary).write(input.data(), std::streamsize(input.size()));
    ADD_FAILURE() << "the input is in " << path;
  }

  static inline bool failed_ = false;
  FailureHandler previous_ = nullptr;
};

std::string Repeat(std::string_view piece, size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  while (times-- > 0) text += piece;
  return text;
}

// `settings` byte in front, as the parsers' targets read it.
std::vector<std::string> WithSettings(const std::vector<std::string>& sources) {
  std::vector<std::string> seeds;
  for (const std::string& source : sources)
    for (const char settings : {'\0', '\1', '\2', '\3'}) seeds.push_back(settings + source);
  return seeds;
}

TEST_F(FuzzSmoke, AnalyzerKeepsItsPromisesForAnyBytes) {
  Hunt(CheckAnalyzer,
       {"How do I call useEffect in XMLHttpRequest?", "std::vector<T> C++ C# a.b.c --save-dev",
        "response_model_exclude_unset asyncio.gather v-model @click $emit #id 3.12",
        "日本語の文書 Café ＡＢＣ ﬁ don't user's naïve İstanbul ẞ", "!! ?. => ... <table></table>",
        "\xc3\x28 \xe2\x82 \xf0\x9f\x98\x80 \xed\xa0\x80", std::string("a\0b", 3)},
       2000);
}

TEST_F(FuzzSmoke, AnalyzerIsLinearInItsInput) {
  for (const char* piece :
       {"a", "aB", "a_", "a.", "::", "-", "<", "'", "日", "é", "\xff", "e\xcc\x81", "A", "1", "1.", "a b "})
    Try(CheckAnalyzer, Repeat(piece, 200'000 / std::string_view(piece).size()));
}

TEST_F(FuzzSmoke, SnippetHighlightsLieInsideForAnyPassage) {
  Hunt(CheckSnippet,
       {"\xc8\x03## Use `useEffect`\n\nThe **cache** of [links](https://e.org/x) holds 日本語 😀 text.\n",
        "\x14\x02| a | b |\n|---|---|\n| cache | router |\n", "\x00\x01- one\n- two\n```js\ncode()\n```\n",
        "\xff\x03" + Repeat("a long passage about caches 😀 ", 60)},
       1000);
}

TEST_F(FuzzSmoke, SnippetIsLinearInItsInput) {
  for (const char* piece : {"[", "](", "`", "*", "_", "|", "#", "> ", "a ", "a", "<", "!["})
    Try(CheckSnippet, "\xc8\x03" + Repeat(piece, 100'000 / std::string_view(piece).size()));
}

TEST_F(FuzzSmoke, WordPieceKeepsItsPromisesForAnyBytes) {
  std::vector<std::string> seeds;
  for (const char* text :
       {"abcabcab [MASK] the-thex é e\xCC\x81 がか\xE3\x82\x99 각.", "A[CLS]b[sep][[PAD]]##ab 中a中\xFF\xE4\xB8",
        "i\xCC\x87İ x\xE3\x80\xAE\xE1\xAD\x84\xCC\xB4\xE2\x80\x8B\xF0\x9D\x85\xA0 \xC2\xA0",
        "ab\n##ab\r\n##b\nab\n\n##\n[MASK]\nabab bab"})
    for (char flags = 0; flags < 16; ++flags) seeds.push_back(std::string{flags, char(flags + 2)} + text);
  Hunt(CheckWordPiece, seeds, 4000);
}

TEST_F(FuzzSmoke, WordPieceIsLinearInItsInput) {
  for (const char* piece : {"a", "ab", "abc", "ab ", "-", "[", "[MASK", "[MASK]", "é", "\xCC\x81",
                            "\xE3\x80\xAE\xE1\xAD\x84", "中", "각", "\xFF", "\n", "##a\n", "a\n"})
    for (const char* settings : {"\0\20", "\10\20"})
      Try(CheckWordPiece, std::string(settings, 2) + Repeat(piece, 300'000 / std::string_view(piece).size()));
}

TEST_F(FuzzSmoke, RulesOfOwnersAreReadOrRefused) {
  Hunt(CheckSearchRules,
       {"synonyms:\n  - [k8s, kubernetes]\n  - { from: undo, to: [revert, roll back] }\n",
        "pins:\n  install: guide.html\n  getting started: [a.html, b.html#c]\nweights: {\"blog/**\": 0.3}\n",
        "exclude: [drafts/**]\nstart: [a.html]\ncrumbs: { api_v2: API 2, x: '' }\n",
        "&a [*a, &b {*a : *b}]\n---\n? !!str x\n: |\n  y\n"},
       3000);
  for (const char* piece : {"[", "{", "- ", "a: ", "? ", "&a ", "*a ", "!!x ", "\"", "'", "|\n", "- [a,b]\n", "\t"}) {
    Try(CheckSearchRules, Repeat(piece, 200'000 / std::string_view(piece).size()));
    Try(CheckSearchRules, std::string("synonyms: ") + Repeat(piece, 20'000));
  }
}

TEST_F(FuzzSmoke, HnswRefusesOrSearchesAnyGraph) {
  Hunt(CheckHnsw,
       {std::string("\0\5\20\1\2", 5), std::string("\1\12\40\7\11\3\40\0\0\0\1\3\14\0\0\0\2", 17),
        std::string("\1\77\377\1\1\13\100\0\0\0\5\1\0\0\13\50\3\0\0\3", 20)},
       20'000);
}

TEST_F(FuzzSmoke, MarkdownOfAnyBytesParsesOrIsRefused) {
  Hunt(CheckParseMarkdown,
       WithSettings({"---\ntitle: A page\ndate: 2024-01-01\n---\n# Title {#id}\n\nText `code` [a](b).\n\n"
                     "```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n  - two\n\n> quote\n",
                     "import X from 'x'\n\nexport const a = {b: 1}\n\n<Tabs>\n<Tab label=\"a\">\n\ntext\n\n"
                     "</Tab>\n</Tabs>\n\n{expression}\n",
                     ":::note\nadmonition\n:::\n\n!!! warning \"x\"\n    text\n\nSetext\n===\n\nSub\n---\n",
                     "<details><summary>s</summary>\n\n<!-- comment -->\n\n&amp; &#0; &#x110000;\n\n[r]: /u 'x'\n",
                     "1. a\n\n   b\n\n       code\n\n* * *\n\n![alt](x.png)\\\nline  \nbreak\r\nCRLF\r"}),
       1500);
}

TEST_F(FuzzSmoke, MarkdownIsNotSlowOnNastyInput) {
  for (const char* piece : {"[",     "[a](",  "![",      "*a ",    "**a _b ", "`",     "``` ",       "> ",       "- ",
                            "  - ",  "1. ",   "<",       "<a ",    "</",      "<!--",  "<![CDATA[",  "&",        "#",
                            "# a\n", "|",     "| a ",    "|-",     "\\",      "\n",    "\n\n",       "a\n",      "{",
                            "{#",    "---\n", "===\n",   ":::a\n", "!!! a\n", "<T>\n", "import a\n", "[a]: b\n", "[a]",
                            "~~",    "\t",    "<div>\n", "```\n",  "a\n\n",   "$",     "\xff"})
    for (const char* settings : {"\2", "\3"})
      Try(CheckParseMarkdown, settings + Repeat(piece, 20'000 / std::string_view(piece).size()), 60);
}

// cmark-gfm 0.29.0.gfm.6 looks through the whole paragraph again at each line that could be the rule
// of a table; unguarded, 24 kB take 3 s and 1 MB hours.
TEST_F(FuzzSmoke, MarkdownTableRulesWithoutAHeaderAreNotSlow) {
  for (const char* piece : {"|a|\n-|-\n", "a|b\n-|-|-\n", "a\n-|-\n"})
    Try(CheckParseMarkdown, "\2" + Repeat(piece, 50'000 / std::string_view(piece).size()), 30);
}

TEST_F(FuzzSmoke, HtmlOfAnyBytesParsesOrIsRefused) {
  Hunt(CheckParseHtml,
       WithSettings({"<!DOCTYPE html><html><head><title>T &amp; x</title><meta name=description content=d>"
                     "<link rel=canonical href=/u></head><body><nav>n</nav><main><h1 id=a>A<a href=#a>¶</a>"
                     "</h1><p>Text <code>x&lt;y</code><br>b</p><pre><code class=language-js>a\n b</code></pre>"
                     "<table><tr><th>a<th>b<tr><td>1<td>2</table><ul><li>a<ol><li>b</ol></ul></main></body>",
                     "<dl><dt id=x>t<dd>d</dl><blockquote>q</blockquote><svg><script>x</script></svg>"
                     "<div class=admonition><p>note</div><template><p>t</template>",
                     "<p>&#0;&#xD800;&#x110000;&nbsp;&notanentity;&lt<p hidden>h</p><style>s</style><!-- c -->",
                     "<table><td><table><td>x</table></table><select><option>a</select><math><mi>x</math>",
                     "<p data-sheaf-filter='a, b[c], d:e,f' c=1 data-sheaf-weight=2 data-pagefind-meta='title'>x"
                     "<b data-pagefind-weight=0 data-sheaf-sort='s[t'>y</b><div data-sheaf-ignore=all>z"}),
       1500);
}

TEST_F(FuzzSmoke, HtmlIsNotSlowOnNastyInput) {
  for (const char* piece :
       {"<div>",    "<b>",          "<p>",   "<table>",    "<table><td>", "<ul><li>", "<li>",      "<a>",
        "<a><p>",   "<!--",         "<",     "&",          "&amp;",       "</p>",     "<pre>",     "<code>",
        "<h1>",     "<select>",     "<svg>", "<template>", "<br>",        "\n",       "<font><p>", "<b><i>",
        "<dl><dt>", "<blockquote>", "<tr>",  "<td>",       "<a href=\"",  "<p id=a>", "x "})
    Try(CheckParseHtml, "\2" + Repeat(piece, 50'000 / std::string_view(piece).size()), 60);
}

TEST_F(FuzzSmoke, RstOfAnyBytesParsesOrIsRefused) {
  Hunt(CheckParseRst,
       WithSettings({"=====\nTitle\n=====\n\nPart\n----\n\nText ``code`` :ref:`x <y>` `a <b>`_ |s|.\n\n"
                     ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n.. note:: hi\n\n   more\n",
                     ".. _label:\n\n* a\n\n  * b\n\n1. c\n#. d\n\n:field: v\n\nterm\n   def\n\n::\n\n  lit\n",
                     "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n\n=== ===\n a   b\n=== ===\n 1   2\n"
                     "=== ===\n",
                     ".. list-table::\n   :header-rows: 1\n\n   * - a\n     - b\n   * - 1\n     - 2\n\n"
                     ".. function:: f(x)\n\n   doc\n\n.. |s| replace:: t\n\n.. comment\n\n>>> 1\n1\n"}),
       1500);
}

TEST_F(FuzzSmoke, RstIsNotSlowOnNastyInput) {
  for (const char* piece : {"* ",      "  * ",      "=\n",       "a\n=\n", "`",  "``", ":a:`", "|",      "+-",
                            "+---+\n", ".. a::\n",  ".. ",       "::\n",   " ",  "\t", "\n",   "a_ ",    "`a <",
                            ":a: b\n", "a\n   b\n", "=== ===\n", "\\",     "*a", "**", "  ",   ">>> a\n"})
    Try(CheckParseRst, "\2" + Repeat(piece, 50'000 / std::string_view(piece).size()), 60);
  std::string deep;  // each line one further in
  for (size_t i = 0; i < 400; ++i) deep += std::string(i, ' ') + "* x\n\n";
  Try(CheckParseRst, "\2" + deep, 20);
}

TEST_F(FuzzSmoke, EngineAnswersOrFailsForAnyBundle) {
  // The second byte chooses the section, of pieces a third one the piece, then come edits (fuzz.h):
  // operation, place, value.
  std::vector<std::string> seeds = {std::string("\0\x89SHEAF\r\n\1\0\1\0", 13), "\1", "\2", "\4", "\6"};
  for (char section = 0; section < 16; ++section)
    for (const char mode : {'\2', '\4', '\6'})
      seeds.push_back(std::string{mode, section} +
                      std::string("\3\10\0\0\0\5\13\40\0\0\0\377\377\377\377\1\3\0\0\0\7", 21));
  Hunt(CheckOpenBundle, seeds, 400);
}

// Else edits of a piece would all end at an index that does not fit, and the readers of pieces would never be tried.
TEST_F(FuzzSmoke, FilesWithAnEditedPieceStillOpen) {
  const std::pair<const std::vector<uint8_t>&, ContainerKind> files[] = {{ValidBundle(), ContainerKind::kBundle},
                                                                         {ValidLargeBundle(), ContainerKind::kBundle},
                                                                         {ValidTable(), ContainerKind::kEncoderTable}};
  for (const auto& [file, kind] : files) {
    const Parts parts = TakeApart(file, kind);
    for (size_t section = 0; section < parts.parts.size(); ++section) {
      const Parts::Part& part = parts.parts[section];
      if (!HasPieces(part.info.codec) || part.info.id == SectionId::kVectors) continue;  // rows lie by arithmetic
      const size_t last = part.contents.size() - 1;
      std::string text(1, char(section));
      if (last > 0) text += char(last % 256);
      text += std::string("\4\0\0\0\0\3xyz", 9);  // insert three bytes at the beginning
      Input input(AsBytes(text));
      const std::vector<uint8_t> edited = WithEditedSection(file, parts, kind, &input);
      ASSERT_NE(edited, file);
      Engine engine;
      const uint8_t source = kind == ContainerKind::kBundle ? 0 : 1;
      ASSERT_TRUE(engine.SetSource(source, edited.size()).ok());
      ASSERT_TRUE(engine.SupplyOwned(source, 0, edited).ok());
      const auto why = [&](auto outcome) {
        return outcome.value() != nullptr ? std::string() : outcome.error() ? outcome.error()->message : "needs bytes";
      };
      const std::string refused = source == 0 ? why(engine.Open()) : why(engine.OpenEncoder());
      EXPECT_EQ(refused, "") << SectionName(part.info.id) << (source == 0 ? " of a bundle" : " of a table");
    }
  }
}

}  // namespace fuzz_smoke_test
}  // namespace sheaf::fuzz
