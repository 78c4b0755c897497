#include "packer/parse/shared/slug.h"

#include <unicode/uchar.h>

#include "packer/base/charset.h"

namespace sheaf::packer {

std::string Slug(std::string_view title) {
  constexpr uint32_t kKept = U_GC_L_MASK | U_GC_M_MASK | U_GC_ND_MASK | U_GC_NL_MASK | U_GC_PC_MASK;
  std::string slug;
  for (size_t i = 0; i < title.size();) {
    const UChar32 c = UChar32(NextCodePoint(title, &i));
    if (c == ' ' || c == '-') {
      slug.push_back('-');
    } else if (U_MASK(u_charType(c)) & kKept || u_isUAlphabetic(c)) {
      AppendUtf8(uint32_t(u_tolower(c)), &slug);
    }
  }
  return slug;
}

std::string Slugger::Next(std::string_view title) {
  const std::string base = Slug(title);
  std::string slug = base;
  if (const auto found = seen_.find(base); found != seen_.end()) {
    uint32_t number = found->second;
    do {
      slug = base + "-" + std::to_string(++number);
    } while (seen_.count(slug) > 0);
    seen_[base] = number;
  }
  seen_.emplace(slug, 0);
  return slug;
}

}  // namespace sheaf::packer
