#include "packer/source/glob.h"

#include <gtest/gtest.h>

#include "tests/unit/processor_time.h"

namespace sheaf::packer {
namespace glob_test {

bool Matches(std::string_view pattern, std::string_view path) {
  const Result<Glob> glob = Glob::Parse(pattern);
  EXPECT_TRUE(glob.ok()) << pattern;
  return glob.ok() && glob->Matches(path);
}

bool MayMatchBelow(std::string_view pattern, std::string_view folder) {
  return Glob::Parse(pattern)->MayMatchBelow(folder);
}

TEST(Glob, StarStaysWithinASegment) {
  EXPECT_TRUE(Matches("*.md", "a.md"));
  EXPECT_TRUE(Matches("*.md", ".md"));
  EXPECT_FALSE(Matches("*.md", "a/b.md"));
  EXPECT_FALSE(Matches("*.md", "a.mdx"));
  EXPECT_TRUE(Matches("a*c*e", "abcde"));
  EXPECT_FALSE(Matches("a*c*e", "abde"));
}

TEST(Glob, DoubleStarSpansAnyNumberOfFoldersIncludingNone) {
  EXPECT_TRUE(Matches("docs/**/*.md", "docs/a.md"));
  EXPECT_TRUE(Matches("docs/**/*.md", "docs/x/a.md"));
  EXPECT_TRUE(Matches("docs/**/*.md", "docs/x/y/z/a.md"));
  EXPECT_FALSE(Matches("docs/**/*.md", "other/a.md"));
  EXPECT_FALSE(Matches("docs/**/*.md", "docsx/a.md"));
  EXPECT_TRUE(Matches("**/a.md", "a.md"));
  EXPECT_FALSE(Matches("**/a.md", "ba.md"));
  EXPECT_TRUE(Matches("a/**/b", "a/b"));
  EXPECT_TRUE(Matches("a/**/b/**/c", "a/x/b/y/z/c"));
}

TEST(Glob, DoubleStarAtTheEndMeansEverythingBelow) {
  EXPECT_TRUE(Matches("a/**", "a/b"));
  EXPECT_TRUE(Matches("a/**", "a/b/c.md"));
  EXPECT_FALSE(Matches("a/**", "a"));
  EXPECT_FALSE(Matches("a/**", "a/"));
  EXPECT_TRUE(Matches("**", "a/b/c"));
}

TEST(Glob, DoubleStarInsideANameIsAPlainStar) {
  EXPECT_TRUE(Matches("a**b", "axxb"));
  EXPECT_FALSE(Matches("a**b", "a/b"));
}

TEST(Glob, QuestionMarkTakesOneCharacterWhateverItsBytes) {
  EXPECT_TRUE(Matches("a?c", "abc"));
  EXPECT_TRUE(Matches("a?c",
                      "a\xC3\xA9"
                      "c"));
  EXPECT_TRUE(Matches("a?c",
                      "a\xF0\x9F\x98\x80"
                      "c"));
  EXPECT_TRUE(Matches("a?c",
                      "a\xFF"
                      "c"));  // not UTF-8: one byte, one character
  EXPECT_FALSE(Matches("a?c", "a/c"));
  EXPECT_FALSE(Matches("a?c", "ac"));
}

TEST(Glob, SetsTakeOneOfTheirCharactersAndNeverASlash) {
  EXPECT_TRUE(Matches("[a-c]x", "bx"));
  EXPECT_FALSE(Matches("[a-c]x", "dx"));
  EXPECT_TRUE(Matches("[!a-c]x", "dx"));
  EXPECT_FALSE(Matches("[^a-c]x", "ax"));
  EXPECT_TRUE(Matches("[]]x", "]x"));
  EXPECT_TRUE(Matches("[a-]x", "-x"));
  EXPECT_FALSE(Matches("[!a]x", "/x"));
  EXPECT_FALSE(Matches("a[.-0]b", "a/b"));
  EXPECT_TRUE(Matches("[\xC3\xA0-\xC3\xBF]", "\xC3\xA9"));
}

TEST(Glob, BracesTakeEitherAlternativeAndNest) {
  EXPECT_TRUE(Matches("{a,b}.md", "a.md"));
  EXPECT_TRUE(Matches("{a,b}.md", "b.md"));
  EXPECT_FALSE(Matches("{a,b}.md", "c.md"));
  EXPECT_TRUE(Matches("{guide/**,api}/*.md", "guide/x/a.md"));
  EXPECT_TRUE(Matches("{guide/**,api}/*.md", "api/a.md"));
  EXPECT_TRUE(Matches("x{,-{1,2}}.md", "x.md"));
  EXPECT_TRUE(Matches("x{,-{1,2}}.md", "x-2.md"));
  EXPECT_FALSE(Matches("x{,-{1,2}}.md", "x-.md"));
  EXPECT_TRUE(Matches("{a}{b,c}{}", "ac"));
  EXPECT_TRUE(Matches("{**/x,y}.md", "p/q/x.md"));
}

TEST(Glob, BackslashTakesTheMeaningAway) {
  EXPECT_TRUE(Matches("\\*\\{a\\}\\[b", "*{a}[b"));
  EXPECT_FALSE(Matches("\\*", "x"));
  EXPECT_TRUE(Matches("a\\", "a\\"));
}

TEST(Glob, CommaAndClosingBraceOutsideBracesAreThemselves) { EXPECT_TRUE(Matches("a,b}", "a,b}")); }

TEST(Glob, AnEmptyPatternMatchesTheEmptyPathOnly) {
  EXPECT_TRUE(Matches("", ""));
  EXPECT_FALSE(Matches("", "a"));
}

TEST(Glob, RefusesWhatIsNeverClosedAndSaysHowToMeanIt) {
  for (const char* pattern : {"[a", "{a,b", "[", "[]", "[!", "{", "[a\\]"}) {
    const Result<Glob> glob = Glob::Parse(pattern);
    ASSERT_FALSE(glob.ok()) << pattern;
    EXPECT_EQ(glob.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(glob.error().message.find("backslash"), std::string::npos) << glob.error().message;
  }
}

TEST(Glob, RefusesDeepBracesAndLongPatterns) {
  EXPECT_TRUE(Glob::Parse(std::string(kMaxGlobDepth, '{') + std::string(kMaxGlobDepth, '}')).ok());
  EXPECT_FALSE(Glob::Parse(std::string(kMaxGlobDepth + 1, '{') + std::string(kMaxGlobDepth + 1, '}')).ok());
  EXPECT_EQ(Glob::Parse(std::string(kMaxGlobBytes + 1, 'a')).code(), ErrorCode::kTooLarge);
}

TEST(Glob, HostilePatternsDoNotExplode) {
  // Backtracking matchers need exponential time for these.
  std::string stars, braces;
  for (int i = 0; i < 100; ++i) stars += "*a";
  for (int i = 0; i < 100; ++i) braces += "{a,a,}";
  const std::string path(3000, 'a');
  const double seconds = test::SecondsOf([&] {
    EXPECT_FALSE(Matches(stars + "b", path));
    EXPECT_FALSE(Matches(braces + "b", path));
  });
  EXPECT_LT(seconds, 10);
}

TEST(Glob, TakesAMisspeltSlashForAnOrdinaryByte) {
  // C0 AF and E0 80 AF are '/' to a careless decoder.
  EXPECT_FALSE(Matches("a/b",
                       "a\xC0\xAF"
                       "b"));
  EXPECT_FALSE(Matches("a/b",
                       "a\xE0\x80\xAF"
                       "b"));
  EXPECT_TRUE(Matches("a???b",
                      "a\xE0\x80\xAF"
                      "b"))
      << "three bytes, each a character of its own";
}

TEST(Glob, KnowsWhichFoldersCannotHoldAMatch) {
  EXPECT_TRUE(MayMatchBelow("*.md", ""));
  EXPECT_FALSE(MayMatchBelow("*.md", "a"));
  EXPECT_TRUE(MayMatchBelow("*/x/*.md", "a"));
  EXPECT_TRUE(MayMatchBelow("*/x/*.md", "a/x"));
  EXPECT_FALSE(MayMatchBelow("*/x/*.md", "a/y"));
  EXPECT_TRUE(MayMatchBelow("a/**", "a/b/c/d"));
  EXPECT_FALSE(MayMatchBelow("a/**", "b"));
  EXPECT_FALSE(MayMatchBelow("a", "a"));
}

TEST(Glob, TellsGlobsFromPlainPaths) {
  EXPECT_TRUE(HasGlobCharacters("docs/*.md"));
  EXPECT_TRUE(HasGlobCharacters("{a,b}"));
  EXPECT_FALSE(HasGlobCharacters("docs/a-b_c.md"));
}

}  // namespace glob_test
}  // namespace sheaf::packer
