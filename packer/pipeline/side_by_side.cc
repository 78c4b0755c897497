#include "packer/survey/side_by_side.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "packer/base/printable.h"
#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr size_t kFewestShared = 3;  // pages that two of them share
constexpr size_t kMostNamed = 6;

// de, pt-BR, zh_CN, sr-Latn
bool IsLanguage(std::string_view name) {
  if (name.size() < 2 || !IsAlpha(name[0]) || !IsAlpha(name[1])) return false;
  if (name.size() == 2) return true;
  if ((name[2] != '-' && name[2] != '_') || name.size() < 5 || name.size() > 7) return false;
  return std::all_of(name.begin() + 3, name.end(), [](char c) { return IsAlpha(c); });
}

// 2, v1.9, 3.x, 1_2, latest
bool IsVersion(std::string_view name) {
  for (const std::string_view word : {"latest", "stable", "current", "next", "dev", "main", "master", "nightly"}) {
    if (name == word) return true;
  }
  if (!name.empty() && (name[0] == 'v' || name[0] == 'V')) name.remove_prefix(1);
  return !name.empty() && IsDigit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsDigit(c) || c == '.' || c == '_' || c == 'x'; });
}

using Paths = std::unordered_set<std::string_view>;  // below the folder, without extensions
using Neighbours = std::map<std::string_view, Paths>;

// Whether at least half of the smaller one is in the other.
bool AreTheSame(const Paths& a, const Paths& b) {
  const Paths& small = a.size() < b.size() ? a : b;
  const Paths& large = a.size() < b.size() ? b : a;
  const auto shared =
      size_t(std::count_if(small.begin(), small.end(), [&](auto path) { return large.contains(path); }));
  return shared >= kFewestShared && shared * 2 >= small.size();
}

// The names of those that hold the same as another.
std::vector<std::string_view> Same(const Neighbours& neighbours) {
  const Paths* largest = nullptr;
  for (const auto& [name, paths] : neighbours) {
    if (largest == nullptr || paths.size() > largest->size()) largest = &paths;
  }
  std::vector<std::string_view> same;
  for (const auto& [name, paths] : neighbours) {
    if (&paths == largest || AreTheSame(paths, *largest)) same.push_back(name);
  }
  return same;
}

void Note(std::string_view folder, std::vector<std::string_view> names, const char* what, SourceList* list) {
  std::string named;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) named.append(i > 0 ? ", " : "").append(names[i]);
  if (names.size() > kMostNamed) named += ", …";
  const std::string path = PrintablePath(std::string(folder));
  const std::string one = PrintablePath(std::string(folder) + std::string(names.back()));
  list->notes.push_back({path.empty() ? "." : path, "holds " + std::to_string(names.size()) + " " + what +
                                                        " of the same pages (" + PrintablePath(named) +
                                                        "), which are searched as one: --include '/" + one +
                                                        "/' packs one of them"});
}

}  // namespace

void NoteSideBySide(SourceList* list) {
  std::map<std::string_view, Neighbours> languages, versions;  // by the folder around them, with its '/'
  for (const SourceFile& file : list->files) {
    const std::string_view path = file.relative;
    for (size_t begin = 0; begin < path.size();) {
      const size_t end = path.find('/', begin);
      if (end == std::string_view::npos) break;
      const std::string_view name = path.substr(begin, end - begin);
      std::map<std::string_view, Neighbours>* found = IsLanguage(name)  ? &languages
                                                      : IsVersion(name) ? &versions
                                                                        : nullptr;
      if (found != nullptr) {
        const std::string_view below = path.substr(end + 1);
        (*found)[path.substr(0, begin)][name].insert(below.substr(0, below.rfind('.')));
      }
      begin = end + 1;
    }
  }
  for (const auto& [folders, what] : {std::pair(&languages, "languages"), std::pair(&versions, "versions")}) {
    for (const auto& [folder, neighbours] : *folders) {
      std::vector<std::string_view> same = Same(neighbours);
      if (same.size() > 1) Note(folder, std::move(same), what, list);
    }
  }
}

}  // namespace sheaf::packer
