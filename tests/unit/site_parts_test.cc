#include "packer/source/site_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "packer/source/source.h"
#include "packer/source/url.h"
#include "tests/unit/folder_support.h"

namespace sheaf::packer {
namespace site_parts_test {

class SiteParts : public test::FolderTest {
 protected:
  std::vector<std::string> Found() {
    Result<SourceList> list = FindSources({folder_}, {});
    EXPECT_TRUE(list.ok());
    notes_.clear();
    std::vector<std::string> names;
    if (!list.ok()) return names;
    for (const SourceFile& file : list->files) names.push_back(file.relative);
    for (const Remark& note : list->notes) notes_ += note.path + ": " + note.reason + "\n";
    return names;
  }
  using Names = std::vector<std::string>;

  std::string notes_;
};

TEST_F(SiteParts, LayoutsOfJekyllAreNoPages) {
  Write("index.md", "x");
  Write("_layouts/page.html", "x");
  Write("docs/_includes/deep/note.md", "x");
  Write("_posts/2020-01-01-a.md", "x");
  EXPECT_EQ(Found(), (Names{"index.md", "_posts/2020-01-01-a.md"}));
  EXPECT_NE(notes_.find("_layouts/: left out: 1 file of layouts"), std::string::npos) << notes_;
}

TEST_F(SiteParts, LayoutsAreHugosOnlyBesideItsConfiguration) {
  Write("a/hugo.toml", "");
  Write("a/content/x.md", "x");
  Write("a/layouts/index.html", "x");
  Write("a/archetypes/default.md", "x");
  Write("b/layouts/index.html", "x");
  EXPECT_EQ(Found(), (Names{"a/content/x.md", "b/layouts/index.html"}));
}

TEST_F(SiteParts, HeadlessFoldersAreNoPages) {
  Write("shared/index.md", "---\nheadless: true\n---\n");
  Write("shared/deep/a.md", "x");
  Write("common/_index.md", "---\ncascade:\n  build:\n    render: never\n---\n");
  Write("common/b.md", "x");
  Write("bundle/index.md", "---\ntitle: headless\n---\nx");
  Write("bundle/c.md", "x");
  EXPECT_EQ(Found(), (Names{"bundle/index.md", "bundle/c.md"}));
  EXPECT_NE(notes_.find("shared/: left out: 2 files of a headless folder"), std::string::npos) << notes_;
}

TEST_F(SiteParts, UnderscoredFilesArePartsWherePagesIncludeThem) {
  Write("page.md", "import Part from './\\_part.md';\n{{< include \"/_common/x.md\" >}}\n");
  Write("_part.md", "x");
  Write("_other.md", "x");
  Write("_common/x.md", "x");
  Write("_common/y.md", "x");
  EXPECT_EQ(Found(), (Names{"_common/y.md", "_other.md", "page.md"}));
  Write("docusaurus.config.js", "");
  EXPECT_EQ(Found(), (Names{"page.md"}));
}

TEST_F(SiteParts, SectionIndexesHaveTheirFoldersAddress) {
  const Result<UrlMapper> urls = UrlMapper::Create("https://x.example/", UrlStyle::kDir);
  ASSERT_TRUE(urls.ok());
  EXPECT_EQ(urls->FromPath("docs/_index.md"), "https://x.example/docs/");
  EXPECT_EQ(urls->FromPath("docs/a/index.md"), "https://x.example/docs/a/");
}

}  // namespace site_parts_test
}  // namespace sheaf::packer
