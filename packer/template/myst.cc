#include "packer/template/myst.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/python_literals.h"
#include "packer/base/text_scan.h"
#include "packer/include/select_lines.h"

namespace sheaf::packer {
namespace {

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "```{name} argument"
struct Opening {
  char mark = 0;
  size_t run = 0;
  std::string_view name, argument;  // no name: a fence of code, `argument` is its info
};

Opening ReadOpening(std::string_view words) {
  Opening opening;
  if (words.size() < 3 || (words[0] != '`' && words[0] != '~' && words[0] != ':')) return opening;
  const size_t run = std::min(words.find_first_not_of(words[0]), words.size());
  if (run < 3) return opening;
  const std::string_view rest = Trim(words.substr(run));
  const size_t close = rest.starts_with('{') ? rest.find('}') : rest.npos;
  if (words[0] == '`' && rest.find('`') != rest.npos) return opening;
  opening.mark = words[0];
  opening.run = run;
  opening.argument = rest;
  if (close == rest.npos || close < 2) return opening;
  const std::string_view name = rest.substr(1, close - 1);
  const bool plain = IsAlpha(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
                       return IsWordByte(c) || c == '-' || c == ':' || c == '+' || c == '.';
                     });
  if (!plain) return opening;
  opening.name = name;
  opening.argument = Trim(rest.substr(close + 1));
  return opening;
}

// "* - text" -> "text".
std::string_view WithoutItemMarks(std::string_view words) {
  while (words.size() > 2 && IsOneOf(words.substr(0, 2), {"- ", "* ", "+ "})) words = Trim(words.substr(2));
  return words;
}

bool HoldsCode(std::string_view name) {
  return IsOneOf(name, {"code-block", "code", "sourcecode", "code-cell", "prompt", "parsed-literal", "doctest",
                        "testcode", "testoutput", "ipython", "math", "mermaid", "graphviz", "productionlist"});
}

bool IsFilled(std::string_view name) {
  return name.starts_with("auto") ||
         IsOneOf(name, {"toctree", "contents", "tableofcontents", "index", "raw", "bibliography", "meta", "only",
                        "currentmodule", "module", "py:currentmodule", "py:module", "myst-config", "html_theme",
                        "highlight", "default-role", "sectionauthor", "codeauthor"});
}

// Roles whose text is code.
bool IsCodeRole(std::string_view role) {
  return role.find(':') != role.npos ||
         IsOneOf(role,
                 {"func",    "class",  "meth",   "mod", "obj",  "data",    "exc",     "attr", "const",  "type", "file",
                  "command", "option", "envvar", "kbd", "samp", "program", "literal", "code", "regexp", "math"});
}

// "text <target>" -> "text"; "~a.b.c" -> "c".
std::string RoleText(std::string_view role, std::string_view content) {
  if (content.ends_with('>')) {
    if (const size_t open = content.rfind('<'); open != content.npos && open > 0)
      return std::string(TrimEnd(content.substr(0, open)));
  }
  if (content.starts_with('~'))
    return std::string(content.substr(std::min(content.rfind('.') + 1, content.size() - 1)));
  if (content.starts_with('!')) content.remove_prefix(1);
  std::string text(content);
  if (IsOneOf(role, {"ref", "numref", "doc"})) {
    text = text.substr(text.rfind('/') + 1);  // npos + 1 is 0
    std::replace(text.begin(), text.end(), '-', ' ');
  }
  return text;
}

// A line without `{role}` before its code spans.
std::string WithoutRoles(std::string_view line) {
  constexpr size_t kMostBytes = 10'000;
  if (line.size() > kMostBytes) return std::string(line);
  std::string out;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == '`') {  // a code span stays whole
      const size_t run =
          line.find_first_not_of('`', i) == line.npos ? line.size() - i : line.find_first_not_of('`', i) - i;
      const size_t close = line.find(std::string(run, '`'), i + run);
      const size_t end = close == line.npos ? i + run : close + run;
      out += line.substr(i, end - i);
      i = end;
      continue;
    }
    const size_t brace = line[i] == '{' ? line.substr(0, std::min(line.size(), i + 60)).find("}`", i) : line.npos;
    const std::string_view role = brace == line.npos ? std::string_view() : line.substr(i + 1, brace - i - 1);
    const bool plain = !role.empty() && IsAlpha(role[0]) && std::all_of(role.begin(), role.end(), [](char c) {
      return IsWordByte(c) || c == '-' || c == ':' || c == '+' || c == '.';
    });
    const size_t close = plain ? line.find('`', brace + 2) : line.npos;
    if (close == line.npos) {
      out.push_back(line[i++]);
      continue;
    }
    const std::string text = RoleText(role, line.substr(brace + 2, close - brace - 2));
    out += IsCodeRole(role) ? "`" + text + "`" : text;
    i = close + 1;
  }
  return out;
}

