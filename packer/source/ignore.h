// Which files are documentation: kinds by name, what is skipped everywhere, and the user's
// --include and --exclude.
//
// Taken      .md .mdx .rst .txt .html .htm .ipynb in any case; README without an extension, or with
//            a foreign one that begins "README." (README.Debian), as Markdown.
// Skipped    hidden files and folders (first character '.'); the folders node_modules __pycache__
//            .git images img assets static _build build dist .venv, wherever they lie; everything
//            else, and with it LICENSE, CHANGELOG and AUTHORS without an extension. Sphinx's `_sources`, where
//            the pages made of them are there (source.cc).
//
// These rules look at names below an input only: an input that the user names is taken whatever it
// or its parents are called.
#ifndef SHEAF_PACKER_SOURCE_IGNORE_H_
#define SHEAF_PACKER_SOURCE_IGNORE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "packer/source/glob.h"

namespace sheaf::packer {

enum class FileKind : uint8_t {
  kOther,     // not documentation
  kMarkdown,  // .md
  kMdx,
  kRst,
  kText,
  kHtml,  // .html .htm
  kNotebook,
  kReadme,  // README without one of the extensions: Markdown
};

// For messages: ".md .mdx .rst .txt .html .htm .ipynb".
extern const char kKnownExtensions[];

FileKind KindOf(std::string_view file_name);
bool IsIgnoredFolder(std::string_view folder_name);  // hidden ones included
bool IsHidden(std::string_view name);

// Sphinx lays a copy of each page's source beside the pages: `guide/_sources/use.rst.txt` of `guide/use.html`.
// The folder that holds `_sources` with its '/', and where the page may be; empty paths for any other file.
struct SphinxCopy {
  std::string folder;             // "guide/"
  std::string page, folder_page;  // "guide/use.html", "guide/use/index.html"
};
SphinxCopy SphinxCopyOf(std::string_view path);

// The user's patterns against paths relative to the packed root. A pattern without '/' is tried on
// every part of the path, so `*.txt` means such files in any folder and `drafts` any folder or file
// of that name; one with '/' is tried on the whole path and on each folder that leads to it, so
// `guide/old` takes everything below. A leading '/' or './' ties a pattern to the root; a trailing
// '/' means folders alone.
class PathFilter {
 public:
  // No include patterns: everything is included. Errors: those of Glob::Parse.
  static Result<PathFilter> Create(const std::vector<std::string>& include, const std::vector<std::string>& exclude);

  // Whether the file is wanted.
  bool Takes(std::string_view path) const;
  // Whether nothing below the folder can be wanted.
  bool Prunes(std::string_view folder) const;

 private:
  struct Rule {
    Glob glob;
    bool whole_path;  // else: each part alone
    bool folders_only;
  };
  static Result<std::vector<Rule>> Parse(const std::vector<std::string>& patterns);
  static bool Any(const std::vector<Rule>& rules, std::string_view path, bool is_folder);

  std::vector<Rule> include_, exclude_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SOURCE_IGNORE_H_
