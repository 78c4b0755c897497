#include <algorithm>
#include <utility>

#include "base/columns.h"
#include "base/front_coding.h"
#include "search/symbols.h"

namespace sheaf {
namespace {

constexpr size_t kLeafBytes = 4096;   // of its symbols
constexpr size_t kMaxNamesakes = 64;  // of one key, which share a leaf

}  // namespace

void SymbolsBuilder::Add(Symbol symbol) {
  symbol.key = SymbolKey(symbol.name);
  if (symbol.key.empty()) return;
  bytes_held_ += sizeof symbol + symbol.name.size() + symbol.key.size() + symbol.anchor.size();
  symbols_.push_back(std::move(symbol));
}

void SymbolsBuilder::Finish(const std::function<uint8_t(uint32_t passage)>& weight_of,
                            const std::function<uint64_t(ByteSpan leaf)>& store, ByteWriter* index) {
  if (symbols_.empty()) return;
  for (Symbol& symbol : symbols_) symbol.weight = weight_of(symbol.passage);
  // By key, then the most linked, so that the namesakes that are left out are the least; then as they were added.
  std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    return a.key != b.key ? a.key < b.key : a.weight > b.weight;
  });
  std::vector<std::string> separators;
  std::vector<uint32_t> lengths;
  std::string before;  // the last key
  for (size_t at = 0; at < symbols_.size();) {
    ByteWriter names, kinds, weights, anchors;
    std::vector<uint32_t> passages, begins, sizes;
    std::string_view previous;
    const std::string& first = symbols_[at].key;
    separators.push_back(separators.empty() ? std::string() : first.substr(0, SharedPrefix(before, first) + 1));
    while (at < symbols_.size() && names.size() + anchors.size() + 8 * passages.size() < kLeafBytes) {
      size_t end = at;
      for (; end < symbols_.size() && symbols_[end].key == symbols_[at].key; ++end) {
        if (end - at >= kMaxNamesakes) continue;
        const Symbol& symbol = symbols_[end];
        WriteFrontCodedString(previous, symbol.name, &names);
        previous = symbol.name;
        kinds.U8(uint8_t(uint8_t(symbol.kind) | symbol.deprecated << 7));
        weights.U8(symbol.weight);
        passages.push_back(symbol.passage);
        begins.push_back(symbol.begin);
        sizes.push_back(symbol.length);
        anchors.String(symbol.anchor);
      }
      before = symbols_[at].key;
      at = end;
    }
    ByteWriter leaf;
    leaf.Varint(passages.size());
    for (const ByteWriter* column : {&names, &kinds, &weights}) leaf.Bytes(column->bytes());
    for (const std::vector<uint32_t>* column : {&passages, &begins, &sizes}) WriteNumbers(*column, &leaf);
    leaf.Bytes(anchors.bytes());
    lengths.push_back(uint32_t(store(leaf.bytes())));
  }
  index->Varint(separators.size());
  WriteSeparators(separators, index);
  WriteNumbers(lengths, index);
}

}  // namespace sheaf
