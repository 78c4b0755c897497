#include "packer/parse/rst/rst_syntax.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

namespace sheaf::packer {
namespace {

bool IsAlnum(char c) { return std::isalnum(uint8_t(c)) != 0; }
bool IsPunctuation(char c) { return std::ispunct(uint8_t(c)) != 0; }

// The value of a Roman numeral in one case, or 0.
uint64_t RomanNumber(std::string_view label) {
  constexpr std::string_view kLower = "ivxlcdm", kUpper = "IVXLCDM";
  constexpr uint64_t kValues[] = {1, 5, 10, 50, 100, 500, 1000};
  const std::string_view digits = kLower.find(label[0]) != std::string_view::npos ? kLower : kUpper;
  uint64_t sum = 0, before = 0;
  for (size_t i = label.size(); i-- > 0;) {
    const size_t digit = digits.find(label[i]);
    if (digit == std::string_view::npos) return 0;
    sum = kValues[digit] < before ? sum - kValues[digit] : sum + kValues[digit];
    before = std::max(before, kValues[digit]);
  }
  return sum;
}

const std::unordered_map<std::string_view, RstDirective>& DirectiveKinds() {
  using enum RstDirective;
  static const std::unordered_map<std::string_view, RstDirective> kinds = {{"toctree", kDrop},
                                                                           {"include", kDrop},
                                                                           {"literalinclude", kDrop},
                                                                           {"raw", kDrop},
                                                                           {"index", kDrop},
                                                                           {"moduleauthor", kDrop},
                                                                           {"sectionauthor", kDrop},
                                                                           {"codeauthor", kDrop},
                                                                           {"default-role", kDrop},
                                                                           {"role", kDrop},
                                                                           {"contents", kDrop},
                                                                           {"sectnum", kDrop},
                                                                           {"section-numbering", kDrop},
                                                                           {"header", kDrop},
                                                                           {"footer", kDrop},
                                                                           {"target-notes", kDrop},
                                                                           {"unicode", kDrop},
                                                                           {"date", kDrop},
                                                                           {"replace", kDrop},
                                                                           {"title", kDrop},
                                                                           {"todo", kDrop},
                                                                           {"todolist", kDrop},
                                                                           {"tabularcolumns", kDrop},
                                                                           {"graphviz", kDrop},
                                                                           {"digraph", kDrop},
                                                                           {"graph", kDrop},
                                                                           {"uml", kDrop},
                                                                           {"mermaid", kDrop},
                                                                           {"plot", kDrop},
                                                                           {"testsetup", kDrop},
                                                                           {"testcleanup", kDrop},
                                                                           {"inheritance-diagram", kDrop},
                                                                           {"autosummary", kDrop},
                                                                           {"automodule", kDrop},
                                                                           {"audit-event", kAudit},
                                                                           {"audit-event-table", kDrop},
                                                                           {"miscnews", kDrop},
                                                                           {"rst-class", kDrop},
                                                                           {"cssclass", kDrop},
                                                                           {"highlightlang", kHighlight},
                                                                           {"syntax", kDrop},
                                                                           {"youtube", kDrop},
                                                                           {"video", kDrop},
                                                                           {"button-ref", kDrop},
                                                                           {"code-block", kCode},
                                                                           {"code", kCode},
                                                                           {"sourcecode", kCode},
                                                                           {"doctest", kCode},
                                                                           {"testcode", kCode},
                                                                           {"testoutput", kCode},
                                                                           {"ipython", kCode},
                                                                           {"prompt", kCode},
                                                                           {"productionlist", kCode},
                                                                           {"console", kCode},
                                                                           {"parsed-literal", kParsedCode},
                                                                           {"highlight", kHighlight},
                                                                           {"math", kMath},
                                                                           {"note", kAdmonition},
                                                                           {"warning", kAdmonition},
                                                                           {"tip", kAdmonition},
                                                                           {"hint", kAdmonition},
                                                                           {"important", kAdmonition},
                                                                           {"caution", kAdmonition},
                                                                           {"danger", kAdmonition},
                                                                           {"error", kAdmonition},
                                                                           {"attention", kAdmonition},
                                                                           {"seealso", kAdmonition},
                                                                           {"impl-detail", kAdmonition},
                                                                           {"availability", kAdmonition},
                                                                           {"admonition", kTitled},
                                                                           {"topic", kTitled},
                                                                           {"sidebar", kTitled},
                                                                           {"dropdown", kTitled},
                                                                           {"details", kTitled},
                                                                           {"collapse", kTitled},
                                                                           {"tab", kTitled},
                                                                           {"tab-item", kTitled},
                                                                           {"group-tab", kTitled},
                                                                           {"code-tab", kCode},
                                                                           {"card", kTitled},
                                                                           {"grid-item-card", kTitled},
                                                                           {"versionadded", kVersion},
                                                                           {"versionchanged", kVersion},
                                                                           {"deprecated", kVersion},
                                                                           {"deprecated-removed", kVersion},
                                                                           {"versionremoved", kVersion},
                                                                           {"version-added", kVersion},
                                                                           {"version-changed", kVersion},
                                                                           {"version-deprecated", kVersion},
                                                                           {"container", kRegion},
                                                                           {"compound", kRegion},
                                                                           {"class", kRegion},
                                                                           {"only", kRegion},
                                                                           {"ifconfig", kRegion},
                                                                           {"hlist", kRegion},
                                                                           {"epigraph", kRegion},
                                                                           {"highlights", kRegion},
                                                                           {"pull-quote", kRegion},
                                                                           {"tabs", kRegion},
                                                                           {"tab-set", kRegion},
                                                                           {"grid", kRegion},
                                                                           {"grid-item", kRegion},
                                                                           {"acks", kRegion},
                                                                           {"centered", kText},
                                                                           {"rubric", kText},
                                                                           {"line-block", kRegion},
                                                                           {"image", kImage},
                                                                           {"figure", kImage},
                                                                           {"module", kModule},
                                                                           {"currentmodule", kModule},
                                                                           {"program", kProgram},
                                                                           {"list-table", kListTable},
                                                                           {"csv-table", kCsvTable},
                                                                           {"table", kTable},
                                                                           {"glossary", kGlossary},
                                                                           {"meta", kMeta},
                                                                           {"function", kObject},
                                                                           {"method", kObject},
                                                                           {"classmethod", kObject},
                                                                           {"staticmethod", kObject},
                                                                           {"attribute", kObject},
                                                                           {"data", kObject},
                                                                           {"exception", kObject},
                                                                           {"decorator", kObject},
                                                                           {"decoratormethod", kObject},
                                                                           {"property", kObject},
                                                                           {"coroutinefunction", kObject},
                                                                           {"coroutinemethod", kObject},
                                                                           {"awaitablefunction", kObject},
                                                                           {"awaitablemethod", kObject},
                                                                           {"abstractmethod", kObject},
                                                                           {"opcode", kObject},
                                                                           {"cmdoption", kObject},
                                                                           {"option", kObject},
                                                                           {"envvar", kObject},
                                                                           {"confval", kObject},
                                                                           {"setting", kObject},
                                                                           {"describe", kObject},
                                                                           {"object", kObject},
                                                                           {"pdbcommand", kObject},
                                                                           {"django-admin", kObject},
                                                                           {"django-admin-option", kObject},
                                                                           {"templatetag", kObject},
                                                                           {"templatefilter", kObject},
                                                                           {"fieldlookup", kObject},
                                                                           {"cfunction", kObject},
                                                                           {"cmacro", kObject},
                                                                           {"ctype", kObject},
                                                                           {"cvar", kObject},
                                                                           {"cmember", kObject},
                                                                           {"autofunction", kObject},
                                                                           {"autoclass", kObject},
                                                                           {"automethod", kObject},
                                                                           {"autoexception", kObject},
                                                                           {"autodata", kObject},
                                                                           {"2to3fixer", kObject},
                                                                           {"macro", kObject},
                                                                           {"struct", kObject},
                                                                           {"union", kObject},
                                                                           {"enum", kObject},
                                                                           {"enumerator", kObject},
                                                                           {"type", kObject},
                                                                           {"var", kObject},
                                                                           {"member", kObject},
                                                                           {"alias", kObject},
                                                                           {"concept", kObject},
                                                                           {"directive", kObject},
                                                                           {"get", kObject},
                                                                           {"post", kObject},
                                                                           {"put", kObject},
                                                                           {"delete", kObject},
                                                                           {"patch", kObject},
                                                                           {"signature", kObject},
                                                                           {"command", kObject},
                                                                           {"variable", kObject},
                                                                           {"interface", kObject}};
  return kinds;
}

}  // namespace

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool IsAdornment(std::string_view text) {
  return !text.empty() && IsPunctuation(text[0]) && text.find_first_not_of(text[0]) == std::string_view::npos;
}

std::string SphinxId(std::string_view name) {
  std::string id;
  for (const char c : name) {
    const bool first = id.empty() && !std::isalpha(uint8_t(c));
    if (!first && (IsAlnum(c) || c == '.' || c == '_')) {
      id += c;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  return id;
}

size_t BulletWidth(std::string_view text) {
  size_t size = 0;
  if (text.starts_with('*') || text.starts_with('-') || text.starts_with('+')) size = 1;
  for (const std::string_view bullet : {"\xE2\x80\xA2", "\xE2\x80\xA3", "\xE2\x81\x83"}) {
    if (text.starts_with(bullet)) size = 3;
  }
  if (size == 0) return 0;
  if (text.size() == size) return size;
  if (text[size] != ' ') return 0;
  return std::min(text.find_first_not_of(' ', size), text.size());
}

size_t EnumeratorWidth(std::string_view text, uint64_t* number) {
  size_t at = text.starts_with('(') ? 1 : 0;
  const size_t begin = at;
  while (at < text.size() && at - begin < 9 && (IsAlnum(text[at]) || text[at] == '#')) ++at;
  const std::string_view label = text.substr(begin, at - begin);
  if (label.empty() || at >= text.size()) return 0;
  if (text[at] != ')' && (begin == 1 || text[at] != '.')) return 0;
  ++at;
  if (at < text.size() && text[at] != ' ') return 0;
  *number = 0;
  if (label.find_first_not_of("0123456789") == std::string_view::npos) {
    for (const char c : label) *number = *number * 10 + uint64_t(c - '0');
  } else if (label.size() == 1 && label != "#" && label != "i" && label != "I") {
    *number = uint64_t(std::tolower(uint8_t(label[0])) - 'a' + 1);
  } else if (label != "#") {
    *number = RomanNumber(label);
    if (*number == 0) return 0;
  }
  return std::min(text.find_first_not_of(' ', at), text.size());
}

size_t FieldWidth(std::string_view text, std::string_view* name) {
  if (text.size() < 3 || text[0] != ':' || text[1] == ' ' || text[1] == ':' || text[1] == '`') return 0;
  for (size_t at = 1; at < std::min<size_t>(text.size(), 256); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == ':' && (at + 1 == text.size() || text[at + 1] == ' ')) {
      if (text[at - 1] == ' ') return 0;
      *name = text.substr(1, at - 1);
      return std::min(text.find_first_not_of(' ', at + 1), text.size());
    } else if (text[at] == ':' && text[at + 1] == '`') {
      return 0;
    }
  }
  return 0;
}

size_t OptionWidth(std::string_view text, std::string_view* options) {
  if (text.size() < 2 || (text[0] != '-' && text[0] != '/')) return 0;
  const size_t gap = text.find("  ");
  *options = text.substr(0, gap);
  std::string_view rest = *options;
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    const std::string_view option = rest.substr(0, comma);
    const size_t dashes = std::min(option.find_first_not_of("-/"), option.size());
    if (dashes == 0 || dashes > 2 || dashes == option.size() || !IsAlnum(option[dashes])) return 0;
    // "-x FILE", "--name=FILE": one argument at most.
    if (std::count(option.begin(), option.end(), ' ') > 1) return 0;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  return gap == std::string_view::npos ? text.size()
                                       : std::min(text.find_first_not_of(' ', gap), text.size());
}

RstDirective DirectiveOf(std::string_view name) {
  const auto found = DirectiveKinds().find(name);
  return found != DirectiveKinds().end() ? found->second : RstDirective::kUnknown;
}

bool IsPythonObject(std::string_view name) {
  static const std::unordered_set<std::string_view> kinds = {"function",
                                                             "class",
                                                             "method",
                                                             "classmethod",
                                                             "staticmethod",
                                                             "attribute",
                                                             "data",
                                                             "exception",
                                                             "decorator",
                                                             "property",
                                                             "decoratormethod",
                                                             "coroutinefunction",
                                                             "coroutinemethod",
                                                             "awaitablefunction",
                                                             "awaitablemethod",
                                                             "abstractmethod",
                                                             "autofunction",
                                                             "autoclass",
                                                             "automethod",
                                                             "autoexception",
                                                             "autodata"};
  return kinds.contains(name);
}

std::string AdmonitionLabel(std::string_view name) {
  if (name == "seealso") return "See also";
  if (name == "impl-detail") return "CPython implementation detail";
  std::string label(name);
  label[0] = char(std::toupper(uint8_t(label[0])));
  return label;
}

}  // namespace sheaf::packer
