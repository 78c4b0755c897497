// Which parser reads which file.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/charset.h"
#include "packer/document/document.h"
#include "packer/include/expand.h"
#include "packer/parse/html/html_charset.h"
#include "packer/parse/parse.h"

namespace sheaf::packer {
namespace {

std::string Extension(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const size_t dot = name.rfind('.');
  std::string extension(dot == std::string_view::npos ? "" : name.substr(dot));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return char(std::tolower(uint8_t(c))); });
  return extension;
}

bool IsHtml(const std::string& extension) { return extension == ".html" || extension == ".htm"; }

Result<Document> Parse(std::string_view text, std::string_view path, const std::string& extension,
                       const RstSurroundings& around, const LinkAddress& address) {
  if (extension == ".md" || extension == ".mdx") return ParseMarkdown(text, path, extension == ".mdx");
  if (extension == ".rst") return ParseRst(text, path, around);
  if (IsHtml(extension)) return ParseHtml(text, path, address);
  if (extension == ".ipynb") return ParseNotebook(text, path);
  if (extension == ".txt") return ParseText(text, path);
  return Error{ErrorCode::kInvalidArgument,
               std::string(path) + " has the extension \"" + extension +
                   "\"; expected .md, .mdx, .rst, .txt, .html, .htm or .ipynb: rename or exclude it"};
}

// Maps lines of the expanded text to lines of the page.
void PutLinesRight(const std::vector<uint32_t>& lines, Document* document) {
  if (lines.empty()) return;
  for (Block& block : document->blocks) {
    for (uint32_t* line : {&block.first_line, &block.last_line}) {
      if (*line > 0) *line = lines[std::min<size_t>(*line, lines.size()) - 1];
    }
  }
}

}  // namespace

Result<Document> ParseFile(std::string_view bytes, std::string_view path, IncludeFiles* includes,
                           const LinkAddress& address, const PageTitles* titles) {
  std::string extension = Extension(path);
  SHEAF_ASSIGN_OR_RETURN(DecodedText decoded,
                         DecodeText(bytes, path, IsHtml(extension) ? DeclaredCharset(bytes) : std::string()));
  ExpandedText expanded;
  const bool is_markdown = extension == ".md" || extension == ".mdx";
  // A bundled source of Sphinx, or a project that calls its sources so.
  if (extension == ".txt" && LooksLikeRst(decoded.text)) extension = ".rst";
  RstSurroundings around{.titles = titles};
  if (includes != nullptr && extension == ".rst") {
    const Result<const IncludedFile*> conf = includes->Find("conf.py", includes->page());
    if (conf.ok()) around.conf_py = (*conf)->text;
  }
  if (includes != nullptr && (is_markdown || extension == ".rst")) {
    expanded = is_markdown ? ExpandMarkdown(decoded.text, includes) : ExpandRst(decoded.text, includes);
    decoded.text = std::move(expanded.text);
    if (!expanded.missing.empty()) decoded.warnings.push_back(MissingNote(expanded.missing));
  }
  Result<Document> document = Parse(decoded.text, path, extension, around, address);
  if (document.ok()) {
    PutLinesRight(expanded.lines, &*document);
    document->warnings.insert(document->warnings.begin(), decoded.warnings.begin(), decoded.warnings.end());
  }
  return document;
}

}  // namespace sheaf::packer
