#include "lexical/lexicon_builder.h"

#include <algorithm>
#include <cassert>

#include "base/front_coding.h"

namespace sheaf {
namespace {

// Room for the page's two leading varints.
constexpr size_t kPageHead = 16;

}  // namespace

void LexiconBuilder::Add(std::string_view stem, std::string_view term, const std::vector<Posting>& postings) {
  assert(!postings.empty());
  if (stem != stem_ || forms_.empty()) {
    CloseGroup();
    stem_ = stem;
    group_postings_base_ = postings_.size();
  }
  Form form;
  form.term = term;
  form.count = uint32_t(postings.size());
  form.passage = postings.front().passage;
  form.level = postings.front().level;
  if (form.count > 1) {
    const size_t before = postings_.size();
    EncodePostings(postings, &postings_);
    form.bytes = uint32_t(postings_.size() - before);
  }
  forms_.push_back(std::move(form));
  ++terms_;
}

void LexiconBuilder::CloseGroup() {
  if (forms_.empty()) return;
  const auto encode = [&](std::string_view previous) {
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
        w.Varint(form.bytes);
      }
    }
    return w.Take();
  };
  std::vector<uint8_t> group = encode(last_stem_);
  // A stem has a dozen forms, not hundreds; text made to break this loses its rarest forms.
  while (kPageHead + group.size() > kTermPageBytes && forms_.size() > 1) {
    const auto rarest = std::min_element(forms_.begin(), forms_.end(), [](const Form& a, const Form& b) {
      return a.bytes != b.bytes ? a.bytes < b.bytes : a.count < b.count;
    });
    // Its postings stay where they are, unused, so that those after it keep their places.
    if (rarest->bytes != 0) break;
    forms_.erase(rarest);
    --terms_;
    group = encode(last_stem_);
  }
  if (groups_ && kPageHead + body_.size() + group.size() > kTermPageBytes) {
    ClosePage();
    group = encode({});
  }
  if (groups_ == 0) {
    first_stem_ = stem_;
    page_base_ = group_postings_base_;
  }
  body_.insert(body_.end(), group.begin(), group.end());
  last_stem_ = stem_;
  ++groups_;
  forms_.clear();
}

void LexiconBuilder::ClosePage() {
  if (groups_ == 0) return;
  // Pages lie at multiples of kTermPageBytes.
  pages_.resize((pages_.size() + kTermPageBytes - 1) / kTermPageBytes * kTermPageBytes);
  ByteWriter w;
  w.Varint(groups_);
  w.Varint(page_base_);
  w.Bytes(body_);
  pages_.insert(pages_.end(), w.bytes().begin(), w.bytes().end());
  first_stems_.push_back(first_stem_);
  body_.clear();
  groups_ = 0;
  last_stem_.clear();
}

void LexiconBuilder::Finish() {
  CloseGroup();
  ClosePage();
  ByteWriter w;
  WriteFrontCoded(first_stems_, &w);
  index_ = w.Take();
}

}  // namespace sheaf
