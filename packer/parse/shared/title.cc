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
  if (lower == "index" || lower == "_index" || lower == "readme") {
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

namespace {

// An h1 below another heading's text is a section of the page.
std::string TitleOf(std::string_view path, const Document& document) {
  bool below_heading = false;
  for (const Block& block : document.blocks) {
    const bool is_heading = block.kind == BlockKind::kHeading;
    if (is_heading && block.level == 1) return block.title;
    if (!is_heading && below_heading) break;
    below_heading = below_heading || is_heading;
  }
  const bool starts_with_heading = !document.blocks.empty() && document.blocks.front().kind == BlockKind::kHeading;
  return starts_with_heading ? document.blocks.front().title : TitleFromPath(path);
}

// "{{ page.title }}", "{% if … %}": a site's generator would have filled it in.
bool IsTemplate(std::string_view title) {
  const size_t value = title.find("{{"), tag = title.find("{%");
  return (value != std::string_view::npos && title.find("}}", value) != std::string_view::npos) ||
         (tag != std::string_view::npos && title.find("%}", tag) != std::string_view::npos);
}

}  // namespace

void CompleteTitle(std::string_view path, Document* document) {
  std::string& title = document->title;
  if (IsTemplate(title)) title.clear();
  if (title.empty()) title = TitleOf(path, *document);
  if (title.size() <= kMaxTitleBytes) return;
  size_t end = kMaxTitleBytes;
  while (end > 0 && (uint8_t(title[end]) & 0xC0) == 0x80) --end;  // between characters
  title.resize(end);
  document->warnings.push_back("the title is cut: it is longer than " + std::to_string(kMaxTitleBytes) + " bytes");
}

}  // namespace sheaf::packer