class MystExpander {
 public:
  MystExpander(std::string_view text, size_t verbatim, const Values& values, const RstAsMarkdown& rst,
               TemplateFiles* files)
      : lines_(ListLines(text.substr(verbatim))), values_(values), rst_(rst), files_(files) {
    const std::string_view head = text.substr(0, verbatim);
    out_.Append(head, 1, true);
    first_ = 1 + uint32_t(std::count(head.begin(), head.end(), '\n'));
  }

  NumberedText Run() {
    for (at_ = 0; at_ < lines_.size(); ++at_) Line(lines_[at_]);
    return std::move(out_);
  }

 private:
  struct Open {
    char mark;
    size_t run;
  };

  void Put(std::string_view line) {
    out_.Append(line, first_ + uint32_t(at_), false);
    out_.Append("\n", first_ + uint32_t(at_), false);
  }

  static bool Closes(std::string_view words, char mark, size_t run) {
    return words.size() >= run && words.find_first_not_of(mark) == words.npos;
  }

  void Line(std::string_view line) {
    const std::string_view words = Trim(line);
    const std::string indent(
        line.substr(0, line.find_first_not_of(" \t") == line.npos ? 0 : line.find_first_not_of(" \t")));
    const Opening opening = ReadOpening(words);
    if (opening.mark != 0) {
      for (size_t i = open_.size(); i > 0; --i) {
        if (!opening.argument.empty() || open_[i - 1].mark != opening.mark || opening.run < open_[i - 1].run) continue;
        open_.resize(i - 1);
        return;
      }
      if (!opening.name.empty() && open_.size() < kMaxMystDepth) return Directive(opening, indent);
      if (opening.mark != ':') return Verbatim(opening.mark, opening.run, line);
      return Put(line);
    }
    if (const Opening inner = ReadOpening(WithoutItemMarks(words)); inner.mark == '`' || inner.mark == '~')
      return Verbatim(inner.mark, inner.run, line);
    if (indent.empty() && words.starts_with('(') && words.ends_with(")=") && words.find_first_of(" `[") == words.npos) {
      target_ = words.substr(1, words.size() - 3);
      return;
    }
    if (indent.empty() && words.starts_with("+++")) return;
    if (line.starts_with("% ") || line == "%") return;
    if (line.starts_with('#')) level_ = std::min<size_t>(line.find_first_not_of('#'), 6);
    if (!words.empty() && !target_.empty()) {
      const std::string target = Lower(std::exchange(target_, std::string()));
      if (words.starts_with('#') && (!words.ends_with('}') || words.ends_with("}}")))
        return Put(Substituted(WithoutRoles(line)) + " {#" + target + "}");
    }
    Put(line.find("}`") == line.npos && line.find("{{") == line.npos ? std::string(line)
                                                                     : Substituted(WithoutRoles(line)));
  }

