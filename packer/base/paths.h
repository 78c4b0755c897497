// Paths as words, and where they lead. Nothing here opens a file.
#ifndef SHEAF_PACKER_BASE_PATHS_H_
#define SHEAF_PACKER_BASE_PATHS_H_

#include <optional>
#include <string>
#include <string_view>

namespace sheaf::packer {

// Resolves every link; nullopt if the path does not exist.
std::optional<std::string> ResolvePath(const std::string& path);

// Both paths must be absolute and resolved.
bool IsInside(std::string_view path, std::string_view folder);

// REQUIRES: IsInside(path, folder)
std::string Below(std::string_view path, std::string_view folder);

// Whether a path has a part called .git, ignoring case: some file systems are case-insensitive.
bool HasGitPart(std::string_view path);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_PATHS_H_
