// The front matter of a Markdown page: YAML between two `---` lines (or Hugo's TOML between `+++`).
//
// Idea: only a few facts are wanted (title, description, date, address), so front matter that is not valid YAML is
// still read line by line as `key: value`, with a warning. A `---` without a closing line or without a key inside is a
// thematic break and stays in the text.
//
// Filters, meta, sorts and a weight are read only under the key `sheaf`, so that a site's own `tags` do not turn into
// unwanted filters:
//
//   sheaf:
//     weight: 0.5
//     filter: { tag: [guide, beginner], author: Anne }
//     meta: { image: /hero.png }
//     sort: { date: 2024-06-01 }
//
// Cost: linear; front matter beyond kMaxFrontMatterBytes goes to the line reader.
#ifndef SHEAF_PACKER_PARSE_SHARED_FRONT_MATTER_H_
#define SHEAF_PACKER_PARSE_SHARED_FRONT_MATTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "packer/document/document.h"

namespace sheaf::packer {

inline constexpr size_t kMaxFrontMatterBytes = 64 << 10;

struct FrontMatter : PageHead {  // facets: under `sheaf:`, as filter, meta and sort
  size_t bytes = 0;              // to drop from the source; 0: there is none
  uint32_t lines = 0;            // lines in those bytes
  float weight = 1;              // under `sheaf:`
};

// Where it stands. A key inside is not asked for.
struct FrontMatterPlace {
  std::string_view body;  // between the lines of its marks
  size_t bytes = 0;       // with both lines
  uint32_t lines = 0;     // in those bytes
  bool is_toml = false;
};
std::optional<FrontMatterPlace> FindFrontMatter(std::string_view source);

// `source` is clean text (charset.h). Never throws.
FrontMatter ReadFrontMatter(std::string_view source);

// True for `2024-01-31`, alone or followed by a time.
bool IsIsoDate(std::string_view text);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_SHARED_FRONT_MATTER_H_
