// Turns Obsidian's links, embeds and comments into Markdown: `[[Note#Heading|words]]`, `![[Note]]`, `%%comment%%`.
//
// Idea: a link becomes Markdown's, so that its words are words. An embedded note stands where it is embedded; pictures
// have no words. Code stays as it is.
//
// Bounds: those of includes; a note embeds notes as deep as pages include files. Cost: linear.
#ifndef SHEAF_PACKER_TEMPLATE_OBSIDIAN_H_
#define SHEAF_PACKER_TEMPLATE_OBSIDIAN_H_

#include <string_view>

#include "packer/template/numbered_text.h"
#include "packer/template/template_files.h"

namespace sheaf::packer {

// Whether the text embeds a note, or links by other words to one of several words, or to one that is there; other double brackets are no evidence (`[[Prototype]]`).
bool HasWikiLink(std::string_view text, TemplateFiles* files);

// The first `verbatim` bytes, whole lines, stay as they are.
NumberedText ExpandObsidian(std::string_view text, size_t verbatim, TemplateFiles* files);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_OBSIDIAN_H_
