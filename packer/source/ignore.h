// Decides which files are documentation: kinds by name, built-in skips, and the user's --include and
// --exclude.
//
// Taken      .md .mdx .rst .txt .html .htm .ipynb in any case; README without an extension, or with
//            another one (README.Debian), as Markdown.
// Skipped    hidden files and folders (first character '.'), the folders node_modules and __pycache__, and folders that
//            hold a virtual environment of Python, at any depth; everything else, including LICENSE, CHANGELOG and
//            AUTHORS without an extension, and robots.txt, which is for crawlers. Pages that
//            Sphinx built or copied from packed sources, too (source.cc).
// OpenGround also skips the folders images img assets static _build build dist. Real projects keep documentation in
//            such (React's react-dom/static), so that is an option.
//
// These rules apply only to names below an input: an input that the user names is always taken,
// whatever it or its parents are called.
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
enum class FolderRules : uint8_t { kOwn, kOpenGround, kNone };
bool IsIgnoredFolder(std::string_view folder_name, FolderRules rules = FolderRules::kOwn);  // hidden ones included
// What a file is that is neither known here nor in unread.h, for counting: "images"; "other files" for the rest.
const char* UnreadKind(std::string_view file_name);
bool IsHidden(std::string_view name);

// Sphinx puts a copy of each page's source beside the pages: `guide/_sources/use.rst.txt` for `guide/use.html`.
// Holds the folder around `_sources`, with its '/', and where the page may be; all empty for any other file.
struct SphinxCopy {
  std::string folder;             // "guide/"
  std::string page, folder_page;  // "guide/use.html", "guide/use/index.html"
};
SphinxCopy SphinxCopyOf(std::string_view path);

// Matches the user's patterns against paths relative to the packed root. A pattern without '/' is tried
// on every part of the path: `*.txt` matches such files in any folder, and `drafts` any folder or file
// of that name. A pattern with '/' is tried on the whole path and on each of its parent folders, so
// `guide/old` matches everything below it. A leading '/' or './' anchors a pattern to the root; a
// trailing '/' makes it match folders only.
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
