// Property: rules of any bytes are read or refused (packer/rules/search_rules.h). A refusal names the file; what is read
// stays within its bounds, and its synonyms and pins become terms of the lexicon or are refused, too.
#include <string>

#include "lexical/lexicon.h"
#include "packer/parse/parse.h"
#include "packer/rules/search_rules.h"
#include "tests/fuzz/fuzz.h"

namespace sheaf::fuzz {

void CheckSearchRules(ByteSpan input) {
  const Result<packer::SearchRules> rules = packer::ParseSearchRules(std::string(AsText(input)), "rules.yaml");
  if (!rules.ok()) {
    SHEAF_REQUIRE(rules.error().message.starts_with("rules.yaml:"));
    SHEAF_REQUIRE(rules.error().message.find('\n') == std::string::npos);
    return;
  }
  SHEAF_REQUIRE(rules->synonyms.size() <= packer::kMaxSynonyms && rules->pins.size() <= packer::kMaxPinTexts);
  SHEAF_REQUIRE(rules->weights.size() <= packer::kMaxWeightRules);
  SHEAF_REQUIRE(rules->parts.size() <= packer::kMaxPartSelectors);
  const Result<packer::Document> page = packer::ParseHtml(AsText(input), "page.html", {}, rules->parts);
  if (page.ok()) {
    for (const uint32_t part : page->ignored_parts) SHEAF_REQUIRE(part < rules->parts.size());
  }
  for (const auto& weight : rules->weights) SHEAF_REQUIRE(weight.weight >= 0 && weight.weight <= 10);
  static const auto* const analyzer = new Analyzer;
  const Result<SynonymTerms> synonyms = SynonymTerms::Make(rules->synonyms, *analyzer);
  if (synonyms.ok()) {
    std::vector<Token> tokens;
    analyzer->Tokenize(AsText(input).substr(0, 4096), &tokens);
    synonyms->Find(tokens, *analyzer, [](const std::string& rule, std::string_view) {
      SHEAF_REQUIRE(rule.size() <= kMaxStem && rule.ends_with('*') && KindOfForm(rule) == MatchKind::kSynonym);
    });
  }
  for (const packer::SearchRules::Pin& pin : rules->pins) {
    SHEAF_REQUIRE(!pin.pages.empty() && pin.pages.size() <= kMaxPins);
    const Result<std::string> term = PinTerm(pin.words, 0, *analyzer);
    if (term.ok()) SHEAF_REQUIRE(term->size() <= kMaxStem && KindOfForm(*term) == MatchKind::kPinned);
  }
}

}  // namespace sheaf::fuzz

SHEAF_FUZZ_TARGET(CheckSearchRules)
