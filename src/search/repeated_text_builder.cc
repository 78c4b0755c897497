#include "search/repeated_text_builder.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "base/checksum.h"

namespace sheaf {

void RepeatedText::Add(uint32_t page, std::string_view heading, std::string_view prose, std::string_view code) {
  std::string text(heading);
  (((text += '\0') += prose) += '\0') += code;
  const uint64_t hash = Hash64(AsBytes(text));
  const bool empty = prose.empty() && code.empty();
  passages_.push_back({uint32_t(hash), uint32_t(hash >> 32), empty ? kNoPage : page});
}

void RepeatedText::Each(const std::function<void(uint32_t, float)>& visit) const {
  std::vector<uint32_t> order(passages_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](uint32_t i) { return std::tie(passages_[i].high, passages_[i].low); };
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  for (size_t first = 0, end; first < order.size(); first = end) {
    uint32_t pages = 0, last = kNoPage;  // passages of a page follow each other
    for (end = first; end < order.size() && key(order[end]) == key(order[first]); ++end) {
      pages += passages_[order[end]].page != last;
      last = passages_[order[end]].page;
    }
    if (pages <= kFewPages) continue;
    const float weight = std::max(kLeastWeight, float(kFewPages) / float(pages));
    for (size_t i = first; i < end; ++i) visit(order[i], weight);
  }
}

}  // namespace sheaf
