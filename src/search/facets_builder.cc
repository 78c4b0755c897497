#include "search/facets_builder.h"

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "search/facets.h"

namespace sheaf {
namespace {

// The keys of a map, ascending.
template <typename Map>
std::vector<std::string> KeysOf(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& entry : map) keys.push_back(entry.first);
  return keys;
}

// `map[key]`, or null when it would be one key too many.
template <typename Map>
typename Map::mapped_type* Slot(Map* map, const std::string& key, std::set<std::string>* dropped) {
  const auto found = map->find(key);
  if (found != map->end()) return &found->second;
  if (map->size() < kMaxFacetKeys) return &(*map)[key];
  dropped->insert(key);
  return nullptr;
}

}  // namespace

void FacetsBuilder::Add(uint32_t page, const PageFacets& facets) {
  for (const auto& [key, value] : facets.filters) {
    auto* values = Slot(&filters_, key, &dropped_);
    if (!values) continue;
    std::vector<uint32_t>& list = (*values)[value];
    if (list.empty() || list.back() != page) list.push_back(page);
  }
  for (const auto& [key, value] : facets.sorts) {
    if (auto* values = Slot(&sorts_, key, &dropped_)) (*values)[page] = value;
  }
}

std::vector<std::string> FacetsBuilder::filters() const { return KeysOf(filters_); }
std::vector<std::string> FacetsBuilder::sorts() const { return KeysOf(sorts_); }

std::vector<uint8_t> FacetsBuilder::Finish(uint32_t pages) const {
  if (filters_.empty() && sorts_.empty()) return {};
  ByteWriter w;
  w.Varint(filters_.size());
  for (const auto& [key, values] : filters_) {
    w.String(key);
    w.Varint(values.size());
    for (const auto& [value, list] : values) {
      w.String(value);
      w.Varint(list.size());
      uint32_t next = 0;
      for (const uint32_t page : list) {
        w.Varint(page - next);
        next = page + 1;
      }
    }
  }
  w.Varint(sorts_.size());
  for (const auto& [key, values] : sorts_) {
    w.String(key);
    w.Varint(pages);
    for (const uint32_t rank : RankValues(values, pages)) w.Varint(rank);
  }
  return w.Take();
}

std::vector<uint32_t> RankValues(const std::map<uint32_t, std::string>& values, uint32_t pages) {
  struct Entry {
    uint32_t page;
    const std::string* text;
    std::optional<double> number;
  };
  std::vector<Entry> order;
  for (const auto& [page, text] : values) order.push_back({page, &text, ParseNumber(text)});
  const bool numbers = std::all_of(order.begin(), order.end(), [](const Entry& e) { return e.number.has_value(); });
  const auto less = [&](const Entry& a, const Entry& b) { return numbers ? *a.number < *b.number : *a.text < *b.text; };
  std::stable_sort(order.begin(), order.end(), less);
  std::vector<uint32_t> ranks(pages, 0);
  uint32_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || less(order[i - 1], order[i])) ++rank;
    if (order[i].page < pages) ranks[order[i].page] = rank;
  }
  return ranks;
}

}  // namespace sheaf
