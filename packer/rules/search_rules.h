// The rules that the owner of documentation gives its search, in YAML: sheaf.search.yaml.
//
//     synonyms:
//       - [k8s, kubernetes]                        each finds the others
//       - { from: undo, to: [revert, roll back] }  one way
//     pins:
//       install: guide/install.html                first for a query of just these words
//       getting started: [start.html, guide/]
//     weights:
//       "blog/**": 0.3                             words count so much there, 0 to 10 (weight_rule.h)
//     exclude: ["drafts/**"]                       as --exclude; { select: .changelog } leaves out parts of pages
//     start: [start.html, guide/]                  offered before anything is typed, before the pages chosen by links
//     crumbs: { api_v2: API 2 }                    other names of folders and chapters; "" leaves one out
//     box: { placeholder: Ask us, pages: 5 }       texts and limits of a site's box (box_rules.h)
//
// Idea: a file is read whole and checked whole, before any work. Rules act while packing, so every reader of the bundle
// has them: a page, the extension, agents, databases (search/owner_rules.h).
//
// Invariant: each rule is bounded, and an error names line and key, and says what is expected.
// Cost: a file has at most kMaxRulesBytes.
#ifndef SHEAF_PACKER_RULES_SEARCH_RULES_H_
#define SHEAF_PACKER_RULES_SEARCH_RULES_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "packer/document/part_selector.h"
#include "packer/rules/box_rules.h"
#include "packer/rules/weight_rule.h"
#include "packer/source/glob.h"
#include "packer/source/source.h"
#include "search/owner_rules.h"

namespace sheaf::packer {

inline constexpr size_t kMaxRulesBytes = 256 << 10;
inline constexpr size_t kMaxSynonyms = 2000;  // one way each
inline constexpr size_t kMaxPinTexts = 1000;
inline constexpr size_t kMaxWeightRules = 200;
inline constexpr size_t kMaxPartSelectors = 100;

struct SearchRules {
  struct Pin {
    std::string words;
    std::vector<std::string> pages;  // with anchors; kMaxPins at most
    int line = 0;
  };
  std::string file;  // for messages; empty: there are no rules
  std::string text;  // as it was read
  std::vector<SynonymInput> synonyms;
  std::vector<Pin> pins;
  std::vector<WeightRule> weights;
  std::vector<std::string> exclude;
  std::vector<PartSelector> parts;                 // of pages, that are left out
  std::vector<std::pair<std::string, int>> start;  // page, line
  std::map<std::string, std::string> crumbs;
  BoxRules box;
};

// The names above a page as the rules want them; `rules` may be null.
std::vector<std::string> RenameCrumbs(std::vector<std::string> place, const SearchRules* rules);

// `file` names it in messages. Errors: kInvalidArgument, kTooLarge.
Result<SearchRules> ParseSearchRules(std::string text, std::string file);

// The rules of `path`; of sheaf.search.yaml in the folder `beside`, if that is there, where no path is given; none for
// "none". Errors: kNotFound (a path that was given) and those above.
Result<SearchRules> LoadSearchRules(const std::string& path, const std::string& beside);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_RULES_SEARCH_RULES_H_
