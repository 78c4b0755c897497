// What single elements mean to a reader of text: which ones are blocks, headings, code or the
// title of an admonition, and which language a code block is in.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_ELEMENTS_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_ELEMENTS_H_

#include <string>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

bool IsBlockTag(GumboTag tag);    // ends a paragraph
bool IsHeadingTag(GumboTag tag);  // h1 to h6
bool IsPreTag(GumboTag tag);      // white space counts inside
bool IsCodeTag(GumboTag tag);     // inline code

// "Note", "Warning" and the like above the text of an admonition. REQUIRES: element has a parent
bool IsAdmonitionTitle(const GumboNode* element);

// The language of a code block by its own attributes, its <code>'s, or those of the frames that
// highlighters put around it; empty where none is named.
std::string LanguageOfPre(const GumboNode* pre);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_ELEMENTS_H_
