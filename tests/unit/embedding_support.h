// The fake embedding process for the tests of packing with a transformer, in a folder of its own.
#ifndef SHEAF_TESTS_UNIT_EMBEDDING_SUPPORT_H_
#define SHEAF_TESTS_UNIT_EMBEDDING_SUPPORT_H_

#include <string>

#include "tests/unit/folder_support.h"

namespace sheaf::test {

class EmbeddingTest : public FolderTest {
 protected:
  static std::string Fake(const std::string& options = "") { return std::string(SHEAF_FAKE_ENCODER) + " " + options; }
};

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_UNIT_EMBEDDING_SUPPORT_H_
