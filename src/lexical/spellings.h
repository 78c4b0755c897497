// The words of a bundle by length, which a misspelt or unfinished word of a query may stand for.
//
// Idea: one edit barely changes a word's length. So the list is sorted by length first, and a look-up reads
// a few neighbouring leaves, a few kilobytes, never the whole lexicon. It holds plain words (letters alone),
// the commonest ones when there are many; names like `max_connections` are found by their parts. Each word
// carries its frequency, so that choosing among words needs no other read.
//
// Layout. Leaves lie one after the other in the section of spellings, each a piece: v words, then front-coded
// words (u8 shared · u8 length · bytes), then a u8 for each: its weight, 8 log2 of the passages that have it.
// The index follows the lexicon's in the section of term-index: v leaves, then for each: s first word ·
// v stored length of its piece. Bytes behind it are ignored.
//
// Order: by length in bytes, then by bytes.
// Cost: about 3 bytes a word in the file; a look-up with one edit reads a third of the leaves.
// Twin: spellings_builder.cc.
#ifndef SHEAF_LEXICAL_SPELLINGS_H_
#define SHEAF_LEXICAL_SPELLINGS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "lexical/lexicon.h"

namespace sheaf {

inline constexpr size_t kMinSpelling = 3, kMaxSpelling = 32;  // bytes of a listed word
inline constexpr size_t kMaxSpellings = 16384;                // words of a bundle

// Set of a word's bytes, folded to 32 bits: words within e edits differ in at most 2 e bits.
uint32_t LetterSet(std::string_view word);

class Spellings {
 public:
  struct Word {
    std::string text;
    uint32_t letters = 0;
    uint8_t weight = 0;
  };
  using Visitor = std::function<void(const Word& word)>;

  // Reads its part of the term index. Error: kCorrupt.
  static Result<Spellings> Open(ByteReader* index, uint64_t section_bytes);
  // Calls `visit` for every word of `shortest` to `longest` bytes that begins with `prefix`, in order.
  Status Visit(LeafSource* source, size_t shortest, size_t longest, std::string_view prefix, const Visitor& visit);
  // Checks order and bounds of all leaves.
  Status Verify(LeafSource* source);

 private:
  struct Leaf {
    std::string first;
    uint64_t offset = 0, length = 0;
    std::vector<Word> words;  // empty until first needed
  };
  Status Load(LeafSource* source, Leaf* leaf);

  std::vector<Leaf> leaves_;
};

// ---- building, native only (spellings_builder.cc) -------------------------------------------------
class SpellingsBuilder {
 public:
  // Takes any term; keeps those that are plain words.
  void Add(std::string_view term, uint32_t passages);
  // Writes the leaves through `store`, which returns a piece's stored length, and the index to `index`.
  void Finish(const std::function<uint64_t(ByteSpan leaf)>& store, ByteWriter* index);

 private:
  std::vector<std::pair<std::string, uint32_t>> words_;
};

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_SPELLINGS_H_
