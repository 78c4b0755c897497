#include "packer/parse/rst/rst_objects.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "packer/base/text_scan.h"
#include "packer/parse/rst/rst_syntax.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxScopeBytes = 1024;  // of the scope in front of the names of nested objects

using Names = std::unordered_set<std::string_view>;

bool IsPython(const Directive& directive) {
  return directive.domain == "py" || (directive.domain.empty() && IsPythonObject(directive.name));
}

bool IsC(const Directive& directive) {
  static const Names kinds = {"cfunction", "cmacro", "ctype", "cvar", "cmember"};
  return directive.domain == "c" || kinds.contains(directive.name);
}

// "PyObject *PyList_New(Py_ssize_t len)" -> "PyList_New".
std::string CName(std::string_view declaration) {
  declaration = declaration.substr(0, declaration.find_first_of("(["));
  while (!declaration.empty() && !IsAlnum(declaration.back()) && declaration.back() != '_')
    declaration.remove_suffix(1);
  size_t begin = declaration.size();
  while (begin > 0 &&
         (IsAlnum(declaration[begin - 1]) || declaration[begin - 1] == '_' || declaration[begin - 1] == '.'))
    --begin;
  return std::string(declaration.substr(begin));
}

// Every object inside carries it.
std::string AsScope(std::string name) { return name.size() <= kMaxScopeBytes ? std::move(name) : std::string(); }

}  // namespace

void RstObjects::Module(const Directive& directive) {
  const bool names_one = !directive.arguments.empty() && directive.arguments[0] != "None";
  module_ = names_one ? AsScope(std::string(directive.arguments[0])) : "";
}

void RstObjects::Program(const Directive& directive) { program_ = AsScope(directive.Joined('-')); }

bool RstObjects::IsObjectClass(const Directive& directive) const {
  if (!directive.domain.empty()) return true;
  if (directive.arguments.empty()) return false;
  const std::string_view argument = directive.arguments[0];
  return argument.find_first_of("(.") != std::string_view::npos || std::isupper(uint8_t(argument[0])) ||
         !module_.empty();
}

bool RstObjects::NamesNextSection(const Directive& directive) {
  if (directive.has_content() || !directive.domain.empty() || directive.arguments.size() != 1) return false;
  const RstLines& lines = page_.lines();
  size_t i = page_.NextText(directive.end, lines.size());
  // Several names of one section stand above it.
  while (i < lines.size() && lines[i].content().starts_with(".. ")) i = page_.NextText(i + 1, lines.size());
  if (i + 1 >= lines.size() || lines[i].indent > 0 || !IsAdornment(lines[i + 1].content())) return false;
  const std::string_view name = TrimBlanks(directive.arguments[0]);
  const std::string_view title = lines[i].content();
  const size_t at = title.find(name);
  if (name.empty() || at == title.npos) return false;
  const std::string anchor = AnchorOf(directive, std::string(name));
  if (!anchor.empty()) page_.SetAnchor(anchor);
  return true;
}

void RstObjects::Open(const Directive& directive) {
  page_.FlushLabel();
  const std::string scope = class_;
  const int level = std::min(6, page_.section_level() + 1 + std::min(depth_, 5));
  const bool python = IsPython(directive);
  std::string name, pending, signatures;
  size_t line = directive.line;
  for (const std::string_view argument : directive.arguments) {
    pending += argument;
    if (pending.ends_with('\\')) {  // a signature goes on
      pending.pop_back();
      ++line;
      continue;
    }
    name = Signature(directive, std::exchange(pending, std::string()), level, line++, &signatures);
  }
  // All headings first, so that none is separated from the text that they share.
  const std::string_view language = python ? "python" : IsC(directive) ? "c" : directive.domain;
  page_.out().Code(CleanLanguage(language == "std" ? "" : language), signatures,
                   page_.lines().Span(directive.line, line));
  if (python && !name.empty() && (directive.name.ends_with("class") || directive.name.ends_with("exception"))) {
    class_ = AsScope(std::move(name));
  }
  ++depth_;
  page_.Push({.task = RstTask::kCloseObject, .scope = scope});
}

void RstObjects::Close(const std::string& scope) {
  class_ = scope;
  --depth_;
}

std::string RstObjects::Signature(const Directive& directive, const std::string& signature, int level, size_t line,
                                  std::string* signatures) {
  std::string shown;
  for (size_t i = 0; i < signature.size(); ++i) {
    if (signature[i] == '\\' && i + 1 < signature.size()) ++i;
    shown += signature[i];
  }
  shown = CollapseSpace(shown);
  std::string name = CollapseSpace(std::string_view(shown).substr(0, shown.find('('))), local = name, anchor;
  if (IsPython(directive)) {
    local = name.substr(0, name.find_first_of(" :=["));
    if (!class_.empty() && !local.starts_with(class_ + ".")) local = class_ + "." + local;
    const auto given = directive.options.find("module");
    const std::string& module = given != directive.options.end() ? given->second : module_;
    const std::string full = module.empty() ? local : module + "." + local;
    anchor = AnchorOf(directive, full);
    if (class_.empty()) {
      shown = full + shown.substr(std::min(shown.find_first_of("( :=["), shown.size()));
      name = full;
    }
    std::string_view kind = directive.name;
    if (kind.starts_with("auto")) kind.remove_prefix(4);
    if (kind == "class" || kind == "exception") {
      shown = std::string(kind) + " " + shown;
      name = std::string(kind) + " " + name;
    }
  } else {
    if (IsC(directive)) name = CName(shown);
    anchor = AnchorOf(directive, name);
  }
  if (name.empty()) name = shown;
  if (name != shown) *signatures += shown + "\n";
  InlineText title;
  title.BeginCode();
  title.Text(name);
  title.EndCode();
  title.lines.Add(uint32_t(line + 1));
  page_.out().Heading(level, &title, name, anchor);
  page_.ForgetAnchor();
  return local;
}

std::string RstObjects::AnchorOf(const Directive& directive, const std::string& name) const {
  if (IsPython(directive)) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return IsAlnum(c) || c == '_' || c == '.'; });
    return plain ? SphinxId(name) : std::string();
  }
  if (directive.name == "option" || directive.name == "cmdoption") {
    std::string first = name.substr(0, name.find_first_of(" =,["));
    if (!first.empty() && IsAlnum(first[0])) first.insert(0, "arg-");
    return SphinxId("cmdoption-" + (program_.empty() ? "" : program_ + "-") + first);
  }
  if (IsC(directive)) return "c." + name;
  static const Names kinds = {"envvar", "confval", "opcode"};
  static const Names crossrefs = {"setting", "templatetag", "templatefilter", "fieldlookup"};
  if (!kinds.contains(directive.name) && !crossrefs.contains(directive.name)) return {};
  const std::string prefix = (crossrefs.contains(directive.name) ? "std-" : "") + std::string(directive.name);
  return SphinxId(prefix + "-" + name.substr(0, name.find(' ')));
}

}  // namespace sheaf::packer
