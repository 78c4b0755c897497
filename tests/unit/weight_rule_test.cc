// What an owner's weights hold for (packer/rules/weight_rule.h).
#include "packer/rules/weight_rule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/support.h"

namespace sheaf::packer {
namespace weight_rule_test {

WeightRule Rule(std::string_view key, float weight = 0.5f) {
  Result<WeightRule> rule = ParseWeightRule(key);
  EXPECT_TRUE(rule.ok()) << rule.error().message;
  if (!rule.ok()) return {};
  rule->weight = weight;
  return std::move(*rule);
}

std::string ErrorOf(std::string_view key) {
  const Result<WeightRule> rule = ParseWeightRule(key);
  return rule.ok() ? "none" : rule.error().message;
}

bool Holds(std::string_view key, const WeighedPage& page) {
  std::set<uint32_t> met;
  return WeightOfPage({Rule(key)}, page, &met) == 0.5f && met.size() == 1;
}
bool HoldsForVersion(std::string_view key, std::string_view version) { return Holds(key, {"a.html", {version}, ""}); }
bool HoldsForDate(std::string_view key, std::string_view date) { return Holds(key, {"a.html", {}, date}); }

TEST(WeightRule, VersionsCompareByNumbersAsFarAsTheRuleGoes) {
  const std::pair<const char*, std::vector<const char*>> holds[] = {
      {"version:2", {"2", "2.0", "v2.1.4", "2.x", "version-2.3", "release-2", "2.0-rc1", "2_1"}},
      {"version:2.x", {"2.1"}},
      {"version:<2", {"1", "1.9.4", "v1.10", "0.115.0"}},
      {"version:<=2", {"1", "2.7", "2"}},
      {"version:>2", {"3.0", "10"}},
      {"version:>=1.4", {"1.4.2", "1.10", "2"}},
      {"version: < v2", {"1.9"}},
      {"version:=2", {"2.5"}},
      {"version:next", {"next", "Next"}},
  };
  for (const auto& [key, versions] : holds) {
    for (const char* version : versions) EXPECT_TRUE(HoldsForVersion(key, version)) << key << " of " << version;
  }
  const std::pair<const char*, std::vector<const char*>> fails[] = {
      {"version:2", {"1.9", "3", "20", "", "latest", "x2"}},
      {"version:<2", {"2.0", "2", "next", "latest", ""}},
      {"version:<2.1", {"2.1", "2.10"}},
      {"version:>2", {"2.9", "2"}},
      {"version:>=1.4", {"1.3.9", "1"}},
      {"version:next", {"latest", "2", ""}},
  };
  for (const auto& [key, versions] : fails) {
    for (const char* version : versions) EXPECT_FALSE(HoldsForVersion(key, version)) << key << " of " << version;
  }
  EXPECT_FALSE(HoldsForVersion("version:<2", "99999999999999999999999999999999")) << "numbers do not wrap";
}

TEST(WeightRule, DatesCompareAsFarAsTheRuleGoes) {
  EXPECT_TRUE(HoldsForDate("date:<2024", "2023-12-31"));
  EXPECT_TRUE(HoldsForDate("date:2024", "2024-05-01T10:00:00Z"));
  EXPECT_TRUE(HoldsForDate("date:<=2024-06", "2024-06-30"));
  EXPECT_TRUE(HoldsForDate("date:>=2024-06-02", "2024-06-02"));
  EXPECT_TRUE(HoldsForDate("date:>2024-06-01", "2024-06-02"));
  EXPECT_TRUE(HoldsForDate("date:<2024-06", "2023"));
  EXPECT_FALSE(HoldsForDate("date:<2024", "2024-01-01"));
  EXPECT_FALSE(HoldsForDate("date:<2024-06", "2024")) << "a year alone is in no month";
  for (const char* no_date : {"", "12/05/2023", "June 2023", "20230501", "2023-5-1", "2023-13-01", "1.2023", "2023x"})
    EXPECT_FALSE(HoldsForDate("date:<2024", no_date)) << no_date;
}

TEST(WeightRule, OfOneSortTheLastCountsAndSortsMultiply) {
  const std::vector<WeightRule> rules = {Rule("**/*.html", 0.5f), Rule("date:<2024", 0.2f), Rule("blog/**", 4.0f),
                                         Rule("date:<2020", 0.1f), Rule("kind:function", 3.0f)};
  std::set<uint32_t> met;
  EXPECT_FLOAT_EQ(WeightOfPage(rules, {"blog/a.html", {}, "2023-01-01"}, &met), 4.0f * 0.2f);
  EXPECT_EQ(met, (std::set<uint32_t>{0, 1, 2}));
  EXPECT_FLOAT_EQ(WeightOfPage(rules, {"a.html", {}, ""}, &met), 0.5f);
  EXPECT_FLOAT_EQ(WeightOfKinds(rules, {SymbolKind::kMethod, SymbolKind::kFunction}, &met), 3.0f);
  EXPECT_FLOAT_EQ(WeightOfKinds(rules, {SymbolKind::kMethod}, &met), 1.0f);
  EXPECT_FLOAT_EQ(WeightOfKinds(rules, {}, &met), 1.0f);
  EXPECT_EQ(met, (std::set<uint32_t>{0, 1, 2, 4}));
}

TEST(WeightRule, NamesWhatIsExpected) {
  EXPECT_EQ(ErrorOf("kind:code"),
            "names no kind; expected module, class, function, method, property, setting, command, option, variable, "
            "error, operator, type, macro or endpoint");
  const std::string version =
      "states no version; expected a number such as version:<2 or version:>=1.4, or a name such as version:next";
  for (const char* key : {"version:", "version:<", "version:<next", "version:>=2.0-rc1", "version:< =2"})
    EXPECT_EQ(ErrorOf(key), version) << key;
  const std::string date =
      "states no date; expected a year, a month or a day, such as date:<2024, date:>=2024-06 or date:2024-06-30";
  for (const char* key : {"date:", "date:<", "date:24", "date:2024-13", "date:2024-06-32", "date:2024-6", "date:2024-",
                          "date:2024-06-30T10", "date:<<2024", "date:tomorrow", "date:2024.06"})
    EXPECT_EQ(ErrorOf(key), date) << key;
  EXPECT_NE(ErrorOf("a[b"), "none");
  EXPECT_EQ(Rule("kinds/**").of, WeightOf::kPath);
}

}  // namespace weight_rule_test
}  // namespace sheaf::packer
