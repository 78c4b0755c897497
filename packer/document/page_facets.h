// Collects what a page says of itself beside its text: filters, meta and sort values, from HTML attributes
// (html_facets.h) or front matter (front_matter.h).
//
// Every value comes from a stranger's page: names and values become one line of clean text, are capped, and what does
// not fit is left out. Each loss is named in a warning for the page or, beyond kMaxFacetWarnings, counted in one.
#ifndef SHEAF_PACKER_DOCUMENT_PAGE_FACETS_H_
#define SHEAF_PACKER_DOCUMENT_PAGE_FACETS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/facets_builder.h"

namespace sheaf::packer {

inline constexpr size_t kMaxPageFacets = 256;   // entries of a page, of all kinds together
inline constexpr size_t kMaxFacetTexts = 1024;  // elements of a page whose text is read as a value
inline constexpr size_t kMaxFacetKeyBytes = 64;
inline constexpr size_t kMaxFacetValueBytes = 256;  // of filters and sorts
inline constexpr size_t kMaxMetaValueBytes = 2048;  // an address, a short description
inline constexpr size_t kMaxFacetWarnings = 8;      // of a page
inline constexpr float kMaxWeight = 10;

enum class FacetKind : uint8_t { kFilter, kMeta, kSort };

class FacetCollector {
 public:
  // Empty values are passed over: templates write them where a page has none.
  void Add(FacetKind kind, std::string_view key, std::string_view value);
  void Warn(std::string what);
  // The text of an element was asked for and not read, since so many others' was.
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

// A title or description among the meta entries is that of the page. The title leaves the list, since hits have one.
void TakePageMeta(PageFacets* facets, std::string* title, std::string* description);

// Without the white space around it, HTML's, of which text_scan.h knows a part.
std::string_view TrimValue(std::string_view text);

// A weight from 0 to kMaxWeight; a number beyond is moved to the nearer end. Nullopt when it is no number.
std::optional<float> ParseWeight(std::string_view text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_PAGE_FACETS_H_
