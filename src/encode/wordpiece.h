// WordPiece: text -> numbers of vocabulary entries, as BERT-type encoders read it.
//
// Idea: encode/bert_text.h gives words; each is cut greedily into the longest pieces the vocabulary
// has ("tokenizers" -> "token" "##izer" "##s"), and is unknown as a whole where that fails. Equal to
// Hugging Face's tokenizer of all-MiniLM-L6-v2, bge-small-en-v1.5 and all-mpnet-base-v2 for every code
// point and for the texts in tests/golden/wordpiece.
//
// The vocabulary is the text of vocab.txt, kept as it is. Two sorted lists point into it, one for
// beginnings of words, one for continuations (written "##…"). The longest piece is found in one pass
// over the word: each byte narrows the range of entries that begin like it, and the last entry that
// ended on the way wins. There is no hashing, so no hostile vocabulary can slow it down.
//
// Invariants
//  1. Encode appends first, pieces, last: at most max_tokens numbers, each below size().
//  2. With a larger max_tokens the pieces of a smaller one are a prefix.
//  3. An entry's number is its line's; of equal lines the last one counts, as in the original.
//
// Cost: 12 bytes of memory an entry beside the text. Encoding is linear in the text that makes
// max_tokens pieces, for any text after them, with a few comparisons a byte; one word is allocated.
// Thread-safety: Encode is const and keeps no state.
#ifndef SHEAF_ENCODE_WORDPIECE_H_
#define SHEAF_ENCODE_WORDPIECE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "encode/bert_text.h"

namespace sheaf {

inline constexpr size_t kMaxVocabularyBytes = 64u << 20;
inline constexpr uint32_t kMaxVocabularyTokens = 1u << 20;
inline constexpr uint32_t kMaxWordCharacters = 1000;

// Written in a text, exactly so, each is itself there too. The vocabulary may lack the last two.
struct SpecialTokens {
  std::string unknown = "[UNK]";
  std::string first = "[CLS]";
  std::string last = "[SEP]";
  std::string padding = "[PAD]";
  std::string mask = "[MASK]";
  std::string also = {};  // one more that texts may hold
};

struct WordPieceOptions {
  bool lowercase = true;
  bool strip_accents = true;  // Hugging Face's default: as `lowercase`
  bool split_cjk = true;
  // By default as the vocabulary shows: MPNet's where its first line is <s>, else BERT's.
  std::optional<SpecialTokens> special = {};
  uint32_t max_word_characters = 100;  // longer words are unknown; 1 to kMaxWordCharacters
};

class WordPiece {
 public:
  // `vocabulary`: one token a line, LF or CRLF, as in vocab.txt.
  static Result<WordPiece> Create(std::string vocabulary, const WordPieceOptions& options = {});

  // Appends the numbers of first, the text's pieces, last: `max_tokens` in all, at most; the pieces
  // are cut, never the ends. Any bytes are text; bytes that are not UTF-8 read as U+FFFD.
  // REQUIRES: max_tokens >= 2 (less counts as 2)
  void Encode(std::string_view text, uint32_t max_tokens, std::vector<uint32_t>* ids) const;

  uint32_t size() const { return uint32_t(lines_); }  // lines of the vocabulary
  uint32_t unknown() const { return unknown_; }
  uint32_t first() const { return first_; }
  uint32_t last() const { return last_; }
  uint32_t padding() const { return padding_; }

 private:
  struct Entry {
    uint32_t offset;  // in vocabulary_, behind "##"
    uint32_t length;
    uint32_t id;
  };
  // Sorted by text, without doubles; first[b] is where those that begin with byte b or more begin.
  struct Pieces {
    std::vector<Entry> entries;
    std::array<uint32_t, 257> first{};
  };

  WordPiece() = default;
  std::string_view Text(const Entry& entry) const {
    return std::string_view(vocabulary_).substr(entry.offset, entry.length);
  }
  Status ReadLines(uint32_t max_word_characters);
  void Sort(Pieces* pieces) const;
  Status ReadSpecials(const WordPieceOptions& options, const SpecialTokens& special);
  const Entry* Longest(const Pieces& pieces, std::string_view text) const;
  void AppendWord(std::string_view word, std::vector<uint32_t>* ids) const;

  std::string vocabulary_;
  Pieces beginnings_, continuations_;
  size_t lines_ = 0;
  BertTextRules rules_;
  std::vector<uint32_t> special_ids_;  // in the order of the rules
  uint32_t unknown_ = 0, first_ = 0, last_ = 0, padding_ = 0;
};

}  // namespace sheaf

#endif  // SHEAF_ENCODE_WORDPIECE_H_
