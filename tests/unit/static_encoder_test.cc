#include "encode/static_encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/checksum.h"
#include "base/columns.h"
#include "tests/unit/support.h"

namespace sheaf {
namespace static_encoder_test {

float CosineOf(const std::vector<float>& a, const std::vector<float>& b) {
  float dot = 0;
  for (size_t i = 0; i < a.size(); ++i) dot += a[i] * b[i];
  return dot;
}

TEST(StaticEncoder, PutsKindredWordsTogetherAndOthersApart) {
  for (uint32_t bits : {4u, 8u}) {
    test::LoadedEncoder loaded(test::TableBytes(bits));
    const Analyzer analyzer;
    const auto embed = [&](const char* text) { return *loaded.encoder->Embed(text, analyzer); };
    EXPECT_GT(CosineOf(embed("memoize"), embed("the cache")), 0.95f);
    EXPECT_LT(CosineOf(embed("memoize"), embed("component")), 0.3f);
    EXPECT_NEAR(CosineOf(embed("jobs"), embed("jobs")), 1, 1e-5);
  }
}

TEST(StaticEncoder, FallsBackToPartsAndThenToPieces) {
  test::LoadedEncoder loaded(test::TableBytes());
  const Analyzer analyzer;
  EXPECT_GT(
      CosineOf(*loaded.encoder->Embed("responseModels", analyzer), *loaded.encoder->Embed("response models", analyzer)),
      0.99f);
  // "parallel" is a word of its own; "parallelallel" is par + allel + allel.
  EXPECT_GT(CosineOf(*loaded.encoder->Embed("parallelallel", analyzer), *loaded.encoder->Embed("jobs", analyzer)),
            0.95f);
}

TEST(StaticEncoder, HasNoVectorForTextWithoutKnownWords) {
  test::LoadedEncoder loaded(test::TableBytes());
  const Analyzer analyzer;
  EXPECT_TRUE(loaded.encoder->Embed("", analyzer)->empty());
  EXPECT_TRUE(loaded.encoder->Embed("zzz qqq", analyzer)->empty());
}

TEST(StaticEncoder, FetchesOnlyWhatItsWordsNeedAndAgreesWithTheWholeTable) {
  EncoderTableInput big = test::SampleTable();
  for (int i = 0; i < 20000; ++i) {
    big.words.push_back("filler" + std::to_string(i));
    for (int d = 0; d < 16; ++d) big.rows.push_back(std::sin(float(i * 16 + d)));
  }
  const auto bytes = BuildEncoderTable(big);
  ASSERT_TRUE(bytes.ok());
  test::LoadedEncoder whole(*bytes);
  Engine lazy;
  ASSERT_TRUE(lazy.SetSource(kEncoderSource, bytes->size()).ok());
  uint64_t fetched = 0;
  std::vector<float> vector;
  for (int round = 0; round < 10 && vector.empty(); ++round) {
    auto outcome = lazy.Embed("cache filler123 gather");
    ASSERT_FALSE(outcome.error());
    if (outcome.value()) vector = *outcome.value();
    if (!outcome.needs()) continue;
    for (const Range& r : *outcome.needs()) {
      fetched += r.length;
      ASSERT_TRUE(lazy.Supply(r.source, r.offset, ByteSpan(*bytes).subspan(r.offset, r.length)).ok());
    }
  }
  EXPECT_EQ(vector, *whole.encoder->Embed("cache filler123 gather", Analyzer()));
  EXPECT_LT(fetched, bytes->size() / 5);
}

TEST(StaticEncoder, FetchesThePiecesOfALongUnknownWordInFewRounds) {
  EncoderTableInput input = test::SampleTable();
  input.dimensions = 256;
  input.words.clear();
  for (char a = 'a'; a <= 'z'; ++a) {
    input.words.push_back({a});
    input.words.push_back({'#', '#', a});
    for (char b = 'a'; b <= 'z'; ++b) input.words.push_back({'#', '#', a, b});
  }
  input.rows.clear();
  for (size_t i = 0; i < input.words.size() * input.dimensions; ++i) input.rows.push_back(std::sin(float(i)));
  const auto bytes = BuildEncoderTable(input);
  ASSERT_TRUE(bytes.ok());
  const std::string word = "ahpyhrcnzmzncrhyphatnidzwtrqppqrtwzdintahpyhrcnzmzncrhyphatn";  // 30 pieces on 25 pages
  Engine lazy;
  ASSERT_TRUE(lazy.SetSource(kEncoderSource, bytes->size()).ok());
  std::vector<float> vector;
  int rounds = 0;
  for (; rounds < 64 && vector.empty(); ++rounds) {
    auto outcome = lazy.Embed(word);
    ASSERT_FALSE(outcome.error());
    if (outcome.value()) vector = *outcome.value();
    if (!outcome.needs()) continue;
    for (const Range& r : *outcome.needs()) {
      ASSERT_TRUE(lazy.Supply(r.source, r.offset, ByteSpan(*bytes).subspan(r.offset, r.length)).ok());
    }
  }
  test::LoadedEncoder whole(*bytes);
  EXPECT_EQ(vector, *whole.encoder->Embed(word, Analyzer()));
  EXPECT_LE(rounds, 12);
}

// The form of the file may change, what a word means may not: vectors of bundles were made with these rows.
TEST(StaticEncoder, AsksForNoPieceShorterThanTheLongestThatIsThere) {
  EncoderTableInput input = test::SampleTable();
  input.words = {"tables", "tablet"};
  for (char a = 'a'; a <= 'z'; ++a) {
    input.words.push_back({a});
    input.words.push_back({'#', '#', a});
    for (char b = 'a'; b <= 'z'; ++b) {
      input.words.push_back({a, b});
      input.words.push_back({'#', '#', a, b});
    }
  }
  input.rows.clear();
  for (size_t i = 0; i < input.words.size() * input.dimensions; ++i) input.rows.push_back(std::sin(float(i)));
  const auto bytes = BuildEncoderTable(input);
  ASSERT_TRUE(bytes.ok());
  Engine lazy;
  ASSERT_TRUE(lazy.SetSource(kEncoderSource, bytes->size()).ok());
  const auto ask = [&](const auto& call) {
    size_t asked = 0;
    for (int round = 0; round < 10; ++round) {
      auto outcome = call();
      EXPECT_FALSE(outcome.error());
      if (!outcome.needs()) break;
      for (const Range& r : *outcome.needs()) {
        ++asked;
        EXPECT_TRUE(lazy.Supply(r.source, r.offset, ByteSpan(*bytes).subspan(r.offset, r.length)).ok());
      }
    }
    return asked;
  };
  ask([&] { return lazy.OpenEncoder(); });
  // The page that the word would be on has "tables"; the others have pieces that end the word.
  EXPECT_LE(ask([&] { return lazy.Embed("tablesapce"); }), 4u);
  test::LoadedEncoder whole(*bytes);
  EXPECT_EQ(*lazy.Embed("tablesapce").value(), *whole.encoder->Embed("tablesapce", Analyzer()));
}

TEST(StaticEncoder, TheShippedTableHoldsItsWordsFactorsAndCodes) {
  std::ifstream in(std::string(SHEAF_SOURCE_DIR) + "/models/minilm-l6-256.sheaf", std::ios::binary);
  ASSERT_TRUE(in);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  Container container(bytes.size());
  ASSERT_TRUE(container.Supply(0, bytes).ok());
  ASSERT_TRUE(container.Open(ContainerKind::kEncoderTable).ok());
  const std::vector<uint8_t> index = *container.ReadAll(SectionId::kTermIndex);
  ByteReader r(index);
  const size_t pages = size_t(r.Varint());
  std::vector<std::string> separators;
  std::vector<uint32_t> counts, lengths;
  ASSERT_TRUE(ReadSeparators(&r, pages, 255, &separators) && ReadNumbers(&r, pages, &counts) &&
              ReadNumbers(&r, pages, &lengths));
  uint64_t offset = 0, hash = 0;
  for (const uint32_t length : lengths) {
    const auto page = container.Piece(SectionId::kTerms, offset, length);
    ASSERT_TRUE(page.ok()) << page.error().message;
    hash = Hash64(*page, hash);
    offset += length;
  }
  EXPECT_EQ(hash, 0x0d5bccac3ded2fd2u);
}

TEST(StaticEncoder, BuilderRefusesWhatItCannotStore) {
  EncoderTableInput input = test::SampleTable();
  input.words.push_back("cache");
  input.rows.resize(input.rows.size() + 16);
  EXPECT_EQ(BuildEncoderTable(input).code(), ErrorCode::kInvalidArgument);
  input = test::SampleTable();
  input.rows.pop_back();
  EXPECT_EQ(BuildEncoderTable(input).code(), ErrorCode::kInvalidArgument);
  input = test::SampleTable();
  input.bits = 5;
  EXPECT_EQ(BuildEncoderTable(input).code(), ErrorCode::kInvalidArgument);
  input = test::SampleTable();
  input.dimensions = 17;
  EXPECT_EQ(BuildEncoderTable(input).code(), ErrorCode::kInvalidArgument);
}

}  // namespace static_encoder_test
}  // namespace sheaf
