#include "packer/parse/html/html_code.h"

#include <algorithm>
#include <unordered_set>

#include "packer/base/text_scan.h"
#include "packer/parse/html/html_elements.h"

namespace sheaf::packer {
namespace {

using Names = std::unordered_set<std::string_view>;

constexpr size_t kMaxCodeLook = 64;  // children

const GumboNode* FirstElement(const GumboNode* parent) {
  for (size_t i = 0; i < std::min(ChildCount(parent), kMaxCodeLook); ++i) {
    if (IsElement(Child(parent, i))) return Child(parent, i);
  }
  return nullptr;
}

// Doxygen's fragment, SyntaxHighlighter's container and the like. A docutils line block holds verse, not code.
bool HoldsLines(const GumboNode* element) {
  static const Names containers = {"fragment",        "container",  "crayon-pre",
                                   "CodeMirror-code", "code-lines", "code-block"};
  static const Names lines = {"line", "crayon-line", "CodeMirror-line", "code-line"};
  if (!AnyClass(element, [](std::string_view token) { return containers.contains(token); })) return false;
  const GumboNode* first = FirstElement(element);
  return first != nullptr && TagOf(first) == GUMBO_TAG_DIV &&
         AnyClass(first, [](std::string_view token) { return lines.contains(token); });
}

bool IsSignatureBox(const GumboNode* element) {
  static const Names boxes = {"memproto",          "member-signature", "type-signature",
                              "package-signature", "module-signature", "tsd-signature"};
  return AnyClass(element, [](std::string_view token) { return boxes.contains(token); });
}

bool HoldsBreaks(const GumboNode* code) {
  for (size_t i = 0; i < std::min(ChildCount(code), kMaxCodeLook); ++i) {
    if (TagOf(Child(code, i)) == GUMBO_TAG_BR) return true;
  }
  return false;
}

}  // namespace

Listing ListingOf(const GumboNode* element) {
  const GumboTag tag = TagOf(element);
  if (IsCodeTag(tag)) return HoldsBreaks(element) ? Listing::kBreaks : Listing::kNone;
  if ((tag != GUMBO_TAG_DIV && tag != GUMBO_TAG_LI) || element->v.element.attributes.length == 0) return Listing::kNone;
  if (IsSignatureBox(element)) return Listing::kWords;
  return HoldsLines(element) ? Listing::kLines : Listing::kNone;
}

void CodeCells::Count(const GumboNode* cell) {
  static const Names numbers = {"blob-num", "hljs-ln-numbers", "lineno", "linenos",  "line-number",
                                "gutter",   "line-numbers",    "ln",     "line-num", "lnum"};
  static const Names code = {"blob-code", "hljs-ln-code", "code", "code-line",
                             "line-code", "js-file-line", "line", "src"};
  bool number = HasAttribute(cell, "data-line-number");
  bool line = false;
  AnyClass(cell, [&](std::string_view token) {
    number = number || numbers.contains(token);
    line = line || code.contains(token);
    return false;
  });
  number_cells += number;
  code_cells += line && !number;
}

bool IsLineNumbers(const GumboNode* pre, std::string_view text) {
  const bool named = AnyClass(pre, [](std::string_view token) {
    return token == "lines" || token.find("line-number") != std::string_view::npos ||
           token.find("lineno") != std::string_view::npos;
  });
  const GumboNode* around = pre->parent;
  bool beside = named;
  for (int climb = 0; climb < 3 && !beside && around != nullptr && IsElement(around);
       ++climb, around = around->parent) {
    if (TagOf(around) == GUMBO_TAG_TD) beside = TagOf(around->parent) == GUMBO_TAG_TR && ChildCount(around->parent) > 1;
  }
  if (!beside) return false;
  uint64_t expected = 0;
  bool any = false;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
      ++at;
      continue;
    }
    uint64_t number = 0;
    const size_t begin = at;
    while (at < text.size() && IsDigit(text[at]) && at - begin < 9) number = number * 10 + uint64_t(text[at++] - '0');
    if (at == begin || (any && number != expected)) return false;
    expected = number + 1;
    any = true;
  }
  return any;
}

}  // namespace sheaf::packer
