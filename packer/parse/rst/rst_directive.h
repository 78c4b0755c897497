// The parts of a directive: `.. domain:name:: arguments`, its options, its content.
#ifndef SHEAF_PACKER_PARSE_RST_RST_DIRECTIVE_H_
#define SHEAF_PACKER_PARSE_RST_RST_DIRECTIVE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "packer/parse/rst/rst_lines.h"

namespace sheaf::packer {

struct Directive {
  std::string_view domain;                  // "py" of "py:function"
  std::string name;                         // "function"; in lower case, since case does not count
  std::vector<std::string_view> arguments;  // lines, without blanks around
  std::unordered_map<std::string, std::string> options;
  size_t content = 0, end = 0;  // lines of the content
  uint32_t indent = 0;          // of the content
  size_t line = 0;

  bool has_content() const { return content < end; }
  // The arguments as one text.
  std::string Joined(char separator) const;
};

// Reads the directive on line `i`: arguments up to a blank line or the first option, options, content up to `end`.
// `rest` is the rest of line `i` after "name::". The views look into `lines`.
Directive ReadDirective(const RstLines& lines, size_t i, std::string_view name, std::string_view rest, size_t end);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_DIRECTIVE_H_
