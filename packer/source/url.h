// Maps a file's path to the address that readers know.
//
// The mapped path is appended to the base URL; each segment is percent-encoded.
//
//   style   guide/install.md     guide/index.md   README.md   api/run.html      note
//   html    guide/install.html   guide/           (base)      api/run.html      the default with a base
//   clean   guide/install        guide/           (base)      api/run
//   dir     guide/install/       guide/           (base)      api/run/
//   keep    guide/install.md     guide/index.md   README.md   api/run.html      the default without one
//
// `_index` (Hugo) is an index. .mdx .rst .ipynb .txt .adoc and READMEs without extension are treated as .md. A manual page keeps its section and loses
// `.gz`: man/ls.1.html. So does a compressed page: guide/a.html.gz is guide/a.html. PDF and OpenAPI are read as the files that they are, so they keep their names; .htm is treated as .html and
// keeps its name in the html style. A README stands for its folder like an index unless the folder also has
// an index (see `as_file`).
//
// Pages of Antora lose the folders that it does not publish, but with keep: modules/api/pages/run.adoc is api/run.html.
//
// A page may state its own URL (front matter, canonical link). It is trusted if it is an absolute http(s)
// URL or an absolute path, which is joined to the base's origin; its fragment is dropped. For any other URL
// (javascript:, relative, with control characters) the path decides. The path also decides if the URL leaves
// the folder set by StayIn: old versions name the current one for search engines.
//
// Invariant: a result holds printable ASCII only, and no space or quote.
#ifndef SHEAF_PACKER_SOURCE_URL_H_
#define SHEAF_PACKER_SOURCE_URL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sheaf::packer {

enum class UrlStyle : uint8_t { kDefault, kHtml, kClean, kDir, kKeep };

inline constexpr size_t kMaxUrlBytes = 4096;

class UrlMapper {
 public:
  // `base_url`: "https://example.org/docs/", "/docs/", or empty. A last segment without '/'
  // counts as a folder too. Errors: kInvalidArgument (no scheme, a query, a fragment, control characters).
  static Result<UrlMapper> Create(std::string_view base_url, UrlStyle style);

  // `path` is relative with '/' between segments, in raw bytes. `as_file`: an index or README keeps
  // its own name rather than standing for its folder.
  std::string FromPath(std::string_view path, bool as_file = false) const;
  // The URL that a page states, or empty if it is not trusted.
  std::string FromPage(std::string_view stated) const;

  // From now on, trusts only stated addresses below this folder, a path like FromPath's.
  void StayIn(std::string_view folder);

  const std::string& base() const { return base_; }  // with a '/' at the end, or empty

 private:
  std::string ReadStated(std::string_view stated) const;

  std::string base_;
  std::string origin_;  // "https://example.org", empty without one
  std::string within_;  // prefix of trusted stated addresses; empty: any
  UrlStyle style_ = UrlStyle::kKeep;
};

// `%2F` -> `/`; other text stays.
std::string DecodePercent(std::string_view text);

// True for README in any spelling, with or without extension; not for readme.html, a page under its own name.
bool IsReadme(std::string_view path);
// Whether the page stands for its folder: an index, or a README.
bool IsFolderIndex(std::string_view path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SOURCE_URL_H_
