// Further terms of scripts that are written without spaces, under which a page is found as well. Native only.
//
// Idea: a text in such a script is cut into pairs of characters (text/analyzer.h), and a query is cut alike. Terms that
// pairs miss are added to the pages alone, so that queries stay short and no reader has to know of it:
//   - single characters, for a query of one: 層 finds 階層. Ideographs and Hangul syllables stand for something alone;
//     of other scripts only the character that a run begins with is added, for words of which little is typed yet;
//   - katakana in hiragana, as it is typed before it is converted: れんず finds レンズ;
//   - Hangul across a space, because writers differ in where words end: 변형도구 finds 변형 도구.
// The first and the last of titles and headings alone: of all text they take a quarter more room and find no better.
//
// English bundles have none of it: their bytes do not depend on the scripts that a page quotes.
//
// Cost: a look at each token.
#ifndef SHEAF_SEARCH_UNSPACED_BUILDER_H_
#define SHEAF_SEARCH_UNSPACED_BUILDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "text/analyzer.h"

namespace sheaf {

// True for one character or a pair of such a script.
bool IsUnspaced(std::string_view term);

// Appends the further terms of a text to `out`, one for each position. `is_name`: it is a title or headings.
// REQUIRES: `tokens` are those of `text`
void AddUnspaced(std::string_view text, const std::vector<Token>& tokens, bool is_name, std::vector<std::string>* out);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_UNSPACED_BUILDER_H_
