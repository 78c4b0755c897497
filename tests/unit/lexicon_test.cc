#include "lexical/lexicon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "base/logarithm.h"
#include "lexical/bm25.h"
#include "lexical/edit_distance.h"
#include "lexical/lexicon_builder.h"
#include "lexical/postings_accumulator_builder.h"

namespace sheaf {
namespace lexicon_test {

// Leaves in memory, and which of them were asked for.
class ArrayLeaves : public LeafSource {
 public:
  explicit ArrayLeaves(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  Result<ByteSpan> ReadTermLeaf(uint64_t offset, uint64_t length) override {
    if (offset > bytes_.size() || length > bytes_.size() - offset) return Error{ErrorCode::kCorrupt, "no such leaf"};
    asked.insert(offset);
    return ByteSpan(bytes_).subspan(size_t(offset), size_t(length));
  }
  Result<ByteSpan> ReadSpellingLeaf(uint64_t, uint64_t) override {
    return Error{ErrorCode::kCorrupt, "no spellings here"};
  }

  std::set<uint64_t> asked;

 private:
  const std::vector<uint8_t>& bytes_;
};

// Leaves as the builder gives them, one after the other.
struct BuiltLexicon {
  std::vector<uint8_t> leaves;
  LexiconBuilder builder{[this](ByteSpan leaf) {
    leaves.insert(leaves.end(), leaf.begin(), leaf.end());
    return leaf.size();
  }};
  Result<Lexicon> Open() const {
    ByteReader index(builder.index());
    return Lexicon::Open(&index, leaves.size());
  }
};

using Model = std::map<std::string, std::map<std::string, std::vector<Posting>>>;  // stem -> term -> postings

Model RandomModel(uint32_t seed, int stems) {
  std::mt19937 random(seed);
  Model model;
  for (int i = 0; i < stems; ++i) {
    std::string stem;
    for (size_t n = 1 + random() % 12; n > 0; --n) stem += char('a' + random() % 6);
    model[stem][stem + "s"];
    if (random() % 2) model[stem][stem];
    if (random() % 3 == 0) model[stem][stem.substr(0, stem.size() - 1) + "y"];
  }
  for (auto& [stem, forms] : model) {
    for (auto& [term, postings] : forms) {
      uint32_t passage = random() % 500;
      const size_t count = random() % 3 ? 1 + random() % 4 : 1;
      for (size_t i = 0; i < count; ++i, passage += 1 + random() % 100)
        postings.push_back({passage, uint8_t(random() % kLevels)});
    }
  }
  model["cad"]["cad"].clear();  // a common word among rare ones
  for (uint32_t passage = 0; passage < 900; ++passage)
    model["cad"]["cad"].push_back({passage, uint8_t(passage % kLevels)});
  return model;
}

void Fill(const Model& model, LexiconBuilder* builder) {
  for (const auto& [stem, forms] : model) {
    for (const auto& [term, postings] : forms) builder->Add(stem, term, postings);
  }
  builder->Finish();
}

TEST(Postings, ComeBackAsTheyWereForEveryGapWidth) {
  std::mt19937 random(5);
  for (uint32_t spread : {1u, 2u, 10u, 1000u, 10'000'000u}) {
    for (size_t count : {size_t(1), size_t(2), size_t(127), size_t(128), size_t(129), size_t(1000)}) {
      std::vector<Posting> list;
      uint32_t passage = random() % spread;
      for (size_t i = 0; i < count; ++i) {
        list.push_back({passage, uint8_t(random() % kLevels)});
        passage += 1 + uint32_t(random()) % spread % 4'000'000;
      }
      std::vector<uint8_t> bytes;
      EncodePostings(list, &bytes);
      std::vector<Posting> back;
      ASSERT_TRUE(DecodePostings(bytes, uint32_t(count), passage, &back).ok());
      ASSERT_EQ(back.size(), count);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(back[i].passage, list[i].passage);
        ASSERT_EQ(back[i].level, list[i].level);
      }
    }
  }
}

TEST(Postings, RefuseNumbersBeyondTheBundleAndListsThatEndEarly) {
  std::vector<uint8_t> bytes;
  EncodePostings({{3, 1}, {900, 2}}, &bytes);
  std::vector<Posting> out;
  EXPECT_EQ(DecodePostings(bytes, 2, 900, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(DecodePostings(ByteSpan(bytes).first(bytes.size() - 1), 2, 1000, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(DecodePostings(bytes, 2000, 1000, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(DecodePostings({}, 1, 1000, &out).code(), ErrorCode::kCorrupt);
}

TEST(Lexicon, FindsEveryGroupAmongThousandsWithItsPostings) {
  const Model model = RandomModel(7, 5000);
  BuiltLexicon built;
  Fill(model, &built.builder);
  size_t terms = 0;
  for (const auto& [stem, forms] : model) terms += forms.size();
  EXPECT_EQ(built.builder.terms(), terms);
  auto lexicon = built.Open();
  ASSERT_TRUE(lexicon.ok());
  ArrayLeaves leaves(built.leaves);
  ASSERT_GT(lexicon->leaf_count(), 10u);

  for (const auto& [stem, forms] : model) {
    std::vector<TermEntry> found;
    ASSERT_TRUE(lexicon->FindGroup(&leaves, stem, &found).ok());
    ASSERT_EQ(found.size(), forms.size()) << stem;
    auto expected = forms.begin();
    for (const TermEntry& entry : found) {
      ASSERT_EQ(entry.term, expected->first);
      ASSERT_EQ(entry.postings, expected->second.size());
      std::vector<Posting> postings;
      ASSERT_TRUE(lexicon->ReadPostings(&leaves, entry, 1000, &postings).ok());
      ASSERT_EQ(postings.size(), expected->second.size());
      for (size_t i = 0; i < postings.size(); ++i) {
        ASSERT_EQ(postings[i].passage, expected->second[i].passage);
        ASSERT_EQ(postings[i].level, expected->second[i].level);
      }
      ++expected;
    }
  }
  std::vector<TermEntry> none;
  ASSERT_TRUE(lexicon->FindGroup(&leaves, "zzz", &none).ok());
  ASSERT_TRUE(lexicon->FindGroup(&leaves, "", &none).ok());
  EXPECT_TRUE(none.empty());

  // A scan by prefix gives what a walk over the model gives.
  for (const std::string prefix : {"", "a", "ab", "abc", "fff", "zz"}) {
    size_t expected = 0, got = 0;
    for (const auto& [stem, forms] : model) {
      if (stem.starts_with(prefix)) expected += forms.size();
    }
    ASSERT_TRUE(lexicon
                    ->Scan(&leaves, prefix,
                           [&](const TermLeaf&, std::string_view, const TermLeaf::Form&) {
                             ++got;
                             return true;
                           })
                    .ok());
    EXPECT_EQ(got, expected) << prefix;
  }
}

TEST(Lexicon, OpensOneLeafForAWordAndItsPostings) {
  const Model model = RandomModel(8, 2000);
  BuiltLexicon built;
  Fill(model, &built.builder);
  for (const auto& [stem, forms] : model) {
    auto lexicon = built.Open();
    ArrayLeaves leaves(built.leaves);
    std::vector<TermEntry> found;
    std::vector<Posting> postings;
    ASSERT_TRUE(lexicon->FindGroup(&leaves, stem, &found).ok());
    for (const TermEntry& entry : found) ASSERT_TRUE(lexicon->ReadPostings(&leaves, entry, 1000, &postings).ok());
    ASSERT_EQ(leaves.asked.size(), 1u) << stem;
  }
}

TEST(Lexicon, SeparatorsAreShortAndNameTheLeavesOfAPrefix) {
  const Model model = RandomModel(9, 5000);
  BuiltLexicon built;
  Fill(model, &built.builder);
  auto lexicon = built.Open();
  EXPECT_LT(built.builder.index().size(), 8 * lexicon->leaf_count()) << "an index is three to six bytes a leaf";
  for (const std::string prefix : {"a", "ab", "abc", "f", "fe", "c", "cad", "cada"}) {
    ArrayLeaves leaves(built.leaves);
    std::set<uint32_t> holding;
    ASSERT_TRUE(lexicon
                    ->Scan(&leaves, {},
                           [&](const TermLeaf& leaf, std::string_view stem, const TermLeaf::Form&) {
                             if (stem.starts_with(prefix)) holding.insert(leaf.number);
                             return true;
                           })
                    .ok());
    const auto [first, last] = lexicon->LeavesOf(prefix);
    ASSERT_FALSE(holding.empty());
    EXPECT_LE(first, *holding.begin());
    EXPECT_GE(last, *holding.rbegin());
    EXPECT_LE(last - first + 1, holding.size() + 1) << prefix << ": at most the leaf before its first stem is too many";
  }
}

TEST(Lexicon, LeavesAreClosedAtTheirSizeAndACommonWordHasOneOfItsOwn) {
  std::vector<size_t> sizes;
  LexiconBuilder builder([&](ByteSpan leaf) {
    sizes.push_back(leaf.size());
    return leaf.size();
  });
  std::vector<Posting> common;
  for (uint32_t passage = 0; passage < 40'000; passage += 2) common.push_back({passage, uint8_t(passage % kLevels)});
  for (int i = 1000; i < 2000; ++i) {
    const std::string word = "word" + std::to_string(i);
    builder.Add(word, word, i == 1500 ? common : std::vector<Posting>{{uint32_t(i), 1}});
  }
  builder.Finish();
  size_t large = 0;
  for (size_t size : sizes) large += size > TermLeafBytes(40'000) + 8;
  EXPECT_EQ(large, 1u);
  EXPECT_GT(sizes.size(), 3u);
  EXPECT_EQ(builder.largest_leaf(), *std::max_element(sizes.begin(), sizes.end()));
}

// Every reader fetches the index of all leaves, so it must not grow as the lexicon does.
TEST(Lexicon, HasLargerLeavesWhereThereAreManyPassages) {
  EXPECT_EQ(TermLeafBytes(0), 3072u);
  EXPECT_EQ(TermLeafBytes(1 << 18), 3072u);
  EXPECT_EQ(TermLeafBytes(1 << 19), 6144u);
  EXPECT_EQ(TermLeafBytes(UINT32_MAX), 4 * 3072u);
  const auto index_of = [](uint32_t passages) {
    LexiconBuilder builder([](ByteSpan leaf) { return leaf.size(); }, TermLeafBytes(passages));
    for (int i = 10'000; i < 30'000; ++i) builder.Add(std::to_string(i), std::to_string(i), {{uint32_t(i), 1}});
    builder.Finish();
    return builder.index().size();
  };
  EXPECT_LT(index_of(1 << 20) * 7, index_of(0) * 2);
}

TEST(Lexicon, OfNoTermsHasNoLeaves) {
  BuiltLexicon built;
  built.builder.Finish();
  auto lexicon = built.Open();
  ASSERT_TRUE(lexicon.ok());
  ArrayLeaves leaves(built.leaves);
  std::vector<TermEntry> found;
  EXPECT_TRUE(lexicon->FindGroup(&leaves, "cache", &found).ok());
  EXPECT_TRUE(
      lexicon->Scan(&leaves, "", [](const TermLeaf&, std::string_view, const TermLeaf::Form&) { return true; }).ok());
  EXPECT_TRUE(found.empty() && leaves.asked.empty());
}

TEST(Lexicon, AnIndexThatEndsEarlyOrNamesAnotherSizeIsRefused) {
  BuiltLexicon built;
  Fill(RandomModel(10, 600), &built.builder);
  const std::vector<uint8_t>& index = built.builder.index();
  for (size_t size = 0; size < index.size(); ++size) {
    ByteReader reader(ByteSpan(index).first(size));
    ASSERT_EQ(Lexicon::Open(&reader, built.leaves.size()).code(), ErrorCode::kCorrupt) << size;
  }
  for (uint64_t size : {uint64_t(0), uint64_t(built.leaves.size() - 1), uint64_t(built.leaves.size() + 1)}) {
    ByteReader reader(index);
    EXPECT_EQ(Lexicon::Open(&reader, size).code(), ErrorCode::kCorrupt) << size;
  }
}

TEST(Lexicon, DamagedLeavesAreRefusedOrReadWithinBounds) {
  BuiltLexicon built;
  for (char c = 'a'; c <= 'z'; ++c) built.builder.Add(std::string(3, c), std::string(3, c) + "ing", {{1, 2}, {5, 3}});
  built.builder.Finish();
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::vector<uint8_t> damaged = built.leaves;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = uint8_t(random());
    auto lexicon = built.Open();
    ArrayLeaves leaves(damaged);
    std::vector<TermEntry> found;
    std::vector<Posting> postings;
    (void)lexicon->FindGroup(&leaves, "mmm", &found);
    (void)lexicon->Scan(&leaves, {}, [&](const TermLeaf& leaf, std::string_view, const TermLeaf::Form& form) {
      found.push_back(leaf.Entry(form));
      return leaf.Term(form).size() < 1000;
    });
    for (const TermEntry& entry : found) {
      if (!lexicon->ReadPostings(&leaves, entry, 1000, &postings).ok()) continue;
      for (const Posting& posting : postings) ASSERT_LT(posting.passage, 1000u);
    }
  }
}

TEST(EditDistance, AgreesWithTheFullMatrix) {
  const auto slow = [](const std::string& a, const std::string& b) {
    std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) {
      for (size_t j = 0; j <= b.size(); ++j) {
        if (!i || !j) {
          d[i][j] = int(i + j);
          continue;
        }
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
          d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
    return d[a.size()][b.size()];
  };
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string a, b;
    for (size_t n = random() % 9; n > 0; --n) a += char('a' + random() % 3);
    for (size_t n = random() % 9; n > 0; --n) b += char('a' + random() % 3);
    for (int limit : {0, 1, 2, 3})
      ASSERT_EQ(EditDistance(a, b, limit), std::min(slow(a, b), limit + 1)) << a << " " << b;
  }
  EXPECT_EQ(EditDistance("gahter", "gather", 2), 1);
  EXPECT_EQ(EditDistance(std::string(100, 'a'), std::string(100, 'a'), 2), 3);
}

TEST(Bm25, LevelsStayWithinNinePercentAndRiseWithFrequency) {
  for (float x = 0.3f; x < 50; x *= 1.01f) {
    const float back = FrequencyOf(LevelOf(x));
    EXPECT_NEAR(back / x, 1, 0.091) << x;
    EXPECT_GE(LevelOf(x * 1.01f), LevelOf(x));
  }
  EXPECT_EQ(LevelOf(0), 0);
  EXPECT_EQ(LevelOf(1e30f), kLevels - 1);
}

TEST(Bm25, AFrequencyOnTheBorderOfTwoLevelsTakesTheHigherOne) {
  for (int level = 1; level < kLevels; ++level) {
    // The least float that is not below 2^(level / 4 - 2 - 1/8).
    const double border = std::exp2((level - 0.5) / 4 - 2);
    float x = float(border);
    if (double(x) < border) x = std::nextafter(x, 1e9f);
    EXPECT_EQ(LevelOf(x), level) << x;
    EXPECT_EQ(LevelOf(std::nextafter(x, 0.0f)), level - 1) << x;
  }
}

TEST(Logarithm, IsTheLibrarysButForTheLastBits) {
  EXPECT_EQ(Log(1), 0);
  for (double x = 0x1p-1022; x < 1e300; x *= 1.7320508)
    EXPECT_NEAR(Log(x), std::log(x), 2e-15 * std::fabs(std::log(x)));
  for (double x = 1; x > 1e-16; x /= 2) EXPECT_NEAR(Log(1 + x), std::log(1 + x), 1e-15 * x);
}

TEST(Logarithm, HasTheSameBitsEverywhere) {
  uint64_t hash = 0;
  for (uint32_t i = 1; i < 100'000; ++i) {
    const double logarithm = Log(1.0 + i / 7.0);
    uint64_t bits;
    std::memcpy(&bits, &logarithm, sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3u;
  }
  EXPECT_EQ(hash, 0x461614e5b06b4303u);
}

TEST(Bm25, AgreesWithAHandComputedScore) {
  // Ten documents, three with the term: ln(1 + 7.5/3.5) = 1.1451...
  EXPECT_NEAR(Idf(10, 3), 1.14513f, 1e-4);
  // tf 2 in a field twice the average with b .75: 2 / (0.25 + 0.75 * 2) = 1.142857
  EXPECT_NEAR(FieldFrequency(2, 20, 10, 1, 0.75f), 1.142857f, 1e-5);
  EXPECT_NEAR(TermScore(1.14513f, 1.142857f, 1.2f), 1.14513 * 1.142857 * 2.2 / 2.342857, 1e-5);
}

TEST(Postings, KeepWhichOfThemAreNames) {
  std::vector<Posting> postings;
  for (uint32_t i = 0; i < 400; ++i) {
    // No name in the second block.
    const bool named = i % 7 == 0 && (i < kPostingBlock || i >= 2 * kPostingBlock);
    postings.push_back({3 * i, uint8_t(i % kLevels), NameRole(named ? i % 8 : 0)});
  }
  std::vector<uint8_t> bytes;
  EncodePostings(postings, &bytes);
  std::vector<Posting> read;
  ASSERT_TRUE(DecodePostings(bytes, 400, 1200, &read).ok());
  for (size_t i = 0; i < postings.size(); ++i) {
    EXPECT_EQ(read[i].passage, postings[i].passage);
    EXPECT_EQ(read[i].level, postings[i].level);
    EXPECT_EQ(read[i].role, postings[i].role) << i;
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    read.clear();
    EXPECT_FALSE(DecodePostings(ByteSpan(bytes).first(size), 400, 1200, &read).ok()) << size;
  }
  // Two postings, the fifth of which is a name.
  const std::vector<uint8_t> beyond = {128, 0, 0, 4 | 1 << 7, 0};
  read.clear();
  EXPECT_FALSE(DecodePostings(beyond, 2, 10, &read).ok());
}

TEST(PostingsAccumulator, GivesTheSameWithAndWithoutSpilling) {
  const auto run = [](bool spill) {
    std::vector<uint8_t> spilled;
    PostingsAccumulator accumulator(Bm25Params{}, [](std::string_view t) { return std::string(t.substr(0, 3)); });
    if (spill) {
      accumulator.SetSpill(
          2000,
          [&](ByteSpan b) {
            spilled.insert(spilled.end(), b.begin(), b.end());
            return Status();
          },
          [&](uint64_t offset, size_t size, uint8_t* out) {
            std::copy_n(spilled.begin() + ptrdiff_t(offset), size, out);
            return Status();
          });
    }
    std::mt19937 random(9);
    for (int passage = 0; passage < 300; ++passage) {
      std::map<std::string, TermCounts> terms;
      for (int t = 0; t < 20; ++t) {
        const std::string term = "term" + std::to_string(random() % 400);
        terms[term].term = term;
        ++terms[term].counts[random() % kFieldCount];
      }
      std::vector<TermCounts> list;
      for (auto& [name, counts] : terms) list.push_back(counts);
      EXPECT_TRUE(accumulator.Add(list, {3, 5, uint32_t(20 + random() % 50), 4}).ok());
    }
    std::string out;
    EXPECT_TRUE(accumulator
                    .Finish([&](std::string_view stem, std::string_view term, const std::vector<Posting>& postings) {
                      out += std::string(stem) + "/" + std::string(term);
                      for (const Posting& p : postings)
                        out += " " + std::to_string(p.passage) + ":" + std::to_string(p.level);
                      out += "\n";
                    })
                    .ok());
    EXPECT_EQ(spill, !spilled.empty());
    return out;
  };
  EXPECT_EQ(run(false), run(true));
}

// The lengths of all passages stay in memory; once they exceed the limit by themselves, spilling sooner would free nothing.
TEST(PostingsAccumulator, SpillsNoRunForEachOfManyPassages) {
  std::vector<uint8_t> spilled;
  size_t runs = 0;
  PostingsAccumulator accumulator(Bm25Params{}, [](std::string_view t) { return std::string(t); });
  accumulator.SetSpill(
      4000,
      [&](ByteSpan b) {
        spilled.insert(spilled.end(), b.begin(), b.end());
        ++runs;
        return Status();
      },
      [&](uint64_t offset, size_t size, uint8_t* out) {
        std::copy_n(spilled.begin() + ptrdiff_t(offset), size, out);
        return Status();
      });
  TermCounts word;
  word.term = "word";
  word.counts[kProse] = 1;
  for (int passage = 0; passage < 2000; ++passage) ASSERT_TRUE(accumulator.Add({word}, {0, 0, 1, 0}).ok());
  EXPECT_GT(runs, 0u);
  EXPECT_LT(runs, 20u);
  size_t postings = 0;
  ASSERT_TRUE(accumulator
                  .Finish([&](std::string_view, std::string_view, const std::vector<Posting>& list) {
                    postings += list.size();
                  })
                  .ok());
  EXPECT_EQ(postings, 2000u);
}

}  // namespace lexicon_test
}  // namespace sheaf
