// Property: the analyzer takes any bytes and keeps its promises (text/analyzer.h): terms are short,
// valid UTF-8 and not empty; tokens lie in the text, in order; stems keep all but the last byte.
#include <string>

#include "tests/fuzz/fuzz.h"
#include "text/analyzer.h"

namespace sheaf::fuzz {

void CheckAnalyzer(ByteSpan input) {
  const std::string_view text = AsText(input);
  static const Analyzer* analyzer = new Analyzer(Language::kEnglish);
  std::vector<Token> tokens;
  analyzer->Tokenize(text, &tokens);

  size_t looked_at = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    SHEAF_REQUIRE(!token.term.empty() && token.term.size() <= kMaxTermBytes);
    SHEAF_REQUIRE(IsValidUtf8(token.term));
    SHEAF_REQUIRE(token.begin < token.end && token.end <= text.size());
    if (i > 0) {
      SHEAF_REQUIRE(tokens[i - 1].begin <= token.begin);
      SHEAF_REQUIRE(tokens[i - 1].position <= token.position);
    }
    if (++looked_at > 200) continue;  // the rest of a long text: the cheap checks only

    const std::string stem = analyzer->Stem(token.term);
    SHEAF_REQUIRE(!stem.empty());
    SHEAF_REQUIRE(token.term.compare(0, stem.size() - 1, stem, 0, stem.size() - 1) == 0);

    if (token.kind == TokenKind::kWord) {
      std::vector<Token> again;
      analyzer->Tokenize(token.term, &again);
      SHEAF_REQUIRE(again.size() == 1 && again[0].term == token.term);
    }
  }

  std::vector<Token> twice;
  analyzer->Tokenize(text, &twice);
  SHEAF_REQUIRE(twice.size() == tokens.size());
  SHEAF_REQUIRE(IsValidUtf8(Analyzer::Fold(text)));
  (void)IsStopWord(text);
}

}  // namespace sheaf::fuzz

SHEAF_FUZZ_TARGET(CheckAnalyzer)
