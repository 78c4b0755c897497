// The marks of reStructuredText that one line shows: bullets, enumerators, fields, options,
// adornments, and the kind of each directive's name. Pure functions of a line.
//
// Cost: linear in the line, and bounded by a few hundred characters but for adornments.
#ifndef SHEAF_PACKER_PARSE_RST_RST_SYNTAX_H_
#define SHEAF_PACKER_PARSE_RST_RST_SYNTAX_H_

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf::packer {

inline bool IsAlnum(char c) { return std::isalnum(uint8_t(c)) != 0; }
inline bool IsPunctuation(char c) { return std::ispunct(uint8_t(c)) != 0; }

std::string_view TrimBlanks(std::string_view text);

// A line of one punctuation character.
bool IsAdornment(std::string_view text);

// An id as Sphinx makes it of the name of an object: case, dots and underscores stay.
std::string SphinxId(std::string_view name);

// ---- list markers: bytes of the marker with the blanks after it, or 0 ----------------------------

size_t BulletWidth(std::string_view text);                         // "- x"
size_t EnumeratorWidth(std::string_view text, uint64_t* number);   // "1. x", "(a) x"; "#." gives 0
size_t FieldWidth(std::string_view text, std::string_view* name);  // ":name: x"
// "-a, --all=X  description"; all of the line where it has no description.
size_t OptionWidth(std::string_view text, std::string_view* options);

// ---- directives ---------------------------------------------------------------------------------

enum class RstDirective : uint8_t {
  kUnknown,  // arguments as a label, content as text
  kDrop,
  kCode,
  kParsedCode,  // code with inline markup
  kMath,
  kHighlight,   // the language of literal blocks from here on
  kAdmonition,  // labelled by its name
  kTitled,      // labelled by its argument
  kRelease,     // a version's section of the extension `changelog`
  kChange,      // an item of it
  kVersion,     // "New in version ..."
  kRegion,      // content alone
  kImage,
  kText,    // the argument is a paragraph
  kObject,  // an API entry
  kModule,
  kProgram,
  kListTable,
  kCsvTable,
  kTable,
  kGlossary,
  kMeta,
  kAudit,
};

// `name` without its domain: "function" of "py:function".
RstDirective DirectiveOf(std::string_view name);

// True for the directives of the Python domain.
bool IsPythonObject(std::string_view name);

// The words that introduce an admonition: "See also" for "seealso".
std::string AdmonitionLabel(std::string_view name);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_SYNTAX_H_
