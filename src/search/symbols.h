// Symbols: the things that the documentation defines by name, found by name before any text is compared.
//
// Idea: a symbol's key is its folded name, its parts in reverse order: `insert`, then `hashmap`, then `collections`,
// then `std`. Keys are sorted, so that `insert`, `HashMap::insert` and `std::collections::HashMap::insert` are each one
// range of neighbours, and an unfinished name is one too. The signature is no copy: a symbol says which bytes of its
// passage it is.
//
// Layout. Leaves lie one after the other in the section of symbols, each a piece: v symbols, their names (front-coded),
// u8 × symbols: kind | deprecated << 7, u8 × symbols: weight, then columns (base/columns.h) of passage, of the first byte
// of the signature in the passage's text, and of its length, then for each: s anchor, empty where the passage has it.
// The index follows that of spellings in the section of term-index: v leaves, their separators, which are keys, and the
// stored lengths of their pieces. Equal keys share a leaf. The keys are not stored.
//
// Invariants: keys ascend over all leaves.
// Cost: opening reads about 5 bytes a leaf of 100 symbols; a lookup reads one leaf, of an unfinished name up to four.
// Twin: symbols_builder.cc.
#ifndef SHEAF_SEARCH_SYMBOLS_H_
#define SHEAF_SEARCH_SYMBOLS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "search/query.h"

namespace sheaf {

class BundleView;
struct SearchContext;
struct Signals;

inline constexpr size_t kMaxSymbolName = 200;      // bytes of a name; its key has no more
inline constexpr size_t kMaxSymbolKey = 255;       // folding may lengthen a name
inline constexpr size_t kMaxSymbolLeaf = 1 << 16;  // symbols of a leaf

struct Symbol {
  std::string name, key, anchor;  // without a name it is a pinned passage (owner_rules.h)
  SymbolKind kind = SymbolKind::kModule;
  bool deprecated = false;
  uint8_t weight = 0;                           // 8 log2 of the pages that link to its page
  uint32_t passage = 0, begin = 0, length = 0;  // its signature, in the passage's text
};

// The key of a name, or of a query that may be one: `os.path.join()` and `join os path` are names of other things.
// Empty: it names nothing.
std::string SymbolKey(std::string_view name);

class Symbols {
 public:
  // Reads its part of the term index. Error: kCorrupt.
  static Result<Symbols> Open(ByteReader* index, uint64_t section_bytes);
  bool empty() const { return separators_.empty(); }
  // Appends the symbols whose keys begin with `prefix`, of at most `most` leaves. Errors: kCorrupt, kNeedsBytes.
  Status Find(BundleView* bundle, std::string_view prefix, size_t most, std::vector<Symbol>* out) const;
  // Checks order and bounds of all leaves.
  Status Verify(BundleView* bundle) const;

 private:
  std::vector<std::string> separators_;
  std::vector<uint64_t> offsets_;  // one more than leaves
};

// The passages that the owner pinned to the query, to Signals::symbols. REQUIRES: the words are read
void AddPinned(const SearchContext& search, Signals* signals);
// These and the symbols that the query names, the likeliest first. REQUIRES: the words are read
Status FindSymbols(const SearchContext& search, Signals* signals);

// ---- building, native only (symbols_builder.cc) ---------------------------------------------------
class SymbolsBuilder {
 public:
  // Leaves out names without a key, and those that are too long.
  void Add(Symbol symbol);
  uint64_t bytes_held() const { return bytes_held_; }
  // `weight_of`: of a passage. Writes the leaves through `store`, which returns a piece's stored length, and the index
  // to `index`: nothing where there is no symbol.
  void Finish(const std::function<uint8_t(uint32_t passage)>& weight_of,
              const std::function<uint64_t(ByteSpan leaf)>& store, ByteWriter* index);

 private:
  std::vector<Symbol> symbols_;
  uint64_t bytes_held_ = 0;
};

}  // namespace sheaf

#endif  // SHEAF_SEARCH_SYMBOLS_H_
