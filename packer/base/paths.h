// Joins and splits paths as text. Opens no file.
#ifndef SHEAF_PACKER_BASE_PATHS_H_
#define SHEAF_PACKER_BASE_PATHS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::packer {

// Resolves every link; nullopt if the path does not exist.
std::optional<std::string> ResolvePath(const std::string& path);

// Both paths must be absolute and resolved.
bool IsInside(std::string_view path, std::string_view folder);

// REQUIRES: IsInside(path, folder)
std::string Below(std::string_view path, std::string_view folder);

// "guide/install.md" -> "guide/" and "install.md"; without a slash, nothing and all of it.
std::string_view FolderOf(std::string_view path);
std::string_view NameOf(std::string_view path);
// "v1.2/install.md" -> "v1.2/install"; "v1.2/install" as it is.
std::string_view WithoutExtension(std::string_view path);

// `path` seen from `folder` ("" or with a slash at the end), without `.`, `..` and empty parts. None above the top.
std::optional<std::string> JoinPaths(std::string_view folder, std::string_view path);

// "/a/b" -> "/a", "/a" -> "/", of absolute paths.
std::string ParentOf(std::string_view path);
// `folder` and the folders above it, up to `top`, deepest first; both absolute. Of more than `most`, the deepest ones
// and `top`. REQUIRES: IsInside(folder, top)
std::vector<std::string> FoldersUpTo(std::string folder, const std::string& top, size_t most = SIZE_MAX);

// Whether a path has a part called .git, ignoring case: some file systems are case-insensitive.
bool HasGitPart(std::string_view path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_PATHS_H_
