#include "search/symbols.h"

#include <algorithm>
#include <span>

#include "base/columns.h"
#include "base/front_coding.h"
#include "base/gather.h"
#include "search/search_context.h"
#include "search/signals.h"
#include "text/analyzer.h"

namespace sheaf {
namespace {

constexpr char kBorder = '\1';                    // between the parts of a key, below all that parts hold
constexpr size_t kMaxNameParts = 8;               // a query of more names nothing
constexpr size_t kMaxSpaces = 3;                  // within a query
constexpr size_t kLeaves = 4;                     // read for one query
constexpr size_t kFinished = 8, kUnfinished = 3;  // symbols of an answer

// Words of a query for the kind of a thing, not its name.
constexpr std::string_view kKindWords =
    " class function method module type macro struct trait enum interface option command setting directive variable "
    "property attribute exception fn def ";

Error BadSymbols() {
  return Error{ErrorCode::kCorrupt, "the list of symbols is damaged; fetch or pack the file again"};
}

bool IsSymbolByte(char c) { return uint8_t(c) >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// Appends the symbols of a leaf.
Status ReadLeaf(ByteSpan bytes, uint32_t passages, std::vector<Symbol>* symbols) {
  ByteReader reader(bytes);
  const uint64_t count = reader.Varint();
  // A symbol takes eleven bytes at least.
  if (!reader.ok() || count == 0 || count > reader.remaining() / 11) return BadSymbols();
  const size_t first = symbols->size();
  symbols->resize(first + size_t(count));
  const std::span<Symbol> leaf = std::span(*symbols).subspan(first);
  std::string name;
  for (Symbol& symbol : leaf) {
    if (!ReadFrontCodedString(&reader, &name) || name.size() > kMaxSymbolName) return BadSymbols();
    symbol.name = name;
    symbol.key = SymbolKey(name);
  }
  for (Symbol& symbol : leaf) {
    const uint8_t kind = reader.U8();
    symbol.kind = SymbolKind(kind & 127);
    symbol.deprecated = kind & 128;
  }
  for (Symbol& symbol : leaf) symbol.weight = reader.U8();
  for (uint32_t Symbol::*const column : {&Symbol::passage, &Symbol::begin, &Symbol::length}) {
    std::vector<uint32_t> numbers;
    if (!ReadNumbers(&reader, leaf.size(), &numbers)) return BadSymbols();
    for (size_t i = 0; i < leaf.size(); ++i) leaf[i].*column = numbers[i];
  }
  for (Symbol& symbol : leaf) {
    symbol.anchor = reader.String();
    if (symbol.passage >= passages || uint8_t(symbol.kind) >= kSymbolKinds || symbol.key.empty()) return BadSymbols();
  }
  return reader.ok() && reader.remaining() == 0 ? Status() : BadSymbols();
}

// Whether the docs name something by a word of the query.
bool NamesSomething(const QueryWords& words) {
  for (const QueryWord& word : words.words) {
    for (const WordForm& form : word.forms) {
      if (form.kind == MatchKind::kWording) continue;  // the query names none of these
      for (const Posting& posting : form.postings) {
        if (posting.role != NameRole::kNone) return true;
      }
    }
  }
  return words.words.empty();
}

// Beginning with `key`, which ends there or between two parts.
bool HasParts(std::string_view whole, std::string_view key) {
  return whole.starts_with(key) && (whole.size() == key.size() || whole[key.size()] == kBorder);
}

}  // namespace

std::string SymbolKey(std::string_view name) {
  if (name.size() > kMaxSymbolName) return {};
  std::string text = Analyzer::Fold(name);
  bool has_word = false, has_space = false;
  // Without parameters: "watch(source)", "Option<T>".
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '(' || c == '<' || c == '[') && i > 0 && IsSymbolByte(text[i - 1])) text.resize(i);
    has_word = has_word || IsSymbolByte(c);
    has_space = has_space || c == ' ';
  }
  std::string key;
  size_t parts = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" .:#/\\~,;>", at), text.size());
    size_t from = at, to = end;
    while (from < to && !IsSymbolByte(text[from])) ++from;
    while (from < to && !IsSymbolByte(text[to - 1])) --to;
    const std::string part = text.substr(from, to - from);
    // Of "build/2" the number of parameters.
    const bool is_number = at > 0 && text[at - 1] == '/' && end == text.size() &&
                           part.find_first_not_of("0123456789") == std::string::npos;
    const bool is_kind = has_space && kKindWords.find(' ' + part + ' ') != std::string_view::npos;
    if (!part.empty() && !is_kind && !is_number) {
      key = parts++ > 0 ? part + kBorder + key : part;
    }
    at = end + 1;
  }
  if (!has_word && !has_space) key = text;  // an operator
  if (parts > kMaxNameParts || key.size() > kMaxSymbolKey) key.clear();
  return key;
}

