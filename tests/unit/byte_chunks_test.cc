#include "base/byte_chunks_builder.h"

#include <gtest/gtest.h>

#include <numeric>

namespace sheaf {
namespace byte_chunks_test {

TEST(ByteChunks, GivesBackAllInOrderAndCutsNothing) {
  ByteChunks chunks;
  std::vector<uint8_t> expected;
  std::vector<size_t> borders = {0};  // where something appended ends
  for (size_t i = 0; expected.size() < (5 << 20); ++i) {
    std::vector<uint8_t> bytes(i * 37 % 70'000);
    std::iota(bytes.begin(), bytes.end(), uint8_t(i));
    chunks.Append(bytes);
    expected.insert(expected.end(), bytes.begin(), bytes.end());
    borders.push_back(expected.size());
  }
  EXPECT_EQ(chunks.size(), expected.size());
  std::vector<uint8_t> got;
  size_t visits = 0;
  chunks.Drain([&](ByteSpan bytes) {
    ++visits;
    got.insert(got.end(), bytes.begin(), bytes.end());
    EXPECT_TRUE(std::binary_search(borders.begin(), borders.end(), got.size()));
  });
  EXPECT_EQ(got, expected);
  EXPECT_GT(visits, 4u);
  EXPECT_LT(visits, 40u);
  EXPECT_EQ(chunks.size(), 0u);
  chunks.Drain([](ByteSpan) { FAIL() << "drained twice"; });
}

TEST(ByteChunks, TakesWhatIsLargerThanAChunk) {
  ByteChunks chunks;
  const std::vector<uint8_t> large(3 << 20, 7);
  chunks.Append(large);
  chunks.Append(std::vector<uint8_t>{1});
  size_t got = 0;
  chunks.Drain([&](ByteSpan bytes) { got += bytes.size(); });
  EXPECT_EQ(got, large.size() + 1);
}

}  // namespace byte_chunks_test
}  // namespace sheaf
