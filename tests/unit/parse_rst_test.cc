#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "packer/base/charset.h"
#include "packer/document/document.h"
#include "packer/parse/parse.h"
#include "packer/parse/rst/rst_inline.h"
#include "packer/parse/rst/rst_table.h"
#include "tests/unit/processor_time.h"

namespace sheaf::packer {
namespace parse_rst_test {

Document Parse(std::string_view rst, std::string_view path = "library/page.rst") {
  Result<Document> document = ParseRst(rst, path);
  EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().message);
  return document.ok() ? std::move(*document) : Document{};
}

std::string TextOfPage(const Document& document) {
  std::string text;
  for (const Block& block : document.blocks) text += block.text;
  return text;
}

std::string Text(std::string_view rst) { return TextOfPage(Parse(rst)); }

std::vector<Block> Headings(const Document& document) {
  std::vector<Block> headings;
  for (const Block& block : document.blocks) {
    if (block.kind == BlockKind::kHeading) headings.push_back(block);
  }
  return headings;
}

void ExpectInvariants(const Document& document) {
  uint32_t line = 0;
  for (const Block& block : document.blocks) {
    ASSERT_FALSE(block.text.empty());
    EXPECT_EQ(block.text.back(), '\n');
    EXPECT_TRUE(IsCleanText(block.text)) << block.text;
    EXPECT_TRUE(IsCleanText(block.prose));
    EXPECT_TRUE(IsCleanText(block.code));
    EXPECT_LE(block.first_line, block.last_line);
    EXPECT_GE(block.first_line, line);
    line = block.first_line;
    EXPECT_EQ(block.kind == BlockKind::kHeading, block.level > 0);
  }
}

std::string Repeat(std::string_view piece, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += piece;
  return text;
}

// ---- a page as the Python manual writes it -------------------------------------------------------

TEST(ParseRst, ReadsAPageOfALibraryReference) {
  const Document page = Parse(R"(
:mod:`json` --- JSON encoder and decoder
========================================

.. module:: json
   :synopsis: Encode and decode the JSON format.

.. moduleauthor:: Bob <bob@example.org>

**Source code:** :source:`Lib/json/__init__.py`

--------------

`JSON <https://json.org>`_, specified by :rfc:`7159`, is like
`JavaScript <https://example.org>`__ [#errata]_ .

.. warning::
   Be cautious when parsing.

   Really.

Encoding::

    >>> import json
    >>> json.dumps(['foo'])

See :ref:`cmd` and :ref:`the tool <cmd>`.

Basic Usage
-----------

.. function:: dump(obj, fp, *, skipkeys=False, \
                   indent=None)

   Serialize *obj* to *fp* with :func:`dumps` or :meth:`~io.Text.write`.

   .. versionchanged:: 3.2
      Allow strings for *indent*.

   .. versionadded:: 3.4

.. class:: JSONEncoder(*, x=1)

   An encoder.

   .. method:: default(o)

      Override me.

.. _cmd:
.. program:: json.tool

Command Line
------------

.. option:: -h, --help

   Show help.

.. rubric:: Footnotes

.. [#errata] As noted in `the errata <https://e.org>`_.
)");
  ExpectInvariants(page);
  EXPECT_EQ(page.title, "json — JSON encoder and decoder");
  EXPECT_EQ(TextOfPage(page),
            "# `json` — JSON encoder and decoder\n\n"
            "Source code: Lib/json/__init__.py\n\n"
            "JSON, specified by RFC 7159, is like JavaScript .\n\n"
            "Warning: Be cautious when parsing.\n\nReally.\n\n"
            "Encoding:\n\n"
            "```python\n>>> import json\n>>> json.dumps(['foo'])\n```\n\n"
            "See Command Line and the tool.\n\n"
            "## Basic Usage\n\n"
            "### `json.dump`\n\n```python\njson.dump(obj, fp, *, skipkeys=False, indent=None)\n```\n\n"
            "Serialize obj to fp with `dumps()` or `write()`.\n\n"
            "Changed in version 3.2: Allow strings for indent.\n\n"
            "New in version 3.4:\n\n"
            "### `class json.JSONEncoder`\n\n```python\nclass json.JSONEncoder(*, x=1)\n```\n\n"
            "An encoder.\n\n"
            "#### `default`\n\n```python\ndefault(o)\n```\n\n"
            "Override me.\n\n"
            "## Command Line\n\n"
            "### `-h, --help`\n\n"
            "Show help.\n\n"
            "Footnotes\n\n"
            "As noted in the errata.\n");
  const std::vector<Block> headings = Headings(page);
  ASSERT_EQ(headings.size(), 7u);
  EXPECT_EQ(headings[0].anchor, "json-json-encoder-and-decoder");
  EXPECT_EQ(headings[2].anchor, "json.dump");
  EXPECT_EQ(headings[2].title, "json.dump");
  EXPECT_EQ(headings[3].anchor, "json.JSONEncoder");
  EXPECT_EQ(headings[3].title, "class json.JSONEncoder");
  EXPECT_EQ(headings[4].anchor, "json.JSONEncoder.default");
  EXPECT_EQ(headings[4].title, "default");
  EXPECT_EQ(headings[5].anchor, "cmd");
  EXPECT_EQ(headings[6].anchor, "cmdoption-json.tool-h");
}

// ---- sections ------------------------------------------------------------------------------------

TEST(ParseRst, LevelsTitlesByTheOrderOfTheirStyles) {
  const Document page = Parse(
      "#####\nTitle\n#####\n\nOne\n===\n\nTwo\n---\n\nOne more\n========\n\n#######\nTitle "
      "2\n#######\n\nDé·jà vu!\n~~~~~~~~~\n");
  std::string levels, anchors;
  for (const Block& heading : Headings(page)) {
    levels += std::to_string(heading.level);
    anchors += heading.anchor + " ";
  }
  EXPECT_EQ(levels, "123214");
  EXPECT_EQ(anchors, "title one two one-more title-2 deja-vu ");
}

TEST(ParseRst, GivesNoAnchorToARepeatedTitle) {
  const Document page = Parse("Example\n=======\n\nExample\n=======\n\n.. _named:\n\nExample\n=======\n");
  EXPECT_EQ(Headings(page)[0].anchor, "example");
  EXPECT_EQ(Headings(page)[1].anchor, "");
  EXPECT_EQ(Headings(page)[2].anchor, "named");
}

TEST(ParseRst, TakesNoAddressForTheAnchorOfTheNextSection) {
  EXPECT_EQ(Headings(Parse(".. _away:\n   https://e.org\n\nTitle\n=====\n"))[0].anchor, "title");
  EXPECT_EQ(Headings(Parse(".. _away:\n.. _too: https://e.org\n\nTitle\n=====\n"))[0].anchor, "title")
      << "both name the address";
  EXPECT_EQ(Headings(Parse(".. _here:\n\nTitle\n=====\n"))[0].anchor, "here");
}

TEST(ParseRst, TakesShortLinesOfPunctuationForText) {
  EXPECT_EQ(Text("A longer title\n---\n\nx\n"), "A longer title ---\n\nx\n");
  EXPECT_EQ(Text("ABC\n---\n\nx\n"), "# ABC\n\nx\n");
  EXPECT_EQ(Text("above\n\n--------\n\nbelow\n"), "above\n\nbelow\n");
}

TEST(ParseRst, NamesAPageWithoutTitleByItsFile) {
  EXPECT_EQ(Parse("text", "guide/first-steps.rst").title, "First Steps");
}

// ---- lists ---------------------------------------------------------------------------------------

TEST(ParseRst, ReadsNestedLists) {
  EXPECT_EQ(Text("* one\n  goes on\n* two\n\n  more\n\n  - deep\n  - deeper\n\n* three\n"),
            "- one goes on\n- two\n\n  more\n\n  - deep\n  - deeper\n- three\n");
}

TEST(ParseRst, ReadsNumberedLists) {
  EXPECT_EQ(Text("3. three\n#. four\n\n#. five\n\n(a) x\n(b) y\n\niv) z\n"),
            "3. three\n4. four\n5. five\n1. x\n2. y\n4. z\n");
  EXPECT_EQ(Text("A. Einstein was a great\nphysicist.\n"), "A. Einstein was a great physicist.\n");
  EXPECT_EQ(Text("1984 was a year.\n"), "1984 was a year.\n");
}

TEST(ParseRst, ReadsDefinitionsFieldsAndOptions) {
  EXPECT_EQ(Text("term\n   Meaning of it.\n\n   More.\n``code`` : class\n   Other.\n"),
            "- term\n  Meaning of it.\n\n  More.\n\n- `code` : class\n  Other.\n");
  EXPECT_EQ(Text("x\n\n:param int size: The size.\n:returns: Nothing\n   at all.\n"),
            "x\n\n- param `int size`: The size.\n- returns: Nothing at all.\n");
  EXPECT_EQ(Text("-a, --all   Shows all.\n--name=FILE\n            Names it.\n"),
            "- `-a, --all` Shows all.\n- `--name=FILE` Names it.\n");
}

TEST(ParseRst, SaysWhatDefinitionsAndOptionsExplain) {
  const Document page = Parse(
      "oven_size : int\n   Of the oven.\n\n   More of it.\n\n-a, --all   Shows all.\n--name=FILE\n"
      "            Names it.\n\nWords.\n\n:param size: Of it.\n");
  std::vector<std::string> terms;
  for (const Block& block : page.blocks) terms.push_back(block.term);
  EXPECT_EQ(terms, (std::vector<std::string>{"oven_size : int", "", "-a, --all", "--name=FILE", "", ""}));
}

TEST(ParseRst, DropsTheFactsAtTheHead) {
  const Document page = Parse(":orphan:\n:date: 2024-05-01\n\nTitle\n=====\n\n:Author: Me\n\n:Note: stays\n");
  EXPECT_EQ(TextOfPage(page), "# Title\n\n- Note: stays\n");
  EXPECT_EQ(page.last_modified, "2024-05-01");
}

TEST(ParseRst, ReadsQuotationsAndLineBlocks) {
  EXPECT_EQ(Text("x\n\n   Quoted\n   words.\n\n      Deeper.\n\n   Back.\n\ny\n"),
            "x\n\n> Quoted words.\n\n> > Deeper.\n\n> Back.\n\ny\n");
  EXPECT_EQ(Text("| one\n| *two*\n  goes on\n|\n| three\n"), "one\ntwo goes on\nthree\n");
}

// ---- code ----------------------------------------------------------------------------------------

TEST(ParseRst, ReadsLiteralBlocks) {
  EXPECT_EQ(Text("Do::\n\n    if x:\n        y ``z``\n\n    end\n\nDone.\n"),
            "Do:\n\n```\nif x:\n    y ``z``\n\nend\n```\n\nDone.\n");
  EXPECT_EQ(Text("Text ::\n\n  a\n\n::\n\n  b\n"), "Text\n\n```\na\n```\n\n```\nb\n```\n");
  EXPECT_EQ(Text("Reply::\n\n> quoted\n> lines\n\nEnd\n"), "Reply:\n\n```\n> quoted\n> lines\n```\n\nEnd\n");
  EXPECT_EQ(Text("Nothing::\n\nfollows\n"), "Nothing:\n\nfollows\n");
}

TEST(ParseRst, ReadsCodeDirectives) {
  EXPECT_EQ(Text(".. code-block:: c++\n   :linenos:\n   :caption: main.cc\n\n   int a;\n     b;\n\nx\n"),
            "main.cc\n\n```c++\nint a;\n  b;\n```\n\nx\n");
  EXPECT_EQ(Text(".. highlight:: sh\n\n::\n\n   ls\n\n.. code::\n\n   cd\n"), "```sh\nls\n```\n\n```sh\ncd\n```\n");
  EXPECT_EQ(Text(".. parsed-literal::\n\n   pip install **x**\n     |y|\n"), "```\npip install x\n  y\n```\n");
  EXPECT_EQ(Text(".. doctest::\n   :hide:\n\n   >>> 1\n\n>>> 2\n2\n\nx\n"), "```python\n>>> 2\n2\n```\n\nx\n");
}

// ---- directives ------------------------------------------------------------------------------------

TEST(ParseRst, TakesNamesOfDirectivesInAnyCase) {
  EXPECT_EQ(Text(".. NOTE:: Mind it.\n\n.. Code-Block:: sh\n\n   ls\n"), "Note: Mind it.\n\n```sh\nls\n```\n");
}

TEST(ParseRst, LabelsAdmonitions) {
  EXPECT_EQ(Text(".. note:: On the line,\n   and the next.\n\n.. tip::\n\n   * a\n   * b\n\n.. admonition:: Look "
                 "*here*\n\n   Words.\n\n"
                 ".. seealso::\n   :mod:`os`\n      The module.\n\n.. deprecated-removed:: 3.1 3.4 Use "
                 "``x``.\n\n.. deprecated:: 2.0\n"),
            "Note: On the line, and the next.\n\nTip:\n\n- a\n- b\n\nLook here: Words.\n\nSee also:\n\n- `os`\n  "
            "The module.\n\n"
            "Deprecated since version 3.1, removed in version 3.4: Use `x`.\n\nDeprecated since version 2.0:\n");
}

TEST(ParseRst, DropsWhatIsNotText) {
  EXPECT_EQ(Text("a\n\n.. toctree::\n   :maxdepth: 2\n\n   one\n   two\n\n.. include:: x.rst\n\n.. raw:: "
                 "html\n\n   <b>no</b>\n\n"
                 ".. A comment\n   of two lines\n\n..\n   Another comment\n\n.. _target: https://e.org\n\n__ "
                 "https://e.org\n\n"
                 ".. |sub| image:: x.png\n\n.. index:: single: x\n\nb\n"),
            "a\n\nb\n");
  EXPECT_EQ(Text("x\n\n..\n\n   Not hidden by an empty comment.\n"), "x\n\n> Not hidden by an empty comment.\n");
}

TEST(ParseRst, ReadsContainersFiguresAndUnknownDirectives) {
  EXPECT_EQ(Text(".. only:: html\n\n   Shown\n   -----\n\n   Text.\n"), "# Shown\n\nText.\n");
  EXPECT_EQ(Text(".. figure:: a.png\n   :alt: A chart\n\n   The caption.\n\n.. image:: b.png\n   :alt: "
                 "B\n\n.. image:: c.png\n"),
            "A chart\n\nThe caption.\n\nB\n");
  EXPECT_EQ(Text(".. tab-item:: Linux\n\n   Run it.\n\n.. surprise:: path/x\n\n.. surprise:: Words\n   :opt: "
                 "1\n\n   Content.\n"),
            "Linux: Run it.\n\nWords: Content.\n");
}

TEST(ParseRst, MakesGlossaryTermsSections) {
  const Document page = Parse(
      "Glossary\n========\n\n.. glossary::\n\n   abstract base class\n   ABC\n      Meaning.\n\n   ``x``\n   "
      "   Other.\n");
  EXPECT_EQ(TextOfPage(page), "# Glossary\n\n## abstract base class\n\n## ABC\n\nMeaning.\n\n## `x`\n\nOther.\n");
  EXPECT_EQ(Headings(page)[1].anchor, "term-abstract-base-class");
}

TEST(ParseRst, AnchorsApiEntriesAsSphinxDoes) {
  const Document page = Parse(
      ".. currentmodule:: os\n\n.. data:: name\n\n.. py:class:: Path\n\n   .. classmethod:: Path.cwd()\n   "
      ".. attribute:: size\n\n"
      ".. envvar:: HOME\n\n.. c:function:: int main(int argc)\n\n.. program:: py\n.. cmdoption:: -X "
      "<opt>\n\n.. exception:: OSError\n");
  std::vector<std::string> anchors;
  for (const Block& heading : Headings(page)) anchors.push_back(heading.anchor);
  EXPECT_EQ(anchors, (std::vector<std::string>{"os.name", "os.Path", "os.Path.cwd", "os.Path.size", "envvar-HOME",
                                               "c.main", "cmdoption-py-X", "os.OSError"}));
}

TEST(ParseRst, KeepsTheHeadingsOfOneDescriptionTogether) {
  EXPECT_EQ(Text(".. function:: f(x)\n              g(x, y)\n\n   Both.\n"),
            "## `f`\n\n## `g`\n\n```python\nf(x)\ng(x, y)\n```\n\nBoth.\n");
}

TEST(ParseRst, TakesTheDescriptionFromMeta) {
  EXPECT_EQ(Parse(".. meta::\n   :description: All about\n      it.\n   :keywords: x\n\nx\n").description,
            "All about it.");
}

// ---- tables ----------------------------------------------------------------------------------------

TEST(ParseRst, ReadsGridTables) {
  const Document page = Parse(
      "+------+-----------+\n| Name | What      |\n+======+===========+\n| é|b  | ``x``     |\n|      | more "
      "     |\n+------+-----+-----+\n"
      "| span       | c   |\n+------------+-----+\n");
  ExpectInvariants(page);
  EXPECT_EQ(page.blocks[0].text, "| Name | What |\n| --- | --- |\n");
  EXPECT_EQ(page.blocks[1].text, "| é\\|b | `x` more |\n");
  EXPECT_EQ(page.blocks[1].code, "x");
  EXPECT_EQ(page.blocks[1].first_line, 4u);
  EXPECT_EQ(page.blocks[1].last_line, 5u);
  EXPECT_EQ(page.blocks[2].text, "| span | c |\n");
}

TEST(ParseRst, ReadsSimpleTables) {
  EXPECT_EQ(Text("=====  ======  ====\n   Inputs      Out\n-------------  ----\nA      B       A|B\n=====  "
                 "======  ====\nFalse  True    x is longer than its column\n"
                 "       cont\n\nlast\n=====  ======  ====\n\nafter\n"),
            "| Inputs |  | Out |\n| --- | --- | --- |\n| A | B | A\\|B |\n| False | True cont | x is longer "
            "than its column |\n| last |  |  |\n\nafter\n");
}

TEST(ParseRst, ReadsListAndCsvTables) {
  EXPECT_EQ(Text(".. list-table:: Sizes\n   :header-rows: 1\n\n   * - Name\n     - Size\n   * - a\n       "
                 "b\n     - ``1``\n"),
            "Sizes:\n\n| Name | Size |\n| --- | --- |\n| a b | `1` |\n");
  EXPECT_EQ(Text(".. csv-table::\n   :header: \"A, a\", B\n\n   x, \"y \"\"q\"\"\n   z\"\n   1, 2\n"),
            "| A, a | B |\n| --- | --- |\n| x | y \"q\" z |\n| 1 | 2 |\n");
}

// ---- inline ----------------------------------------------------------------------------------------

struct InlineCase {
  const char* rst;
  const char* text;
};

TEST(RstInline, ReadsMarkup) {
  for (const InlineCase& c : std::vector<InlineCase>{
           {"``a b``, ``c``.", "`a b`, `c`."},
           {"``a`b``", "``a`b``"},
           {"``\\n`` and ``` `` ```", "`\\n` and ``` ` `` ` ```"},
           {"*em* **strong** x*y*z 2 * 3 * 4", "em strong x*y*z 2 * 3 * 4"},
           {"\"*\" and (*) and \\*args, \\**kw", "\"*\" and (*) and *args, **kw"},
           {":func:`open` :func:`open()` :meth:`!x.y` :class:`~a.b.C`", "`open()` `open()` `x.y()` `C`"},
           {":func:`title <target>`, :py:class:`list`", "`title`, `list`"},
           {":ref:`text <label>` :ref:`label` :doc:`guide/start`", "text label start"},
           {":rfc:`793` :pep:`8` :kbd:`Ctrl` `x`:sup:", "RFC 793 PEP 8 `Ctrl` x"},
           {":samp:`print({n})` :menuselection:`A --> B`", "`print(n)` A --> B"},
           {"`link <https://x.org>`_ and `ref`_ and `a b`__ and word_.", "link and ref and a b and word."},
           {"`<https://x.org>`_ https://y.org/a_b_c", "https://x.org https://y.org/a_b_c"},
           {"`code` and `two words`", "`code` and two words"},
           {"|sub| and |nope", "sub and |nope"},
           {"see [1]_, [CIT]_, [#auto]_ and [x]", "see [1], [CIT], and [x]"},
           {"re\\ *st*\\ ructured __init__ a__b _private", "restructured __init__ a__b _private"},
           {"_`target words` ok", "target words ok"},
           {"a --- b --option", "a — b --option"},
           {"unclosed ``literal and `role and *em", "unclosed ``literal and `role and *em"},
           {":not a role: x :also`not`", ":not a role: x :also`not`"},
           {"C:\\\\Windows \\n", "C:\\Windows n"}}) {
    InlineText out;
    AppendRstInline(c.rst, RstNames{}, &out);
    out.Finish();
    EXPECT_EQ(out.text(), c.text) << c.rst;
  }
}

TEST(RstInline, PutsInSubstitutionsOfAnyOrder) {
  EXPECT_EQ(Text("Use |p|.\n\n.. |p| replace:: the *Product*\n"), "Use the Product.\n");
}

TEST(RstInline, MakesIdsAsDocutilsDoes) {
  EXPECT_EQ(RstId("Hello,  World!"), "hello-world");
  EXPECT_EQ(RstId("3.2 What's New?"), "what-s-new");
  EXPECT_EQ(RstId("Über"), "uber");
  EXPECT_EQ(RstId("__init__.py"), "init-py");
  EXPECT_EQ(RstId("日本"), "");
}

// ---- hostile input -----------------------------------------------------------------------------------

TEST(ParseRst, ReadsScrapsAndOddBytes) {
  for (const std::string_view rst : {"",
                                     "\n",
                                     " ",
                                     "..",
                                     ".. ",
                                     "::",
                                     ".. ::",
                                     ".. _",
                                     ".. _:",
                                     ".. [",
                                     ".. [x]",
                                     ".. [] a",
                                     ".. |",
                                     ".. x::",
                                     ".. note::",
                                     "=",
                                     "====",
                                     "=\n=",
                                     "==\na\n==",
                                     "+-+",
                                     "+--+\n|\n+--+",
                                     "== ==",
                                     "== ==\n== ==",
                                     "- ",
                                     "-",
                                     "1.",
                                     "1. ",
                                     "|",
                                     ":a:",
                                     ": :",
                                     ":",
                                     "*",
                                     "`",
                                     "``",
                                     "**",
                                     "a_",
                                     "_",
                                     "__",
                                     "__ ",
                                     ">>> ",
                                     "a::",
                                     "a ::\n\n ",
                                     "\\",
                                     "a\\",
                                     ".. table::",
                                     ".. list-table::\n\n   *",
                                     ".. csv-table::\n\n   \"",
                                     ".. glossary::\n\n  a",
                                     ".. function:: \\",
                                     ".. function:: (",
                                     ".. code-block::\n",
                                     ".. option::",
                                     ".. versionadded::",
                                     ".. deprecated-removed:: 1",
                                     "\t- x\n\t\ty",
                                     "- - - 1. a\n  b",
                                     "\xFF\xFE",
                                     ".. _a:\n.. _b:\n",
                                     ".. meta::\n   :description:",
                                     ".. class:: x\n\n   y"}) {
    const Document page = Parse(rst);
    ExpectInvariants(page);
    EXPECT_FALSE(page.title.empty());
  }
}

TEST(ParseRst, SurvivesDeepNesting) {
  ExpectInvariants(Parse(Repeat("- ", 20000) + "x\n"));
  std::string quotes, notes, classes;
  for (size_t i = 0; i < 1500; ++i) {
    quotes += std::string(i, ' ') + "x\n\n";
    notes += std::string(i * 3, ' ') + ".. note::\n\n";
    classes += std::string(i * 2, ' ') + ".. class:: C\n\n";
  }
  ExpectInvariants(Parse(quotes));
  ExpectInvariants(Parse(notes));
  ExpectInvariants(Parse(classes));
}

// Each of these once-per-line traps would be quadratic in a careless reader.
TEST(ParseRst, StaysLinear) {
  const auto seconds = [](const std::string& rst) { return test::SecondsOf([&] { ExpectInvariants(Parse(rst)); }); };
  for (const std::string_view piece :
       {"``a ",       "`a ",    "*a ",      "**a ",           "|a ",      ":r:`a ",
        "a_ ",        "\\ ",    "[a ",      "== ==\n\nx\n\n", "+--+\n\n", ".. |a| replace:: b\n",
        ".. _a:\n\n", "- x\n",  "a\n  b\n", ":f: x\n",        "1. x\n",   "x::\n\n",
        "- \n\n\n",   "T\n=\n", "| a\n",    ".. note:: a\n",  ".. x\n"}) {
    EXPECT_LT(seconds(Repeat(piece, 200000 / piece.size())), 3.0) << piece;
  }
  EXPECT_LT(seconds(Repeat("a\n-\n", 60'000) + Repeat(":a:\n", 60'000)), 3.0);
  EXPECT_LT(seconds(Repeat("- ", 5000) + "x" + std::string(200000, '\n') + std::string(10000, ' ') + "y\n"), 3.0);
}

TEST(ReadGridTable, MarksHeaderRowsOnce) {
  std::vector<std::string_view> lines;
  for (int i = 0; i < 150'000; ++i) lines.insert(lines.end(), {"+=+", "|a|"});
  lines.push_back("+-+");
  std::vector<RstRow> rows;
  EXPECT_LT(test::SecondsOf([&] { rows = ReadGridTable(lines); }), 3);
  ASSERT_EQ(rows.size(), 150'000u);
  EXPECT_TRUE(rows.front().header && rows[rows.size() - 2].header);
  EXPECT_FALSE(rows.back().header);
}

TEST(ParseRst, ANameAboveASectionThatHasItsTitleIsThatSection) {
  const Document page = Parse(
      "Settings\n========\n\n.. setting:: DEBUG\n\n``DEBUG``\n---------\n\nShows errors.\n\n"
      ".. templatefilter:: add\n.. templatefilter:: add2\n\n``add`` and ``add2``\n------------------\n\nAdds.\n\n"
      ".. setting:: OTHER\n\nText.\n");
  const std::vector<Block> headings = Headings(page);
  ASSERT_EQ(headings.size(), 4u);
  EXPECT_EQ(headings[1].title, "DEBUG");
  EXPECT_EQ(headings[1].anchor, "std-setting-DEBUG");
  EXPECT_EQ(headings[2].anchor, "std-templatefilter-add2");
  EXPECT_EQ(headings[3].title, "OTHER");  // no section has it
}

TEST(ParseRst, ARolesTargetNeedsNoBlankBeforeIt) {
  EXPECT_EQ(Text(":ref:`float<class_float>` and :doc:`Guide <a/b>`: :cpp:type:`std::vector<int>`.\n"),
            "float and Guide: `std::vector<int>`.\n");
}

TEST(ParseRst, AReferenceToAnotherPageShowsItsTitle) {
  PageTitles titles;
  CollectRstTitles("=====\nFirst\n=====\n\n.. _deep-label:\n.. _other:\n\nA ``deep`` one\n--------------\n",
                   "docs/a/one.rst", &titles);
  CollectRstTitles("Two\n===\n", "docs/two.txt", &titles);
  const auto text = [&](std::string_view source) {
    const Result<Document> page = ParseRst(source, "docs/a/page.rst", {.titles = &titles});
    return page.ok() ? TextOfPage(*page) : std::string();
  };
  EXPECT_EQ(text("See :doc:`one`, :doc:`/two`, :doc:`../two`, :doc:`/no/such`, :doc:`words </two>`.\n"),
            "See First, Two, Two, such, words.\n");
  EXPECT_EQ(text("See :ref:`deep-label`, :ref:`Other`, :ref:`none`, :ref:`it <other>`.\n"),
            "See A deep one, A deep one, none, it.\n");
}

TEST(ParseRst, TheProjectGivesSubstitutionsAndRolesToItsPages) {
  const std::string conf =
      "rst_prolog = '.. |lib| replace:: The Library'\nrst_epilog = \"\"\"\n.. |list| replace:: :ref:`mail "
      "<m>`\n\"\"\"\n"
      "version = '5.1'\nextlinks = {'issue': ('https://e.org/%s', 'issue %s'), 'src': ('https://e.org/%s', None)}\n";
  const Result<Document> page = ParseRst(
      "|lib| |version|: see |list|, :issue:`12`, :issue:`this <12>` and :src:`a.c`. |own|\n\n.. |own| replace:: mine\n",
      "a.rst", {.conf_py = conf});
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(TextOfPage(*page), "The Library 5.1: see mail, issue 12, this and a.c. mine\n");
}

TEST(ParseRst, ATextThatHoldsReStructuredTextIsReadAsSuch) {
  const auto text = [](std::string_view source) {
    const Result<Document> page = ParseFile(source, "a.txt");
    return page.ok() ? TextOfPage(*page) : std::string();
  };
  EXPECT_EQ(text("Title\n=====\n\n.. note:: See :ref:`x <y>`.\n"), "# Title\n\nNote: See x.\n");
  // An underlined title alone is plain text, and so is an example of a directive.
  EXPECT_EQ(text("Title\n=====\n\nUse ``x`` here.\n"), "Title\n=====\n\nUse ``x`` here.\n");
  EXPECT_EQ(text("Write:\n\n    .. note:: x\n"), "Write:\n\n    .. note:: x\n");
}

TEST(ParseRst, RefusesPagesBeyondTheCap) {
  const Result<Document> page = ParseRst(std::string((size_t{64} << 20) + 1, 'a'), "big.rst");
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.code(), ErrorCode::kTooLarge);
}

TEST(ParseRst, DoesNotLetSubstitutionsMultiply) {
  const std::string page = ".. |a| replace:: " + std::string(100000, 'x') + "\n\n" + Repeat("|a| ", 10000);
  EXPECT_LT(Text(page).size(), 100000u);
  // Nor through the title that a reference shows.
  const std::string titled = ".. |a| replace:: " + std::string(150, 'x') + "\n\n.. _l:\n\n" + Repeat("|a| ", 40) +
                             "\n" + std::string(160, '=') + "\n\n";
  EXPECT_LT(Text(titled + Repeat(":ref:`l` ", 10000)).size(), 2'000'000u);
}

TEST(ParseRst, DoesNotLetTheNameOfAModuleOrClassMultiply) {
  const auto size = [](const std::string& outer, const std::string& inner) {
    const Document page = Parse(outer + std::string(100'000, 'x') + "\n\n" + Repeat(inner, 1000));
    size_t bytes = TextOfPage(page).size();
    for (const Block& block : page.blocks) bytes += block.anchor.size();
    return bytes;
  };
  EXPECT_LT(size(".. module:: ", ".. function:: f()\n\n"), 2'000'000u);
  EXPECT_LT(size(".. class:: C", "   .. method:: f()\n\n"), 2'000'000u);
  EXPECT_LT(size(".. program:: ", ".. option:: -f\n\n"), 2'000'000u);
}

TEST(ParseRst, ReadsNoSimpleTableOfFarMoreCellsThanLetters) {
  const auto table = [](size_t columns, size_t rows) {
    const std::string border = Repeat("= ", columns - 1) + "=\n";
    return Text(border + Repeat("a\n", rows) + border);
  };
  EXPECT_EQ(table(2, 1), "| a |  |\n");
  EXPECT_LT(table(5000, 5000).size(), 100'000u);
}

}  // namespace parse_rst_test
}  // namespace sheaf::packer
