// Selectors that name parts of pages, in the grammar of CSS: `.changelog, main > #legacy, div[data-kind="log"] p`.
//
// Of CSS: names, `*`, `.class`, `#id`, `[attribute]` with =, ~=, |=, ^=, $= and *=, white space and `>` between elements, and
// commas. Not: other combinators and pseudo-classes, which ask for more than an element and those around it.
//
// Idea: a selector is data here; parse/html/html_parts.h looks for it in a page. So rules may be read where no page is.
//
// Invariant: at most kMaxSelectorSteps elements, and kMaxSelectorTests tests of each. Cost: linear.
#ifndef SHEAF_PACKER_DOCUMENT_PART_SELECTOR_H_
#define SHEAF_PACKER_DOCUMENT_PART_SELECTOR_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sheaf::packer {

inline constexpr size_t kMaxSelectorSteps = 8, kMaxSelectorTests = 8;

struct PartSelector {
  struct Test {
    std::string attribute;  // in lower case; empty: the element's name
    char how = '=';         // the sign before `=`, or '=', or '?': the attribute is there
    std::string value;
  };
  struct Step {
    std::vector<Test> tests;  // none: any element
    bool is_child = false;    // of an element of the step before
  };
  std::string text;         // as it was written
  std::vector<Step> steps;  // from the outermost; the last is the part
  int line = 0;             // of the file that states it, for messages
};

// Those of a list with commas. Error: kInvalidArgument, which says what is expected.
Result<std::vector<PartSelector>> ParsePartSelectors(std::string_view text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_PART_SELECTOR_H_
