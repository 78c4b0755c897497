// Documents built to be slow or large, for every parser.
//
// A document of four times the size may cost about four times as much; what grows with the square costs sixteen
// times as much. Processor time is compared with itself, so a slow machine or a sanitizer changes nothing; a bound
// on seconds would tell something else on each of them. A document may also be refused as too large; what gumbo
// does before that is counted in steps (HtmlTree).
//
// A new parser gets shapes of its own below.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "packer/parse/html/html_tree.h"
#include "packer/parse/parse.h"
#include "packer/parse/shared/title.h"
#include "tests/unit/processor_time.h"

namespace sheaf::packer {
namespace hostile_documents_test {

std::string Repeat(std::string_view piece, size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (size_t i = 0; i < times; ++i) text += piece;
  return text;
}

// `make(i)` for i from 0 to n - 1, one after another.
template <typename Make>
std::string Join(size_t n, Make make) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += make(std::to_string(i));
  return text;
}

struct Shape {
  const char* name;
  std::string path;                               // its extension says which parser reads it
  std::function<std::string(size_t bytes)> make;  // a document of about so many bytes
  size_t bytes = 20'000;                          // the smallest that is tried
  size_t number = 0;                              // among all of them
};

// What a test of it is called: "12 html attributes of one tag". Marks would not pass through ctest's lists.
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.number << ' ' << shape.path.substr(shape.path.rfind('.') + 1) << ' ';
  bool is_word = true;
  for (const char c : std::string_view(shape.name)) {
    const bool was_word = std::exchange(is_word, std::isalnum(uint8_t(c)) != 0);
    if (is_word)
      *out << c;
    else if (was_word)
      *out << ' ';
  }
}

// A document that is one piece, many times over.
Shape Many(const char* path, const char* piece) {
  return {piece, path, [piece](size_t bytes) { return Repeat(piece, bytes / std::string_view(piece).size()); }};
}

// Elements inside one another. gumbo looks through what is open, up to a bound that these documents go beyond.
Shape Nested(const char* piece) {
  Shape shape = Many("a.html", piece);
  shape.bytes = 11'000 * std::string_view(piece).size();
  return shape;
}

