#include "lexical/lexicon.h"

#include <algorithm>

#include "base/columns.h"
#include "base/front_coding.h"
#include "base/gather.h"

namespace sheaf {
namespace {

Error Bad(const std::string& what) {
  return Error{ErrorCode::kCorrupt, "the lexicon " + what + "; the file is damaged, fetch or pack it again"};
}

// Decodes a leaf. Offsets of lists are running sums, so it is walked from its start, once.
bool DecodeLeaf(ByteSpan leaf, TermLeaf* view) {
  ByteReader reader(leaf);
  const uint64_t lists = reader.Varint();
  const uint64_t groups = reader.Varint();
  if (!reader.ok() || lists > reader.remaining()) return false;
  uint64_t offset = leaf.size() - lists;
  // A group takes at least six bytes, so the leaf's size bounds their number.
  if (!reader.ok() || groups > leaf.size() / 6) return false;
  view->groups.reserve(size_t(groups));
  std::string stem;
  for (uint64_t g = 0; g < groups; ++g) {
    if (!ReadFrontCodedString(&reader, &stem) || stem.size() > kMaxStem) return false;
    TermLeaf::Group group;
    group.stem = uint32_t(view->texts.size());
    group.length = uint8_t(stem.size());
    group.first = uint32_t(view->forms.size());
    group.count = reader.Varint32();
    if (!reader.ok() || group.count == 0 || group.count > reader.remaining()) return false;
    if (!view->groups.empty() && stem <= view->Stem(view->groups.back())) return false;
    view->texts += stem;
    for (uint32_t f = 0; f < group.count; ++f) {
      const uint8_t bits = reader.U8();
      const size_t drop = bits & 1;
      size_t tail = bits >> 2;
      if (tail == 63) tail = reader.U8();
      const ByteSpan bytes = reader.Bytes(tail);
      const size_t length = stem.size() - drop + tail;
      if (!reader.ok() || drop > stem.size() || length == 0 || length > kMaxStem) return false;
      TermLeaf::Form form;
      form.term = uint32_t(view->texts.size());
      form.length = uint8_t(length);
      view->texts.append(stem, 0, stem.size() - drop);
      view->texts.append(AsText(bytes));
      if (bits & 2) {
        form.postings = 1;
        form.passage = reader.Varint32();
        form.level = reader.U8();
      } else {
        form.postings = reader.Varint32();
        form.bytes = reader.Varint32();
        form.offset = uint32_t(offset);
        offset += form.bytes;
        if (form.bytes == 0 || form.postings == 0 || offset > leaf.size()) return false;
      }
      if (!reader.ok()) return false;
      view->forms.push_back(form);
    }
    view->groups.push_back(group);
  }
  return offset == leaf.size() && reader.remaining() == lists;
}

}  // namespace

Result<Lexicon> Lexicon::Open(ByteReader* index, uint64_t section_bytes) {
  Lexicon lexicon;
  const uint64_t leaves = index->Varint();
  if (!index->ok() || leaves > index->remaining()) return Bad("has a damaged index");
  std::vector<uint32_t> lengths;
  if (!ReadSeparators(index, size_t(leaves), kMaxStem, &lexicon.separators_) ||
      !ReadNumbers(index, size_t(leaves), &lengths))
    return Bad("has a damaged index");
  lexicon.offsets_.assign(1, 0);
  lexicon.offsets_.reserve(size_t(leaves) + 1);
  // Each of them takes bytes of the file, so that not more are claimed than its size makes plausible.
  bool stored = true;
  for (uint32_t length : lengths) {
    stored &= length != 0;
    lexicon.offsets_.push_back(lexicon.offsets_.back() + length);
  }
  if (!stored || lexicon.offsets_.back() != section_bytes) return Bad("does not fit its index");
  return lexicon;
}

uint32_t Lexicon::LeafOf(std::string_view stem) const {
  const auto it = std::upper_bound(separators_.begin(), separators_.end(), stem);
  return it == separators_.begin() ? 0 : uint32_t(it - separators_.begin() - 1);
}

TermEntry TermLeaf::Entry(const Form& form) const {
  return {std::string(Term(form)), form.postings, number, form.offset, form.bytes, form.passage, form.level};
}

Result<const TermLeaf*> Lexicon::View(LeafSource* source, uint32_t index) {
  views_.resize(separators_.size());
  if (!views_[index]) {
    SHEAF_ASSIGN_OR_RETURN(const ByteSpan leaf, Bytes(source, index));
    auto view = std::make_unique<TermLeaf>();
    view->number = index;
    if (!DecodeLeaf(leaf, view.get())) return Bad("has a damaged leaf " + std::to_string(index));
    views_[index] = std::move(view);
  }
  return static_cast<const TermLeaf*>(views_[index].get());
}

Status Lexicon::FindGroup(LeafSource* source, std::string_view stem, std::vector<TermEntry>* out) {
  if (separators_.empty()) return {};
  SHEAF_ASSIGN_OR_RETURN(const TermLeaf* view, View(source, LeafOf(stem)));
  const auto it = std::lower_bound(view->groups.begin(), view->groups.end(), stem,
                                   [&](const TermLeaf::Group& g, std::string_view s) { return view->Stem(g) < s; });
  if (it == view->groups.end() || view->Stem(*it) != stem) return {};
  for (uint32_t f = it->first; f < it->first + it->count; ++f) out->push_back(view->Entry(view->forms[f]));
  return {};
}

Status Lexicon::ReadPostings(LeafSource* source, const TermEntry& entry, uint32_t passages, std::vector<Posting>* out) {
  out->clear();
  if (entry.bytes == 0) {
    if (entry.passage >= passages) return Bad("names a passage that does not exist");
    out->push_back({entry.passage, uint8_t(entry.level & 31), NameRole(entry.level >> 5)});
    return {};
  }
  if (entry.leaf >= leaf_count()) return Bad("points past its leaves");
  SHEAF_ASSIGN_OR_RETURN(const ByteSpan leaf, Bytes(source, entry.leaf));
  if (entry.offset > leaf.size() || entry.bytes > leaf.size() - entry.offset) return Bad("points past its lists");
  return DecodePostings(leaf.subspan(entry.offset, entry.bytes), entry.postings, passages, out);
}

std::pair<uint32_t, uint32_t> Lexicon::LeavesOf(std::string_view prefix) const {
  const uint32_t first = LeafOf(prefix);
  uint32_t last = first;
  // Leaves that begin beyond the prefix hold no term of it.
  while (last + 1 < leaf_count() && std::string_view(separators_[last + 1]).substr(0, prefix.size()) <= prefix) ++last;
  return {first, last};
}

Status Lexicon::Scan(LeafSource* source, std::string_view prefix, const Visitor& visit) {
  if (separators_.empty()) return {};
  const auto [first, last] = LeavesOf(prefix);
  Gather gather;  // one round trip brings all leaves
  for (uint32_t index = first; index <= last; ++index) {
    const TermLeaf* view = nullptr;
    SHEAF_RETURN_IF_ERROR(gather.Take(View(source, index), &view));
    if (!gather.complete()) continue;
    const auto& groups = view->groups;
    auto group = std::lower_bound(groups.begin(), groups.end(), prefix,
                                  [&](const TermLeaf::Group& g, std::string_view s) { return view->Stem(g) < s; });
    for (; group != groups.end(); ++group) {
      const std::string_view stem = view->Stem(*group);
      if (!stem.starts_with(prefix)) return {};
      for (uint32_t f = group->first; f < group->first + group->count; ++f) {
        if (!visit(*view, stem, view->forms[f])) return {};
      }
    }
  }
  return gather.status();
}

}  // namespace sheaf
