// Leaves out the expressions of Vue in a page of VitePress: `{{ count }}` outside code is a value that only the running page
// has. A string in quotes is its words.
//
//     It is {{ count.toFixed(2) }} now, {{ 'or' }} never.  ->  It is  now, or never.
//
// A page with `v-pre` shows some of its braces as they are, and stays as it is.
//
// Cost: linear; an expression has at most 300 bytes.
#ifndef SHEAF_PACKER_TEMPLATE_VUE_H_
#define SHEAF_PACKER_TEMPLATE_VUE_H_

#include <cstddef>
#include <string_view>

#include "packer/template/numbered_text.h"
#include "packer/template/template_files.h"

namespace sheaf::packer {

// The first `verbatim` bytes, the front matter, stay.
NumberedText ExpandVue(std::string_view text, size_t verbatim, TemplateFiles* files);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_VUE_H_
