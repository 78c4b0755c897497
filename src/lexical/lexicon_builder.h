// Terms in order of (stem, term) in, term leaves and their index out. Native only. Twin: lexicon.cc.
#ifndef SHEAF_LEXICAL_LEXICON_BUILDER_H_
#define SHEAF_LEXICAL_LEXICON_BUILDER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lexical/lexicon.h"
#include "lexical/postings.h"

namespace sheaf {

// A leaf is closed when it holds more than this, decoded. A common word's leaf is as large as its lists. Every reader
// fetches the index of all leaves, 5 bytes each, and one leaf a word: from a quarter million passages on, leaves grow
// with the documentation, up to four times.
constexpr uint32_t TermLeafBytes(uint32_t passages) {
  constexpr uint32_t kUsual = 3072, kManyPassages = 1 << 18;
  return uint32_t(uint64_t(kUsual) * std::clamp(passages, kManyPassages, 4 * kManyPassages) / kManyPassages);
}

class LexiconBuilder {
 public:
  // Takes a finished leaf and returns the length of its stored piece.
  using Store = std::function<uint64_t(ByteSpan leaf)>;
  // `leaf_bytes`: TermLeafBytes of the passages.
  explicit LexiconBuilder(Store store, uint32_t leaf_bytes = TermLeafBytes(0))
      : store_(std::move(store)), leaf_bytes_(leaf_bytes) {}

  // REQUIRES: (stem, term) ascends strictly; term is reachable from stem (see lexicon.h); postings
  // ascend strictly by passage and are not empty.
  void Add(std::string_view stem, std::string_view term, const std::vector<Posting>& postings);
  void Finish();

  // Valid after Finish: the term index, and the largest leaf.
  const std::vector<uint8_t>& index() const { return index_; }
  size_t largest_leaf() const { return largest_leaf_; }
  uint32_t terms() const { return terms_; }

 private:
  struct Form {
    std::string term;
    uint32_t count = 0, passage = 0;
    uint8_t level = 0;
    std::vector<uint8_t> list;
  };
  std::vector<uint8_t> EncodeGroup(std::string_view previous) const;
  void CloseGroup();
  void CloseLeaf();

  Store store_;
  uint32_t leaf_bytes_;
  std::string stem_;
  std::vector<Form> forms_;
  // Open leaf.
  std::vector<uint8_t> body_, lists_;
  uint32_t groups_ = 0;
  std::string separator_, last_stem_;
  std::vector<std::string> separators_;  // by leaf
  std::vector<uint32_t> lengths_;        // stored, by leaf
  std::vector<uint8_t> index_;
  size_t largest_leaf_ = 0;
  uint32_t terms_ = 0;
};

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_LEXICON_BUILDER_H_