std::vector<Shape> Shapes() {
  std::vector<Shape> shapes;
  for (const char* piece : {"<table><tr><td>", "<math encoding='application/x-tex'>", "<foo>", "<div><b>", "<template>",
                            "<dl><dt id=x>a<dd>b", "<ul><li>", "<blockquote>", "<div class=note>", "<section id=a>",
                            "<a><div></a>", "<div hidden>", "<i></p>"}) {
    shapes.push_back(Nested(piece));
  }
  for (const char* piece : {"<table>",
                            "<table><b>",
                            "<svg>",
                            "<svg><g/>",
                            "<foo></bar>",
                            "&amp;",
                            "&",
                            "&notanentity;",
                            "<b>",
                            "<p><font size=1>",
                            "<html a=1>",
                            "<body a=1>",
                            "<a>",
                            "<nobr>",
                            "<select>",
                            "<form>",
                            "<form></form>",
                            "<!---->",
                            "<!--",
                            "</p>",
                            "</br>",
                            "<li>",
                            "<dd>",
                            "<option>",
                            "<frameset>",
                            "<h1>",
                            "<ruby><rt>",
                            "<td>",
                            "<b><p></b>x",
                            "<img alt=x>",
                            "<pre>",
                            "<code>a</code>",
                            "<p id=a>",
                            "<a href=#x>#</a>",
                            "<q>",
                            "<sup>2</sup>",
                            "<br>",
                            "<tr><td>a",
                            "<h2>a</h2>",
                            "<textarea>",
                            "<title>",
                            "<script>",
                            "<style>"}) {
    shapes.push_back(Many("a.html", piece));
  }
  shapes.push_back({"attributes of one tag", "a.html", [](size_t bytes) {
                      return "<p" + Join(bytes / 10, [](const std::string& i) { return " a" + i + "=1"; }) + ">x";
                    }});
  shapes.push_back({"a long name before many attributes", "a.html", [](size_t bytes) {
                      return "<p " + std::string(bytes / 2, 'a') + "=1" +
                             Join(bytes / 20, [](const std::string& i) { return " b" + i; }) + ">x";
                    }});
  shapes.push_back({"<html> with ever more attributes", "a.html", [](size_t bytes) {
                      return Join(bytes / 16, [](const std::string& i) { return "<html a" + i + "=1>"; }) + "x";
                    }});
  shapes.push_back({"a title and a heading", "a.html", [](size_t bytes) {
                      return "<title>" + Repeat("a b ", bytes / 5) + "</title><h1>" + Repeat("c d ", bytes / 20) +
                             "</h1>x";
                    }});
  shapes.push_back({"a title of spaces that do not break", "a.html",
                    [](size_t bytes) { return "<title>" + Repeat("a&nbsp;", bytes / 7) + "</title>x"; }});

  for (const char* piece : {"[",
                            "[a](",
                            "![",
                            "*a ",
                            "**a _b ",
                            "`",
                            "> ",
                            "- ",
                            "  - ",
                            "1. ",
                            "<",
                            "<a ",
                            "<!--",
                            "&",
                            "#",
                            "# a\n",
                            "|",
                            "| a ",
                            "|a|\n-|-\n",
                            "\n",
                            "a\n",
                            "{",
                            "{#",
                            "---\n",
                            ":::a\n",
                            "!!! a\n",
                            "<T>\n",
                            "<T>",
                            "import a\n",
                            "[a]: b\n",
                            "~~",
                            "<div>\n",
                            "```\n",
                            "$",
                            "<details>\n\n",
                            "- a\n\n",
                            "\t- a\n",
                            ":::\n:::a\n|",
                            "[a]: b\n{#a}![",
                            "[^a]: b\n![<pre>{",
                            "\n:::a\n|-|\n<!--"}) {
    shapes.push_back(Many("a.md", piece));
  }
  for (const char* piece : {"{\n", "#a\n", "2. a\n", "    - a\n", "> a\n", "- a\n", "# a\n"}) {
    shapes.push_back({"lines before the rules of tables", "a.md", [piece](size_t bytes) {
                        return "a\n" + Repeat(piece, bytes / 2 / std::string_view(piece).size()) +
                               Repeat("|-|\n", bytes / 8);
                      }});
  }
  for (const char* piece : {"<T>\n", "<T>", "{", "{a}\n", "import a\n", "export a\n\n", "<T a={", "</T>"})
    shapes.push_back(Many("a.mdx", piece));
  for (const char* path : {"a.md", "a.mdx"}) {
    shapes.push_back({"a title in front matter", path,
                      [](size_t bytes) { return "---\ntitle: " + Repeat("a b ", bytes / 4) + "\n---\nx\n"; }});
    shapes.push_back({"a heading", path, [](size_t bytes) { return "# " + Repeat("a b ", bytes / 4) + "\n\nx\n"; }});
    shapes.push_back(
        {"headings with the same words", path, [](size_t bytes) { return Repeat("# Same\n\n", bytes / 8); }});
  }

  for (const char* piece : {"* ",        "  * ",      "=\n",
                            "a\n=\n",    "`",         "``",
                            ":a:`",      "|",         "+-",
                            "+---+\n",   ".. a::\n",  ".. ",
                            "::\n",      " ",         "\n",
                            "a_ ",       "`a <",      ":a: b\n",
                            "a\n   b\n", "=== ===\n", "\\",
                            "*a",        "**",        ">>> a\n",
                            "* a\n\n",   ".. _a:\n",  ".. |a| replace:: b\n",
                            "1. a\n",    "a\n==\n\n", ".. note::\n\n   a\n\n"}) {
    shapes.push_back(Many("a.rst", piece));
  }
  shapes.push_back({"a title", "a.rst", [](size_t bytes) {
                      return Repeat("a b ", bytes / 8) + "c\n" + std::string(bytes / 2 + 1, '=') + "\n\nx\n";
                    }});

  for (const char* piece :
       {"a\n", "\n", "A\n=\n", "1. A\n", " ", "    a\n", "- a\n", "a ", "=\n", "\t", "-----\n", "A\n-----\n"}) {
    shapes.push_back(Many("a.txt", piece));
  }

  for (const char* piece : {"[", "{\"a\":", "\"", "\\"}) shapes.push_back(Many("a.ipynb", piece));
  const auto cells = [](std::string_view piece) {
    return [piece](size_t bytes) { return "{\"cells\":[" + Repeat(piece, bytes / piece.size()) + "0]}"; };
  };
  shapes.push_back({"empty cells", "a.ipynb", cells("{},")});
  shapes.push_back({"cells that are lists", "a.ipynb", cells("[],")});
  shapes.push_back({"cells of code", "a.ipynb", cells("{\"cell_type\":\"code\",\"source\":\"a\"},")});
  shapes.push_back({"cells of Markdown", "a.ipynb", cells("{\"cell_type\":\"markdown\",\"source\":\"# A\"},")});
  shapes.push_back({"outputs", "a.ipynb", [](size_t bytes) {
                      return "{\"cells\":[{\"cell_type\":\"code\",\"source\":\"a\",\"outputs\":[" +
                             Repeat("[],{\"a\":1},", bytes / 11) + "0]}]}";
                    }});
  shapes.push_back({"members", "a.ipynb", [](size_t bytes) {
                      return "{" + Join(bytes / 10, [](const std::string& i) { return "\"a" + i + "\":1,"; }) +
                             "\"cells\":[]}";
                    }});
  for (size_t i = 0; i < shapes.size(); ++i) shapes[i].number = i + 1;
  return shapes;
}

