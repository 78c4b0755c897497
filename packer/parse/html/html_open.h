// The stack of open elements around the reader's position, and queries on it.
//
// Idea: an element that matters to the reader is pushed with its role. This stack answers every question about the
// surroundings (are we in a heading, a cell, <pre>? how many links are open? which list is innermost?), so the reader
// sets no flag on entry and resets none on exit.
//
// Cost: constant for each call.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_OPEN_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_OPEN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

enum class HtmlRole : uint8_t {
  kNone,
  kBlock,      // ends a paragraph on both sides
  kSpace,      // a block where no block is allowed
  kCode,       // inline code
  kPre,        // or another element that is code (html_code.h)
  kPreLine,    // a block inside code: ends a line
  kInlinePre,  // <pre> in a cell or heading
  kHeading,
  kSignature,    // a heading that is all code
  kTermHeading,  // a <dt> with an id
  kEntry,        // a signature that heads its entry (html_entry.h)
  kProto,        // a signature below its heading
  kList,
  kItem,
  kTerms,     // <dl> as a list
  kSections,  // <dl> as sections
  kTerm,
  kDefinition,
  kQuote,
  kLabel,  // an admonition's title
  kTable,
  kRow,
  kMember,  // a row of Doxygen's list of members; the row below it describes the same one
  kCell,
  kStrong,     // bold or large
  kQuotation,  // <q>
  kLink,
};
inline constexpr size_t kHtmlRoles = size_t(HtmlRole::kLink) + 1;

struct OpenElement {
  const GumboNode* node;
  HtmlRole role;
  int level;           // of a heading
  HtmlRole innermost;  // list that is open here, this element's own role included; kNone: none is
};

class OpenElements {
 public:
  void Push(const GumboNode* node, HtmlRole role, int level = 0) {
    const bool list = role == HtmlRole::kList || role == HtmlRole::kTerms || role == HtmlRole::kSections;
    open_.push_back({node, role, level, list ? role : innermost_list()});
    ++counts_[size_t(role)];
  }
  // REQUIRES: IsTop of some element
  void Pop() {
    --counts_[size_t(open_.back().role)];
    open_.pop_back();
  }
  bool IsTop(const GumboNode* node) const { return !open_.empty() && open_.back().node == node; }
  const OpenElement& top() const { return open_.back(); }

  size_t Count(HtmlRole role) const { return counts_[size_t(role)]; }
  bool In(HtmlRole role) const { return Count(role) > 0; }
  bool InHeading() const {
    return In(HtmlRole::kHeading) || In(HtmlRole::kSignature) || In(HtmlRole::kTermHeading) || In(HtmlRole::kEntry) ||
           In(HtmlRole::kProto);
  }
  // Whether text goes to a paragraph; otherwise a heading, a cell or a label takes it.
  bool InFlow() const { return !InHeading() && !In(HtmlRole::kCell) && !In(HtmlRole::kLabel); }
  HtmlRole innermost_list() const { return open_.empty() ? HtmlRole::kNone : open_.back().innermost; }

 private:
  std::vector<OpenElement> open_;
  std::array<size_t, kHtmlRoles> counts_{};
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_OPEN_H_
