#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "packer/base/charset.h"
#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "packer/embed/embedding_text.h"
#include "packer/parse/html/html_code.h"
#include "packer/parse/html/html_content.h"
#include "packer/parse/html/html_furniture.h"
#include "packer/parse/html/html_tree.h"
#include "packer/parse/parse.h"
#include "tests/unit/processor_time.h"

using namespace std::string_view_literals;

namespace sheaf::packer {
namespace parse_html_test {

Document Parse(std::string_view html, std::string_view path = "guide/page.html") {
  Result<Document> document = ParseHtml(html, path);
  EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().message);
  return document.ok() ? std::move(*document) : Document{};
}

std::string TextOfPage(const Document& document) {
  std::string text;
  for (const Block& block : document.blocks) text += block.text;
  return text;
}

std::string Text(std::string_view html) { return TextOfPage(Parse(html)); }

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
    if (block.kind == BlockKind::kHeading) {
      EXPECT_GE(block.level, 1);
      EXPECT_LE(block.level, 6);
      EXPECT_FALSE(block.title.empty());
      EXPECT_TRUE(block.prose.empty());
    } else {
      EXPECT_EQ(block.level, 0);
    }
  }
}

std::string Repeat(std::string_view piece, size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (size_t i = 0; i < times; ++i) text += piece;
  return text;
}

// ---- pages as generators write them -------------------------------------------------------------

constexpr std::string_view kDocBook = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html><html><head><title>9.4. String Functions</title></head>
<body id="docContent"><div class="navheader"><table><tr><th colspan="5">9.4. String Functions</th></tr>
<tr><td><a accesskey="p" href="p.html">Prev</a></td><td><a href="u.html">Up</a></td><td><a href="i.html">Home</a></td><td><a href="n.html">Next</a></td></tr></table><hr/></div>
<div class="sect1" id="FUNCTIONS-STRING"><div class="titlepage"><div><div><h2 class="title">9.4. String Functions</h2></div></div></div>
<div class="toc"><dl class="toc"><dt><a href="#F">9.4.1. <code>format</code></a></dt></dl></div>
<a id="id-1.5.8" class="indexterm"></a>
<p>
    Values of type <code class="type">character</code> are
    converted to <code class="type">text</code>.
</p>
<div class="note"><h3 class="title">Note</h3><p>
     The operator (<code class="literal">||</code>) accepts non-string input.
</p></div>
<div class="table" id="T"><p class="title"><strong>Table 9.9. Functions</strong></p>
<table><thead><tr><th>Function</th><th>Result</th></tr></thead><tbody>
<tr><td><p class="func_signature"><code>a</code> <code>||</code> <code>b</code>
  → <code>text</code></p><p>Joins
  both.</p></td><td>x</td></tr></tbody></table></div>
<div class="sect2" id="FUNCTIONS-STRING-FORMAT"><div class="titlepage"><h3 class="title">9.4.1. <code class="function">format</code></h3></div>
<pre class="synopsis">
<code class="function">format</code>(<em class="parameter"><code>formatstr</code></em> <code class="type">text</code>)
    [, ...]
</pre>
<div class="variablelist"><dl class="variablelist">
<dt><span class="term"><code class="option">-a</code></span>, <span class="term"><code>--all</code></span></dt><dd><p>Shows all.</p><p>Twice.</p></dd></dl></div>
</div></div>
<div class="navfooter"><hr/><table><tr><td>Prev</td><td>Up</td><td>Next</td></tr></table></div></body></html>)";

TEST(ParseHtml, ReadsADocBookPage) {
  const Document page = Parse(kDocBook);
  ExpectInvariants(page);
  EXPECT_EQ(page.title, "9.4 String Functions");
  EXPECT_EQ(TextOfPage(page),
            "## 9.4. String Functions\n\n"
            "Values of type `character` are converted to `text`.\n\n"
            "Note: The operator (`||`) accepts non-string input.\n\n"
            "Table 9.9. Functions\n\n"
            "| Function | Result |\n| --- | --- |\n"
            "| `a` `\\|\\|` `b` → `text` Joins both. | x |\n\n"
            "### 9.4.1. `format`\n\n"
            "```\nformat(formatstr text)\n    [, ...]\n```\n\n"
            "- `-a`, `--all`\n  Shows all.\n\n  Twice.\n");
  const std::vector<Block> headings = Headings(page);
  ASSERT_EQ(headings.size(), 2u);
  EXPECT_EQ(headings[0].anchor, "FUNCTIONS-STRING");
  EXPECT_EQ(headings[1].anchor, "FUNCTIONS-STRING-FORMAT");
  EXPECT_EQ(headings[1].title, "9.4.1 format");
}

TEST(ParseHtml, MakesEachDocBookSettingASectionOfItsOwn) {
  const Document page = Parse(
      "<body><div class='sect2' id='GUC'><h3>Memory</h3><dl>"
      "<dt id='GUC-SHARED-BUFFERS'><span class='term'><code>shared_buffers</code> "
      "(<code>integer</code>)</span></dt>"
      "<dd><p>Sets the amount.</p></dd>"
      "<dt id='GUC-WORK-MEM'><code>work_mem</code> "
      "(<code>integer</code>)</dt><dd><p>More.</p></dd></dl></div>");
  const std::vector<Block> headings = Headings(page);
  ASSERT_EQ(headings.size(), 3u);
  EXPECT_EQ(headings[1].title, "shared_buffers");
  EXPECT_EQ(headings[1].anchor, "GUC-SHARED-BUFFERS");
  EXPECT_EQ(headings[1].level, 4);
  EXPECT_EQ(headings[1].text, "#### `shared_buffers` (`integer`)\n\n");
  EXPECT_EQ(headings[2].anchor, "GUC-WORK-MEM");
}

TEST(ParseHtml, KeepsTheHeadingsOfOneDescriptionTogether) {
  EXPECT_EQ(Text("<body><dl class='py method'><dt class='sig' id='f'>f(x)</dt><dt class='sig' id='g'>g(x, y)</dt>"
                 "<dd><p>Both.</p></dd></dl>"),
            "## `f`\n\n## `g`\n\n```python\nf(x)\ng(x, y)\n```\n\nBoth.\n");
}

constexpr std::string_view kSphinx = R"html(<!DOCTYPE html>
<html lang="en"><head><title>json — JSON codec &#8212; Python 3.11 documentation</title>
<meta name="description" content="Encode &amp; decode">
<link rel="canonical" href="https://docs.example.org/json.html"></head>
<body><div class="related" role="navigation"><h3>Navigation</h3><ul><li><a href="i.html">index</a></li></ul></div>
<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main">
<section id="module-json"><span id="json-json"></span>
<h1><code class="xref py"><span class="pre">json</span></code> — JSON codec<a class="headerlink" href="#module-json" title="Permalink">¶</a></h1>
<p>Use the <code class="docutils literal"><span class="pre">a</span> <span class="pre">b</span></code> codec.</p>
<div class="admonition warning"><p class="admonition-title">Warning</p><p>Be cautious.</p></div>
<div class="highlight-python3 notranslate"><div class="highlight"><pre><span></span><span class="gp">&gt;&gt;&gt; </span><span class="kn">import</span> <span class="nn">json</span>
<span class="linenos">2</span>    x
</pre></div></div>
<dl class="py function"><dt class="sig sig-object py" id="json.dump">
<span class="sig-prename descclassname"><span class="pre">json.</span></span><span class="sig-name descname"><span class="pre">dump</span></span><span class="sig-paren">(</span><em class="sig-param"><span class="pre">obj</span></em>, <em class="sig-param"><span class="pre">fp</span></em><span class="sig-paren">)</span><a class="headerlink" href="#json.dump">¶</a></dt>
<dd><p>Serialize <em>obj</em>.</p></dd></dl>
</section></div></div></div>
<div class="sphinxsidebar" role="navigation"><h3>Table of Contents</h3></div></div>
<div class="footer" role="contentinfo">© Copyright</div></body></html>)html";

TEST(ParseHtml, ReadsASphinxPage) {
  const Document page = Parse(kSphinx);
  ExpectInvariants(page);
  EXPECT_EQ(page.title, "json — JSON codec");
  EXPECT_EQ(page.description, "Encode & decode");
  EXPECT_EQ(page.url, "https://docs.example.org/json.html");
  EXPECT_EQ(TextOfPage(page),
            "# `json` — JSON codec\n\n"
            "Use the `a b` codec.\n\n"
            "Warning: Be cautious.\n\n"
            "```python\n>>> import json\n    x\n```\n\n"
            "## `json.dump`\n\n```python\njson.dump(obj, fp)\n```\n\n"
            "Serialize obj.\n");
  const std::vector<Block> headings = Headings(page);
  ASSERT_EQ(headings.size(), 2u);
  EXPECT_EQ(headings[0].anchor, "module-json");
  EXPECT_EQ(headings[1].anchor, "json.dump");
  EXPECT_EQ(headings[1].title, "json.dump");
  EXPECT_EQ(headings[1].code, "json.dump");
}