Result<Symbols> Symbols::Open(ByteReader* index, uint64_t section_bytes) {
  Symbols symbols;
  if (section_bytes == 0) return symbols;  // a bundle may go without
  const uint64_t count = index->Varint();
  std::vector<uint32_t> lengths;
  if (count > index->remaining() || !ReadSeparators(index, size_t(count), kMaxSymbolKey, &symbols.separators_) ||
      !ReadNumbers(index, size_t(count), &lengths)) {
    return BadSymbols();
  }
  uint64_t offset = 0;
  for (uint32_t length : lengths) {
    symbols.offsets_.push_back(offset);
    offset += length;
  }
  symbols.offsets_.push_back(offset);
  if (offset != section_bytes) return BadSymbols();
  return symbols;
}

Status Symbols::Find(BundleView* bundle, std::string_view prefix, size_t most, std::vector<Symbol>* out) const {
  Gather gather;
  size_t i = 0;  // the last leaf whose separator is not above the prefix
  while (i + 1 < separators_.size() && separators_[i + 1] <= prefix) ++i;
  for (bool first = true; i < separators_.size() && most > 0; ++i, --most, first = false) {
    if (!first && !separators_[i].starts_with(prefix)) break;
    ByteSpan bytes;
    SHEAF_RETURN_IF_ERROR(gather.Take(
        bundle->container().Piece(SectionId::kSymbols, offsets_[i], offsets_[i + 1] - offsets_[i]), &bytes));
    if (gather.complete()) SHEAF_RETURN_IF_ERROR(ReadLeaf(bytes, bundle->passages(), out));
  }
  return gather.status();
}

Status Symbols::Verify(BundleView* bundle) const {
  std::vector<Symbol> all;
  SHEAF_RETURN_IF_ERROR(Find(bundle, {}, SIZE_MAX, &all));
  for (size_t i = 1; i < all.size(); ++i) {
    if (all[i].key < all[i - 1].key) return BadSymbols();
  }
  return {};
}

void AddPinned(const SearchContext& search, Signals* signals) {
  if (search.query.kind || search.sorts_by_key()) return;
  for (const uint32_t passage : signals->words.pinned) {
    if (!search.bundle.facets().Passes(search.bundle.PageOf(passage))) continue;
    signals->symbols.emplace_back().passage = passage;
  }
}

Status FindSymbols(const SearchContext& search, Signals* signals) {
  const Query& query = search.query;
  const Symbols& symbols = search.bundle.symbols();
  AddPinned(search, signals);
  if (symbols.empty() || !signals->by_keyword || search.sorts_by_key()) return {};
  const std::string_view text = std::string_view(query.text).substr(0, query.text.find('('));
  const std::string key = SymbolKey(text);
  if (key.empty() || size_t(std::count(text.begin(), text.end(), ' ')) > kMaxSpaces ||
      !NamesSomething(signals->words)) {
    return {};
  }
  const std::string_view above = std::string_view(key).substr(std::min(key.find(kBorder), key.size()));
  std::vector<Symbol> found;
  SHEAF_RETURN_IF_ERROR(symbols.Find(&search.bundle, key, kLeaves, &found));
  bool finished = false;
  for (const Symbol& symbol : found) finished = finished || HasParts(symbol.key, key);
  if (query.prefix && !above.empty() && !finished) {
    // "HashMap::ins": a part that begins so, of just that class.
    const std::string_view last = std::string_view(key).substr(0, key.size() - above.size());
    found.clear();
    SHEAF_RETURN_IF_ERROR(symbols.Find(&search.bundle, last, kLeaves, &found));
  }
  std::vector<uint32_t> ranks;  // of each found; 0: it is none
  const Facets& facets = search.bundle.facets();
  for (const Symbol& symbol : found) {
    const std::string_view whole = symbol.key;
    const size_t border = std::min(whole.find(kBorder), whole.size());
    const bool same = HasParts(whole, key);
    const bool begins =
        whole.starts_with(key) || (!above.empty() && whole.starts_with(key.substr(0, key.size() - above.size())) &&
                                   HasParts(whole.substr(border), above));
    uint32_t rank = 0;
    if ((same || (begins && query.prefix)) && facets.Passes(search.bundle.PageOf(symbol.passage)) &&
        (!query.kind || *query.kind == symbol.kind)) {
      // A constructor has its class's name.
      const bool constructs = border < whole.size() && HasParts(whole.substr(border + 1), whole.substr(0, border));
      rank = 1;
      for (const bool good : {same, symbol.name.ends_with(text), whole == key, !constructs}) rank = 2 * rank + good;
      // The most linked, then the shortest.
      rank = rank << 16 | uint32_t(symbol.weight) << 8 | uint32_t(255 - whole.size());
    }
    for (const uint32_t passage : signals->words.pinned) rank *= passage != symbol.passage;
    ranks.push_back(rank);
  }
  constexpr uint32_t kSame = 3u << 19;  // as ranks of finished ones begin
  size_t most = kFinished;
  uint32_t least = 1;
  while (signals->symbols.size() < most) {
    size_t best = 0;
    for (size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] > ranks[best]) best = i;
    }
    if (ranks.empty() || ranks[best] < least) break;
    if (ranks[best] >= kSame) {
      least = kSame;
    } else {
      most = kUnfinished;
    }
    const uint32_t passage = found[best].passage;
    for (size_t i = 0; i < ranks.size(); ++i) {
      if (found[i].passage == passage) ranks[i] = 0;
    }
    signals->symbols.push_back(std::move(found[best]));
  }
  return {};
}

}  // namespace sheaf
