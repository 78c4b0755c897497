// Which things a page defines by name, from what it says of itself (packer/document/symbol_names.h).
#include "packer/document/symbol_names.h"

#include <gtest/gtest.h>

#include "packer/chunk/chunker.h"
#include "packer/parse/parse.h"

namespace sheaf::packer {
namespace symbol_names_test {

// "kind name#anchor: signature" of each symbol, a line each.
std::string Symbols(const std::string& source, const std::string& path) {
  const Result<Document> document = ParseFile(source, path);
  EXPECT_TRUE(document.ok());
  std::string lines;
  for (const SymbolName& symbol : NameSymbols(*document, path)) {
    lines += std::string(SymbolKindName(symbol.kind)) + " " + symbol.name + "#" + symbol.anchor + ": " +
             symbol.signature + (symbol.deprecated ? " (deprecated)" : "") + "\n";
  }
  return lines;
}

// "kind name" of each symbol of its passages, a line each.
std::string PassagesOf(const std::string& source, const std::string& path) {
  Result<Document> document = ParseFile(source, path);
  EXPECT_TRUE(document.ok());
  ChunkOptions options;
  options.path = path;
  std::string lines;
  for (const PassageDraft& passage : MakePage(std::move(*document), options).passages) {
    for (const auto& symbol : passage.symbols)
      lines += std::string(SymbolKindName(symbol.kind)) + " " + symbol.name + "\n";
  }
  return lines;
}

TEST(SymbolNames, OfSphinxComeFromItsAnchors) {
  const std::string html = R"(<h1>Kilns</h1>
<dl class="py class"><dt class="sig sig-object py" id="clay.Kiln"><em>class </em><span>clay.</span><span>Kiln</span>(<em>heat</em>)</dt>
<dd><p>Deprecated since 2.0. Fires clay.</p>
<dl class="py method"><dt class="sig sig-object py" id="clay.Kiln.fire"><span>fire</span>(<em>hours=8</em>)</dt><dd><p>Fires.</p></dd></dl>
<dl class="py attribute"><dt class="sig sig-object py" id="clay.Kiln.heat"><span>heat</span></dt><dd><p>Degrees.</p></dd></dl>
</dd></dl>
<dl class="py exception"><dt class="sig sig-object py" id="clay.CrackError"><em>exception </em><span>clay.</span><span>CrackError</span></dt><dd><p>Broken.</p></dd></dl>
<dl class="py function"><dt class="sig sig-object py" id="clay.open"><span>clay.</span><span>open</span>(<em>path</em>)</dt><dd><p>Opens.</p></dd></dl>
<dl class="std option"><dt class="sig sig-object std" id="cmdoption-kiln-v"><span>-v</span>, <span>--verbose</span></dt><dd><p>More.</p></dd></dl>
)";
  EXPECT_EQ(Symbols(html, "api/clay.html"),
            "class clay.Kiln#clay.Kiln: class clay.Kiln(heat) (deprecated)\n"
            "method clay.Kiln.fire#clay.Kiln.fire: fire(hours=8)\n"
            "property clay.Kiln.heat#clay.Kiln.heat: heat\n"
            "error clay.CrackError#clay.CrackError: exception clay.CrackError\n"
            "function clay.open#clay.open: clay.open(path)\n"
            "option kiln -v#cmdoption-kiln-v: -v, --verbose\n"
            "option kiln --verbose#cmdoption-kiln-v: -v, --verbose\n");
}

TEST(SymbolNames, OfSphinxAlsoComeFromTheOtherIdsOfAHeading) {
  const std::string html = R"(<h1>Kilns</h1><p>Text.</p>
<section id="doors"><span id="module-clay.doors"></span><h2>Doors</h2><p>Of a kiln.</p></section>
<section id="heat"><span id="std-setting-KILN_HEAT"></span><h2><code>HEAT</code></h2><p>Degrees.</p></section>
<section id="exact-same"><span id="std-fieldlookup-same"></span><span id="std-fieldlookup-exact"></span><h2><code>exact</code>, <code>same</code></h2><p>Equal.</p></section>
<span id="module-clay.fuel"></span><p>Text between them.</p><section id="wood"><h2>Wood</h2><p>Burns.</p></section>
)";
  EXPECT_EQ(Symbols(html, "kilns.html"),
            "module clay.doors#doors: Doors\n"
            "setting KILN_HEAT#heat: HEAT\n"
            "setting HEAT#heat: HEAT\n"
            "operator same#exact-same: exact, same\n"
            "operator exact#exact-same: exact, same\n");
}