TEST(ParseHtml, ReadsARustdocPage) {
  const Document page = Parse(R"(<html><head><title>Vec in std::vec - Rust</title></head><body class="rustdoc struct">
<nav class="sidebar"><h2 class="location"><a href="#">Vec</a></h2></nav>
<main><div class="width-limiter"><nav class="sub"><form class="search-form"><input placeholder="Search"><button>?</button></form></nav>
<section id="main-content" class="content"><div class="main-heading"><h1 class="fqn"><span class="in-band">Struct <a href="i.html">std</a>::<wbr><a class="struct" href="#">Vec</a><button id="copy-path">copy</button></span></h1>
<span class="out-of-band"><a class="srclink" href="s.html">source</a> · [<span class="inner">−</span>]</span></div>
<div class="docblock item-decl"><pre class="rust struct"><code>pub struct Vec&lt;T&gt; { /* private */ }</code></pre></div>
<details class="rustdoc-toggle top-doc" open><summary class="hideme"><span>Expand description</span></summary><div class="docblock">
<p>A growable array.</p><h2 id="examples"><a href="#examples">Examples</a></h2>
<div class="example-wrap"><pre class="rust rust-example-rendered"><code><span class="kw">let</span> v = <span class="macro">vec!</span>[];
</code></pre><a class="test-arrow" href="https://play">Run</a></div></div></details>
<details class="rustdoc-toggle method-toggle" open><summary><section id="method.push" class="method has-srclink"><span class="rightside"><span class="since">1.0.0</span> · <a class="srclink" href="#">source</a></span><a href="#method.push" class="anchor">§</a><h4 class="code-header">pub fn <a href="#method.push" class="fnname">push</a>(&amp;mut self, value: T)</h4></section></summary><div class="docblock"><p>Appends.</p></div></details>
</section></div></main></body></html>)");
  ExpectInvariants(page);
  EXPECT_EQ(page.title, "Vec in std::vec - Rust");
  EXPECT_EQ(TextOfPage(page),
            "# Struct std::Vec\n\n"
            "```rust\npub struct Vec<T> { /* private */ }\n```\n\n"
            "A growable array.\n\n"
            "## Examples\n\n"
            "```rust\nlet v = vec![];\n```\n\n"
            "#### `pub fn push`\n\n```rust\npub fn push(&mut self, value: T)\n```\n\n"
            "Appends.\n");
  EXPECT_EQ(Headings(page)[1].anchor, "examples");
  EXPECT_EQ(Headings(page)[2].anchor, "method.push");
  EXPECT_EQ(Headings(page)[2].title, "pub fn push");
}

TEST(ParseHtml, ReadsAMkDocsPage) {
  const Document page = Parse(R"(<html><head><title>First steps - Tool</title>
<meta property="article:modified_time" content="2024-03-01"></head><body>
<header class="md-header"><h1>Tool</h1></header>
<div class="md-container"><nav class="md-tabs">Tabs</nav><main class="md-main"><div class="md-main__inner">
<div class="md-sidebar md-sidebar--primary">Menu</div>
<div class="md-content"><article class="md-content__inner md-typeset"><a href="edit/x" title="Edit this page" class="md-content__button">Edit this page</a>
<h1 id="first-steps">First steps<a class="headerlink" href="#first-steps" title="Permanent link">&para;</a></h1>
<details class="note" open="open"><summary>Good to know</summary><p>Inside.</p></details>
<div class="admonition tip"><p class="admonition-title">Tip</p><ul><li>One</li><li>Two</li></ul></div>
<table class="highlighttable"><tbody><tr><td class="linenos"><div class="linenodiv"><pre>1
2</pre></div></td><td class="code"><div class="language-yaml highlight"><pre><code><span class="nt">a</span>: 1
  b: 2</code></pre></div></td></tr></tbody></table>
</article></div></div></main></div><footer class="md-footer">Made with</footer></body></html>)");
  ExpectInvariants(page);
  EXPECT_EQ(page.title, "First steps");
  EXPECT_EQ(page.last_modified, "2024-03-01");
  EXPECT_EQ(TextOfPage(page),
            "# First steps\n\n"
            "Good to know\n\n"
            "Inside.\n\n"
            "Tip:\n\n"
            "- One\n- Two\n\n"
            "```yaml\na: 1\n  b: 2\n```\n");
}

TEST(ParseHtml, ReadsAVitePressPage) {
  const Document page =
      Parse(R"(<html><head><title>Reactivity | Vue.js</title></head><body><div id="app"><div class="Layout">
<a href="#VPContent" class="VPSkipLink visually-hidden">Skip to content</a><header class="VPNav">Nav</header>
<aside class="VPSidebar">Side</aside><div class="VPContent has-sidebar" id="VPContent"><div class="VPDoc"><div class="container">
<div class="aside"><div class="VPDocAside"><nav>On this page</nav></div></div><div class="content"><div class="content-container">
<main class="main"><div class="vp-doc _guide"><div><h1 id="reactivity" tabindex="-1">Reactivity <a class="header-anchor" href="#reactivity" aria-label="Permalink">&#8203;</a></h1>
<div class="tip custom-block"><p class="custom-block-title">TIP</p><p>Use <code>ref()</code>.</p></div>
<div class="language-js vp-adaptive-theme line-numbers-mode"><button title="Copy Code" class="copy"></button><span class="lang">js</span><pre class="shiki"><code><span class="line"><span>const a = 1</span></span>
<span class="line"><span>  b()</span></span></code></pre><div class="line-numbers-wrapper" aria-hidden="true"><span class="line-number">1</span><br></div></div>
</div></div></main><footer class="VPDocFooter"><a href="x">Edit this page on GitHub</a></footer></div></div></div></div></div></div></div></body></html>)");
  ExpectInvariants(page);
  EXPECT_EQ(page.title, "Reactivity");
  EXPECT_EQ(TextOfPage(page), "# Reactivity\n\nTIP: Use `ref()`.\n\n```js\nconst a = 1\n  b()\n```\n");
  EXPECT_EQ(Headings(page)[0].anchor, "reactivity");
}

TEST(ParseHtml, ReadsADocusaurusPage) {
  const Document page = Parse(R"(<html><head><title>Tabs | Docs</title></head><body><div id="__docusaurus">
<div role="region" aria-label="Skip to main content"><a class="skipToContent_fXgn" href="#c">Skip to main content</a></div><nav class="navbar">N</nav>
<div class="docsWrapper"><aside class="theme-doc-sidebar-container">S</aside><main class="docMainContainer_TBSr"><div class="container"><div class="row"><div class="col docItemCol">
<div class="docItemContainer"><article><nav class="theme-doc-breadcrumbs breadcrumbsContainer_Z_bl"><ul><li>Home</li></ul></nav><div class="tocCollapsible_ETCw theme-doc-toc-mobile"><button>On this page</button></div>
<div class="theme-doc-markdown markdown"><header><h1>Tabs</h1></header>
<div class="theme-admonition theme-admonition-note alert"><div class="admonitionHeading_Gvgb"><span class="admonitionIcon"><svg><path d="M1"/></svg></span>note</div><div class="admonitionContent_BuS1"><p>Read on.</p></div></div>
<ul role="tablist" class="tabs"><li role="tab">npm</li><li role="tab">yarn</li></ul>
<div role="tabpanel"><div class="language-bash codeBlockContainer"><pre class="prism-code language-bash"><code><span class="token-line" style="color:#fff"><span>npm i</span><br></span><span class="token-line"><span>npm test</span><br></span></code></pre><div class="buttonGroup__atx"><button>Copy</button></div></div></div>
<div role="tabpanel" hidden=""><p>yarn add</p></div></div>
<footer class="theme-doc-footer">Edit</footer></article></div></div><div class="col col--3"><div class="tableOfContents_bqdL">T</div></div></div></div></main></div></div></body></html>)");
  EXPECT_EQ(TextOfPage(page), "# Tabs\n\nnote: Read on.\n\n```bash\nnpm i\nnpm test\n```\n\nyarn add\n");
}

TEST(ParseHtml, ReadsAStarlightPage) {
  const Document page = Parse(
      R"(<html><head><title>Install | Kiln</title></head><body><div class="page sl-flex"><header class="header"><div class="title-wrapper">Kiln</div></header>
<nav class="sidebar print:hidden" aria-label="Main"><ul><li><a href="/a/">Other page</a></li></ul></nav><div class="main-frame"><div class="lg:sl-flex">
<aside class="right-sidebar-container"><div class="right-sidebar"><h2 id="starlight__on-this-page">On this page</h2></div></aside><div class="main-pane"><main data-pagefind-body lang="en">
<div class="content-panel"><div class="sl-container"><h1 id="_top">Install</h1><p class="sl-flex"><svg aria-hidden="true"></svg><span>Not available in your language yet.</span></p></div></div>
<div class="content-panel"><div class="sl-container"><div class="sl-markdown-content"><div class="sl-heading-wrapper level-h2"><h2 id="linux">Linux</h2><a class="sl-anchor-link" href="#linux"><span aria-hidden="true" class="sl-anchor-icon"><svg></svg></span><span class="sr-only" data-pagefind-ignore>Section titled</span></a></div>
<div class="expressive-code"><figure class="frame is-terminal not-content"><figcaption class="header"><span class="title"></span><span class="sr-only">Terminal window</span></figcaption><pre data-language="sh"><code><div class="ec-line"><div class="code"><span>kiln</span> up</div></div><div class="ec-line"><div class="code">kiln fire</div></div></code></pre><div class="copy"><button title="Copy to clipboard"></button></div></figure></div>
<aside aria-label="Keep it hot" class="starlight-aside starlight-aside--tip"><p class="starlight-aside__title" aria-hidden="true"><svg class="starlight-aside__icon"></svg>Keep it hot</p><div class="starlight-aside__content"><p>Close the lid.</p></div></aside>
</div><footer class="sl-flex"><div class="meta sl-flex"><a href="e" class="sl-flex">Edit page</a></div><div class="pagination-links"><a href="n" rel="next">Next</a></div></footer></div></div></main></div></div></div></div></body></html>)");
  ExpectInvariants(page);
  EXPECT_EQ(page.title, "Install");
  EXPECT_EQ(TextOfPage(page),
            "# Install\n\n## Linux\n\n```sh\nkiln up\nkiln fire\n```\n\nKeep it hot: Close the lid.\n");
  EXPECT_EQ(Headings(page)[1].anchor, "linux");
}

