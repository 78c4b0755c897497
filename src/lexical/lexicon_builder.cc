#include "lexical/lexicon_builder.h"

#include <algorithm>
#include <cassert>

#include "base/columns.h"
#include "base/front_coding.h"

namespace sheaf {

void LexiconBuilder::Add(std::string_view stem, std::string_view term, const std::vector<Posting>& postings) {
  assert(!postings.empty());
  if (stem != stem_ || forms_.empty()) {
    CloseGroup();
    stem_ = stem;
  }
  Form form;
  form.term = term;
  form.count = uint32_t(postings.size());
  form.passage = postings.front().passage;
  form.level = uint8_t(postings.front().level | uint8_t(postings.front().role) << 5);
  if (form.count > 1) EncodePostings(postings, &form.list);
  forms_.push_back(std::move(form));
  ++terms_;
}

std::vector<uint8_t> LexiconBuilder::EncodeGroup(std::string_view previous) const {
  ByteWriter w;
  WriteFrontCodedString(previous, stem_, &w);
  w.Varint(forms_.size());
  for (const Form& form : forms_) {
    const size_t common = SharedPrefix(stem_, form.term);
    const size_t drop = stem_.size() - common;
    assert(drop <= 1);
    const std::string_view tail = std::string_view(form.term).substr(common);
    const bool one = form.count == 1;
    w.U8(uint8_t(drop | (one ? 2 : 0) | std::min<size_t>(tail.size(), 63) << 2));
    if (tail.size() >= 63) w.U8(uint8_t(tail.size()));
    w.Bytes(AsBytes(tail));
    if (one) {
      w.Varint(form.passage);
      w.U8(form.level);
    } else {
      w.Varint(form.count);
      w.Varint(form.list.size());
    }
  }
  return w.Take();
}

void LexiconBuilder::CloseGroup() {
  if (forms_.empty()) return;
  size_t lists = 0;
  for (const Form& form : forms_) lists += form.list.size();
  std::vector<uint8_t> group = EncodeGroup(last_stem_);
  if (groups_ && body_.size() + lists_.size() + group.size() + lists > leaf_bytes_) {
    CloseLeaf();
    group = EncodeGroup({});
  }
  if (groups_ == 0 && !separators_.empty()) separator_ = stem_.substr(0, SharedPrefix(last_stem_, stem_) + 1);
  body_.insert(body_.end(), group.begin(), group.end());
  for (const Form& form : forms_) lists_.insert(lists_.end(), form.list.begin(), form.list.end());
  last_stem_ = stem_;
  ++groups_;
  forms_.clear();
}

// `last_stem_` stays, for the separator of the leaf to come.
void LexiconBuilder::CloseLeaf() {
  if (groups_ == 0) return;
  ByteWriter w;
  w.Varint(lists_.size());
  w.Varint(groups_);
  w.Bytes(body_);
  w.Bytes(lists_);
  largest_leaf_ = std::max(largest_leaf_, w.size());
  separators_.push_back(separator_);
  lengths_.push_back(uint32_t(store_(w.bytes())));
  body_.clear();
  lists_.clear();
  groups_ = 0;
}

void LexiconBuilder::Finish() {
  CloseGroup();
  CloseLeaf();
  ByteWriter w;
  w.Varint(separators_.size());
  WriteSeparators(separators_, &w);
  WriteNumbers(lengths_, &w);
  index_ = w.Take();
}

}  // namespace sheaf
