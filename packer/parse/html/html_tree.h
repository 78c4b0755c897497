// Gumbo, an HTML5 parser, made safe for untrusted pages.
//
// Idea: gumbo itself never fails, but a hostile page can make it eat memory without end (each
// unclosed <font> is cloned into each later paragraph), time without end (each token inside deeply
// nested elements looks through all open ones), and stack (gumbo_destroy_output recurses by
// depth). So gumbo allocates from an arena of ours and reports its work to it (gumbo_budget.h), and
//   memory:  an allocation beyond kMaxTreeBytes jumps out of gumbo: kTooLarge;
//   work:    more than kMaxTreeSteps of searching and moving jumps out: kTooLarge. The count depends
//            on the page alone, so a page is refused everywhere or nowhere;
//   nesting: so do more than kMaxNesting open elements;
//   time:    the arena checks the thread's CPU clock now and then and jumps out beyond
//            kMaxParseSeconds: a safeguard for work that no step counts;
//   stack:   the tree is freed with the arena, so freeing does not recurse. Parsing does not either.
//
// Invariant: between the call into gumbo and the jump, no C++ object is alive in gumbo's frames,
// which are C; so the jump skips no destructor.
//
// Cost: about 20 MB of HTML a second; memory 7 to 12 times the page, 1 GiB at most.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_TREE_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_TREE_H_

#include <gumbo.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "packer/parse/html/gumbo_budget.h"

namespace sheaf::packer {

inline constexpr size_t kMaxHtmlBytes = size_t{64} << 20;
inline constexpr size_t kMaxTreeBytes = size_t{1} << 30;
inline constexpr uint64_t kMaxTreeSteps = uint64_t{1} << 32;  // 1 to 3 s; documentation takes next to none
inline constexpr size_t kMaxNesting = 10000;                  // elements inside one another; browsers stop at 512
inline constexpr double kMaxParseSeconds = 20;

class HtmlTree {
 public:
  // `source` must outlive the tree. Errors: kTooLarge.
  static Result<HtmlTree> Parse(std::string_view source, std::string_view path, uint64_t max_steps = kMaxTreeSteps);

  HtmlTree(HtmlTree&&) noexcept;
  HtmlTree& operator=(HtmlTree&&) noexcept;
  ~HtmlTree();

  const GumboNode* root() const { return root_; }  // <html>; never null

  // Gives an element of this tree the attribute data-sheaf-ignore, unless it has it.
  void Ignore(const GumboNode* element);

  uint64_t steps() const;  // that gumbo took beyond the free ones (gumbo_budget.h)

  // Called from inside gumbo, with the arena of the page.
  static void SpendSteps(void* arena, size_t steps);
  static void CheckNesting(void* arena, size_t open_elements);

 private:
  struct Arena;
  explicit HtmlTree(std::unique_ptr<Arena> arena);