// ---- the content root ---------------------------------------------------------------------------

TEST(ParseHtml, PrefersWhatIsMarkedForPagefind) {
  EXPECT_EQ(Text("<body><main><p>menu</p><div data-pagefind-body><p>One</p></div><div data-pagefind-body><p>Two"
                 "<span data-pagefind-ignore>no</span></p></div></main>"),
            "One\n\nTwo\n");
}

TEST(ParseHtml, PrefersWhatIsMarkedForSheaf) {
  EXPECT_EQ(
      Text(
          "<body><main><p>menu</p><div data-sheaf-body><p>One</p><p data-sheaf-ignore>no</p></div><div data-sheaf-body>"
          "<p>Two</p></div></main>"),
      "One\n\nTwo\n");
}

TEST(ParseHtml, SaysWhichPagesAskNotToBeIndexed) {
  const auto asks = [](std::string_view content, std::string_view name = "robots") {
    return Parse("<head><meta name='" + std::string(name) + "' content='" + std::string(content) +
                 "'></head><p>Text</p>")
        .no_index;
  };
  EXPECT_TRUE(asks("noindex"));
  EXPECT_TRUE(asks("NOINDEX, follow"));
  EXPECT_TRUE(asks("follow,noindex"));
  EXPECT_TRUE(asks("none"));
  EXPECT_TRUE(asks("noindex", "sheaf"));
  EXPECT_FALSE(asks("index, follow"));
  EXPECT_FALSE(asks("noindex", "googlebot"));
  EXPECT_FALSE(Parse("<p>Text</p>").no_index);
}

TEST(ParseHtml, SaysWhereAPageSendsItsReaders) {
  const auto target = [](std::string_view content) {
    return Parse("<head><meta http-equiv=Refresh content=\"" + std::string(content) + "\"></head><p>Text</p>")
        .forwards_to;
  };
  EXPECT_EQ(target("0; url=Complex-Arithmetic.html#XREFabs"), "Complex-Arithmetic.html#XREFabs");
  EXPECT_EQ(target("0;URL='../new/'"), "../new/");
  EXPECT_EQ(target("5, url = https://docs.example/"), "https://docs.example/");
  EXPECT_EQ(target("0.5; url=a.html"), "a.html");
  // Loads itself anew; gives its readers time; says nothing usable.
  for (const char* content : {"30", "0", "30; url=next-slide.html", "999999999999999999; url=x", "0; url=", "0; url",
                              "url=x", "", ";", "0 url=x"}) {
    EXPECT_EQ(target(content), "") << content;
  }
  EXPECT_EQ(Parse("<head><meta name=description content='0; url=x'></head><p>Text</p>").forwards_to, "");
}

TEST(ParseHtml, TakesASingleArticleWithoutMain) {
  EXPECT_EQ(Text("<body><div>Menu</div><article><header><h1>T</h1></header><p>Long text of the "
                 "article.</p></article>"),
            "# T\n\nLong text of the article.\n");
}

TEST(ParseHtml, IgnoresAMainWithoutText) {
  EXPECT_EQ(Text("<body><main></main><div><p>All the words are here.</p></div>"), "All the words are here.\n");
}

TEST(ParseHtml, KeepsATitleThatStandsOutsideTheContainer) {
  EXPECT_EQ(Text("<body><h1>Title</h1><div id='content'><p>A long enough body of text.</p></div>"),
            "# Title\n\nA long enough body of text.\n");
}

TEST(ParseHtml, ReadsTheWholeBodyOfABarePage) {
  EXPECT_EQ(Text("<header>Site</header><h2>A</h2>text<p>more<footer>Foot</footer><aside>Ads</aside>"),
            "## A\n\ntext\n\nmore\n");
}

TEST(ParseHtml, KeepsASectionThatIsNamedNavigation) {
  const Document page = Parse(
      "<body><section id='navigation' class='toc'><h2>Navigation</h2><p>How to move.</p></section>"
      "<div class='section' id='footer'><h2>Footer</h2><p>Its cells.</p></div>");
  EXPECT_EQ(TextOfPage(page), "## Navigation\n\nHow to move.\n\n## Footer\n\nIts cells.\n");
  EXPECT_EQ(Headings(page)[0].anchor, "navigation");
}

TEST(ParseHtml, KeepsHeadingsThatLinkBackToTheContents) {
  const Document document = Parse(
      "<title>Kiln FAQ - Kiln 1</title><div role=main><section id=faq><h1><a class=toc-backref href=#id1 "
      "role=doc-backlink>Kiln FAQ</a><a class=headerlink href=#faq>\xC2\xB6</a></h1><p>Questions that come often.</p>"
      "<section id=glaze><h2><em><a href=#id2 role=doc-backlink>Why does <code>glaze</code> crack?</a></em></h2>"
      "<p>It cools too fast [1].</p></section></section></div>");
  EXPECT_EQ(document.title, "Kiln FAQ");
  const std::vector<Block> headings = Headings(document);
  ASSERT_EQ(headings.size(), 2u);
  EXPECT_EQ(headings[0].title, "Kiln FAQ");
  EXPECT_EQ(headings[1].title, "Why does glaze crack?");
  EXPECT_EQ(headings[1].anchor, "glaze");
}

TEST(ParseHtml, DropsTheBackLinksOfFootnotes) {
  EXPECT_EQ(Text("<main><h2>Notes</h2><ol><li><p>As Leach wrote.<a href=#r1 role=doc-backlink>back to 1</a></p></li>"
                 "</ol></main>"),
            "## Notes\n\n1. As Leach wrote.\n");
}

TEST(ParseHtml, DropsWhatNobodySees) {
  EXPECT_EQ(Text("<body><p>a<script>x()</script><style>p{}</style><noscript>enable</noscript><template>t</template>"
                 "<span hidden>h</span><span aria-hidden='true'>i</span><span style='color:red; display: "
                 "none'>d</span>"
                 "<!-- comment "
                 "--><svg><title>s</title><text>t</text></svg><select><option>o</select><button>b</button>z"),
            "az\n");
}

TEST(ParseHtml, TakesAnAnchorThatEndsAnOpenParagraph) {
  // As man2html writes them.
  const auto anchor = [](std::string_view html) {
    for (const Block& block : Parse(html).blocks) {
      if (block.kind == BlockKind::kHeading) return block.anchor;
    }
    return std::string("no heading");
  };
  EXPECT_EQ(anchor("<body>Text.\n<a name='lbA'>&nbsp;</a>\n<h2>Options</h2>"), "lbA");
  EXPECT_EQ(anchor("<body>Text.\n<a name='lbA'></a> More.<h2>Options</h2>"), "") << "text stands between";
  EXPECT_EQ(anchor("<body>Text, <a id='ref1' href='#note1'>1</a><h2>Options</h2>"), "") << "a link's own place";
}

TEST(ParseHtml, TitlesASignatureByItsNameWhateverItsTypes) {
  const Document page = Parse(
      "<h4 class='code-header'>fn <a href='#m' class='fnname'>extend</a>&lt;I: Iterator&lt;Item = "
      "Cow&lt;str&gt;&gt;&gt;(&amp;mut self)</h4>"
      "<p>Adds.</p>");
  EXPECT_TRUE(page.blocks[0].title.starts_with("fn extend")) << page.blocks[0].title;
}

// ---- inline -------------------------------------------------------------------------------------

TEST(ParseHtml, CollapsesWhiteSpaceAsBrowsersDo) {
  EXPECT_EQ(Text("<p>  a \n\t b<b> c</b>  <i> d</i>&nbsp;&nbsp;e </p>"), "a b c d e\n");
}

TEST(ParseHtml, WritesCodeInBackticks) {
  const Document page =
      Parse("<p>Call <code> f( x )  </code>and <kbd>Ctrl</kbd>+<samp>C</samp>, <tt>t</tt><code></code>.");
  EXPECT_EQ(TextOfPage(page), "Call `f( x )` and `Ctrl`+`C`, `t`.\n");
  EXPECT_EQ(page.blocks[0].code, "f( x ) Ctrl C t");
  EXPECT_EQ(page.blocks[0].prose, "Call and + , .");
}

TEST(ParseHtml, FencesCodeThatHoldsBackticks) {
  EXPECT_EQ(Text("<p><code>a`b</code> <code>``</code>"), "``a`b`` ``` `` ```\n");
}

TEST(ParseHtml, JoinsCodeSpansThatTouch) {
  const Document page = Parse("<p><code>foo</code><code>.bar</code> <em><code>x</code></em>");
  EXPECT_EQ(TextOfPage(page), "`foo.bar` `x`\n");
  EXPECT_EQ(page.blocks[0].code, "foo.bar x");
}

TEST(ParseHtml, DecodesEntitiesOnceAndDropsControlCharacters) {
  const Document page = Parse("<p>&lt;b&gt; &amp;amp; &#169; &#x1F600; a&#1;b &#0; &#xD800; x&shy;y&#8203;z");
  ExpectInvariants(page);
  EXPECT_EQ(TextOfPage(page), "<b> &amp; © 😀 a b \xEF\xBF\xBD \xEF\xBF\xBD xyz\n");
}

TEST(ParseHtml, KeepsAltTextsBreaksPowersAndFormulas) {
  EXPECT_EQ(Text("<p>See <img src=x alt='the diagram'>.<br>2<sup>32</sup> and 1<sup>st</sup>"
                 "<math alttext='E=mc^2'><mi>E</mi></math></p>"
                 "<p><math><semantics><mi>x</mi><annotation "
                 "encoding='application/x-tex'>\\frac{x}</annotation></semantics></math> <q>quoted</q>"),
            "See the diagram.\n2^32 and 1stE=mc^2\n\n\\frac{x} “quoted”\n");
}

