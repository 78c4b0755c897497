// A site's own definition of a shortcode (`layouts/shortcodes/NAME.html`), where it is simple enough to follow.
//
// Idea: many definitions only wrap what stands between the tags, or print a parameter. Such a definition is a list of
// parts: its own text, `.Inner`, a parameter, parts that need a parameter. One action that means anything else
// (`range`, `partial`, `.Site`) makes the definition unknown as a whole.
//
// Cost: linear in the definition.
#ifndef SHEAF_PACKER_TEMPLATE_SHORTCODE_LAYOUT_H_
#define SHEAF_PACKER_TEMPLATE_SHORTCODE_LAYOUT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/template/shortcode_tags.h"

namespace sheaf::packer {

class ShortcodeLayout {
 public:
  static std::optional<ShortcodeLayout> Parse(std::string_view text);

  struct Output {
    bool inner = false;  // the text between the tags stands here
    std::string text;
  };
  std::vector<Output> Write(const ShortcodeTag& tag) const;

 private:
  struct Part {
    enum Kind : uint8_t { kText, kInner, kValue, kIf, kElse, kEnd } kind = kText;
    std::string text;       // kText; kValue: what stands for an empty one
    std::string parameter;  // kValue, kIf: a name, or a number
  };
  std::vector<Part> parts_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_SHORTCODE_LAYOUT_H_
