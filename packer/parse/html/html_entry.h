// Recognises entries of a reference that their generator writes without a heading: RDoc's methods, Haddock's and odoc's
// definitions, pdoc's members; headings that are signatures (YARD, ExDoc); and the tables with which nginx and httpd
// describe their directives.
//
// Idea: an entry's signature becomes a heading with the name alone, followed by the signature as code, so that a reader
// can be sent to it.
//
// Cost: constant per element; a bounded walk for a name.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_ENTRY_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_ENTRY_H_

#include <string>
#include <string_view>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

// Whether a block that is no heading is the signature of an entry.
bool IsEntry(const GumboNode* element);
bool IsSignatureHeading(const GumboNode* heading);
// A heading "Specs" inside an entry, whose description follows it (ExDoc).
bool IsTitleOfSpecs(const GumboNode* heading);
// The element around a signature and its description; null where none is.
const GumboNode* ScopeOfEntry(const GumboNode* signature);
// Whether the next element beside this one is another signature of the same entry.
bool SharesItsEntry(const GumboNode* element);
// The name that an entry defines: as its markup says, else `words` up to the parameters or the type.
std::string NameOfEntry(const GumboNode* element, std::string_view words);

// The name that Sphinx marks in a signature of C or C++, whose type comes first; else empty.
std::string MarkedName(const GumboNode* signature);

// Whether a table lists the facts of a directive: its syntax, its default, where it may stand.
bool IsDirectiveTable(const GumboNode* table);
// The name that nginx marks in it, which has no heading; else empty.
std::string NameOfDirective(const GumboNode* table);
// Of a row, "Syntax: listen address;", and of others of its kind; else empty.
std::string FactOfDirective(const GumboNode* row);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_ENTRY_H_
