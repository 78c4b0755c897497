// Reads the body elements of a region: titles, paragraphs, literal blocks, quotations, explicit markup. Passes lists,
// tables and directives on.
//
// Cost: each nesting level looks at a line at most twice, and a line at level n is at least n characters long.
#ifndef SHEAF_PACKER_PARSE_RST_RST_BLOCKS_H_
#define SHEAF_PACKER_PARSE_RST_RST_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "packer/parse/rst/rst_directives.h"
#include "packer/parse/rst/rst_lists.h"
#include "packer/parse/rst/rst_page.h"
#include "packer/parse/rst/rst_tables.h"

namespace sheaf::packer {

class RstBlocks {
 public:
  RstBlocks(RstPage* page, RstDirectives* directives)
      : page_(*page), directives_(*directives), lists_(page), tables_(page) {}

  // For the task kRegion: reads body elements until one needs a region of its own; the rest then waits on the stack.
  void Region(const RstTask& task);

 private:
  // Each reads the element at line i and returns the line after it. Those named after one kind of element return 0 if
  // there is none.
  size_t Element(size_t i, const RstTask& region);
  size_t Title(size_t i, const RstTask& region);
  size_t Quote(size_t i, size_t end, const RstTask& region);
  size_t LineBlock(size_t i, const RstTask& region);
  size_t Text(size_t i, const RstTask& region);
  size_t Literal(size_t i, const RstTask& region);
  size_t Explicit(size_t i, const RstTask& region);
  void Target(std::string_view rest, bool has_more);
  void Note(size_t i, std::string_view label, uint32_t indent, size_t end);

  RstPage& page_;
  RstDirectives& directives_;
  RstLists lists_;
  RstTables tables_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_BLOCKS_H_
