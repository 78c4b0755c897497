// Texts and limits of the search box, as an owner writes them under `box`.
//
// The packer checks them and reports them (job/report.h); `sheaf site` writes them into the script that its pages load
// (web/node/site/box.ts). No bundle has them.
#ifndef SHEAF_PACKER_RULES_BOX_RULES_H_
#define SHEAF_PACKER_RULES_BOX_RULES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sheaf::packer {

struct BoxNumber {
  std::string_view name;
  uint32_t least, most;
};
inline constexpr BoxNumber kBoxNumbers[] = {{"pages", 1, 50}, {"sections", 1, 10}, {"recent", 0, 50}};

// The component's own names (web/browser/ui/words/texts.ts), but for `placeholder`, which is a key of its own, and for
// counted texts, which have forms.
inline constexpr std::string_view kBoxWords[] = {
    "search",      "clear",       "close",         "results",    "countFor", "count",   "opening", "searching",
    "empty",       "noResults",   "noResultsHint", "corrected",  "weak",     "offline", "failed",  "badAnswer",
    "damaged",     "tooNew",      "noAnswer",      "noWasm",     "noRoom",   "retry",   "reload",  "byWords",
    "more",        "allResults",  "recent",        "onThisPage", "topPages", "alsoIn",  "preview", "removeRecent",
    "clearRecent", "keyNavigate", "keyOpen",       "keyNewTab",  "keyClose", "filters"};

struct BoxRules {
  std::string placeholder;
  std::vector<std::pair<std::string, uint32_t>> numbers;   // of kBoxNumbers
  std::vector<std::pair<std::string, std::string>> words;  // of kBoxWords
  bool empty() const { return placeholder.empty() && numbers.empty() && words.empty(); }
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_RULES_BOX_RULES_H_
