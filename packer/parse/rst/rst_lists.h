// Lists of a page: bullets, enumerations, fields, options, definitions.
//
// Each reader looks at line `i` of a region. If a list item of its kind begins there, it opens the item, pushes its
// body and what closes it, and returns the line after it; else it returns 0.
#ifndef SHEAF_PACKER_PARSE_RST_RST_LISTS_H_
#define SHEAF_PACKER_PARSE_RST_RST_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "packer/parse/rst/rst_page.h"

namespace sheaf::packer {

class RstLists {
 public:
  explicit RstLists(RstPage* page) : page_(*page) {}

  // Of any kind but definitions.
  size_t Item(size_t i, const RstTask& region);
  // A term on line `i` with its definition indented below it. REQUIRES: there is one.
  size_t Definition(size_t i, const std::string& term, const RstTask& region);

 private:
  bool IsEnumerated(size_t i, size_t width, const RstTask& region) const;
  size_t OpenItem(size_t i, size_t width, bool numbered, uint64_t number, const RstTask& region);
  size_t OpenField(size_t i, size_t width, const RstTask& region);
  size_t Field(size_t i, size_t width, std::string_view name, const RstTask& region);

  RstPage& page_;
  uint64_t last_number_ = 0;  // of the enumeration that ended last
  size_t last_list_end_ = 0;  // the line after it
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_LISTS_H_
