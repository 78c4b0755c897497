#include "packer/embed/embedding_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace sheaf::packer {

std::string EmbeddingText(const PageInput& page, size_t passage) {
  const PassageInput& wanted = page.passages[passage];
  std::vector<std::string_view> parts;
  const auto add = [&](std::string_view part) {
    if (!part.empty() && std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  };
  add(page.title);
  for (const std::string& heading : wanted.headings) add(heading);
  std::string text;
  for (std::string_view part : parts) {
    if (!text.empty()) text += " > ";
    text += part;
  }
  if (!text.empty()) text += '\n';
  const uint32_t begin = passage == 0 ? 0 : page.passages[passage - 1].end;
  uint32_t at = begin;
  for (auto target = std::lower_bound(page.targets.begin(), page.targets.end(), begin,
                                      [](const TextRange&range, uint32_t from) { return range.begin < from; });
       target != page.targets.end() && target->begin < wanted.end; ++target) {
    text.append(page.text, at, target->begin - at);
    at = target->begin + target->size;
  }
  text.append(page.text, at, wanted.end - at);
  return text;
}

}  // namespace sheaf::packer
