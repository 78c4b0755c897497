// The parsers: one page's text in, a Document out.
//
// Each format has a folder; parse/shared holds the parts that several of them need. `source` is UTF-8 text
// (base/charset.h); `path` names the file in messages and gives the title of last resort. Errors: kTooLarge (caps),
// kInvalidArgument (a notebook that is not JSON).
#ifndef SHEAF_PACKER_PARSE_PARSE_H_
#define SHEAF_PACKER_PARSE_PARSE_H_

#include <string_view>
#include <vector>

#include "base/result.h"
#include "packer/document/document.h"
#include "packer/document/link_targets.h"
#include "packer/document/page_titles.h"
#include "packer/document/part_selector.h"
#include "packer/include/include_files.h"

namespace sheaf::packer {

Result<Document> ParseMarkdown(std::string_view source, std::string_view path, bool mdx);
// `address` is asked for every link in text; without it links leave their words alone.
// Leaves out the parts that `ignored` name.
Result<Document> ParseHtml(std::string_view source, std::string_view path, const LinkAddress& address = {},
                           const std::vector<PartSelector>& ignored = {});
// Around a page: the conf.py of its Sphinx project, or empty, and the titles of all pages, or null.
struct RstSurroundings {
  std::string_view conf_py = {};
  const PageTitles* titles = nullptr;
};
Result<Document> ParseRst(std::string_view source, std::string_view path, const RstSurroundings& around = {});
// Adds the titles of one source of a set; those that are known stay. `source` is clean, `path` below the root.
void CollectRstTitles(std::string_view source, std::string_view path, PageTitles* titles);
// Whether a `.txt` holds reStructuredText: a directive that docutils or Sphinx knows, a label or a role, at the margin
// or in its text, beside an underlined title. Cost: linear.
bool LooksLikeRst(std::string_view text);
Result<Document> ParseNotebook(std::string_view source, std::string_view path);
Result<Document> ParseText(std::string_view source, std::string_view path);

// Chooses by the extension of `path` (.md .mdx .rst .txt .html .htm .ipynb, any case) after
// decoding the bytes to UTF-8 (BOM dropped, Latin-1 tolerated with a warning, UTF-16 with BOM
// converted, NUL bytes and other control characters replaced by spaces; a file with many NUL bytes
// and no BOM is refused as binary, kInvalidArgument). Includes of a Markdown or RST page are read through `includes`
// (packer/include/expand.h); null: none are read. A missing target is a warning. `titles` are those of the set's other
// pages (CollectRstTitles); `ignored` is for ParseHtml.
Result<Document> ParseFile(std::string_view bytes, std::string_view path, IncludeFiles* includes = nullptr,
                           const LinkAddress& address = {}, const PageTitles* titles = nullptr,
                           const std::vector<PartSelector>& ignored = {});

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_PARSE_H_
