#include "packer/source/ignore.h"
#include "packer/source/source.h"

#include <gtest/gtest.h>

namespace sheaf::packer {
namespace ignore_test {

PathFilter Filter(std::vector<std::string> include, std::vector<std::string> exclude) {
  Result<PathFilter> filter = PathFilter::Create(include, exclude);
  EXPECT_TRUE(filter.ok());
  return std::move(*filter);
}

TEST(Ignore, KnowsDocumentationByItsExtensionInAnyCase) {
  EXPECT_EQ(KindOf("a.md"), FileKind::kMarkdown);
  EXPECT_EQ(KindOf("a.MD"), FileKind::kMarkdown);
  EXPECT_EQ(KindOf("a.Mdx"), FileKind::kMdx);
  EXPECT_EQ(KindOf("a.rst"), FileKind::kRst);
  EXPECT_EQ(KindOf("a.TXT"), FileKind::kText);
  EXPECT_EQ(KindOf("a.html"), FileKind::kHtml);
  EXPECT_EQ(KindOf("a.HTM"), FileKind::kHtml);
  EXPECT_EQ(KindOf("a.b.ipynb"), FileKind::kNotebook);
  EXPECT_EQ(KindOf("a.mdown"), FileKind::kOther);
  EXPECT_EQ(KindOf("amd"), FileKind::kOther);
  EXPECT_EQ(KindOf(".md"), FileKind::kOther);
  EXPECT_EQ(KindOf(""), FileKind::kOther);
}

TEST(Ignore, KeepsReadmesWithoutAnExtension) {
  EXPECT_EQ(KindOf("README"), FileKind::kReadme);
  EXPECT_EQ(KindOf("readme"), FileKind::kReadme);
  EXPECT_EQ(KindOf("README.Debian"), FileKind::kReadme);
  EXPECT_EQ(KindOf("README.md"), FileKind::kMarkdown);
  EXPECT_EQ(KindOf("readme.js"), FileKind::kOther);
}

TEST(Ignore, SkipsLicencesAndChangelogsWithoutExtensionButKeepsThoseWithOne) {
  for (const char* name : {"LICENSE", "CHANGELOG", "AUTHORS"}) EXPECT_EQ(KindOf(name), FileKind::kOther) << name;
  EXPECT_EQ(KindOf("CHANGELOG.md"), FileKind::kMarkdown);
  EXPECT_EQ(KindOf("LICENSE.txt"), FileKind::kText);
}

TEST(Ignore, SkipsFoldersThatHoldNoDocumentation) {
  for (const char* name : {"node_modules", "__pycache__", ".git", ".venv", ".github"}) {
    EXPECT_TRUE(IsIgnoredFolder(name)) << name;
  }
  for (const char* name : {"docs", "node", "Node_modules"}) EXPECT_FALSE(IsIgnoredFolder(name)) << name;
}

TEST(Ignore, NamesThatDocumentationHasInRealProjectsAreSkippedOnlyAsOpenGroundDoes) {
  for (const char* name : {"images", "img", "assets", "static", "_build", "build", "dist"}) {
    EXPECT_FALSE(IsIgnoredFolder(name)) << name;
    EXPECT_TRUE(IsIgnoredFolder(name, FolderRules::kOpenGround)) << name;
  }
}

TEST(PathFilter, TakesEverythingWithoutPatterns) {
  EXPECT_TRUE(Filter({}, {}).Takes("a/b.md"));
  EXPECT_FALSE(Filter({}, {}).Prunes("a"));
}

TEST(PathFilter, TriesAPatternWithoutSlashOnEveryPartOfThePath) {
  const PathFilter filter = Filter({}, {"*.txt", "drafts"});
  EXPECT_FALSE(filter.Takes("a.txt"));
  EXPECT_FALSE(filter.Takes("x/y/a.txt"));
  EXPECT_FALSE(filter.Takes("x/drafts/a.md"));
  EXPECT_FALSE(filter.Takes("drafts"));
  EXPECT_TRUE(filter.Takes("x/drafts2/a.md"));
  EXPECT_TRUE(filter.Prunes("x/drafts"));
}

TEST(PathFilter, TriesAPatternWithSlashOnTheWholePathAndTheFoldersAboveIt) {
  const PathFilter filter = Filter({"guide/*"}, {"guide/old"});
  EXPECT_TRUE(filter.Takes("guide/a.md"));
  EXPECT_TRUE(filter.Takes("guide/x/a.md"));  // guide/x matches, so all below it
  EXPECT_FALSE(filter.Takes("guide/old/a.md"));
  EXPECT_FALSE(filter.Takes("x/guide/a.md"));
  EXPECT_TRUE(filter.Prunes("guide/old"));
  EXPECT_FALSE(filter.Prunes("guide"));
}

TEST(PathFilter, LeadingSlashTiesANameToTheRoot) {
  const PathFilter filter = Filter({}, {"/api", "./x.md"});
  EXPECT_FALSE(filter.Takes("api/a.md"));
  EXPECT_TRUE(filter.Takes("x/api/a.md"));
  EXPECT_FALSE(filter.Takes("x.md"));
  EXPECT_TRUE(filter.Takes("a/x.md"));
}

TEST(PathFilter, TrailingSlashMeansFoldersAlone) {
  const PathFilter filter = Filter({}, {"old/"});
  EXPECT_FALSE(filter.Takes("a/old/b.md"));
  EXPECT_TRUE(filter.Takes("a/old"));
  EXPECT_TRUE(filter.Prunes("a/old"));
}

TEST(PathFilter, ExcludeGoesBeforeInclude) {
  const PathFilter filter = Filter({"*.md"}, {"a.md"});
  EXPECT_FALSE(filter.Takes("a.md"));
  EXPECT_TRUE(filter.Takes("b.md"));
  EXPECT_FALSE(filter.Takes("b.rst"));
}

TEST(PathFilter, RefusesPatternsThatNameNothing) {
  for (const char* pattern : {"", "/", "./", "//"}) {
    EXPECT_EQ(PathFilter::Create({pattern}, {}).code(), ErrorCode::kInvalidArgument) << pattern;
  }
  EXPECT_EQ(PathFilter::Create({}, {"[a"}).code(), ErrorCode::kInvalidArgument);
}

}  // namespace ignore_test
}  // namespace sheaf::packer
