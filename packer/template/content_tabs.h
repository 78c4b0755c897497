// Marks of MkDocs that take lines: `=== "Linux"` above indented text becomes the tab's name above the text, at the
// margin; `::: package.object` of mkdocstrings, which draws it, goes with its options; `???+` is `???`.
//
// Idea: indented text would read as code wherever the page is read in parts.
// Bounds: kMaxTabDepth tabs within tabs; deeper ones stay. Cost: linear, times that depth for indents.
#ifndef SHEAF_PACKER_TEMPLATE_CONTENT_TABS_H_
#define SHEAF_PACKER_TEMPLATE_CONTENT_TABS_H_

#include <string_view>

#include "packer/template/numbered_text.h"
#include "packer/template/template_files.h"

namespace sheaf::packer {

inline constexpr size_t kMaxTabDepth = 16;

NumberedText ExpandContentTabs(std::string_view text, TemplateFiles* files);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_CONTENT_TABS_H_
