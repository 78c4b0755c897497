#include "base/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

namespace sheaf {
namespace sort_test {

TEST(Sort, AgreesWithTheStandardsStableSort) {
  std::mt19937 random(7);
  for (size_t size : {0, 1, 2, 3, 31, 1000}) {
    std::vector<std::pair<uint32_t, size_t>> items(size);
    for (size_t i = 0; i < size; ++i) items[i] = {uint32_t(random() % 16), i};
    auto expected = items;
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(expected.begin(), expected.end(), less);
    Sort(&items, less);
    EXPECT_EQ(items, expected) << size;
  }
}

TEST(Sort, MovesWhatCannotBeCopied) {
  std::vector<std::unique_ptr<int>> items;
  for (int value : {3, 1, 2}) items.push_back(std::make_unique<int>(value));
  Sort(&items, [](const auto& a, const auto& b) { return *a > *b; });
  EXPECT_EQ(*items[0], 3);
  EXPECT_EQ(*items[2], 1);
}

TEST(Sort, ComparesByLessUnlessToldOtherwise) {
  std::vector<std::string> items = {"b", "", "a"};
  Sort(&items);
  EXPECT_EQ(items, (std::vector<std::string>{"", "a", "b"}));
}

}  // namespace sort_test
}  // namespace sheaf
