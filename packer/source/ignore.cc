#include "packer/source/ignore.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "packer/source/unread.h"

namespace sheaf::packer {
namespace {

constexpr std::array<std::string_view, 2> kIgnoredFolders = {"node_modules", "__pycache__"};
constexpr std::array<std::string_view, 7> kOpenGroundFolders = {"images", "img",   "assets", "static",
                                                                "_build", "build", "dist"};

char LowerByte(char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (LowerByte(text[i]) != lower[i]) return false;
  }
  return true;
}

}  // namespace

const char kKnownExtensions[] = ".md .mdx .rst .txt .html .htm .ipynb";

FileKind KindOf(std::string_view file_name) {
  if (file_name == "robots.txt") return FileKind::kOther;
  const size_t dot = file_name.rfind('.');
  if (dot != std::string_view::npos && dot > 0) {
    const std::string_view extension = file_name.substr(dot + 1);
    if (EqualsIgnoringCase(extension, "md")) return FileKind::kMarkdown;
    if (EqualsIgnoringCase(extension, "mdx")) return FileKind::kMdx;
    if (EqualsIgnoringCase(extension, "rst")) return FileKind::kRst;
    if (EqualsIgnoringCase(extension, "txt")) return FileKind::kText;
    if (EqualsIgnoringCase(extension, "html")) return FileKind::kHtml;
    if (EqualsIgnoringCase(extension, "htm")) return FileKind::kHtml;
    if (EqualsIgnoringCase(extension, "ipynb")) return FileKind::kNotebook;
    const UnreadFormat format = UnreadFormatOf(file_name);
    const bool is_text = format != UnreadFormat::kAsciiDoc && format != UnreadFormat::kPdf &&
                         std::string_view(UnreadKind(file_name)) != "compressed files";
    return file_name.starts_with("README.") && is_text ? FileKind::kReadme : FileKind::kOther;
  }
  const bool readme = file_name.starts_with("README") || EqualsIgnoringCase(file_name, "readme");
  return readme ? FileKind::kReadme : FileKind::kOther;
}

const char* UnreadKind(std::string_view file_name) {
  static constexpr std::pair<const char*, std::string_view> kKinds[] = {
      {"files of PostScript", " ps "},
      {"files of Org mode", " org "},
      {"files of DocBook and other XML", " xml dbk docbook sgml dita ditamap "},
      {"files of word processors", " doc docx odt rtf epub tex latex pptx "},
      {"compressed files", " gz bz2 xz zst zip tgz 7z "},
      {"images", " png jpg jpeg gif svg webp ico avif bmp eps tiff "},
      {"data files", " json yaml yml toml csv tsv "},
  };
  const size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return "other files";
  std::string extension = " ";
  for (const char c : file_name.substr(dot + 1)) extension += LowerByte(c);
  extension += ' ';
  for (const auto& [kind, extensions] : kKinds) {
    if (extensions.find(extension) != std::string_view::npos) return kind;
  }
  return "other files";
}

bool IsHidden(std::string_view name) { return name.starts_with('.'); }

bool IsIgnoredFolder(std::string_view folder_name, FolderRules rules) {
  if (IsHidden(folder_name)) return true;  // .git and .venv among them
  const auto is_in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), folder_name) != names.end();
  };
  return is_in(kIgnoredFolders) || (rules == FolderRules::kOpenGround && is_in(kOpenGroundFolders));
}

SphinxCopy SphinxCopyOf(std::string_view path) {
  constexpr std::string_view kFolder = "_sources/";
  const size_t at = path.starts_with(kFolder) ? 0 : path.find("/_sources/") + 1;
  if (path.compare(at, kFolder.size(), kFolder) != 0) return {};
  const std::string folder(path.substr(0, at));
  std::string_view name = path.substr(at + kFolder.size());
  // html_sourcelink_suffix, then the suffix of the source itself.
  for (const std::string_view suffix : {".txt", ".rst", ".md", ".ipynb"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  const std::string page = folder + std::string(name);
  return {folder, page + ".html", page + "/index.html"};
}

// ---- the user's patterns --------------------------------------------------------------------

Result<std::vector<PathFilter::Rule>> PathFilter::Parse(const std::vector<std::string>& patterns) {
  std::vector<Rule> rules;
  for (const std::string& given : patterns) {
    std::string_view pattern = given;
    bool whole_path = false;
    if (pattern.starts_with("./")) {
      pattern.remove_prefix(2);
      whole_path = true;
    }
    while (pattern.starts_with('/')) {
      pattern.remove_prefix(1);
      whole_path = true;
    }
    bool folders_only = false;
    while (pattern.ends_with('/')) {
      pattern.remove_suffix(1);
      folders_only = true;
    }
    if (pattern.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   "pattern '" + given + "' matches nothing; expected one such as '*.md' or 'guide/**'"};
    }
    whole_path = whole_path || pattern.find('/') != std::string_view::npos;
    SHEAF_ASSIGN_OR_RETURN(Glob glob, Glob::Parse(pattern));
    rules.push_back({std::move(glob), whole_path, folders_only});
  }
  return rules;
}

Result<PathFilter> PathFilter::Create(const std::vector<std::string>& include,
                                      const std::vector<std::string>& exclude) {
  PathFilter filter;
  SHEAF_ASSIGN_OR_RETURN(filter.include_, Parse(include));
  SHEAF_ASSIGN_OR_RETURN(filter.exclude_, Parse(exclude));
  return filter;
}

bool PathFilter::Any(const std::vector<Rule>& rules, std::string_view path, bool is_folder) {
  if (rules.empty()) return false;
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = path.find('/', begin);
    const bool last = end == std::string_view::npos;
    if (last) end = path.size();
    for (const Rule& rule : rules) {
      if (last && rule.folders_only && !is_folder) continue;
      const size_t from = rule.whole_path ? 0 : begin;
      if (rule.glob.Matches(path.substr(from, end - from))) return true;
    }
    begin = end + 1;
  }
  return false;
}

bool PathFilter::Takes(std::string_view path) const {
  return (include_.empty() || Any(include_, path, false)) && !Any(exclude_, path, false);
}

bool PathFilter::Prunes(std::string_view folder) const { return Any(exclude_, folder, true); }

}  // namespace sheaf::packer
