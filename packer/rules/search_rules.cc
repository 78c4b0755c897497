#include "packer/rules/search_rules.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "base/number.h"
#include "packer/base/paths.h"
#include "packer/base/printable.h"
#include "packer/base/read_file.h"
#include "packer/document/page_facets.h"
#include "packer/document/place.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxTextBytes = 500;  // of one value
constexpr size_t kMaxExcluded = 1000;

// Reads the file from the top. The first error stays, and ends the reading.
class Reader {
 public:
  explicit Reader(SearchRules* rules) : rules_(*rules) {}

  Status Read(const YAML::Node& root) {
    if (root.IsNull()) return {};
    if (!root.IsMap()) return Bad(root, "the file", "expected keys such as synonyms and pins");
    for (const auto& entry : root) {
      const std::string key = Scalar(entry.first);
      if (!keys_.insert(key).second) return Bad(entry.first, key, "stands there twice");
      const YAML::Node& value = entry.second;
      if (value.IsNull()) continue;
      if (key == "synonyms") {
        SHEAF_RETURN_IF_ERROR(ReadSynonyms(value));
      } else if (key == "pins") {
        SHEAF_RETURN_IF_ERROR(ReadPins(value));
      } else if (key == "weights") {
        SHEAF_RETURN_IF_ERROR(ReadWeights(value));
      } else if (key == "exclude") {
        SHEAF_RETURN_IF_ERROR(ReadExclude(value));
      } else if (key == "start") {
        SHEAF_RETURN_IF_ERROR(ReadStart(value));
      } else if (key == "crumbs") {
        SHEAF_RETURN_IF_ERROR(ReadCrumbs(value));
      } else if (key == "box") {
        SHEAF_RETURN_IF_ERROR(ReadBox(value));
      } else {
        return Bad(entry.first, key, "is unknown; expected synonyms, pins, weights, exclude, start, crumbs or box");
      }
    }
    return {};
  }

 private:
  static std::string Scalar(const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : std::string(); }
  static int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

  Error Bad(const YAML::Node& node, std::string_view key, const std::string& what) const {
    return Error{ErrorCode::kInvalidArgument, rules_.file + ":" + std::to_string(std::max(LineOf(node), 1)) + ": " +
                                                  TerminalText(key.substr(0, 100)) + ": " + TerminalText(what)};
  }

  Status CheckMap(const YAML::Node& node, std::string_view key, const std::string& expected, size_t most) const {
    if (!node.IsMap()) return Bad(node, key, "expected " + expected);
    if (node.size() > most) return Bad(node, key, "are more than " + std::to_string(most));
    return CheckOnce(node, key);
  }

  // YAML lets a key stand twice; then one of them would not be kept.
  Status CheckOnce(const YAML::Node& map, std::string_view key) const {
    std::set<std::string> known;
    for (const auto& entry : map) {
      const std::string name = Scalar(entry.first);
      if (!known.insert(name).second) return Bad(entry.first, std::string(key) + "." + name, "stands there twice");
    }
    return {};
  }

  Status CheckCount(const YAML::Node& list, std::string_view key, size_t most) const {
    if (list.size() <= most) return {};
    return Bad(list, key, "has " + std::to_string(list.size()) + " entries; expected at most " + std::to_string(most));
  }

  // The `i`th of what Texts read.
  static YAML::Node EntryOf(const YAML::Node& texts, size_t i) { return texts.IsSequence() ? texts[i] : texts; }

  // A text of the file.
  Result<std::string> Text(const YAML::Node& node, std::string_view key) const {
    if (!node.IsScalar() || node.Scalar().empty()) return Bad(node, key, "expected a text");
    if (node.Scalar().size() > kMaxTextBytes) {
      return Bad(
          node, key,
          "has " + std::to_string(node.Scalar().size()) + " bytes; expected at most " + std::to_string(kMaxTextBytes));
    }
    return node.Scalar();
  }

  // One text, or a list of them.
  Result<std::vector<std::string>> Texts(const YAML::Node& node, std::string_view key, size_t most) const {
    std::vector<std::string> texts;
    if (!node.IsSequence()) {
      SHEAF_ASSIGN_OR_RETURN(std::string text, Text(node, key));
      texts.push_back(std::move(text));
      return texts;
    }
    SHEAF_RETURN_IF_ERROR(CheckCount(node, key, most));
    for (const auto& each : node) {
      SHEAF_ASSIGN_OR_RETURN(std::string text, Text(each, key));
      texts.push_back(std::move(text));
    }
    return texts;
  }

