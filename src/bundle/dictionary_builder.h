// Trains the zstd dictionary that pieces of passages are compressed with. Native only.
//
// Idea: the samples are pieces as they will be stored, headers included. Their frequent segments become the content
// (zstd's fast cover). The entropy tables are then counted on a few hundred of them, compressed at the level of the
// pieces. Counted at another level, they fit worse and cost 1 % of the text.
//
// Invariant: the bytes depend on the arguments alone. Cost: 0.1 s for 8 MB of samples, and 8 MB.
#ifndef SHEAF_BUNDLE_DICTIONARY_BUILDER_H_
#define SHEAF_BUNDLE_DICTIONARY_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

// Pieces one after the other, and how long each is.
struct DictionarySamples {
  std::string bytes;
  std::vector<size_t> sizes;
};

// At most `capacity` bytes; empty where zstd finds no dictionary in the samples.
// REQUIRES: capacity of 1 KiB or more, level 1..22
std::vector<uint8_t> TrainDictionary(const DictionarySamples& samples, size_t capacity, int level);

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_DICTIONARY_BUILDER_H_
