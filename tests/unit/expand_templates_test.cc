#include "packer/template/expand_templates.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "packer/include/expand.h"
#include "packer/include/include_files.h"
#include "packer/parse/parse.h"
#include "packer/template/shortcode_layout.h"
#include "packer/template/shortcode_tags.h"
#include "packer/template/values.h"
#include "tests/unit/pack_support.h"
#include "tests/unit/processor_time.h"

namespace sheaf::packer {
namespace expand_templates_test {

class ExpandTemplatesTest : public test::FolderTest {
 protected:
  std::string Expanded(const std::string& text, const std::string& page = "docs/guide/page.md") {
    IncludeFiles files({folder_, At("docs")}, At(page));
    last_ = ExpandTemplates(text, &files);
    return last_.text;
  }
  std::string Missing() const { return MissingNote(last_.missing); }

  TemplateText last_;
};

// ---- evidence -------------------------------------------------------------------------------

TEST_F(ExpandTemplatesTest, APageWithoutSyntaxOrOfAnotherGeneratorStays) {
  const std::string prose = "Write {{< note >}} in Hugo, {% raw %}{{ x }}{% endraw %} in Jekyll.\n";
  Write("docs/mkdocs.yml", "site_name: x\n");
  for (const std::string& text : {prose, std::string("# Plain\n\nText.\n"), std::string("")}) {
    EXPECT_EQ(Expanded(text), text);
    EXPECT_TRUE(last_.lines.empty());
    EXPECT_TRUE(last_.left_out.empty());
  }
}

TEST_F(ExpandTemplatesTest, WithoutASiteSyntaxInCodeIsNoEvidence) {
  const std::string text = "Write `{{< note >}}`:\n\n```\n{{< note >}}\n{% raw %}\n```\n\n[[Prototype]] is a slot.\n";
  EXPECT_EQ(Expanded(text), text);
  EXPECT_EQ(Expanded("---\na: b\n---\n" + text), "---\na: b\n---\n" + text);
}

TEST_F(ExpandTemplatesTest, TheNearestFolderDecides) {
  Write("docs/_config.yml", "title: T\n");
  Write("docs/guide/hugo.toml", "");
  EXPECT_EQ(Expanded("{{< ref \"a.md\" >}} {{ site.title }}\n"), "a.md {{ site.title }}\n");
  EXPECT_EQ(Expanded("{{ site.title }} {{< ref \"a.md\" >}}\n", "docs/page.md"), "T {{< ref \"a.md\" >}}\n");
}

TEST_F(ExpandTemplatesTest, AGeneratorsFileCountsAsPartOfThePage) {
  const auto hash = [&] {
    IncludeFiles files({folder_, At("docs")}, At("docs/page.md"));
    ExpandTemplates("A {{< note >}}\n", &files);
    return files.Hash();
  };
  const uint64_t before = hash();
  Write("docs/mkdocs.yml", "");
  EXPECT_NE(hash(), before);
}

TEST_F(ExpandTemplatesTest, ContentTabsKeepTheirNamesAndLoseTheirIndent) {
  EXPECT_EQ(Expanded("=== \"A\"\n\n    one\n\n    === \"B\"\n\n        ```\n        two\n        ```\n\nEnd.\n"),
            "**A**\n\none\n\n**B**\n\n```\ntwo\n```\n\nEnd.\n");
  const std::string code = "```\n=== \"A\"\n\n    one\n```\n";
  EXPECT_EQ(Expanded(code), code);
}

// ---- Hugo -----------------------------------------------------------------------------------

TEST_F(ExpandTemplatesTest, ShortcodesAreReadAsHugoReadsThem) {
  const std::vector<ShortcodeTag> tags = FindShortcodes(
      "{{< a \"x y\" `z` b=c d=\"e \\\"f\\\"\" >}} {{% b.c/d-e %}} {{</* a */>}} {{< /a >}} {{< new-in 1.2 />}} {{<>}} "
      "{{< 3 >}}");
  ASSERT_EQ(tags.size(), 5u);
  EXPECT_EQ(tags[0].positional, (std::vector<std::string>{"x y", "z"}));
  EXPECT_EQ(tags[0].Named({"d"}), "e \"f\"");
  EXPECT_EQ(tags[0].match, 3u);
  EXPECT_EQ(tags[1].name, "b.c/d-e");
  EXPECT_EQ(tags[2].written, "{{< a >}}");
  EXPECT_EQ(tags[4].At(0), "1.2");
}

TEST_F(ExpandTemplatesTest, LinesKeepTheirNumbers) {
  Write("docs/part.md", "one\ntwo\n");
  EXPECT_EQ(Expanded("A\n\n{{< note >}}\nB\n{{< /note >}}\n\n{{< include \"/part.md\" >}}\nC\n"),
            "A\n\nB\n\none\ntwo\nC\n");
  EXPECT_EQ(last_.lines, (std::vector<uint32_t>{1, 2, 4, 6, 7, 7, 8}));
}

TEST_F(ExpandTemplatesTest, UnknownPairsLoseTheirTagsAndUnknownSingleOnesGo) {
  EXPECT_EQ(Expanded("A {{< odd >}}b{{< /odd >}} c{{< lone id=1 >}}.\n"), "A b c.\n");
  EXPECT_EQ(last_.left_out, (std::map<std::string, uint32_t>{{"{{< lone >}}", 1}}));
}

TEST_F(ExpandTemplatesTest, CodeFilesAndDefinitionsAreFound) {
  Write("docs/examples/pods/one.yaml", "kind: Pod\n");
  Write("docs/reference/glossary/pod.md", "---\ntitle: Pod\n---\nThe smallest unit.\n\n<!--more-->\n\nMore.\n");
  EXPECT_EQ(Expanded("{{% code_sample file=\"pods/one.yaml\" %}}\n"), "```yaml\nkind: Pod\n```\n");
  EXPECT_EQ(Expanded("{{< glossary_definition term_id=\"pod\" length=\"short\" prepend=\"A pod is\" >}}\n"),
            "A pod is the smallest unit.\n");
}

TEST_F(ExpandTemplatesTest, AListItemKeepsItsCode) {
  EXPECT_EQ(Expanded("1. Do:\n\n   {{< highlight sh >}}\nrun\n   {{< /highlight >}}\n"),
            "1. Do:\n\n   ```sh\n   run\n   ```\n");
}

TEST_F(ExpandTemplatesTest, SimpleDefinitionsAreFollowedAndOthersAreUnknown) {
  const auto parse = [](const char* text) { return ShortcodeLayout::Parse(text).has_value(); };
  EXPECT_TRUE(parse("<b>{{ .Get 0 | markdownify }}</b>{{ with .Get \"x\" }}{{ . }}{{ else }}no{{ end }}"));
  EXPECT_TRUE(parse("{{- $t := .Get \"type\" | default \"info\" -}}<p class=\"{{ $t }}\">{{ .Inner }}</p>"));
  for (const char* text : {"{{ range .Site.Pages }}{{ end }}", "{{ partial \"x\" . }}", "{{ .Inner }}{{ .Inner }}",
                           "{{ if .Get 0 }}open", "{{ end }}", "{{ .Get 0"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
}

TEST_F(ExpandTemplatesTest, AnIncludeThatIncludesItselfEnds) {
  Write("docs/a.md", "A {{< include \"/b.md\" >}}\n");
  Write("docs/b.md", "B {{< include \"/a.md\" >}}\n");
  EXPECT_EQ(Expanded("{{< include \"/a.md\" >}}\n"), "A B\n");
  EXPECT_NE(Missing().find("includes itself"), std::string::npos) << Missing();
}

TEST_F(ExpandTemplatesTest, IncludesSixtyFourDeepEndAtTheLimit) {
  for (int i = 0; i < 64; ++i) {
    Write("docs/p" + std::to_string(i) + ".md",
          std::to_string(i) + " {{< include \"/p" + std::to_string(i + 1) + ".md\" >}}\n");
  }
  EXPECT_TRUE(Expanded("{{< include \"/p0.md\" >}}\n").starts_with("0 1 2 3 4 5 6 7 8 9"));
  EXPECT_NE(Missing().find("nested more than"), std::string::npos) << Missing();
}

TEST_F(ExpandTemplatesTest, ExpansionsOfManyMegabytesEndAtTheCap) {
  std::string big;
  for (int i = 0; i < 100; ++i) big += "{{< include \"/c.md\" >}}\n";
  Write("docs/b.md", big);
  Write("docs/c.md", std::string(100'000, 'x') + "\n");
  std::string page;
  for (int i = 0; i < 8; ++i) page += "{{< include \"/b.md\" >}}\n";
  EXPECT_LT(Expanded(page).size(), 2 * kMaxIncludedText);
  EXPECT_NE(Missing().find("bytes"), std::string::npos) << Missing();
  // Liquid's values, doubled.
  std::string liquid = "---\na: b\n---\n{% assign a = \"xxxxxxxx\" %}\n";
  for (int i = 0; i < 200; ++i) liquid += "{% assign a = a | append: a %}\n";
  for (int i = 0; i < 200; ++i) liquid += "{{ a }}{% link x %}\n";
  EXPECT_LT(Expanded(liquid).size(), 2 * kMaxIncludedText);
}

TEST_F(ExpandTemplatesTest, HostileTextsTakeLinearTime) {
  const auto repeated = [](const std::string& unit, size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += unit;
    return text;
  };
  for (const char* unit : {"{{< a >}}", "{{< a ", "{{</* a ", "{{%/* a */%}}", "{{ a ", "{% if a %}", "{% raw %}",
                           "{% endif %}", "{{< /a >}}", "{{< a >}}{{< b >}}{{< /a >}}", "{{< a \"", "{{< a b=`", "[[a ",
                           "![[a]]", "%%a", "```{note} ", "{ref}`a", "``` ` ", "{{"}) {
    const std::string text = "---\na: b\n---\n{{< a >}} {% link x %}\n" + repeated(unit, 400'000);
    for (const char* mark :
         {"docs/hugo.toml", "docs/guide/_config.yml", "docs/guide/deep/conf.py", "docs/guide/obsidian/.obsidian/x"})
      Write(mark, "");
    for (const char* page :
         {"docs/page.md", "docs/guide/page.md", "docs/guide/deep/page.md", "docs/guide/obsidian/page.md"}) {
      EXPECT_LT(test::SecondsOf([&] { Expanded(text, page); }), 3) << unit << " in " << page;
    }
  }
}

// ---- Jekyll ---------------------------------------------------------------------------------

TEST_F(ExpandTemplatesTest, LiquidDecidesByKnownValues) {
  Write("docs/_config.yml", "title: Kiln\nnested:\n  deep: yes\n");
  EXPECT_EQ(
      Expanded("{% if site.title == \"Kiln\" and site.nested.deep %}A{% elsif site.x %}B{% else %}C{% endif %}\n"),
      "A\n");
  EXPECT_EQ(Expanded("{% unless site.title %}A{% else %}B{% endunless %}{% case site.title %}{% when \"x\" %}1{% when "
                     "\"Kiln\", \"y\" %}2{% else %}3{% endcase %}\n"),
            "B2\n");
  EXPECT_EQ(
      Expanded(
          "{{ site.none | default: \"d\" | append: \"e\" }}{{ page.none }}{% capture x %}y{% endcapture %}{{ x }}\n"),
      "dey\n");
  EXPECT_EQ(Expanded("A\n{%- comment -%}\nx\n{%- endcomment -%}\nB {{- site.title -}} C\n"), "A\nBKilnC\n");
}

TEST_F(ExpandTemplatesTest, RawTextStaysAndTagsOfPluginsGo) {
  Write("docs/_config.yml", "title: Kiln\n");
  EXPECT_EQ(
      Expanded(
          "{% raw %}{{ site.title }}{% endraw %}\n\n{% raw %}\n```\n{% x %}\n```\n{% endraw %}\n{% seo %}\nEnd.\n"),
      "{{ site.title }}\n\n```\n{% x %}\n```\nEnd.\n");
  EXPECT_EQ(last_.left_out, (std::map<std::string, uint32_t>{{"{% seo %}", 1}}));
  EXPECT_EQ(Expanded("{% raw %}never closed {{ site.title }}\n"), "never closed Kiln\n");
}

TEST_F(ExpandTemplatesTest, TabsOfPluginsKeepTheirNames) {
  Write("docs/_config.yml", "title: Kiln\n");
  EXPECT_EQ(Expanded("{% tabs x %}\n{% tab 'Scala 2' for=x %}\nText.\n{% endtab %}\n{% endtabs %}\n"),
            "**Scala 2**\n\nText.\n");
}

TEST_F(ExpandTemplatesTest, ConfigurationsAreReadWithinTheirBounds) {
  const Values toml = ReadTomlValues("baseURL = \"x\" # y\n[params]\n  version = '1.2'\n[[list]]\na = 1\n");
  EXPECT_EQ(toml.at("params.version"), "1.2");
  EXPECT_EQ(toml.at("baseurl"), "x");
  EXPECT_EQ(toml.count("list.a"), 0u);
  EXPECT_EQ(ReadYamlValues("params:\n  ui:\n    Name: n\n").at("params.ui.name"), "n");
  EXPECT_TRUE(ReadYamlValues("a: [unclosed\n").empty());
  std::string bomb = "a0: &a0 {x: 1, y: 2}\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {a: " + before + ", b: " + before +
            ", c: " + before + "}\n";
  }
  EXPECT_LE(ReadYamlValues(bomb).size(), kMaxValues);
}

// ---- MyST -----------------------------------------------------------------------------------

TEST_F(ExpandTemplatesTest, DirectivesOfMystThatHoldTextLoseTheirLinesAndKeepTheirTitles) {
  Write("docs/conf.py", "myst_substitutions = {'Tool': 'the **kiln**', 'n': 3}\n");
  const std::string text =
      "(my-target)=\n# Title\n\n:::{note} Read {ref}`the guide <guide>`\n:class: x\nBody.\n:::\n\n"
      ":::{admonition} Take care\nHot.\n:::\n\n"
      "````{tab-set}\n```{tab-item} Linux\napt\n```\n````\n\n"
      "```{versionadded} 1.2\nMore.\n```\n```{versionchanged} 1.3\n```\n```{deprecated} 2\n```\n\n"
      "```{figure} a.png\n---\nalt: A kiln\n---\nCaption.\n```\n\n"
      "+++\n% a comment\n%\nUse {func}`~os.path.join` and {doc}`/user/get-started`, {{ tool }} {{ n }} {{ other }}.\n";
  EXPECT_EQ(Expanded(text),
            "# Title {#my-target}\n\nRead the guide\n\nBody.\n\n**Take care**\n\nHot.\n\n**Linux**\n\napt\n\n"
            "New in version 1.2\n\nMore.\nChanged in version 1.3\n\nDeprecated since version 2\n\n\n"
            "A kiln\n\nCaption.\n\n"
            "Use `join` and get started, the **kiln** {{ n }} {{ other }}.\n");
}

TEST_F(ExpandTemplatesTest, DirectivesOfMystThatHoldCodeBecomeFencesAndFilledOnesGo) {
  Write("docs/conf.py", "");
  EXPECT_EQ(
      Expanded("```{code-block} python\n:linenos:\nx = 1\n```\n:::{code-cell} ipython3\ny\n:::\n```{math}\na\n```\n"),
      "```python\nx = 1\n```\n```python\ny\n```\n```math\na\n```\n");
  EXPECT_EQ(Expanded("A\n```{toctree}\nx\n```\n```{autoclass} a.B\n:members:\n```\nB\n"), "A\nB\n");
  EXPECT_EQ(last_.left_out.size(), 1u);
  // One that is not closed ends with the page.
  EXPECT_EQ(Expanded("```{code} c\nint x;\n"), "```c\nint x;\n```\n");
  EXPECT_EQ(Expanded("A\n```{toctree}\nx\n"), "A\n");
}

TEST_F(ExpandTemplatesTest, WhatIsNoDirectiveOfMystStaysAsItIs) {
  Write("docs/conf.py", "");
  for (const char* text :
       {"```python\n```{note}\n```\n", "``{note}`` and {} `x` {1}`y` {note` z\n", "```{note`} x\n",
        "~~~ {.python}\n}`\n~~~\n", "- ```{notes\n  }`\n  ```\n", "`{ref}`x` is a role\n", ":::\n}`\n"}) {
    EXPECT_EQ(Expanded(text), text);
  }
}

TEST_F(ExpandTemplatesTest, MystIncludesWholeFilesAndNamesThoseOfWhichItWouldTakeAPart) {
  Write("docs/conf.py", "");
  EXPECT_EQ(Expanded("```{include} part.md\n```\n```{literalinclude} a.py\n:language: python\n```\n"),
            "--8<-- \"part.md\"\n```python\n--8<-- \"a.py\"\n```\n");
  EXPECT_EQ(Expanded("```{include} part.md\n:start-after: x\n```\n```{literalinclude} a.py\n:lines: 1-2\n```\n"), "");
  EXPECT_EQ(last_.left_out.size(), 2u);
}

TEST_F(ExpandTemplatesTest, TextInReStructuredTextStandsBelowTheHeadingAboveIt) {
  Write("docs/conf.py", "");
  IncludeFiles files({folder_, At("docs")}, At("docs/guide/page.md"));
  std::string given;
  const TemplateText expanded =
      ExpandTemplates("## Two\n\n  ```{eval-rst}\n  .. x::\n     y\n  ```\nEnd\n", &files, [&](std::string_view rst) {
        given = rst;
        return std::string("# Top\n\n```\n# code\n```\n## Low\n");
      });
  EXPECT_EQ(given, ".. x::\n   y\n");
  EXPECT_EQ(expanded.text, "## Two\n\n  ### Top\n  \n  ```\n  # code\n  ```\n  #### Low\nEnd\n");
  EXPECT_EQ(Expanded("```{eval-rst}\nx\n"), "x\n") << "without a reader of it, the text stays";
}

TEST_F(ExpandTemplatesTest, MystDirectivesDeeperThanTheLimitStay) {
  Write("docs/conf.py", "");
  std::string text;
  for (int depth = 0; depth < 70; ++depth)
    text += std::string(size_t(80 - depth), ':') + "{note} n" + std::to_string(depth) + "\n";
  const std::string expanded = Expanded(text);
  EXPECT_NE(expanded.find("\nn63\n"), std::string::npos);
  EXPECT_NE(expanded.find(":{note} n64\n"), std::string::npos);
}

// ---- Obsidian and Vue -----------------------------------------------------------------------

TEST_F(ExpandTemplatesTest, LinksOfObsidianBecomeMarkdown) {
  Write("docs/.obsidian/app.json", "{}");
  const auto becomes = [&](const std::string& link, const std::string& markdown) {
    EXPECT_EQ(Expanded("See " + link + " now.\n"), "See " + markdown + " now.\n") << link;
  };
  becomes("[[My Note]]", "[My Note](My%20Note.md)");
  becomes("[[a/Note.md|words]]", "[words](a/Note.md)");
  becomes("[[Note#One Part]]", "[Note > One Part](Note.md#one-part)");
  becomes("[[Note#^block]]", "[Note](Note.md)");
  becomes("[[#Part]]", "[Part](#part)");
  becomes("[[#^block]]", "");
  becomes("[[data (1).csv]]", "[data (1).csv](data%20%281%29.csv)");
  becomes("[[A\\|b]]", "[b](A.md)");
  becomes("![[photo.png]]", "");
  becomes("a %%hidden%%", "a ");
  for (const char* none :
       {"[[ x]]", "[[1, 2]]", "[[a]b]]", "[[`a`]]", "[[toc]]", "[[]]", "[[a]](b)", "[[a", "`[[a]]`", "50% %", "a%%b%%"})
    becomes(none, none);
  EXPECT_EQ(Expanded("[[a]]: b\n"), "[[a]]: b\n");
  EXPECT_EQ(Expanded("A [[b]]. ^name\n\n^other\nx^2\n"), "A [b](b.md).\n\n\nx^2\n");
  EXPECT_EQ(Expanded("%% open\n%% \n%% again\n"), " \n%% again\n");
}

TEST_F(ExpandTemplatesTest, EmbeddedNotesStandWhereTheyAreEmbedded) {
  Write("docs/.obsidian/app.json", "{}");
  Write("docs/guide/Part.md", "---\na: b\n---\n# Part\n\nOne.\n\n## Sub\n\nTwo [[x]].\n\n## Other\n\nThree.\n");
  EXPECT_EQ(Expanded("A\n![[Part#Sub]]\n"), "A\n## Sub\n\nTwo [x](x.md).\n\n\n");
  EXPECT_EQ(Expanded("A ![[Part]]").substr(0, 9), "A \n# Part");
  EXPECT_EQ(Expanded("![[Part#None]]\n"), "[Part > None](Part.md#none)\n");
  EXPECT_EQ(Expanded("![[Gone]]\n"), "[Gone](Gone.md)\n");
  EXPECT_EQ(Expanded("![[#Here]]\n"), "[Here](#here)\n");
  Write("docs/guide/Self.md", "x ![[Self]]\n");
  EXPECT_LT(Expanded("![[Self]]\n").size(), 1000u) << "one that embeds itself ends";
}

TEST_F(ExpandTemplatesTest, WithoutASiteAnEmbedOrANoteThatIsThereShowsObsidian) {
  EXPECT_EQ(Expanded("![[Some Note]] x\n"), "[Some Note](Some%20Note.md) x\n");
  EXPECT_EQ(Expanded("See [[a b|c]].\n"), "See [c](a%20b.md).\n");
  EXPECT_EQ(Expanded("See [[Other]].\n"), "See [[Other]].\n");
  Write("docs/guide/Other.md", "x\n");
  EXPECT_EQ(Expanded("See [[Other]].\n"), "See [Other](Other.md).\n");
}

TEST_F(ExpandTemplatesTest, ExpressionsOfVueGoAndTheirQuotedWordsStay) {
  Write("docs/.vitepress/config.ts", "");
  EXPECT_EQ(Expanded("It is {{ count.toFixed(2) }} now, {{ 'or' }} {{\n \"not\" }}.\n"), "It is  now, or not.\n");
  EXPECT_EQ(last_.left_out.size(), 1u);
  for (const char* text : {"`{{ code }}`\n", "{{ open\n", "<p v-pre>{{ x }}</p>\n"}) EXPECT_EQ(Expanded(text), text);
  EXPECT_EQ(Expanded("---\nt: '{{ x }}'\n---\n{{ 'a' + 'b' }}!\n"), "---\nt: '{{ x }}'\n---\n!\n");
  const std::string lengthy = "{{ " + std::string(400, 'x') + " }}\n";
  EXPECT_EQ(Expanded(lengthy), lengthy);
}

TEST_F(ExpandTemplatesTest, MarksOfMkDocsKeepTheirWords) {
  EXPECT_EQ(Expanded("=== \":material-linux: Linux\"\n\n    apt\n\n===+ \"Mac\"\n\n    brew\n"),
            "**Linux**\n\napt\n\n**Mac**\n\nbrew\n");
  EXPECT_EQ(Expanded("## ::: pkg.thing\n    options:\n      x: 1\n\nText.\n::: pkg.other\n    x: 1\n\nEnd.\n"),
            "## pkg.thing\n\nText.\n\nEnd.\n");
  EXPECT_EQ(last_.left_out.size(), 1u);
  EXPECT_EQ(Expanded("???+ note \"T\"\n    Body.\n"), "??? note \"T\"\n    Body.\n");
  for (const char* text : {"=== \"A\n", "===\"A\"\n", "=== \"\"\n", "::: x\n\n=== \"a\n", "~~~\n=== \"A\"\n~~~\n"})
    EXPECT_EQ(Expanded(text), text);
}

// ---- whole pages ----------------------------------------------------------------------------

TEST_F(ExpandTemplatesTest, APageOfMystWithReStructuredTextIsParsedAsOne) {
  Write("docs/conf.py", "");
  Write("docs/guide/part.rst", "Included words.\n");
  IncludeFiles files({folder_, At("docs")}, At("docs/guide/page.md"));
  const Result<Document> page = ParseFile(
      "# Kilns\n\n```{eval-rst}\nHeat\n====\n\nIt *fires*.\n\n.. include:: part.rst\n.. include:: "
      "gone.rst\n```\n\nEnd.\n",
      "guide/page.md", &files, {}, nullptr);
  ASSERT_TRUE(page.ok());
  std::string text;
  for (const Block& block : page->blocks) text += block.text;
  for (const char* part : {"Heat", "fires", "Included words.", "End."}) EXPECT_NE(text.find(part), text.npos) << text;
  EXPECT_NE(page->warnings.at(0).find("gone.rst"), std::string::npos) << page->warnings.at(0);
}

TEST_F(ExpandTemplatesTest, APageOfHtmlWithFrontMatterHasItsTitleAndTemplates) {
  Write("docs/_config.yml", "name: Kiln\n");
  IncludeFiles files({folder_, At("docs")}, At("docs/page.html"));
  const std::string text =
      "---\ntitle: Of kilns\npermalink: /kilns/\n---\n<p>The {{ site.name }} {% include gone.html %} fires.</p>\n";
  const Result<Document> page = ParseFile(text, "page.html", &files, {}, nullptr);
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->title, "Of kilns");
  EXPECT_EQ(page->url, "/kilns/");
  EXPECT_NE(page->blocks.at(0).text.find("The Kiln"), std::string::npos) << page->blocks.at(0).text;
  EXPECT_NE(page->warnings.at(0).find("gone.html"), std::string::npos);
  const Result<Document> other = ParseFile("x", "page.xyz", nullptr, {}, nullptr);
  EXPECT_EQ(other.code(), ErrorCode::kInvalidArgument);
}

}  // namespace expand_templates_test
}  // namespace sheaf::packer
