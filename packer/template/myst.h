// Takes MyST's own marks off a page: directives in fences, roles, targets, block breaks, comments.
//
// Idea: a directive that holds text loses its two lines, its title stays; one that holds code is a fence of its
// language; one that the generator fills (toctree, autodoc) goes and is counted. `(target)=` becomes the next heading's
// anchor. What includes a file becomes an include that `include/` knows. reStructuredText (`{eval-rst}`) becomes the
// Markdown that the caller makes of it. `{{ name }}` is what the page's front matter calls so, else its project.
//
// Bounds: kMaxMystDepth open directives; deeper ones stay as they are. Cost: linear.
#ifndef SHEAF_PACKER_TEMPLATE_MYST_H_
#define SHEAF_PACKER_TEMPLATE_MYST_H_

#include <functional>
#include <string>
#include <string_view>

#include "packer/template/numbered_text.h"
#include "packer/template/template_files.h"
#include "packer/template/values.h"

namespace sheaf::packer {

inline constexpr size_t kMaxMystDepth = 64;

// Whether a line outside code opens a directive: "```{note}".
bool HasMystDirective(std::string_view text);

// reStructuredText as Markdown.
using RstAsMarkdown = std::function<std::string(std::string_view rst)>;

// `values`: those of its front matter, which is the first `verbatim` bytes, whole lines, and `substitutions.` of its
// project. Without `rst`, text in reStructuredText stays.
NumberedText ExpandMyst(std::string_view text, size_t verbatim, const Values& values, const RstAsMarkdown& rst,
                        TemplateFiles* files);

// `substitutions.NAME` of a conf.py (myst_substitutions), of the text that it states itself.
Values MystSubstitutions(std::string_view conf_py);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_MYST_H_
