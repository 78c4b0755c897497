// Writes the facets section (facets.h). Native only.
//
// Invariant: the bytes depend on the pages and their order alone.
// Cost: 4 bytes a page and value, and each distinct value once.
#ifndef SHEAF_SEARCH_FACETS_BUILDER_H_
#define SHEAF_SEARCH_FACETS_BUILDER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/page_facets.h"

namespace sheaf {

class FacetsBuilder {
 public:
  // Pages come in ascending order. Keys beyond the first kMaxFacetKeys are left out; see `dropped`.
  // REQUIRES: keys and values are UTF-8 without line ends and tabs
  void Add(uint32_t page, const PageFacets& facets);
  // Empty when no page has a filter or a sort.
  std::vector<uint8_t> Finish(uint32_t pages) const;

  std::vector<std::string> filters() const;
  std::vector<std::string> sorts() const;
  // Keys that did not fit, ascending.
  const std::set<std::string>& dropped() const { return dropped_; }

 private:
  std::map<std::string, std::map<std::string, std::vector<uint32_t>>> filters_;  // key, value -> pages
  std::map<std::string, std::map<uint32_t, std::string>> sorts_;                 // key, page -> value
  std::set<std::string> dropped_;
};

// Ranks `1, 2, 2, 3` for the values in ascending order, 0 for pages without one. Compares numerically when every
// value is a number, else by bytes, which also orders ISO dates.
std::vector<uint32_t> RankValues(const std::map<uint32_t, std::string>& values, uint32_t pages);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_FACETS_BUILDER_H_
