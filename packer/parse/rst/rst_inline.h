// Inline markup of reStructuredText: the text of a paragraph, title or cell.
//
// Idea: one pass from left to right. Literals and code-like roles become code spans; references,
// links, emphasis and the rest leave their visible words. Markup that never closes is text, as
// docutils has it (with an error message that a search index does not need).
//
// Cost: linear. After one failed search for a closing mark, it is not searched for again.
#ifndef SHEAF_PACKER_PARSE_RST_RST_INLINE_H_
#define SHEAF_PACKER_PARSE_RST_RST_INLINE_H_

#include <string>
#include <string_view>
#include <unordered_map>

#include "packer/document/page_titles.h"
#include "packer/parse/shared/block_writer.h"

namespace sheaf::packer {

// Longer replacement texts are not put in, so that a short page cannot grow without bound.
inline constexpr size_t kMaxSubstitutionBytes = 200;

// How other pages are called (rst_titles.h), seen from one page.
struct RstPages {
  const PageTitles* titles = nullptr;  // may be null
  std::string_view path;               // of the page, below the root
};

struct RstNames {
  std::unordered_map<std::string, std::string> substitutions;  // |name| -> text
  std::unordered_map<std::string, std::string> titles;         // label -> title of its section
  std::unordered_map<std::string, std::string> links;          // the project's roles -> words, with %s for their text
  RstPages others = {};
};

// Appends `text` to `out`.
void AppendRstInline(std::string_view text, const RstNames& names, InlineText* out);

// The words alone, on one line.
std::string RstPlain(std::string_view text, const RstNames& names);

// A name as docutils makes an HTML id of it: lower case, ASCII, runs of other characters as '-'.
std::string RstId(std::string_view name);

// A reference name as docutils compares it: lower case, white space collapsed.
std::string RstName(std::string_view name);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_INLINE_H_
