// Recognises code that stands in no <pre>, and columns of line numbers beside code.
//
// Idea: generators write a listing as one element a line (Doxygen), as a table with a row a line (GitHub, highlight.js),
// as <code> with <br>, or, for a signature, as words in a box (Javadoc, TypeDoc). Their class names tell; numbers tell
// by counting.
//
// Cost: constant per element; linear in the text for columns of numbers.
#ifndef SHEAF_PACKER_PARSE_HTML_HTML_CODE_H_
#define SHEAF_PACKER_PARSE_HTML_HTML_CODE_H_

#include <cstdint>
#include <string_view>

#include "packer/parse/html/html_tree.h"

namespace sheaf::packer {

enum class Listing : uint8_t {
  kNone,
  kLines,   // each element inside is a line; white space between them is none
  kBreaks,  // lines end at <br>; white space collapses
  kWords,   // a signature: one line, white space collapses
};

// What kind of code the element is, if it is code without being a <pre>.
Listing ListingOf(const GumboNode* element);

// Whether a table has a line of code in each row. `number_cells` and `code_cells` count the cells of either kind.
struct CodeCells {
  size_t number_cells = 0, code_cells = 0;
  void Count(const GumboNode* cell);
  bool IsListing(size_t rows) const { return rows > 0 && code_cells == rows && number_cells > 0; }
};

// A <pre> that only counts the lines of the code beside it. `text` is what it holds.
bool IsLineNumbers(const GumboNode* pre, std::string_view text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_HTML_HTML_CODE_H_
