// The values that templates print: of a page's front matter, and of a site's configuration.
//
// Idea: a value is a scalar under its dotted name ("params.version"), whatever language it is written in: YAML, or the
// part of TOML that configurations consist of (tables and `key = value`). Names are compared without case, as Hugo does.
//
// Bounds: kMaxValues names, kMaxValueDepth levels, kMaxConfigBytes of text; what lies beyond is unknown.
#ifndef SHEAF_PACKER_TEMPLATE_VALUES_H_
#define SHEAF_PACKER_TEMPLATE_VALUES_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace sheaf::packer {

inline constexpr size_t kMaxValues = 4000;
inline constexpr size_t kMaxValueDepth = 8;
inline constexpr size_t kMaxConfigBytes = size_t(64) << 10;

using Values = std::map<std::string, std::string, std::less<>>;

// Neither throws; a text that cannot be read has no values.
Values ReadYamlValues(std::string_view text);
Values ReadTomlValues(std::string_view text);

// Of the page's front matter (parse/shared/front_matter.h).
Values ReadPageValues(std::string_view page);
// Its length with the lines of its marks; 0 without one.
size_t FrontMatterBytes(std::string_view page);
inline std::string_view WithoutFrontMatter(std::string_view page) { return page.substr(FrontMatterBytes(page)); }

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_VALUES_H_
