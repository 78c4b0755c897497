#include "packer/template/content_tabs.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/text_scan.h"
#include "packer/include/select_lines.h"

namespace sheaf::packer {
namespace {

// `=== "Name"`, `===+ "Name"`, `===! "Name"`: the name.
std::optional<std::string_view> TabName(std::string_view words) {
  if (!words.starts_with("===")) return std::nullopt;
  words.remove_prefix(3);
  if (words.starts_with('+') || words.starts_with('!')) words.remove_prefix(1);
  if (!words.starts_with(' ')) return std::nullopt;
  words = Trim(words);
  if (words.size() < 3 || words.front() != '"' || words.back() != '"') return std::nullopt;
  words = words.substr(1, words.size() - 2);
  // A picture in front: `:material-linux: Linux`.
  const size_t space = words.find(": ");
  const bool has_icon = words.starts_with(':') && space != words.npos && space > 1 && words.find(' ') == space + 1;
  return has_icon ? Trim(words.substr(space + 2)) : words;
}

// `::: package.object`: the object.
std::string_view DrawnObject(std::string_view words) {
  if (!words.starts_with("::: ")) return {};
  words = Trim(words.substr(4));
  const bool plain = words.find('.') != words.npos &&
                     std::all_of(words.begin(), words.end(), [](char c) { return IsWordByte(c) || c == '.'; });
  return plain ? words : std::string_view();
}

}  // namespace

NumberedText ExpandContentTabs(std::string_view text, TemplateFiles* files) {
  NumberedText out;
  std::vector<size_t> tabs;  // columns of the open ones, as written
  std::string fence;
  uint32_t number = 0;
  std::optional<size_t> drawn;  // the column of the object whose options follow
  for (std::string_view line : ListLines(text)) {
    ++number;
    const std::string_view words = Trim(line);
    const size_t indent = Indent(line);
    if (!words.empty()) {
      while (!tabs.empty() && indent < tabs.back() + 4) {
        tabs.pop_back();
        fence.clear();  // it cannot reach out of its tab
      }
    }
    if (drawn && !words.empty() && indent > *drawn) continue;
    if (!words.empty()) drawn.reset();
    // Under a heading of its own, the object names the section.
    const size_t marks = std::min(words.find_first_not_of("#> "), words.size());
    const std::string_view named = words.substr(0, marks).ends_with("# ") ? DrawnObject(words.substr(marks)) : "";
    if (fence.empty() && !named.empty()) {
      files->LeftOut("::: of mkdocstrings");
      out.Append(std::string(words.substr(0, marks)) + std::string(named) + "\n", number, false);
      drawn = indent;
      continue;
    }
    if (fence.empty() && !DrawnObject(words).empty()) {
      files->LeftOut("::: of mkdocstrings");
      drawn = indent;
      continue;
    }
    line = Dedent(line, 4 * tabs.size());
    const std::optional<std::string_view> name = fence.empty() ? TabName(words) : std::nullopt;
    if (name && tabs.size() < kMaxTabDepth) {
      const std::string margin(line.substr(0, line.size() - words.size() - (line.size() - TrimEnd(line).size())));
      out.Append(margin + "**" + std::string(*name) + "**\n", number, false);
      tabs.push_back(indent);
      continue;
    }
    const size_t run = words.empty() || (words[0] != '`' && words[0] != '~')
                           ? 0
                           : std::min(words.find_first_not_of(words[0]), words.size());
    if (run >= 3 && fence.empty() && (words[0] == '~' || words.find('`', run) == words.npos)) {
      fence.assign(run, words[0]);
    } else if (!fence.empty() && run == words.size() && run >= fence.size() && words[0] == fence[0]) {
      fence.clear();
    }
    if (fence.empty() && words.starts_with("???+ ")) {
      out.Append(std::string(line.substr(0, line.find('?'))) + "???", number, false);
      line.remove_prefix(line.find('+') + 1);
    }
    out.Append(line, number, false);
    out.Append("\n", number, false);
  }
  return out;
}

}  // namespace sheaf::packer
