// Which parser reads which file.
#include <algorithm>
#include <cctype>
#include <string>

#include "packer/base/charset.h"
#include "packer/document/document.h"
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

Result<Document> Parse(std::string_view text, std::string_view path, const std::string& extension) {
  if (extension == ".md" || extension == ".mdx") return ParseMarkdown(text, path, extension == ".mdx");
  if (extension == ".rst") return ParseRst(text, path);
  if (IsHtml(extension)) return ParseHtml(text, path);
  if (extension == ".ipynb") return ParseNotebook(text, path);
  if (extension == ".txt") return ParseText(text, path);
  return Error{ErrorCode::kInvalidArgument,
               std::string(path) + " has the extension \"" + extension +
                   "\"; expected .md, .mdx, .rst, .txt, .html, .htm or .ipynb: rename or exclude it"};
}

}  // namespace

Result<Document> ParseFile(std::string_view bytes, std::string_view path) {
  const std::string extension = Extension(path);
  SHEAF_ASSIGN_OR_RETURN(DecodedText decoded,
                         DecodeText(bytes, path, IsHtml(extension) ? DeclaredCharset(bytes) : std::string()));
  Result<Document> document = Parse(decoded.text, path, extension);
  if (document.ok()) {
    document->warnings.insert(document->warnings.begin(), decoded.warnings.begin(), decoded.warnings.end());
  }
  return document;
}

}  // namespace sheaf::packer
