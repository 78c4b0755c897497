// Collects the filters, meta and sort values of a page, from HTML attributes
// (html_facets.h) or front matter (front_matter.h).
//
// Values are untrusted. Names and values become one line of clean text and have a maximum length; longer ones are
// left out. A warning for the page names each loss; beyond kMaxFacetWarnings, one warning counts the rest.
#ifndef SHEAF_PACKER_DOCUMENT_PAGE_FACETS_H_
#define SHEAF_PACKER_DOCUMENT_PAGE_FACETS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/page_facets.h"

namespace sheaf::packer {

inline constexpr size_t kMaxPageFacets = 256;   // entries per page, all kinds together
inline constexpr size_t kMaxFacetTexts = 1024;  // elements per page whose text is read as a value
inline constexpr size_t kMaxFacetKeyBytes = 64;
inline constexpr size_t kMaxFacetValueBytes = 256;  // of filters and sorts
inline constexpr size_t kMaxMetaValueBytes = 2048;  // an address, a short description
inline constexpr size_t kMaxFacetWarnings = 8;      // per page
inline constexpr float kMaxWeight = 10;

enum class FacetKind : uint8_t { kFilter, kMeta, kSort };

class FacetCollector {
 public:
  // Ignores empty values: templates write them for pages that have none.
  void Add(FacetKind kind, std::string_view key, std::string_view value);
  void Warn(std::string what);
  // Counts an element whose text was not read because the page is over kMaxFacetTexts.
  void CountUnread() { ++unread_; }
  // Call once, last.
  std::vector<std::string> TakeWarnings();

  PageFacets facets;

 private:
  std::vector<std::string> warnings_;
  size_t entries_ = 0;
  size_t more_ = 0;  // warnings beyond the cap
  size_t lost_ = 0;  // entries beyond kMaxPageFacets
  size_t unread_ = 0;
  std::string first_lost_;
};

// A title or description among the meta entries becomes the page's own. The title is removed from the list, since
// every hit has one anyway.
void TakePageMeta(PageFacets* facets, std::string* title, std::string* description);

// Trims HTML white space, which is more than text_scan.h trims.
std::string_view TrimValue(std::string_view text);

// Parses a weight and clamps it to 0..kMaxWeight. Nullopt if it is not a number.
std::optional<float> ParseWeight(std::string_view text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_PAGE_FACETS_H_
