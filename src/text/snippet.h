// The excerpt of a passage that best shows why it was found, as plain text with highlights.
//
// Idea: light Markdown marks are taken off the passage (stored_markdown.h), and headings at its beginning that are shown anyway. What
// remains is prose, with white space joined, and code blocks, with their lines. A window of about `max_characters`
// slides over the matches of each; the one whose distinct query terms weigh most wins, ties go to prose, then to the
// earliest. So an excerpt is prose or code, never both.
//   Prose starts and ends at word borders, at a sentence's beginning where one is near, with "…" where text was left out.
//   Code is a few whole lines without the indentation that they share; a line "…" stands for those left out.
// If the innermost heading has the words already, the excerpt is what follows it.
//
// Highlights show the best there is. For each word of the query: the word itself; else the names and forms that stand
// for it; else parts of names and unfinished words. What touches is one highlight: `OAuth2` in `OAuth2Bearer`.
//
// Invariant: highlights lie inside the snippet, do not touch, ascend, and count UTF-16 code
// units. The snippet holds text to be shown as text: no HTML is produced, and none is removed.
// Cost: one tokenization of the passage and its heading, linear in bytes; strings compared per token and term.
#ifndef SHEAF_TEXT_SNIPPET_H_
#define SHEAF_TEXT_SNIPPET_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/analyzer.h"
#include "text/stored_markdown.h"

namespace sheaf {

inline constexpr size_t kMaxCodeLines = 4;  // of a snippet, without those of "…"
// Prose of fewer bytes ("Example:") is shown only if it has more of the query than the code beside it.
inline constexpr size_t kShortProse = 24;

using TextMarks = std::vector<std::pair<uint32_t, uint32_t>>;  // start, length in UTF-16 code units

struct Snippet {
  std::string text;  // UTF-8; with line breaks if is_code
  TextMarks highlights;
  bool is_code = false;          // lines of a code block
  bool follows_heading = false;  // the innermost heading has what the text has of the query, or more
  uint64_t whole = 0;            // bit n: word n of the query is highlighted as it is, not a form or part of it
};

struct SnippetTerm {
  std::string term;   // folded index term to highlight
  float weight = 1;   // its worth in choosing the window; > 0
  uint32_t word = 0;  // number of the query's word that it stands for: small
  uint8_t rank = 0;   // how well it does: 0 best; only the best of a word's terms in a text are highlighted
};

// `passage` is Markdown-like passage text; `headings` are the title and headings above it, outermost first. `terms` may
// be empty: the passage's beginning is shown. max_characters counts code points, without the "…"; the last word of a
// match may go a little beyond it, and 0 gives an empty snippet. A passage of nothing but headings gives one too.
Snippet MakeSnippet(std::string_view passage, Markup markup, std::span<const std::string> headings,
                    const std::vector<SnippetTerm>& terms, const Analyzer& analyzer, size_t max_characters = 200);

// What to highlight in a title or heading above a snippet, of whose words that are `whole` there parts are not marked.
TextMarks MarkWords(std::string_view text, const std::vector<SnippetTerm>& terms, const Analyzer& analyzer,
                    uint64_t whole = 0);

}  // namespace sheaf

#endif  // SHEAF_TEXT_SNIPPET_H_
