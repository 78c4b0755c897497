#include "packer/template/values.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "packer/base/text_scan.h"
#include "packer/parse/shared/front_matter.h"

namespace sheaf::packer {
namespace {

// Aliases make a small text a large tree, so visits count.
void Flatten(const YAML::Node& node, const std::string& name, size_t depth, size_t* visits, Values* values) {
  if (depth > kMaxValueDepth || ++*visits > kMaxValues) return;
  if (node.IsScalar()) {
    if (!name.empty()) values->emplace(name, node.Scalar());
  } else if (node.IsMap()) {
    for (const auto& entry : node) {
      if (*visits > kMaxValues) return;
      if (!entry.first.IsScalar()) continue;
      const std::string key = Lower(entry.first.Scalar());
      Flatten(entry.second, name.empty() ? key : name + "." + key, depth + 1, visits, values);
    }
  }
}

std::string_view WithoutQuotes(std::string_view value) {
  if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'')) {
    const size_t close = value.find(value[0], 1);
    return close == value.npos ? value : value.substr(1, close - 1);
  }
  return Trim(value.substr(0, value.find('#')));
}

}  // namespace

Values ReadYamlValues(std::string_view text) {
  Values values;
  if (text.size() > kMaxConfigBytes) return values;
  try {
    size_t visits = 0;
    Flatten(YAML::Load(std::string(text)), "", 0, &visits, &values);
  } catch (const std::exception&) {
    values.clear();
  }
  return values;
}

Values ReadTomlValues(std::string_view text) {
  Values values;
  if (text.size() > kMaxConfigBytes) return values;
  std::string table;
  for (size_t at = 0; at < text.size() && values.size() < kMaxValues;) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = Trim(text.substr(at, end - at));
    at = end + 1;
    if (line.starts_with('[')) {
      const bool is_list = line.starts_with("[[");
      table = is_list ? "[]." : Lower(Trim(line.substr(1, line.find(']') - 1))) + ".";
      continue;
    }
    const size_t equals = line.find('=');
    if (line.starts_with('#') || equals == line.npos || equals == 0) continue;
    const std::string_view value = Trim(line.substr(equals + 1));
    if (value.empty() || value[0] == '[' || value[0] == '{' || value.starts_with("\"\"\"")) continue;
    values.emplace(table + Lower(WithoutQuotes(Trim(line.substr(0, equals)))), std::string(WithoutQuotes(value)));
  }
  return values;
}

Values ReadPageValues(std::string_view page) {
  const std::optional<FrontMatterPlace> place = FindFrontMatter(page);
  if (!place) return {};
  return place->is_toml ? ReadTomlValues(place->body) : ReadYamlValues(place->body);
}

size_t FrontMatterBytes(std::string_view page) {
  const std::optional<FrontMatterPlace> place = FindFrontMatter(page);
  return place ? place->bytes : 0;
}

}  // namespace sheaf::packer
