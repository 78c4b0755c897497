#include "packer/template/shortcode_layout.h"

#include <algorithm>
#include <map>
#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMostParts = 200;

// Functions that change how a value is written, not what it says.
bool IsDecoration(std::string_view name) {
  static constexpr std::string_view kNames[] = {"markdownify",
                                                "safeHTML",
                                                "safeURL",
                                                "safeCSS",
                                                "htmlEscape",
                                                "plainify",
                                                "htmlUnescape",
                                                "$.Page.RenderString",
                                                ".Page.RenderString",
                                                "title",
                                                "strings.TrimSpace",
                                                "safeHTMLAttr",
                                                "trim \"\\n\"",
                                                "humanize",
                                                "emojify",
                                                "urlize",
                                                "anchorize",
                                                "relURL",
                                                "absURL"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// "`.Get 0`" -> "0", "`.Get "name"`" -> "name"; empty: it is none.
std::string ParameterOf(std::string_view words) {
  while (words.starts_with('(') && words.ends_with(')')) words = Trim(words.substr(1, words.size() - 2));
  for (const std::string_view get : {"$.Get ", ".Get ", "index .Params ", "index $.Params ", ".Params."}) {
    if (!words.starts_with(get)) continue;
    std::string_view name = Trim(words.substr(get.size()));
    if (name.size() > 2 && (name[0] == '"' || name[0] == '`') && name.back() == name[0])
      name = name.substr(1, name.size() - 2);
    const bool plain =
        !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return IsWordByte(c) || c == '-'; });
    return plain ? std::string(name) : std::string();
  }
  return {};
}

struct Value {
  bool inner = false;
  std::string parameter, fallback;
};

// A pipeline: `.Inner | markdownify`, `.Get "x" | default "y"`, `$x`.
std::optional<Value> ReadValue(std::string_view words, const std::map<std::string, Value, std::less<>>& variables,
                               const std::string& dot) {
  Value value;
  const size_t bar = words.find('|');
  std::string_view first = Trim(words.substr(0, bar));
  for (size_t space; (space = first.find(' ')) != first.npos && IsDecoration(first.substr(0, space));)
    first = Trim(first.substr(space));
  if (first.starts_with("default ") || first.starts_with("cond ")) return std::nullopt;
  if (first == ".Inner" || first == "$.Inner" || first == ".InnerDeindent" || first == "$.InnerDeindent") {
    value.inner = true;
  } else if (first == "." && !dot.empty()) {
    value.parameter = dot;
  } else if (const auto known = variables.find(first); known != variables.end()) {
    value = known->second;
  } else if (value.parameter = ParameterOf(first); value.parameter.empty()) {
    return std::nullopt;
  }
  for (size_t at = bar; at != words.npos;) {
    const size_t next = words.find('|', at + 1);
    const std::string_view function = Trim(words.substr(at + 1, next == words.npos ? next : next - at - 1));
    if (function.starts_with("default \"") && function.ends_with('"') && function.size() > 9) {
      value.fallback = std::string(function.substr(9, function.size() - 10));
    } else if (!IsDecoration(function)) {
      return std::nullopt;
    }
    at = next;
  }
  return value;
}

// Its own indent would make code of the text.
std::string WithoutIndent(std::string_view text) {
  std::string out;
  bool at_start = false;
  for (const char c : text) {
    if (at_start && (c == ' ' || c == '\t')) continue;
    at_start = c == '\n';
    out.push_back(c);
  }
  return out;
}

}  // namespace

