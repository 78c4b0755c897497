#include "packer/parse/rst/rst_project.h"

#include <algorithm>

#include "packer/base/python_literals.h"
#include "packer/base/text_scan.h"
#include "packer/parse/parse.h"
#include "packer/parse/rst/rst_syntax.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxAround = 64 << 10;
constexpr size_t kMaxLinks = 200;

// ":ref:`" or ":py:func:`".
bool HasRole(std::string_view line) {
  for (size_t at = line.find(":`"); at != line.npos; at = line.find(":`", at + 1)) {
    size_t begin = at;
    while (begin > 0 && at - begin < 40 &&
           (IsAlpha(line[begin - 1]) || line[begin - 1] == ':' || line[begin - 1] == '-'))
      --begin;
    const bool is_apart = begin == 0 || !IsWordByte(line[begin - 1]);
    if (is_apart && at > begin + 1 && line[begin] == ':' && line.find('`', at + 2) != line.npos) return true;
  }
  return false;
}

// ".. note::", with a name that has a meaning here.
bool IsKnownDirective(std::string_view line) {
  if (!line.starts_with(".. ")) return false;
  const size_t colons = line.find("::");
  if (colons == line.npos || colons > 64) return false;
  std::string_view name = Trim(line.substr(3, colons - 3));
  name.remove_prefix(name.rfind(':') + 1);  // npos + 1 is 0
  return DirectiveOf(Lower(name)) != RstDirective::kUnknown;
}

}  // namespace

RstProject ReadRstProject(std::string_view conf_py) {
  RstProject project;
  const auto values = ReadPythonLiterals(conf_py);
  const auto text = [&](std::string_view name) {
    const auto found = values.find(name);
    const bool is_text = found != values.end() && found->second.kind == PythonValue::kText;
    return is_text && found->second.text.size() <= kMaxAround ? found->second.text : std::string();
  };
  project.around = text("rst_prolog") + "\n\n" + text("rst_epilog") + "\n\n";
  for (const char* name : {"version", "release"}) {
    const std::string value = text(name);
    const bool is_line = !value.empty() && value.find('\n') == value.npos;
    if (is_line) project.around += ".. |" + std::string(name) + "| replace:: " + value + "\n";
  }
  if (const auto links = values.find("extlinks"); links != values.end()) {
    for (size_t i = 0; i < links->second.keys.size() && project.links.size() < kMaxLinks; ++i) {
      const std::vector<PythonValue>& pair = links->second.items[i].items;
      // (address, words); without words, or with a function of them, the text stands for itself.
      const bool has_words = pair.size() >= 2 && pair[1].kind == PythonValue::kText && pair[1].text.size() <= 100;
      std::string words = has_words && pair[1].text.find("%s") != std::string::npos ? pair[1].text : "%s";
      if (!links->second.keys[i].empty()) project.links.emplace(links->second.keys[i], std::move(words));
    }
  }
  return project;
}

bool LooksLikeRst(std::string_view text) {
  bool has_title = false, has_mark = false;
  std::string_view above;
  for (size_t at = 0; at < text.size() && !(has_title && has_mark);) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = TrimEnd(text.substr(at, end - at));
    has_title |= line.size() >= 3 && IsAdornment(line) && !above.empty() && !IsAdornment(above) &&
                 line.size() + 3 >= std::min<size_t>(above.size(), 80);
    const bool is_label = line.starts_with(".. _") && line.ends_with(':');
    has_mark |= is_label || IsKnownDirective(line) || HasRole(line);
    above = line;
    at = end + 1;
  }
  return has_title && has_mark;
}

}  // namespace sheaf::packer
