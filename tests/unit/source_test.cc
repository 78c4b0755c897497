#include "packer/source/source.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "packer/base/printable.h"
#include "packer/base/read_file.h"
#include "tests/unit/folder_support.h"

namespace sheaf::packer {
namespace source_test {

namespace fs = std::filesystem;

// The test runs inside its folder, so that inputs can be relative.
class SourceTest : public test::FolderTest {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    ASSERT_NO_FATAL_FAILURE(FolderTest::SetUp());
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path(before_);
    FolderTest::TearDown();
  }

  static void Write(const std::string& path, const std::string& text = "# Hello\n") {
    if (fs::path(path).has_parent_path()) fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  static SourceList Find(const std::vector<std::string>& inputs, const SourceOptions& options = {}) {
    Result<SourceList> list = FindSources(inputs, options);
    EXPECT_TRUE(list.ok()) << list.error().message;
    return list.ok() ? std::move(*list) : SourceList();
  }

  static std::vector<std::string> Names(const SourceList& list) {
    std::vector<std::string> names;
    for (const SourceFile& file : list.files) names.push_back(file.relative);
    return names;
  }

  using Strings = std::vector<std::string>;
  fs::path before_;
};

TEST_F(SourceTest, ListsAFolderSortedByTheBytesOfItsPaths) {
  for (const char* path : {"docs/b.md", "docs/a/z.md", "docs/a.md", "docs/B.md", "docs/a-b.md"}) Write(path);
  // '-' < '.' < '/' and capitals come first.
  EXPECT_EQ(Names(Find({"docs"})), (Strings{"B.md", "a-b.md", "a.md", "a/z.md", "b.md"}));
}

TEST_F(SourceTest, TakesDocumentationOnly) {
  for (const char* path :
       {"d/a.md", "d/b.png", "d/LICENSE", "d/CHANGELOG", "d/AUTHORS", "d/README", "d/c.IPYNB", "d/.hidden.md"}) {
    Write(path);
  }
  EXPECT_EQ(Names(Find({"d"})), (Strings{"README", "a.md", "c.IPYNB"}));
}

TEST_F(SourceTest, PassesOverIgnoredFoldersAnywhereBelowTheInput) {
  for (const char* path : {"d/a.md", "d/__pycache__/b.md", "d/x/node_modules/p/README.md", "d/x/.git/c.md", "d/x/y.md"})
    Write(path);
  const SourceList list = Find({"d"});
  EXPECT_EQ(Names(list), (Strings{"a.md", "x/y.md"}));
  EXPECT_EQ(list.ignored_folders, 2u);  // hidden ones are not worth counting
}

TEST_F(SourceTest, TakesDocumentationWhateverItsFolderIsCalled) {
  for (const char* path : {"d/react-dom/static/prerender.md", "d/build/b.md", "d/img/c.md", "d/_build/d.html"})
    Write(path);
  EXPECT_EQ(Names(Find({"d"})), (Strings{"_build/d.html", "build/b.md", "img/c.md", "react-dom/static/prerender.md"}));
  SourceOptions options;
  options.folder_rules = FolderRules::kOpenGround;
  Write("d/e.md");
  EXPECT_EQ(Names(Find({"d"}, options)), (Strings{"e.md"}));
}

TEST_F(SourceTest, CountsByFolderWhatItPassesOver) {
  for (const char* path : {"a.md", "node_modules/p/README.md", "node_modules/q/README.md", "node_modules/q/index.js",
                           "x/.github/b.md", "x/__pycache__/c.pyc", ".git/d.md", "env/pyvenv.cfg", "env/lib/e.txt"})
    Write(path);
  for (int i = 0; i < 2500; ++i) Write("y/node_modules/f" + std::to_string(i));
  const SourceList list = Find({"."});
  EXPECT_EQ(Names(list), (Strings{"a.md"}));
  std::map<std::string, std::optional<uint64_t>> counts;
  for (const PassedOver& passed : list.passed_over) counts[passed.folder] = passed.files;
  EXPECT_EQ(counts, (std::map<std::string, std::optional<uint64_t>>{
                        {"env", 1}, {"node_modules", 2}, {"x/.github", 1}, {"y/node_modules", std::nullopt}}));
}

TEST_F(SourceTest, SaysThatAsciiDocIsNotRead) {
  for (const char* path : {"a.md", "x/b.adoc", "x/c.ADOC", "x/y/d.asciidoc"}) Write(path);
  const SourceList list = Find({"."});
  ASSERT_EQ(list.notes.size(), 2u);
  EXPECT_EQ(list.notes[0].path, "x/");
  EXPECT_EQ(list.notes[0].reason,
            "left out: 2 files of AsciiDoc, not read by sheaf-pack; the command `sheaf pack` reads it");
  ASSERT_EQ(list.unread.size(), 3u);
  EXPECT_EQ(list.unread[0].relative, "x/b.adoc");
  EXPECT_EQ(list.unread[0].format, UnreadFormat::kAsciiDoc);
}

TEST_F(SourceTest, CountsUnreadFilesByFormat) {
  Write("api.json", "{\"openapi\": \"3.1.0\"}");
  Write("data.json", "{\"info\": \"openapi: 3\"}");
  Write("old.yaml", "# A pet store\nswagger: '2.0'\n");
  Write("man/kiln.1", ".\\\" A comment\n.TH KILN 1\n");
  Write("man/lib.3", "binary");
  Write("guide.pdf");
  Write("kiln.texi");
  const SourceList list = Find({".", "guide.pdf"});
  Strings unread, notes;
  for (const UnreadFile& file : list.unread) unread.push_back(file.relative);
  for (const Remark& note : list.notes) {
    notes.push_back(note.path + " " + note.reason.substr(0, note.reason.find(',')));
  }
  EXPECT_EQ(unread, (Strings{"api.json", "guide.pdf", "man/kiln.1", "old.yaml"}));
  EXPECT_EQ(notes, (Strings{". left out: 1 file of PDF", ". left out: 1 file of Texinfo",
                            ". left out: 2 files of OpenAPI", "man/ left out: 1 file of manual pages"}));
}

TEST_F(SourceTest, LeavesOutPdfsBesideOtherPages) {
  for (const char* path : {"x/a.md", "x/b.md", "x/c.pdf", "x/d.pdf", "x/e.md", "y/f.pdf"}) Write(path);
  const SourceList list = Find({"x"});
  EXPECT_TRUE(list.unread.empty());
  ASSERT_EQ(list.notes.size(), 1u);
  EXPECT_EQ(list.notes[0].path, "c.pdf");
  EXPECT_EQ(Find({"x", "x/c.pdf"}).unread.size(), 1u);
  EXPECT_EQ(Find({"y"}).unread.size(), 1u);
}

TEST_F(SourceTest, TakesPagesThatConvertersMade) {
  for (const char* path : {"docs/a.md", "docs/b.adoc", "docs/c.adoc", "docs/d.adoc", "docs/e.adoc"}) Write(path);
  Write("made/b.adoc.html", "<p>B");
  Write("made/c.adoc.json", "{\"problem\": \"it cannot be converted: a fault\"}");
  Write("made/d.adoc.json", "{\"leftOut\": \"a part\"}");
  SourceOptions options;
  options.converted = At("made");
  const SourceList list = Find({"docs"}, options);
  EXPECT_EQ(Names(list), (Strings{"a.md", "b.adoc"}));
  EXPECT_EQ(list.files[1].kind, FileKind::kHtml);
  EXPECT_EQ(list.files[1].path, At("made/b.adoc.html"));
  EXPECT_EQ(list.files[1].source, "b.adoc");
  ASSERT_EQ(list.problems.size(), 1u);
  EXPECT_EQ(list.problems[0].path + ": " + list.problems[0].reason, "c.adoc: it cannot be converted: a fault");
  ASSERT_EQ(list.notes.size(), 2u);
  EXPECT_EQ(list.notes[1].path + ": " + list.notes[1].reason, "d.adoc: left out: a part");
}

TEST_F(SourceTest, LeavesOutPartsOfMdxPages) {
  for (const char* path : {"a.mdx", "_index.mdx", "x/_part.mdx", "x/_other.mdx", "x/_kept.md", "_y/b.mdx"}) Write(path);
  const SourceList list = Find({"."});
  EXPECT_EQ(Names(list), (Strings{"_index.mdx", "_y/b.mdx", "a.mdx", "x/_kept.md"}));
  ASSERT_EQ(list.notes.size(), 1u);
  EXPECT_EQ(list.notes[0].path, "x/");
  EXPECT_EQ(list.notes[0].reason, "left out: 2 MDX files whose name begins with '_': parts that pages include");
  SourceOptions all;
  all.ignore_rules = false;
  EXPECT_EQ(Names(Find({"."}, all)).size(), 6u);
}

TEST_F(SourceTest, LeavesOutWhatSphinxBuiltOfSourcesThatAreThere) {
  for (const char* path : {"docs/index.rst", "docs/guide/use.md", "docs/_build/html/.buildinfo",
                           "docs/_build/html/index.html", "docs/_build/html/guide/use.html",
                           "docs/_build/html/genindex.html", "docs/guide/use/demo.html", "other/html/index.html"})
    Write(path);
  EXPECT_EQ(Names(Find({"."})), (Strings{"docs/index.rst", "docs/_build/html/genindex.html", "docs/guide/use.md",
                                         "docs/guide/use/demo.html", "other/html/index.html"}));
}

TEST_F(SourceTest, NeverIgnoresAnInputForItsOwnNameOrItsParents) {
  Write("node_modules/foo/README.md");
  Write("node_modules/foo/node_modules/x.md");
  Write("dist/index.html");
  EXPECT_EQ(Names(Find({"node_modules/foo"})), (Strings{"README.md"}));
  EXPECT_EQ(Names(Find({"node_modules/foo/node_modules"})), (Strings{"x.md"}));
  EXPECT_EQ(Names(Find({"dist/"})), (Strings{"index.html"}));
  Write(".hidden/a.md");
  EXPECT_EQ(Names(Find({".hidden"})), (Strings{"a.md"}));
}

TEST_F(SourceTest, TakesEverythingWhenIgnoreRulesAreOff) {
  Write("d/node_modules/.a.md");
  SourceOptions options;
  options.ignore_rules = false;
  EXPECT_EQ(Names(Find({"d"}, options)), (Strings{"node_modules/.a.md"}));
}

TEST_F(SourceTest, LeavesOutSphinxCopiesOfPagesThatAreThere) {
  for (const char* path :
       {"_sources/index.rst.txt", "_sources/guide/use.md.txt", "_sources/guide/dir.txt", "_sources/gone.rst.txt"})
    Write(path);
  for (const char* path : {"index.html", "guide/use.html", "guide/dir/index.html", "en/_sources/a.txt", "en/a.html",
                           "my_sources/b.txt", "b.html"}) {
    Write(path, "<p>Text</p>");
  }
  const SourceList list = Find({"."});
  EXPECT_EQ(Names(list), (Strings{"index.html", "_sources/gone.rst.txt", "b.html", "en/a.html", "guide/dir/index.html",
                                  "guide/use.html", "my_sources/b.txt"}));
  ASSERT_EQ(list.notes.size(), 2u);
  EXPECT_EQ(list.notes[0].path, "_sources");
  EXPECT_TRUE(list.notes[0].reason.starts_with("left out: 3 copies of sources from which Sphinx built pages"))
      << list.notes[0].reason;
  EXPECT_EQ(list.notes[1].path, "en/_sources");
  SourceOptions all;
  all.ignore_rules = false;
  EXPECT_EQ(Find({"."}, all).files.size(), 11u);
  // Sources alone are documentation like any other.
  SourceOptions copies;
  copies.include = {"*.txt"};
  EXPECT_EQ(Find({"."}, copies).files.size(), 6u);
}

TEST_F(SourceTest, TakesASingleFileRelativeToItsFolder) {
  Write("d/x/a.md", "12345");
  const SourceList list = Find({"d/x/a.md"});
  ASSERT_EQ(Names(list), (Strings{"a.md"}));
  EXPECT_EQ(list.files[0].size, 5u);
  EXPECT_EQ(list.bytes, 5u);
  EXPECT_EQ(list.root, At("d/x"));
}

TEST_F(SourceTest, NotesANamedFileOfAnUnknownKind) {
  Write("d/a.png");
  const SourceList list = Find({"d/a.png"});
  EXPECT_TRUE(list.files.empty());
  ASSERT_EQ(list.notes.size(), 1u);
  EXPECT_NE(list.notes[0].reason.find(".ipynb"), std::string::npos);
}

TEST_F(SourceTest, ExpandsGlobsRelativeToTheirFixedPart) {
  for (const char* path : {"d/a.md", "d/x/b.md", "d/x/c.rst", "d/x/y/e.md", "d/node_modules/f.md"}) Write(path);
  EXPECT_EQ(Names(Find({"d/**/*.md"})), (Strings{"a.md", "x/b.md", "x/y/e.md"}));
  EXPECT_EQ(Names(Find({"d/*.md"})), (Strings{"a.md"}));
  EXPECT_EQ(Names(Find({"d/x/*.{rst,md}"})), (Strings{"b.md", "c.rst"}));
  EXPECT_EQ(Names(Find({"*/a.md"})), (Strings{"d/a.md"}));
  EXPECT_EQ(Names(Find({"d/node_modules/*"})), (Strings{"f.md"}));
}

TEST_F(SourceTest, PrefersAFileOverAGlobOfThatName) {
  Write("d/[a].md");
  Write("d/a.md");
  EXPECT_EQ(Names(Find({"d/[a].md"})), (Strings{"[a].md"}));
}

TEST_F(SourceTest, RefusesAGlobThatMatchesNothing) {
  Write("d/a.md");
  EXPECT_EQ(FindSources({"d/*.rst"}, {}).code(), ErrorCode::kNotFound);
  EXPECT_EQ(FindSources({"nowhere/*.rst"}, {}).code(), ErrorCode::kNotFound);
  EXPECT_EQ(FindSources({"d/[a.md"}, {}).code(), ErrorCode::kInvalidArgument);
}

TEST_F(SourceTest, RefusesAnInputThatDoesNotExistAndNamesIt) {
  const Result<SourceList> list = FindSources({"nowhere"}, {});
  ASSERT_EQ(list.code(), ErrorCode::kNotFound);
  EXPECT_NE(list.error().message.find("nowhere"), std::string::npos);
  EXPECT_EQ(FindSources({}, {}).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(FindSources({""}, {}).code(), ErrorCode::kInvalidArgument);
}

TEST_F(SourceTest, AFoldersIndexComesBeforeEverythingElseInIt) {
  for (const char* path :
       {"d/a.md", "d/index.md", "d/B.md", "d/x/README.md", "d/x/index.html", "d/x/1.md", "d/x.md", "d/x-y.md"})
    Write(path);
  EXPECT_EQ(Names(Find({"d"})),
            (Strings{"index.md", "B.md", "a.md", "x-y.md", "x.md", "x/README.md", "x/index.html", "x/1.md"}));
}

TEST_F(SourceTest, RootsSeveralInputsInTheDeepestFolderAboveThem) {
  for (const char* path : {"p/docs/a.md", "p/README.md", "p/site/b.html"}) Write(path);
  const SourceList list = Find({"p/docs", "p/README.md", "p/site/*.html"});
  EXPECT_EQ(Names(list), (Strings{"README.md", "docs/a.md", "site/b.html"}));
  EXPECT_EQ(list.root, At("p"));
}

TEST_F(SourceTest, DoesNotTakeAFolderForTheParentOfItsNamesake) {
  for (const char* path : {"p/doc/a.md", "p/docs/b.md"}) Write(path);
  EXPECT_EQ(Names(Find({"p/doc", "p/docs"})), (Strings{"doc/a.md", "docs/b.md"}));
}

TEST_F(SourceTest, TakesAFileOnceHoweverOftenItIsNamed) {
  for (const char* path : {"d/a.md", "d/x/b.md"}) Write(path);
  EXPECT_EQ(Names(Find({"d", "d/a.md", "d/**/*.md", "./d/../d/x"})), (Strings{"a.md", "x/b.md"}));
}

TEST_F(SourceTest, KeepsPathsRelativeToAGivenRoot) {
  Write("p/docs/a.md");
  SourceOptions options;
  options.root = "p";
  EXPECT_EQ(Names(Find({"p/docs"}, options)), (Strings{"docs/a.md"}));
  options.root = "p/docs";
  EXPECT_EQ(FindSources({"p"}, options).code(), ErrorCode::kInvalidArgument);
  options.root = "nowhere";
  EXPECT_EQ(FindSources({"p"}, options).code(), ErrorCode::kNotFound);
}

TEST_F(SourceTest, AppliesIncludeAndExcludeBelowTheRoot) {
  for (const char* path : {"d/a.md", "d/b.rst", "d/old/c.md", "d/x/e.md"}) Write(path);
  SourceOptions options;
  options.include = {"*.md"};
  options.exclude = {"old"};
  const SourceList list = Find({"d"}, options);
  EXPECT_EQ(Names(list), (Strings{"a.md", "x/e.md"}));
  EXPECT_EQ(list.filtered_files, 1u);  // b.rst; old was not entered
}

TEST_F(SourceTest, FollowsLinksThatStayInside) {
  Write("d/real/a.md");
  fs::create_symlink("real/a.md", "d/link.md");
  const SourceList list = Find({"d"});
  EXPECT_EQ(Names(list), (Strings{"link.md", "real/a.md"}));
  EXPECT_TRUE(list.problems.empty());
}

TEST_F(SourceTest, LeavesOutLinksThatLeadOutside) {
  Write("secret.txt");
  Write("other/a.md");
  Write("d/a.md");
  fs::create_symlink("../secret.txt", "d/b.txt");
  fs::create_symlink("../other", "d/c");
  fs::create_symlink("/etc", "d/e");
  const SourceList list = Find({"d"});
  EXPECT_EQ(Names(list), (Strings{"a.md"}));
  EXPECT_EQ(list.notes.size(), 3u);
  EXPECT_TRUE(list.problems.empty());
}

TEST_F(SourceTest, DoesNotTakeANamesakeForTheInside) {
  Write("d-private/a.md");
  Write("d/a.md");
  fs::create_symlink("../d-private/a.md", "d/b.md");
  EXPECT_EQ(Names(Find({"d"})), (Strings{"a.md"}));
}

TEST_F(SourceTest, EndsOnFolderLoops) {
  Write("d/x/a.md");
  fs::create_symlink("..", "d/x/up");
  fs::create_symlink("x", "d/self");
  fs::create_symlink("loop", "d/loop");
  const SourceList list = Find({"d"});
  EXPECT_EQ(Names(list), (Strings{"x/a.md"}));
}

TEST_F(SourceTest, FollowsALinkIntoAFolderThatIsOtherwiseIgnored) {
  Write("d/node_modules/api/a.md");
  fs::create_symlink("node_modules/api", "d/api");
  fs::create_symlink("node_modules/api", "d/zapi");  // the same folder again
  EXPECT_EQ(Names(Find({"d"})), (Strings{"api/a.md"}));
}

TEST_F(SourceTest, ReadsNothingInAGitFolderWhateverLeadsThere) {
  Write("d/a.md");
  Write("d/.git/config", "url = https://user:hunter2@host/\n");
  Write("d/.git/notes/b.md");
  Write("d/sub/.GIT/c.md");
  fs::create_symlink(".git/config", "d/leak.md");
  fs::create_symlink(".git/notes", "d/notes");
  fs::create_symlink(".git", "d/meta");
  fs::create_symlink("leak.md", "d/twice.md");
  fs::create_symlink("../../d/.git/config", "d/sub/round.md");
  for (const bool ignore_rules : {true, false}) {
    SourceOptions options;
    options.ignore_rules = ignore_rules;
    const SourceList list = Find({"d"}, options);
    EXPECT_EQ(Names(list), Strings{"a.md"});
    Strings noted;
    for (const Remark& note : list.notes) noted.push_back(note.path);
    Strings expected = {"leak.md", "meta", "notes", "sub/round.md", "twice.md"};
    if (!ignore_rules) expected.insert(expected.begin(), {".git"});
    if (!ignore_rules) expected.insert(expected.end() - 2, "sub/.GIT");
    EXPECT_EQ(noted, expected);
    EXPECT_TRUE(list.problems.empty());
  }
  EXPECT_EQ(Names(Find({"d/leak.md", "d/a.md"})), Strings{"a.md"}) << "a link that is named itself";
  EXPECT_EQ(Names(Find({"d/.git/notes"})), Strings{"b.md"}) << "what the user names is meant";
  EXPECT_EQ(Names(Find({"d/.git/notes/b.md"})), Strings{"b.md"});
}

TEST_F(SourceTest, FollowsAnInputThatIsALink) {
  Write("real/a.md");
  fs::create_symlink("real", "d");
  fs::create_symlink("real/a.md", "e.md");
  EXPECT_EQ(Names(Find({"d"})), (Strings{"a.md"}));
  EXPECT_EQ(Names(Find({"e.md"})), (Strings{"e.md"}));
}

TEST_F(SourceTest, ReportsADanglingLinkAsAProblem) {
  Write("d/a.md");
  fs::create_symlink("nowhere.md", "d/b.md");
  const SourceList list = Find({"d"});
  ASSERT_EQ(list.problems.size(), 1u);
  EXPECT_EQ(list.problems[0].path, "b.md");
}

TEST_F(SourceTest, NeverOpensPipesAndSockets) {
  Write("d/a.md");
  ASSERT_EQ(::mkfifo("d/b.md", 0600), 0);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "d/c.md");
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(fd);
  const SourceList list = Find({"d"});
  EXPECT_EQ(Names(list), (Strings{"a.md"}));
  ASSERT_EQ(list.notes.size(), 2u);
  EXPECT_NE(list.notes[0].reason.find("pipe"), std::string::npos);
  EXPECT_NE(list.notes[1].reason.find("socket"), std::string::npos);
  EXPECT_EQ(ReadFileBytes("d/b.md", 100).code(), ErrorCode::kInvalidArgument);  // and does not hang
}

TEST_F(SourceTest, ReportsFoldersThatCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  Write("d/a.md");
  Write("d/x/b.md");
  fs::permissions("d/x", fs::perms::none);
  const SourceList list = Find({"d"});
  fs::permissions("d/x", fs::perms::owner_all);
  EXPECT_EQ(Names(list), (Strings{"a.md"}));
  ASSERT_EQ(list.problems.size(), 1u);
  EXPECT_EQ(list.problems[0].path, "x");
}

TEST_F(SourceTest, EscapesNamesThatAreNotPrintableUtf8) {
  Write("d/a\xFF%.md");
  Write("d/b\n.md");
  Write("d/c%20.md");
  const SourceList list = Find({"d"});
  ASSERT_EQ(list.files.size(), 3u);
  EXPECT_EQ(list.files[0].source, "a%FF%25.md");
  EXPECT_EQ(list.files[0].relative, "a\xFF%.md");
  EXPECT_EQ(list.files[1].source, "b%0A.md");
  EXPECT_EQ(list.files[2].source, "c%20.md");
  EXPECT_EQ(list.notes.size(), 2u);
}

TEST_F(SourceTest, DoesNotMixUpAnEscapedNameWithAPlainOne) {
  Write("d/a\xFF.md");
  Write("d/a%FF.md");
  const SourceList list = Find({"d"});
  EXPECT_EQ(list.files.size(), 1u);
  EXPECT_EQ(list.problems.size(), 1u);
}

TEST_F(SourceTest, TellsEachOfSeveralPairsOfAnEscapedAndAPlainNameApart) {
  for (const char* name : {"a\n.md", "a%0A.md", "b\n.md", "b%0A.md", "c\n.md", "c%0A.md"})
    Write(std::string("d/") + name);
  const SourceList list = Find({"d"});
  std::vector<std::string> sources;
  for (const SourceFile& file : list.files) sources.push_back(file.source);
  EXPECT_EQ(sources, (std::vector<std::string>{"a%0A.md", "b%0A.md", "c%0A.md"}));
  EXPECT_EQ(list.problems.size(), 3u);
}

TEST_F(SourceTest, FindsNothingInAnEmptyFolderWithoutComplaint) {
  fs::create_directory("d");
  const SourceList list = Find({"d"});
  EXPECT_TRUE(list.files.empty());
  EXPECT_TRUE(list.problems.empty());
}

TEST_F(SourceTest, WalksDeepFoldersWithoutRecursion) {
  std::string path = "d";
  for (int i = 0; i < 400; ++i) path += "/x";
  Write(path + "/a.md");
  const SourceList list = Find({"d"});
  EXPECT_EQ(list.files.size(), 1u);
}

TEST_F(SourceTest, ReportsFoldersDeeperThanTheSystemCanName) {
  Write("d/a.md");
  fs::current_path("d");
  const std::string name(200, 'x');
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(::mkdir(name.c_str(), 0700), 0);
    ASSERT_EQ(::chdir(name.c_str()), 0);
  }
  fs::current_path(folder_);
  const SourceList list = Find({"d"});
  EXPECT_EQ(Names(list), (Strings{"a.md"}));
  EXPECT_EQ(list.problems.size(), 1u);
}

TEST_F(SourceTest, ReadsFilesUpToACap) {
  Write("a.md", "12345");
  EXPECT_EQ(*ReadFileBytes("a.md", 5), "12345");
  EXPECT_EQ(ReadFileBytes("a.md", 4).code(), ErrorCode::kTooLarge);
  EXPECT_EQ(ReadFileBytes("b.md", 4).code(), ErrorCode::kNotFound);
  EXPECT_EQ(ReadFileBytes(".", 4).code(), ErrorCode::kInvalidArgument);
  Write("empty.md", "");
  EXPECT_EQ(*ReadFileBytes("empty.md", 0), "");
}

TEST_F(SourceTest, ReadsFilesWhoseSizeTheSystemDoesNotTell) {
  const Result<std::string> text = ReadFileBytes("/proc/self/status", 1 << 20);
  ASSERT_TRUE(text.ok());
  EXPECT_FALSE(text->empty());
  EXPECT_EQ(ReadFileBytes("/proc/self/status", 10).code(), ErrorCode::kTooLarge);
}

TEST_F(SourceTest, TheConfOfSphinxSaysWhichTextsArePages) {
  Write("docs/conf.py", "source_suffix = '.txt'\nexclude_patterns = ['_build', 'requirements.txt', '**/parts/*']\n");
  for (const char* path : {"docs/index.txt", "docs/requirements.txt", "docs/a/parts/b.txt", "docs/_build/c.txt"})
    Write(path);
  Write("notes.txt");
  const SourceList list = Find({"."});
  EXPECT_EQ(Names(list), (Strings{"docs/index.txt", "notes.txt"}));
  EXPECT_EQ(list.files[0].kind, FileKind::kRst);
  EXPECT_EQ(list.files[1].kind, FileKind::kText);
  ASSERT_EQ(list.notes.size(), 1u);
  EXPECT_EQ(list.notes[0].path, "docs/conf.py");
  EXPECT_EQ(list.notes[0].reason, "left out: 3 files by its exclude_patterns; --no-ignore keeps them");
  EXPECT_EQ(Names(Find({"docs"})), (Strings{"index.txt"}));
  EXPECT_EQ(Names(Find({"docs/requirements.txt"})), (Strings{"requirements.txt"}));
  SourceOptions all;
  all.ignore_rules = false;
  EXPECT_EQ(Find({"."}, all).files.size(), 5u);
}

TEST_F(SourceTest, WithoutASuffixInItsConfATextBesideSphinxSourcesIsNoPage) {
  Write("conf.py", "project = 'x'\n");
  for (const char* path : {"a.rst", "requirements.txt"}) Write(path);
  EXPECT_EQ(Names(Find({"."})), (Strings{"a.rst"}));
  Write("conf.py", "source_suffix = suffixes()\nexclude_patterns = ['['] + more\n");
  EXPECT_EQ(Names(Find({"."})), (Strings{"a.rst", "requirements.txt"}));
}

TEST(PrintablePath, KeepsGoodNamesAndEscapesBadOnes) {
  EXPECT_EQ(PrintablePath("a/\xC3\xA9%.md"), "a/\xC3\xA9%.md");
  EXPECT_EQ(PrintablePath("a\x1b[0m.md"), "a%1B[0m.md");
  EXPECT_EQ(PrintablePath("a\xC2\x85.md"), "a%C2%85.md");  // C1 control
  EXPECT_EQ(PrintablePath("\xED\xA0\x80"), "%ED%A0%80");   // surrogate
  EXPECT_EQ(PrintablePath("\xC0\xAF\xF5"), "%C0%AF%F5");   // overlong, beyond Unicode
  EXPECT_EQ(PrintablePath("\xE2\x82"), "%E2%82");          // cut short
  EXPECT_EQ(PrintablePath(""), "");
}

}  // namespace source_test
}  // namespace sheaf::packer