// ---- blocks -------------------------------------------------------------------------------------

TEST(ParseHtml, KeepsTheWhiteSpaceOfCodeExactly) {
  const Document page = Parse("<pre class='language-cpp'>\n  int  a;\n\n\tif (a &lt; b) {\n```\n  }   \n\n</pre>");
  ASSERT_EQ(page.blocks.size(), 1u);
  EXPECT_EQ(page.blocks[0].text, "````cpp\n  int  a;\n\n\tif (a < b) {\n```\n  }\n````\n");
  EXPECT_EQ(page.blocks[0].code, "  int  a;\n\n\tif (a < b) {\n```\n  }");
  EXPECT_EQ(page.blocks[0].kind, BlockKind::kCode);
  EXPECT_TRUE(page.blocks[0].prose.empty());
}

TEST(ParseHtml, FindsTheLanguageWhereGeneratorsPutIt) {
  for (const auto& [html, language] : std::vector<std::pair<std::string, std::string>>{
           {"<pre><code class='language-rust,ignore'>x</code></pre>", "rust"},
           {"<pre class='brush: js; ruler: true'>x</pre>", "js"},
           {"<div class='highlight-source-shell'><pre>x</pre></div>", "shell"},
           {"<div class='highlight-default notranslate'><div class='highlight'><pre>x</pre></div></div>", ""},
           {"<pre class='sourceCode python'><code>x</code></pre>", "python"},
           {"<pre data-language='toml'>x</pre>", "toml"},
           {"<pre class='language-&lt;b&gt;'>x</pre>", ""},
           {"<pre>x</pre>", ""}}) {
    EXPECT_EQ(Text(html), "```" + language + "\nx\n```\n") << html;
  }
}

TEST(ParseHtml, EndsCodeLinesAtBreaksAndBlocks) {
  EXPECT_EQ(Text("<pre>a<br>b<div>c</div><div>d</div></pre>"), "```\na\nbc\nd\n```\n");
}

TEST(ParseHtml, WritesListsWithTheirMarkersAndNesting) {
  EXPECT_EQ(Text("<p>Do:</p><ol "
                 "start=9><li>one<li><p>two</p><p>more</p><ul><li>deep<ul><li>deeper</ul></ul><li>three</ol>after"),
            "Do:\n\n"
            "9. one\n10. two\n\n    more\n\n    - deep\n      - deeper\n11. three\n\nafter\n");
}

TEST(ParseHtml, WritesQuotationsWithTheirMark) {
  EXPECT_EQ(Text("<blockquote><p>a<br>b</p><p>c</p></blockquote>d"), "> a\n> b\n\n> c\n\nd\n");
}

TEST(ParseHtml, WritesTablesRowByRow) {
  const Document page = Parse(
      "<table><caption>Sizes</caption><tr><th>Name<th>Size</tr><tr><td><p>a|b</p><ul><li>x<li>y</"
      "ul><td>1<br>2</tr>"
      "<tr><td colspan=2><pre>let  x\n= 1</pre></table><table><tr><td>p<td>q<tr><td>r<td>s</table>");
  ExpectInvariants(page);
  EXPECT_EQ(TextOfPage(page),
            "Sizes\n\n| Name | Size |\n| --- | --- |\n| a\\|b x y | 1 2 |\n| `let x = 1` |\n\n| p | q |\n| r "
            "| s |\n");
  EXPECT_EQ(page.blocks[1].kind, BlockKind::kTableRow);
  EXPECT_EQ(page.blocks[2].prose, "a|b x y 1 2");
}

TEST(ParseHtml, OpensTablesThatOnlyArrangeThePage) {
  EXPECT_EQ(Text("<table><tr><td><h2>A</h2><p>left</p></td><td><pre>code</pre></td></tr></table>"),
            "## A\n\nleft\n\n```\ncode\n```\n");
}

TEST(ParseHtml, FindsAnchorsBeforeAndInsideHeadings) {
  const Document page = Parse(
      "<body><p>x</p><a name='one'></a><h2>One</h2><h2><a id='two'></a>Two</h2><section "
      "id='three'><div><h2>Three</h2></div></section>"
      "<h2>Four <a class='anchor' href='#four'>link</a></h2><p>y</p><h2>None</h2><a "
      "name='used'></a>text<h2>Past</h2>"
      "<div id='section'><h2><a class='indexterm' id='term'></a>Five</h2></div>");
  std::vector<std::string> anchors;
  for (const Block& heading : Headings(page)) anchors.push_back(heading.anchor);
  EXPECT_EQ(anchors, (std::vector<std::string>{"one", "two", "three", "four", "", "", "section"}));
}

TEST(ParseHtml, NumbersTheLinesOfItsBlocks) {
  const Document page = Parse("<html><body>\n<h1>T</h1>\n\n<p>one\ntwo\n</p>\n<pre>\na\nb\n</pre><p>z</p>");
  ASSERT_EQ(page.blocks.size(), 4u);
  EXPECT_EQ(page.blocks[0].first_line, 2u);
  EXPECT_EQ(page.blocks[1].first_line, 4u);
  EXPECT_EQ(page.blocks[1].last_line, 5u);
  EXPECT_EQ(page.blocks[2].first_line, 7u);
  EXPECT_EQ(page.blocks[2].last_line, 10u);
  EXPECT_EQ(page.blocks[3].first_line, 10u);
}

// ---- code, tables and entries that are made of other elements --------------------------------------

TEST(ParseHtml, ReadsALineOfCodeFromEachElementThatIsOne) {
  EXPECT_EQ(
      Text("<body><h1>T</h1><div class='fragment'><div class='line'><a id='l1'></a><span class='lineno'>    1</span>"
           "<span class='keyword'>int</span> main()</div>\n<div class='line'></div>\n<div class='line'>{</div>\n"
           "<div class='line'>  run();</div>\n<div class='ttc'><div class='ttname'>run</div></div></div><p>After."),
      "# T\n\n```\nint main()\n\n{\n  run();\n```\n\nAfter.\n");
  // Verse is no code.
  EXPECT_EQ(Text("<body><div class='line-block'><div class='line'>one</div><div class='line'>two</div></div>"),
            "one\n\ntwo\n");
}

TEST(ParseHtml, ReadsALineOfCodeFromEachRowOfAListing) {
  constexpr std::string_view kCode = "```\ndef f(x):\n    return x\n```\n";
  EXPECT_EQ(Text("<body><table class='highlight'><tr><td class='blob-num' data-line-number='1'></td>"
                 "<td class='blob-code'>def f(x):</td></tr>\n<tr><td class='blob-num' data-line-number='2'></td>"
                 "<td class='blob-code'>    return x</td></tr></table>"),
            kCode);
  EXPECT_EQ(Text("<body><pre><code><table class='hljs-ln'><tbody><tr><td class='hljs-ln-numbers'>1</td>"
                 "<td class='hljs-ln-code'>def f(x):</td></tr><tr><td class='hljs-ln-numbers'>2</td>"
                 "<td class='hljs-ln-code'>    return x</td></tr></tbody></table></code></pre>"),
            kCode);
}

TEST(ParseHtml, DropsColumnsOfLineNumbersBesideCode) {
  EXPECT_EQ(
      Text("<body><table class='listing'><tr><td><pre>9\n10\n11</pre></td><td><pre>a\nb\nc</pre></td></tr></table>"),
      "```\na\nb\nc\n```\n");
  EXPECT_EQ(Text("<body><div><pre class='src-line-numbers'><a href='#1'>1</a>\n<a href='#2'>2</a>\n</pre>"
                 "<pre class='rust'><code>fn a() {}\nfn b() {}</code></pre></div>"),
            "```rust\nfn a() {}\nfn b() {}\n```\n");
  EXPECT_EQ(
      Text("<body><table class='lntable'><tr><td class='lntd'><pre class='chroma'><code><span class='lnt'>1\n"
           "</span></code></pre></td><td class='lntd'><pre class='chroma'><code class='language-go' data-lang='go'>"
           "x := 1</code></pre></td></tr></table>"),
      "```go\nx := 1\n```\n");
  EXPECT_EQ(Text("<body><pre class='rust'><code><a href=#1 id=1 data-nosnippet>1</a>fn a() {\n<span class='comment'>"
                 "<a href=#2 id=2 data-nosnippet>2</a>// b\n</span><a href=#3 id=3 data-nosnippet>3</a>}</code></pre>"),
            "```rust\nfn a() {\n// b\n}\n```\n");
  EXPECT_EQ(Text("<body><pre><span class='source-line-no'>001</span><span id='line-1'>class A {</span>\n</pre>"),
            "```\nclass A {\n```\n");
  // What a program counts is its output.
  EXPECT_EQ(Text("<body><p>It prints<pre>1\n2\n3</pre>"), "It prints\n\n```\n1\n2\n3\n```\n");
  EXPECT_EQ(Text("<body><pre class='line-numbers'>x = 1</pre>"), "```\nx = 1\n```\n");
}

TEST(ParseHtml, ReadsCodeWhoseLinesEndAtBreaks) {
  EXPECT_EQ(
      Text("<body><p>Run<br><code class='language-sh'>if true<br>\n then<br>&nbsp; x &amp;&amp;\n y<br></code></p>"),
      "Run\n\n```sh\nif true\nthen\n  x && y\n```\n");
  EXPECT_EQ(Text("<body><p>Use <code>a b</code>.</p>"), "Use `a b`.\n");
}

