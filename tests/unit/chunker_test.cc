#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "packer/base/charset.h"
#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "packer/parse/parse.h"
#include "tests/fuzz/bare_text.h"

namespace sheaf::packer {
namespace chunker_test {

Block Heading(int level, const std::string& title) {
  Block block;
  block.kind = BlockKind::kHeading;
  block.level = level;
  block.title = title;
  block.anchor = title;
  block.text = std::string(size_t(level), '#') + " " + title + "\n\n";
  return block;
}

Block Paragraph(const std::string& text) {
  Block block;
  block.text = text + "\n\n";
  block.prose = text;
  return block;
}

Block CodeBlock(const std::string& code) {
  Block block;
  block.kind = BlockKind::kCode;
  block.text = "```\n" + code + "\n```\n\n";
  block.code = code;
  return block;
}

Block Row(const std::string& text) {
  Block block;
  block.kind = BlockKind::kTableRow;
  block.text = "| " + text + " |\n";
  block.prose = text;
  return block;
}

PageDraft Make(std::vector<Block> blocks, uint32_t target = 800, const std::string& title = "Page") {
  Document document;
  document.title = title;
  document.blocks = std::move(blocks);
  uint32_t line = 1;
  for (Block& block : document.blocks) {
    block.first_line = line;
    line += uint32_t(std::count(block.text.begin(), block.text.end(), '\n'));
    block.last_line = std::max(block.first_line, line - 2);
  }
  ChunkOptions options;
  options.target_characters = target;
  return MakePage(std::move(document), options);
}

std::string Slice(const PageDraft& page, size_t i) {
  const PassageDraft& passage = page.passages.at(i);
  return page.text.substr(passage.begin, passage.end - passage.begin);
}

void CheckTiling(const PageDraft& page) {
  ASSERT_FALSE(page.passages.empty());
  uint32_t at = 0, line = 0;
  for (const PassageDraft& passage : page.passages) {
    ASSERT_EQ(passage.begin, at);
    ASSERT_TRUE(passage.end > at || page.text.empty());
    ASSERT_TRUE(IsCleanText(std::string_view(page.text).substr(passage.begin, passage.end - passage.begin)));
    ASSERT_TRUE(IsCleanText(passage.prose) && IsCleanText(passage.code));
    ASSERT_LE(line, passage.first_line);
    ASSERT_LE(passage.first_line, passage.last_line);
    line = passage.first_line;
    at = passage.end;
  }
  ASSERT_EQ(at, page.text.size());
}

std::string Words(size_t count, const std::string& word = "word") {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += word + std::to_string(i) + (i % 9 == 8 ? ". " : " ");
  text.pop_back();
  return text;
}

using Path = std::vector<std::string>;

TEST(Chunker, GivesAnEmptyPageOneEmptyPassage) {
  const PageDraft page = Make({});
  ASSERT_EQ(page.passages.size(), 1u);
  EXPECT_EQ(page.passages[0].end, 0u);
  EXPECT_EQ(page.title, "Page");
}

TEST(Chunker, CutsAtEveryHeadingWithText) {
  const PageDraft page = Make({Paragraph("Top."), Heading(2, "A"), Paragraph("One."), Heading(3, "B"),
                               Paragraph("Two."), Heading(2, "C"), Paragraph("Three.")});
  CheckTiling(page);
  ASSERT_EQ(page.passages.size(), 4u);
  EXPECT_EQ(page.passages[0].headings, Path{});
  EXPECT_EQ(page.passages[0].anchor, "");
  EXPECT_EQ(page.passages[1].headings, Path{"A"});
  EXPECT_EQ(page.passages[2].headings, (Path{"A", "B"}));
  EXPECT_EQ(page.passages[2].anchor, "B");
  EXPECT_EQ(page.passages[3].headings, Path{"C"});
  EXPECT_EQ(page.passages[3].prose, "Three.");
}

TEST(Chunker, JoinsBareHeadingsWithThePassageBelow) {
  const PageDraft page =
      Make({Heading(1, "Guide"), Heading(2, "A"), Heading(3, "B"), Paragraph("Text.")}, 800, "Other");
  CheckTiling(page);
  ASSERT_EQ(page.passages.size(), 1u);
  EXPECT_EQ(page.passages[0].headings, (Path{"Guide", "A", "B"}));
  EXPECT_EQ(page.passages[0].anchor, "B");
}

TEST(Chunker, KeepsTheWordsOfABareHeadingThatLeavesThePath) {
  const PageDraft page = Make({Heading(2, "Deprecated"), Heading(2, "Current"), Paragraph("Text.")});
  ASSERT_EQ(page.passages.size(), 1u);
  EXPECT_EQ(page.passages[0].headings, Path{"Current"});
  EXPECT_EQ(page.passages[0].prose, "Deprecated\nText.");
}

TEST(Chunker, GivesBareHeadingsAtTheEndAPassage) {
  const PageDraft page = Make({Paragraph("Text."), Heading(2, "End")});
  CheckTiling(page);
  ASSERT_EQ(page.passages.size(), 2u);
  EXPECT_EQ(page.passages[1].headings, Path{"End"});
}

TEST(Chunker, LeavesTheRepeatedTitleOutOfThePathButNotOutOfTheText) {
  const PageDraft page =
      Make({Heading(1, "Computed `properties`"), Paragraph("Top."), Heading(2, "Basics"), Paragraph("x.")}, 800,
           "computed Properties");
  CheckTiling(page);
  ASSERT_EQ(page.passages.size(), 2u);
  EXPECT_EQ(page.passages[0].headings, Path{});
  EXPECT_EQ(page.passages[0].anchor, "");
  EXPECT_NE(Slice(page, 0).find("# Computed"), std::string::npos);
  EXPECT_EQ(page.passages[1].headings, Path{"Basics"});
}

TEST(Chunker, KeepsALaterHeadingThatRepeatsTheTitle) {
  const PageDraft page = Make({Heading(1, "Other"), Paragraph("x."), Heading(2, "Page"), Paragraph("y.")});
  EXPECT_EQ(page.passages.at(1).headings, (Path{"Other", "Page"}));
}

TEST(Chunker, FillsPassagesUpToTheTarget) {
  std::vector<Block> blocks = {Heading(2, "A")};
  for (int i = 0; i < 30; ++i) blocks.push_back(Paragraph(Words(10)));  // about 68 characters each
  const PageDraft page = Make(blocks, 300);
  CheckTiling(page);
  EXPECT_EQ(page.passages.size(), 8u);  // four to a passage
  for (size_t i = 0; i + 1 < page.passages.size(); ++i) {
    EXPECT_GT(page.passages[i].end - page.passages[i].begin, 200u);
  }
}

TEST(Chunker, CountsCodePointsNotBytes) {
  std::string text;
  for (int i = 0; i < 700; ++i) text += "日";
  EXPECT_EQ(Make({Paragraph(text)}, 800).passages.size(), 1u);
}

TEST(Chunker, KeepsACodeBlockWhole) {
  std::string code;
  for (int i = 0; i < 30; ++i) code += "line " + std::to_string(i) + " of code;\n";
  const PageDraft page =
      Make({Heading(2, "A long heading that must not matter"), CodeBlock(code), Paragraph("After.")}, 620);
  CheckTiling(page);
  bool whole = false;
  for (size_t i = 0; i < page.passages.size(); ++i) whole = whole || Slice(page, i).find(code) != std::string::npos;
  EXPECT_TRUE(whole);
  EXPECT_EQ(page.passages[0].headings.size(), 1u);
}

TEST(Chunker, CutsALongCodeBlockAtLineEnds) {
  std::string code;
  for (int i = 0; i < 100; ++i) code += "  statement_" + std::to_string(i) + "();\n" + (i % 10 == 9 ? "\n" : "");
  const PageDraft page = Make({Heading(2, "A"), CodeBlock(code)}, 400);
  CheckTiling(page);
  EXPECT_GT(page.passages.size(), 3u);
  std::string joined;
  for (size_t i = 0; i < page.passages.size(); ++i) {
    const std::string slice = Slice(page, i);
    EXPECT_EQ(slice.back(), '\n');
    EXPECT_LE(slice.size(), 400u + 30u);
    EXPECT_GT(slice.size(), 150u);
    joined += page.passages[i].code + "\n";
  }
  for (int i = 0; i < 100; ++i) {  // each statement in the index once
    const std::string statement = "statement_" + std::to_string(i) + "();";
    const size_t at = joined.find(statement);
    ASSERT_NE(at, std::string::npos) << statement;
    EXPECT_EQ(joined.find(statement, at + 1), std::string::npos) << statement;
  }
}

TEST(Chunker, GivesEachPartOfACutBlockItsOwnLinesAndWords) {
  std::string code;
  for (int i = 0; i < 60; ++i) code += "call_" + std::to_string(i) + "();\n";
  code.pop_back();
  const PageDraft page = Make({CodeBlock(code)}, 200);
  CheckTiling(page);
  for (size_t i = 0; i < page.passages.size(); ++i) {
    const PassageDraft& passage = page.passages[i];
    const std::string slice = Slice(page, i);
    const auto before = std::count(page.text.begin(), page.text.begin() + passage.begin, '\n');
    EXPECT_EQ(passage.first_line, uint32_t(before) + 1);
    EXPECT_NE(slice.find(passage.code.substr(0, passage.code.find('\n'))), std::string::npos);
    EXPECT_NE(slice.find(passage.code.substr(passage.code.rfind('\n') + 1)), std::string::npos);
  }
}

TEST(Chunker, CutsALongParagraphAtSentenceEnds) {
  const std::string text = Words(300);
  const PageDraft page = Make({Paragraph(text)}, 300);
  CheckTiling(page);
  std::string prose;
  for (size_t i = 0; i < page.passages.size(); ++i) {
    const std::string slice = Slice(page, i);
    EXPECT_LE(slice.size(), 310u);
    if (i + 1 < page.passages.size()) {
      EXPECT_EQ(slice.substr(slice.size() - 2), ". ") << slice;
    }
    prose += (i ? " " : "") + page.passages[i].prose;
  }
  EXPECT_EQ(prose, text);
}

TEST(Chunker, GivesWordsBehindALongLinkToTheirOwnPart) {
  Block block;
  std::string words;
  for (int i = 0; i < 40; ++i) words += "alpha" + std::to_string(i) + " ";
  block.text = words + "[link](https://example.org/" + std::string(1500, 'x') + ") ";
  block.prose = words + "link ";
  for (int i = 0; i < 60; ++i) {
    block.text += "beta" + std::to_string(i) + " `code" + std::to_string(i) + "` ";
    block.prose += "beta" + std::to_string(i) + " ";
    block.code += "code" + std::to_string(i) + " ";
  }
  block.text += "\n";
  const PageDraft page = Make({block}, 400);
  CheckTiling(page);
  ASSERT_GT(page.passages.size(), 2u);
  for (int i = 0; i < 60; ++i) {
    const std::string beta = "beta" + std::to_string(i) + " ", code = "`code" + std::to_string(i) + "`";
    for (size_t k = 0; k < page.passages.size(); ++k) {
      const bool in_text = Slice(page, k).find(beta) != std::string::npos;
      const bool in_prose = (page.passages[k].prose + " ").find(beta) != std::string::npos;
      EXPECT_EQ(in_text, in_prose) << beta << k;
      const bool in_code =
          ("`" + page.passages[k].code + " ").find(code.substr(1, code.size() - 2) + " ") != std::string::npos;
      EXPECT_EQ(Slice(page, k).find(code) != std::string::npos, in_code) << code << k;
    }
  }
}

TEST(Chunker, KeepsTableRowsWhole) {
  std::vector<Block> blocks = {Heading(2, "T"), Row("name | meaning")};
  for (int i = 0; i < 50; ++i) blocks.push_back(Row("option" + std::to_string(i) + " | what it does"));
  const PageDraft page = Make(blocks, 300);
  CheckTiling(page);
  EXPECT_GT(page.passages.size(), 3u);
  for (size_t i = 0; i < page.passages.size(); ++i) EXPECT_EQ(Slice(page, i).back(), '\n');
}

TEST(Chunker, KeepsTheLeadInWithItsExample) {
  const std::string code(200, 'x');
  const PageDraft page = Make({Paragraph(Words(25)), Paragraph("For example:"), CodeBlock(code)}, 300);
  CheckTiling(page);
  ASSERT_EQ(page.passages.size(), 2u);
  EXPECT_EQ(page.passages[1].prose, "For example:");
  EXPECT_EQ(page.passages[1].code, code);
}

TEST(Chunker, KeepsCodeWithTheParagraphThatIntroducesIt) {
  const std::string code(150, 'x'), intro = Words(12);
  const PageDraft page = Make({Paragraph(Words(25)), Paragraph(intro), CodeBlock(code), Paragraph("End.")}, 300);
  CheckTiling(page);
  ASSERT_EQ(page.passages.size(), 2u);
  EXPECT_EQ(page.passages[1].prose, intro + "\nEnd.");
  EXPECT_EQ(page.passages[1].code, code);
}

TEST(Chunker, DoesNotTearThemApartForTheSakeOfBalance) {
  const std::string code(60, 'x'), intro = Words(4);
  const PageDraft page = Make({Paragraph(Words(20)), Paragraph(Words(20)), Paragraph(intro), CodeBlock(code),
                               Paragraph(Words(14)), Paragraph("End.")},
                              500);
  for (const PassageDraft& passage : page.passages) {
    if (passage.code.empty()) continue;
    EXPECT_NE(passage.prose.find(intro), std::string::npos);
  }
}

TEST(Chunker, NeverCutsACodeBlockOfUpToFourTargets) {
  std::string code;
  for (int i = 0; i < 110; ++i) code += "line " + std::to_string(100 + i) + "\n";
  const PageDraft page = Make({Paragraph("Before."), CodeBlock(code), Paragraph("After.")}, 300);
  CheckTiling(page);
  for (size_t i = 0; i < page.passages.size(); ++i) {
    const std::string text = Slice(page, i);
    const size_t open = text.find("```");
    if (open != std::string::npos) EXPECT_NE(text.find("```", open + 3), std::string::npos) << text;
  }
  EXPECT_EQ(page.passages.size(), 3u);
}

TEST(Chunker, FencesEachPartOfCodeThatItCuts) {
  std::string code;
  for (int i = 0; i < 400; ++i) code += "line " + std::to_string(100 + i) + "\n";
  for (const std::string& fence : {"```", "~~~~", "  > ```"}) {
    Block block = CodeBlock(code);
    block.text = fence + "py title=x\n" + code + fence + "\n";
    const PageDraft page = Make({Paragraph("Before."), block, Paragraph("After.")}, 300);
    CheckTiling(page);
    size_t parts = 0;
    for (size_t i = 0; i < page.passages.size(); ++i) {
      const std::string text = Slice(page, i);
      if (page.passages[i].code.empty()) continue;
      ++parts;
      EXPECT_NE(text.find(fence + "py title=x\nline "), std::string::npos) << text;
      EXPECT_NE(text.find("\n" + fence + "\n"), std::string::npos) << text;
      EXPECT_EQ(page.passages[i].code.find(fence), std::string::npos);
    }
    EXPECT_GT(parts, 8u);
  }
}

TEST(Chunker, WritesNoLongLineAgainForEachPart) {
  std::string code;
  for (int i = 0; i < 20000; ++i) code += "line\n";
  Block block = CodeBlock(code);
  block.text = "```" + std::string(100000, 'x') + "\n" + code + "```\n";
  EXPECT_LT(Make({block}, 200).text.size(), block.text.size() + 20000);
  block.text = std::string(100000, '`') + "\n" + code;
  EXPECT_EQ(Make({block}, 200).text, block.text);
}

TEST(Chunker, LeavesNoScrapAtTheEndOfASection) {
  std::vector<Block> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(Paragraph(std::string(95, 'a' + char(i))));  // 97 each
  const PageDraft page = Make(blocks, 700);  // seven fit, one would be left
  ASSERT_EQ(page.passages.size(), 2u);
  EXPECT_GT(page.passages[1].end - page.passages[1].begin, 300u);
}

TEST(Chunker, CutsAWordWithoutEnd) {
  const PageDraft page = Make({Paragraph(std::string(100'000, 'x'))}, 800);
  CheckTiling(page);
  for (size_t i = 0; i < page.passages.size(); ++i) EXPECT_LE(Slice(page, i).size(), 3300u);
  const PageDraft code = Make({CodeBlock(std::string(100'000, 'x'))}, 800);
  CheckTiling(code);
  for (size_t i = 0; i < code.passages.size(); ++i) EXPECT_LE(Slice(code, i).size(), 3300u);
}

TEST(Chunker, NeverCutsInsideACharacter) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "🎉";
  CheckTiling(Make({Paragraph(text)}, 100));
  text.clear();
  for (int i = 0; i < 500; ++i) text += "日本語の文章です。";
  const PageDraft page = Make({Paragraph(text)}, 100);
  CheckTiling(page);
  const std::string first = Slice(page, 0);
  EXPECT_EQ(first.substr(first.size() - 3), "。");
}

TEST(Chunker, AcceptsAnyTarget) {
  std::vector<Block> blocks = {Heading(1, "A"), Paragraph(Words(50)), CodeBlock("a\nb\nc"), Row("x")};
  for (const uint32_t target : {0u, 1u, 2u, 7u, 50u, 4'000'000'000u}) CheckTiling(Make(blocks, target));
}

TEST(Chunker, BoundsARunOfBareHeadings) {
  std::vector<Block> blocks;
  for (int i = 0; i < 5000; ++i) blocks.push_back(Heading(2, "Heading " + std::to_string(i)));
  const PageDraft page = Make(blocks, 800);
  CheckTiling(page);
  for (size_t i = 0; i < page.passages.size(); ++i) EXPECT_LE(Slice(page, i).size(), 900u);
}

TEST(Chunker, CutsAHeadingThatIsATextOfItsOwn) {
  const PageDraft page = Make({Heading(2, Words(500)), Paragraph("x")}, 200);
  CheckTiling(page);
  for (const PassageDraft& passage : page.passages) EXPECT_TRUE(passage.headings.empty());
}

TEST(Chunker, TilesRandomPages) {
  uint64_t state = 7;
  auto next = [&state](size_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return size_t(state >> 33) % limit;
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<Block> blocks;
    for (size_t i = next(12); i > 0; --i) {
      switch (next(5)) {
        case 0: blocks.push_back(Heading(int(1 + next(6)), "H" + std::to_string(i))); break;
        case 1: blocks.push_back(Paragraph(Words(1 + next(80)))); break;
        case 2: blocks.push_back(CodeBlock(Words(1 + next(60), "a\n  b"))); break;
        case 3: blocks.push_back(Row(Words(1 + next(20)))); break;
        default: blocks.push_back(Paragraph(std::string(next(300) + 1, next(2) ? 'x' : ' ') + "é:")); break;
      }
    }
    CheckTiling(Make(blocks, uint32_t(1 + next(400))));
    if (HasFatalFailure()) return;
  }
}

TEST(Chunker, TilesRealDocumentationWithinTheTarget) {
  const char* shared = std::getenv("SHEAF_SHARED");
  if (!shared) GTEST_SKIP() << "SHEAF_SHARED is not set to a folder of Markdown pages";
  size_t pages = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".md") continue;
    ++pages;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    Result<Document> document = ParseFile(bytes, entry.path().string());
    ASSERT_TRUE(document.ok());
    std::string text;
    for (const Block& block : document->blocks) text += block.text;
    const PageDraft page = MakePage(std::move(*document), ChunkOptions());
    EXPECT_TRUE(page.text == text || fuzz::BareText(page) == fuzz::BareText(text)) << entry.path();
    CheckTiling(page);
    if (HasFatalFailure()) return;
    for (size_t i = 0; i < page.passages.size(); ++i) {
      // Headings on top, then the target, then the last line or word.
      const std::string slice = Slice(page, i);
      if (!page.passages[i].code.empty() && slice.find("```") != std::string::npos) {
        EXPECT_LE(CountCodePoints(slice), 5 * 800u);  // whole code
        continue;
      }
      size_t longest = 0, headings = 0, line = 0;
      for (size_t at = 0; at < slice.size(); at = line + 1) {
        line = std::min(slice.find('\n', at), slice.size());
        longest = std::max(longest, line - at);
        if (slice[at] == '#') headings += line - at + 2;
      }
      EXPECT_LE(CountCodePoints(slice), 800 + longest + headings) << entry.path() << ":" << page.passages[i].first_line;
    }
  }
  EXPECT_GT(pages, 0u);
}

}  // namespace chunker_test
}  // namespace sheaf::packer
