
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "packer/base/signals.h"
#include "packer/output/atomic_file.h"
#include "packer/output/bundle_name.h"
#include "packer/output/spill_file.h"
#include "tests/unit/folder_support.h"

namespace sheaf::packer {
namespace output_test {

namespace fs = std::filesystem;

class OutputTest : public test::FolderTest {
 protected:
  std::set<std::string> Listing() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename().string());
    return names;
  }
};

TEST(LibraryName, AcceptsNamesAsRegistriesHaveThem) {
  for (const char* name : {"fastapi", "socket.io", "libstdc++", "@vue/runtime-core", "github.com/spf13/cobra",
                           "_internal", "7zip", "C++"}) {
    EXPECT_TRUE(CheckLibraryName(name).ok()) << name;
  }
}

TEST(LibraryName, RefusesWhatCouldLeadElsewhereOrNotBeReadBack) {
  for (const char* name : {"", "@", "/", "a/", "/a", "a//b", "..", "a/../b", ".a", "-a", "a b", "a@b", "a~b", "a\\b",
                           "a\nb", "caf\xC3\xA9", "@@a", "a/@b"}) {
    const Status status = CheckLibraryName(name);
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(CheckLibraryName(std::string(128, 'a')).ok());
  EXPECT_FALSE(CheckLibraryName(std::string(129, 'a')).ok());
}

TEST(Version, AcceptsFreeTextWithoutSlash) {
  for (const char* version : {"1", "0.115.0", "2024-06", "v1.0 beta 2", "1.0~rc1+b@2", "\xC3\xA9t\xC3\xA9"}) {
    EXPECT_TRUE(CheckVersion(version).ok()) << version;
  }
  for (const char* version : {"", "1/2", "1\\2", " 1", "1 ", "1\n", "\xFF"})
    EXPECT_FALSE(CheckVersion(version).ok()) << version;
  EXPECT_FALSE(CheckVersion(std::string(65, '1')).ok());
}

TEST(BundleFileName, CanBeReadBack) {
  EXPECT_EQ(BundleFileName("fastapi", "0.115.0"), "fastapi@0.115.0.sheaf");
  EXPECT_EQ(BundleFileName("@vue/runtime-core", "3.4@x"), "@vue~runtime-core@3.4@x.sheaf");
}

TEST_F(OutputTest, WritesANewFile) {
  ASSERT_TRUE(WriteFileAtomically(At("a.sheaf"), AsBytes("hello")).ok());
  EXPECT_EQ(Read("a.sheaf"), "hello");
  EXPECT_EQ(Listing(), (std::set<std::string>{"a.sheaf"}));
}

TEST_F(OutputTest, WritesAnEmptyFile) {
  ASSERT_TRUE(WriteFileAtomically(At("a.sheaf"), {}).ok());
  EXPECT_EQ(fs::file_size(At("a.sheaf")), 0u);
}

TEST_F(OutputTest, ReplacesAFileAndKeepsItsPermissions) {
  Write("a.sheaf", "old and longer");
  ASSERT_EQ(::chmod(At("a.sheaf").c_str(), 0640), 0);
  ASSERT_TRUE(WriteFileAtomically(At("a.sheaf"), AsBytes("new")).ok());
  EXPECT_EQ(Read("a.sheaf"), "new");
  struct stat info;
  ASSERT_EQ(::stat(At("a.sheaf").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(OutputTest, LetsThoseWhoHoldTheOldFileKeepIt) {
  Write("a.sheaf", "old");
  std::ifstream holder(At("a.sheaf"));
  ASSERT_TRUE(WriteFileAtomically(At("a.sheaf"), AsBytes("new")).ok());
  std::string text;
  holder >> text;
  EXPECT_EQ(text, "old");
}

TEST_F(OutputTest, LeavesTheOldFileWholeWhenTheDiskIsFull) {
  Write("a.sheaf", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A limit on file sizes stands in for a full disk: both make write fail half-way.
    InstallSignalHandlers();
    rlimit limit = {4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string bytes(100000, 'x');
    ::_exit(WriteFileAtomically(At("a.sheaf"), AsBytes(bytes)).ok() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(Read("a.sheaf"), "old");
  EXPECT_EQ(Listing(), (std::set<std::string>{"a.sheaf"}));
}

TEST_F(OutputTest, RemovesTheTemporaryFileOnASignal) {
  Write("a.sheaf", "old");
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::signal(signal, SIG_DFL);
      InstallSignalHandlers();
      const std::string bytes(size_t(1) << 20, 'x');
      for (;;) (void)WriteFileAtomically(At("b.sheaf"), AsBytes(bytes));
    }
    // The parent strikes somewhere in the middle of one of many writes.
    ::usleep(50000);
    ASSERT_EQ(::kill(child, signal), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    for (const std::string& name : Listing()) EXPECT_TRUE(name == "a.sheaf" || name == "b.sheaf") << name;
    if (fs::exists(At("b.sheaf"))) {
      EXPECT_EQ(fs::file_size(At("b.sheaf")), size_t(1) << 20);
    }
  }
}

TEST_F(OutputTest, NamesThePathAndTheReasonWhenItFails) {
  const Status status = WriteFileAtomically(At("nowhere/a.sheaf"), AsBytes("x"));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("nowhere"), std::string::npos);
  EXPECT_NE(status.error().message.find("No such file"), std::string::npos);
}

TEST_F(OutputTest, PutsTheDefaultNameIntoAFolder) {
  EXPECT_EQ(*ResolveOutput(folder_, "x@1.sheaf"), At("x@1.sheaf"));
  EXPECT_EQ(*ResolveOutput(folder_ + "/", "x@1.sheaf"), At("x@1.sheaf"));
  EXPECT_EQ(*ResolveOutput("", "x@1.sheaf"), "x@1.sheaf");
  EXPECT_EQ(*ResolveOutput(At("y.sheaf"), "x@1.sheaf"), At("y.sheaf"));
}

TEST_F(OutputTest, FollowsLinksToTheFileBehindThem) {
  fs::create_directory(At("d"));
  fs::create_symlink("d/real.sheaf", At("link.sheaf"));  // the file is yet to be made
  fs::create_symlink("link.sheaf", At("link2.sheaf"));
  const Result<std::string> target = ResolveOutput(At("link2.sheaf"), "x");
  ASSERT_TRUE(target.ok());
  ASSERT_TRUE(WriteFileAtomically(*target, AsBytes("new")).ok());
  EXPECT_EQ(Read("d/real.sheaf"), "new");
  EXPECT_TRUE(fs::is_symlink(At("link.sheaf")));
}

TEST_F(OutputTest, RefusesOutputsThatCannotBeReplaced) {
  fs::create_symlink("b", At("a"));
  fs::create_symlink("a", At("b"));
  EXPECT_FALSE(ResolveOutput(At("a"), "x").ok());
  EXPECT_FALSE(ResolveOutput("/dev/null", "x").ok());
  EXPECT_FALSE(ResolveOutput(At("nowhere/a.sheaf"), "x").ok());
  EXPECT_FALSE(ResolveOutput(At("nowhere/"), "x").ok());
  fs::create_directories(At("taken/x@1.sheaf"));
  const Result<std::string> inside = ResolveOutput(At("taken"), "x@1.sheaf");
  EXPECT_TRUE(!inside.ok() || *inside == At("taken/x@1.sheaf/x@1.sheaf"));
}

TEST_F(OutputTest, SpillsAndReadsBack) {
  SpillFile spill(folder_);
  EXPECT_TRUE(Listing().empty());  // nothing is created before it is needed
  ASSERT_TRUE(spill.Append(AsBytes("hello ")).ok());
  ASSERT_TRUE(spill.Append(AsBytes("world")).ok());
  EXPECT_EQ(spill.size(), 11u);
  EXPECT_TRUE(Listing().empty());  // and it has no name
  uint8_t out[5];
  ASSERT_TRUE(spill.Read(6, 5, out).ok());
  EXPECT_EQ(AsText({out, 5}), "world");
  EXPECT_FALSE(spill.Read(7, 5, out).ok());
  EXPECT_FALSE(spill.Read(UINT64_MAX, 5, out).ok());
}

TEST_F(OutputTest, SpillSaysWhereItFails) {
  SpillFile spill(At("nowhere"));
  const Status status = spill.Append(AsBytes("x"));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("nowhere"), std::string::npos);
}

}  // namespace output_test
}  // namespace sheaf::packer
