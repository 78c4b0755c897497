// Finds the symbols of a page: the things that it defines by name, with kind and signature.
//
// Idea: a page says of itself what it defines, by its anchors. Generators of references give each entry an anchor of
// their own form (`os.path.join`, `method.insert`, `format(java.lang.String)`, `method-i-each`, `cmdoption-v`), and a
// page's path and title say what the entries belong to. Where anchors say nothing, a heading or a term that is a single
// name in code is one. So every format that keeps its anchors is read by one table, and pages that come from a crawl as
// well as those from a folder.
//
// Invariants: in the order of blocks; at most kMaxSymbols; a name at most once with one anchor.
// Cost: linear in the headings and terms.
#ifndef SHEAF_PACKER_DOCUMENT_SYMBOL_NAMES_H_
#define SHEAF_PACKER_DOCUMENT_SYMBOL_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "packer/document/document.h"
#include "search/query.h"

namespace sheaf::packer {

inline constexpr size_t kMaxSymbols = 20000;  // of a page

struct SymbolName {
  size_t block = 0;  // that it begins with
  std::string name;  // whole, as far as the page says
  std::string anchor;
  SymbolKind kind = SymbolKind::kModule;
  bool deprecated = false;
  std::string signature;  // a part of the page's text from that block on, or empty
};

// As constants and variables of the environment are written: MAX_CONNECTIONS.
bool IsShouted(std::string_view name);

// `path`: of the page's file.
std::vector<SymbolName> NameSymbols(const Document& document, std::string_view path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_SYMBOL_NAMES_H_
