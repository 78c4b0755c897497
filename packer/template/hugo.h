// Expands Hugo's shortcodes. The table of names is in hugo.cc.
#ifndef SHEAF_PACKER_TEMPLATE_HUGO_H_
#define SHEAF_PACKER_TEMPLATE_HUGO_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/template/code_ranges.h"
#include "packer/template/numbered_text.h"
#include "packer/template/shortcode_layout.h"
#include "packer/template/shortcode_tags.h"
#include "packer/template/template_files.h"
#include "packer/template/values.h"

namespace sheaf::packer {

class Hugo {
 public:
  // `page`: the values of its front matter; `site`: of the site's configuration.
  Hugo(TemplateFiles* files, const Values& page, const Values& site) : files_(files), page_(page), site_(site) {}

  // REQUIRES: `tags` are those of `text`
  NumberedText Expand(std::string_view text, const std::vector<ShortcodeTag>& tags);

 private:
  // A text that is being expanded.
  struct Source {
    std::string_view text;
    const std::vector<ShortcodeTag>& tags;
    std::vector<size_t> starts;  // of the page's lines; empty: an included text
    uint32_t line = 0;           // of an included text: that of the page that includes it
    CodeRanges code;
  };
  struct Range {
    size_t begin, end;  // of the text
    size_t tag, last;   // of the tags
  };
  // A tag, or a pair with what stands between, where it stands.
  struct Place {
    const ShortcodeTag* tag = nullptr;
    const NumberedText* inner = nullptr;  // null: a single tag
    std::string indent;                   // of the lines that the tag's own line begins
    bool alone = false;                   // no words stand beside it
    bool in_code = false;
    uint32_t line = 0;
  };

  void Walk(const Source& source, Range range, NumberedText* out);
  void Write(const Place& place, NumberedText* out);
  void WriteKnown(const Place& place, std::string_view name, NumberedText* out);
  bool WriteLayout(const Place& place, NumberedText* out);

  void Copy(const Source& source, size_t begin, size_t end, NumberedText* out);
  static uint32_t LineOf(const Source& source, size_t at);
  void Insert(const Place& place, std::string_view text, NumberedText* out);
  void Unwrap(const Place& place, std::string_view title, NumberedText* out);
  void Fence(const Place& place, std::string_view language, NumberedText* out);
  void FenceText(const Place& place, std::string_view language, std::string_view code, NumberedText* out);
  void Include(const Place& place, NumberedText* out);
  void IncludeCode(const Place& place, std::string_view target, NumberedText* out);
  void Definition(const Place& place, NumberedText* out);
  void IncludeText(const Place& place, const IncludedFile& file, std::string_view target, std::string_view text,
                   NumberedText* out);
  std::string ValueOf(std::string_view name) const;
  const std::optional<ShortcodeLayout>& LayoutOf(std::string_view name);

  TemplateFiles* const files_;
  const Values& page_;
  const Values& site_;
  std::map<std::string, std::optional<ShortcodeLayout>, std::less<>> layouts_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_HUGO_H_
