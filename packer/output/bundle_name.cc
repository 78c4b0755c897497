#include "packer/output/bundle_name.h"

#include "packer/base/printable.h"
#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

bool IsLetterOrDigit(char c) { return IsAlpha(c) || IsDigit(c); }

}  // namespace

Status CheckLibraryName(std::string_view name) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument,
                 "library name '" + PrintablePath(name) + "' " + why +
                     "; expected one such as fastapi, socket.io, libstdc++ or @vue/runtime-core"};
  };
  if (name.empty()) return refuse("is empty");
  if (name.size() > 128) return refuse("has more than 128 bytes");
  bool at_start = true;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (i == 0 && c == '@') continue;
    if (c == '/') {
      if (at_start) return refuse("has an empty part");
      at_start = true;
      continue;
    }
    if (at_start && !IsLetterOrDigit(c) && c != '_') {
      return refuse("has a part that does not begin with a letter, a digit or '_'");
    }
    if (!IsLetterOrDigit(c) && std::string_view("._-+").find(c) == std::string_view::npos) {
      return refuse("holds a character other than letters, digits and . _ - + / (and @ in front)");
    }
    at_start = false;
  }
  if (at_start) return refuse("has an empty part");
  return {};
}

Status CheckVersion(std::string_view version) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument,
                 "version '" + PrintablePath(version) + "' " + why + "; expected one such as 1.2.3, 2024-06 or latest"};
  };
  if (version.empty()) return refuse("is empty");
  if (version.size() > 64) return refuse("has more than 64 bytes");
  if (version.find_first_of("/\\") != std::string_view::npos) return refuse("holds a slash");
  if (version.starts_with(' ') || version.ends_with(' ')) return refuse("begins or ends with a space");
  if (PrintablePath(version) != version) return refuse("is not printable UTF-8");
  return {};
}

std::string BundleFileName(std::string_view library, std::string_view version) {
  std::string name;
  for (char c : library) name += c == '/' ? '~' : c;
  return name + "@" + std::string(version) + ".sheaf";
}

}  // namespace sheaf::packer
