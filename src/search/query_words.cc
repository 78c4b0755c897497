#include "search/query_words.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sheaf {
namespace {

void AddWord(std::string_view term, float boost, MatchKind kind, bool counts, const Token* token,
             std::vector<QueryWord>* words) {
  for (QueryWord& word : *words) {
    if (word.text != term) continue;
    word.boost = std::max(word.boost, boost);
    word.counts = word.counts || counts;
    if (kind == MatchKind::kExact) word.kind = kind;
    return;
  }
  QueryWord word;
  word.text = term;
  word.boost = boost;
  word.kind = kind;
  word.counts = counts;
  word.is_function_word = token ? token->is_function_word : IsStopWord(term);
  if (token) {
    word.keys = token->keys;
    word.begin = token->begin;
    word.end = token->end;
  }
  words->push_back(std::move(word));
}

// Of "what is a kiln" or "what are kilns", the tokens before the kiln; 0: the query asks otherwise.
size_t CountAsking(const std::vector<Token>& tokens) {
  if (tokens.size() < 3 || tokens[0].term != "what" || (tokens[1].term != "is" && tokens[1].term != "are")) return 0;
  const std::string& third = tokens[2].term;
  return third == "a" || third == "an" || third == "the" ? 3 : 2;
}

// The query has content words, and more than three words in all: a shorter one means each of them ("if let", "this").
bool SkipsFunctionWords(std::vector<Token>* tokens, bool asks) {
  size_t content = 0, positions = 0;
  uint32_t last_position = UINT32_MAX;
  for (Token& token : *tokens) {
    token.is_function_word |= IsStopWord(token.term);
    if (token.position != last_position) ++positions;
    last_position = token.position;
    if (token.kind == TokenKind::kWhole || !token.is_function_word) ++content;
  }
  return content > 0 && (positions > 3 || asks);
}

// Adds each token's word.
void AddTokens(const SearchContext& search, QueryWords* out) {
  const Query& query = search.query;
  const std::vector<Token>& tokens = out->tokens;
  uint32_t taken = 0;
  uint32_t last_position = UINT32_MAX;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool first = token.position != last_position;
    last_position = token.position;
    if (taken >= kMaxQueryWords) {
      if (first) ++out->ignored;
      continue;
    }
    if (first) ++taken;
    const bool skipped = token.kind == TokenKind::kWord && out->skips_function_words && token.is_function_word;
    if (skipped && search.ranking.stop_word_weight <= 0) continue;
    const float boost = skipped ? search.ranking.stop_word_weight : 1;
    if (token.kind == TokenKind::kWhole) {
      AddWord(token.term, 1, MatchKind::kExact, false, &token, &out->words);
    } else {
      const bool part = token.kind == TokenKind::kPart;
      // The last part of a name, hardly begun (watchE), is not missing where it is not found. A digit is whole: 3.1.
      const bool begun = part && i > 0 && query.prefix && token.end == query.text.size() &&
                         token.term.size() < search.ranking.min_prefix && token.term[0] > '9' &&
                         tokens[i - 1].kind == TokenKind::kPart && tokens[i - 1].position == token.position;
      AddWord(token.term, boost, part ? MatchKind::kPart : MatchKind::kExact, !begun, &token, &out->words);
    }
  }
}

// Adds two neighbours as one word, since the docs may write them so ("time stamp"). Names written with a joint are
// found by their parts.
void AddJoined(const SearchContext& search, QueryWords* out) {
  const std::vector<Token>& tokens = out->tokens;
  for (size_t i = 0; i + 1 < tokens.size() && i < kMaxQueryWords; ++i) {
    const Token &a = tokens[i], &b = tokens[i + 1];
    if (a.kind != TokenKind::kWord || b.kind != TokenKind::kWord || b.position != a.position + 1) continue;
    if (out->skips_function_words && (a.is_function_word || b.is_function_word)) continue;
    if (a.term.size() + b.term.size() + 1 > kMaxTermBytes) continue;
    AddWord(a.term + b.term, search.ranking.joined_weight, MatchKind::kJoined, false, nullptr, &out->words);
  }
}

// The last word may be unfinished, unless something follows it; of a name, also the whole: watchE is watch and e.
void MarkUnfinished(const SearchContext& search, QueryWords* out) {
  for (const Token& token : out->tokens) {
    if (!search.query.prefix || token.end != search.query.text.size()) continue;
    if (token.term.size() < search.ranking.min_prefix) continue;
    for (QueryWord& word : out->words) {
      if (word.text == token.term) word.complete = false;
    }
  }
}

}  // namespace

const Posting* WordForm::PostingIn(uint32_t passage) const {
  const auto it = std::lower_bound(postings.begin(), postings.end(), passage,
                                   [](const Posting& p, uint32_t id) { return p.passage < id; });
  return it == postings.end() || it->passage != passage ? nullptr : &*it;
}

void ParseQuery(const SearchContext& search, QueryWords* words) {
  *words = {};
  search.analyzer.Tokenize(search.query.text, &words->tokens);
  const size_t asking = CountAsking(words->tokens);
  words->skips_function_words = SkipsFunctionWords(&words->tokens, asking > 0);
  if (words->skips_function_words) words->asking = asking;
  AddTokens(search, words);
  AddJoined(search, words);
  MarkUnfinished(search, words);
}

}  // namespace sheaf
