#include "packer/parse/rst/rst_directive.h"

#include <algorithm>

#include "packer/base/text_scan.h"
#include "packer/parse/rst/rst_inline.h"
#include "packer/parse/rst/rst_syntax.h"

namespace sheaf::packer {

std::string Directive::Joined(char separator) const {
  std::string text;
  for (const std::string_view line : arguments) {
    if (!text.empty()) text += separator;
    text += line;
  }
  return text;
}

Directive ReadDirective(const RstLines& lines, size_t i, std::string_view name, std::string_view rest, size_t end) {
  Directive directive;
  directive.line = i;
  directive.end = end;
  if (const size_t colon = name.find(':'); colon != std::string_view::npos) {
    directive.domain = name.substr(0, colon);
    name.remove_prefix(colon + 1);
  }
  directive.name = Lower(name);
  if (!TrimBlanks(rest).empty()) directive.arguments.push_back(TrimBlanks(rest));
  size_t k = i + 1;
  std::string_view option;
  while (k < end && !lines[k].text.empty() && FieldWidth(lines[k].content(), &option) == 0) {
    directive.arguments.push_back(lines[k++].content());
  }
  directive.content = k;
  // Without a blank line there are options only if the first line looks like one.
  std::string key;
  while (k < end && !lines[k].text.empty()) {
    if (const size_t width = FieldWidth(lines[k].content(), &option)) {
      key = RstName(option);
      directive.options[key] = lines[k].content().substr(std::min(width, lines[k].content().size()));
    } else if (!key.empty()) {
      std::string& value = directive.options[key];
      if (value.size() < 65536) value.append(value.empty() ? "" : "\n").append(lines[k].content());
    }
    ++k;
  }
  directive.content = lines.NextText(k, end);
  directive.indent = directive.content < end ? lines.LeastIndent(directive.content, end) : 0;
  return directive;
}

}  // namespace sheaf::packer
