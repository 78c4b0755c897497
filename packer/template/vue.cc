#include "packer/template/vue.h"

#include <algorithm>

#include "packer/base/text_scan.h"
#include "packer/template/code_ranges.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMostBytes = 300;  // of an expression

// The words of `'text'` or `"text"`; empty for any other expression.
std::string_view ExpressionWords(std::string_view expression) {
  const bool quoted = expression.size() > 1 && (expression[0] == '\'' || expression[0] == '"') &&
                      expression.find(expression[0], 1) == expression.size() - 1;
  return quoted ? expression.substr(1, expression.size() - 2) : std::string_view();
}

}  // namespace

NumberedText ExpandVue(std::string_view text, size_t verbatim, TemplateFiles* files) {
  NumberedText out;
  uint32_t line = 1;
  size_t at = 0;
  const auto lines_to = [&](size_t to) {
    return uint32_t(std::count(text.begin() + ptrdiff_t(at), text.begin() + ptrdiff_t(to), '\n'));
  };
  if (text.find("v-pre") == text.npos) {
    const CodeRanges code(text.substr(verbatim));
    for (size_t open = verbatim; (open = text.find("{{", open)) != text.npos;) {
      const size_t close = text.substr(open, kMostBytes).find("}}", 2);
      if (close == text.npos || code.Holds(open - verbatim)) {
        open += 2;
        continue;
      }
      out.Append(text.substr(at, open - at), line, true);
      line += lines_to(open);
      at = open;
      const std::string_view words = ExpressionWords(Trim(text.substr(open + 2, close - 2)));
      out.Append(words, line, false);
      if (words.empty()) files->LeftOut("{{ }} of Vue");
      open += close + 2;
      line += lines_to(open);
      at = open;
    }
  }
  out.Append(text.substr(at), line, true);
  return out;
}

}  // namespace sheaf::packer