TEST(SymbolNames, OfSphinxAlsoStandInEntriesWithoutAnIdAndInItemsOfLists) {
  const std::string html =
      R"(<h1>Kilns</h1><dl class="py class"><dt class="sig sig-object py"><em>class </em>Kiln</dt><dd><p>Has:</p>
<dl class="py method"><dt class="sig sig-object py" id="clay.Kiln.fire"><span>fire</span>(<em>hours</em>)</dt><dd><p>Fires.</p></dd></dl></dd></dl>
<ul><li><dl class="py data"><dt class="sig sig-object py" id="clay.HOT"><span>HOT</span></dt><dd><p>Very.</p></dd></dl></li></ul>
<dl class="py attribute"><dt class="sig sig-object py" id="clay.Kiln.kind"><span>kind</span><em>: str</em><em> = 'oven'</em></dt><dd></dd></dl>
<dl class="py function"><dt class="sig sig-object py">other(x)</dt><dd><p>It is defined elsewhere.</p></dd></dl>
)";
  EXPECT_EQ(Symbols(html, "kilns.html"),
            "method clay.Kiln.fire#clay.Kiln.fire: fire(hours)\n"
            "property clay.HOT#clay.HOT: HOT\n"
            "property clay.Kiln.kind#clay.Kiln.kind: kind: str = 'oven'\n");
}

TEST(SymbolNames, OfReStructuredTextComeFromItsDirectives) {
  const std::string rst =
      "Kilns\n=====\n\n.. py:module:: clay\n\n.. py:function:: fire(hours)\n\n   Fires.\n\n"
      ".. envvar:: KILN_HEAT\n\n   Degrees.\n\n.. setting:: KILN_DOOR\n\n   Its door.\n";
  EXPECT_EQ(Symbols(rst, "clay.rst"),
            "function clay.fire#clay.fire: clay.fire(hours)\n"
            "variable KILN_HEAT#envvar-KILN_HEAT: KILN_HEAT\n"
            "setting KILN_DOOR#std-setting-KILN_DOOR: KILN_DOOR\n");
}

TEST(SymbolNames, OfRustdocAreNamedByThePathOfTheirPage) {
  const std::string html =
      "<title>Kiln in clay::ovens - Rust</title><h1>Struct <span>Kiln</span></h1>"
      "<section id=\"method.fire\"><h4 class=\"code-header\">pub fn <a class=\"fn\">fire</a>(&amp;self)</h4></section>"
      "<p>Fires.</p>";
  EXPECT_EQ(Symbols(html, "clay/ovens/struct.Kiln.html"),
            "class clay::ovens::Kiln#: Struct Kiln\n"
            "method clay::ovens::Kiln::fire#method.fire: pub fn fire(&self)\n");
}

TEST(SymbolNames, OfJavadocAreNamedByTheirPackage) {
  const std::string html =
      "<title>Kiln</title><main><h1 class=\"title\">Class Kiln</h1><p>Fires clay.</p>"
      "<section class=\"detail\" id=\"&lt;init&gt;()\"><h3>Kiln</h3><div class=\"member-signature\">public "
      "Kiln()</div></section>"
      "<section class=\"detail\" id=\"fire(int)\"><h3>fire</h3><div class=\"member-signature\">public void fire(int "
      "hours)</div>"
      "<div class=\"block\">Fires.</div></section></main>";
  EXPECT_EQ(Symbols(html, "java.clay/org/clay/Kiln.html"),
            "class org.clay.Kiln#: Class Kiln\n"
            "method org.clay.Kiln.Kiln#<init>(): public Kiln()\n"
            "method org.clay.Kiln.fire#fire(int): public void fire(int hours)\n");
}

