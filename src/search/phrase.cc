#include "search/phrase.h"

#include <algorithm>

#include "search/query.h"
#include "text/stored_markdown.h"

namespace sheaf {
namespace {

std::vector<Token> WordsOf(std::string_view text, const Analyzer& analyzer) {
  std::vector<Token> words;
  analyzer.Tokenize(text, &words);
  std::erase_if(words, [](const Token& token) { return token.kind == TokenKind::kPart; });
  return words;
}

bool IsContent(const Token& word) { return !word.is_function_word && !IsStopWord(word.term); }

}  // namespace

Phrase::Phrase(std::string_view query, const Analyzer& analyzer)
    : analyzer_(analyzer), words_(WordsOf(query, analyzer)) {
  while (words_.size() > kMaxQueryWords) words_.pop_back();
  for (const Token& word : words_) content_ += IsContent(word);
}

float Phrase::ShareIn(std::string_view passage) const {
  // By each word of the query, content words of the run that ends there and at the passage's last word.
  std::vector<uint32_t> run(words_.size() + 1);
  uint32_t longest = 0;
  for (const Token& word : WordsOf(StripMarks(passage), analyzer_)) {
    const uint32_t content = IsContent(word);
    for (size_t i = words_.size(); i > 0; --i) {
      run[i] = words_[i - 1].term == word.term ? run[i - 1] + content : 0;
      longest = std::max(longest, run[i]);
    }
  }
  return longest < kLeast ? 0 : float(longest - kLeast + 1) / float(content_ - kLeast + 1);
}

}  // namespace sheaf
