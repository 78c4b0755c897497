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

std::string_view FolderOf(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }  // npos + 1 is 0
std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view WithoutExtension(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot == path.npos || path.find('/', dot) != path.npos ? path : path.substr(0, dot);
}

std::optional<std::string> JoinPaths(std::string_view folder, std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::string_view text : {folder, path}) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('/'), text.size());
      const std::string_view part = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (part == "..") {
        if (parts.empty()) return std::nullopt;
        parts.pop_back();
      } else if (!part.empty() && part != ".") {
        parts.push_back(part);
      }
    }
  }
  std::string joined;
  for (const std::string_view part : parts) joined.append(joined.empty() ? "" : "/").append(part);
  return joined;
}

std::string ParentOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == 0 || slash == std::string_view::npos ? 1 : slash));
}

std::vector<std::string> FoldersUpTo(std::string folder, const std::string& top, size_t most) {
  std::vector<std::string> folders;
  while (IsInside(folder, top)) {
    folders.push_back(folder);
    if (folder == top || folder == "/") break;
    folder = folders.size() < most ? ParentOf(folder) : top;
  }
  return folders;
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
