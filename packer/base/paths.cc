#include "packer/base/paths.h"

#include <algorithm>
#include <cstdlib>

#include "packer/base/text_scan.h"

namespace sheaf::packer {

std::optional<std::string> ResolvePath(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return std::nullopt;
  std::string out(resolved);
  std::free(resolved);
  return out;
}

bool IsInside(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string Below(std::string_view path, std::string_view folder) {
  path.remove_prefix(folder == "/" ? 1 : std::min(folder.size() + 1, path.size()));
  return std::string(path);
}

bool HasGitPart(std::string_view path) {
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.size() == 4 && StartsWithFolded(part, ".git")) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace sheaf::packer
