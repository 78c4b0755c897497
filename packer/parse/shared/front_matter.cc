#include "packer/parse/shared/front_matter.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>

#include "packer/document/page_facets.h"

namespace sheaf::packer {
namespace {

using Fields = std::map<std::string, std::string>;  // lower-case key -> scalar

std::string_view TrimField(std::string_view text) {
  while (!text.empty() && std::isspace(uint8_t(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(uint8_t(text.back()))) text.remove_suffix(1);
  return text;
}

// Keys are compared without case, '-' and '_': lastUpdated, last_updated and last-updated agree.
std::string Key(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c != '-' && c != '_') out.push_back(char(std::tolower(uint8_t(c))));
  }
  return out;
}

std::string Collapse(std::string_view text) {
  std::string out;
  for (const char c : TrimField(text)) {
    if (!std::isspace(uint8_t(c))) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  return out;
}

// Reads `key: value` (or TOML's `key = value`) lines and passes over everything else.
Fields ReadLines(std::string_view body, char separator) {
  Fields fields;
  for (size_t at = 0; at < body.size();) {
    const size_t end = std::min(body.find('\n', at), body.size());
    const std::string_view line = body.substr(at, end - at);
    at = end + 1;
    const size_t split = line.find(separator);
    if (split == std::string_view::npos || split == 0) continue;
    const std::string_view key = separator == '=' ? TrimField(line.substr(0, split)) : line.substr(0, split);
    const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
      return std::isalnum(uint8_t(c)) || c == '_' || c == '-';
    });
    if (!plain) continue;
    std::string_view value = line.substr(split + 1);
    if (separator == ':' && !value.empty() && value[0] != ' ' && value[0] != '\t') continue;
    value = TrimField(value);
    if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0]) {
      value = value.substr(1, value.size() - 2);
    }
    fields.emplace(Key(key), Collapse(value));
  }
  return fields;
}

// The mapping under `sheaf:`.
struct Own {
  FacetCollector facets;
  float weight = 1;
};

void ReadOwnValues(FacetKind kind, const std::string& name, const YAML::Node& entries, Own* own) {
  if (!entries.IsMap())
    return own->facets.Warn("front matter sheaf." + name + " is left out: expected a mapping such as { author: Anne }");
  for (const auto& entry : entries) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
    if (entry.second.IsScalar()) {
      own->facets.Add(kind, key, entry.second.Scalar());
    } else if (entry.second.IsSequence()) {
      for (const auto& value : entry.second) {
        if (value.IsScalar()) own->facets.Add(kind, key, value.Scalar());
      }
    } else if (!entry.second.IsNull()) {
      own->facets.Warn("front matter sheaf." + name + "." + key.substr(0, kMaxFacetKeyBytes) +
                       " is left out: expected a value or a list of values");
    }
  }
}

void ReadOwn(const YAML::Node& node, Own* own) {
  if (!node.IsMap())
    return own->facets.Warn("front matter sheaf is left out: expected a mapping of weight, filter, meta and sort");
  for (const auto& entry : node) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
    if (name == "filter") {
      ReadOwnValues(FacetKind::kFilter, name, entry.second, own);
    } else if (name == "meta") {
      ReadOwnValues(FacetKind::kMeta, name, entry.second, own);
    } else if (name == "sort") {
      ReadOwnValues(FacetKind::kSort, name, entry.second, own);
    } else if (name == "weight") {
      const std::optional<float> weight = entry.second.IsScalar() ? ParseWeight(entry.second.Scalar()) : std::nullopt;
      if (weight)
        own->weight = *weight;
      else
        own->facets.Warn("front matter sheaf.weight is left out: expected a number from 0 to 10");
    } else {
      own->facets.Warn("front matter sheaf." + name.substr(0, kMaxFacetKeyBytes) +
                       " is unknown: expected weight, filter, meta or sort");
    }
  }
}

// The scalars of a YAML mapping; nullopt when the text is some other YAML. May throw.
std::optional<Fields> ReadYaml(std::string_view body, Own* own) {
  const YAML::Node root = YAML::Load(std::string(body));
  if (root.IsNull()) return Fields();
  if (!root.IsMap()) return std::nullopt;
  Fields fields;
  for (const auto& entry : root) {
    if (!entry.first.IsScalar()) continue;
    const std::string key = Key(entry.first.Scalar());
    if (entry.first.Scalar() == "sheaf") {
      ReadOwn(entry.second, own);
    } else if (entry.second.IsScalar()) {
      fields.emplace(key, Collapse(entry.second.Scalar()));
    } else if (key == "title" && entry.second.IsMap() && entry.second.Style() == YAML::EmitterStyle::Flow) {
      // `title: {let …}` is a mapping by accident: its text is meant.
      const Fields written = ReadLines(body, ':');
      const auto title = written.find(key);
      if (title != written.end()) fields.emplace(key, title->second);
    } else if (key == "lastupdate" && entry.second.IsMap() && entry.second["date"].IsScalar()) {
      fields.emplace(key, Collapse(entry.second["date"].Scalar()));  // Docusaurus
    }
  }
  return fields;
}

