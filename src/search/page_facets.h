// What a page says of itself for filters, sorts and display.
#ifndef SHEAF_SEARCH_PAGE_FACETS_H_
#define SHEAF_SEARCH_PAGE_FACETS_H_

#include <string>
#include <utility>
#include <vector>

namespace sheaf {

// One page's metadata as pairs of key and value. A filter may have several values; for meta and sorts the last
// value wins.
struct PageFacets {
  std::vector<std::pair<std::string, std::string>> filters, meta, sorts;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_PAGE_FACETS_H_
