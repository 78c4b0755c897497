// Collects the links of a reStructuredText page: `:doc:` roles, the entries of toctree directives, and links with an
// address. Labels (`:ref:`) name no page, so they do not count.
//
// Cost: one pass over the lines.
#ifndef SHEAF_PACKER_PARSE_RST_RST_LINKS_H_
#define SHEAF_PACKER_PARSE_RST_RST_LINKS_H_

#include <string_view>
#include <vector>

#include "packer/document/link_targets.h"

namespace sheaf::packer {

// All count as prose. `source` is clean text (charset.h).
std::vector<LinkTarget> ReadRstLinks(std::string_view source);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_LINKS_H_
