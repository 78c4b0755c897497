#include "packer/contents/contents.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "packer/contents/contents_tree.h"
#include "tests/unit/folder_support.h"

namespace sheaf::packer {
namespace contents_test {

using Lines = std::vector<std::string>;

class Contents : public test::FolderTest {
 protected:
  // "path" or "path: chapter > chapter" for each page, in order; a chapter that has its page's title is "=path".
  Lines Ordered(const std::string& folder, const std::string& includes_from = "") {
    SourceOptions options;
    if (!includes_from.empty()) options.includes_from = At(includes_from);
    Result<SourceList> list = FindSources({At(folder)}, options);
    EXPECT_TRUE(list.ok());
    OrderByContents(&*list);
    notes_.clear();
    for (const Remark& note : list->notes) notes_.push_back(note.path + " " + note.reason);
    bytes_ = list->bytes;
    Lines lines;
    for (const SourceFile& file : list->files) {
      std::string line = file.source;
      if (!file.chapters) line += " (unlisted)";
      const char* before = ": ";
      for (const Chapter& chapter : file.chapters.value_or(std::vector<Chapter>())) {
        line += before + (chapter.name.empty() ? "=" + chapter.page : chapter.name);
        before = " > ";
      }
      lines.push_back(line);
    }
    return lines;
  }
  void Pages(const Lines& paths) {
    for (const std::string& path : paths) Write(path, "Text.\n");
  }

