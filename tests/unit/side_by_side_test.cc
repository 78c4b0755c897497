#include "packer/pipeline/side_by_side.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "packer/source/source.h"
#include "tests/unit/job_support.h"

namespace sheaf::packer {
namespace side_by_side_test {

class SideBySideTest : public test::JobTest {
 protected:
  static constexpr const char* kPages[] = {"fire", "glaze", "use"};

  // A page of enough words to tell what it shares, the same in each folder but for what is `added`.
  void Page(const std::string& path, const std::string& added = "") {
    const std::string name = path.substr(path.rfind('/') + 1);
    std::string text = "# About " + name + "\n\n";
    for (int i = 0; i < 20; ++i) text += name + std::to_string(i) + " kiln" + std::to_string(i * 7) + " ";
    Write("docs/" + path + ".md", text + "\n\n" + added + "\n");
  }
  void Pages(const std::string& folder, const std::string& added = "") {
    for (const char* page : kPages) Page(folder + page, added);
  }
  SourceList List() {
    Result<SourceList> list = FindSources({At("docs")}, {});
    EXPECT_TRUE(list.ok());
    return std::move(*list);
  }
  // The folders of what is left, each once.
  static std::vector<std::string> Folders(const SourceList& list) {
    std::vector<std::string> folders;
    for (const SourceFile& file : list.files) {
      const std::string folder = file.source.substr(0, file.source.rfind('/') + 1);
      if (folders.empty() || folders.back() != folder) folders.push_back(folder);
    }
    std::sort(folders.begin(), folders.end());
    return folders;
  }
  std::vector<std::string> Kept(const SideBySideOptions& options) {
    SourceList list = List();
    const auto chosen = ChooseSideBySide(&list, options);
    EXPECT_TRUE(chosen.ok()) << chosen.error().message;
    return Folders(list);
  }
  std::string Refused(const SideBySideOptions& options) {
    SourceList list = List();
    const auto chosen = ChooseSideBySide(&list, options);
    EXPECT_FALSE(chosen.ok());
    return chosen.ok() ? std::string() : chosen.error().message;
  }
  using Names = std::vector<std::string>;
};

TEST_F(SideBySideTest, PacksTheNewestVersionAndSaysHowToPackAnother) {
  for (const char* version : {"1.9/", "1.10/", "2.0/", "next/"}) Pages(version);
  SourceList list = List();
  const uint64_t before = list.bytes;
  const auto chosen = ChooseSideBySide(&list, {});
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(Folders(list), Names{"2.0/"});
  EXPECT_LT(list.bytes, before);
  ASSERT_EQ(chosen->size(), 1u);
  EXPECT_FALSE((*chosen)[0].are_languages);
  EXPECT_EQ((*chosen)[0].packed, "2.0");
  EXPECT_EQ((*chosen)[0].others, (Names{"1.10", "1.9", "next"}));
  ASSERT_EQ(list.left_out.size(), 1u);
  EXPECT_EQ(list.left_out[0].kind, "other versions");
  EXPECT_EQ(list.left_out[0].files, 9u);
  ASSERT_EQ(list.notes.size(), 1u);
  EXPECT_EQ(list.notes[0].path, ".");
  EXPECT_EQ(list.notes[0].reason,
            "holds 4 versions of the same pages: 2.0 is packed; --version-folder chooses another (1.10, 1.9, next) or "
            "all of them (all)");
}

TEST_F(SideBySideTest, PacksTheVersionThatIsCalledCurrent) {
  for (const char* version : {"old/1.0/", "old/2.0/", "old/stable/"}) Pages(version);
  EXPECT_EQ(Kept({}), Names{"old/stable/"});
}

TEST_F(SideBySideTest, PacksTheVersionOfTheOption) {
  for (const char* version : {"v1/", "v2/"}) Pages(version);
  Page("about");
  EXPECT_EQ(Kept({.version_folder = "v1"}), (Names{"", "v1/"}));
  EXPECT_EQ(Kept({.version_folder = "all"}), (Names{"", "v1/", "v2/"}));
  EXPECT_EQ(Refused({.version_folder = "v3"}), "--version-folder v3: no page is in it; expected all or one of v1, v2");
}

TEST_F(SideBySideTest, KnowsTheUnreleasedVersionOfDocusaurus) {
  for (const char* version : {"docs/", "versioned_docs/version-1.0/", "versioned_docs/version-2.0/"}) Pages(version);
  EXPECT_EQ(Kept({}), Names{"versioned_docs/version-2.0/"});
  EXPECT_EQ(Kept({.version_folder = "docs"}), Names{"docs/"});
}

TEST_F(SideBySideTest, KeepsFoldersOfOneNameWhoseTextIsNotTheSame) {
  for (const char* year : {"2023/", "2024/"}) {
    for (const char* page : kPages) {
      std::string text = "# News\n\n";
      for (int i = 0; i < 40; ++i)
        text += "In " + std::string(year) + " " + page + std::to_string(i * (year[3] - '0')) + " came. ";
      Write("docs/" + std::string(year) + page + ".md", text);
    }
  }
  EXPECT_EQ(Kept({}), (Names{"2023/", "2024/"}));
  EXPECT_EQ(Refused({.version_folder = "2023"}),
            "--version-folder 2023: no page is in it; no versions lie side by side there");
}

TEST_F(SideBySideTest, PacksEnglishOfLanguagesInFolders) {
  for (const char* language : {"de/", "en/", "pt-BR/"}) Pages(language, language);
  SourceList list = List();
  const auto chosen = ChooseSideBySide(&list, {});
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(Folders(list), Names{"en/"});
  ASSERT_EQ(chosen->size(), 1u);
  EXPECT_TRUE((*chosen)[0].are_languages);
  ASSERT_EQ(list.notes.size(), 1u);
  EXPECT_EQ(list.notes[0].reason,
            "holds 3 languages of the same pages: en is packed; --only-language chooses another (de, pt-BR) or all of "
            "them (all)");
  EXPECT_EQ(list.left_out[0].kind, "other languages");
}

TEST_F(SideBySideTest, PacksThePagesBesideTheirTranslations) {
  Pages("", "---");
  Pages("zh/");
  Page("zh/only");
  EXPECT_EQ(Kept({}), Names{""});
  EXPECT_EQ(Kept({.only_language = "zh"}), Names{"zh/"});
  EXPECT_EQ(Kept({.language = "zh-CN"}), Names{"zh/"});
}

TEST_F(SideBySideTest, PacksTheLanguageOfTheOption) {
  for (const char* language : {"de/", "en/", "zh_CN/", "zh_TW/"}) Pages(language);
  EXPECT_EQ(Kept({.only_language = "de"}), Names{"de/"});
  EXPECT_EQ(Kept({.only_language = "zh-tw"}), Names{"zh_TW/"});
  EXPECT_EQ(Kept({.only_language = "all"}), (Names{"de/", "en/", "zh_CN/", "zh_TW/"}));
  EXPECT_EQ(Refused({.only_language = "zh"}),
            "--only-language zh: no page is in it; expected all or one of de, en, zh-cn, zh-tw");
}

TEST_F(SideBySideTest, ReadsTheLanguageThatPagesName) {
  Write("docs/use.html", "<html lang=\"en\"><body><p>Use it.</p></body></html>");
  Write("docs/use.de.html", "<html lang=\"de\"><body><p>Benutzen.</p></body></html>");
  Write("docs/plain.html", "<html><body><p>Plain.</p></body></html>");
  SourceList list = List();
  ASSERT_TRUE(ChooseSideBySide(&list, {.only_language = "de"}).ok());
  ASSERT_EQ(list.files.size(), 2u);
  EXPECT_EQ(list.files[0].source, "plain.html");
  EXPECT_EQ(list.files[1].source, "use.de.html");
  EXPECT_EQ(Refused({.only_language = "fr"}), "--only-language fr: no page is in it; expected all or one of de, en");
}

TEST_F(SideBySideTest, KeepsFoldersThatOnlySoundLikeLanguages) {
  // C# and TypeScript, in English.
  for (const char* folder : {"cs/", "ts/"}) {
    for (const char* page : kPages) {
      std::string text = "# Using it\n\n";
      for (int i = 0; i < 30; ++i)
        text += "This is the way that you would have it if there were more of them than we can use with this. ";
      Write("docs/" + std::string(folder) + page + ".md", text + folder + page);
    }
  }
  EXPECT_EQ(Kept({}), (Names{"cs/", "ts/"}));
}

TEST_F(SideBySideTest, KeepsAllWithoutItsRulesButNotAgainstAnOption) {
  for (const char* version : {"1.0/", "2.0/"}) Pages(version);
  EXPECT_EQ(Kept({.chooses = false}), (Names{"1.0/", "2.0/"}));
  EXPECT_EQ(Kept({.version_folder = "1.0", .chooses = false}), Names{"1.0/"});
}

TEST_F(SideBySideTest, KeepsWhatTheUserNames) {
  for (const char* version : {"1.0/", "2.0/"}) Pages(version);
  Result<SourceList> list = FindSources({At("docs/1.0/use.md"), At("docs/2.0")}, {.root = At("docs")});
  ASSERT_TRUE(list.ok());
  ASSERT_TRUE(ChooseSideBySide(&*list, {}).ok());
  EXPECT_EQ(list->files.size(), 4u);
}

TEST_F(SideBySideTest, SaysSoInTheReport) {
  for (const char* version : {"1.0/", "2.0/"}) Pages(version, version);
  PackOptions options = Options();
  const PackReport report = Pack(options);
  ASSERT_FALSE(report.error) << report.error->message;
  EXPECT_EQ(report.pages, 3u);
  ASSERT_EQ(report.side_by_side.size(), 1u);
  EXPECT_NE(JsonOf(report).find(
                "\"sideBySide\":[{\"kind\":\"versions\",\"folder\":\"\",\"packed\":\"2.0\",\"others\":[\"1.0\"]}]"),
            std::string::npos)
      << JsonOf(report);
  options.version_folder = "3.0";
  EXPECT_EQ(Pack(options).error->code, ErrorCode::kNotFound);
}

}  // namespace side_by_side_test
}  // namespace sheaf::packer
