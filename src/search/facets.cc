#include "search/facets.h"

#include <algorithm>
#include <bit>

#include "text/utf8.h"

namespace sheaf {
namespace {

// Bytes of a name: counts repeat the key for each value, so their cost must not grow with both.
constexpr size_t kMaxKey = 64, kMaxValue = 256;

// The pages of a value, or the `ranks` of all pages. False when they are damaged.
bool ReadPages(ByteReader* r, size_t pages, bool ranks, std::vector<uint32_t>* out) {
  out->clear();
  const uint64_t count = r->Varint();
  if (!r->ok() || (ranks && count != pages)) return false;
  uint64_t next = 0;
  for (uint64_t i = 0; i < count; ++i) {
    next += r->Varint32();
    if (!r->ok() || next >= pages + ranks) return false;
    out->push_back(uint32_t(next));
    next = ranks ? 0 : next + 1;
  }
  return true;
}

// Reads names that ascend. False from the first on that does not, has more than `most` bytes, a control character, or is no
// UTF-8.
class Names {
 public:
  explicit Names(size_t most) : most_(most) {}
  bool Read(ByteReader* r, std::string_view* name) {
    *name = r->String();
    const bool is_text = std::none_of(name->begin(), name->end(), [](char c) { return uint8_t(c) < 32 || c == 127; });
    const bool ascends = is_first_ || last_ < *name;
    is_first_ = false;
    last_ = *name;
    return r->ok() && ascends && is_text && name->size() <= most_ && IsUtf8(*name);
  }

 private:
  size_t most_;
  bool is_first_ = true;
  std::string_view last_;
};

// Where `name` stands in `text` between two such characters; npos: nowhere.
size_t FindBetween(std::string_view text, char before, std::string_view name, char after) {
  std::string framed(1, before);
  framed += name;
  framed += after;
  return text.find(framed);
}

}  // namespace

Status Facets::Prepare(Container* container, uint32_t pages, std::string_view selection, bool counts) {
  chosen_ = 0;
  ranks_.clear();
  if (selection.size() <= 1 && !counts) return {};
  if (bytes_.empty()) {
    SHEAF_ASSIGN_OR_RETURN(bytes_, container->ReadAllIfAny(SectionId::kFacets));
  }
  met_ = std::vector<uint32_t>(pages);
  if (!bytes_.empty() && !Walk(selection, nullptr, nullptr)) {
    return Error{ErrorCode::kCorrupt, "the facets contradict themselves; the file is damaged, fetch or pack it again"};
  }
  // A line whose key no page has: none passes.
  if (std::count(selection.begin(), selection.end(), '\n') > 1 + std::popcount(chosen_)) chosen_ |= 1u << kMaxFacetKeys;
  return {};
}

std::string Facets::Count(const std::vector<uint32_t>& matching) {
  std::string counts;
  if (!bytes_.empty()) Walk({}, &matching, &counts);
  return counts;
}

bool Facets::Walk(std::string_view selection, const std::vector<uint32_t>* matching, std::string* counts) {
  ByteReader r(bytes_);
  std::vector<uint32_t> numbers;
  uint64_t keys = r.Varint();
  if (keys > kMaxFacetKeys) return false;
  std::string_view key, value;
  Names filters(kMaxKey), sorts(bytes_.size());
  for (uint32_t bit = 1; keys > 0; --keys, bit <<= 1) {
    if (!filters.Read(&r, &key)) return false;
    // The key's line of the selection, from the newline before it; empty: the query does not filter by it.
    std::string_view values = selection.substr(std::min(FindBetween(selection, '\n', key, '\t'), selection.size()));
    values = values.substr(0, values.find('\n', 1));
    if (!values.empty()) chosen_ |= bit;
    Names all(kMaxValue);
    for (uint64_t left = r.Varint(); left > 0; --left) {
      if (!all.Read(&r, &value) || !ReadPages(&r, met_.size(), false, &numbers)) return false;
      uint32_t pages = 0;
      const bool meets = FindBetween(values, '\t', value, '\t') != values.npos;
      for (const uint32_t page : numbers) {
        if (meets) met_[page] |= bit;
        pages += matching && (*matching)[page] && Passes(page, chosen_ & bit);
      }
      if (!pages) continue;
      *counts += key;
      *counts += '\t';
      *counts += value;
      *counts += '\t';
      *counts += std::to_string(pages);
      *counts += '\n';
    }
  }
  for (keys = r.Varint(); keys > 0; --keys) {
    if (!sorts.Read(&r, &key) || !ReadPages(&r, met_.size(), true, &numbers)) return false;
    if (key == selection.substr(0, selection.find('\n'))) ranks_.swap(numbers);
  }
  return r.ok() && r.remaining() == 0;
}

}  // namespace sheaf