  std::unique_ptr<Arena> arena_;
  const GumboNode* root_ = nullptr;
  std::vector<std::unique_ptr<void*[]>> attributes_;  // of ignored elements
};

// ---- looking at nodes -------------------------------------------------------------------------

inline bool IsElement(const GumboNode* node) { return node->type == GUMBO_NODE_ELEMENT; }
inline bool IsText(const GumboNode* node) {
  return node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE || node->type == GUMBO_NODE_CDATA;
}
// The tag of an HTML element; GUMBO_TAG_UNKNOWN for text and for elements of SVG and MathML.
inline GumboTag TagOf(const GumboNode* node) {
  return IsElement(node) && node->v.element.tag_namespace == GUMBO_NAMESPACE_HTML ? node->v.element.tag
                                                                                  : GUMBO_TAG_UNKNOWN;
}
// REQUIRES: IsElement(node)
inline size_t ChildCount(const GumboNode* node) { return node->v.element.children.length; }
inline const GumboNode* Child(const GumboNode* node, size_t i) {
  return static_cast<const GumboNode*>(node->v.element.children.data[i]);
}

// Attributes beyond these limits are not read: each child may ask for them again.
inline constexpr size_t kMaxAttributes = kSheafMaxAttributes;
inline constexpr size_t kMaxClassBytes = 2048;

// The attribute, or null; `name` in lower case, and not empty. Every element is asked for dozens, of which most have other
// first letters. (Gumbo's own lookup compares without regard to case, but it stores names in lower case already.)
inline const GumboAttribute* FindAttribute(const GumboNode* node, std::string_view name) {
  if (!IsElement(node)) return nullptr;
  const GumboVector& attributes = node->v.element.attributes;
  for (unsigned i = 0; i < std::min<size_t>(attributes.length, kMaxAttributes); ++i) {
    const auto* attribute = static_cast<const GumboAttribute*>(attributes.data[i]);
    if (attribute->name[0] == name[0] && name == attribute->name) return attribute;
  }
  return nullptr;
}

inline bool HasAttribute(const GumboNode* node, std::string_view name) { return FindAttribute(node, name) != nullptr; }

// Its value, or an empty view.
inline std::string_view Attribute(const GumboNode* node, std::string_view name) {
  const GumboAttribute* attribute = FindAttribute(node, name);
  return attribute != nullptr ? attribute->value : std::string_view();
}

// The `class` attribute, up to kMaxClassBytes.
inline std::string_view ClassesOf(const GumboNode* node) { return Attribute(node, "class").substr(0, kMaxClassBytes); }

// Calls `visit(word)` for each word of a list such as that of `class` until it returns true; returns that.
template <typename Visit>
bool AnyWord(std::string_view words, Visit visit) {
  const auto is_blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); };
  for (size_t at = 0;;) {
    while (at < words.size() && is_blank(words[at])) ++at;
    const size_t begin = at;
    while (at < words.size() && !is_blank(words[at])) ++at;
    if (begin == at) return false;
    if (visit(words.substr(begin, at - begin))) return true;
  }
}
// The same for each class of `node`.
template <typename Visit>
bool AnyClass(const GumboNode* node, Visit visit) {
  return AnyWord(ClassesOf(node), visit);
}
bool HasClass(const GumboNode* node, std::string_view name);

// Walks `root` and everything below it without recursion: `enter(node)` says whether to descend, and
// `leave(node)` follows for each element that was descended into.
template <typename Enter, typename Leave>
void WalkTree(const GumboNode* root, Enter enter, Leave leave) {
  std::vector<std::pair<const GumboNode*, size_t>> open;  // element, next child
  if (enter(root) && IsElement(root)) open.emplace_back(root, 0);
  while (!open.empty()) {
    auto& [node, next] = open.back();
    if (next == ChildCount(node)) {
      leave(node);
      open.pop_back();
      continue;
    }
    const GumboNode* child = Child(node, next++);
    if (enter(child) && IsElement(child)) open.emplace_back(child, 0);
  }
}

// Visits `root` and what is below it in document order; `visit(node)` says whether to descend, pass on or stop.
enum class Walk : uint8_t { kInto, kPast, kStop };
template <typename Visit>
void WalkUntil(const GumboNode* root, Visit visit) {
  const GumboNode* node = root;
  for (;;) {
    const Walk walk = visit(node);
    if (walk == Walk::kStop) return;
    if (walk == Walk::kInto && IsElement(node) && ChildCount(node) > 0) {
      node = Child(node, 0);
      continue;
    }
    while (node != root && node->index_within_parent + 1 >= ChildCount(node->parent)) node = node->parent;
    if (node == root) return;
    node = Child(node->parent, node->index_within_parent + 1);
  }
}

// All text below `node`, white space as it stands; stops after `limit` bytes or that many nodes.
std::string TextOf(const GumboNode* node, size_t limit, size_t most_nodes = size_t(-1));

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_TREE_H_
