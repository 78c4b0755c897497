#include "search/term_tally_builder.h"

#include <bit>
#include <functional>
#include <utility>

namespace sheaf {

void TermTally::Begin(size_t tokens) {
  terms_.clear();
  slots_.assign(std::bit_ceil(tokens * 2 + 1), 0);
}

size_t TermTally::SlotOf(std::string_view term) const {
  const size_t mask = slots_.size() - 1;
  size_t at = std::hash<std::string_view>{}(term)&mask;
  while (slots_[at] != 0 && terms_[slots_[at] - 1].term != term) at = (at + 1) & mask;
  return at;
}

void TermTally::Add(std::string_view term, Field field) {
  const size_t at = SlotOf(term);
  if (slots_[at] == 0) {
    terms_.push_back({std::string(term), {}});
    slots_[at] = uint32_t(terms_.size());
  }
  uint16_t& count = terms_[slots_[at] - 1].counts[field];
  if (count < UINT16_MAX) ++count;
}

void TermTally::SetRole(std::string_view term, NameRole role) {
  const size_t at = SlotOf(term);
  if (slots_[at] == 0) return;
  NameRole& own = terms_[slots_[at] - 1].role;
  // The last part of a path says more than to be one of several words.
  const auto rank = [](NameRole r) { return r == NameRole::kOneWord ? 0 : r == NameRole::kLastPart ? 1 : int(r) + 1; };
  if (own == NameRole::kNone || rank(role) < rank(own)) own = role;
}

void TermTally::CopyRole(std::string_view from, std::string_view to) {
  const size_t at = SlotOf(from);
  const NameRole role = slots_[at] ? terms_[slots_[at] - 1].role : NameRole::kNone;
  if (role != NameRole::kNone) SetRole(to, role);
}

std::vector<TermCounts> TermTally::Take() { return std::exchange(terms_, {}); }

}  // namespace sheaf