TEST(ParseHtml, WritesTablesOfOtherElementsRowByRow) {
  EXPECT_EQ(Text("<body><h1>A</h1><div class='caption'><span>Methods</span></div>"
                 "<div class='summary-table three-column-summary'>"
                 "<div class='table-header col-first'>Type</div><div class='table-header col-second'>Method</div>"
                 "<div class='table-header col-last'>Description</div>"
                 "<div class='col-first even-row-color'><code>int</code></div>"
                 "<div class='col-second even-row-color'><code>size()</code></div>"
                 "<div class='col-last even-row-color'><div class='block'>Counts.</div></div>"
                 "<div class='col-first odd-row-color'><code>void</code></div>"
                 "<div class='col-second odd-row-color'><code>clear()</code></div>"
                 "<div class='col-last odd-row-color'>&nbsp;</div></div>"),
            "# A\n\nMethods\n\n| Type | Method | Description |\n| --- | --- | --- |\n| `int` | `size()` | Counts. |\n"
            "| `void` | `clear()` |  |\n");
  EXPECT_EQ(Text("<body><div role='table'><div role='rowgroup'><div role='row'><div role='columnheader'>Key</div>"
                 "<div role='columnheader'>Value</div></div></div><div role='row'><div role='cell'>a</div>"
                 "<div role='cell'>1</div></div></div><p>After."),
            "| Key | Value |\n| --- | --- |\n| a | 1 |\n\nAfter.\n");
  // Cells in no table are blocks, and a grid around headings arranges the page.
  EXPECT_EQ(Text("<body><div role='cell'>a</div><div role='grid'><div role='row'><div role='gridcell'><h2>B</h2>c"),
            "a\n\n## B\n\nc\n");
}

TEST(ParseHtml, ReadsAMemberOfDoxygen) {
  const Document page = Parse(
      "<html><head><title>Lib: a::B Class Reference</title></head><body><div class='header'><div class='summary'>"
      "<a href='#m'>Members</a></div><div class='headertitle'><div class='title'>a::B Class Reference</div></div></div>"
      "<div class='contents'><p>Adds. <a href='#details'>More...</a></p><table class='memberdecls'>"
      "<tr class='heading'><td colspan='2'><h2 class='groupheader'><a name='m'></a>Members</h2></td></tr>"
      "<tr class='memitem:x1'><td class='memItemLeft'>int&#160;</td><td class='memItemRight'><a href='#x1'>f</a> (int "
      "x)</td>"
      "</tr><tr class='memdesc:x1'><td class='mdescLeft'>&#160;</td><td class='mdescRight'>Adds one. "
      "<a href='#x1'>More...</a></td></tr><tr class='separator:x1'><td class='memSeparator' "
      "colspan='2'>&#160;</td></tr>"
      "</table><h2 class='groupheader'>Documentation</h2><a id='x1'></a><h2 class='memtitle'><span class='permalink'>"
      "<a href='#x1'>&#9670;&#160;</a></span>f() <span class='overload'>[1/2]</span></h2><div class='memitem'>"
      "<div class='memproto'><table class='memname'><tr><td class='memname'>int a::B::f </td><td>(</td>"
      "<td class='paramtype'>int&#160;</td><td class='paramname'><em>x</em></td><td>)</td><td> "
      "const</td></tr></table></div>"
      "<div class='memdoc'><p>Adds one.</p><dl class='params'><dt>Parameters</dt><dd><table class='params'><tr>"
      "<td class='paramname'>x</td><td>a number</td></tr></table></dd></dl>"
      "<p class='definition'>Definition at line 3 of file a.h.</p></div></div></div></body></html>");
  ExpectInvariants(page);
  EXPECT_EQ(page.title, "a::B Class Reference");
  EXPECT_EQ(TextOfPage(page),
            "# a::B Class Reference\n\nAdds.\n\n## Members\n\n| int | f (int x) | Adds one. |\n\n## Documentation\n\n"
            "### f()\n\n```\nint a::B::f(int x) const\n```\n\nAdds one.\n\n- Parameters\n\n| x | a number |\n");
  EXPECT_EQ(Headings(page).back().anchor, "x1");
}

TEST(ParseHtml, TitlesAMemberThatHasASignatureOnly) {
  const Document page = Parse(
      "<body><div class='contents'><h2>Functions</h2><a class='anchor' id='x1'></a><div class='memitem'>"
      "<div class='memproto'><table class='memname'><tr><td class='memname'>int "
      "f</td><td>(</td><td>int</td><td>)</td></tr>"
      "</table></div><div class='memdoc'><p>Adds.</p></div></div></div>");
  EXPECT_EQ(TextOfPage(page), "## Functions\n\n### `f`\n\n```\nint f(int)\n```\n\nAdds.\n");
  EXPECT_EQ(Headings(page).back().anchor, "x1");
}

TEST(ParseHtml, HeadsEntriesByTheNameThatTheyDefine) {
  const auto entry = [](std::string_view html) {
    const Document page = Parse("<body><h1>M</h1>" + std::string(html));
    ExpectInvariants(page);
    const std::vector<Block> headings = Headings(page);
    return headings.size() < 2 ? "" : headings[1].anchor + " | " + TextOfPage(page).substr(5);
  };
  EXPECT_EQ(
      entry("<div id='method-i-add' class='method-detail'><div class='method-heading'><span class='method-callseq'>"
            "add(x) &rarr; self</span><span class='method-click-advice'>click to toggle source</span></div>"
            "<div class='method-heading'><span class='method-callseq'>add(x, y) &rarr; self</span></div>"
            "<div class='method-description'><p>Adds.</p><h3>Example</h3><p>One.</p>"
            "<div class='method-source-code'><pre>def add</pre></div></div></div>"),
      "method-i-add | ## `add`\n\n```\nadd(x) → self\nadd(x, y) → self\n```\n\nAdds.\n\n### Example\n\nOne.\n");
  EXPECT_EQ(
      entry("<div class='method_details'><h3 class='signature' id='add-instance_method'>\n #<strong>add</strong>(x)  "
            "&#x21d2; <tt>Object</tt></h3><div class='docstring'><p>Adds.</p></div><table class='source_code'><tr><td>"
            "<pre class='lines'>7</pre></td><td><pre class='code'>def add</pre></td></tr></table></div>"),
      "add-instance_method | ### `#add`\n\n```\n#add(x) ⇒ Object\n```\n\nAdds.\n");
  EXPECT_EQ(
      entry("<section class='detail' id='add/2'><div class='detail-header'><h1 class='signature'>add(a, b \\\\ 1)</h1>"
            "</div><section class='docstring'><h2>Specs</h2><div class='specs'><pre>add(a) :: b</pre></div><p>Adds.</p>"
            "</section></section>"),
      "add/2 | ## `add`\n\n```\nadd(a, b \\\\ 1)\n```\n\nSpecs\n\n```\nadd(a) :: b\n```\n\nAdds.\n");
  EXPECT_EQ(entry("<div class='top'><p class='src'><a id='v:add' class='def'>add</a> :: <a href='#t:K'>K</a> -&gt; Int "
                  "<a href='src/M.html#add' class='link'>Source</a> <a href='#v:add' class='selflink'>#</a></p>"
                  "<div class='doc'><p>Adds.</p></div></div>"),
            "v:add | ## `add`\n\n```\nadd :: K -> Int\n```\n\nAdds.\n");
  EXPECT_EQ(
      entry("<div class='odoc-spec'><div class='spec value' id='val-add'><a href='#val-add' class='anchor'></a><code>"
            "<span class='keyword'>val</span> add : int -&gt; int</code></div><div class='spec-doc'><p>Adds.</p></div>"
            "</div>"),
      "val-add | ## `add`\n\n```\nval add : int -> int\n```\n\nAdds.\n");
  EXPECT_EQ(
      entry("<blockquote class='SVInsetFlow'><table class='boxed RBoxed'><tr><td><blockquote class='SubFlow'>"
            "<div class='RBackgroundLabel'><p>procedure</p></div><p class='RForeground'>(<a name='(def._add)'></a>"
            "<a href='#d'>add</a>&nbsp;x) &rarr; int</p></blockquote></td></tr></table></blockquote><p>Adds.</p>"),
      "(def._add) | ## `add`\n\n```\n(add x) → int\n```\n\nAdds.\n");
  EXPECT_EQ(
      entry("<ol><li fullComment='yes'><a id='add(x:Int):Int' class='anchorToMember'></a><span class='modifier_kind'>"
            "def</span><span class='symbol'><span class='name'>add</span><span class='params'>(x: Int)</span></span>"
            "<p class='shortcomment'>Adds.</p><div class='fullcomment'><p>Adds.</p></div></li></ol>"),
      "add(x:Int):Int | ## `add`\n\n```\nadd(x: Int)\n```\n\nAdds.\n");
}

TEST(ParseHtml, SharesTheAnchorAmongTermsOfOneDescription) {
  const Document page = Parse(
      "<body><h1>T</h1><dl class='py function'><dt class='sig' id='f'>f(x)</dt><dt class='sig'>f(x, y)</dt>\n"
      "<dt class='sig'>g(x)</dt><dd><p>Both.</p></dd></dl>"
      "<dl><dt><code>a</code></dt><dt id='b'><code>b</code></dt><dd><p>Second.</p></dd>"
      "<dt id='c'><code>c</code></dt><dt><code>d</code></dt><dd><p>First.</p></dd></dl>");
  EXPECT_EQ(TextOfPage(page),
            "# T\n\n## `f`\n\n## `g`\n\n```python\nf(x)\nf(x, y)\ng(x)\n```\n\nBoth.\n\n"
            "## `a`\n\n## `b`\n\nSecond.\n\n## `c`\n\n`d`\n\nFirst.\n");
  std::vector<std::string> anchors;
  for (const Block& heading : Headings(page)) anchors.push_back(heading.anchor);
  EXPECT_EQ(anchors, (std::vector<std::string>{"", "f", "f", "b", "b", "c"}));
}

