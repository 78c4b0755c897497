#include "encode/wordings.h"

#include "base/front_coding.h"

namespace sheaf {

Result<Wordings> Wordings::Read(ByteSpan section, const Analyzer& english) {
  ByteReader r(section);
  Wordings made;
  const uint64_t count = r.Varint();
  bool fits = count <= r.remaining();
  std::string word;
  for (uint64_t i = 0; i < count && fits; ++i) {
    fits = ReadFrontCodedString(&r, &word);
    const std::string_view words = word;
    const size_t space = words.find(' ');
    std::string stem = english.Stem(words.substr(0, space));
    if (space != words.npos) stem.append(" ").append(english.Stem(words.substr(space + 1)));
    made.stems_.push_back(std::move(stem));
  }
  for (uint64_t i = 0; i < count && fits; ++i) {
    uint64_t to = 0;
    for (uint64_t left = r.Varint(); left > 0 && fits; --left) {
      to += r.Varint();
      fits = r.ok() && to < count;
      made.others_.push_back(uint32_t(to));
    }
    made.ends_.push_back(made.others_.size());
  }
  if (!fits || !r.ok() || r.remaining() != 0)
    return Error{ErrorCode::kCorrupt, "the encoder table has damaged wordings; the file is damaged, fetch it again"};
  return made;
}

std::vector<std::string_view> Wordings::Of(std::string_view stems) const {
  std::vector<std::string_view> others;
  for (size_t i = 0; i < stems_.size(); ++i) {
    if (stems_[i] != stems) continue;
    for (size_t at = i ? ends_[i - 1] : 0; at < ends_[i]; ++at) others.push_back(stems_[others_[at]]);
  }
  return others;
}

}  // namespace sheaf
