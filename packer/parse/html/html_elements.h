// Classifies single elements: blocks, headings, code, titles of admonitions, languages of code blocks, kinds of lists.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_ELEMENTS_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_ELEMENTS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

bool IsBlockTag(GumboTag tag);    // ends a paragraph
bool IsHeadingTag(GumboTag tag);  // h1 to h6
bool IsPreTag(GumboTag tag);      // white space counts inside
bool IsCodeTag(GumboTag tag);     // inline code

// The element that Doxygen writes as the title of a page. REQUIRES: element has a parent
bool IsPageTitle(const GumboNode* element);

// "Note", "Warning" and the like above the text of an admonition. REQUIRES: element has a parent
bool IsAdmonitionTitle(const GumboNode* element);

// The language of a code block: from its own attributes, those of its <code>, or those of the wrappers
// that highlighters put around it; empty if none names one.
std::string LanguageOfPre(const GumboNode* pre);

bool IsTeX(const GumboNode* element);   // <script type="math/tex">, which MathJax draws
bool IsMath(const GumboNode* element);  // <math>, or the above. REQUIRES: IsElement
// A formula in words or TeX: its alternative text, else its annotation in TeX, else all the text in it. Clean.
std::string TextOfMath(const GumboNode* math);

// A <blockquote> that only indents (Scribble).
bool IsInset(const GumboNode* quote);

// A list whose items hold parts of the page (Javadoc), or anything but a list's items.
bool IsArrangement(const GumboNode* list);

uint64_t StartOfList(const GumboNode* list);  // the number of an <ol>'s first item

// ---- <dl> --------------------------------------------------------------------------------------

// The anchor of a <dt> that can be linked to: its own, one in it or just before it, or that of another term of the same
// description; else an empty view.
std::string_view AnchorOfTerm(const GumboNode* term);
// Whether a term has none of its own and another one above it in the same description has one.
bool JoinsTermAbove(const GumboNode* term);
bool TermsAreSections(const GumboNode* list);  // entries of a reference, not notes or pairs of words
// The language of a list of API entries, as Sphinx names it (<dl class="py function">), or an empty view.
std::string_view DomainOfDefinitions(const GumboNode* list);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_ELEMENTS_H_
