#define ZDICT_STATIC_LINKING_ONLY  // the trainer's parameters; zstd is linked statically, at one version
#include "bundle/dictionary_builder.h"

#include <zdict.h>

#include <algorithm>

namespace sheaf {
namespace {

// Segments of kSegment bytes are chosen by how frequent the kMotif-byte strings in them are. zstd's default tries five
// segment lengths with two motifs, which takes four times as long. It settles on longer segments, which save less here.
constexpr unsigned kSegment = 100, kMotif = 6;
constexpr unsigned kHashBits = 20;
constexpr unsigned kAcceleration = 3;  // counts every third motif
constexpr size_t kEntropySamples = 300;

// The level that the entropy tables are counted at. For 5 to 10, zstd would choose by the features of the processor how
// it looks for matches (container_builder.cc), and here it cannot be told. 11 is the next that has no choice.
int EntropyLevel(int level) { return level >= 5 && level <= 10 ? 11 : level; }

}  // namespace

std::vector<uint8_t> TrainDictionary(const DictionarySamples& samples, size_t capacity, int level) {
  ZDICT_fastCover_params_t cover = {};
  cover.k = kSegment;
  cover.d = kMotif;
  cover.f = kHashBits;
  cover.accel = kAcceleration;
  cover.splitPoint = 1;                // train on all samples
  cover.zParams.compressionLevel = 1;  // of entropy tables that are replaced below
  std::vector<uint8_t> trained(capacity);
  const size_t trained_size = ZDICT_trainFromBuffer_fastCover(
      trained.data(), capacity, samples.bytes.data(), samples.sizes.data(), unsigned(samples.sizes.size()), cover);
  if (ZDICT_isError(trained_size)) return {};
  const size_t header = ZDICT_getDictHeaderSize(trained.data(), trained_size);
  if (ZDICT_isError(header)) return {};

  DictionarySamples few;
  const size_t step = std::max<size_t>(1, samples.sizes.size() / kEntropySamples);
  for (size_t i = 0, at = 0; i < samples.sizes.size(); at += samples.sizes[i++]) {
    if (i % step != 0) continue;
    few.bytes.append(samples.bytes, at, samples.sizes[i]);
    few.sizes.push_back(samples.sizes[i]);
  }
  ZDICT_params_t entropy = {};
  entropy.compressionLevel = EntropyLevel(level);
  std::vector<uint8_t> dictionary(capacity);
  const size_t size =
      ZDICT_finalizeDictionary(dictionary.data(), capacity, trained.data() + header, trained_size - header,
                               few.bytes.data(), few.sizes.data(), unsigned(few.sizes.size()), entropy);
  dictionary.resize(ZDICT_isError(size) ? 0 : size);
  return dictionary;
}

}  // namespace sheaf