// A member of a page of Scaladoc: its anchor, its kind, its name and what follows it.
std::string ScalaMember(const std::string& anchor, const std::string& kind, const std::string& name,
                        const std::string& behind) {
  return "<li fullComment=\"yes\"><a id=\"" + anchor +
         "\" class=\"anchorToMember\"></a><span class=\"modifier_kind\"><span class=\"kind\">" + kind +
         "</span></span> <span class=\"symbol\"><span class=\"name\">" + name + "</span><span>" + behind +
         "</span></span><div class=\"fullcomment\"><p>Fires clay.</p></div></li>";
}

TEST(SymbolNames, OfScaladocAreNamedByThePathOfTheirPageAndTheirKindIsInTheirAnchors) {
  const std::string html =
      "<h1>Kiln</h1><h4 id=\"signature\" class=\"signature\"><span class=\"symbol\"><span class=\"name\">Kiln</span>"
      "<span>[+A] extends Oven[A]</span></span></h4><p>Fires clay.</p><div id=\"template\"><h3>Members</h3><ol>" +
      ScalaMember("fire[B](hours:Int=&gt;B):clay.Pot[B]", "def", "fire", "[B](hours: Int =&gt; B): Pot[B]") +
      ScalaMember("heat:Int", "val", "heat", ": Int") +
      ScalaMember("Pots[A]=List[clay.Pot[A]]", "type", "Pots", "[A] = List[Pot[A]]") +
      ScalaMember("Door[A]extendsAnyRef", "class", "Door", "[A] extends AnyRef") +
      ScalaMember("Shelf", "object", "Shelf", "") + "</ol></div>";
  const std::string members = "#fire[B](hours:Int=>B):clay.Pot[B]: fire[B](hours: Int => B): Pot[B]\n";
  EXPECT_EQ(Symbols(html, "api/clay/Kiln.html"),
            "class clay.Kiln#: Kiln[+A] extends Oven[A]\n"
            "method clay.Kiln.fire" +
                members +
                "property clay.Kiln.heat#heat:Int: heat: Int\n"
                "type clay.Kiln.Pots#Pots[A]=List[clay.Pot[A]]: Pots[A] = List[Pot[A]]\n");
  EXPECT_TRUE(Symbols(html, "clay/Kiln$.html").starts_with("module clay.Kiln#: ")) << "an object";
  EXPECT_NE(Symbols(html, "clay/data/package$$Kiln$$Door.html").find("method clay.data.Kiln.Door.fire" + members),
            std::string::npos);
  EXPECT_TRUE(Symbols(html, "clay/index.html").starts_with("module clay#: "));
}

TEST(SymbolNames, OfAPageThatOnlyHasASectionCalledSignatureAreNotScala) {
  EXPECT_EQ(Symbols("# Kilns\n\n## Signature\n\nIt has one.\n", "clay/Kilns.md"), "");
}

TEST(SymbolNames, OfHeadingsWithoutAnythingThatTellsTheirKindAreNone) {
  EXPECT_EQ(Symbols("# Notes\n\n## `door-width`\n\nText.\n\n## `fire`\n\nText.\n", "notes.md"), "");
  EXPECT_EQ(Symbols("# Notes\n\n## `kiln.heat()`\n\nText.\n", "notes.md"),
            "function kiln.heat#kilnheat: kiln.heat()\n");
  EXPECT_EQ(Symbols("# Notes\n\n## `kiln.heat`\n\nText.\n", "notes.md"), "property kiln.heat#kilnheat: kiln.heat\n");
}

TEST(SymbolNames, OfMarkdownAreHeadingsInCode) {
  const std::string markdown =
      "# Settings of the kiln\n\n## `kiln.heat`\n\nDegrees.\n\n## Install\n\nNot a name.\n\n"
      "## Environment variables\n\n### `KILN_HOME`\n\nWhere it is.\n\n"
      "## Options\n\n- `--door-open`: opens the door\n\n| name | what |\n|---|---|\n| `kiln.door_width` | its width "
      "|\n";
  EXPECT_EQ(Symbols(markdown, "settings.md"),
            "setting kiln.heat#kilnheat: kiln.heat\n"
            "variable KILN_HOME#kiln_home: KILN_HOME\n");
}

