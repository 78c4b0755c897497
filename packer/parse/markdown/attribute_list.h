// Lists of attributes in braces: `{: #id .class}` (kramdown), `{ .class key="v" }` (Python-Markdown), `{#id .class}`
// (Pandoc, goldmark, MyST).
//
// Idea: the grammar is strict, so that braces of prose and code stay: every part is `#id`, `.class` or `key=value`.
// With a colon a part may be a bare name (`{:toc}`, a reference to a list that is defined elsewhere).
#ifndef SHEAF_PACKER_PARSE_MARKDOWN_ATTRIBUTE_LIST_H_
#define SHEAF_PACKER_PARSE_MARKDOWN_ATTRIBUTE_LIST_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace sheaf::packer {

struct AttributeList {
  size_t end = 0;  // behind the closing brace
  bool colon = false;
  bool is_toc = false;  // the list in front is a stand-in for a table of contents
  std::string_view id;
};

// The list that begins at `at`. REQUIRES: text[at] == '{'
std::optional<AttributeList> ReadAttributeList(std::string_view text, size_t at);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_MARKDOWN_ATTRIBUTE_LIST_H_
