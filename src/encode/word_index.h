// Finds a word's row by hash, for encoders whose table is all in memory: packing looks up every word of every
// passage. Header only, so that the core, which looks up a handful, does not carry it.
//
// Invariant: only lookups depend on the hash, so it may differ between machines. Cost: 32 bytes a word.
#ifndef SHEAF_ENCODE_WORD_INDEX_H_
#define SHEAF_ENCODE_WORD_INDEX_H_

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace sheaf {

class WordIndex {
 public:
  explicit WordIndex(size_t words) : slots_(std::bit_ceil(words * 2 + 1)) {}

  // REQUIRES: as many calls as the constructor was told of, at most; `row` is not null; the word's bytes stay.
  void Add(std::string_view word, const uint8_t* row) { slots_[SlotOf(word)] = {word, row}; }

  // The row of a word, or null.
  const uint8_t* Find(std::string_view word) const { return slots_[SlotOf(word)].row; }

 private:
  struct Slot {
    std::string_view word;
    const uint8_t* row = nullptr;  // null: free
  };
  // Where the word is, or the free slot where it would be: half of them are free.
  size_t SlotOf(std::string_view word) const {
    const size_t mask = slots_.size() - 1;
    size_t at = std::hash<std::string_view>{}(word)&mask;
    while (slots_[at].row != nullptr && slots_[at].word != word) at = (at + 1) & mask;
    return at;
  }

  std::vector<Slot> slots_;
};

}  // namespace sheaf

#endif  // SHEAF_ENCODE_WORD_INDEX_H_
