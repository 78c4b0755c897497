#include "search/word_forms.h"

#include <string_view>
#include <utility>

#include "base/gather.h"
#include "search/owner_rules.h"
#include "text/analyzer.h"

namespace sheaf {

Status FindForms(const SearchContext& search, QueryWord* word) {
  const float stem_weight = search.ranking.stem_weight;
  const bool joined = word->kind == MatchKind::kJoined;
  std::vector<TermEntry> group;
  Gather gather;
  SHEAF_RETURN_IF_ERROR(gather.Note(search.bundle.FindGroup(search.analyzer.Stem(word->text), &group)));
  for (TermEntry& entry : group) {
    const bool exact = entry.term == word->text;
    if (!exact && (joined || stem_weight <= 0)) continue;
    const MatchKind kind = exact ? word->kind : KindOfForm(entry.term);
    word->forms.push_back({std::move(entry), kind, exact ? 1 : stem_weight, {}});
  }
  if (joined) return gather.status();
  group.clear();
  for (std::string_view keys = word->keys; !keys.empty();) {
    SHEAF_RETURN_IF_ERROR(gather.Note(search.bundle.FindGroup(NextKey(&keys), &group)));
  }
  for (TermEntry& entry : group) {
    const bool root = IsRoot(entry.term);
    word->roots += root;
    const MatchKind kind = KindOfForm(entry.term);
    word->forms.push_back({std::move(entry), kind, root ? search.ranking.root_weight : stem_weight, {}});
  }
  return gather.status();
}

std::vector<std::string> KinOf(const Analyzer& analyzer, const QueryWord& word) {
  if (!analyzer.IsEnglish() || word.kind != MatchKind::kExact || !word.counts) return {};
  std::string stem = analyzer.Stem(word.text);
  if (stem.size() < 5 || !stem.ends_with("er")) return {};
  stem.resize(stem.size() - 2);
  return {stem, stem + 'e'};
}

Status FindKin(const SearchContext& search, const QueryWord& word, std::vector<TermEntry>* kin) {
  Gather gather;
  for (const std::string& stem : KinOf(search.analyzer, word)) {
    SHEAF_RETURN_IF_ERROR(gather.Note(search.bundle.FindGroup(stem, kin)));
  }
  return gather.status();
}

Status FindTerm(const SearchContext& search, const std::string& term, std::vector<TermEntry>* out) {
  std::vector<TermEntry> group;
  SHEAF_RETURN_IF_ERROR(search.bundle.lexicon().FindGroup(&search.bundle, search.analyzer.Stem(term), &group));
  for (TermEntry& entry : group) {
    if (entry.term == term) out->push_back(std::move(entry));
  }
  return {};
}

}  // namespace sheaf
