#include "packer/parse/html/html_entry.h"

#include <algorithm>

#include "packer/base/text_scan.h"
#include "packer/parse/html/html_elements.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxLook = 16;       // children
constexpr size_t kMaxNameNodes = 64;  // in a signature, before its name
constexpr size_t kMaxNameBytes = 256;
constexpr size_t kMaxFactBytes = 4096;  // of a cell in a directive's table
constexpr size_t kMaxFactNodes = 1024;

// The text of the elements below `root` that have one of these classes, in order.
template <size_t N>
std::string TextWithClass(const GumboNode* root, const std::string_view (&classes)[N], std::string_view between = "") {
  std::string text;
  size_t nodes = 0;
  WalkUntil(root, [&](const GumboNode* node) {
    if (++nodes > kMaxNameNodes || text.size() > kMaxNameBytes) return Walk::kStop;
    if (!IsElement(node)) return Walk::kPast;
    const bool named = node != root && AnyClass(node, [&](std::string_view token) {
                         return std::find(std::begin(classes), std::end(classes), token) != std::end(classes);
                       });
    if (!named) return Walk::kInto;
    if (!text.empty()) text += between;
    text += TextOf(node, kMaxNameBytes, kMaxNameNodes);
    return Walk::kPast;
  });
  return CollapseSpace(text);
}

bool HasChildWithClass(const GumboNode* element, std::string_view name) {
  for (size_t i = 0; i < std::min(ChildCount(element), kMaxLook); ++i) {
    const GumboNode* child = Child(element, i);
    if (IsElement(child) && HasClass(child, name)) return true;
  }
  return false;
}

// Scribble names the anchor of a definition so.
bool HoldsDefinition(const GumboNode* element) {
  for (size_t i = 0; i < std::min(ChildCount(element), kMaxLook); ++i) {
    const GumboNode* child = Child(element, i);
    if (TagOf(child) == GUMBO_TAG_A && Attribute(child, "name").starts_with("(def")) return true;
  }
  return false;
}

}  // namespace

bool IsEntry(const GumboNode* element) {
  if (element->v.element.attributes.length == 0) return false;
  switch (TagOf(element)) {
    case GUMBO_TAG_P:
      return (HasClass(element, "src") && HasChildWithClass(element, "def")) ||  // Haddock
             (HasClass(element, "RForeground") && HoldsDefinition(element));     // Scribble
    case GUMBO_TAG_SPAN:
      return HasClass(element, "symbol") && HasAttribute(element->parent, "fullcomment");  // Scaladoc
    case GUMBO_TAG_DIV: {
      bool rdoc = false, odoc = false, pdoc = false;
      AnyClass(element, [&](std::string_view token) {
        rdoc = rdoc || token == "method-heading";
        odoc = odoc || token == "spec";
        pdoc = pdoc || token == "attr";
        return false;
      });
      if (rdoc) return true;
      if (odoc) return HasAttribute(element, "id") && HasClass(element->parent, "odoc-spec");
      return pdoc && HasChildWithClass(element, "name");
    }
    default: return false;
  }
}

bool IsSignatureHeading(const GumboNode* heading) { return HasClass(heading, "signature"); }

bool IsTitleOfSpecs(const GumboNode* heading) {
  const size_t next = heading->index_within_parent + 1;
  for (size_t i = next; i < std::min<size_t>(ChildCount(heading->parent), next + 3); ++i) {
    const GumboNode* sibling = Child(heading->parent, i);
    if (IsElement(sibling)) return HasClass(sibling, "specs");
  }
  return false;
}

const GumboNode* ScopeOfEntry(const GumboNode* signature) {
  const GumboNode* scope = signature->parent;
  for (int climb = 0; climb < 3 && IsElement(scope->parent); ++climb, scope = scope->parent) {
    const bool frame = AnyClass(scope, [](std::string_view token) {
      return token == "detail-header" || token == "heading-with-actions" || token == "method-header";
    });
    if (!frame) break;
  }
  // A heading's parent may hold the whole page.
  const bool detail = !IsHeadingTag(TagOf(signature)) || AnyClass(scope, [](std::string_view token) {
    return token.find("detail") != std::string_view::npos;
  });
  return detail ? scope : nullptr;
}