  std::string Substituted(std::string line) const {
    for (size_t at = 0; (at = line.find("{{", at)) != line.npos; at += 2) {
      const size_t close = line.find("}}", at);
      if (close == line.npos) break;
      const std::string name = Lower(Trim(std::string_view(line).substr(at + 2, close - at - 2)));
      for (const char* prefix : {"myst.substitutions.", "substitutions."}) {
        const auto value = values_.find(prefix + name);
        if (value == values_.end() || !files_->HasRoom(value->second.size(), name)) continue;
        const std::string text = WithoutRoles(value->second);
        line.replace(at, close + 2 - at, text);
        at += text.size();
        break;
      }
    }
    return line;
  }

  // A fence of code, up to its end.
  void Verbatim(char mark, size_t run, std::string_view line) {
    Put(line);
    for (++at_; at_ < lines_.size(); ++at_) {
      Put(lines_[at_]);
      if (Closes(Trim(lines_[at_]), mark, run)) return;
    }
  }

  // `:name: value` lines, or YAML between `---` lines, below a directive.
  std::vector<std::pair<std::string, std::string_view>> TakeOptions() {
    std::vector<std::pair<std::string, std::string_view>> options;
    const bool block = at_ + 1 < lines_.size() && Trim(lines_[at_ + 1]) == "---";
    if (block) ++at_;
    while (at_ + 1 < lines_.size()) {
      const std::string_view words = Trim(lines_[at_ + 1]);
      if (block && words == "---") {
        ++at_;
        break;
      }
      const size_t colon = words.find(':', block ? 0 : 1);
      if (!block && (!words.starts_with(':') || words.starts_with(":::") || colon == words.npos)) break;
      if (colon != words.npos) {
        const std::string_view name = words.substr(block ? 0 : 1, colon - (block ? 0 : 1));
        options.emplace_back(Lower(name), Trim(words.substr(colon + 1)));
      }
      ++at_;
    }
    return options;
  }

  // Markdown whose highest headings stand below the page's last one.
  void PutBelow(const std::string& text, const std::string& indent) {
    const LineList lines = ListLines(text);
    const auto level_of = [](std::string_view line) {
      const size_t marks = std::min(line.find_first_not_of('#'), line.size());
      return marks <= 6 && line.substr(marks).starts_with(' ') ? marks : 0;
    };
    const auto each_heading = [&](const auto& visit) {  // `visit(i, level)`; level 0: no heading
      bool code = false;
      for (size_t i = 0; i < lines.size(); ++i) {
        code ^= lines[i].starts_with("```");
        visit(i, code ? 0 : level_of(lines[i]));
      }
    };
    size_t highest = 6;
    each_heading([&](size_t, size_t level) { highest = level > 0 ? std::min(highest, level) : highest; });
    each_heading([&](size_t i, size_t level) {
      if (level == 0) return Put(indent + std::string(lines[i]));
      Put(indent + std::string(std::min<size_t>(6, level_ + 1 + level - highest), '#') +
          std::string(lines[i].substr(level)));
    });
  }

  void Skip(const Opening& opening) {
    for (++at_; at_ < lines_.size(); ++at_) {
      if (Closes(Trim(lines_[at_]), opening.mark, opening.run)) return;
    }
  }

