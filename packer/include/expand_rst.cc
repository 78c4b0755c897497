// The includes of reStructuredText: `include` (docutils) and `literalinclude` (Sphinx).
//
// Both become text that the parser knows: the included lines, or a `code-block`. They are looked for line by line, so
// what shows directives rather than meaning them is passed over: literal blocks, code and comments, by indentation.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/text_scan.h"
#include "packer/include/expand.h"
#include "packer/include/page_lines.h"
#include "packer/include/select_lines.h"

namespace sheaf::packer {
namespace {

size_t SpacesBefore(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// ".. name:: argument"
struct IncludeDirective {
  std::string_view name, argument;
};
std::optional<IncludeDirective> ReadIncludeDirective(std::string_view words) {
  if (!words.starts_with(".. ")) return std::nullopt;
  const std::string_view rest = Trim(words.substr(3));
  const size_t colons = rest.find("::");
  if (colons == rest.npos || colons == 0) return std::nullopt;
  const std::string_view name = rest.substr(0, colons);
  for (const char c : name) {
    if (!IsWordByte(c) && c != '-' && c != ':' && c != '.' && c != '+') return std::nullopt;
  }
  return IncludeDirective{name, Trim(rest.substr(colons + 2))};
}

// Targets, footnotes and substitutions begin as comments do, and their bodies are text.
bool IsComment(std::string_view words) {
  return words == ".." || (words.starts_with(".. ") && !ReadIncludeDirective(words) && !words.starts_with(".. _") &&
                           !words.starts_with(".. [") && !words.starts_with(".. |"));
}

bool HoldsCode(std::string_view directive) {
  for (const std::string_view name :
       {"code", "code-block", "sourcecode", "parsed-literal", "highlight", "raw", "math", "literalinclude", "include",
        "doctest", "testcode", "testoutput", "productionlist", "console", "graphviz", "digraph", "mermaid", "prompt",
        "ipython"}) {
    if (directive == name) return true;
  }
  return false;
}

using Options = std::map<std::string, std::string, std::less<>>;

class RstExpander {
 public:
  explicit RstExpander(IncludeFiles* files) : out_(files) {}

  ExpandedText Run(std::string_view text) {
    Lines(ListLines(text), "", /*is_page=*/true);
    return out_.Take(text);
  }

 private:
  void Lines(const LineList& lines, const std::string& prefix, bool is_page) {
    std::optional<size_t> literal;  // lines indented by more are code or a comment
    for (size_t i = 0; i < lines.size(); ++i) {
      if (is_page) out_.At(uint32_t(i + 1));
      const std::string_view line = lines[i];
      const std::string_view words = Trim(line);
      const size_t indent = SpacesBefore(line);
      if (words.empty() || (literal && indent > *literal)) {
        out_.Add(prefix, line);
        continue;
      }
      literal.reset();
      const std::optional<IncludeDirective> directive = ReadIncludeDirective(words);
      if (directive && (directive->name == "include" || directive->name == "literalinclude") &&
          !directive->argument.empty()) {
        Options options;
        const size_t end = ReadOptions(lines, i + 1, indent, &options);
        if (Put(*directive, options, prefix + std::string(indent, ' '))) {
          i = end - 1;
          continue;
        }
      }
      if (directive ? HoldsCode(directive->name) : IsComment(words) || words.ends_with("::")) literal = indent;
      out_.Add(prefix, line);
    }
  }

  // ":name: value" lines below a directive. Returns the line behind them.
  static size_t ReadOptions(const LineList& lines, size_t i, size_t indent, Options* options) {
    std::string* last = nullptr;
    for (; i < lines.size() && SpacesBefore(lines[i]) > indent && !Trim(lines[i]).empty(); ++i) {
      const std::string_view words = Trim(lines[i]);
      const size_t colon = words.starts_with(':') ? words.find(':', 1) : words.npos;
      if (colon != words.npos) {
        last = &(*options)[std::string(words.substr(1, colon - 1))];
        *last = std::string(Trim(words.substr(colon + 1)));
      } else if (last != nullptr) {
        last->append(" ").append(words);
      }
    }
    return i;
  }

  static std::string_view Option(const Options& options, std::string_view name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string_view() : std::string_view(found->second);
  }

  // False: it is missing.
  bool Put(const IncludeDirective& directive, const Options& options, const std::string& prefix) {
    const std::string_view target = directive.argument;
    if (target.starts_with('<')) return false;  // docutils' own definitions of characters
    const IncludedFile* file = out_.Find(target, out_.file());
    if (file == nullptr) return false;
    const bool is_code = directive.name == "literalinclude";
    std::optional<std::vector<std::string>> lines =
        is_code ? SelectCode(target, options, *file) : SelectText(target, options, *file);
    if (!lines || !out_.HasRoom(target, *lines)) return false;
    if (is_code || options.contains("code") || options.contains("literal")) {
      std::string_view language = Option(options, is_code ? "language" : "code");
      const std::string by_name = LanguageOfFile(target);
      if (language.empty()) language = options.contains("literal") ? "text" : std::string_view(by_name);
      if (options.contains("diff")) language = "diff";
      PutCode(language, Option(options, "caption"), *lines, prefix);
      return true;
    }
    if (!out_.Enter(*file, target)) return false;
    out_.Add(prefix, "");
    Lines(LineList(lines->begin(), lines->end()), prefix, /*is_page=*/false);
    out_.Add(prefix, "");
    out_.Leave();
    return true;
  }

  void PutCode(std::string_view language, std::string_view caption, const std::vector<std::string>& lines,
               const std::string& prefix) {
    out_.Add(prefix, ".. code-block:: " + std::string(language.empty() ? "text" : language));
    if (!caption.empty()) out_.Add(prefix, "   :caption: " + std::string(caption));
    out_.Add(prefix, "");
    out_.AddAll(prefix + "   ", lines);
    out_.Add(prefix, "");
  }

  // docutils: by numbers from 0, where a negative one counts from the end, then by texts anywhere in the file.
  std::optional<std::vector<std::string>> SelectText(std::string_view target, const Options& options,
                                                     const IncludedFile& file) {
    const LineList all = ListLines(file.text);
    const auto line_of = [&](std::string_view name, size_t otherwise) {
      std::string_view number = Option(options, name);
      const bool from_end = number.starts_with('-');
      if (from_end) number.remove_prefix(1);
      if (number.empty() || number.size() > 9 || !std::all_of(number.begin(), number.end(), IsDigit)) return otherwise;
      const size_t value = std::stoul(std::string(number));
      return from_end ? all.size() - std::min(value, all.size()) : std::min(value, all.size());
    };
    const size_t begin = line_of("start-line", 0), end = std::max(begin, line_of("end-line", all.size()));
    std::string text;
    for (size_t i = begin; i < end; ++i) text.append(all[i]).push_back('\n');
    if (const std::string_view after = Option(options, "start-after"); !after.empty()) {
      const size_t at = text.find(after);
      if (at == text.npos) return WithoutPart(target, after);
      text.erase(0, at + after.size());
    }
    if (const std::string_view before = Option(options, "end-before"); !before.empty()) {
      const size_t at = text.find(before);
      if (at == text.npos) return WithoutPart(target, before);
      text.erase(at);
    }
    const LineList lines = ListLines(text);
    return std::vector<std::string>(lines.begin(), lines.end());
  }

  // Sphinx: an object or numbered lines, then by texts in lines; numbers count in the whole file.
  std::optional<std::vector<std::string>> SelectCode(std::string_view target, const Options& options,
                                                     const IncludedFile& file) {
    LineList lines = ListLines(file.text);
    if (const std::string_view object = Option(options, "pyobject"); !object.empty()) {
      std::optional<LineList> definition = TakePythonObject(lines, object);
      if (!definition) return WithoutPart(target, object);
      lines = std::move(*definition);
    }
    const auto find = [&](std::string_view words, size_t from) {
      while (from < lines.size() && lines[from].find(words) == std::string_view::npos) ++from;
      return from;
    };
    for (const bool at : {true, false}) {
      const std::string_view start = Option(options, at ? "start-at" : "start-after");
      if (start.empty()) continue;
      const size_t found = find(start, 0);
      if (found == lines.size()) return WithoutPart(target, start);
      lines.erase(lines.begin(), lines.begin() + ptrdiff_t(found + (at ? 0 : 1)));
    }
    for (const bool at : {true, false}) {
      const std::string_view end = Option(options, at ? "end-at" : "end-before");
      if (end.empty()) continue;
      const size_t found = find(end, 0);
      if (found == lines.size()) return WithoutPart(target, end);
      lines.resize(found + (at ? 1 : 0));
    }
    if (const std::string_view numbers = Option(options, "lines"); !numbers.empty()) {
      const std::optional<std::vector<LineRange>> ranges = ReadRanges(numbers, "-");
      if (!ranges) return WithoutPart(target, numbers);
      lines = TakeRanges(lines, *ranges);
    }
    lines = WithoutMarks(lines);
    std::string prepend(Option(options, "prepend")), append(Option(options, "append"));
    std::vector<std::string> code = Dedented(lines);
    if (!prepend.empty()) code.insert(code.begin(), std::move(prepend));
    if (!append.empty()) code.push_back(std::move(append));
    return code;
  }

  std::nullopt_t WithoutPart(std::string_view target, std::string_view part) {
    out_.Missing(target, "it has no part '" + std::string(part.substr(0, 100)) + "'");
    return std::nullopt;
  }

  PageLines out_;
};

}  // namespace

ExpandedText ExpandRst(std::string_view text, IncludeFiles* files) {
  if (text.find("include::") == text.npos) return {std::string(text), {}, {}};
  return RstExpander(files).Run(text);
}

}  // namespace sheaf::packer
