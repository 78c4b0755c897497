// Terms in order of (stem, term) in, term pages and their index out. Native only. Twin: lexicon.cc.
#ifndef SHEAF_LEXICAL_LEXICON_BUILDER_H_
#define SHEAF_LEXICAL_LEXICON_BUILDER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lexical/lexicon.h"
#include "lexical/postings.h"

namespace sheaf {

class LexiconBuilder {
 public:
  // Takes a finished page and returns the length of its stored piece.
  using Store = std::function<uint64_t(ByteSpan page)>;
  explicit LexiconBuilder(Store store) : store_(std::move(store)) {}

  // REQUIRES: (stem, term) ascends strictly; term is reachable from stem (see lexicon.h); postings
  // ascend strictly by passage and are not empty.
  void Add(std::string_view stem, std::string_view term, const std::vector<Posting>& postings);
  void Finish();

  // Valid after Finish: the term index, and the largest page.
  const std::vector<uint8_t>& index() const { return index_; }
  size_t largest_page() const { return largest_page_; }
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
  void ClosePage();

  Store store_;
  std::string stem_;
  std::vector<Form> forms_;
  // Open page.
  std::vector<uint8_t> body_, lists_;
  uint32_t groups_ = 0;
  std::string separator_, last_stem_;
  std::vector<std::string> separators_;  // by page
  std::vector<uint32_t> lengths_;        // stored, by page
  std::vector<uint8_t> index_;
  size_t largest_page_ = 0;
  uint32_t terms_ = 0;
};

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_LEXICON_BUILDER_H_
