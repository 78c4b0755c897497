#include "lexical/spellings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <set>

#include "base/front_coding.h"
#include "lexical/edit_distance.h"

namespace sheaf {
namespace spellings_test {

// Leaves in memory. A leaf that the host has not "brought" is noted and missing.
class ArrayLeaves : public LeafSource {
 public:
  Result<ByteSpan> ReadTermLeaf(uint64_t, uint64_t) override { return Error{ErrorCode::kCorrupt, "no terms here"}; }
  Result<ByteSpan> ReadSpellingLeaf(uint64_t offset, uint64_t length) override {
    offset = std::min<uint64_t>(offset, bytes.size());  // a piece may also be shorter than its index says
    length = std::min<uint64_t>(length, bytes.size() - offset);
    if (asked.emplace(offset, length).second && !whole) return Error{ErrorCode::kNeedsBytes, {}};
    return ByteSpan(bytes).subspan(size_t(offset), size_t(length));
  }
  uint64_t asked_bytes() const {
    uint64_t sum = 0;
    for (const auto& [offset, length] : asked) sum += length;
    return sum;
  }

  std::vector<uint8_t> bytes;
  std::map<uint64_t, uint64_t> asked;
  bool whole = true;
};

struct BuiltSpellings {
  ArrayLeaves leaves;
  ByteWriter index;
  Result<Spellings> Open() const {
    ByteReader reader(index.bytes());
    return Spellings::Open(&reader, leaves.bytes.size());
  }
};

BuiltSpellings Build(const std::vector<std::pair<std::string, uint32_t>>& words) {
  SpellingsBuilder builder;
  for (const auto& [word, passages] : words) builder.Add(word, passages);
  BuiltSpellings built;
  builder.Finish(
      [&](ByteSpan leaf) {
        built.leaves.bytes.insert(built.leaves.bytes.end(), leaf.begin(), leaf.end());
        return leaf.size();
      },
      &built.index);
  return built;
}

std::vector<std::pair<std::string, uint32_t>> RandomWords(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::set<std::string> words;
  while (words.size() < count) {
    std::string word;
    for (size_t n = 3 + random() % 12; n > 0; --n) word += char('a' + random() % 20);
    words.insert(word);
  }
  std::vector<std::pair<std::string, uint32_t>> list;
  for (const std::string& word : words) list.emplace_back(word, 1 + random() % 300);
  return list;
}

std::vector<std::string> Visited(Spellings* spellings, LeafSource* leaves, size_t shortest, size_t longest,
                                 std::string_view prefix) {
  std::vector<std::string> words;
  const auto visit = [&](const Spellings::Word& word) { words.push_back(word.text); };
  const Status status = spellings->Visit(leaves, shortest, longest, prefix, visit);
  EXPECT_TRUE(status.ok());
  return words;
}

std::vector<std::string> Expected(const std::vector<std::pair<std::string, uint32_t>>& list, size_t shortest,
                                  size_t longest, std::string_view prefix) {
  std::vector<std::string> words;
  for (const auto& [word, passages] : list) {
    if (word.size() >= shortest && word.size() <= longest && word.starts_with(prefix)) words.push_back(word);
  }
  std::sort(words.begin(), words.end(),
            [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  return words;
}

TEST(Spellings, StandInOrderOfLengthAndThenOfBytes) {
  const auto words = RandomWords(6000, 1);
  BuiltSpellings built = Build(words);
  auto spellings = built.Open();
  ASSERT_TRUE(spellings.ok());
  EXPECT_EQ(Visited(&*spellings, &built.leaves, 0, SIZE_MAX, ""), Expected(words, 0, SIZE_MAX, ""));
  EXPECT_TRUE(spellings->Verify(&built.leaves).ok());
}

TEST(Spellings, SayHowCommonAWordIsInEighthsOfItsLogarithm) {
  BuiltSpellings built = Build({{"once", 1}, {"twice", 2}, {"often", 1000}, {"everywhere", UINT32_MAX}});
  auto spellings = built.Open();
  std::map<std::string, int> weights;
  ASSERT_TRUE(
      spellings->Visit(&built.leaves, 0, 99, {}, [&](const Spellings::Word& word) { weights[word.text] = word.weight; })
          .ok());
  EXPECT_EQ(weights, (std::map<std::string, int>{{"once", 0}, {"twice", 8}, {"often", 80}, {"everywhere", 255}}));
}

TEST(Spellings, ListPlainWordsAloneAndEachOnce) {
  BuiltSpellings built = Build({{"cache", 3},
                                {"ca", 3},
                                {"max_connections", 3},
                                {"utf8", 3},
                                {"Cache", 3},
                                {"über", 3},
                                {"a.b.c", 3},
                                {"cache", 3},
                                {std::string(kMaxSpelling, 'x'), 1},
                                {std::string(kMaxSpelling + 1, 'x'), 1},
                                {"", 1}});
  auto spellings = built.Open();
  EXPECT_EQ(Visited(&*spellings, &built.leaves, 0, SIZE_MAX, ""),
            (std::vector<std::string>{"cache", "über", std::string(kMaxSpelling, 'x')}));
}

TEST(Spellings, KeepTheCommonestWordsWhenThereAreTooMany) {
  auto words = RandomWords(kMaxSpellings + 3000, 2);
  for (size_t i = 0; i < words.size(); ++i) words[i].second = i % 4 == 0 ? 1 : 50;
  BuiltSpellings built = Build(words);
  auto spellings = built.Open();
  size_t kept = 0, rare = 0, all_common = 0;
  for (const auto& [word, passages] : words) all_common += passages == 50;
  ASSERT_LT(all_common, kMaxSpellings);
  ASSERT_TRUE(spellings
                  ->Visit(&built.leaves, 0, 99, {},
                          [&](const Spellings::Word& word) {
                            ++kept;
                            rare += word.weight == 0;
                          })
                  .ok());
  EXPECT_EQ(kept, kMaxSpellings);
  EXPECT_EQ(kept - rare, all_common) << "a common word was dropped for a rare one";
  // The choice does not depend on the order in which words came.
  std::shuffle(words.begin(), words.end(), std::mt19937(4));
  EXPECT_EQ(Build(words).leaves.bytes, built.leaves.bytes);
}

TEST(Spellings, AreAskedForTheLengthsInQuestionOnly) {
  const auto words = RandomWords(9000, 3);
  for (const auto& [shortest, longest] :
       std::vector<std::pair<size_t, size_t>>{{3, 3}, {5, 7}, {6, 10}, {14, 40}, {1, 2}}) {
    BuiltSpellings built = Build(words);
    auto spellings = built.Open();
    const auto expected = Expected(words, shortest, longest, "");
    EXPECT_EQ(Visited(&*spellings, &built.leaves, shortest, longest, ""), expected);
    uint64_t bytes = 0;
    for (const std::string& word : expected) bytes += word.size() + 3;  // as much as they can take
    // Of the leaves at both ends only a part is of the length asked for.
    EXPECT_LE(built.leaves.asked_bytes(), bytes + 2 * 5000) << shortest << ".." << longest;
  }
}

TEST(Spellings, AreAskedForTheBeginningInQuestionOnly) {
  const auto words = RandomWords(16000, 4);
  for (const std::string prefix : {"a", "ab", "f", "tt", "zz"}) {
    BuiltSpellings built = Build(words);
    auto spellings = built.Open();
    const size_t shortest = prefix.size() + 1, longest = prefix.size() + 8;
    EXPECT_EQ(Visited(&*spellings, &built.leaves, shortest, longest, prefix),
              Expected(words, shortest, longest, prefix));
    // A length has 1,300 words here, a few leaves; one holds the beginning, two where it is cut, and some
    // hold two lengths.
    EXPECT_LE(built.leaves.asked.size(), 2 * 8u) << prefix;
    EXPECT_LT(built.leaves.asked_bytes(), built.leaves.bytes.size() * 2 / 3) << prefix;
  }
}

TEST(Spellings, AskForAllMissingLeavesAtOnce) {
  const auto words = RandomWords(6000, 5);
  BuiltSpellings built = Build(words);
  built.leaves.whole = false;
  auto spellings = built.Open();
  ASSERT_EQ(spellings->Visit(&built.leaves, 6, 8, {}, [](const Spellings::Word&) {}).code(), ErrorCode::kNeedsBytes);
  const auto asked = built.leaves.asked;
  EXPECT_GT(asked.size(), 1u);
  EXPECT_EQ(Visited(&*spellings, &built.leaves, 6, 8, ""), Expected(words, 6, 8, ""));
  EXPECT_EQ(built.leaves.asked, asked) << "a second round asks for nothing new";
}

TEST(Spellings, OfNoWordsOrOfABundleWithoutThemFindNothing) {
  BuiltSpellings built = Build({});
  auto spellings = built.Open();
  ASSERT_TRUE(spellings.ok());
  EXPECT_TRUE(Visited(&*spellings, &built.leaves, 0, 99, "").empty());
  ByteReader nothing{ByteSpan()};
  EXPECT_TRUE(Spellings::Open(&nothing, 0).ok());
}

TEST(Spellings, AnIndexThatEndsEarlyOrNamesAnotherSizeIsRefused) {
  const BuiltSpellings built = Build(RandomWords(3000, 6));
  const std::vector<uint8_t>& index = built.index.bytes();
  for (size_t size = 1; size < index.size(); ++size) {
    ByteReader reader(ByteSpan(index).first(size));
    ASSERT_EQ(Spellings::Open(&reader, built.leaves.bytes.size()).code(), ErrorCode::kCorrupt) << size;
  }
  ByteReader reader(index);
  EXPECT_EQ(Spellings::Open(&reader, built.leaves.bytes.size() + 1).code(), ErrorCode::kCorrupt);
}

TEST(Spellings, DamagedLeavesAreRefusedOrReadInOrder) {
  const BuiltSpellings sound = Build(RandomWords(300, 7));
  std::mt19937 random(8);
  size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    ArrayLeaves leaves = sound.leaves;
    for (int k = 0; k < 3; ++k) leaves.bytes[random() % leaves.bytes.size()] = uint8_t(random());
    auto spellings = sound.Open();
    size_t words = 0;
    const Status status = spellings->Visit(&leaves, 4, 9, {}, [&](const Spellings::Word& word) {
      ++words;
      EXPECT_TRUE(word.text.size() >= 4 && word.text.size() <= 9);
    });
    refused += !status.ok();
    if (!status.ok()) {
      EXPECT_EQ(status.code(), ErrorCode::kCorrupt);
    }
    EXPECT_LE(words, leaves.bytes.size());
  }
  EXPECT_GT(refused, 100u);
  // A leaf cut short cannot hold what its index says.
  for (size_t size = 0; size < sound.leaves.bytes.size(); ++size) {
    ArrayLeaves leaves = sound.leaves;
    leaves.bytes.resize(size);
    EXPECT_EQ(sound.Open()->Verify(&leaves).code(), ErrorCode::kCorrupt) << size;
  }
}

TEST(Spellings, LeavesOfMoreWordsThanABundleMayListAreRefused) {
  for (const size_t count : {kMaxSpellings, kMaxSpellings + 1}) {
    BuiltSpellings built;
    ByteWriter leaf;
    leaf.Varint(count);
    std::string previous;
    for (size_t i = 0; i < count; ++i) {
      const std::string word = {char('a' + i / 676), char('a' + i / 26 % 26), char('a' + i % 26)};
      WriteFrontCodedString(previous, word, &leaf);
      previous = word;
    }
    leaf.Bytes(std::vector<uint8_t>(count));
    built.leaves.bytes = leaf.bytes();
    built.index.Varint(1);
    built.index.String("aaa");
    built.index.Varint(leaf.size());
    auto spellings = built.Open();
    ASSERT_TRUE(spellings.ok());
    EXPECT_EQ(spellings->Verify(&built.leaves).code(), count == kMaxSpellings ? ErrorCode::kOk : ErrorCode::kCorrupt);
  }
}

TEST(Spellings, LetterSetsOfWordsWithinEditsDifferInTwoBitsAnEdit) {
  std::mt19937 random(9);
  for (int round = 0; round < 20'000; ++round) {
    std::string a, b;
    for (size_t n = 3 + random() % 6; n > 0; --n) a += char('a' + random() % 4);
    for (size_t n = 3 + random() % 6; n > 0; --n) b += char('a' + random() % 4);
    const int distance = EditDistance(a, b, 3);
    if (distance > 3) continue;
    ASSERT_LE(std::popcount(LetterSet(a) ^ LetterSet(b)), 2 * distance) << a << " " << b;
  }
}

}  // namespace spellings_test
}  // namespace sheaf
