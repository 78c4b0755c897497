#include "packer/parse/html/html_parts.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

static_assert(kMaxSelectorSteps <= 8, "the bits of a step");

// In lower case.
std::string NameOfElement(const GumboNode* element) {
  const GumboElement& tag = element->v.element;
  if (tag.tag != GUMBO_TAG_UNKNOWN) return gumbo_normalized_tagname(tag.tag);
  GumboStringPiece name = tag.original_tag;
  gumbo_tag_from_original_text(&name);
  return name.data == nullptr ? std::string() : Lower({name.data, name.length});
}

bool Meets(const GumboNode* element, const std::string& name, const PartSelector::Test& test) {
  if (test.attribute.empty()) return name == test.value;
  const GumboAttribute* attribute = FindAttribute(element, test.attribute);
  if (attribute == nullptr) return false;
  const std::string_view given = std::string_view(attribute->value).substr(0, kMaxClassBytes);
  const std::string_view wanted = test.value;
  switch (test.how) {
    case '?': return true;
    case '=': return given == wanted;
    case '|': return given.starts_with(wanted) && (given.size() == wanted.size() || given[wanted.size()] == '-');
    default: break;
  }
  if (wanted.empty()) return false;  // as in CSS
  switch (test.how) {
    case '~': return AnyWord(given, [&](std::string_view word) { return word == wanted; });
    case '^': return given.starts_with(wanted);
    case '$': return given.ends_with(wanted);
    default: return given.find(wanted) != given.npos;
  }
}

class PartMarker {
 public:
  PartMarker(HtmlTree* tree, const std::vector<PartSelector>& selectors) : tree_(tree), selectors_(selectors) {
    open_.resize(selectors.size());
  }

  std::set<uint32_t> Run() {
    WalkTree(
        tree_->root(), [this](const GumboNode* node) { return Enter(node); },
        [this](const GumboNode*) { open_.resize(open_.size() - selectors_.size()); });
    return std::move(met_);
  }

 private:
  // For each selector, a bit for each step: the element meets the steps up to it; it or one around it does.
  struct Met {
    uint8_t here = 0, around = 0;
  };

  bool Enter(const GumboNode* node) {
    if (!IsElement(node)) return false;
    const std::string name = NameOfElement(node);
    const size_t outside = open_.size() - selectors_.size();
    open_.resize(open_.size() + selectors_.size());
    bool is_part = false;
    for (size_t s = 0; s < selectors_.size(); ++s) {
      const std::vector<PartSelector::Step>& steps = selectors_[s].steps;
      const Met before = open_[outside + s];
      Met& met = open_[outside + selectors_.size() + s];
      for (size_t i = 0; i < steps.size(); ++i) {
        const uint8_t from = steps[i].is_child ? before.here : before.around;
        if (i > 0 && (from >> (i - 1) & 1) == 0) continue;
        const auto& tests = steps[i].tests;
        if (std::all_of(tests.begin(), tests.end(), [&](const auto& test) { return Meets(node, name, test); }))
          met.here |= uint8_t(1u << i);
      }
      met.around = before.around | met.here;
      if ((met.here >> (steps.size() - 1) & 1) == 0) continue;
      met_.insert(uint32_t(s));
      is_part = true;
    }
    if (is_part) {
      tree_->Ignore(node);
      open_.resize(open_.size() - selectors_.size());
    }
    return !is_part;
  }

  HtmlTree* tree_;
  const std::vector<PartSelector>& selectors_;
  std::vector<Met> open_;  // of the open elements, for each selector; before them, of none
  std::set<uint32_t> met_;
};

}  // namespace

std::set<uint32_t> IgnoreParts(HtmlTree* tree, const std::vector<PartSelector>& selectors) {
  return selectors.empty() ? std::set<uint32_t>() : PartMarker(tree, selectors).Run();
}

}  // namespace sheaf::packer
