#include "encode/wordings.h"

#include <algorithm>

#include "base/front_coding.h"

namespace sheaf {
namespace {

constexpr uint64_t kMaxWordings = 1 << 16;
constexpr uint64_t kMostOthers = 64;

std::string StemOf(const Analyzer& english, std::string_view words) {
  const size_t space = words.find(' ');
  std::string stem = english.Stem(words.substr(0, space));
  if (space != words.npos) stem.append(" ").append(english.Stem(words.substr(space + 1)));
  return stem;
}

}  // namespace

Result<Wordings> Wordings::Read(ByteSpan section) {
  const Error damaged{ErrorCode::kCorrupt,
                      "the encoder table has damaged wordings; the file is damaged, fetch it again"};
  const Analyzer english;
  ByteReader r(section);
  const uint64_t count = r.Varint();
  if (!r.ok() || count > kMaxWordings || count > r.remaining()) return damaged;
  Wordings made;
  std::string word;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string before = word;
    if (!ReadFrontCodedString(&r, &word) || (i && word <= before)) return damaged;
    made.stems_.push_back(StemOf(english, word));
  }
  made.to_.resize(size_t(count));
  for (uint32_t from = 0; from < count; ++from) {
    const uint64_t others = r.Varint();
    if (!r.ok() || others > kMostOthers || others > r.remaining()) return damaged;
    uint64_t to = 0;
    for (uint64_t i = 0; i < others; ++i) {
      const uint64_t step = r.Varint();
      if (!r.ok() || step >= count || (i && step == 0)) return damaged;
      to += step;
      if (to >= count) return damaged;
      made.to_[from].push_back(uint32_t(to));
    }
    if (others > 0) made.from_.emplace_back(made.stems_[from], from);
  }
  if (!r.ok() || r.remaining() != 0) return damaged;
  std::sort(made.from_.begin(), made.from_.end());
  return made;
}

std::vector<std::string> Wordings::Of(std::string_view stems) const {
  std::vector<std::string> others;
  auto it = std::lower_bound(from_.begin(), from_.end(), stems,
                             [](const auto& entry, std::string_view stem) { return entry.first < stem; });
  for (; it != from_.end() && it->first == stems; ++it) {
    for (uint32_t to : to_[it->second]) {
      if (stems_[to] != stems) others.push_back(stems_[to]);
    }
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return others;
}

}  // namespace sheaf
