// Expands the template syntax of a Markdown page, before its includes and its markup are read.
//
// Idea: Hugo and Jekyll run a page through a template language before they read its Markdown. A reader of the site never
// sees `{{< note >}}` or `{% raw %}`. This does the same, as far as a page and its site's files tell; what only the
// generator knows is left out and counted.
//
//   Hugo    shortcodes: includes, links, parameters, code, figures, tabs; the site's own simple definitions; pairs that
//           nobody knows lose their tags, single ones go
//   Jekyll  Liquid: raw, comment, highlight, include, link, post_url, assign, capture, if, values of site and page
//   MyST    directives, roles, targets (myst.h)
//   Obsidian  links and embeds of notes, comments (obsidian.h)
//   MkDocs  content tabs (content_tabs.h)
//
// Evidence  A page is a generator's if the nearest folder at or above it with a generator's files (hugo.toml, _config.yml,
//           mkdocs.yml, …) says so. Where no folder says anything, syntax outside code decides (EvidenceOf). Other pages
//           stay as they are: their braces are text.
//
// Invariants
//  1. A page without such syntax, or of another generator, comes back unchanged, with `lines` empty.
//  2. Escaped syntax (`{{</* x */>}}`, `{% raw %}`) becomes the text that it stands for.
//  3. The result depends on the page and on the files that `files` looked at, on nothing else.
//
// Bounds: includes as include_files.h has them, which count all inserted text; tags, pairs and values their own
// (shortcode_tags.h, values.h). Cost: linear in the page and what it includes, times the depth of nested pairs.
#ifndef SHEAF_PACKER_TEMPLATE_EXPAND_TEMPLATES_H_
#define SHEAF_PACKER_TEMPLATE_EXPAND_TEMPLATES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "packer/include/include_files.h"
#include "packer/template/myst.h"

namespace sheaf::packer {

struct TemplateText {
  std::string text;
  std::vector<uint32_t> lines;               // as in ExpandedText
  std::vector<std::string> missing;          // the same
  std::map<std::string, uint32_t> left_out;  // what was dropped, by name, and how often: "{{< youtube >}}"
};

// `text` is clean (charset.h).
TemplateText ExpandTemplates(std::string_view text, IncludeFiles* files, const RstAsMarkdown& rst = {});

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_EXPAND_TEMPLATES_H_
