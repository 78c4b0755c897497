#include <gtest/gtest.h>
#include <zstd.h>

#include <random>

#include "bundle/dictionary_builder.h"

namespace sheaf {
namespace dictionary_test {

DictionarySamples Samples(size_t count) {
  static const char* phrases[] = {"the connection is closed by the server", "returns the number of rows",
                                  "CREATE INDEX CONCURRENTLY", "see the section about configuration"};
  std::mt19937 random(7);
  DictionarySamples samples;
  for (size_t i = 0; i < count; ++i) {
    std::string piece;
    while (piece.size() < 1500)
      piece += phrases[random() % std::size(phrases)] + std::to_string(random() % 1000) + ". ";
    samples.bytes += piece;
    samples.sizes.push_back(piece.size());
  }
  return samples;
}

size_t Compressed(std::string_view text, const std::vector<uint8_t>& dictionary) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  std::vector<uint8_t> out(ZSTD_compressBound(text.size()));
  const size_t size = ZSTD_compress_usingDict(context, out.data(), out.size(), text.data(), text.size(),
                                              dictionary.data(), dictionary.size(), 12);
  ZSTD_freeCCtx(context);
  EXPECT_FALSE(ZSTD_isError(size));
  return size;
}

TEST(Dictionary, ShortensPiecesThatAreLikeItsSamples) {
  const DictionarySamples samples = Samples(200);
  const std::vector<uint8_t> dictionary = TrainDictionary(samples, 16 << 10, 12);
  ASSERT_FALSE(dictionary.empty());
  EXPECT_LE(dictionary.size(), size_t(16 << 10));
  const std::string_view piece = std::string_view(samples.bytes).substr(0, samples.sizes[0]);
  EXPECT_LT(Compressed(piece, dictionary), Compressed(piece, {}) * 3 / 4);
}

TEST(Dictionary, IsTheSameForTheSameSamples) {
  EXPECT_EQ(TrainDictionary(Samples(150), 16 << 10, 12), TrainDictionary(Samples(150), 16 << 10, 12));
}

TEST(Dictionary, IsEmptyWhereThereIsTooLittleToLearnFrom) {
  EXPECT_TRUE(TrainDictionary({}, 16 << 10, 12).empty());
  EXPECT_TRUE(TrainDictionary({"ab", {2}}, 16 << 10, 12).empty());
}

}  // namespace dictionary_test
}  // namespace sheaf
