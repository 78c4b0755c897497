// Hugo's shortcodes in a text: `{{< name a b=c >}}`, `{{% /name %}}`, `{{< name />}}`, and the escaped `{{</* name */>}}`.
//
// Idea: the tags are found first and paired, innermost first; expansion then walks them as a tree.
//
// Invariants: tags ascend and do not overlap. `match` of an opening tag is the index of its closing tag, and the tags
// between the two are matched within.
// Bounds: kMaxTagText bytes a tag; pairs nest at most kMaxShortcodeDepth deep, and deeper tags have no partner.
// Cost: linear.
#ifndef SHEAF_PACKER_TEMPLATE_SHORTCODE_TAGS_H_
#define SHEAF_PACKER_TEMPLATE_SHORTCODE_TAGS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sheaf::packer {

inline constexpr size_t kMaxShortcodeText = size_t(16) << 10;
inline constexpr size_t kMaxShortcodeDepth = 64;

struct ShortcodeTag {
  enum Kind : uint8_t { kOpens, kCloses, kEscaped } kind = kOpens;
  size_t begin = 0, end = 0;
  std::string_view name;
  std::vector<std::string> positional;
  std::vector<std::pair<std::string_view, std::string>> named;
  size_t match = 0;     // index of the closing tag; 0: it has none
  std::string written;  // kEscaped: what a reader sees

  // The first of these parameters that the tag has and that is not empty.
  std::optional<std::string_view> Named(std::initializer_list<std::string_view> names) const;
  std::string_view At(size_t index) const {
    return index < positional.size() ? std::string_view(positional[index]) : std::string_view();
  }
};

// Views are into `text`.
std::vector<ShortcodeTag> FindShortcodes(std::string_view text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_SHORTCODE_TAGS_H_
