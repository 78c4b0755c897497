// Terms in order of (stem, term) in, term pages and postings out. Native only. Twin: lexicon.cc.
#ifndef SHEAF_LEXICAL_LEXICON_BUILDER_H_
#define SHEAF_LEXICAL_LEXICON_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lexical/lexicon.h"
#include "lexical/postings.h"

namespace sheaf {

class LexiconBuilder {
 public:
  // REQUIRES: (stem, term) ascends strictly; term is reachable from stem (see lexicon.h); postings
  // ascend strictly by passage and are not empty.
  void Add(std::string_view stem, std::string_view term, const std::vector<Posting>& postings);
  void Finish();

  // Valid after Finish.
  const std::vector<uint8_t>& index() const { return index_; }
  const std::vector<uint8_t>& pages() const { return pages_; }        // whole pages, last one short
  const std::vector<uint8_t>& postings() const { return postings_; }
  uint32_t terms() const { return terms_; }

 private:
  struct Form {
    std::string term;
    uint32_t count = 0, bytes = 0, passage = 0;
    uint8_t level = 0;
  };
  void CloseGroup();
  void ClosePage();

  std::string stem_;
  std::vector<Form> forms_;
  uint64_t group_postings_base_ = 0;  // of the open group
  // Open page.
  std::vector<uint8_t> body_;
  uint32_t groups_ = 0;
  uint64_t page_base_ = 0;
  std::string first_stem_, last_stem_;
  std::vector<std::string> first_stems_;
  std::vector<uint8_t> index_, pages_, postings_;
  uint32_t terms_ = 0;
};

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_LEXICON_BUILDER_H_
