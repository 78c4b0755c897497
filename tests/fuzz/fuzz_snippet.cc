// Property: a snippet of any passage is valid UTF-8 whose highlights lie inside it, ascending and
// apart, on the borders of characters (text/snippet.h). Blocks of it have no more text than it, and links inside it.
#include <string>

#include "tests/fuzz/fuzz.h"
#include "text/snippet.h"

namespace sheaf::fuzz {

void CheckSnippet(ByteSpan bytes) {
  static const Analyzer* analyzer = new Analyzer(Language::kEnglish);
  Input input(bytes);
  const size_t max_characters = input.Byte();
  const size_t term_count = input.Byte() % 4;
  const auto markup = Markup(input.Byte() % 3);
  const std::string passage(AsText(input.Rest()));

  // Terms of the passage itself, so that something is highlighted.
  std::vector<Token> tokens;
  analyzer->Tokenize(passage, &tokens);
  std::vector<SnippetTerm> terms = {{"absent", 1}};
  for (size_t i = 0; i < term_count && !tokens.empty(); ++i)
    terms.push_back({tokens[i * 7 % tokens.size()].term, float(i + 1), uint32_t(i / 2), uint8_t(i)});
  const std::string headings[] = {passage.substr(0, passage.find('\n'))};

  const Snippet snippet = MakeSnippet(passage, markup, headings, terms, *analyzer, max_characters);
  SHEAF_REQUIRE(IsValidUtf8(snippet.text));
  uint64_t units = 0;
  for (const char c : snippet.text) units += (uint8_t(c) & 0xc0) != 0x80 ? (uint8_t(c) >= 0xf0 ? 2 : 1) : 0;
  uint64_t from = 0;
  for (const auto& [start, length] : snippet.highlights) {
    SHEAF_REQUIRE(start >= from && length > 0);
    from = uint64_t(start) + length;
    SHEAF_REQUIRE(from <= units);
  }
  (void)StripMarks(passage);
  const Blocks read = ReadBlocks(passage, markup, max_characters % 2 != 0);
  size_t size = 0;
  for (const Block& block : read.blocks) {
    for (const TextRun& run : block.runs) {
      size += run.text.size();
      SHEAF_REQUIRE(run.link <= read.links.size());
    }
  }
  SHEAF_REQUIRE(size <= passage.size() + 1);
}

}  // namespace sheaf::fuzz

SHEAF_FUZZ_TARGET(CheckSnippet)
