#include "packer/parse/html/html_anchors.h"

#include <string_view>
#include <utility>

#include "packer/base/charset.h"
#include "packer/parse/html/html_furniture.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxAnchorBytes = 1024;
constexpr size_t kMaxSteps = 64;    // inside a heading
constexpr size_t kMaxAliases = 16;  // of a heading

std::string CleanAnchor(std::string_view id) {
  const bool plain = id.size() <= kMaxAnchorBytes && id.find_first_of(" \t\n") == std::string_view::npos;
  return plain && IsCleanText(id) ? std::string(id) : std::string();
}

void Keep(std::string_view id, std::vector<std::string>* ids) {
  if (ids->size() >= kMaxAliases) return;
  if (std::string clean = CleanAnchor(id); !clean.empty()) ids->push_back(std::move(clean));
}

}  // namespace

bool IsNamedSection(const GumboNode* element) {
  return AnyClass(element, [](std::string_view token) {
    return token == "refentry" || token == "chapter" || token == "section" || token.starts_with("sect");
  });
}

void HtmlAnchors::Note(const GumboNode* element, bool text_waits) {
  const GumboTag tag = TagOf(element);
  std::string_view id = Attribute(element, "id");
  if (tag == GUMBO_TAG_A && id.empty()) id = Attribute(element, "name");
  if (id.empty() || HasClass(element, "indexterm")) return;
  if (tag == GUMBO_TAG_A || tag == GUMBO_TAG_SPAN) {
    // An anchor without a link may end a paragraph that stays open (man2html); text after it makes it forgotten.
    const bool is_anchor = tag == GUMBO_TAG_A && !HasAttribute(element, "href");
    if (!is_anchor && text_waits) return;
    if (mark_.empty()) mark_ = CleanAnchor(id);
    Keep(id, &noted_);
  } else if (tag == GUMBO_TAG_SECTION || tag == GUMBO_TAG_DIV || tag == GUMBO_TAG_ARTICLE || tag == GUMBO_TAG_DETAILS ||
             tag == GUMBO_TAG_HEADER) {
    section_ = CleanAnchor(id);
    mark_.clear();
    Keep(id, &noted_);
  }
}

void HtmlAnchors::Forget() {
  section_.clear();
  mark_.clear();
  noted_.clear();
}

std::vector<std::string> HtmlAnchors::AllOf(const GumboNode* heading) const {
  std::vector<std::string> all = noted_;
  size_t steps = 0;
  WalkTree(
      heading,
      [&](const GumboNode* node) {
        if (!IsElement(node) || ++steps > kMaxSteps || (node != heading && IsFurniture(node))) return false;
        Keep(Attribute(node, "id"), &all);
        return true;
      },
      [](const GumboNode*) {});
  return all;
}

std::string HtmlAnchors::Of(const GumboNode* heading) const {
  if (std::string own = CleanAnchor(Attribute(heading, "id")); !own.empty()) return own;
  std::string link, inner;
  size_t steps = 0;
  WalkTree(
      heading,
      [&](const GumboNode* node) {
        if (!IsElement(node) || ++steps > kMaxSteps) return false;
        const bool anchor = TagOf(node) == GUMBO_TAG_A;
        const std::string_view href = anchor ? Attribute(node, "href") : std::string_view();
        if (node != heading && IsFurniture(node)) {
          if (link.empty() && href.size() > 1 && href[0] == '#') link = CleanAnchor(href.substr(1));
          return false;
        }
        if (inner.empty() && !HasClass(node, "indexterm")) {
          inner = CleanAnchor(Attribute(node, "id"));
          if (inner.empty() && anchor) inner = CleanAnchor(Attribute(node, "name"));
        }
        return true;
      },
      [](const GumboNode*) {});
  if (!link.empty()) return link;
  if (!inner.empty()) return inner;
  return noted();
}

}  // namespace sheaf::packer
