#include <gtest/gtest.h>

#include <string>

#include "packer/document/document.h"
#include "packer/parse/markdown/markdown_view.h"
#include "packer/parse/parse.h"

namespace sheaf::packer {
namespace parse_notebook_test {

Document Parse(std::string_view json) {
  Result<Document> document = ParseNotebook(json, "demo/first-steps.ipynb");
  EXPECT_TRUE(document.ok()) << (document.ok() ? "" : document.error().message);
  return document.ok() ? std::move(*document) : Document();
}

std::string Text(const Document& document) {
  std::string text;
  for (const Block& block : document.blocks) text += block.text;
  return text;
}

constexpr std::string_view kNotebook = R"({
  "nbformat": 4, "nbformat_minor": 5,
  "metadata": {"kernelspec": {"language": "python", "name": "python3"}},
  "cells": [
    {"cell_type": "markdown", "source": ["# First steps\n", "\n", "Load the `data`."]},
    {"cell_type": "code", "source": "import pandas as pd\npd.read_csv('x')\n",
     "outputs": [{"output_type": "stream", "text": ["SECRET OUTPUT"]}]},
    {"cell_type": "raw", "source": "RAW CELL"},
    {"cell_type": "code", "source": []},
    {"cell_type": "markdown", "source": "## Same\n## Same"}
  ]})";

TEST(ParseNotebook, KeepsMarkdownAndCodeCells) {
  const Document document = Parse(kNotebook);
  EXPECT_EQ(document.title, "First steps");
  EXPECT_EQ(Text(document),
            "# First steps\n\nLoad the `data`.\n\n"
            "```python\nimport pandas as pd\npd.read_csv('x')\n```\n\n"
            "## Same\n## Same\n");
}

TEST(ParseNotebook, LeavesOutputsAndRawCellsOut) {
  const Document document = Parse(kNotebook);
  EXPECT_EQ(Text(document).find("SECRET"), std::string::npos);
  EXPECT_EQ(Text(document).find("RAW"), std::string::npos);
}

TEST(ParseNotebook, KeepsAnchorsDistinctAcrossCells) {
  const Document document =
      Parse(R"({"cells": [{"cell_type": "markdown", "source": "# A"}, {"cell_type": "markdown", "source": "# A"}]})");
  ASSERT_EQ(document.blocks.size(), 2u);
  EXPECT_EQ(document.blocks[0].anchor, "a");
  EXPECT_EQ(document.blocks[1].anchor, "a-1");
}

TEST(ParseNotebook, GivesNoLineNumbers) {
  for (const Block& block : Parse(kNotebook).blocks) {
    EXPECT_EQ(block.first_line, 0u);
    EXPECT_EQ(block.last_line, 0u);
  }
}

TEST(ParseNotebook, DoesNotLetACellLeakIntoTheNext) {
  const Document document = Parse(
      R"({"cells": [{"cell_type": "markdown", "source": "```\nnever closed"},
                    {"cell_type": "markdown", "source": "## Next"}]})");
  ASSERT_EQ(document.blocks.size(), 2u);
  EXPECT_EQ(document.blocks[1].title, "Next");
}

TEST(ParseNotebook, FencesCodeThatHoldsFences) {
  const Document document = Parse(R"({"cells": [{"cell_type": "code", "source": "'''\n```\nx\n````\n'''"}]})");
  ASSERT_EQ(document.blocks.size(), 1u);
  EXPECT_EQ(document.blocks[0].text, "`````\n'''\n```\nx\n````\n'''\n`````\n");
  EXPECT_EQ(document.blocks[0].code, "'''\n```\nx\n````\n'''");
}

TEST(ParseNotebook, ReadsNbformat3) {
  const Document document = Parse(
      R"({"nbformat": 3, "worksheets": [{"cells": [
          {"cell_type": "heading", "level": 2, "source": ["Old\n", "style"]},
          {"cell_type": "code", "language": "julia", "input": ["x = 1"]}]}]})");
  EXPECT_EQ(Text(document), "## Old style\n\n```julia\nx = 1\n```\n");
}

TEST(ParseNotebook, RefusesWhatIsNoNotebook) {
  for (const char* source : {"", "{", "[]", "{}", "null", "\"cells\"", "{\"cells\": [}"}) {
    const Result<Document> document = ParseNotebook(source, "bad.ipynb");
    ASSERT_FALSE(document.ok()) << source;
    EXPECT_EQ(document.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(document.error().message.find("bad.ipynb"), std::string::npos);
  }
}

TEST(ParseNotebook, ToleratesCellsOfTheWrongShape) {
  const Document document = Parse(
      R"({"metadata": 3, "cells": [1, null, {}, {"cell_type": 5}, {"cell_type": "code"},
          {"cell_type": "code", "source": {"a": 1}}, {"cell_type": "markdown", "source": [1, "ok", null]},
          {"cell_type": "heading", "level": "x", "source": "H"}, {"cell_type": "heading", "level": 99, "source": "I"}]})");
  EXPECT_EQ(Text(document), "ok\n\n# H\n\n###### I\n");
}

TEST(ParseNotebook, SurvivesDeepNesting) {
  const std::string deep = "{\"cells\": " + std::string(200000, '[') + std::string(200000, ']') + "}";
  EXPECT_TRUE(ParseNotebook(deep, "deep.ipynb").ok());
  EXPECT_FALSE(ParseNotebook(std::string(200000, '['), "deep.ipynb").ok());
}

TEST(ParseNotebook, RefusesMoreLinesThanItsBound) {
  std::string lines;
  for (size_t i = 0; i <= kMaxPageUnits; ++i) lines += "1,";
  const Result<Document> document = ParseNotebook("{\"cells\": [{\"source\": [" + lines + "1]}]}", "long.ipynb");
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().message, "long.ipynb has more than 3000000 cells and lines: split it");
  // Outputs are not read, however many there are.
  EXPECT_TRUE(ParseNotebook("{\"cells\": [{\"outputs\": [" + lines + "1]}]}", "long.ipynb").ok());
}

TEST(ParseNotebook, TakesNoLanguageOfACellThatWouldBreakItsFence) {
  const auto text = [](const std::string& language) {
    return Text(Parse(R"({"cells": [{"cell_type": "code", "language": ")" + language + R"(", "source": "x"}]})"));
  };
  EXPECT_EQ(text("julia"), "```julia\nx\n```\n");
  EXPECT_EQ(text(R"(a\n```\n# Not a heading)"), "```\nx\n```\n");
  EXPECT_EQ(text(R"(a\u0000)"), "```\nx\n```\n");
}

TEST(ParseNotebook, CleansControlCharactersThatJsonEscaped) {
  const Document document = Parse(R"({"cells": [{"cell_type": "code", "source": "a\u0000b\u001b[0m"}]})");
  EXPECT_EQ(Text(document), "```\na b [0m\n```\n");
}

}  // namespace parse_notebook_test
}  // namespace sheaf::packer
