#include <algorithm>
#include <utility>

#include "lexical/lexicon.h"
#include "search/owner_rules.h"

namespace sheaf {
namespace {

Error BadRule(std::string_view words, const std::string& what) {
  std::string message = "'";
  message.append(words).append("' ").append(what);
  return Error{ErrorCode::kInvalidArgument, std::move(message)};
}

// The words of a text, without the whole names above them.
std::vector<Token> RuleWords(std::string_view text, const Analyzer& analyzer) {
  std::vector<Token> tokens;
  analyzer.Tokenize(text, &tokens);
  std::erase_if(tokens, [](const Token& token) { return token.kind == TokenKind::kWhole; });
  return tokens;
}

Result<std::vector<std::string>> HandlesOf(std::string_view text, size_t most, const Analyzer& analyzer) {
  std::vector<std::string> handles;
  for (const Token& token : RuleWords(text, analyzer)) handles.push_back(HandleOf(analyzer, token.term, token.keys));
  if (handles.empty()) return BadRule(text, "has no word");
  if (handles.size() > most) {
    return BadRule(text, "has " + std::to_string(handles.size()) + " words; expected at most " + std::to_string(most));
  }
  return handles;
}

constexpr const char* kTooLong = "is too long: a rule's words have some 50 bytes together at most";

}  // namespace

Result<SynonymTerms> SynonymTerms::Make(const std::vector<SynonymInput>& synonyms, const Analyzer& analyzer) {
  SynonymTerms made;
  for (const auto& [from, to] : synonyms) {
    SHEAF_ASSIGN_OR_RETURN(const std::vector<std::string> asked, HandlesOf(from, kMaxSynonymWords, analyzer));
    SHEAF_ASSIGN_OR_RETURN(const std::vector<std::string> meant, HandlesOf(to, kMaxSynonymForms, analyzer));
    if (asked == meant) return BadRule(from, "and '" + to + "' are the same word to the search; leave the synonym out");
    for (size_t i = 0; i < asked.size(); ++i) {
      Target target;
      target.handles = meant;
      target.before = asked[i] + kSynonymMark;
      if (asked.size() > 1) target.behind = kSynonymMark + asked[1 - i];
      target.behind += '*';
      size_t longest = 0;  // of the words themselves, forms are a little longer
      if (meant.size() > 1) {
        for (const Token& token : RuleWords(to, analyzer)) {
          if (!target.text.empty()) target.text += kWordMark;
          target.text += analyzer.IsEnglish() ? token.term : HandleOf(analyzer, token.term, token.keys);
        }
      } else {
        longest = meant[0].size();
      }
      if (target.before.size() + target.text.size() + target.behind.size() + longest > kMaxStem) {
        return BadRule(from, kTooLong);
      }
      made.by_first_[meant[0]].push_back(std::move(target));
    }
  }
  return made;
}

void SynonymTerms::Find(const std::vector<Token>& tokens, const Analyzer& analyzer,
                        const std::function<void(const std::string& rule, std::string_view word)>& add) const {
  if (empty()) return;
  // Whether a word at this position, or a part of a name there, has the handle.
  const auto stands = [&](size_t from, uint32_t position, const std::string& handle) {
    for (size_t i = from; i < tokens.size() && tokens[i].position <= position; ++i) {
      if (tokens[i].position == position && HandleOf(analyzer, tokens[i].term, tokens[i].keys) == handle) return true;
    }
    return false;
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string handle = HandleOf(analyzer, tokens[i].term, tokens[i].keys);
    const auto targets = by_first_.find(handle);
    if (targets == by_first_.end()) continue;
    for (const Target& target : targets->second) {
      bool all = true;
      for (size_t n = 1; n < target.handles.size() && all; ++n) {
        all = stands(i, tokens[i].position + uint32_t(n), target.handles[n]);
      }
      if (!all) continue;
      const bool single = target.text.empty();
      const std::string& word = analyzer.IsEnglish() ? tokens[i].term : handle;
      const std::string rule = target.before + (single ? word : target.text) + target.behind;
      if (rule.size() <= kMaxStem) add(rule, single ? std::string_view(tokens[i].term) : std::string_view());
    }
  }
}

Result<std::string> PinTerm(std::string_view words, size_t rank, const Analyzer& analyzer) {
  std::vector<PinWord> content;
  for (const Token& token : RuleWords(words, analyzer)) {
    content.push_back({HandleOf(analyzer, token.term, token.keys), token.is_function_word || IsStopWord(token.term)});
  }
  if (content.empty()) return BadRule(words, "has no word");
  const std::string key = PinKey(content);
  const size_t first = std::min(key.find(kWordMark), key.size());
  const std::string term = key.substr(0, first) + kPinMark + char('a' + rank) + key.substr(first) + '*';
  if (term.size() > kMaxStem) return BadRule(words, kTooLong);
  return term;
}

std::string StemOfTerm(const Analyzer& analyzer, std::string_view term) {
  const size_t at = term.find_first_of(kRuleMarks);
  return at == term.npos ? analyzer.Stem(term) : std::string(term.substr(0, at));
}

}  // namespace sheaf
