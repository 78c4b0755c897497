// A parsed table of contents: entries in reading order, each below another or at the top.
#ifndef SHEAF_PACKER_CONTENTS_CONTENTS_TREE_H_
#define SHEAF_PACKER_CONTENTS_CONTENTS_TREE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/source/source.h"

namespace sheaf::packer {

inline constexpr size_t kNone = size_t(-1);
inline constexpr size_t kMaxTableBytes = size_t(4) << 20;
inline constexpr size_t kMaxTreeNodes = 100'000;
inline constexpr size_t kMaxTreeDepth = 16;
inline constexpr size_t kMaxTargetBytes = 4096;

// A name as it is kept: no longer than places are, since an alias or a caption may stand for thousands of entries.
std::string ClipName(std::string_view name);

struct ContentsNode {
  size_t above = kNone;  // a node before this one
  std::string name;      // empty: as the page is titled
  size_t file = kNone;   // of the list, each at most once; none: a heading without a page
};
using ContentsTree = std::vector<ContentsNode>;

// The listed files by their paths below the root.
class FileIndex {
 public:
  explicit FileIndex(const std::vector<SourceFile>& files);
  // The file that `target`, written in a file of `folder` (below the root, with its '/', or empty), names: kNone if it
  // is not listed. "/x" counts from the root. Queries and fragments are dropped.
  size_t Find(std::string_view folder, std::string_view target) const;
  const std::vector<SourceFile>& files() const { return files_; }

 private:
  const std::vector<SourceFile>& files_;
  std::unordered_map<std::string_view, size_t> by_path_;
};

// Both return an empty tree where nothing that is listed is named.
// `text` is clean Markdown of a SUMMARY.md in `folder`.
ContentsTree ReadSummary(std::string_view text, std::string_view folder, const FileIndex& index);
// `text`: a mkdocs.yml in `folder`; it and `root`, which the index counts from, are absolute. Never throws.
ContentsTree ReadMkdocsNav(const std::string& text, const std::string& folder, const std::string& root,
                           const FileIndex& index);

// An entry of a toctree directive.
struct ToctreeEntry {
  std::string caption;  // of its directive
  std::string name;     // "Name <target>"
  std::string target;
  bool is_glob = false;
};
// `source` is clean text; `is_markdown`: MyST's fences, else directives of reStructuredText.
std::vector<ToctreeEntry> ReadToctrees(std::string_view source, bool is_markdown);
// One tree for each file that has a toctree and that no other lists. `entries`: by file.
std::vector<ContentsTree> BuildToctrees(const std::vector<std::vector<ToctreeEntry>>& entries, const FileIndex& index);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CONTENTS_CONTENTS_TREE_H_
