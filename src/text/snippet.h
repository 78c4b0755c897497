// The excerpt of a passage that best shows why it was found, as plain text with highlights.
//
// Idea: light Markdown marks are taken off the passage, white space is joined, and a window of about
// `max_characters` slides over the matches; the one whose distinct query terms weigh most wins, ties
// go to the earliest. It starts and ends at word borders, at a sentence's beginning where one is
// near, with "…" where text was left out.
//
// Marks: heading hashes, underlines and {#anchors}; list bullets and numbers, tasks, quotation marks
// of lines, `:::` and `!!!` lines (their title stays); fence lines, rules, table pipes; link and
// image targets, link definitions, footnote marks; emphasis, backticks, backslash escapes. Code stays
// as it is, HTML too, and so do marks without a partner.
//
// Invariant: highlights lie inside the snippet, do not overlap, ascend, and count UTF-16 code
// units. The snippet holds text to be shown as text: no HTML is produced, and none is removed.
// Cost: one tokenization of the passage, linear in its bytes; strings compared per token and term.
#ifndef SHEAF_TEXT_SNIPPET_H_
#define SHEAF_TEXT_SNIPPET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/analyzer.h"

namespace sheaf {

struct Snippet {
  std::string text;                                       // UTF-8
  std::vector<std::pair<uint32_t, uint32_t>> highlights;  // start, length in UTF-16 code units
};

struct SnippetTerm {
  std::string term;  // folded index term to highlight
  float weight = 1;  // its worth in choosing the window; > 0
};

// `passage` is Markdown-like passage text. `terms` may be empty: the passage's beginning is shown.
// A token is highlighted when its term equals one of `terms`; overlapping tokens (a name and its
// parts, CJK bigrams) make one highlight. max_characters counts code points, without the "…"; the
// last word of a match may go a little beyond it, and 0 gives an empty snippet.
Snippet MakeSnippet(std::string_view passage, const std::vector<SnippetTerm>& terms, const Analyzer& analyzer,
                    size_t max_characters = 200);

// The passage without its light Markdown marks, line structure kept (lines that are
// nothing but marks go); also used for embedding text. NULs become spaces.
std::string StripMarks(std::string_view passage);

}  // namespace sheaf

#endif  // SHEAF_TEXT_SNIPPET_H_
