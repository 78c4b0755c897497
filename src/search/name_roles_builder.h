// Roles in names: which words of a passage name what it defines. Native only.
//
// Idea: a reader who types a name wants the passage that defines it, and the packer knows that passage: its heading,
// its page's title or its definition term is the name. Its surroundings are taken off: its number, its signature
// ("watch(source, callback)"), its kind ("class Foo", "ServerName Directive"). The words that are left are marked in
// their posting lists (NameRole), so that a search needs no text to tell a definition from a mention.
//
// Cost: a tokenization of each heading and term.
#ifndef SHEAF_SEARCH_NAME_ROLES_BUILDER_H_
#define SHEAF_SEARCH_NAME_ROLES_BUILDER_H_

#include <string_view>

#include "search/term_tally_builder.h"
#include "text/analyzer.h"

namespace sheaf {

// The name in a heading, without its surroundings; may be empty. A part of `heading`. Options keep their arguments.
std::string_view BareName(std::string_view heading);

// Marks the words of a heading or title that a passage begins with. REQUIRES: its words were added to `tally`
void NameByHeading(std::string_view heading, const Analyzer& analyzer, TermTally* tally);
// Marks the name at the beginning of a definition term, one of several in a passage: "-m MESSAGE", "user.name".
// Alternatives stand behind commas. REQUIRES: as above
void NameByTerm(std::string_view term, const Analyzer& analyzer, TermTally* tally);

}  // namespace sheaf

#endif  // SHEAF_SEARCH_NAME_ROLES_BUILDER_H_
