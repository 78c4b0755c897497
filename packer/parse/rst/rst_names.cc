#include "packer/parse/rst/rst_names.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/parse/rst/rst_syntax.h"

namespace sheaf::packer {

namespace {

// ".. |name| replace:: value"; a name that is known stays.
void ReadSubstitution(std::string_view text, RstNames* names) {
  const size_t bar = text.find("| replace::", 4);
  if (bar == std::string_view::npos) return;
  const std::string_view value = TrimBlanks(text.substr(bar + 11));
  if (value.size() <= kMaxSubstitutionBytes) names->substitutions.emplace(RstName(text.substr(4, bar - 4)), value);
}

}  // namespace

RstNames ReadRstNames(const RstLines& lines, const RstProject& project) {
  RstNames names;
  names.links = project.links;
  std::vector<std::string> labels;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = lines[i].content();
    if (text.empty()) continue;
    if (text.starts_with(".. _") && text.ends_with(':')) {
      if (labels.size() < 16) labels.push_back(RstName(text.substr(4, text.size() - 5)));
      continue;
    }
    if (text.starts_with(".. |")) {
      ReadSubstitution(text, &names);
    } else if (text.starts_with("..") || lines[i].indent > 0) {
      continue;  // other markup may stand between a label and its title
    } else if (!labels.empty()) {
      size_t title = i;
      if (IsAdornment(text) && i + 1 < lines.size()) ++title;
      if (title + 1 < lines.size() && lines[title].content().size() <= kMaxSubstitutionBytes &&
          IsAdornment(lines[title + 1].content())) {
        for (const std::string& label : labels) names.titles.emplace(label, lines[title].content());
      }
    }
    labels.clear();
  }
  for (size_t at = 0; at < project.around.size();) {
    const size_t end = std::min(project.around.find('\n', at), project.around.size());
    const std::string_view text = TrimBlanks(std::string_view(project.around).substr(at, end - at));
    if (text.starts_with(".. |")) ReadSubstitution(text, &names);
    at = end + 1;
  }
  const RstNames raw = names;
  for (auto& [name, value] : names.substitutions) value = RstPlain(value, RstNames{{}, {}, project.links, {}});
  for (auto& [label, title] : names.titles) {
    // Bounds the expansion of a few bytes, even if a title holds substitutions.
    std::string words = RstPlain(title, RstNames{raw.substitutions, {}, {}, {}});
    title = words.size() <= kMaxSubstitutionBytes ? std::move(words) : RstPlain(title, RstNames{});
  }
  return names;
}

}  // namespace sheaf::packer