bool SharesItsEntry(const GumboNode* element) {
  const GumboNode* parent = element->parent;
  const size_t first = element->index_within_parent + 1;
  for (size_t i = first; i < std::min<size_t>(ChildCount(parent), first + 4); ++i) {
    if (IsElement(Child(parent, i))) return IsEntry(Child(parent, i));
  }
  return false;
}

std::string NameOfEntry(const GumboNode* element, std::string_view words) {
  if (const std::string name = TextWithClass(element, {std::string_view("def"), std::string_view("method-name")}, ", ");
      !name.empty() && (TagOf(element) == GUMBO_TAG_P || HasClass(element, "method-heading"))) {
    return name;
  }
  if (HasClass(element, "attr")) {
    if (std::string name = TextWithClass(element, {std::string_view("name")}); !name.empty()) return name;
  }
  if (TagOf(element) == GUMBO_TAG_SPAN) {
    if (std::string name = TextWithClass(element, {std::string_view("name"), std::string_view("implicit")});
        !name.empty()) {
      return name;
    }
  }
  std::string_view name = words;
  if (TagOf(element) == GUMBO_TAG_P) {  // Scribble: "(pair? v) → boolean?"
    if (name.starts_with("(") && name.size() > 2) name.remove_prefix(1);
    return std::string(name.substr(0, std::min(name.find_first_of(" )", 1), name.size())));
  }
  if (HasClass(element, "spec")) {  // OCaml: "val add : t -> t", "type t = int", "module M : sig … end"
    for (const std::string_view keyword :
         {"val ", "type ", "module type ", "module ", "exception ", "class ", "method "}) {
      if (!name.starts_with(keyword)) continue;
      name.remove_prefix(keyword.size());
      break;
    }
    name = name.substr(0, std::min({name.find(" :"), name.find(" ="), name.find(" of "), name.size()}));
    return CollapseSpace(name);
  }
  // Ruby: "#add(key) ⇒ Object", "add(key) → self", "map { |x| … }"; Elixir: "build(a, b \\ [])".
  size_t end = name.size();
  for (const std::string_view stop : {"(", " \xE2\x87\x92", " \xE2\x86\x92", " {", " ="}) {
    end = std::min(end, std::min(name.find(stop, 1), name.size()));
  }
  return CollapseSpace(name.substr(0, end));
}

namespace {

// The text of a cell, with a space for each of its line breaks.
std::string LinesOf(const GumboNode* cell) {
  std::string text;
  size_t nodes = 0;
  WalkUntil(cell, [&](const GumboNode* node) {
    if (++nodes > kMaxFactNodes || text.size() > kMaxFactBytes) return Walk::kStop;
    if (IsText(node)) text += node->v.text.text;
    if (TagOf(node) == GUMBO_TAG_BR) text += ' ';
    return Walk::kInto;
  });
  return text;
}

}  // namespace

bool IsDirectiveTable(const GumboNode* table) {
  return HasClass(table, "directive") ||
         (TagOf(table->parent) == GUMBO_TAG_DIV && HasClass(table->parent, "directive"));
}

std::string NameOfDirective(const GumboNode* table) {
  if (HasClass(table, "directive")) return {};
  std::string name;
  size_t nodes = 0;
  WalkUntil(table, [&](const GumboNode* node) {
    if (++nodes > kMaxNameNodes) return Walk::kStop;
    if (TagOf(node) != GUMBO_TAG_STRONG) return Walk::kInto;
    name = CollapseSpace(TextOf(node, kMaxNameBytes, kMaxNameNodes));
    return Walk::kStop;
  });
  return name;
}

std::string FactOfDirective(const GumboNode* row) {
  std::string label, value;
  for (size_t i = 0; i < std::min(ChildCount(row), kMaxLook); ++i) {
    const GumboNode* cell = Child(row, i);
    if (TagOf(cell) == GUMBO_TAG_TH && label.empty()) label = CollapseSpace(TextOf(cell, kMaxNameBytes, kMaxNameNodes));
    if (TagOf(cell) == GUMBO_TAG_TD) value = CollapseSpace(LinesOf(cell));
  }
  if (value.empty() || (label != "Syntax:" && label != "Default:" && label != "Context:")) return {};
  return label + ' ' + value;
}

std::string MarkedName(const GumboNode* signature) {
  return TextWithClass(signature, {std::string_view("sig-prename"), std::string_view("sig-name")});
}

}  // namespace sheaf::packer
