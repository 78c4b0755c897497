#include "packer/parse/rst/rst_syntax.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <unordered_set>

namespace sheaf::packer {
namespace {

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

constexpr std::string_view kPythonObjects =
    "function method classmethod staticmethod attribute data exception decorator property decoratormethod "
    "coroutinefunction coroutinemethod awaitablefunction awaitablemethod abstractmethod autofunction "
    "autoclass automethod autoexception autodata";

// Names by kind, divided by spaces.
struct DirectiveGroup {
  RstDirective kind;
  std::string_view names;
};

constexpr DirectiveGroup kDirectives[] = {
    // Structure, roles, drawings, and text that a build would insert: no words of the author.
    {RstDirective::kDrop,
     "toctree include literalinclude raw index moduleauthor sectionauthor codeauthor default-role role "
     "contents sectnum section-numbering header footer target-notes unicode date replace title todo "
     "todolist tabularcolumns graphviz digraph graph uml mermaid plot testsetup testcleanup "
     "inheritance-diagram autosummary automodule audit-event-table miscnews rst-class cssclass syntax "
     "youtube video button-ref changelog_imports"},
    {RstDirective::kAudit, "audit-event"},
    {RstDirective::kHighlight, "highlightlang highlight"},
    {RstDirective::kCode,
     "code-block code sourcecode doctest testcode testoutput ipython prompt productionlist console "
     "code-tab"},
    {RstDirective::kParsedCode, "parsed-literal"},
    {RstDirective::kMath, "math"},
    {RstDirective::kAdmonition,
     "note warning tip hint important caution danger error attention seealso impl-detail availability"},
    {RstDirective::kTitled,
     "admonition topic sidebar dropdown details collapse tab tab-item group-tab card grid-item-card"},
    {RstDirective::kVersion,
     "versionadded versionchanged deprecated deprecated-removed versionremoved version-added "
     "version-changed version-deprecated"},
    {RstDirective::kRelease, "changelog"},
    {RstDirective::kChange, "change"},
    {RstDirective::kRegion,
     "container compound class only ifconfig hlist epigraph highlights pull-quote tabs tab-set grid "
     "grid-item acks line-block"},
    {RstDirective::kText, "centered rubric"},
    {RstDirective::kImage, "image figure"},
    {RstDirective::kModule, "module currentmodule"},
    {RstDirective::kProgram, "program"},
    {RstDirective::kListTable, "list-table"},
    {RstDirective::kCsvTable, "csv-table"},
    {RstDirective::kTable, "table"},
    {RstDirective::kGlossary, "glossary"},
    {RstDirective::kMeta, "meta"},
    // API entries of Python, of C, of other domains.
    {RstDirective::kObject, kPythonObjects},
    {RstDirective::kObject,
     "opcode cmdoption option envvar confval setting describe object pdbcommand django-admin "
     "django-admin-option templatetag templatefilter fieldlookup cfunction cmacro ctype cvar cmember "
     "2to3fixer macro struct union enum enumerator type var member alias concept directive get post put "
     "delete patch signature command variable interface"},
};

// Calls `take(name)` for each of them.
template <typename Take>
void ForEachName(std::string_view names, Take take) {
  while (!names.empty()) {
    const size_t end = std::min(names.find(' '), names.size());
    take(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

const std::unordered_map<std::string_view, RstDirective>& DirectiveKinds() {
  static const std::unordered_map<std::string_view, RstDirective> kinds = [] {
    std::unordered_map<std::string_view, RstDirective> made;
    for (const DirectiveGroup& group : kDirectives) {
      ForEachName(group.names, [&](std::string_view name) { made.emplace(name, group.kind); });
    }
    return made;
  }();
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
    *number = uint64_t(std::tolower(uint8_t(label[0]))) - 'a' + 1;
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
  return gap == std::string_view::npos ? text.size() : std::min(text.find_first_not_of(' ', gap), text.size());
}

RstDirective DirectiveOf(std::string_view name) {
  const auto found = DirectiveKinds().find(name);
  return found != DirectiveKinds().end() ? found->second : RstDirective::kUnknown;
}

bool IsPythonObject(std::string_view name) {
  // "class" alone is docutils' own directive as well (rst_objects.h).
  if (name == "class") return true;
  static const std::unordered_set<std::string_view> kinds = [] {
    std::unordered_set<std::string_view> made;
    ForEachName(kPythonObjects, [&](std::string_view object) { made.insert(object); });
    return made;
  }();
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