TEST(ParseHtml, TitlesASignatureOfCByItsName) {
  const Document page = Parse(
      "<body><h1>T</h1><dl class='c function'><dt class='sig c' id='c.f'><span class='pre'>void</span> "
      "<span class='sig-name'>f</span>(int x)</dt><dd><p>Runs.</p></dd></dl>");
  EXPECT_EQ(TextOfPage(page), "# T\n\n## `f`\n\n```c\nvoid f(int x)\n```\n\nRuns.\n");
}

TEST(ParseHtml, EndsTheListThatAHeadingStandsIn) {
  EXPECT_EQ(
      Text("<body><ul class='blockList'><li class='blockList'><p>Class.</p></li></ul><ul><li><h3>m</h3><p>Text.</p>"
           "<ul><li>item</ul></li><li>last</ul>"),
      "Class.\n\n### m\n\nText.\n\n- item\n- last\n");
}

TEST(ParseHtml, KeepsHeadingsInsideLinksAndButtons) {
  const auto headings = [](std::string_view html) {
    std::string all;
    for (const Block& heading : Headings(Parse("<body>" + std::string(html) + "<p>text"))) {
      all += heading.anchor + ":" + heading.title + ";";
    }
    return all;
  };
  EXPECT_EQ(headings("<a class='anchor' href='#one' id='one'><h2>One</h2></a>"), "one:One;");
  EXPECT_EQ(headings("<h2><a class='header-anchor' href='#two'>Two words</a></h2>"), "two:Two words;");
  EXPECT_EQ(headings("<h3 id='three'><button>Is it free?</button></h3>"), "three:Is it free?;");
  EXPECT_EQ(headings("<h2 id='four'>Four <a class='headerlink' href='#four'>Link to this heading</a></h2>"),
            "four:Four;");
  EXPECT_EQ(headings("<h2><a class='anchor' href='#x'>#</a></h2>"), "");
  EXPECT_EQ(headings("<h1 id='five'>Five<span><a href='#five'>&para;</a> <a href='#top'>&uarr;</a></span></h1>"),
            "five:Five;");
}

TEST(ParseHtml, TakesTheTitleFromAHeaderThatHasTheOnlyOne) {
  EXPECT_EQ(
      Text("<body><nav>Up</nav><header><h1>Module M</h1><p>Adds.</p></header><div class='content'><p>Values.</p>"),
      "# Module M\n\nAdds.\n\nValues.\n");
  EXPECT_EQ(Text("<body><header><h1>Site</h1></header><div><h1>Page</h1><p>Text."), "# Page\n\nText.\n");
}

TEST(ParseHtml, DropsLinesOfLinksToNeighbours) {
  EXPECT_EQ(
      Text("<body><h1>T</h1><table class='x'><tr><td>[<a href='a'>Top</a>]</td><td>[<a href='b'>Contents</a>]</td>"
           "<td>[<a href='c'>Index</a>]</td></tr></table><p class='n'>Next: <a href='d'>Using it</a>, Up: <a "
           "href='e'>Top"
           "</a></p><p class='y'>Next, add <a href='f'>salt</a>.</p><p class='z'><a href='g'>Contents</a></p>"),
      "# T\n\nNext, add salt.\n\nContents\n");
}

TEST(ParseHtml, DropsWhatMan2htmlWritesForItsServer) {
  EXPECT_EQ(
      Text(
          "Content-type: text/html; charset=UTF-8\n\n<!DOCTYPE html><html><body><h1>FIRE</h1>Section: User Commands (1)"
          "<br><a href='#index'>Index</a> <a href='/cgi-bin/man/man2html'>Return to Main Contents</a><hr>"
          "<a name='lbAB'>&nbsp;</a><h2>NAME</h2>fire - heats"),
      "# FIRE\n\nSection: User Commands (1)\nIndex\n\n## NAME\n\nfire - heats\n");
}

TEST(ParseHtml, ReadsBoldLinesAsHeadingsOnlyWhereThereAreNone) {
  const Document page = Parse(
      "<body><font size='+2'>Old Guide</font><p>About.<p><a name='use'></a><b>Using it</b><p>Turn <b>it</b> on."
      "<p><b>Never open the lid.</b>");
  EXPECT_EQ(TextOfPage(page), "## Old Guide\n\nAbout.\n\n## Using it\n\nTurn it on.\n\nNever open the lid.\n");
  EXPECT_EQ(Headings(page)[1].anchor, "use");
  EXPECT_EQ(Text("<body><h1>T</h1><p><b>Using it</b><p>On."), "# T\n\nUsing it\n\nOn.\n");
}

TEST(ParseHtml, ReadsPanelsThatOpenOnDemand) {
  EXPECT_EQ(Text("<body><div class='tab-pane' style='display: none'><p>For Linux.</p></div><div "
                 "style='display:none'>menu</div>"
                 "<details><summary>More</summary><p>Text.</p></details>"),
            "For Linux.\n\nMore\n\nText.\n");
}

TEST(ParseHtml, ReadsOneRenderingOfAFormula) {
  EXPECT_EQ(
      Text("<body><p>So <span class='MathJax_Preview'>x2</span><span class='MathJax' id='MathJax-Element-1-Frame'>"
           "<nobr><span>x2</span></nobr><span class='MJX_Assistive_MathML'><math><mi>x</mi></math></span></span>"
           "<script type='math/tex'>x^2</script> grows."),
      "So x^2 grows.\n");
  EXPECT_EQ(Text("<body><p>So <script type='math/tex; mode=display'>y &lt; 1</script>."), "So y &lt; 1.\n");
}

TEST(ParseHtml, LeavesOutLogosAndKeepsPicturesApart) {
  EXPECT_EQ(Text("<body><p><img alt='Logo'><img alt='Project logo'><img alt='home'>Home page</p>"), "home Home page\n");
}

TEST(ParseHtml, SaysWhereAPageThatHasMovedSendsItsReaders) {
  EXPECT_EQ(Parse("<body><h1>Moved</h1><p>This page has moved to <a href='../new.html'>its new place</a>.").forwards_to,
            "../new.html");
  EXPECT_EQ(Parse("<head><script>window.location.replace('b.html');</script></head><body>").forwards_to, "b.html");
  EXPECT_EQ(Parse("<body><script>location.href = \"c.html\"</script><p>Redirecting").forwards_to, "c.html");
  // Pages of content, conditions, and links to a place of the page itself.
  EXPECT_EQ(Parse("<body><p>The option has moved: see <a href='x'>x</a>.<pre>a = 1</pre>").forwards_to, "");
  EXPECT_EQ(Parse("<body><p>The file was moved to <a href='#x'>x</a>.").forwards_to, "");
  EXPECT_EQ(Parse("<head><script>if (top == self) location = 'x'</script></head><body><p>Hello").forwards_to, "");
  EXPECT_EQ(Parse("<body><p>It has moved to <a href='x'>x</a>. " + Repeat("And more of it. ", 30)).forwards_to, "");
}