TEST(SymbolNames, OfListsOfTheEnvironmentAreItsVariables) {
  const std::string list =
      "- `KILNHOST` behaves as the host does.\n- `KILN_PORT` is its door.\n- `kiln` is a command.\n"
      "- `POT` and others follow.\n- `KILN` (a word in code)\n";
  EXPECT_EQ(PassagesOf("# Kilns\n\n## Environment variables\n\n" + list, "kilns.md"),
            "variable KILNHOST\nvariable KILN_PORT\nvariable POT\nvariable KILN\n");
  EXPECT_EQ(PassagesOf("# Kilns\n\n## Environment variables\n\n### Of doors\n\n" + list, "kilns.md"),
            "variable KILNHOST\nvariable KILN_PORT\nvariable POT\nvariable KILN\n");
  EXPECT_EQ(PassagesOf("# Kilns\n\n## Environment variables\n\nText.\n\n## Words\n\n" + list, "kilns.md"), "");
  EXPECT_EQ(PassagesOf("<h1>Environment</h1><dl><dt><code>KILNHOST</code></dt><dd><p>A host.</p></dd></dl>", "k.html"),
            "variable KILNHOST\n");
}

TEST(SymbolNames, OfEndpointsBeginWithTheirMethod) {
  EXPECT_EQ(Symbols("# Pots\n\n## GET /pots/{id}\n\nA pot.\n", "pots.md"),
            "endpoint GET /pots/{id}#get-potsid: GET /pots/{id}\n");
}

TEST(SymbolNames, OfEndpointsStandBehindTheirSummaryAndAlsoHaveTheirIdentifier) {
  EXPECT_EQ(Symbols("# Pots\n\n### Find a pot: `GET /pots/{id}` {#findPot}\n\nA pot.\n\n"
                    "### Fire: `POST /pots` {#pots-fire}\n\nOperation `pots/fire`\n\nDeprecated.\n\n"
                    "### `DELETE /pots/{id}` {#DELETE-pots-id}\n\nGone.\n\n"
                    "### Upgrade: GET /pots\n\nProse.\n\n## Schemas\n\n### `pot` {#pot}\n\nOne.\n",
                    "pots-api.md"),
            "endpoint GET /pots/{id}#findPot: GET /pots/{id}\n"
            "endpoint findPot#findPot: GET /pots/{id}\n"
            "endpoint POST /pots#pots-fire: POST /pots\n"
            "endpoint pots/fire#pots-fire: POST /pots\n"
            "endpoint DELETE /pots/{id}#DELETE-pots-id: DELETE /pots/{id}\n"
            "type pot#pot: pot\n");
}

