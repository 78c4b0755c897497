#include "search/phrase.h"

#include <bit>

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
  std::erase_if(words_, [](const Token& word) { return !IsContent(word); });
}

float Phrase::ShareIn(const std::vector<std::string>& headings, std::string_view text) const {
  std::string all;
  for (const std::string& heading : headings) (all += heading) += '\n';
  all += StripMarks(text);
  // For each of the query's words, by number: where it stood last, and whether the next one has followed it.
  static_assert(kMaxQueryWords <= 64);
  uint32_t last[kMaxQueryWords] = {};
  uint64_t followed = 0;
  uint32_t at = kWithin;  // so that 0 is before all
  for (const Token& word : WordsOf(all, analyzer_)) {
    ++at;
    // Backwards, so that a word is not its own neighbour.
    for (size_t i = words_.size(); i-- > 0;) {
      if (words_[i].term != word.term) continue;
      if (i > 0 && last[i - 1] + kWithin >= at) followed |= uint64_t{1} << i;
      last[i] = at;
    }
  }
  return float(std::popcount(followed)) / float(words_.size() - 1);
}

}  // namespace sheaf
