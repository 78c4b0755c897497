// The titles that roles of other pages show: of pages by :doc:`/topics/db`, of labelled sections by :ref:`label`.
//
// Idea: all sources of a set are read for their labels and titles before any is parsed, so that a reference to another
// page shows the words that its reader sees, and not the name that its author typed.
//
// Bounds: titles of up to kMaxSubstitutionBytes, kMaxTitles of each kind. Cost: one pass over the lines of each source.
#ifndef SHEAF_PACKER_PARSE_RST_RST_TITLES_H_
#define SHEAF_PACKER_PARSE_RST_RST_TITLES_H_

#include <string_view>

#include "packer/document/page_titles.h"

namespace sheaf::packer {

// The title of the page that `target` names from the page at `path`, or empty. A target that begins with '/' is looked
// for below each folder above the page, since the documentation's root may be any of them.
std::string_view TitleOfPage(const PageTitles& titles, std::string_view target, std::string_view path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_TITLES_H_
