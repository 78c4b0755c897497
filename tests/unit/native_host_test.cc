#include "packer/cli/native_host.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "packer/job/open_job.h"

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

}  // namespace native_host_test
}  // namespace sheaf::packer
