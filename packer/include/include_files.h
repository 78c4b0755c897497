// Finds and reads the files that a page includes, all within one folder.
//
// Idea: generators disagree about where a path begins: at the page's folder, at the folder of mkdocs.yml, at the
// site's root. So a relative path is tried at the including file's folder, then at each folder above the page; a path
// from the root of the site ("/x", "@/x", "@site/x") at the root of the documentation first, then at the folders
// towards the page, then above. The first file that exists is meant.
//
// Within    Only regular files whose fully resolved path lies in `within` are read, and no hidden ones (.env,
//           .git/config): a page may be untrusted, and included text becomes part of a bundle.
// Bounds    kMaxIncludes a page, kMaxIncludedFile bytes a file, kMaxIncludedText bytes a page; of a page that lies deep,
//           the nearest 64 folders above it and the top.
// Used      All paths that were tried, so that a cache knows when to prepare a page again.
//
// One object serves one page, on one thread. Cost: one or two system calls a path that is tried, one read a file.
#ifndef SHEAF_PACKER_INCLUDE_INCLUDE_FILES_H_
#define SHEAF_PACKER_INCLUDE_INCLUDE_FILES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sheaf::packer {

inline constexpr size_t kMaxIncludes = 1000;
inline constexpr size_t kMaxIncludeDepth = 10;
inline constexpr size_t kMaxIncludedFile = size_t(1) << 20;
inline constexpr size_t kMaxIncludedText = size_t(1) << 20;

// Resolved, absolute folders: nothing outside `within` is read; `docs` is the documentation's root, in `within`.
struct IncludeRoots {
  std::string within, docs;
};

struct IncludedFile {
  std::string path;  // resolved
  std::string text;  // clean UTF-8
};

class IncludeFiles {
 public:
  // `page`: the absolute path of the page, in `roots.within`.
  IncludeFiles(IncludeRoots roots, std::string page);

  // `from`: the including file, a path that this object or its maker gave. The file stays valid for as long as this
  // object. Errors give the reason, without the path: kNotFound, kInvalidArgument, kTooLarge.
  Result<const IncludedFile*> Find(std::string_view target, const std::string& from);

  // The first of these names that the nearest folder has, from the page up to `within`; as an index of `names`.
  std::optional<size_t> NearestOf(const std::vector<std::string_view>& names);

  // Counts text that goes into the page. False: it is too much.
  bool Spend(size_t bytes);

  const std::string& page() const { return page_; }
  // Of the names and texts of all files that were found, and of what NearestOf found.
  uint64_t Hash() const;
  // Paths that were tried, sorted, each once.
  std::vector<std::string> used() const;

 private:
  std::vector<std::string> Candidates(std::string_view target, const std::string& from) const;

  const IncludeRoots roots_;
  const std::string page_;
  std::map<std::string, IncludedFile> files_;  // by resolved path; their addresses last
  std::set<std::string> used_;
  std::string nearest_;  // paths, each with '\n'
  size_t includes_ = 0, text_ = 0, read_ = 0;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_INCLUDE_INCLUDE_FILES_H_