  Status ReadSynonyms(const YAML::Node& list) {
    const std::string key = "synonyms";
    if (!list.IsSequence()) return Bad(list, key, "expected a list, such as - [k8s, kubernetes]");
    for (const auto& each : list) {
      if (each.IsSequence()) {
        SHEAF_ASSIGN_OR_RETURN(const std::vector<std::string> words, Texts(each, key, 50));
        if (words.size() < 2) return Bad(each, key, "has one word; expected two or more: [k8s, kubernetes]");
        for (const std::string& from : words) {
          for (const std::string& to : words) {
            if (&from != &to) rules_.synonyms.push_back({from, to});
          }
        }
      } else if (each.IsMap()) {
        SHEAF_RETURN_IF_ERROR(CheckOnce(each, key));
        std::vector<std::string> from, to;
        for (const auto& entry : each) {
          const std::string name = Scalar(entry.first);
          if (name != "from" && name != "to") {
            return Bad(entry.first, key + "." + name, "is unknown; expected from and to");
          }
          std::vector<std::string>& words = name == "from" ? from : to;
          SHEAF_ASSIGN_OR_RETURN(words, Texts(entry.second, key + "." + name, 50));
        }
        if (from.empty() || to.empty()) return Bad(each, key, "expected { from: undo, to: [revert, roll back] }");
        for (const std::string& asked : from) {
          for (const std::string& meant : to) rules_.synonyms.push_back({asked, meant});
        }
      } else {
        return Bad(each, key, "expected [k8s, kubernetes] or { from: undo, to: [revert, roll back] }");
      }
      if (rules_.synonyms.size() > kMaxSynonyms) {
        return Bad(each, key, "are more than " + std::to_string(kMaxSynonyms) + ", each direction counted");
      }
    }
    return {};
  }

  Status ReadPins(const YAML::Node& map) {
    SHEAF_RETURN_IF_ERROR(CheckMap(map, "pins", "words and pages, such as install: guide/install.html", kMaxPinTexts));
    for (const auto& entry : map) {
      SearchRules::Pin pin;
      SHEAF_ASSIGN_OR_RETURN(pin.words, Text(entry.first, "pins"));
      SHEAF_ASSIGN_OR_RETURN(pin.pages, Texts(entry.second, "pins." + pin.words, kMaxPins));
      pin.line = LineOf(entry.first);
      rules_.pins.push_back(std::move(pin));
    }
    return {};
  }

  Status ReadWeights(const YAML::Node& map) {
    SHEAF_RETURN_IF_ERROR(CheckMap(map, "weights", "paths and numbers, such as \"blog/**\": 0.3", kMaxWeightRules));
    for (const auto& entry : map) {
      SHEAF_ASSIGN_OR_RETURN(const std::string text, Text(entry.first, "weights"));
      const std::string key = "weights." + text;
      Result<WeightRule> weight = ParseWeightRule(text);
      if (!weight.ok()) return Bad(entry.first, key, weight.error().message);
      const std::optional<double> number = ParseNumber(Scalar(entry.second));
      if (!number || *number < 0 || *number > double(kMaxWeight))
        return Bad(entry.second, key, "expected a number from 0 to 10");
      weight->weight = float(*number);
      weight->line = LineOf(entry.first);
      rules_.weights.push_back(std::move(*weight));
    }
    return {};
  }

  Status ReadExclude(const YAML::Node& list) {
    const std::string key = "exclude";
    if (!list.IsSequence()) return ReadExcluded(list, key);
    SHEAF_RETURN_IF_ERROR(CheckCount(list, key, kMaxExcluded));
    for (const auto& each : list) SHEAF_RETURN_IF_ERROR(ReadExcluded(each, key));
    return {};
  }

