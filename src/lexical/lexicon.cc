#include "lexical/lexicon.h"

#include <algorithm>

#include "base/front_coding.h"

namespace sheaf {
namespace {

Error Bad(const std::string& what) {
  return Error{ErrorCode::kCorrupt, "the lexicon " + what + "; the file is damaged, fetch or pack it again"};
}

// Walks one page. Reuses its strings, so a page costs no allocation once they have grown.
class PageWalker {
 public:
  explicit PageWalker(ByteSpan page) : reader_(page) {
    groups_ = reader_.Varint();
    offset_ = reader_.Varint();
  }

  // Moves to the next group; false at the end or on damage.
  bool NextGroup() {
    if (groups_ == 0 || !reader_.ok()) return false;
    --groups_;
    if (!ReadFrontCodedString(&reader_, &stem_)) return Damage();
    forms_ = reader_.Varint32();
    if (!reader_.ok() || forms_ == 0) return Damage();
    return true;
  }

  // Moves to the next form of the group; false at its end or on damage. Skipping forms is done by
  // walking them, since their places are running sums.
  bool NextForm() {
    if (forms_ == 0 || damaged_) return false;
    --forms_;
    const uint8_t head = reader_.U8();
    const size_t drop = head & 1;
    size_t tail = head >> 2;
    if (tail == 63) tail = reader_.U8();
    const ByteSpan bytes = reader_.Bytes(tail);
    if (!reader_.ok() || drop > stem_.size()) return Damage();
    entry_.term.assign(stem_, 0, stem_.size() - drop);
    entry_.term.append(AsText(bytes));
    if (head & 2) {
      entry_.postings = 1;
      entry_.offset = 0;
      entry_.bytes = 0;
      entry_.passage = reader_.Varint32();
      entry_.level = reader_.U8();
    } else {
      entry_.postings = reader_.Varint32();
      entry_.bytes = reader_.Varint32();
      entry_.offset = offset_;
      offset_ += entry_.bytes;
      if (entry_.bytes == 0 || entry_.postings == 0) return Damage();
    }
    if (!reader_.ok()) return Damage();
    return true;
  }

  bool damaged() const { return damaged_ || !reader_.ok(); }
  const std::string& stem() const { return stem_; }
  const TermEntry& entry() const { return entry_; }

 private:
  bool Damage() {
    damaged_ = true;
    return false;
  }

  ByteReader reader_;
  uint64_t groups_ = 0;
  uint64_t offset_ = 0;
  uint32_t forms_ = 0;
  bool damaged_ = false;
  std::string stem_;
  TermEntry entry_;
};

}  // namespace

Result<Lexicon> Lexicon::Open(ByteSpan index) {
  ByteReader reader(index);
  Lexicon lexicon;
  if (!ReadFrontCoded(&reader, &lexicon.first_stems_)) return Bad("has a damaged index");
  return lexicon;
}

uint32_t Lexicon::PageOf(std::string_view stem) const {
  const auto it = std::upper_bound(first_stems_.begin(), first_stems_.end(), stem);
  return it == first_stems_.begin() ? 0 : uint32_t(it - first_stems_.begin() - 1);
}

Status Lexicon::FindGroup(TermPages* pages, std::string_view stem, std::vector<TermEntry>* out) const {
  if (first_stems_.empty() || stem < first_stems_.front()) return {};
  const uint32_t index = PageOf(stem);
  SHEAF_ASSIGN_OR_RETURN(const ByteSpan page, pages->TermPage(index));
  PageWalker walker(page);
  while (walker.NextGroup()) {
    const bool found = walker.stem() == stem;
    if (!found && walker.stem() > stem) return {};
    while (walker.NextForm()) {
      if (found) out->push_back(walker.entry());
    }
    if (walker.damaged()) break;
    if (found) return {};
  }
  if (walker.damaged()) return Bad("has a damaged page " + std::to_string(index));
  return {};
}

Status Lexicon::Scan(TermPages* pages, std::string_view prefix, const Visitor& visit) const {
  bool missing = false;
  for (uint32_t index = PageOf(prefix); index < page_count(); ++index) {
    // Pages that begin beyond the prefix hold nothing of it.
    if (std::string_view(first_stems_[index]).substr(0, prefix.size()) > prefix) break;
    const Result<ByteSpan> page = pages->TermPage(index);
    if (!page.ok()) {
      if (page.code() != ErrorCode::kNeedsBytes) return page.error();
      missing = true;  // go on, so that one round trip brings all pages
      continue;
    }
    if (missing) continue;
    PageWalker walker(*page);
    while (walker.NextGroup()) {
      const std::string_view head = std::string_view(walker.stem()).substr(0, prefix.size());
      if (head > prefix) return {};
      const bool inside = head == prefix;
      while (walker.NextForm()) {
        if (inside && !visit(walker.stem(), walker.entry())) return {};
      }
      if (walker.damaged()) break;
    }
    if (walker.damaged()) return Bad("has a damaged page " + std::to_string(index));
  }
  if (missing) return Error{ErrorCode::kNeedsBytes, {}};
  return {};
}

}  // namespace sheaf
