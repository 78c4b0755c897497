// Which parser reads which file.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/document/document.h"
#include "packer/include/expand.h"
#include "packer/parse/html/html_charset.h"
#include "packer/parse/parse.h"
#include "packer/parse/shared/front_matter.h"
#include "packer/template/expand_templates.h"

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
                       const RstSurroundings& around, const LinkAddress& address,
                       const std::vector<PartSelector>& ignored) {
  if (extension == ".md" || extension == ".mdx") return ParseMarkdown(text, path, extension == ".mdx");
  if (extension == ".rst") return ParseRst(text, path, around);
  if (IsHtml(extension)) return ParseHtml(text, path, address, ignored);
  if (extension == ".ipynb") return ParseNotebook(text, path);
  if (extension == ".txt") return ParseText(text, path);
  return Error{ErrorCode::kInvalidArgument,
               std::string(path) + " has the extension \"" + extension +
                   "\"; expected .md, .mdx, .rst, .txt, .html, .htm or .ipynb: rename or exclude it"};
}

// Those of a page that has an `includes`.
RstSurroundings SurroundingsOf(IncludeFiles* includes, const PageTitles* titles) {
  RstSurroundings around{.titles = titles};
  const Result<const IncludedFile*> conf = includes->Find("conf.py", includes->page());
  if (conf.ok()) around.conf_py = (*conf)->text;
  return around;
}

// Of each line of the last text, that of the page: includes are expanded after templates. Either may have changed nothing.
std::vector<uint32_t> LinesThrough(const std::vector<uint32_t>& last, const std::vector<uint32_t>& first) {
  if (first.empty() || last.empty()) return last.empty() ? first : last;
  std::vector<uint32_t> lines;
  lines.reserve(last.size());
  for (const uint32_t line : last) lines.push_back(first[std::min<size_t>(line, first.size()) - 1]);
  return lines;
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

// reStructuredText within a page of Markdown: its text, whose headings keep their anchors. `page` gets what was left out.
std::string RstAsText(std::string_view rst, std::string_view path, IncludeFiles* includes, const PageTitles* titles,
                      TemplateText* page) {
  ExpandedText expanded = ExpandRst(rst, includes);
  page->missing.insert(page->missing.end(), expanded.missing.begin(), expanded.missing.end());
  const Result<Document> document = ParseRst(expanded.text, path, SurroundingsOf(includes, titles));
  if (!document.ok()) return std::string(rst);
  for (const auto& [name, uses] : document->left_out) page->left_out[name] += uses;
  std::string text;
  for (const Block& block : document->blocks) {
    const bool has_anchor = block.kind == BlockKind::kHeading && !block.anchor.empty();
    text += has_anchor ? std::string(TrimEnd(block.text)) + " {#" + block.anchor + "}\n\n" : block.text;
  }
  return text;
}

}  // namespace

Result<Document> ParseFile(std::string_view bytes, std::string_view path, IncludeFiles* includes,
                           const LinkAddress& address, const PageTitles* titles,
                           const std::vector<PartSelector>& ignored) {
  std::string extension = Extension(path);
  SHEAF_ASSIGN_OR_RETURN(DecodedText decoded,
                         DecodeText(bytes, path, IsHtml(extension) ? DeclaredCharset(bytes) : std::string()));
  ExpandedText expanded;
  TemplateText templates;
  const bool is_markdown = extension == ".md" || extension == ".mdx";
  // Hugo and Jekyll make pages of HTML with front matter, too.
  const bool is_source_html =
      IsHtml(extension) && (decoded.text.starts_with("---\n") || decoded.text.starts_with("+++\n"));
  FrontMatter front;
  if (is_source_html) {
    if (includes != nullptr) {
      templates = ExpandTemplates(decoded.text, includes);
      decoded.text = std::move(templates.text);
      if (!templates.missing.empty()) decoded.warnings.push_back(MissingNote(templates.missing));
    }
    front = ReadFrontMatter(decoded.text);
    decoded.text.erase(0, front.bytes);
  }
  // A bundled source of Sphinx, or a project that calls its sources so.
  if (extension == ".txt" && LooksLikeRst(decoded.text)) extension = ".rst";
  RstSurroundings around{.titles = titles};
  if (includes != nullptr && extension == ".rst") around = SurroundingsOf(includes, titles);
  if (includes != nullptr && (is_markdown || extension == ".rst")) {
    if (is_markdown) {
      TemplateText of_rst;
      templates = ExpandTemplates(decoded.text, includes, [&](std::string_view rst) {
        return RstAsText(rst, path, includes, titles, &of_rst);
      });
      templates.missing.insert(templates.missing.end(), of_rst.missing.begin(), of_rst.missing.end());
      templates.left_out.merge(of_rst.left_out);
      decoded.text = std::move(templates.text);
    }
    expanded = is_markdown ? ExpandMarkdown(decoded.text, includes) : ExpandRst(decoded.text, includes);
    decoded.text = std::move(expanded.text);
    expanded.lines = LinesThrough(expanded.lines, templates.lines);
    templates.missing.insert(templates.missing.end(), expanded.missing.begin(), expanded.missing.end());
    if (!templates.missing.empty()) decoded.warnings.push_back(MissingNote(templates.missing));
  }
  Result<Document> document = Parse(decoded.text, path, extension, around, address, ignored);
  if (document.ok()) {
    if (!front.title.empty()) document->title = std::move(front.title);
    if (document->url.empty()) document->url = std::move(front.url);
    PutLinesRight(expanded.lines, &*document);
    for (const auto& [name, uses] : templates.left_out) document->left_out[name] += uses;
    document->warnings.insert(document->warnings.begin(), decoded.warnings.begin(), decoded.warnings.end());
  }
  return document;
}

}  // namespace sheaf::packer