  void Directive(const Opening& opening, const std::string& indent) {
    const std::string_view name = opening.name;
    if (IsFilled(name)) {
      if (name.starts_with("auto")) files_->LeftOut("{" + std::string(name) + "}");
      return Skip(opening);
    }
    const auto options = TakeOptions();
    const auto option = [&](std::string_view wanted) {
      for (const auto& [key, value] : options) {
        if (key == wanted) return value;
      }
      return std::string_view();
    };
    if (name == "include" || name == "literalinclude") {
      const bool whole = std::none_of(options.begin(), options.end(), [](const auto& one) {
        return one.first.starts_with("start-") || one.first.starts_with("end-") || one.first == "lines" ||
               one.first == "pyobject";
      });
      const bool code = name == "literalinclude" || !option("literal").empty();
      if (!whole) {
        files_->LeftOut("{" + std::string(name) + "} of a part");
      } else {
        if (code) Put(indent + "```" + std::string(option("language")));
        Put(indent + "--8<-- \"" + std::string(opening.argument) + "\"");
        if (code) Put(indent + "```");
      }
      return Skip(opening);
    }
    if (name == "eval-rst" && rst_) {
      std::string body;
      for (++at_; at_ < lines_.size() && !Closes(Trim(lines_[at_]), opening.mark, opening.run); ++at_) {
        std::string_view line = lines_[at_];
        line.remove_prefix(std::min({indent.size(), line.size(), line.find_first_not_of(" \t")}));
        body += std::string(line) + "\n";
      }
      at_ = std::min(at_, lines_.size() - 1);
      return PutBelow(rst_(body), indent);
    }
    if (HoldsCode(name)) {
      const std::string fence(std::max<size_t>(opening.run, 3), opening.mark == ':' ? '`' : opening.mark);
      const std::string language = name == "math" || name == "mermaid"       ? std::string(name)
                                   : opening.argument.starts_with("ipython") ? "python"
                                                                             : std::string(opening.argument);
      Put(indent + fence + language);
      for (++at_; at_ < lines_.size() && !Closes(Trim(lines_[at_]), opening.mark, opening.run); ++at_) Put(lines_[at_]);
      at_ = std::min(at_, lines_.size() - 1);
      Put(indent + fence);
      return;
    }
    open_.push_back({opening.mark, opening.run});
    std::string words;
    const std::string argument = WithoutRoles(opening.argument);
    if (name == "versionadded") {
      words = "New in version " + argument;
    } else if (name == "versionchanged") {
      words = "Changed in version " + argument;
    } else if (name == "deprecated") {
      words = "Deprecated since version " + argument;
    } else if (name == "figure" || name == "image") {
      words = std::string(option("alt"));
    } else if (IsOneOf(name, {"admonition", "dropdown", "tab-item", "card", "grid-item-card", "rubric", "table",
                              "list-table", "csv-table", "topic", "sidebar", "details", "tab"})) {
      words = argument.empty() ? "" : "**" + argument + "**";
    } else if (!IsOneOf(name, {"grid", "tab-set", "figure-md", "div", "container", "epigraph"})) {
      words = argument;
    }
    if (words.empty()) return;
    Put(indent + words);
    Put("");
  }

  const LineList lines_;
  const Values& values_;
  const RstAsMarkdown& rst_;
  TemplateFiles* const files_;
  NumberedText out_;
  std::vector<Open> open_;
  std::string target_;
  size_t at_ = 0, level_ = 0;  // of the last heading
  uint32_t first_ = 1;
};

}  // namespace

bool HasMystDirective(std::string_view text) {
  for (size_t at = 0; (at = text.find("```{", at)) != text.npos; at += 4) {
    size_t line = at;
    while (line > 0 && at - line < 40 && text[line - 1] == ' ') --line;
    if (line > 0 && text[line - 1] != '\n') continue;
    const size_t end = std::min({text.find('\n', at), text.size(), at + 1000});
    const Opening opening = ReadOpening(Trim(text.substr(at, end - at)));
    if (!opening.name.empty() && (IsFilled(opening.name) || HoldsCode(opening.name) ||
                                  IsOneOf(opening.name, {"note", "warning", "tip", "admonition", "seealso", "important",
                                                         "figure", "image", "include", "literalinclude", "dropdown"})))
      return true;
  }
  return false;
}

NumberedText ExpandMyst(std::string_view text, size_t verbatim, const Values& values, const RstAsMarkdown& rst,
                        TemplateFiles* files) {
  return MystExpander(text, verbatim, values, rst, files).Run();
}

Values MystSubstitutions(std::string_view conf_py) {
  Values values;
  const auto literals = ReadPythonLiterals(conf_py);
  const auto found = literals.find("myst_substitutions");
  if (found == literals.end()) return values;
  for (size_t i = 0; i < found->second.keys.size() && values.size() < kMaxValues; ++i) {
    const PythonValue& value = found->second.items[i];
    if (value.kind == PythonValue::kText) values.emplace("substitutions." + Lower(found->second.keys[i]), value.text);
  }
  return values;
}

}  // namespace sheaf::packer
