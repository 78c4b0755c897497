// One entry of an owner's weights: what it holds for, and how much words count there.
//
//     "blog/**": 0.3         pages of these paths
//     "kind:function": 2     passages that define a function
//     "version:<2": 0.5      pages of version 1.9.4, and not of 2.0
//     "date:<2024-06": 0.5   pages that state a date before June 2024
//
// Versions and dates compare as far as the rule writes them: 2.1.4 and 2.x are `version:2`, and May 2024 is `date:2024`.
// A version without a number, such as `next`, equals its own name alone. What a page does not state meets no rule.
//
// Invariant: a weight is 0 to kMaxWeight. Cost: linear in the values.
#ifndef SHEAF_PACKER_RULES_WEIGHT_RULE_H_
#define SHEAF_PACKER_RULES_WEIGHT_RULE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "packer/source/glob.h"
#include "search/query.h"

namespace sheaf::packer {

// What a rule looks at. Of several rules of one sort that hold, the last counts; those of different sorts multiply.
enum class WeightOf : uint8_t { kPath, kKind, kVersion, kDate };
inline constexpr size_t kWeightSorts = 4;

struct WeightRule {
  WeightOf of = WeightOf::kPath;
  std::string key;  // as it was written
  Glob glob;        // of kPath
  SymbolKind kind = SymbolKind::kModule;
  // Of versions and dates: which signs of a comparison hold, and with what.
  bool less = false, equal = false, greater = false;
  std::string value;                             // in lower case
  std::optional<std::vector<uint64_t>> numbers;  // of the value
  float weight = 1;
  int line = 0;
};

// Reads the key. Errors: kInvalidArgument, which says what is expected, and those of Glob::Parse.
Result<WeightRule> ParseWeightRule(std::string_view key);

// 1.9.4, v2, version-3.x, 2_1: its numbers. Nullopt: it begins with none.
std::optional<std::vector<uint64_t>> NumbersOfVersion(std::string_view version);

// What a page states, for weights.
struct WeighedPage {
  std::string_view path;
  std::vector<std::string_view> versions;  // its own, else the bundle's
  std::string_view date;                   // ISO 8601, or empty
};

// The factor of a page, of all rules but those of kinds. `met` gets the numbers of those that hold.
float WeightOfPage(const std::vector<WeightRule>& rules, const WeighedPage& page, std::set<uint32_t>* met);
// The factor of a passage that defines things of these kinds.
float WeightOfKinds(const std::vector<WeightRule>& rules, const std::vector<SymbolKind>& kinds,
                    std::set<uint32_t>* met);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_RULES_WEIGHT_RULE_H_