TEST(SymbolNames, OfTypeDocAreNamedByTheirPageAndTheGroupAboveThem) {
  const std::string member = "<section class=\"tsd-panel tsd-member\">";
  const std::string html =
      "<h1>Class Kiln&lt;T&gt;<code class=\"tsd-tag\">Abstract</code></h1><section class=\"tsd-panel tsd-comment\">"
      "<p>Fires clay.</p></section>"
      "<section class=\"tsd-panel-group tsd-index-group\"><section class=\"tsd-panel tsd-index-panel\">"
      "<h3 id=\"methods\">Methods</h3><a href=\"#fire\">fire</a></section></section>"
      "<h2 id=\"constructors-1\">Constructors</h2>" +
      member +
      "<h3 id=\"constructor\"><span>constructor</span></h3><div class=\"tsd-signature\">new Kiln(width: number): "
      "Kiln</div></section><h2 id=\"properties-1\">Properties</h2>" +
      member +
      "<h3 id=\"width\"><code class=\"tsd-tag\">Readonly</code><span>width</span></h3><div "
      "class=\"tsd-signature\">width: number</div></section><h2 id=\"methods-1\">Methods</h2>" +
      member +
      "<h3 id=\"fire\"><span>fire</span></h3><div class=\"tsd-signature\">fire(pots: Pot[]): number</div><p>Heats "
      "them.</p><h4>Parameters</h4><p>pots</p></section>";
  EXPECT_EQ(Symbols(html, "classes/Tools.Kiln-1.html"),
            "class Tools.Kiln#: Class Kiln<T> Abstract\n"
            "method Tools.Kiln.Kiln#constructor: new Kiln(width: number): Kiln\n"
            "property Tools.Kiln.width#width: width: number\n"
            "method Tools.Kiln.fire#fire: fire(pots: Pot[]): number\n");
  EXPECT_EQ(Symbols("<h1>Function cut</h1><div class=\"tsd-signature\">cut(x: string): string</div><p>Cuts.</p>",
                    "docs/functions/Tools.cut.html"),
            "function Tools.cut#: cut(x: string): string\n");
  EXPECT_EQ(Symbols("# Class: Kiln\n\n## Methods\n\n### fire()\n\nHeats.\n\n### door?\n\nIts door.\n",
                    "api/kilns/namespaces/Tools/classes/Kiln.md"),
            "class Tools.Kiln#: Class: Kiln\n"
            "method Tools.Kiln.fire#fire: fire()\n"
            "method Tools.Kiln.door#door: door?\n");
  EXPECT_EQ(Symbols("# Class struggle\n\n## Methods\n\n### Strike\n\nProse.\n", "history/classes/labour.md"), "");
}

TEST(SymbolNames, OfDirectivesHaveTheirSyntaxDefaultAndContext) {
  const std::string facts =
      "<tr><th>Syntax:</th><td><code><strong>kiln_doors</strong> <i>number</i>;</code><br><code>kiln_doors "
      "auto;</code></td></tr>"
      "<tr><th>Default:</th><td><pre>kiln_doors 1;</pre></td></tr><tr><th>Context:</th><td>main</td></tr>";
  EXPECT_EQ(
      Symbols("<h2>Kiln module</h2><h4>Directives</h4><a name=\"kiln_doors\"></a><div class=\"directive\"><table>" +
                  facts + "</table></div><p>Doors.</p>",
              "ngx_kiln_module.html"),
      "setting kiln_doors#kiln_doors: Syntax: kiln_doors number; kiln_doors auto;\nDefault: kiln_doors 1;\nContext: "
      "main\n");
  EXPECT_EQ(Symbols("<h1>Kilns</h1><h2 id=\"kiln\">&lt;Kiln&gt; Directive</h2><table class=\"directive\">"
                    "<tr><th>Description:</th><td>A kiln</td></tr>"
                    "<tr><th>Syntax:</th><td><code>&lt;Kiln name&gt; ... &lt;/Kiln&gt;</code></td></tr>"
                    "<tr><th>Context:</th><td>server config</td></tr></table><p>Doors.</p>",
                    "mod_kiln.html"),
            "setting Kiln#kiln: Syntax: <Kiln name> ... </Kiln>\nContext: server config\n");
  EXPECT_EQ(Symbols("# Kilns\n\n## kiln_cache\n\n**syntax:** *kiln_cache on | off*\n\n**default:** *on*\n\n"
                    "## kiln.fire\n\n**syntax:** *pots = kiln.fire(hours)*\n\nFires.\n\n"
                    "## kiln_cut\n\n**context:** *server*\n",
                    "README.md"),
            "setting kiln_cache#kiln_cache: kiln_cache on | off\n"
            "function kiln.fire#kilnfire: pots = kiln.fire(hours)\n");
}

TEST(SymbolNames, OfProseAreNone) {
  EXPECT_EQ(Symbols("# Getting started\n\n## Install\n\nRun it.\n\n## Read/write\n\nText.\n\n## README.md\n\nText.\n",
                    "a.md"),
            "");
}

}  // namespace symbol_names_test
}  // namespace sheaf::packer
