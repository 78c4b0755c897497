#include "packer/include/include_files.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "packer/base/charset.h"
#include "packer/base/paths.h"
#include "packer/base/read_file.h"

namespace sheaf::packer {
namespace {

// A page that includes a thousand large files must not cost a thousand reads.
constexpr size_t kMaxRead = 16 * kMaxIncludedFile;
constexpr size_t kMaxTarget = 1024;
// Above a page of a deep tree, where a path is tried: each try costs a walk down from the top of the disk.
constexpr size_t kMaxFolders = 64;

// An absolute path without "." and "..", as its words say; links are looked at later.
std::string Normal(std::string_view path) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    at = end + 1;
  }
  std::string normal;
  for (const std::string_view part : parts) normal.append("/").append(part);
  return normal.empty() ? "/" : normal;
}

// Hidden files may hold secrets (.env, .netrc, .git/config). Sites keep code in a few hidden folders.
bool IsHiddenPath(std::string_view path) {
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    const bool is_open = end < path.size() && (part == ".vitepress" || part == ".github" || part == ".storybook");
    if (part.starts_with('.') && !is_open) return true;
    at = end + 1;
  }
  return false;
}

// Takes off what says that a path begins at the site's root.
bool IsFromRoot(std::string_view* target) {
  for (const std::string_view mark : {"@site/", "@/", "~/", "/"}) {
    if (!target->starts_with(mark)) continue;
    target->remove_prefix(mark.size());
    return true;
  }
  return false;
}

}  // namespace

IncludeFiles::IncludeFiles(IncludeRoots roots, std::string page) : roots_(std::move(roots)), page_(std::move(page)) {}

std::vector<std::string> IncludeFiles::Candidates(std::string_view target, const std::string& from) const {
  std::vector<std::string> folders;
  std::string_view below = target;
  if (IsFromRoot(&below)) {
    folders = FoldersUpTo(ParentOf(page_), roots_.docs, kMaxFolders);
    std::reverse(folders.begin(), folders.end());
    for (std::string& above : FoldersUpTo(roots_.docs, roots_.within, kMaxFolders)) folders.push_back(std::move(above));
  } else {
    folders = FoldersUpTo(ParentOf(from), ParentOf(from));
    for (std::string& above : FoldersUpTo(ParentOf(page_), roots_.within, kMaxFolders))
      folders.push_back(std::move(above));
  }
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    std::string path = Normal(folder + "/" + std::string(below));
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
  }
  return paths;
}

Result<const IncludedFile*> IncludeFiles::Find(std::string_view target, const std::string& from) {
  if (target.empty() || target.size() > kMaxTarget || target.find_first_of(std::string_view("\0\n", 2)) != target.npos)
    return Error{ErrorCode::kInvalidArgument, "it is not a path"};
  if (target.find("://") != target.npos) return Error{ErrorCode::kInvalidArgument, "it is an address on the web"};
  if (++includes_ > kMaxIncludes) {
    return Error{ErrorCode::kTooLarge, "the page includes more than " + std::to_string(kMaxIncludes) + " files"};
  }
  bool outside = false;
  for (const std::string& path : Candidates(target, from)) {
    if (!IsInside(path, roots_.within)) {
      outside = true;
      continue;
    }
    used_.insert(path);
    if (::access(path.c_str(), F_OK) != 0) continue;  // cheaper than to resolve it
    const std::optional<std::string> resolved = ResolvePath(path);
    if (!resolved) continue;
    if (!IsInside(*resolved, roots_.within)) {
      outside = true;
      continue;
    }
    if (IsHiddenPath(Below(*resolved, roots_.within))) {
      return Error{ErrorCode::kInvalidArgument, "hidden files are not read"};
    }
    if (const auto known = files_.find(*resolved); known != files_.end()) return &known->second;
    // A folder of that name is not meant.
    Result<std::string> bytes = ReadFileBytes(*resolved, std::min(kMaxIncludedFile, kMaxRead - read_));
    if (bytes.code() == ErrorCode::kTooLarge) return bytes.error();
    if (!bytes.ok()) continue;
    read_ += bytes->size();
    SHEAF_ASSIGN_OR_RETURN(DecodedText decoded, DecodeText(*bytes, target));
    used_.insert(*resolved);
    return &files_.emplace(*resolved, IncludedFile{*resolved, std::move(decoded.text)}).first->second;
  }
  if (outside)
    return Error{ErrorCode::kInvalidArgument,
                 "it does not exist, or lies outside the folder that pages may include from"};
  return Error{ErrorCode::kNotFound, "there is no such file"};
}

std::optional<size_t> IncludeFiles::NearestOf(const std::vector<std::string_view>& names) {
  for (const std::string& folder : FoldersUpTo(ParentOf(page_), roots_.within, kMaxFolders)) {
    for (size_t i = 0; i < names.size(); ++i) {
      std::string path = Normal(folder + "/" + std::string(names[i]));
      const bool is_there = ::access(path.c_str(), F_OK) == 0;
      if (is_there) nearest_ += path + '\n';
      used_.insert(std::move(path));
      if (is_there) return i;
    }
  }
  return std::nullopt;
}

bool IncludeFiles::Spend(size_t bytes) {
  if (bytes > kMaxIncludedText - text_) return false;
  text_ += bytes;
  return true;
}

std::vector<std::string> IncludeFiles::used() const { return {used_.begin(), used_.end()}; }

uint64_t IncludeFiles::Hash() const {
  uint64_t hash = nearest_.empty() ? 0 : Hash64(AsBytes(nearest_));
  for (const auto& [path, file] : files_) {
    hash = Hash64(AsBytes(path + '\n' + std::to_string(hash) + '\n' + file.text));
  }
  return hash;
}

}  // namespace sheaf::packer