class HostileDocuments : public testing::TestWithParam<Shape> {};

// Seconds to parse a document and cut it into passages.
double Cost(const Shape& shape, size_t bytes) {
  const std::string text = shape.make(bytes);
  return test::SecondsOf([&] {
    Result<Document> document = ParseFile(text, shape.path);
    if (document.ok()) {
      EXPECT_LE(document->title.size(), kMaxTitleBytes);
      MakePage(std::move(*document), ChunkOptions{});
    } else if (document.code() != ErrorCode::kInvalidArgument) {  // a notebook that is no JSON
      EXPECT_EQ(document.code(), ErrorCode::kTooLarge) << document.error().message;
    }
  });
}

constexpr double kMostGrowth = 9;   // for four times the size: 4, and what noise, caches and growing buffers add
constexpr double kTooShort = 0.02;  // seconds that say nothing about growth yet
constexpr int kTurns = 5;           // noise only ever adds

TEST_P(HostileDocuments, CostGrowsNoFasterThanTheirLength) {
  const Shape& shape = GetParam();
  for (const size_t bytes : {shape.bytes, 4 * shape.bytes}) {
    double large = Cost(shape, 4 * bytes);
    if (large < kTooShort) continue;
    double small = Cost(shape, bytes);
    for (int turn = 1; turn < kTurns && large > kMostGrowth * small; ++turn) {
      large = std::min(large, Cost(shape, 4 * bytes));
      small = std::min(small, Cost(shape, bytes));
    }
    EXPECT_LE(large, kMostGrowth * small) << shape.path << ": " << shape.name << ", " << bytes << " bytes";
    return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostileDocuments, testing::ValuesIn(Shapes()),
                         [](const auto& info) { return std::to_string(info.index); });

// Where gumbo's own work grows with the square, steps see it, so that a page beyond kMaxTreeSteps is refused.
TEST(HostileHtml, SpendsTheStepsThatGumboTakes) {
  const auto steps = [](const std::string& html) {
    const Result<HtmlTree> tree = HtmlTree::Parse(html, "a.html");
    return tree.ok() ? tree->steps() : 0;
  };
  std::string attributes;
  for (int i = 0; i < 20; ++i) attributes += " a" + std::to_string(i);
  const std::function<std::string(size_t)> makers[] = {
      [](size_t n) { return Repeat("<div><b>", n) + Repeat("&lt;", n); },
      [](size_t n) { return Join(n, [](const std::string& i) { return "<p><font size=" + i + ">"; }); },
      [&](size_t n) { return Join(n, [&](const std::string& i) { return "<b" + attributes + " z=" + i + ">"; }); },
      [](size_t n) { return Repeat("<blockquote>", n); },
  };
  for (const auto& make : makers) {
    const uint64_t once = steps(make(200));
    EXPECT_GT(once, 0u);
    EXPECT_GT(steps(make(400)), 3 * once) << make(1);
    EXPECT_GT(steps(make(800)), 9 * once) << make(1);
  }
}

// What is linear in gumbo costs none, however long.
TEST(HostileHtml, TakesNoStepsForPlainPages) {
  const Result<HtmlTree> tree = HtmlTree::Parse(
      "<div><main>" +
          Repeat("<h2 id=a>Title</h2><p>Text <code>x</code> and <a href=#b>more</a>.</p><ul><li>one<li>two</ul>", 1000),
      "a.html");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree->steps(), 0u);
}

TEST(HostileDocument, HasATitleOfSoManyBytesOnly) {
  const std::string letters = Repeat("\xC3\xA4", 2000);
  for (const auto& [path, text] : {std::pair<std::string, std::string>{"a.html", "<title>" + letters + "</title><p>x"},
                                   {"b.html", "<h1>" + letters + "</h1>"},
                                   {"a.md", "---\ntitle: x" + letters + "\n---\nx\n"},
                                   {"b.md", "# " + letters + "\n"},
                                   {"a.rst", letters + "\n" + std::string(2000, '=') + "\n\nx\n"}}) {
    const Result<Document> document = ParseFile(text, path);
    ASSERT_TRUE(document.ok()) << path;
    EXPECT_GE(document->title.size(), kMaxTitleBytes - 1) << path;
    EXPECT_LE(document->title.size(), kMaxTitleBytes) << path;
    EXPECT_EQ(document->warnings, std::vector<std::string>{"the title is cut: it is longer than 2048 bytes"}) << path;
  }
}

}  // namespace hostile_documents_test
}  // namespace sheaf::packer
