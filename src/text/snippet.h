// The stretch of a passage that best shows why it was found, as plain text with highlights.
//
// Idea: light Markdown marks are taken off the passage (heading hashes, list bullets, fence lines,
// link targets, emphasis, backticks, table pipes), white space is joined, and a window of about `max_characters`
// slides over the words; the window with the most distinct query terms wins, ties go to the
// earliest. It starts and ends at word borders, with "…" where text was left out.
//
// Invariant: highlights lie inside the snippet, do not overlap, ascend, and count UTF-16 code
// units. The snippet holds text to be shown as text: no HTML is produced, and none is removed.
// Cost: one tokenization of the passage.
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
  std::string text;                                     // UTF-8
  std::vector<std::pair<uint32_t, uint32_t>> highlights;  // start, length in UTF-16 code units
};

struct SnippetTerm {
  std::string term;    // folded index term to highlight
  float weight = 1;    // its worth in choosing the window; > 0
};

// `passage` is Markdown-like passage text. `terms` may be empty: the passage's beginning is shown.
// A token is highlighted when its term equals one of `terms`.
Snippet MakeSnippet(std::string_view passage, const std::vector<SnippetTerm>& terms,
                    const Analyzer& analyzer, size_t max_characters = 200);

// The passage without its light Markdown marks, line structure kept; also used for embedding text.
std::string StripMarks(std::string_view passage);

}  // namespace sheaf

#endif  // SHEAF_TEXT_SNIPPET_H_
