#include "packer/document/page_facets.h"

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "packer/base/charset.h"
#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

std::string OneLine(std::string_view text) {
  return CollapseSpace(IsCleanText(text) ? std::string(text) : CleanText(text));
}

const char* KindName(FacetKind kind) {
  switch (kind) {
    case FacetKind::kFilter: return "filter";
    case FacetKind::kMeta: return "meta";
    case FacetKind::kSort: return "sort";
  }
  return "";  // unreachable: the switch names every value
}

}  // namespace

void FacetCollector::Warn(std::string what) {
  if (warnings_.size() < kMaxFacetWarnings)
    warnings_.push_back(std::move(what));
  else
    ++more_;
}

std::vector<std::string> FacetCollector::TakeWarnings() {
  const auto number = [](size_t count) { return std::to_string(count); };
  if (more_ > 0) warnings_.push_back("and " + number(more_) + " more remarks on its filters, meta, sorts and weights");
  if (lost_ > 0) {
    warnings_.push_back(number(lost_) + " filters, meta and sort values are left out, the first of them " +
                        first_lost_ + ": a page may have " + number(kMaxPageFacets));
  }
  if (unread_ > 0) {
    warnings_.push_back(number(unread_) + " values from the texts of elements are left out: a page may have " +
                        number(kMaxFacetTexts));
  }
  return std::move(warnings_);
}

void FacetCollector::Add(FacetKind kind, std::string_view raw_key, std::string_view raw_value) {
  const size_t most = kind == FacetKind::kMeta ? kMaxMetaValueBytes : kMaxFacetValueBytes;
  const std::string key = OneLine(raw_key.substr(0, 4 * kMaxFacetKeyBytes));
  const std::string value = OneLine(raw_value.substr(0, 4 * kMaxMetaValueBytes));
  const std::string what = std::string(KindName(kind)) + " '" + key.substr(0, kMaxFacetKeyBytes) + "'";
  if (key.empty()) return Warn(std::string("a ") + KindName(kind) + " without a key is left out");
  const auto longer = [&](const char* part, size_t limit) {
    Warn(what + " is left out: its " + part + " is longer than " + std::to_string(limit) + " bytes");
  };
  if (key.size() > kMaxFacetKeyBytes) return longer("key", kMaxFacetKeyBytes);
  if (value.size() > most || raw_value.size() > 4 * kMaxMetaValueBytes) return longer("value", most);
  if (value.empty()) return;
  auto& list = kind == FacetKind::kFilter ? facets.filters : kind == FacetKind::kMeta ? facets.meta : facets.sorts;
  // A filter keeps every distinct value; a meta or sort key keeps only the last.
  const auto same = std::find_if(list.begin(), list.end(), [&](const auto& entry) {
    return entry.first == key && (kind != FacetKind::kFilter || entry.second == value);
  });
  if (same != list.end()) {
    same->second = value;
  } else if (entries_ < kMaxPageFacets) {
    ++entries_;
    list.emplace_back(key, value);
  } else if (++lost_ == 1) {
    first_lost_ = what;
  }
}

void TakePageMeta(PageFacets* facets, std::string* title, std::string* description) {
  std::erase_if(facets->meta, [&](const auto& entry) {
    if (entry.first == "title") *title = entry.second;
    if (entry.first == "description") *description = entry.second;
    return entry.first == "title";
  });
}

std::string_view TrimValue(std::string_view text) {
  constexpr std::string_view kBlank = " \t\n\r\f";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::optional<float> ParseWeight(std::string_view text) {
  const std::optional<double> weight = ParseNumber(TrimValue(text));
  if (!weight) return std::nullopt;
  return float(std::clamp(*weight, 0.0, double(kMaxWeight)));
}

}  // namespace sheaf::packer
