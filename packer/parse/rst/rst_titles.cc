#include "packer/parse/rst/rst_titles.h"

#include <algorithm>
#include <optional>
#include <string>

#include "packer/base/charset.h"
#include "packer/base/paths.h"
#include "packer/parse/parse.h"
#include "packer/parse/rst/rst_names.h"
#include "packer/parse/rst/rst_syntax.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxTitles = 1'000'000;

// The first underlined line at the margin; empty if there is none.
std::string_view FirstTitle(const RstLines& lines) {
  for (size_t i = lines.NextText(0, lines.size()); i + 1 < lines.size(); i = lines.NextText(i + 1, lines.size())) {
    const std::string_view text = lines[i].content(), below = lines[i + 1].content();
    const bool is_title = lines[i].indent == 0 && lines[i + 1].indent == 0 && !IsAdornment(text) && IsAdornment(below);
    if (is_title && (below.size() >= 4 || below.size() >= CountCodePoints(text))) return text;
  }
  return {};
}

}  // namespace

void CollectRstTitles(std::string_view source, std::string_view path, PageTitles* titles) {
  if (titles->pages.size() >= kMaxTitles || titles->labels.size() >= kMaxTitles) return;
  const RstLines lines(source);
  RstNames names = ReadRstNames(lines);
  const std::string_view title = FirstTitle(lines);
  if (!title.empty() && title.size() <= kMaxSubstitutionBytes)
    titles->pages.emplace(WithoutExtension(path), RstPlain(title, names));
  titles->labels.merge(names.titles);
}

std::string_view TitleOfPage(const PageTitles& titles, std::string_view target, std::string_view path) {
  const auto find = [&](std::string_view folder, std::string_view below) -> std::string_view {
    const std::optional<std::string> joined = JoinPaths(folder, below);
    if (!joined) return {};
    const auto found = titles.pages.find(*joined);
    return found == titles.pages.end() ? std::string_view() : std::string_view(found->second);
  };
  if (!target.starts_with('/')) return find(FolderOf(path), target);
  for (std::string_view folder = FolderOf(path);;) {
    if (const std::string_view title = find(folder, target); !title.empty() || folder.empty()) return title;
    folder = FolderOf(folder.substr(0, folder.size() - 1));
  }
}

}  // namespace sheaf::packer
