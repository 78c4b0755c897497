#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "packer/include/expand.h"
#include "packer/include/include_files.h"
#include "packer/parse/parse.h"
#include "packer/pipeline/page_cache.h"
#include "packer/source/source.h"
#include "tests/unit/pack_support.h"

namespace sheaf::packer {
namespace includes_test {

namespace fs = std::filesystem;

class Includes : public test::FolderTest {
 protected:
  // The text of docs/guide/page.md or page.rst with what it includes.
  std::string Expanded(const std::string& text, const std::string& page = "docs/guide/page.md") {
    IncludeFiles files({folder_, At("docs")}, At(page));
    const ExpandedText expanded = page.ends_with(".rst") ? ExpandRst(text, &files) : ExpandMarkdown(text, &files);
    missing_ = MissingNote(expanded.missing);
    lines_ = expanded.lines;
    return expanded.text;
  }
  std::string Rst(const std::string& text) { return Expanded(text, "docs/guide/page.rst"); }

  std::string missing_;
  std::vector<uint32_t> lines_;
};

// ---- MkDocs ---------------------------------------------------------------------------------

TEST_F(Includes, CodeOfMkDocsBecomesAFence) {
  Write("docs_src/first.py", "from x import y\n\ny.run()\ny.stop()\n");
  EXPECT_EQ(Expanded("A\n\n{* ../docs_src/first.py hl[1,3] *}\n\nB\n"),
            "A\n\n```python\nfrom x import y\n\ny.run()\ny.stop()\n```\n\nB\n");
  EXPECT_EQ(lines_, (std::vector<uint32_t>{1, 2, 3, 3, 3, 3, 3, 3, 4, 5}));
  EXPECT_EQ(Expanded("{* ../docs_src/first.py ln[1,3:4] hl[3] *}\n"),
            "```python\nfrom x import y\n\ny.run()\ny.stop()\n```\n");
  EXPECT_EQ(missing_, "");
}

TEST_F(Includes, SnippetsOfMkDocsAreTextOrLinesOfAFence) {
  Write("docs/part.md", "# Part\n\nWords.\n");
  Write("docs/code.py", "a = 1\n# --8<-- [start:two]\n  b = 2\n# --8<-- [end:two]\nc = 3\n");
  EXPECT_EQ(Expanded("--8<-- \"part.md\"\n"), "# Part\n\nWords.\n");
  EXPECT_EQ(Expanded("```python\n--8<-- \"code.py\"\n```\n"), "```python\na = 1\n  b = 2\nc = 3\n```\n");
  EXPECT_EQ(Expanded("```python\n--8<-- \"code.py:two\"\n```\n"), "```python\nb = 2\n```\n");
  EXPECT_EQ(Expanded("```python\n--8<-- 'code.py:5:5'\n```\n"), "```python\nc = 3\n```\n");
  EXPECT_EQ(Expanded("    --8<-- \"part.md:3\"\n"), "    Words.\n");
  EXPECT_EQ(Expanded("--8<--\npart.md\n; part.md\n\npart.md:3:3\n--8<--\nEnd.\n"),
            "# Part\n\nWords.\n\nWords.\nEnd.\n");
  EXPECT_EQ(Expanded("{!part.md!}\n"), "# Part\n\nWords.\n");
  EXPECT_EQ(Expanded("```py\n{!> code.py [ln:5-5]!}\n```\n"), "```py\nc = 3\n```\n");
}

TEST_F(Includes, WhatIsNoIncludeStays) {
  const std::string text =
      ";--8<-- \"part.md\"\n--8<--\nno end\n\n````md\n<<< @/a.js\n<!--@include: ./a.md-->\n{* a.py "
      "*}\n````\n\\{{#include a.rs}}\n"
      "{/* comment */}\n<<< not a file\nimport a from 'b'\n";
  EXPECT_EQ(Expanded(text), text);
  EXPECT_EQ(missing_, "");
  EXPECT_TRUE(lines_.empty());
}

// ---- VitePress ------------------------------------------------------------------------------

TEST_F(Includes, CodeOfVitePress) {
  Write("docs/snippets/a.js", "before()\n// #region part\n  one()\n  two()\n// #endregion part\nafter()\n");
  EXPECT_EQ(Expanded("<<< @/snippets/a.js\n"), "```js\nbefore()\n  one()\n  two()\nafter()\n```\n");
  for (const char* line : {"<<< @/snippets/a.js#part{1,3-5}", "<<< @/snippets/a.js{1,3-5}#part",
                           "<<< ../snippets/a.js#part", "<<< @/snippets/a.js#part [A title]"}) {
    EXPECT_EQ(Expanded(std::string(line) + "\n"), "```js\none()\ntwo()\n```\n") << line;
  }
  EXPECT_EQ(Expanded("<<< @/snippets/a.js#part{1 ts:line-numbers}\n"), "```ts\none()\ntwo()\n```\n");
}

TEST_F(Includes, MarkdownOfVitePressWithItsOwnIncludesAndWithoutItsFrontMatter) {
  Write("docs/parts/a.md",
        "---\ntitle: A\n---\n# A\n\n<!-- @include: ./b.md -->\n\n## Use\n\nText.\n\n### More\n\nEnd.\n\n## Last\n");
  Write("docs/parts/b.md", "From b.\n");
  EXPECT_EQ(Expanded("<!--@include: ../parts/a.md-->\n"),
            "# A\n\nFrom b.\n\n## Use\n\nText.\n\n### More\n\nEnd.\n\n## Last\n");
  EXPECT_EQ(Expanded("<!--@include: @/parts/a.md#use-->\n"), "## Use\n\nText.\n\n### More\n\nEnd.\n");
  EXPECT_EQ(Expanded("<!--@include: ../parts/a.md{10,}-->\n"), "Text.\n\n### More\n\nEnd.\n\n## Last\n");
}

// ---- mdBook ---------------------------------------------------------------------------------

TEST_F(Includes, HelpersOfMdBook) {
  Write(
      "listings/main.rs",
      "// ANCHOR: all\nfn main() {\n    // ANCHOR: here\n    go();\n    // ANCHOR_END: here\n}\n// ANCHOR_END: all\n");
  EXPECT_EQ(Expanded("```rust\n{{#include ../listings/main.rs:here}}\n```\n"), "```rust\ngo();\n```\n");
  EXPECT_EQ(Expanded("```rust\n{{#rustdoc_include ../listings/main.rs:all}}\n```\n"),
            "```rust\nfn main() {\n    go();\n}\n```\n");
  EXPECT_EQ(Expanded("```rust\n{{#include ../listings/main.rs:2:4}}\n```\n"), "```rust\nfn main() {\n    go();\n```\n");
  EXPECT_EQ(Expanded("{{#playground ../listings/main.rs editable}}\n"), "```rust\nfn main() {\n    go();\n}\n```\n");
}

// ---- MDX ------------------------------------------------------------------------------------

TEST_F(Includes, PartialsAndRawFilesOfMdx) {
  Write("docs/_part.mdx", "Words of a **part**.\n");
  Write("docs/code/a.py", "print(1)\n");
  const std::string page = "docs/guide/page.mdx";
  EXPECT_EQ(Expanded("import Part from '../_part.mdx';\n\n<Part />\n", page),
            "import Part from '../_part.mdx';\n\nWords of a **part**.\n");
  EXPECT_EQ(Expanded("import a from '!!raw-loader!../code/a.py'\n\n<CodeBlock language=\"py\">{a}</CodeBlock>\n", page),
            "import a from '!!raw-loader!../code/a.py'\n\n```python\nprint(1)\n```\n");
  EXPECT_EQ(Expanded("import a from '@site/code/a.py?raw';\n\n<CodeBlock>\n  {a}\n</CodeBlock>\n", page),
            "import a from '@site/code/a.py?raw';\n\n<CodeBlock>\n```python\nprint(1)\n```\n</CodeBlock>\n");
  const std::string other = "import Tabs from '@theme/Tabs';\nimport {a} from './a.md';\n\n<Tabs />\n<Other />\n{a}\n";
  EXPECT_EQ(Expanded(other, page), other);
  EXPECT_EQ(missing_, "");
}

// ---- reStructuredText -----------------------------------------------------------------------

TEST_F(Includes, LiteralIncludesOfRstWithTheirOptions) {
  Write("docs/guide/a.py",
        "import os\n\n\nclass A:\n    @cached\n    def one(self):\n        return 1\n\n    def two(self):\n        "
        "return 2\n\n\nlast = 1\n");
  const auto code = [&](const std::string& options) {
    return Rst(".. literalinclude:: a.py\n" + options + "\nAfter.\n");
  };
  const auto block = [](const std::string& lines) { return ".. code-block:: python\n\n" + lines + "\n\n\nAfter.\n"; };
  EXPECT_EQ(code("   :pyobject: A.one\n"), block("   @cached\n   def one(self):\n       return 1"));
  EXPECT_EQ(code("   :lines: 1, 13\n   :emphasize-lines: 1\n"), block("   import os\n\n   last = 1"));
  EXPECT_EQ(code("   :start-after: class A\n   :end-before: def one\n   :dedent: 4\n"), block("   @cached"));
  EXPECT_EQ(code("   :start-at: def two\n   :end-at: return 2\n"), block("   def two(self):\n       return 2"));
  EXPECT_EQ(code("   :language: none\n   :caption: A file\n   :lines: 13\n"),
            ".. code-block:: none\n   :caption: A file\n\n   last = 1\n\n\nAfter.\n");
  EXPECT_EQ(Rst("* An item\n\n  .. literalinclude:: /guide/a.py\n     :lines: 1\n"),
            "* An item\n\n  .. code-block:: python\n\n     import os\n\n");
}

TEST_F(Includes, TextOfRst) {
  Write("docs/part.txt", "one\n.. begin\ntwo\n.. end\nthree\n");
  EXPECT_EQ(Rst("A\n\n.. include:: ../part.txt\n   :start-line: 4\n\nB\n"), "A\n\n\nthree\n\n\nB\n");
  EXPECT_EQ(Rst(".. include:: ../part.txt\n   :start-after: .. begin\n   :end-before: .. end\n"), "\n\ntwo\n\n");
  EXPECT_EQ(Rst(".. include:: ../part.txt\n   :code: console\n   :end-line: 1\n"),
            ".. code-block:: console\n\n   one\n\n");
}

TEST_F(Includes, DirectivesThatAreShownRatherThanMeantStay) {
  Write("docs/guide/a.py", "x\n");
  for (const std::string text :
       {"Write::\n\n   .. literalinclude:: a.py\n", ".. code-block:: rst\n\n   .. include:: a.py\n",
        "..\n   .. include:: a.py\n", ".. include:: <isonum.txt>\n"}) {
    EXPECT_EQ(Rst(text), text);
    EXPECT_EQ(missing_, "");
  }
  EXPECT_NE(Rst(".. note::\n\n   .. literalinclude:: a.py\n").find("      x\n"), std::string::npos);
}

// ---- what must not be read ------------------------------------------------------------------

TEST_F(Includes, NothingOutsideTheFolderIsRead) {
  Write("outside/secret.txt", "secret\n");
  Write("docs/x.md", "x\n");
  fs::create_symlink(At("outside/secret.txt"), At("docs/link.txt"));
  fs::create_symlink(At("outside"), At("docs/folder"));
  for (const char* target : {"../../outside/secret.txt", "../link.txt", "../folder/secret.txt", "/etc/hostname"}) {
    const std::string whole = target[0] == '/' ? target : At("docs/guide/") + target;
    for (const std::string& name : {std::string(target), whole}) {
      const std::string text = "Before\n\n```\n{{#include " + name + "}}\n```\n\nAfter\n";
      IncludeFiles files({At("docs"), At("docs")}, At("docs/guide/page.md"));
      const ExpandedText expanded = ExpandMarkdown(text, &files);
      EXPECT_EQ(expanded.text, text) << name;
      EXPECT_EQ(expanded.missing.size(), 1u) << name;
    }
  }
}

TEST_F(Includes, HiddenFilesAreNotReadButThoseOfASite) {
  Write(".git/config", "secret\n");
  Write(".env", "secret\n");
  Write("docs/.vitepress/a.js", "a()\n");
  fs::create_directories(At("docs/guide"));
  fs::create_symlink(At(".env"), At("docs/guide/env.txt"));
  for (const std::string name : {"../../.git/config", "../../.env", "env.txt", "../.git/config", ".env"}) {
    const std::string text = "{* " + name + " *}\n";
    EXPECT_EQ(Expanded(text), text) << name;
    EXPECT_NE(missing_, "") << name;
  }
  EXPECT_EQ(Expanded("<<< ../.vitepress/a.js\n"), "```js\na()\n```\n");
}

TEST_F(Includes, CirclesDepthAndSizeAreBounded) {
  Write("docs/guide/a.md", "a\n<!--@include: ./b.md-->\n");
  Write("docs/guide/b.md", "b\n<!--@include: ./a.md-->\n");
  EXPECT_EQ(Expanded("<!--@include: ./a.md-->\n"), "a\nb\n<!--@include: ./a.md-->\n");
  EXPECT_EQ(missing_, "it includes files that are missing: ./a.md (it includes itself)");

  for (int i = 0; i < 20; ++i) {
    Write("docs/guide/n" + std::to_string(i) + ".md",
          "level " + std::to_string(i) + "\n<!--@include: ./n" + std::to_string(i + 1) + ".md-->\n");
  }
  const std::string deep = Expanded("<!--@include: ./n0.md-->\n");
  EXPECT_NE(deep.find("level 9\n"), std::string::npos);
  EXPECT_EQ(deep.find("level 10\n"), std::string::npos);

  // Each file includes the next twice: 2^20 copies if nothing stopped it.
  for (int i = 0; i < 20; ++i) {
    const std::string next = "<!--@include: ./t" + std::to_string(i + 1) + ".md-->\n";
    Write("docs/guide/t" + std::to_string(i) + ".md", std::string(2000, 'x') + "\n" + next + next + next + next);
  }
  EXPECT_LE(Expanded("<!--@include: ./t0.md-->\n").size(), 2 * kMaxIncludedText);

  Write("docs/guide/large.txt", std::string(kMaxIncludedFile + 1, 'x'));
  EXPECT_EQ(Expanded("{* large.txt *}\n"), "{* large.txt *}\n");
  EXPECT_NE(missing_.find("too large"), std::string::npos);
}

TEST_F(Includes, OfADeepPageANumberOfPlacesIsTriedTheTopAmongThem) {
  std::string deep = At("docs");
  for (int i = 0; i < 500; ++i) deep += "/a";
  IncludeFiles files({folder_, At("docs")}, deep + "/page.md");
  EXPECT_EQ(files.Find("part.md", deep + "/page.md").code(), ErrorCode::kNotFound);
  const std::vector<std::string> used = files.used();
  EXPECT_EQ(used.size(), 65u);
  EXPECT_EQ(used.front(), deep + "/part.md");
  EXPECT_EQ(used.back(), At("part.md"));
}

TEST_F(Includes, MissingTargetsAreNamedAndTheTextAroundThemStays) {
  Write("docs/guide/a.py", "x\n");
  const std::string text =
      "A\n\n{* gone.py *}\n\nB\n\n<<< ./a.py#none\n\n{* https://example.org/a.py *}\n\n{* g4.py *}\n{* g5.py *}\n";
  EXPECT_EQ(Expanded(text), text);
  EXPECT_EQ(missing_,
            "it includes files that are missing: gone.py (there is no such file), ./a.py (it has no part 'none'), "
            "https://example.org/a.py (it is an address on the web) and 2 more");
}

// ---- pages ----------------------------------------------------------------------------------

TEST_F(Includes, LinesOfBlocksAreThoseOfThePage) {
  Write("docs/guide/a.py", "one\ntwo\nthree\n");
  IncludeFiles files({folder_, At("docs")}, At("docs/guide/page.md"));
  const Result<Document> document =
      ParseFile("---\ntitle: T\n---\n\n# Head\n\n{* a.py *}\n\nAfter.\n", "docs/guide/page.md", &files);
  ASSERT_TRUE(document.ok());
  ASSERT_EQ(document->blocks.size(), 3u);
  EXPECT_EQ(document->blocks[1].code, "one\ntwo\nthree");
  EXPECT_EQ(document->blocks[1].first_line, 7u);
  EXPECT_EQ(document->blocks[1].last_line, 7u);
  EXPECT_EQ(document->blocks[2].first_line, 9u);
}

class IncludingPages : public test::PackTest {};

TEST_F(IncludingPages, ArePackedAnewWhenWhatTheyIncludeChanges) {
  Write("page.md", "# Page\n\n{* code/a.py *}\n");
  Write("other.md", "# Other\n\nText.\n");
  PageCache cache(UINT64_MAX);
  const auto round = [&] {
    Packed packed = Pack({}, "", nullptr, &cache);
    EXPECT_EQ(packed.bundle, Pack({}, "", nullptr, nullptr).bundle);
    return packed;
  };
  EXPECT_EQ(round().reported,
            std::vector<std::string>{"page.md: it includes files that are missing: code/a.py (there is no such file)"});
  Write("code/a.py", "first()\n");
  Packed packed = round();
  EXPECT_EQ(packed.changes.changed, 1u);
  EXPECT_TRUE(packed.reported.empty());
  Write("code/a.py", "second()\n");
  EXPECT_EQ(round().changes.changed, 1u);
  EXPECT_EQ(round().changes.changed, 0u);
}

TEST_F(IncludingPages, ReachNoFurtherThanTheRootUnlessAFolderAboveIsGiven) {
  Write("docs/page.md", "# Page\n\n{* ../code/a.py *}\n");
  Write("code/a.py", "first()\n");
  SourceOptions options;
  Result<SourceList> list = FindSources({At("docs")}, options);
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(Pack({}, "", &*list, nullptr).summary.notes.size(), 1u);
  options.includes_from = folder_;
  list = FindSources({At("docs")}, options);
  ASSERT_TRUE(list.ok());
  EXPECT_TRUE(Pack({}, "", &*list, nullptr).summary.notes.empty());
  options.includes_from = At("code");
  EXPECT_EQ(FindSources({At("docs")}, options).code(), ErrorCode::kInvalidArgument);
}

}  // namespace includes_test
}  // namespace sheaf::packer
