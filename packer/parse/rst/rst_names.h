// Names of a page that are used before they are defined: substitutions and the titles behind labels.
//
// Invariant: the expansion of a name is bounded (kMaxSubstitutionBytes), even if names refer to other names.
// Cost: one pass over the lines.
#ifndef SHEAF_PACKER_PARSE_RST_RST_NAMES_H_
#define SHEAF_PACKER_PARSE_RST_RST_NAMES_H_

#include "packer/parse/rst/rst_inline.h"
#include "packer/parse/rst/rst_lines.h"
#include "packer/parse/rst/rst_project.h"

namespace sheaf::packer {

// A page's own names beat those of its project.
RstNames ReadRstNames(const RstLines& lines, const RstProject& project = {});

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_NAMES_H_