std::optional<ShortcodeLayout> ShortcodeLayout::Parse(std::string_view text) {
  ShortcodeLayout layout;
  std::map<std::string, Value, std::less<>> variables;
  std::vector<std::string> dots;  // what `.` is, of each open `with` and `if`
  bool trim = false, has_inner = false;
  const auto add_text = [&](std::string_view piece, bool trim_end) {
    if (trim) piece = piece.substr(std::min(piece.find_first_not_of(" \t\n"), piece.size()));
    if (trim_end) piece = TrimEnd(piece);
    if (!piece.empty()) layout.parts_.push_back({Part::kText, WithoutIndent(piece), {}});
  };
  for (size_t at = 0; at < text.size();) {
    const size_t open = std::min(text.find("{{", at), text.size());
    std::string_view action;
    size_t next = open;
    if (open < text.size()) {
      const size_t close = text.find("}}", open);
      if (close == text.npos) return std::nullopt;
      action = text.substr(open + 2, close - open - 2);
      next = close + 2;
    }
    add_text(text.substr(at, open - at), action.starts_with('-'));
    at = next;
    if (open == text.size()) break;
    trim = action.ends_with('-');
    if (action.starts_with('-')) action.remove_prefix(1);
    if (action.ends_with('-')) action.remove_suffix(1);
    action = Trim(action);
    if (layout.parts_.size() > kMostParts) return std::nullopt;
    if (action.starts_with("/*")) continue;
    const bool is_with = action.starts_with("with "), is_if = action.starts_with("if ");
    if (is_with || is_if) {
      std::string_view condition = Trim(action.substr(is_with ? 5 : 3));
      const size_t assign = condition.find(":=");
      const std::string variable(assign == condition.npos ? "" : Trim(condition.substr(0, assign)));
      if (assign != condition.npos) condition = Trim(condition.substr(assign + 2));
      const std::optional<Value> value = ReadValue(condition, variables, dots.empty() ? "" : dots.back());
      if (!value || value->inner) return std::nullopt;
      if (!variable.empty()) variables[variable] = *value;
      layout.parts_.push_back({Part::kIf, value->fallback, value->parameter});
      dots.push_back(is_with ? value->parameter : dots.empty() ? "" : dots.back());
    } else if (action == "else" || action == "end") {
      if (dots.empty()) return std::nullopt;
      layout.parts_.push_back({action == "else" ? Part::kElse : Part::kEnd, {}, {}});
      if (action == "end") dots.pop_back();
    } else if (action.starts_with('$') && action.find(":=") != action.npos) {
      const size_t assign = action.find(":=");
      const std::optional<Value> value =
          ReadValue(Trim(action.substr(assign + 2)), variables, dots.empty() ? "" : dots.back());
      if (!value) return std::nullopt;
      variables[std::string(Trim(action.substr(0, assign)))] = *value;
    } else {
      const std::optional<Value> value = ReadValue(action, variables, dots.empty() ? "" : dots.back());
      if (!value || (value->inner && std::exchange(has_inner, true))) return std::nullopt;
      layout.parts_.push_back({value->inner ? Part::kInner : Part::kValue, value->fallback, value->parameter});
    }
  }
  return dots.empty() ? std::optional<ShortcodeLayout>(std::move(layout)) : std::nullopt;
}

std::vector<ShortcodeLayout::Output> ShortcodeLayout::Write(const ShortcodeTag& tag) const {
  std::vector<Output> outputs;
  const auto value_of = [&](const Part& part) -> std::string_view {
    std::string_view value;
    if (IsDigit(part.parameter[0]))
      value = tag.At(size_t(part.parameter[0] - '0'));
    else
      value = tag.Named({std::string_view(Lower(part.parameter))}).value_or("");
    return value.empty() ? std::string_view(part.text) : value;
  };
  std::vector<bool> taken;  // of each open condition, whether its parts are written
  for (const Part& part : parts_) {
    if (part.kind == Part::kIf) {
      taken.push_back(!value_of(part).empty());
    } else if (part.kind == Part::kElse) {
      taken.back() = !taken.back();
    } else if (part.kind == Part::kEnd) {
      taken.pop_back();
    } else if (std::find(taken.begin(), taken.end(), false) == taken.end()) {
      const bool inner = part.kind == Part::kInner;
      if (inner || outputs.empty() || outputs.back().inner) outputs.push_back({inner, {}});
      if (part.kind == Part::kText) outputs.back().text += part.text;
      if (part.kind == Part::kValue) outputs.back().text += value_of(part);
    }
  }
  return outputs;
}

}  // namespace sheaf::packer
