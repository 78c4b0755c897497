// Page metadata for filtering (the author is Anne) and sorting (by date).
//
// Idea: one optional section, small enough to be read whole: each filter key with its values and their pages, each sort
// key with the ranks of all pages. A query that filters, sorts or counts walks over it; others do not touch it.
//
//   facets: L( s key · L( s value · L( v pages passed over since the one before ) ) ) filters ·
//           L( s key · L( v rank ) of all pages ) sorts
//
// Keys, and values within a key, ascend; they hold no control characters, hence `selection` can be lines. Rank 0 is no
// value; equal values have equal ranks, ascending.
//
// Filtering: a page passes when it has at least one of the named values for every key named. Each page has a bit
// mask with one bit per key, so "passes all" and "passes all but this key", which counts need, are one comparison
// each.
//
// Cost: 4 bytes a page, and a few ns a name, page and value; 1.5 kB of the module in WebAssembly (brotli).
#ifndef SHEAF_SEARCH_FACETS_H_
#define SHEAF_SEARCH_FACETS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/container.h"

namespace sheaf {

inline constexpr size_t kMaxFacetKeys = 31;  // of filters in one bundle; the last bit is for keys that no page has

class Facets {
 public:
  // Reads the section if `selection` (Query::selection) asks for any of it, or `counts` says that Count will be called.
  // The functions below answer for that selection, until the next Prepare. Errors: kCorrupt, kNeedsBytes.
  Status Prepare(Container* container, uint32_t pages, std::string_view selection, bool counts);

  // REQUIRES for all below: page < pages, and Prepare succeeded in this call of the engine
  bool has_filters() const { return chosen_ != 0; }
  bool Passes(uint32_t page, uint32_t given = 0) const { return !chosen_ || (met_[page] | given) == chosen_; }
  // By the key that the query sorts by; 0: none, or the query does not sort.
  uint32_t Rank(uint32_t page) const { return ranks_.empty() ? 0 : ranks_[page]; }
  // REQUIRES: Prepare was told so. Answer::facets for the pages that `matching` flags, a number a page.
  std::string Count(const std::vector<uint32_t>& matching);

 private:
  // Walks over the section: chooses the pages that pass, or counts those of `matching` if it is given. False when the
  // section is damaged.
  bool Walk(std::string_view selection, const std::vector<uint32_t>* matching, std::string* counts);

  std::vector<uint8_t> bytes_;  // the section, once it was read
  uint32_t chosen_ = 0;         // keys that the query filters by; 0: every page passes
  std::vector<uint32_t> met_;   // of those, by page
  std::vector<uint32_t> ranks_;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_FACETS_H_
