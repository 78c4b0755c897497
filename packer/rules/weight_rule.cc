#include "packer/rules/weight_rule.h"

#include <algorithm>
#include <array>
#include <compare>
#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

// Digits with dots, underscores or hyphens between them, and `.x` at the end; all of the text, or what it begins with.
std::optional<std::vector<uint64_t>> NumbersIn(std::string_view text, bool whole) {
  std::vector<uint64_t> numbers;
  size_t at = 0;
  while (at < text.size() && IsDigit(text[at])) {
    uint64_t number = 0;
    for (; at < text.size() && IsDigit(text[at]); ++at)
      number = std::min(number, uint64_t(1) << 50) * 10 + uint64_t(text[at] - '0');
    numbers.push_back(number);
    const bool goes_on = at + 1 < text.size() && (text[at] == '.' || text[at] == '_' || text[at] == '-');
    if (goes_on && LowerAscii(text[at + 1]) == 'x') at += 2;
    if (goes_on && at + 1 < text.size() && IsDigit(text[at + 1])) ++at;
  }
  if (numbers.empty() || (whole && at != text.size())) return std::nullopt;
  return numbers;
}

std::string_view WithoutPrefix(std::string_view version) {
  for (const std::string_view prefix : {"version-", "release-", "v"}) {
    if (StartsWithFolded(version, prefix)) return version.substr(prefix.size());
  }
  return version;
}

// 2024, 2024-06 or 2024-06-30, and what follows a day; empty: it is no date.
std::vector<uint64_t> ReadDate(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  size_t size = 0;
  while (size < std::min(text.size(), kForm.size()) && (kForm[size] == '-' ? text[size] == '-' : IsDigit(text[size])))
    ++size;
  if (size != 4 && size != 7 && size != 10) return {};
  if (size < kForm.size() && size < text.size()) return {};
  std::vector<uint64_t> numbers = NumbersIn(text.substr(0, size), true).value_or(std::vector<uint64_t>());
  const bool is_date = (numbers.size() < 2 || (numbers[1] >= 1 && numbers[1] <= 12)) &&
                       (numbers.size() < 3 || (numbers[2] >= 1 && numbers[2] <= 31));
  return is_date ? numbers : std::vector<uint64_t>();
}

// As far as `wanted` goes; what `given` lacks is 0.
std::strong_ordering Compare(const std::vector<uint64_t>& given, const std::vector<uint64_t>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto order = (i < given.size() ? given[i] : 0) <=> wanted[i];
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

bool Holds(const WeightRule& rule, std::strong_ordering order) {
  return order < 0 ? rule.less : order > 0 ? rule.greater : rule.equal;
}

bool HoldsVersion(const WeightRule& rule, std::string_view version) {
  if (!rule.numbers) return Lower(version) == rule.value;
  const auto numbers = NumbersOfVersion(version);
  return numbers && Holds(rule, Compare(*numbers, *rule.numbers));
}

bool HoldsForPage(const WeightRule& rule, const WeighedPage& page) {
  switch (rule.of) {
    case WeightOf::kPath: return rule.glob.Matches(page.path);
    case WeightOf::kKind: return false;
    case WeightOf::kVersion:
      return std::any_of(page.versions.begin(), page.versions.end(),
                         [&](std::string_view version) { return HoldsVersion(rule, version); });
    case WeightOf::kDate: {
      const std::vector<uint64_t> given = ReadDate(page.date);
      const std::vector<uint64_t>& wanted = *rule.numbers;
      const auto [here, there] = std::mismatch(given.begin(), given.end(), wanted.begin(), wanted.end());
      if (there == wanted.end()) return rule.equal;
      return here != given.end() && Holds(rule, *here <=> *there);  // a year alone is in no month
    }
  }
  return false;
}

template <typename HoldsFor>
float Product(const std::vector<WeightRule>& rules, std::set<uint32_t>* met, HoldsFor holds) {
  std::array<float, kWeightSorts> weights;
  weights.fill(1);
  for (size_t i = 0; i < rules.size(); ++i) {
    if (!holds(rules[i])) continue;
    weights[size_t(rules[i].of)] = rules[i].weight;
    met->insert(uint32_t(i));
  }
  float product = 1;
  for (const float weight : weights) product *= weight;
  return product;
}

std::string KindNames() {
  std::string names;
  for (uint8_t kind = 0; kind < kSymbolKinds; ++kind) {
    if (kind > 0) names += kind + 1 < kSymbolKinds ? ", " : " or ";
    names += SymbolKindName(SymbolKind(kind));
  }
  return names;
}

Error Bad(std::string what) { return Error{ErrorCode::kInvalidArgument, std::move(what)}; }

}  // namespace

std::optional<std::vector<uint64_t>> NumbersOfVersion(std::string_view version) {
  return NumbersIn(WithoutPrefix(version), false);
}

Result<WeightRule> ParseWeightRule(std::string_view key) {
  WeightRule rule;
  rule.key = key;
  std::string_view rest;
  for (const auto& [prefix, of] :
       {std::pair{"kind:", WeightOf::kKind}, {"version:", WeightOf::kVersion}, {"date:", WeightOf::kDate}}) {
    if (!key.starts_with(prefix)) continue;
    rule.of = of;
    rest = Trim(key.substr(std::string_view(prefix).size()));
  }
  if (rule.of == WeightOf::kPath) {
    SHEAF_ASSIGN_OR_RETURN(rule.glob, Glob::Parse(key));
    return rule;
  }
  if (rule.of == WeightOf::kKind) {
    for (uint8_t kind = 0; kind < kSymbolKinds; ++kind) {
      if (rest != SymbolKindName(SymbolKind(kind))) continue;
      rule.kind = SymbolKind(kind);
      return rule;
    }
    return Bad("names no kind; expected " + KindNames());
  }
  const auto take = [&](char sign) {
    if (!rest.starts_with(sign)) return false;
    rest.remove_prefix(1);
    return true;
  };
  rule.less = take('<');
  rule.greater = !rule.less && take('>');
  rule.equal = take('=') || !(rule.less || rule.greater);
  rest = Trim(rest);
  rule.value = Lower(rest);
  if (rule.of == WeightOf::kDate) {
    rule.numbers = ReadDate(rest);
    if (!rule.numbers->empty() && rest.size() <= 10) return rule;
    return Bad(
        "states no date; expected a year, a month or a day, such as date:<2024, date:>=2024-06 or date:2024-06-30");
  }
  rule.numbers = NumbersIn(WithoutPrefix(rest), true);
  if (rest.empty() || (!rule.numbers && (rule.less || rule.greater))) {
    return Bad(
        "states no version; expected a number such as version:<2 or version:>=1.4, or a name such as version:next");
  }
  return rule;
}

float WeightOfPage(const std::vector<WeightRule>& rules, const WeighedPage& page, std::set<uint32_t>* met) {
  return Product(rules, met, [&](const WeightRule& rule) { return HoldsForPage(rule, page); });
}

float WeightOfKinds(const std::vector<WeightRule>& rules, const std::vector<SymbolKind>& kinds,
                    std::set<uint32_t>* met) {
  return Product(rules, met, [&](const WeightRule& rule) {
    return rule.of == WeightOf::kKind && std::find(kinds.begin(), kinds.end(), rule.kind) != kinds.end();
  });
}

}  // namespace sheaf::packer