TEST(ParseHtml, StaysLinearInTablesOfOtherElements) {
  std::string cells = "<body><div class='summary-table'>";
  for (int i = 0; i < 100'000; ++i) cells += "<div class='col-first'>a</div><div class='col-last'>b</div>";
  const double seconds = test::SecondsOf([&] {
    EXPECT_EQ(Parse(cells).blocks.size(), 100'000u);
    Parse("<body>" + Repeat("<dt id=a>x<dt>y", 50'000));
    Parse("<body>" + Repeat("<dl><dt>y<dt>z", 2'000));
    Parse("<body>" + Repeat("<div class='fragment'><div class='line'>", 2'000));
    Parse("<body>" + Repeat("<div class='p'>next ", 3'000));
  });
  EXPECT_LT(seconds, 20);
}

// ---- the head -------------------------------------------------------------------------------------

TEST(ParseHtml, CutsTheSiteNameOnlyWhereTheHeadingTellsIt) {
  const auto title = [](std::string_view head, std::string_view body) {
    return Parse("<title>" + std::string(head) + "</title><body>" + std::string(body)).title;
  };
  EXPECT_EQ(title("Install - Tool", "<h1>Install</h1>"), "Install");
  EXPECT_EQ(title("Tool | Install", "<h1>Install</h1>"), "Install");
  EXPECT_EQ(title("Installing - Tool", "<h1>Install</h1>"), "Installing - Tool");
  EXPECT_EQ(title("Read - Eval - Print", "<h2>Loop</h2>"), "Read - Eval - Print");
  EXPECT_EQ(title("", "<h2>First</h2><h1>Main</h1>"), "Main");
  EXPECT_EQ(title("", "text"), "Page");
  EXPECT_EQ(title("Lib: Getting started", "<h1>Getting started</h1>"), "Getting started");
  EXPECT_EQ(title("Erlang -- lists", "<h1>lists</h1>"), "lists");
}

TEST(ParseHtml, TakesNoAddressThatIsNotPublic) {
  EXPECT_EQ(Parse("<link rel=canonical href='file:///usr/x.html'><p>a").url, "");
  EXPECT_EQ(Parse("<link rel=canonical href='javascript:alert(1)'><p>a").url, "");
  EXPECT_EQ(Parse("<link rel=canonical href='/guide/x'><p>a").url, "/guide/x");
}

TEST(ParseHtml, TakesOnlyIsoDates) {
  EXPECT_EQ(Parse("<meta name=date content='March 2024'><p>a").last_modified, "");
  EXPECT_EQ(Parse("<meta name=last-modified content='2024-03-01T10:00:00Z'><p>a").last_modified,
            "2024-03-01T10:00:00Z");
}

// ---- hostile input ----------------------------------------------------------------------------------

TEST(ParseHtml, ReadsEmptyAndTextlessPages) {
  for (const std::string_view html :
       {"", " ", "<", "<!", "<html>", "<body></body>", "<frameset><frame src=x></frameset>", "<!DOCTYPE", "</p>",
        "<table><tr><td>", "<pre></pre>", "<h1></h1>", "&", "<p><code>"}) {
    const Document page = Parse(html);
    ExpectInvariants(page);
    EXPECT_FALSE(page.title.empty()) << html;
  }
}

TEST(ParseHtml, ReadsBytesThatAreNotUtf8) {
  const Document page = Parse("<p>a\xFF\xC3(\0b<pre>\xED\xA0\x80\r\nx</pre>"sv);
  ExpectInvariants(page);
}

TEST(ParseHtml, ReadsThousandsOfNestedElements) {
  const Document page = Parse(Repeat("<div>", 5000) + "deep" + Repeat("</div>", 5000));
  EXPECT_EQ(TextOfPage(page), "deep\n");
}

TEST(ParseHtml, RefusesAHundredThousandNestedElements) {
  const Result<Document> page = ParseHtml(Repeat("<div>", 100000) + "deep", "deep.html");
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.code(), ErrorCode::kTooLarge);
  EXPECT_NE(page.error().message.find("deep.html"), std::string::npos);
}

TEST(ParseHtml, SurvivesUnclosedInlineElementsByTheThousand) {
  for (const std::string_view tag :
       {"<b>", "<a href=x>", "<i><p>", "<li>", "<ul><li>", "<dl><dt>", "<table>", "<code>", "<svg>", "<math>",
        "<blockquote>", "<h1>", "<pre>", "<template>", "<select>", "<em><code>"}) {
    const Result<Document> page = ParseHtml(Repeat(tag, 3000) + "x", "x.html");
    if (page.ok()) ExpectInvariants(*page);
  }
}

TEST(ParseHtml, RefusesMarkupThatMultipliesItself) {
  std::string html;  // each paragraph repeats all unclosed <font>s before it
  for (int i = 0; i < 8000; ++i) html += "<p><font size=" + std::to_string(i) + ">";
  const Result<Document> page = ParseHtml(html, "fonts.html");
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.code(), ErrorCode::kTooLarge);
}

TEST(ParseHtml, CountsTextsOfImagesThatAreTooLong) {
  const std::string image = "<img src=x alt='" + std::string(1001, 'a') + "'>";
  Result<Document> page =
      ParseHtml("<p>See " + image + image + "<img src=y alt='" + std::string(1000, 'b') + "'></p>", "p.html");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->warnings,
            (std::vector<std::string>{"2 texts of images (alt) are left out: they are longer than 1000 bytes"}));
  EXPECT_EQ(page->blocks.size(), 1u);
  EXPECT_NE(page->blocks[0].prose.find("bbb"), std::string::npos);
}

TEST(ParseHtml, RefusesPagesBeyondTheCap) {
  const Result<Document> page = ParseHtml(std::string(kMaxHtmlBytes + 1, 'a'), "big.html");
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.code(), ErrorCode::kTooLarge);
}

TEST(ParseHtml, ReadsManyAttributesAndLongWords) {
  std::string html = "<p class='" + Repeat("a ", 100000) + "'";
  for (int i = 0; i < 3000; ++i) html += " a" + std::to_string(i) + "=1";
  const Document page = Parse(html + ">" + std::string(2000000, 'x'));
  EXPECT_EQ(TextOfPage(page).size(), 2000001u);
}

TEST(ParseHtml, LooksAtSoManyAttributesAndSoMuchOfAClassOnly) {
  const std::string far(kMaxClassBytes, ' ');
  EXPECT_EQ(Text("<p>a</p><div class='sidebar" + far + "'>b</div>"), "a\n");
  EXPECT_EQ(Text("<p>a</p><div class='" + far + "sidebar'>b</div>"), "a\n\nb\n");
  std::string many;
  for (size_t i = 0; i < kMaxAttributes; ++i) many += " a" + std::to_string(i);
  EXPECT_EQ(Text("<p>a</p><p hidden" + many + ">b</p>"), "a\n");
  EXPECT_EQ(Text("<p>a</p><p" + many + " hidden>b</p>"), "a\n\nb\n");
}

TEST(ParseHtml, SeeksTheMarkOfAHeadingsLinkNearByOnly) {
  const auto mark = [](size_t depth) {
    return "<p>a <a href='#x'>" + Repeat("<i>", depth) + "#" + Repeat("</i>", depth) + "</a>";
  };
  EXPECT_EQ(Text(mark(3)), "a\n");
  EXPECT_EQ(Text(mark(300)), "a #\n");
}

TEST(ParseHtml, JoinsSpansOfCodeUntilTheyAreLong) {
  EXPECT_EQ(Text("<p>" + Repeat("<code>a</code>", 3)), "`aaa`\n");
  const std::string text = Text("<p>" + Repeat("<code>a</code>", 5000));
  EXPECT_NE(text.find("a` `a"), std::string::npos);
  EXPECT_EQ(size_t(std::count(text.begin(), text.end(), 'a')), 5000u);
}

TEST(ParseHtml, ReadsTheTeXOfFormulasOnce) {
  EXPECT_EQ(Text("<p><math><mi>y</mi><mrow encoding='application/x-tex'>x<mrow "
                 "encoding='application/x-tex'>^2</mrow></mrow></math>"),
            "x^2\n");
  // Each of these holds all that follow, and none a word.
  EXPECT_LT(test::SecondsOf(
                [] { ExpectInvariants(Parse("<p>a<math>" + Repeat("<mrow encoding='application/x-tex'>", 9900))); }),
            1);
}

TEST(ParseHtml, StaysLinearInDeepLists) {
  std::string html;
  for (int i = 0; i < 2000; ++i) html += "<ul><li>item";
  EXPECT_LT(Text(html).size(), 200000u);
}

TEST(HtmlTree, CountsOpenElementsOnly) {
  const auto is_read = [](std::string_view html) { return HtmlTree::Parse(html, "p.html").ok(); };
  const size_t more = kMaxNesting + 1;
  EXPECT_TRUE(is_read(Repeat("<div><p></div>", more)));
  EXPECT_TRUE(is_read(Repeat("<div><span></div>", more)));
  EXPECT_TRUE(is_read(Repeat("</div>", more) + "<p>" + Repeat("<br>", more)));
  EXPECT_TRUE(is_read("<script>" + Repeat("<div>", more) + "</script><!--" + Repeat("<div>", more) + "-->"));
  for (const std::string_view tag :
       {"<div>", "<DIV>", "<divider>", "<div><b>", "<svg><g>", "<table><td>", "<template>"}) {
    const Result<HtmlTree> tree = HtmlTree::Parse(Repeat(tag, more) + "x", "p.html");
    ASSERT_FALSE(tree.ok()) << tag;
    EXPECT_EQ(tree.error().message, "p.html: elements are nested more than 10000 deep: split the page or exclude it")
        << tag;
  }
}

TEST(HtmlTree, RefusesMarkupThatIsTooTangledWithoutLookingAtTheClock) {
  const std::string html = Repeat("<div><b>", 4000) + Repeat("&lt;", 10000);  // each looks through all of them
  const Result<HtmlTree> read = HtmlTree::Parse(html, "p.html");
  ASSERT_TRUE(read.ok());
  EXPECT_GT(read->steps(), 10000u * 8000u);
  EXPECT_LT(read->steps(), 40000u * 8000u);
  EXPECT_TRUE(HtmlTree::Parse(html, "p.html", read->steps()).ok());
  const Result<HtmlTree> tree = HtmlTree::Parse(html, "p.html", read->steps() - 1);
  ASSERT_FALSE(tree.ok());
  EXPECT_EQ(tree.error().message,
            "p.html: the markup is so tangled that parsing takes too long: split the page or exclude it");
}

TEST(HtmlTree, TakesTheLettersOfATextAtOnce) {
  const auto steps = [](size_t letters) {
    const Result<HtmlTree> tree = HtmlTree::Parse(Repeat("<div><b>", 400) + std::string(letters, 'x'), "p.html");
    return tree.ok() ? tree->steps() : 0;
  };
  EXPECT_GT(steps(2), 0u);
  EXPECT_EQ(steps(2), steps(10000));
}

TEST(HtmlTree, KnowsWhereElementsBehindATextBegin) {
  const std::string html = "<p>a b\n c\r\nd\te \xC3\xA9 f\r&lt;g<b>h</b> i\n<i>j</i><pre>\nk\n</pre>";
  const Result<HtmlTree> tree = HtmlTree::Parse(html, "p.html");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(TextOf(tree->root(), 1000), "a b\n c\nd\te \xC3\xA9 f\n<gh i\njk\n");
  std::vector<std::pair<unsigned, unsigned>> lines;  // and offsets
  WalkTree(
      tree->root(),
      [&](const GumboNode* node) {
        const GumboTag tag = TagOf(node);
        if (tag == GUMBO_TAG_B || tag == GUMBO_TAG_I) {
          lines.emplace_back(node->v.element.start_pos.line, node->v.element.start_pos.offset);
        }
        return true;
      },
      [](const GumboNode*) {});
  const std::vector<std::pair<unsigned, unsigned>> expected = {{4, html.find("<b>")}, {5, html.find("<i>")}};
  EXPECT_EQ(lines, expected);
}

TEST(HtmlTree, DropsAttributesBeyondItsBound) {
  std::string many = "<p";
  for (size_t i = 0; i < kMaxAttributes + 9; ++i) many += " a" + std::to_string(i) + "=v" + std::to_string(i);
  const Result<HtmlTree> tree = HtmlTree::Parse(many + "><i " + std::string(300, 'n') + "=1 id=short>x", "p.html");
  ASSERT_TRUE(tree.ok());
  const GumboNode *paragraph = nullptr, *italic = nullptr;
  WalkTree(
      tree->root(),
      [&](const GumboNode* node) {
        if (TagOf(node) == GUMBO_TAG_P) paragraph = node;
        if (TagOf(node) == GUMBO_TAG_I) italic = node;
        return true;
      },
      [](const GumboNode*) {});
  ASSERT_NE(paragraph, nullptr);
  ASSERT_NE(italic, nullptr);
  EXPECT_EQ(paragraph->v.element.attributes.length, kMaxAttributes);
  EXPECT_EQ(Attribute(paragraph, "a255"), "v255");  // and not the value of one that was dropped
  EXPECT_EQ(italic->v.element.attributes.length, 1u);
  EXPECT_EQ(Attribute(italic, "id"), "short");
}

// ---- real pages -----------------------------------------------------------------------------------

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string WithoutSpace(std::string_view text) {
  std::string dense;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "\xC2\xA0") {
      ++i;
    } else if (text.substr(i, 3) == "\xE2\x80\x8B") {
      i += 2;
    } else if (text[i] != ' ' && text[i] != '\n' && text[i] != '\t') {
      dense += text[i];
    }
  }
  return dense;
}

// The texts of all <pre> in the page's content, white space taken out.
std::vector<std::string> PreTexts(std::string_view source) {
  std::vector<std::string> texts;
  Result<HtmlTree> tree = HtmlTree::Parse(source, "");
  if (!tree.ok()) return texts;
  const HtmlContent content = FindContent(tree->root());
  for (const GumboNode* root : content.roots) {
    const GumboNode* pre = nullptr;
    WalkTree(
        root,
        [&](const GumboNode* node) {
          if (IsText(node) && pre != nullptr) texts.back() += WithoutSpace(node->v.text.text);
          if (IsFurniture(node) && node != root) return false;
          if (content.whole_body && IsSiteHeader(node)) return false;
          if (pre == nullptr && TagOf(node) == GUMBO_TAG_PRE) {
            pre = node;
            texts.emplace_back();
          }
          return true;
        },
        [&](const GumboNode* node) {
          if (node != pre) return;
          if (IsLineNumbers(pre, TextOf(pre, size_t(-1)))) texts.pop_back();  // beside code
          pre = nullptr;
        });
  }
  return texts;
}

// Every page below SHEAF_HTML_DIR, for example an installed HTML manual.
TEST(ParseHtml, HoldsItsPromisesOnRealPages) {
  const char* folder = std::getenv("SHEAF_HTML_DIR");
  if (folder == nullptr) GTEST_SKIP() << "SHEAF_HTML_DIR names no folder of HTML pages";
  size_t pages = 0, words = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".html") continue;
    const std::string path = entry.path().string();
    const std::string bytes = ReadAll(entry.path());
    const Result<Document> page = ParseFile(bytes, path);
    ASSERT_TRUE(page.ok()) << path << ": " << page.error().message;
    ExpectInvariants(*page);
    ++pages;
    std::string prose;
    for (const Block& block : page->blocks) prose += block.prose + "\n";
    words += prose.size();
    std::string code;
    for (const Block& block : page->blocks) code += WithoutSpace(block.code);
    for (const std::string& pre : PreTexts(bytes)) {
      EXPECT_NE(code.find(pre), std::string::npos) << path << " lost " << pre.substr(0, 200);
    }
    EXPECT_FALSE(page->title.empty()) << path;
    for (const std::string_view bad : {"<div", "<span", "</p>", "</script", "</style", "Prev Up", "Up Home",
                                       "Home Next", "\xC2\xB6", "\xEF\xBF\xBD"}) {
      EXPECT_EQ(prose.find(bad), std::string::npos) << path << " holds " << bad;
    }
  }
  EXPECT_GT(pages, 0u);
  EXPECT_GT(words, 0u);
}

// ---- links ----------------------------------------------------------------------------------

std::string Linked(const std::string& html) {
  const LinkAddress address = [](std::string_view href) {
    return href.starts_with('#') ? std::string() : "https://example.org/" + std::string(href);
  };
  Result<Document> document = ParseHtml("<main>" + html + "</main>", "page.html", address);
  return document.ok() ? MakePage(std::move(*document), {}).text : document.error().message;
}

TEST(ParseHtmlLinks, StayAsMarkdownHasThem) {
  EXPECT_EQ(Linked("<p>To make one, see <a href='create.html'>CREATE <b>TABLE</b></a> and <a "
                   "href='x'><code>x()</code></a>.</p>"),
            "To make one, see [CREATE TABLE](https://example.org/create.html) and [`x()`](https://example.org/x).\n");
}

TEST(ParseHtmlLinks, LeaveTheirWordsAloneWhereTheyLeadNowhere) {
  EXPECT_EQ(Linked("<h1>A <a href='b'>b</a></h1><p>Text with a <a href='#c'>part</a>, <a href='d'> </a>and <code>e <a "
                   "href='f'>f</a></code>.</p>"),
            "# A b\n\nText with a part, and `e f`.\n");
}

TEST(ParseHtmlLinks, AreLeftOutOfMenusAndIndexes) {
  EXPECT_EQ(Linked("<p>Some words that explain what follows here.</p><ul><li><a href='a'>First entry</a></li><li><a "
                   "href='b'>Second</a>: 3</li></ul>"),
            "Some words that explain what follows here.\n\n- First entry\n- Second: 3\n");
}

TEST(ParseHtmlLinks, EndWithTheParagraph) {
  EXPECT_EQ(Linked("<div>Several words before it <a href='a'>one<p>two</p></a></div>"),
            "Several words before it [one](https://example.org/a)\n\ntwo\n");
}

TEST(ParseHtmlLinks, StandInItemsTablesAndQuotations) {
  EXPECT_EQ(Linked("<ul><li>Several words, then <a href='a'>one</a></li></ul><blockquote><p>Several words, then <a "
                   "href='b'>two</a></p></blockquote>"),
            "- Several words, then [one](https://example.org/a)\n\n> Several words, then "
            "[two](https://example.org/b)\n");
  EXPECT_EQ(Linked("<table><tr><th>Name</th><th>What it is</th></tr><tr><td>this | that</td><td>some words about <a "
                   "href='a'>it | them</a></td></tr></table>"),
            "| Name | What it is |\n| --- | --- |\n| this \\| that | some words about [it \\| "
            "them](https://example.org/a) |\n");
}

TEST(ParseHtmlLinks, LeaveTheirWordsAloneWhereMarkdownWouldReadSomethingElse) {
  EXPECT_EQ(Linked("<p>Some words before <a href='a'>x]</a>, <a href='b'>y[0]</a>, <a href='c'>one<br>two</a>.</p>"),
            "Some words before x], [y[0]](https://example.org/b), one\ntwo.\n");
  // Two spans that touch are one.
  EXPECT_EQ(Linked("<p>Some words before <code>a</code><a href='b'><code>b</code></a>, <a "
                   "href='c'><code>c</code></a><code>d</code>.</p>"),
            "Some words before `ab`, `cd`.\n");
}

TEST(ParseHtmlLinks, LeadFromPicturesByTheirWords) {
  EXPECT_EQ(Linked("<p>Some words before <a href='a'><img src='x.png' alt='a picture'></a> and <a href='b'><img "
                   "src='x.png'></a>.</p>"),
            Linked("<p>Some words before <a href='a'>a picture</a> and .</p>"));
}

TEST(ParseHtmlLinks, AreSeenNeitherByTheIndexNorByEncodersNorByLengths) {
  std::string html, plain;
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    html += "<p>The first words of " + n + " lead <a href='" + std::string(40, 'z') + "'>to the page " + n +
            "</a>, and more follow.</p>";
  }
  const auto page = [&](const LinkAddress& address) {
    return MakePage(std::move(*ParseHtml("<main>" + html + "</main>", "page.html", address)), {200});
  };
  const PageDraft with = page([](std::string_view href) { return std::string(href); }), without = page({});
  EXPECT_EQ(with.targets.size(), 120u);
  EXPECT_TRUE(without.targets.empty());
  ASSERT_EQ(with.passages.size(), without.passages.size());
  const auto input = [](const PageDraft& draft) {
    PageInput input;
    input.text = draft.text;
    input.targets = draft.targets;
    for (const PassageDraft& passage : draft.passages) input.passages.emplace_back().end = passage.end;
    return input;
  };
  const PageInput a = input(with), b = input(without);
  EXPECT_NE(a.text, b.text);
  for (size_t i = 0; i < with.passages.size(); ++i) {
    EXPECT_EQ(with.passages[i].prose, without.passages[i].prose);
    EXPECT_EQ(EmbeddingText(a, i), EmbeddingText(b, i));
  }
}

TEST(ParseHtmlLinks, ThatAPassageEndsInLeaveTheirWords) {
  std::string words;
  for (int i = 0; i < 100; ++i) words += "word" + std::to_string(i) + " ";
  const LinkAddress address = [](std::string_view) { return std::string("u"); };
  const std::string html =
      "<main><p>" + words + words + words + "<a href='u'>" + words + "</a>" + words + "</p></main>";
  const PageDraft with = MakePage(std::move(*ParseHtml(html, "page.html", address)), {200});
  EXPECT_GT(with.passages.size(), 4u);
  EXPECT_EQ(with.text.find('['), std::string::npos);
  EXPECT_TRUE(with.targets.empty());
}

}  // namespace parse_html_test
}  // namespace sheaf::packer
