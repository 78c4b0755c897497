#include "packer/cli/native_host.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "packer/host/engine_host.h"
#include "packer/host/range_file.h"
#include "packer/job/open_job.h"
#include "tests/unit/folder_support.h"
#include "tests/unit/support.h"

namespace sheaf::packer {
namespace native_host_test {

TEST(NativeHost, KeepsVectorsWhereTheConventionSays) {
  const char* variables[] = {"XDG_CACHE_HOME", "HOME"};
  std::optional<std::string> saved[2];
  for (int i = 0; i < 2; ++i) {
    if (const char* value = std::getenv(variables[i])) saved[i] = value;
  }
  ::setenv("HOME", "/home/x", 1);
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(NativeHost().vector_cache, "/cache/sheaf/vectors");
  for (const char* ignored : {"", "relative"}) {
    ::setenv("XDG_CACHE_HOME", ignored, 1);
    EXPECT_EQ(NativeHost().vector_cache, "/home/x/.cache/sheaf/vectors");
  }
  ::unsetenv("HOME");
  EXPECT_EQ(NativeHost().vector_cache, "");
  for (int i = 0; i < 2; ++i) {
    if (saved[i])
      ::setenv(variables[i], saved[i]->c_str(), 1);
    else
      ::unsetenv(variables[i]);
  }
}

using HostFilesTest = test::FolderTest;

TEST_F(HostFilesTest, FindsTheTableWhereTheVariableSays) {
  Write("minilm-l6-256.sheaf", "a table");
  ::setenv("SHEAF_MODELS", folder_.c_str(), 1);
  const Result<std::string> found = NativeHost().find_table();
  ::unsetenv("SHEAF_MODELS");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, At("minilm-l6-256.sheaf"));
}

TEST_F(HostFilesTest, RefuseWhatIsNoRegularFile) {
  Write("file", "bytes");
  ASSERT_EQ(::mkfifo(At("pipe").c_str(), 0600), 0);
  const auto why = [&](const std::string& name) {
    const Result<RangeFile> file = RangeFile::Open(At(name));
    return file.ok() ? std::string("opened") : file.error().message;
  };
  EXPECT_EQ(why("none"), At("none") + ": no such file; check the path");
  EXPECT_EQ(why("file/below"), At("file/below") + ": cannot be read: Not a directory");
  EXPECT_EQ(why(""), At("") + ": is a folder; expected a .sheaf file");
  EXPECT_EQ(why("pipe"), At("pipe") + ": is not a regular file; expected a .sheaf file");
}

TEST_F(HostFilesTest, ReadNothingPastTheEndAndNoticeAFileThatShrinks) {
  Write("file", "0123456789");
  const Result<RangeFile> file = RangeFile::Open(At("file"));
  ASSERT_TRUE(file.ok());
  const Result<std::vector<uint8_t>> middle = file->Read(3, 4);
  ASSERT_TRUE(middle.ok());
  EXPECT_EQ(AsText(*middle), "3456");
  EXPECT_EQ(file->Read(11, 0).code(), ErrorCode::kInternal);
  EXPECT_EQ(file->Read(3, 8).code(), ErrorCode::kInternal);
  EXPECT_EQ(file->Read(3, UINT64_MAX).code(), ErrorCode::kInternal);
  std::filesystem::resize_file(At("file"), 5);
  EXPECT_EQ(file->Read(3, 4).code(), ErrorCode::kTruncated);
}

TEST_F(HostFilesTest, AQuestionThatIsNeverContentEnds) {
  Write("file", "0123456789");
  const Result<RangeFile> file = RangeFile::Open(At("file"));
  ASSERT_TRUE(file.ok());
  Container container(10);
  int asked = 0;
  const Status read = ReadContainer(*file, &container, [&](Container*) -> Status {
    ++asked;
    return Error{ErrorCode::kNeedsBytes, ""};
  });
  EXPECT_EQ(read.code(), ErrorCode::kInternal);
  EXPECT_EQ(asked, 1000);

  EngineHost host(/*lazy=*/true);
  const auto want = [](Needs needs) { return [=](Engine&) { return Outcome<int>(needs); }; };
  EXPECT_EQ(host.Ask(want({Range{kBundleSource, 0, 1}})).code(), ErrorCode::kInternal);  // it is not open
  ASSERT_TRUE(host.Attach(kBundleSource, At("file")).ok());
  EXPECT_EQ(host.Ask(want({Range{kBundleSource, 0, 11}})).code(), ErrorCode::kInternal);
  const Result<int> never = host.Ask(want({Range{kBundleSource, 0, 1}}));
  EXPECT_EQ(never.code(), ErrorCode::kInternal);
  EXPECT_NE(never.error().message.find("without end"), std::string::npos) << never.error().message;
  EXPECT_EQ(host.traffic().requests, 1000u);
}

}  // namespace native_host_test
}  // namespace sheaf::packer
