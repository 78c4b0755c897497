#include <gtest/gtest.h>

#include <string>

#include "packer/document/document.h"
#include "packer/parse/parse.h"

namespace sheaf::packer {
namespace parse_text_test {

Document Parse(std::string_view text, std::string_view path = "docs/release-notes.txt") {
  Result<Document> document = ParseText(text, path);
  EXPECT_TRUE(document.ok());
  return document.ok() ? std::move(*document) : Document();
}

std::string Headings(const Document& document) {
  std::string out;
  for (const Block& block : document.blocks) {
    if (block.kind == BlockKind::kHeading) out += std::to_string(block.level) + " " + block.title + "\n";
  }
  return out;
}

TEST(ParseText, KeepsParagraphsAsTheyAre) {
  const std::string text = "First line\nsecond  line.\n\n\nAnother one.\n";
  const Document document = Parse(text);
  ASSERT_EQ(document.blocks.size(), 2u);
  EXPECT_EQ(document.blocks[0].text, "First line\nsecond  line.\n\n\n");
  EXPECT_EQ(document.blocks[0].prose, "First line second line.");
  EXPECT_EQ(document.blocks[1].text, "Another one.\n");
  EXPECT_EQ(document.blocks[1].first_line, 5u);
  EXPECT_EQ(document.title, "Release Notes");
}

TEST(ParseText, FindsUnderlinedHeadings) {
  const Document document = Parse("The Manual\n==========\n\nText.\n\nUsage\n-----\nMore text.\n");
  EXPECT_EQ(Headings(document), "1 The Manual\n2 Usage\n");
  EXPECT_EQ(document.title, "The Manual");
  EXPECT_EQ(document.blocks.back().text, "More text.\n");
}

TEST(ParseText, FindsCapitalsAndSectionNumbers) {
  const Document document =
      Parse("INSTALL GUIDE\n\nText.\n\n1. Setup\n\nText.\n\n1.1 Compilers\n\nText.\n\nKNOWN BUGS\n\nx\n");
  EXPECT_EQ(Headings(document), "1 INSTALL GUIDE\n1 1. Setup\n2 1.1 Compilers\n2 KNOWN BUGS\n");
}

TEST(ParseText, TakesNothingElseForAHeading) {
  const Document document = Parse(
      "1. Download it\n\n2. Run it\n\nNOTE!\n\nOK\n\na --- b\n\nA long line\n--\n\n"
      "WHEREAS THE PARTY OF THE FIRST PART, HENCEFORTH CALLED THE PARTY, AGREES\n\n"
      "version 1.2 Is out\n\n1.2 is out\n\ncol a   col b\n=====   =====\n");
  EXPECT_EQ(Headings(document), "");
}

TEST(ParseText, AcceptsEmptyAndBlankFiles) {
  EXPECT_TRUE(Parse("").blocks.empty());
  EXPECT_TRUE(Parse("\n  \n\n").blocks.empty());
  EXPECT_EQ(Parse("").title, "Release Notes");
}

TEST(ParseText, NamesIndexFilesAfterTheirFolder) {
  EXPECT_EQ(Parse("x\n", "guide/getting_started/README.txt").title, "Getting Started");
  EXPECT_EQ(Parse("x\n", "index.txt").title, "Index");
}

TEST(ParseText, CleansWhatItIsHanded) {
  const Document document = Parse(std::string_view("a\0b\xFF\r\nc", 7));
  ASSERT_EQ(document.blocks.size(), 1u);
  EXPECT_EQ(document.blocks[0].text, "a b\uFFFD\nc\n");
}

TEST(ParseFile, ChoosesByExtension) {
  EXPECT_EQ(ParseFile("# Hi\n", "A.MD")->title, "Hi");
  EXPECT_EQ(ParseFile("x\n", "notes.TXT")->title, "Notes");
  const Result<Document> unknown = ParseFile("x", "a.docx");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(unknown.error().message.find(".docx"), std::string::npos);
}

TEST(ParseFile, CarriesTheWarningsOfDecoding) {
  const Result<Document> document = ParseFile("caf\xE9\n", "menu.txt");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->blocks.at(0).text, "café\n");
  EXPECT_EQ(document->warnings.size(), 1u);
}

}  // namespace parse_text_test
}  // namespace sheaf::packer
