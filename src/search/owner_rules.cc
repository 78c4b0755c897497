#include "search/owner_rules.h"

#include <algorithm>

namespace sheaf {
namespace {

// A word of the query beside this one has that handle.
bool HasNeighbour(const Analyzer& analyzer, const std::vector<Token>& tokens, std::string_view word,
                  std::string_view handle) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool beside = (i > 0 && tokens[i - 1].term == word) || (i + 1 < tokens.size() && tokens[i + 1].term == word);
    if (beside && HandleOf(analyzer, tokens[i].term, tokens[i].keys) == handle) return true;
  }
  return false;
}

}  // namespace

MatchKind KindOfForm(std::string_view term) {
  const size_t at = term.find_first_of(kRuleMarks);
  if (at == term.npos) return MatchKind::kStem;
  return term[at] == kPinMark ? MatchKind::kPinned : MatchKind::kSynonym;
}

std::string HandleOf(const Analyzer& analyzer, std::string_view term, std::string_view keys) {
  while (!keys.empty()) {
    const std::string_view key = NextKey(&keys);
    if (!IsRoot(key)) return std::string(key);
  }
  return analyzer.Stem(term);
}

std::string PinKey(const std::vector<PinWord>& words) {
  bool has_content = false;
  for (const PinWord& word : words) has_content = has_content || !word.is_function_word;
  std::string key, last;
  for (;;) {
    const std::string* next = nullptr;  // the first one behind `last`
    for (const PinWord& word : words) {
      if ((has_content && word.is_function_word) || word.handle <= last) continue;
      if (!next || word.handle < *next) next = &word.handle;
    }
    if (!next) return key;
    last = *next;
    if (!key.empty()) key += kWordMark;
    key += last;
  }
}

void KeepRules(const Analyzer& analyzer, QueryWords* words) {
  std::string pin;
  for (QueryWord& word : words->words) {
    std::erase_if(word.forms, [&](const WordForm& form) {
      const std::string_view term = form.entry.term;
      const size_t at = term.find_first_of(kRuleMarks);
      if (at == term.npos) return false;
      const std::string_view rule = term.substr(at + 1, term.size() - at - 2);
      if (form.kind == MatchKind::kPinned) {
        if (pin.empty()) {
          std::vector<PinWord> content;
          for (const QueryWord& w : words->words) {
            if (w.counts) content.push_back({HandleOf(analyzer, w.text, w.keys), w.is_function_word});
          }
          pin = PinKey(content);
        }
        return rule.empty() || pin != std::string(term.substr(0, at)).append(rule.substr(1));
      }
      const size_t neighbour = rule.find(kSynonymMark);
      return neighbour != rule.npos && !HasNeighbour(analyzer, words->tokens, word.text, rule.substr(neighbour + 1));
    });
  }
}

void NameRules(QueryWords* words) {
  for (QueryWord& word : words->words) {
    for (WordForm& form : word.forms) {
      std::string& term = form.entry.term;
      const size_t at = term.find_first_of(kRuleMarks);
      if (at == term.npos) continue;
      if (form.kind == MatchKind::kPinned) {
        for (const Posting& posting : form.postings) words->pinned.push_back(posting.passage);
        term.resize(at);
      } else {
        term.erase(0, at + 1);
        term.resize(std::min(term.find(kSynonymMark), term.size() - 1));
        for (char& c : term) c = c == kWordMark ? ' ' : c;
      }
    }
  }
}

}  // namespace sheaf