  Lines notes_;
  uint64_t bytes_ = 0;
};

TEST_F(Contents, OfMdBookOrderPagesAndNameTheirChapters) {
  Pages({"src/intro.md", "src/a.md", "src/b/index.md", "src/b/one two.md", "src/end.md", "src/other.md"});
  Write("src/SUMMARY.md",
        "# The Book\n\n[Introduction](intro.md)\n\n# The user's part\n\n- [Beta](./b/index.md)\n  - "
        "[One](b/one%20two.md)\n"
        "  - [Gone](gone.md)\n- [Draft]()\n  - [Alpha](a.md#part)\n\n---\n\n[End](end.md)\n");
  EXPECT_EQ(Ordered("src"), Lines({"intro.md", "b/index.md: The user's part", "b/one two.md: The user's part > Beta",
                                   "a.md: The user's part > Draft", "end.md", "other.md (unlisted)"}));
  EXPECT_EQ(notes_, Lines({"SUMMARY.md left out: it is the table of contents, which orders the pages"}));
  EXPECT_EQ(bytes_, 36u);
}

TEST_F(Contents, ThatNameNoPageStayPages) {
  Pages({"a.md"});
  Write("SUMMARY.md", "# Summary\n\nWe did well.\n\n- [Site](https://example.org/)\n- [No](../../etc/passwd)\n");
  EXPECT_EQ(Ordered(""), Lines({"SUMMARY.md (unlisted)", "a.md (unlisted)"}));
  EXPECT_TRUE(notes_.empty());
}

TEST_F(Contents, OfMkDocsMayLieAboveTheRoot) {
  Pages({"docs/index.md", "docs/z.md", "docs/deep/a.md", "docs/deep/b.md", "docs/last.md"});
  Write("mkdocs.yml",
        "site_name: X\nplugins: [!!python/name:material.x '']\nnav:\n  - index.md\n  - Learn:\n      - z.md\n      - "
        "Deep:\n"
        "          - The B: deep/b.md\n          - https://example.org\n          - deep/a.md\n");
  const Lines listed = {"index.md", "z.md: Learn", "deep/b.md: Learn > Deep", "deep/a.md: Learn > Deep",
                        "last.md (unlisted)"};
  EXPECT_EQ(Ordered("docs", "."), listed);
  EXPECT_EQ(Ordered("docs")[0], "index.md (unlisted)") << "nothing above what may be included is read";
  Write("mkdocs.yml", "nav: [{a: [");
  EXPECT_EQ(Ordered("docs", ".")[0], "index.md (unlisted)") << "a broken one costs the order alone";
}

TEST_F(Contents, OfMkDocsThatGrowByAliasesEnd) {
  std::string text = "a0: &a0 [a.md, a.md]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [{x: " + before + "}, {y: " + before + "}]\n";
  }
  Pages({"docs/a.md"});
  Write("mkdocs.yml", text + "nav: [a.md, {z: *a39}]\n");
  EXPECT_EQ(Ordered(""), Lines({"docs/a.md"}));
}

TEST_F(Contents, WhoseAliasesNameNothingOrMuchEnd) {
  Pages({"docs/a.md"});
  std::string nothing = "nav:\n  - a.md\n  - b: &m [" + std::string(200'000, '~') + "]\n";
  for (size_t at = nothing.find('~'); at != std::string::npos; at = nothing.find("~~", at + 2))
    nothing.replace(at, 2, "~,");
  for (int i = 0; i < 20'000; ++i) nothing += "  - b: *m\n";
  Write("mkdocs.yml", nothing);
  EXPECT_EQ(Ordered(""), Lines({"docs/a.md"}));
  std::string much = "nav:\n  - ? &n " + std::string(100'000, 'x') + "\n    : a.md\n";
  for (int i = 0; i < 20'000; ++i) much += "  - ? *n\n    : a.md\n";  // 2 GB, were names kept whole
  Write("mkdocs.yml", much);
  EXPECT_EQ(Ordered(""), Lines({"docs/a.md"}));
}

TEST_F(Contents, WhoseCaptionIsLongAreClipped) {
  std::string page = ".. toctree::\n   :caption: " + std::string(200'000, 'x') + "\n\n";
  for (int i = 0; i < 50'000; ++i) page += "   a\n";  // 10 GB, were the caption kept whole
  Write("index.rst", page);
  Pages({"a.rst"});
  EXPECT_EQ(Ordered("")[1], "a.rst: " + std::string(400, 'x'));
}

TEST_F(Contents, OfSphinxFollowToctrees) {
  Pages({"z.rst", "alone.rst", "guide/b.rst", "guide/a.rst", "api/one.rst", "api/two.rst"});
  Write("index.rst",
        "Docs\n====\n\n.. toctree::\n   :caption: Contents:\n\n   z\n   guide/index\n   https://example.org\n\n"
        ".. toctree::\n   :caption: Reference\n   :maxdepth: 1\n\n   The API <api/index>\n\nAfter.\n");
  Write("guide/index.rst", "Guide\n=====\n\n.. toctree::\n\n   b\n   /guide/a.rst\n   index\n   self\n   ../z\n");
  Write("api/index.rst", "API\n===\n\n.. toctree::\n   :glob:\n\n   *\n");
  EXPECT_EQ(Ordered(""),
            Lines({"index.rst", "z.rst", "guide/index.rst", "guide/b.rst: =guide/index.rst",
                   "guide/a.rst: =guide/index.rst", "api/index.rst: Reference", "api/one.rst: Reference > The API",
                   "api/two.rst: Reference > The API", "alone.rst (unlisted)"}));
}

TEST_F(Contents, OfMystCountBesideAConfPy) {
  Pages({"a.md", "b.md"});
  Write("index.md", "# X\n\n```{toctree}\n:hidden:\n\nb\n```\n\n:::{toctree}\na.md\n:::\n");
  EXPECT_EQ(Ordered("")[1], "a.md (unlisted)");
  Write("conf.py", "");
  EXPECT_EQ(Ordered(""), Lines({"index.md", "b.md", "a.md"}));
}

TEST_F(Contents, ThatGoInCirclesListEachPageOnce) {
  Write("a.rst", ".. toctree::\n\n   b\n");
  Write("b.rst", ".. toctree::\n\n   c\n   a\n");
  Write("c.rst", ".. toctree::\n\n   a\n   b\n");
  EXPECT_EQ(Ordered(""), Lines({"a.rst", "b.rst: =a.rst", "c.rst: =a.rst > =b.rst"}));
}

TEST_F(Contents, ThatAreDeepEnd) {
  std::string summary = "# Summary\n\n";
  for (int i = 0; i < 2000; ++i) summary += std::string(size_t(i) * 2, ' ') + "- [A](a.md)\n";
  Pages({"a.md"});
  Write("SUMMARY.md", summary);
  EXPECT_EQ(Ordered(""), Lines({"a.md"}));
  for (int i = 0; i < 60; ++i)
    Write("deep/" + std::to_string(i) + ".rst", ".. toctree::\n\n   " + std::to_string(i + 1) + "\n");
  EXPECT_EQ(Ordered("deep").size(), 60u);
}

}  // namespace contents_test
}  // namespace sheaf::packer
