#include "search/completions.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/gather.h"
#include "base/sort.h"
#include "search/word_forms.h"

namespace sheaf {
namespace {

// More are not scanned.
constexpr size_t kMaxScanned = 4096;

// Stems of completions begin with the prefix too, or are a beginning of it that differs in the last byte at most
// (lexicon.h): "quer" finds query under its stem queri.
Status ScanCompletions(const SearchContext& search, const std::string& prefix, uint32_t first_leaf,
                       std::vector<TermEntry>* found) {
  BundleView* bundle = &search.bundle;
  const std::string own_stem = search.analyzer.Stem(prefix);
  const auto fits = [&](std::string_view stem, std::string_view term) {
    return stem != own_stem && term.size() > prefix.size() && term.starts_with(prefix) && !term.ends_with('*');
  };
  const auto visit = [&](const TermLeaf& leaf, std::string_view stem, const TermLeaf::Form& form) {
    if (fits(stem, leaf.Term(form))) found->push_back(leaf.Entry(form));
    return found->size() < kMaxScanned;
  };
  // All leaves are known in advance, so request all of them before giving up.
  Gather gather;
  SHEAF_RETURN_IF_ERROR(gather.Note(bundle->lexicon().Scan(bundle, prefix, visit)));
  for (size_t length = std::max<size_t>(2, prefix.size() > 4 ? prefix.size() - 3 : 2); length < prefix.size();
       ++length) {
    for (const char* end : {"", "e", "i"}) {
      const std::string stem = prefix.substr(0, length) + end;
      // These few terms do not justify reading another leaf.
      if (stem.starts_with(prefix) || bundle->lexicon().LeavesOf(stem).first < first_leaf) continue;
      std::vector<TermEntry> group;
      SHEAF_RETURN_IF_ERROR(gather.Note(bundle->FindGroup(stem, &group)));
      for (const TermEntry& entry : group) {
        if (fits(stem, entry.term)) found->push_back(entry);
      }
    }
  }
  return gather.status();
}

Status CommonestCompletions(const SearchContext& search, const std::string& prefix, std::vector<TermEntry>* found) {
  std::vector<std::pair<uint8_t, std::string>> common;
  SHEAF_RETURN_IF_ERROR(
      search.bundle.VisitSpellings(prefix.size() + 1, prefix.size() + 8, prefix,
                                   [&](const Spellings::Word& word) { common.emplace_back(word.weight, word.text); }));
  Sort(&common,
       [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  if (common.size() > search.ranking.spelled_completions) common.resize(search.ranking.spelled_completions);
  Gather gather;
  for (const auto& [weight, text] : common) SHEAF_RETURN_IF_ERROR(gather.Note(FindTerm(search, text, found)));
  return gather.status();
}

// More than half of the postings of a whole stand where its part does, and are no more frequent.
bool HasPart(const std::vector<Posting>& whole, const QueryWord& part) {
  size_t with = 0;
  for (const WordForm& form : part.forms) {
    if (form.kind != part.kind) continue;
    for (const Posting& posting : whole) {
      const Posting* found = form.PostingIn(posting.passage);
      with += found && found->level >= posting.level;
    }
  }
  // The docs may also write the name in lower case, where it has no parts.
  return with * 2 > whole.size();
}

}  // namespace

Status FindCompletions(const SearchContext& search, bool has_forms, QueryWord* word) {
  const Ranking& ranking = search.ranking;
  const std::string& prefix = word->text;
  // A whole that is a name is finished.
  const bool is_term =
      std::any_of(word->forms.begin(), word->forms.end(), [&](const WordForm& f) { return f.kind == word->kind; });
  if (word->complete || (!word->counts && is_term)) return {};
  const auto [first, last] = search.bundle.lexicon().LeavesOf(prefix);
  std::vector<TermEntry> found;
  if (last - first < ranking.completion_leaves) {
    SHEAF_RETURN_IF_ERROR(ScanCompletions(search, prefix, first, &found));
  } else if (has_forms && !word->known() && word->counts) {
    SHEAF_RETURN_IF_ERROR(CommonestCompletions(search, prefix, &found));
  }
  Sort(&found, [](const TermEntry& a, const TermEntry& b) {
    return a.postings != b.postings ? a.postings > b.postings : a.term < b.term;
  });
  const auto same = [](const TermEntry& a, const TermEntry& b) { return a.term == b.term; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  if (found.size() > ranking.max_completions) found.resize(ranking.max_completions);
  // A beginning that is known by its key alone is no word yet.
  const bool beside =
      word->counts && !word->forms.empty() && (word->keys.empty() || word->forms[0].kind != MatchKind::kStem);
  const float weight = beside ? ranking.prefix_weight : ranking.prefix_alone_weight;
  for (TermEntry& entry : found) {
    // The less is left to type, the likelier it was meant.
    const float closeness = float(prefix.size()) / float(entry.term.size());
    word->forms.push_back({std::move(entry), MatchKind::kPrefix, weight * closeness, {}});
  }
  return {};
}

// The first part of a name stands wherever the name does, and as often.
void DropOtherCompletions(std::vector<QueryWord>* words) {
  for (QueryWord& word : *words) {
    if (word.counts || word.complete) continue;
    const QueryWord* first = nullptr;
    for (const QueryWord& part : *words) {
      if (!first && part.kind == MatchKind::kPart && word.text.starts_with(part.text)) first = &part;
    }
    bool completed = false;
    for (WordForm& form : word.forms) {
      if (form.kind != MatchKind::kPrefix) continue;
      if (first && !HasPart(form.postings, *first)) form.postings.clear();
      completed |= !form.postings.empty();
    }
    for (WordForm& form : word.forms) {
      if (completed && !form.entry.term.starts_with(word.text)) form.postings.clear();
    }
  }
}

}  // namespace sheaf
