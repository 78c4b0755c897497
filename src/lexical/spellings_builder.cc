#include <algorithm>
#include <cmath>

#include "base/front_coding.h"
#include "base/logarithm.h"
#include "lexical/spellings.h"

namespace sheaf {
namespace {

constexpr size_t kLeafBytes = 4096;

bool IsLetter(char c) { return uint8_t(c) >= 0x80 || (c >= 'a' && c <= 'z'); }

}  // namespace

void SpellingsBuilder::Add(std::string_view term, uint32_t passages) {
  if (term.size() < kMinSpelling || term.size() > kMaxSpelling) return;
  if (!std::all_of(term.begin(), term.end(), IsLetter)) return;
  words_.emplace_back(term, passages);
}

void SpellingsBuilder::Finish(const std::function<uint64_t(ByteSpan leaf)>& store, ByteWriter* index) {
  if (words_.size() > kMaxSpellings) {
    // The commonest ones; ties by bytes, so that the same words give the same list.
    std::nth_element(
        words_.begin(), words_.begin() + ptrdiff_t(kMaxSpellings), words_.end(),
        [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
    words_.resize(kMaxSpellings);
  }
  std::sort(words_.begin(), words_.end(), [](const auto& a, const auto& b) {
    return a.first.size() != b.first.size() ? a.first.size() < b.first.size() : a.first < b.first;
  });
  words_.erase(
      std::unique(words_.begin(), words_.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
      words_.end());
  std::vector<std::pair<std::string, uint64_t>> leaves;
  for (size_t at = 0; at < words_.size();) {
    const size_t first = at;
    ByteWriter body, weights;
    std::string_view previous;
    while (at < words_.size() && body.size() < kLeafBytes) {
      WriteFrontCodedString(previous, words_[at].first, &body);
      const double octaves = Log(double(words_[at].second)) / kLn2;
      weights.U8(uint8_t(std::min(255.0, std::round(8 * octaves))));
      previous = words_[at++].first;
    }
    ByteWriter leaf;
    leaf.Varint(at - first);
    leaf.Bytes(body.bytes());
    leaf.Bytes(weights.bytes());
    leaves.emplace_back(words_[first].first, store(leaf.bytes()));
  }
  index->Varint(leaves.size());
  for (const auto& [first, length] : leaves) {
    index->String(first);
    index->Varint(length);
  }
}

}  // namespace sheaf
