// The static encoder: a lexicon of vectors, word -> row. A text's vector is the normalised sum of
// its words' rows.
//
// Idea: no neural network, no matrix product. A query costs a handful of table rows, so it is answered
// before any model could load. The table is a Sheaf container of kind 2 (see
// docs/format.md): words sorted in front-coded leaves, and rows of fixed width. So a reader may fetch the rows of its
// own words alone.
//
// Words are the analyzer's words and parts (wholes are skipped: their parts stand for them).
// A missing word falls back to word pieces: the longest prefix in the table, then the longest "##" continuation, until
// it is used up. A missing piece drops the rest.
//
// Layout. settings: u32 dimensions · u8 bits (4 or 8) · u32 words · u16 query version · s space. term-index: v leaves ·
// separators (above the last word of the leaf before, not above the leaf's first one) · numbers of their words ·
// stored lengths of their pieces (base/columns.h). terms: a piece a leaf: its words, front-coded · a row for each.
// A row is float32 factor, then `dimensions` codes (4 or 8 bits, as in vector/distance.h). The
// factor turns codes into components and includes the word's weight, so frequent words contribute less. One
// request brings a word and its row, since a query waits for both. wordings: wordings.h.
//
// Invariant: Embed depends on text and table only; the same C++ serves packer and query.
// Cost: one binary search and one row per word; a reader by range fetches a leaf of 1.5 kB a word.
#ifndef SHEAF_ENCODE_STATIC_ENCODER_H_
#define SHEAF_ENCODE_STATIC_ENCODER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "text/analyzer.h"

namespace sheaf {

class Container;

inline constexpr uint32_t kWordsPerLeaf = 10;
// How a query becomes a vector: splitting of words and names, pieces of unknown words, weights, sum, rounding. A table
// names the version it was made for; its rows would mean something else in another one.
inline constexpr uint16_t kQueryVersion = 1;

class StaticEncoder {
 public:
  // `container` is an open container of kind 2 and must outlive the encoder; reads that lack bytes
  // are noted there (kNeedsBytes). Error: kUnsupportedVersion, of another query version.
  static Result<StaticEncoder> Open(Container* container);

  StaticEncoder(StaticEncoder&&) noexcept;
  StaticEncoder& operator=(StaticEncoder&&) noexcept;
  ~StaticEncoder();

  const std::string& space() const;
  uint32_t dimensions() const;
  uint32_t words() const;
  uint64_t content_hash() const;  // of the table file

  // Adds `weight` times the rows of the text's words to `sum` (`dimensions` components). A word without a row of its own
  // has those of its pieces; without `pieces`, it has none.
  Status AddTo(std::string_view text, const Analyzer& analyzer, float weight, std::vector<float>* sum,
               bool pieces = true) const;
  // Of a text that is tokenized already.
  Status AddTo(std::span<const Token> tokens, float weight, std::vector<float>* sum, bool pieces = true) const;
  // L2-normalised vector; empty when no word of the text is in the table.
  Result<std::vector<float>> Embed(std::string_view text, const Analyzer& analyzer, bool pieces = true) const;
  // The table has this folded word as it is, without its being cut into pieces.
  Result<bool> KnowsWord(std::string_view word) const;
  // Reads every row and word into memory and indexes them, after which Embed touches no container and may run on
  // several threads at once. Words are then found in a tenth of the time.
  Status LoadAll();

 private:
  struct Impl;
  explicit StaticEncoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Scales to length 1. False, and unchanged, for a zero vector.
bool Normalize(std::vector<float>* vector);

// ---- building, native only (static_encoder_builder.cc) --------------------------------------
struct EncoderTableInput {
  std::string space;  // "minilm-l6-256"
  uint32_t dimensions = 256;
  uint32_t bits = 8;               // 4 or 8
  std::string manifest;            // JSON object text: licence, teacher, sources
  std::vector<std::string> words;  // any order, unique; pieces start with "##"
  std::vector<float> rows;         // words.size() * dimensions
};
Result<std::vector<uint8_t>> BuildEncoderTable(const EncoderTableInput& input);

}  // namespace sheaf

#endif  // SHEAF_ENCODE_STATIC_ENCODER_H_