// Whether this is a complete address. Relative slugs and Jekyll's `/:year/:title/` patterns are not.
bool IsAddress(std::string_view text) {
  if (text.find_first_of(" \t\"<>\\{}") != std::string_view::npos) return false;
  if (text.substr(0, 8) == "https://") return text.size() > 8;
  if (text.substr(0, 7) == "http://") return text.size() > 7;
  return text.size() > 1 && text[0] == '/' && text[1] != '/' && text.find(':') == std::string_view::npos;
}

std::string Pick(const Fields& fields, std::initializer_list<const char*> keys, bool (*accept)(std::string_view)) {
  for (const char* key : keys) {
    const auto found = fields.find(key);
    if (found != fields.end() && accept(found->second)) return found->second;
  }
  return "";
}

bool NotEmpty(std::string_view text) { return !text.empty() && text != "~" && text != "null"; }

}  // namespace

bool IsIsoDate(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return false;
  for (const size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (!std::isdigit(uint8_t(text[i]))) return false;
  }
  const int month = (text[5] - '0') * 10 + text[6] - '0';
  const int day = (text[8] - '0') * 10 + text[9] - '0';
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  if (text.size() == 10) return true;
  if ((text[10] != 'T' && text[10] != 't' && text[10] != ' ') || text.size() > 40) return false;
  return text.find_first_not_of("0123456789:.,+-Zz ", 11) == std::string_view::npos;
}

std::optional<FrontMatterPlace> FindFrontMatter(std::string_view source) {
  const size_t first_end = source.find('\n');
  if (first_end == std::string_view::npos) return std::nullopt;
  const std::string_view marker = TrimField(source.substr(0, first_end));
  if ((marker != "---" && marker != "+++") || source[0] == ' ') return std::nullopt;

  FrontMatterPlace head;
  head.is_toml = marker == "+++";
  uint32_t lines = 1;
  for (size_t at = first_end + 1; at < source.size();) {
    const size_t end = std::min(source.find('\n', at), source.size());
    const std::string_view line = source.substr(at, end - at);
    const std::string_view trimmed = TrimField(line);
    ++lines;
    const bool closes = trimmed == marker || (!head.is_toml && trimmed == "...");
    if (closes && line[0] != ' ' && line[0] != '\t') {
      head.body = source.substr(first_end + 1, at - first_end - 1);
      head.bytes = std::min(end + 1, source.size());
      head.lines = lines;
      return head;
    }
    at = end + 1;
  }
  return std::nullopt;
}

FrontMatter ReadFrontMatter(std::string_view source) {
  FrontMatter result;
  const std::optional<FrontMatterPlace> head = FindFrontMatter(source);
  if (!head) return result;

  Fields fields;
  Own own;
  bool is_head = true;
  if (head->is_toml) {
    fields = ReadLines(head->body, '=');
    is_head = !fields.empty();
  } else {
    std::string problem;
    if (head->body.size() > kMaxFrontMatterBytes) {
      problem = "it is longer than " + std::to_string(kMaxFrontMatterBytes) + " bytes";
    } else {
      try {
        std::optional<Fields> yaml = ReadYaml(head->body, &own);
        is_head = yaml.has_value();
        if (yaml) fields = std::move(*yaml);
      } catch (const YAML::Exception& e) {
        // yaml-cpp counts from 0, and the opening marker is line 1 of the file.
        problem = "line " + std::to_string(e.mark.line + 2) + ": " + e.msg;
      } catch (const std::exception& e) {
        problem = e.what();
      }
    }
    if (!problem.empty()) {
      fields = ReadLines(head->body, ':');
      is_head = !fields.empty();
      if (is_head) {
        result.warnings.push_back("front matter is not valid YAML (" + problem +
                                  "), read line by line as `key: value`");
      }
    }
  }
  if (!is_head) return result;

  result.bytes = head->bytes;
  result.lines = head->lines;
  result.title = Pick(fields, {"title"}, NotEmpty);
  result.description = Pick(fields, {"description", "summary", "excerpt"}, NotEmpty);
  result.last_modified = Pick(fields,
                              {"lastmodified", "lastmodifiedat", "lastmod", "lastupdated", "lastupdate", "updated",
                               "updatedat", "modified", "date"},
                              IsIsoDate);
  TakePageMeta(&own.facets.facets, &result.title, &result.description);
  result.facets = std::move(own.facets.facets);
  result.weight = own.weight;
  for (std::string& warning : own.facets.TakeWarnings()) result.warnings.push_back(std::move(warning));
  result.url = Pick(fields, {"url", "permalink", "canonicalurl", "slug"}, IsAddress);
  return result;
}

}  // namespace sheaf::packer
