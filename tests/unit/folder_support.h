// A folder of its own for each test, gone with it.
#ifndef SHEAF_TESTS_UNIT_FOLDER_SUPPORT_H_
#define SHEAF_TESTS_UNIT_FOLDER_SUPPORT_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace sheaf::test {

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "sheaf-unit-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = std::filesystem::canonical(pattern).string();
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string At(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(At(name)).parent_path());
    std::ofstream(At(name), std::ios::binary) << text;
  }
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(At(name), std::ios::binary).rdbuf();
    return text.str();
  }

  std::string folder_;
};

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_UNIT_FOLDER_SUPPORT_H_
