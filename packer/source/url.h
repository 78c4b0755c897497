// From a file's path to the address its readers know.
//
// The rest of a path is taken from the base URL's folder; each segment is percent-encoded.
//
//   style   guide/install.md     guide/index.md   README.md   api/run.html      note
//   html    guide/install.html   guide/           (base)      api/run.html      the default with a base
//   clean   guide/install        guide/           (base)      api/run
//   dir     guide/install/       guide/           (base)      api/run/
//   keep    guide/install.md     guide/index.md   README.md   api/run.html      the default without one
//
// .mdx .rst .ipynb .txt and READMEs without extension fare as .md; .htm fares as .html and keeps its
// name in the html style. A README stands for its folder like an index unless the folder also has
// an index (see `as_file`).
//
// A page may say its own URL (front matter, canonical link). It is believed when it is an absolute
// http(s) URL or an absolute path, which is joined to the base's origin; its fragment is dropped.
// Any other (javascript:, relative, with control characters) leaves the word to the path. So does one that
// leads out of the folder that pages were told to stay in: old versions name the current one for search engines.
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
  // `base_url`: "https://example.org/docs/", "/docs/", or empty. What follows the last '/' counts as
  // a folder too. Errors: kInvalidArgument (no scheme, a query, a fragment, control characters).
  static Result<UrlMapper> Create(std::string_view base_url, UrlStyle style);

  // `path` is relative with '/' between segments, in raw bytes. `as_file`: an index or README keeps
  // its own name rather than standing for its folder.
  std::string FromPath(std::string_view path, bool as_file = false) const;
  // What a page says of itself, or empty when that is not to be believed.
  std::string FromPage(std::string_view stated) const;

  // From now on pages are believed only where they name an address below this folder, a path like FromPath's.
  void StayIn(std::string_view folder);

  const std::string& base() const { return base_; }  // with a '/' at the end, or empty

 private:
  std::string ReadStated(std::string_view stated) const;

  std::string base_;
  std::string origin_;  // "https://example.org", empty without one
  std::string within_;  // what addresses that pages name begin with; empty: anything
  UrlStyle style_ = UrlStyle::kKeep;
};

// True for README in any spelling, with or without extension; not for readme.html, a page under its own name.
bool IsReadme(std::string_view path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SOURCE_URL_H_
