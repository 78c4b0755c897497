#include "packer/base/charset.h"

#include <gtest/gtest.h>

#include <string>

#include "packer/document/document.h"
#include "packer/parse/html/html_charset.h"
#include "packer/parse/parse.h"

namespace sheaf::packer {
namespace charset_test {

std::string Decoded(std::string_view bytes, size_t warnings = 0) {
  Result<DecodedText> decoded = DecodeText(bytes, "page.md");
  EXPECT_TRUE(decoded.ok()) << (decoded.ok() ? "" : decoded.error().message);
  if (!decoded.ok()) return "";
  EXPECT_EQ(decoded->warnings.size(), warnings);
  EXPECT_TRUE(IsCleanText(decoded->text));
  return decoded->text;
}

TEST(Charset, PassesUtf8Through) { EXPECT_EQ(Decoded("Grüße, 世界 🎉\n"), "Grüße, 世界 🎉\n"); }

TEST(Charset, AcceptsAnEmptyFile) { EXPECT_EQ(Decoded(""), ""); }

TEST(Charset, DropsTheByteOrderMark) {
  EXPECT_EQ(Decoded("\xEF\xBB\xBF# T\n"), "# T\n");
  EXPECT_EQ(Decoded("\xEF\xBB\xBF"), "");
}

TEST(Charset, DropsAMillionByteOrderMarksAtOnce) {
  std::string marks;
  for (int i = 0; i < 1'000'000; ++i) marks += "\xEF\xBB\xBF";
  EXPECT_EQ(CleanText(marks + "# T\n"), "# T\n");
  EXPECT_EQ(CleanText(marks), "");
}

TEST(Charset, ReadsLatin1WithAWarning) {
  EXPECT_EQ(Decoded("caf\xE9 \xFC"
                    "ber\n",
                    1),
            "café über\n");
}

TEST(Charset, ReadsTheQuotesOfWindows1252) {
  EXPECT_EQ(Decoded("\x93quoted\x94 \x96 \x80 5\n", 1), "“quoted” – € 5\n");
  EXPECT_EQ(Decoded("\x81\xE9\n", 1), " é\n");  // 0x81 has no character there
}

TEST(Charset, KeepsAMostlyValidFileAsUtf8) { EXPECT_EQ(Decoded("äöü ß \xFF end\n", 1), "äöü ß \uFFFD end\n"); }

TEST(Charset, ReadsAnHtmlPageInTheEncodingItDeclares) {
  const auto prose = [](std::string_view charset, std::string_view words) {
    const std::string html =
        "<html><head><meta charset=" + std::string(charset) + "></head><body><p>" + std::string(words) + "</p>";
    Result<Document> page = ParseFile(html, "page.html");
    EXPECT_TRUE(page.ok());
    EXPECT_EQ(page->warnings, std::vector<std::string>{}) << charset;
    return page->blocks.empty() ? std::string() : page->blocks[0].prose;
  };
  EXPECT_EQ(prose("koi8-r", "\xF0\xD2\xC9\xD7\xC5\xD4"), "Привет");
  EXPECT_EQ(prose("'Windows-1251'", "\xCF\xF0\xE8\xE2\xE5\xF2"), "Привет");
  EXPECT_EQ(prose("Shift_JIS", "\x93\xFA\x96\x7B\x8C\xEA \x83\x5C"), "日本語 ソ");
  EXPECT_EQ(prose("gb2312", "\xD6\xD0\xCE\xC4"), "中文");
  EXPECT_EQ(prose("euc-kr", "\xC7\xD1\xB1\xDB"), "한글");
  EXPECT_EQ(prose("iso-8859-2", "\xB1\xE6"), "ąć");
  EXPECT_EQ(prose("iso-8859-1",
                  "\x93"
                  "caf\xE9\x94"),
            "“café”");                               // as browsers take it
  EXPECT_EQ(prose("iso-8859-1", "Grüße"), "Grüße");  // valid UTF-8 is that
}

TEST(Charset, TellsOfWhatADeclaredEncodingHasNoCharacterFor) {
  Result<Document> page = ParseFile("<meta charset=shift_jis><p>\x93\xFA \x81 x \x82 y", "page.html");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->warnings, (std::vector<std::string>{"shift_jis with 2 broken characters, replaced by U+FFFD"}));
}

TEST(Charset, PassesOverEncodingsThatAreNotOfPages) {
  for (const char* charset : {"utf-7", "ibm-1047", "iso-2022-jp", "hz-gb-2312", "utf-16", "no such"}) {
    Result<Document> page = ParseFile("<meta charset=" + std::string(charset) + "><p>caf\xE9", "page.html");
    ASSERT_TRUE(page.ok()) << charset;
    EXPECT_EQ(page->warnings, (std::vector<std::string>{"not valid UTF-8, read as Latin-1 (Windows-1252)"})) << charset;
    EXPECT_EQ(page->blocks[0].prose, "café") << charset;
  }
}

TEST(Charset, FindsTheDeclarationWhereBrowsersDo) {
  EXPECT_EQ(
      DeclaredCharset("<!-- <meta charset=a> --><META http-equiv=Content-Type content='text/html; charset=KOI8-R'>"),
      "koi8-r");
  EXPECT_EQ(DeclaredCharset("<?xml version='1.0' encoding='iso-8859-15'?><html>"), "iso-8859-15");
  EXPECT_EQ(DeclaredCharset("<meta name=charset-note content=x><meta charset = \"utf-8\" />"), "utf-8");
  EXPECT_EQ(DeclaredCharset("<p>charset=koi8-r"), "");
  EXPECT_EQ(DeclaredCharset("<meta charset"), "");
  EXPECT_EQ(DeclaredCharset("<meta charset='" + std::string(100, 'x') + "'>"), "");
  EXPECT_EQ(DeclaredCharset(std::string(5000, ' ') + "<meta charset=utf-8>"), "");
}

TEST(Charset, RefusesOverlongFormsAndSurrogates) {
  // Not UTF-8 as a whole, so read as Latin-1.
  EXPECT_EQ(Decoded("\xC0\xAF\n", 1), "À¯\n");
  EXPECT_EQ(CleanText("\xED\xA0\x80x"), "\uFFFD\uFFFD\uFFFDx");
  EXPECT_EQ(CleanText("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("ab\xE2\x82"), "ab\uFFFD\uFFFD");  // cut off
}

TEST(Charset, ConvertsUtf16WithAByteOrderMark) {
  EXPECT_EQ(Decoded(std::string_view("\xFF\xFEh\0\xE9\0\n\0", 8)), "hé\n");
  EXPECT_EQ(Decoded(std::string_view("\xFE\xFF\0h\xD8\x3C\xDF\x89", 8)), "h🎉");
}

TEST(Charset, ReplacesBrokenUtf16) {
  EXPECT_EQ(Decoded(std::string_view("\xFF\xFE\x3C\xD8x\0", 6), 1), "\uFFFDx");
  EXPECT_EQ(Decoded(std::string_view("\xFF\xFEx\0y", 5), 1), "x\uFFFD");  // odd length
}

TEST(Charset, TurnsControlCharactersIntoSpaces) {
  EXPECT_EQ(Decoded(std::string_view("a\0b\x01\tc\x7F\f\n", 9)), "a b \tc  \n");
  EXPECT_EQ(Decoded("a\xC2\x85z"), "a z");  // U+0085
}

TEST(Charset, EndsLinesWithLineFeeds) {
  EXPECT_EQ(Decoded("a\r\nb\rc\n\r\n"), "a\nb\nc\n\n");
  EXPECT_EQ(Decoded("\r\r\n\n"), "\n\n\n");
}

TEST(Charset, RefusesBinaryFilesByName) {
  std::string png = "\x89PNG\r\n\x1A\n";
  for (int i = 0; i < 200; ++i) png += char(i * 37), png += '\0';
  const Result<DecodedText> decoded = DecodeText(png, "logo.md");
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(decoded.error().message.find("logo.md"), std::string::npos);
}

TEST(Charset, RefusesUtf16WithoutAMarkAndUtf32) {
  std::string wide;
  for (const char c : std::string("plain words, one after another")) wide += c, wide += '\0';
  EXPECT_EQ(DecodeText(wide, "w.txt").code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(DecodeText(std::string_view("\xFF\xFE\0\0a\0\0\0", 8), "w.txt").code(), ErrorCode::kInvalidArgument);
}

TEST(Charset, ToleratesAFewNulBytes) {
  EXPECT_EQ(Decoded(std::string_view("one\0 two\0 three", 15)), "one  two  three");
}

TEST(Charset, RoundTripsEveryCodePoint) {
  for (uint32_t c = 1; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 97) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(c, &text);
    size_t position = 0;
    ASSERT_EQ(NextCodePoint(text, &position), c);
    ASSERT_EQ(position, text.size());
    ASSERT_EQ(CountCodePoints(text), 1u);
  }
}

}  // namespace charset_test
}  // namespace sheaf::packer