  // A glob, or selectors of parts.
  Status ReadExcluded(const YAML::Node& node, const std::string& key) {
    if (!node.IsMap()) {
      SHEAF_ASSIGN_OR_RETURN(std::string text, Text(node, key));
      const Result<Glob> glob = Glob::Parse(text);
      if (!glob.ok()) return Bad(node, key, glob.error().message);
      rules_.exclude.push_back(std::move(text));
      return {};
    }
    if (node.size() == 0) return Bad(node, key, "expected { select: .changelog }");
    SHEAF_RETURN_IF_ERROR(CheckOnce(node, key));
    for (const auto& entry : node) {
      const std::string name = Scalar(entry.first);
      if (name != "select") return Bad(entry.first, key + "." + name, "is unknown; expected { select: .changelog }");
      SHEAF_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                             Texts(entry.second, key + ".select", kMaxPartSelectors));
      for (size_t i = 0; i < texts.size(); ++i) {
        Result<std::vector<PartSelector>> selectors = ParsePartSelectors(texts[i]);
        const YAML::Node at = EntryOf(entry.second, i);
        if (!selectors.ok()) return Bad(at, key + ".select", "'" + texts[i] + "' " + selectors.error().message);
        for (PartSelector& selector : *selectors) {
          selector.line = LineOf(at);
          rules_.parts.push_back(std::move(selector));
        }
        if (rules_.parts.size() > kMaxPartSelectors)
          return Bad(at, key + ".select", "are more than " + std::to_string(kMaxPartSelectors) + " selectors");
      }
    }
    return {};
  }

  Status ReadStart(const YAML::Node& list) {
    SHEAF_ASSIGN_OR_RETURN(const std::vector<std::string> pages, Texts(list, "start", 8));
    for (size_t i = 0; i < pages.size(); ++i) {
      rules_.start.emplace_back(pages[i], LineOf(EntryOf(list, i)));
    }
    return {};
  }

  Status ReadCrumbs(const YAML::Node& map) {
    SHEAF_RETURN_IF_ERROR(CheckMap(map, "crumbs", "names and other names, such as api_v2: API 2", 1000));
    for (const auto& entry : map) {
      SHEAF_ASSIGN_OR_RETURN(const std::string from, Text(entry.first, "crumbs"));
      std::string to;
      if (!entry.second.IsScalar() || !entry.second.Scalar().empty()) {
        SHEAF_ASSIGN_OR_RETURN(to, Text(entry.second, "crumbs." + from));
      }
      rules_.crumbs[from] = to;
      rules_.crumbs.emplace(FolderName(from), to);  // as a folder is shown
    }
    return {};
  }

  Status ReadBox(const YAML::Node& map) {
    SHEAF_RETURN_IF_ERROR(CheckMap(map, "box", "texts and limits, such as placeholder: Ask us", 100));
    for (const auto& entry : map) {
      const std::string name = Scalar(entry.first), key = "box." + name;
      const auto number = std::find_if(std::begin(kBoxNumbers), std::end(kBoxNumbers),
                                       [&](const BoxNumber& each) { return each.name == name; });
      if (name == "words") {
        SHEAF_RETURN_IF_ERROR(ReadBoxWords(entry.second, key));
      } else if (name == "placeholder") {
        SHEAF_ASSIGN_OR_RETURN(rules_.box.placeholder, Text(entry.second, key));
      } else if (number != std::end(kBoxNumbers)) {
        const std::optional<double> value = ParseNumber(Scalar(entry.second));
        if (!value || *value != std::floor(*value) || *value < number->least || *value > number->most) {
          return Bad(
              entry.second, key,
              "expected a whole number from " + std::to_string(number->least) + " to " + std::to_string(number->most));
        }
        rules_.box.numbers.emplace_back(name, uint32_t(*value));
      } else {
        return Bad(entry.first, key, "is unknown; expected placeholder, pages, sections, recent or words");
      }
    }
    return {};
  }

  Status ReadBoxWords(const YAML::Node& map, const std::string& key) {
    SHEAF_RETURN_IF_ERROR(CheckMap(map, key, "texts by name, such as noResults: Ask us in the forum.", 100));
    for (const auto& entry : map) {
      const std::string name = Scalar(entry.first);
      if (std::find(std::begin(kBoxWords), std::end(kBoxWords), name) == std::end(kBoxWords)) {
        std::string expected;
        for (const std::string_view word : kBoxWords) (expected += expected.empty() ? "" : ", ") += word;
        return Bad(entry.first, key + "." + name, "is unknown; expected one of " + expected);
      }
      SHEAF_ASSIGN_OR_RETURN(std::string text, Text(entry.second, key + "." + name));
      rules_.box.words.emplace_back(name, std::move(text));
    }
    return {};
  }

  SearchRules& rules_;
  std::set<std::string> keys_;
};

}  // namespace

std::vector<std::string> RenameCrumbs(std::vector<std::string> place, const SearchRules* rules) {
  if (!rules || rules->crumbs.empty()) return place;
  for (std::string& name : place) {
    const auto other = rules->crumbs.find(name);
    if (other != rules->crumbs.end()) name = other->second;
  }
  std::erase(place, std::string());
  return place;
}

Result<SearchRules> ParseSearchRules(std::string text, std::string file) {
  SearchRules rules;
  rules.file = std::move(file);
  rules.text = std::move(text);
  if (rules.text.size() > kMaxRulesBytes) {
    return Error{ErrorCode::kTooLarge, rules.file + ": has " + std::to_string(rules.text.size()) +
                                           " bytes; expected at most " + std::to_string(kMaxRulesBytes)};
  }
  try {
    SHEAF_RETURN_IF_ERROR(Reader(&rules).Read(YAML::Load(rules.text)));
  } catch (const YAML::Exception& exception) {
    return Error{ErrorCode::kInvalidArgument, rules.file + ":" + std::to_string(exception.mark.line + 1) +
                                                  ": is no YAML: " + TerminalText(exception.msg)};
  }
  return rules;
}

Result<SearchRules> LoadSearchRules(const std::string& path, const std::string& beside) {
  if (path == "none" || (path.empty() && beside.empty())) return SearchRules();
  const std::string file = !path.empty() ? path : beside + "/" + std::string(kRulesName);
  if (path.empty() && !ResolvePath(file)) return SearchRules();
  Result<std::string> bytes = ReadFileBytes(file, kMaxRulesBytes);
  if (!bytes.ok()) return Error{bytes.code(), TerminalText(file) + ": " + bytes.error().message};
  return ParseSearchRules(std::move(*bytes), TerminalText(file));
}

}  // namespace sheaf::packer
