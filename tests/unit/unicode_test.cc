#include "text/unicode.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "text/analyzer.h"
#include "text/utf8.h"

namespace sheaf {
namespace unicode_test {

std::string Folded(char32_t cp) {
  char bytes[kMaxFoldBytes];
  return std::string(bytes, FoldCodePoint(cp, bytes));
}

std::string Encoded(char32_t cp) {
  std::string s;
  AppendUtf8(cp, &s);
  return s;
}

// The code points of any bytes, as TextDecoder would give them.
std::u32string Decode(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    const Decoded d = DecodeUtf8(text, at);
    out += d.code_point;
    at += d.size;
  }
  return out;
}

TEST(Utf8, RoundTripsEveryScalarValue) {
  for (char32_t cp = 0; cp < 0x110000; ++cp) {
    if (cp >= 0xD800 && cp < 0xE000) continue;
    const std::string bytes = Encoded(cp);
    const Decoded d = DecodeUtf8(bytes, 0);
    ASSERT_TRUE(d.valid) << std::hex << uint32_t(cp);
    ASSERT_EQ(d.code_point, cp);
    ASSERT_EQ(d.size, bytes.size());
  }
}

TEST(Utf8, ReplacesEachMaximalSubpartOnce) {
  const char32_t r = kReplacement;
  // The examples of the Unicode standard, chapter 3.9, tables 3-8 to 3-11.
  EXPECT_EQ(Decode("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), (std::u32string{r, r, r, r, r, r, r, r, 'A'}));
  EXPECT_EQ(Decode("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), (std::u32string{r, r, r, r, r, r, r, r, 'A'}));
  EXPECT_EQ(Decode("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), (std::u32string{r, r, r, r, r, 'A', r, r, 'B'}));
  EXPECT_EQ(Decode("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), (std::u32string{r, r, r, r, 'A'}));
}

TEST(Utf8, EndsInsideATruncatedSequence) {
  EXPECT_EQ(Decode("a\xF0\x9F\x98"), (std::u32string{'a', kReplacement}));
  EXPECT_FALSE(IsUtf8("a\xF0\x9F\x98"));
  EXPECT_TRUE(IsUtf8("a\xF0\x9F\x98\x80"));
}

TEST(Utf8, CountsUtf16UnitsAsJavaScriptDoes) {
  EXPECT_EQ(Utf16Length(""), 0u);
  EXPECT_EQ(Utf16Length("aé日"), 3u);
  EXPECT_EQ(Utf16Length("😀"), 2u);
  EXPECT_EQ(Utf16Length("\xFF\xFE"), 2u);
}

TEST(Unicode, ClassesTellWordsFromTheRest) {
  const auto of = [](char32_t cp) { return ClassOf(cp); };
  EXPECT_EQ(of('a'), CharClass::kLower);
  EXPECT_EQ(of('Z'), CharClass::kUpper);
  EXPECT_EQ(of('7'), CharClass::kDigit);
  EXPECT_EQ(of(' '), CharClass::kNone);
  EXPECT_EQ(of(U'é'), CharClass::kLower);
  EXPECT_EQ(of(U'Ω'), CharClass::kUpper);
  EXPECT_EQ(of(U'ǅ'), CharClass::kUpper);
  EXPECT_EQ(of(U'א'), CharClass::kLetter);
  EXPECT_EQ(of(U'ि'), CharClass::kLetter) << "a Devanagari vowel sign carries meaning";
  EXPECT_EQ(of(U'٣'), CharClass::kDigit);
  EXPECT_EQ(of(U'日'), CharClass::kDense);
  EXPECT_EQ(of(U'ー'), CharClass::kDense);
  EXPECT_EQ(of(U'한'), CharClass::kDense);
  EXPECT_EQ(of(U'ไ'), CharClass::kDense);
  EXPECT_EQ(of(0x20000), CharClass::kDense);
  EXPECT_EQ(of(0x0301), CharClass::kIgnored);
  EXPECT_EQ(of(0x00AD), CharClass::kIgnored);
  EXPECT_EQ(of(0x200B), CharClass::kIgnored);
  EXPECT_EQ(of(0xFE0F), CharClass::kIgnored);
  EXPECT_EQ(of(0xE0100), CharClass::kIgnored);
  EXPECT_EQ(of(0x2014), CharClass::kNone);
  EXPECT_EQ(of(U'😀'), CharClass::kNone);
  EXPECT_EQ(of(U'、'), CharClass::kNone);
  EXPECT_EQ(of(kReplacement), CharClass::kNone);
  EXPECT_EQ(of(0x10FFFF), CharClass::kNone);
}

TEST(Unicode, FoldsCaseMarksAndCompatibilityForms) {
  EXPECT_EQ(Folded('A'), "a");
  EXPECT_EQ(Folded(U'É'), "e");
  EXPECT_EQ(Folded(U'ß'), "ss");
  EXPECT_EQ(Folded(U'ẞ'), "ss");
  EXPECT_EQ(Folded(U'Æ'), "ae");
  EXPECT_EQ(Folded(U'Ø'), "o");
  EXPECT_EQ(Folded(U'Ł'), "l");
  EXPECT_EQ(Folded(U'İ'), "i");
  EXPECT_EQ(Folded(U'ı'), "i");
  EXPECT_EQ(Folded(U'ŀ'), "l");
  EXPECT_EQ(Folded(U'ﬃ'), "ffi");
  EXPECT_EQ(Folded(U'Ａ'), "a");
  EXPECT_EQ(Folded(U'²'), "2");
  EXPECT_EQ(Folded(U'Ⅷ'), "viii");
  EXPECT_EQ(Folded(U'ς'), "σ");
  EXPECT_EQ(Folded(U'Ά'), "α");
  EXPECT_EQ(Folded(U'Й'), "и");
  EXPECT_EQ(Folded(U'ｶ'), "カ");
  EXPECT_EQ(Folded(0x1D400), "a");  // mathematical bold
  EXPECT_EQ(Folded(U'が'), "が");
  EXPECT_EQ(Folded(U'각'), "각");
  EXPECT_EQ(Folded(U'€'), "€");
}

TEST(Unicode, DigitsOfAllScriptsAreOne) {
  // The zeros of Unicode 17 below U+20000, but for those of historic scripts.
  const char32_t zeros[] = {'0',    0x660,  0x6F0,  0x7C0,  0x966,  0x9E6,  0xA66,  0xAE6,  0xB66,  0xBE6,
                            0xC66,  0xCE6,  0xD66,  0xDE6,  0xE50,  0xED0,  0xF20,  0x1040, 0x1090, 0x17E0,
                            0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620,
                            0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x1D7CE};
  for (const char32_t zero : zeros) {
    for (char32_t i = 0; i < 10; ++i) {
      EXPECT_EQ(ClassOf(zero + i), CharClass::kDigit) << std::hex << uint32_t(zero + i);
      EXPECT_EQ(Folded(zero + i), std::string(1, char('0' + i))) << std::hex << uint32_t(zero + i);
    }
  }
}

TEST(Unicode, LettersOfArabicAndPersianKeyboardsAreOne) {
  for (const char32_t yeh : {0x64A, 0x649, 0x6CC, 0x626, 0xFEF2, 0xFBE9}) EXPECT_EQ(Folded(yeh), "ی") << uint32_t(yeh);
  for (const char32_t kaf : {0x643, 0x6A9, 0xFEDA, 0xFB8F}) EXPECT_EQ(Folded(kaf), "ک") << uint32_t(kaf);
  EXPECT_EQ(Analyzer::Fold("كتابي ۱۲٣"), Analyzer::Fold("کتابی 123"));
}

TEST(Unicode, FoldingIsIdempotentAndKeepsTheKindOfCharacter) {
  for (char32_t cp = 0; cp < 0x110000; ++cp) {
    if (cp >= 0xD800 && cp < 0xE000) continue;
    const CharClass kind = ClassOf(cp);
    const std::string folded = Folded(cp);
    ASSERT_FALSE(folded.empty());
    for (char32_t f : Decode(folded)) {
      ASSERT_EQ(Folded(f), Encoded(f)) << std::hex << uint32_t(cp);
      const CharClass c = ClassOf(f);
      if (IsWordClass(kind)) {
        ASSERT_TRUE(IsWordClass(c)) << std::hex << uint32_t(cp);
        ASSERT_NE(c, CharClass::kUpper) << std::hex << uint32_t(cp);
      } else {
        ASSERT_EQ(c, kind) << std::hex << uint32_t(cp);
      }
    }
  }
}

TEST(Unicode, ComposesKanaAndHangul) {
  EXPECT_EQ(ComposeDense(U'か', 0x3099), U'が');
  EXPECT_EQ(ComposeDense(U'カ', 0xFF9E), U'ガ');
  EXPECT_EQ(ComposeDense(U'は', 0x3099), U'ば');
  EXPECT_EQ(ComposeDense(U'は', 0x309A), U'ぱ');
  EXPECT_EQ(ComposeDense(U'ホ', 0xFF9F), U'ポ');
  EXPECT_EQ(ComposeDense(U'づ', 0x3099), 0u);
  EXPECT_EQ(ComposeDense(U'つ', 0x3099), U'づ');
  EXPECT_EQ(ComposeDense(U'ウ', 0x3099), U'ヴ');
  EXPECT_EQ(ComposeDense(U'か', 0x309A), 0u);
  EXPECT_EQ(ComposeDense(U'あ', 0x3099), 0u);
  EXPECT_EQ(ComposeDense(0x1100, 0x1161), U'가');
  EXPECT_EQ(ComposeDense(U'가', 0x11A8), U'각');
  EXPECT_EQ(ComposeDense(U'각', 0x11A8), 0u);
  EXPECT_EQ(ComposeDense(0x1100, 0x1100), 0u);
}

TEST(Fold, MakesTitlesComparable) {
  EXPECT_EQ(Analyzer::Fold("Café — ＡＢＣ！"), "cafe — abc!");
  EXPECT_EQ(Analyzer::Fold("The `useEffect` Hook"), "the `useeffect` hook");
  EXPECT_EQ(Analyzer::Fold("Don\u2019t\u00A0stop"), "don't stop");
  EXPECT_EQ(Analyzer::Fold("co\u00ADop\u200Beration"), "cooperation");
  EXPECT_EQ(Analyzer::Fold("e\u0301"), "e");
  EXPECT_EQ(Analyzer::Fold("か\u3099"), "が");
  EXPECT_EQ(Analyzer::Fold("ｶﾞ"), "ガ");
  EXPECT_EQ(Analyzer::Fold("\u1112\u1161\u11AB"), "한");
  EXPECT_EQ(Analyzer::Fold("Col·lecció, COL·LEGI, ŀl"), "colleccio, collegi, ll");
  EXPECT_EQ(Analyzer::Fold("l·\u0301l ł·l l·ł"), "ll ll ll") << "folded again, it stays";
  EXPECT_EQ(Analyzer::Fold("l· ·l a·l l·a ·"), "l· ·l a·l l·a ·") << "a point elsewhere";
  EXPECT_EQ(Analyzer::Fold("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(Analyzer::Fold(std::string_view("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Fold, IsIdempotentOnAnyBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = int(random() % 12); i >= 0; --i) {
      const uint32_t r = random();
      switch (r % 6) {
        case 0: text += char(r >> 8); break;
        case 1: AppendUtf8(0x3040 + (r >> 8) % 0xC0, &text); break;
        case 2: AppendUtf8((r & 256) ? 0x3099 : 0x300 + (r >> 9) % 0x70, &text); break;
        case 3: AppendUtf8(0x1100 + (r >> 8) % 0x100, &text); break;
        case 4: AppendUtf8(0xFF00 + (r >> 8) % 0xF0, &text); break;
        default: AppendUtf8((r >> 8) % 0xD800, &text);
      }
    }
    const std::string folded = Analyzer::Fold(text);
    ASSERT_TRUE(IsUtf8(folded));
    ASSERT_EQ(Analyzer::Fold(folded), folded);
  }
}

}  // namespace unicode_test
}  // namespace sheaf
