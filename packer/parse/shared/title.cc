#include "packer/parse/shared/title.h"

#include <algorithm>
#include <cctype>

namespace sheaf::packer {

std::string TitleFromPath(std::string_view path) {
  auto last_part = [](std::string_view* rest) {
    const size_t slash = rest->find_last_of("/\\");
    const std::string_view part = slash == std::string_view::npos ? *rest : rest->substr(slash + 1);
    *rest = slash == std::string_view::npos ? std::string_view() : rest->substr(0, slash);
    return part;
  };
  std::string_view folder = path;
  std::string_view stem = last_part(&folder);
  const size_t dot = stem.rfind('.');
  if (dot != std::string_view::npos && dot > 0) stem = stem.substr(0, dot);
  std::string lower(stem);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return char(std::tolower(uint8_t(c))); });
  if (lower == "index" || lower == "readme") {
    const std::string_view parent = last_part(&folder);
    if (!parent.empty() && parent != "." && parent != "..") stem = parent;
  }
  std::string title;
  bool start = true;
  for (const char c : stem) {
    if (c == '-' || c == '_' || c == ' ') {
      start = true;
      continue;
    }
    if (start && !title.empty()) title.push_back(' ');
    title.push_back(start ? char(std::toupper(uint8_t(c))) : c);
    start = false;
  }
  return title.empty() ? std::string(path) : title;
}

void CompleteTitle(std::string_view path, Document* document) {
  if (!document->title.empty()) return;
  for (const Block& block : document->blocks) {
    if (block.kind == BlockKind::kHeading && block.level == 1) {
      document->title = block.title;
      return;
    }
  }
  if (!document->blocks.empty() && document->blocks.front().kind == BlockKind::kHeading) {
    document->title = document->blocks.front().title;
    return;
  }
  document->title = TitleFromPath(path);
}

}  // namespace sheaf::packer
