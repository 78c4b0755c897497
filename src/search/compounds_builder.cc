#include "search/compounds_builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lexical/bm25.h"
#include "search/owner_rules.h"
#include "text/utf8.h"

namespace sheaf {
namespace {

constexpr size_t kShortestPart = 4;   // letters
constexpr size_t kLeastPassages = 2;  // that have a part
constexpr size_t kShortestAfterPrefix = 3;

bool IsPlain(std::string_view term) {
  return std::all_of(term.begin(), term.end(), [](char c) { return uint8_t(c) >= 0x80 || (c >= 'a' && c <= 'z'); });
}

}  // namespace

bool JoinsWords(Language language) {
  constexpr std::string_view kTags[] = {"da", "de", "fi", "hu", "nl", "no", "sv"};
  return std::any_of(std::begin(kTags), std::end(kTags),
                     [&](std::string_view tag) { return LanguageOfCode(tag) == language; });
}

// U+05D0 to U+05EA
bool IsHebrew(std::string_view term) {
  return term.size() > 1 && term[0] == '\xD7' && term[1] >= '\x90' && term[1] <= '\xAA';
}

void Compounds::Add(std::string_view term, const std::vector<Posting>& postings) {
  if (IsHebrew(term) || (term.ends_with('*') && IsPlain(term.substr(0, term.size() - 1)))) {
    keys_.emplace(term, uint32_t(entries_.size()));
  }
  entries_.push_back({std::string(term), postings, {}});
}

uint32_t Compounds::PartOf(std::string_view word) const {
  std::vector<Token> tokens;
  analyzer_.Tokenize(word, &tokens);
  if (tokens.size() != 1 || tokens[0].is_function_word) return UINT32_MAX;
  std::string_view keys = tokens[0].keys;
  std::string_view key = NextKey(&keys);
  if (IsRoot(key)) key = NextKey(&keys);
  const auto found = keys_.find(std::string(key));
  const bool known = found != keys_.end() && entries_[found->second].postings.size() >= kLeastPassages;
  return known ? found->second : UINT32_MAX;
}

// Of all cuts into two parts the one whose parts are the most frequent together.
void Compounds::Cut(uint32_t compound, std::string_view word, int depth) {
  double best = 0;
  size_t best_at = 0;
  uint32_t parts[2] = {};
  for (size_t at = kShortestPart; at + kShortestPart <= word.size(); ++at) {
    if (IsUtf8Continuation(word[at])) continue;
    const uint32_t left = PartOf(word.substr(0, at));
    if (left == UINT32_MAX) continue;
    const uint32_t right = PartOf(word.substr(at));
    if (right == UINT32_MAX) continue;
    const double score = std::sqrt(double(entries_[left].postings.size()) * double(entries_[right].postings.size()));
    if (score <= best) continue;
    best = score;
    best_at = at;
    parts[0] = left;
    parts[1] = right;
  }
  if (best_at == 0) return;
  for (const uint32_t part : parts) {
    std::vector<uint32_t>& compounds = entries_[part].compounds;
    if (compounds.empty() || compounds.back() != compound) compounds.push_back(compound);  // they come in order
  }
  if (depth == 0) return;
  Cut(compound, word.substr(0, best_at), depth - 1);
  Cut(compound, word.substr(best_at), depth - 1);
}

void Compounds::TakeOffPrefix(uint32_t word) {
  constexpr std::string_view kPrefixes[] = {"ה", "ו", "ב", "כ", "ל", "מ", "ש"};
  constexpr size_t kLetter = 2;  // bytes
  const std::string_view term = entries_[word].term;
  if (term.size() < kLetter * (1 + kShortestAfterPrefix)) return;
  if (std::find(std::begin(kPrefixes), std::end(kPrefixes), term.substr(0, kLetter)) == std::end(kPrefixes)) return;
  const auto rest = keys_.find(std::string(term.substr(kLetter)));
  if (rest != keys_.end()) entries_[rest->second].compounds.push_back(word);
}

void Compounds::Finish(const Take& take) {
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    const std::string term = entries_[i].term;
    if (IsHebrew(term)) {
      TakeOffPrefix(i);
    } else if (IsPlain(term) && term.size() >= 2 * kShortestPart)
      Cut(i, term, 1);
  }
  // By passage; a compound is no name of its parts.
  std::unordered_map<uint32_t, std::pair<float, NameRole>> sums;
  for (const Entry& entry : entries_) {
    if (entry.compounds.empty()) {
      take(StemOfTerm(analyzer_, entry.term), entry.term, entry.postings);
      continue;
    }
    sums.clear();
    for (const Posting& posting : entry.postings) sums[posting.passage] = {FrequencyOf(posting.level), posting.role};
    for (const uint32_t compound : entry.compounds) {
      for (const Posting& posting : entries_[compound].postings) {
        sums[posting.passage].first += FrequencyOf(posting.level);
      }
    }
    std::vector<Posting> postings;
    for (const auto& [passage, sum] : sums) {
      Posting& posting = postings.emplace_back();
      posting.passage = passage;
      posting.level = LevelOf(sum.first);
      posting.role = sum.second;
    }
    std::sort(postings.begin(), postings.end(),
              [](const Posting& a, const Posting& b) { return a.passage < b.passage; });
    take(entry.term, entry.term, postings);
  }
}

}  // namespace sheaf
