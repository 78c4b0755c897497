// The includes of Markdown dialects. All are understood in all pages: no two dialects write different things alike.
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

// The include of a line.
struct Include {
  enum Form : uint8_t {
    kText,   // Markdown as part of the page; lines as they are within a fence
    kFence,  // code in a fence of its own
  } form = kText;
  std::string_view target;
  std::string_view region;
  std::vector<LineRange> ranges;
  std::string language;
  bool section = false;  // the region may be a heading
};

bool IsMarkdown(std::string_view path) {
  const std::string lower = Lower(path);
  return lower.ends_with(".md") || lower.ends_with(".mdx") || lower.ends_with(".markdown");
}

// The text between `open` and `close` when these enclose `line`.
std::optional<std::string_view> Enclosed(std::string_view line, std::string_view open, std::string_view close) {
  if (line.size() < open.size() + close.size() || !line.starts_with(open) || !line.ends_with(close)) return {};
  return Trim(line.substr(open.size(), line.size() - open.size() - close.size()));
}

// "file:part", "file:3", "file:1:3,5:6": what follows the first colon that a name or number follows.
bool SplitPart(std::string_view whole, Include* include) {
  const size_t slash = whole.rfind('/');
  const size_t colon = whole.find(':', slash == whole.npos ? 0 : slash);
  include->target = whole.substr(0, colon);
  if (colon == whole.npos) return true;
  const std::string_view part = whole.substr(colon + 1);
  if (part.empty()) return true;
  if (std::optional<std::vector<LineRange>> ranges = ReadRanges(part, ":")) {
    include->ranges = std::move(*ranges);
  } else {
    include->region = part.substr(0, part.find(':'));
  }
  return true;
}

// `-8<-`, `--8<--`, ...: the length of the mark that the line begins with, or 0.
size_t Scissors(std::string_view line) {
  const size_t dashes = std::min(line.find_first_not_of('-'), line.size());
  if (dashes == 0 || line.substr(dashes, 3) != "8<-") return 0;
  return std::min(line.find_first_not_of('-', dashes + 2), line.size());
}

// --8<-- "file"
bool ReadSnippet(std::string_view line, Include* include) {
  const size_t mark = Scissors(line);
  if (mark == 0) return false;
  const std::string_view rest = Trim(line.substr(mark));
  if (rest.size() < 3 || (rest[0] != '"' && rest[0] != '\'') || rest.back() != rest[0]) return false;
  return SplitPart(Trim(rest.substr(1, rest.size() - 2)), include);
}

// {* file ln[1:3,5] hl[2] title["…"] *}
bool ReadVariants(std::string_view line, Include* include) {
  const std::optional<std::string_view> inside = Enclosed(line, "{*", "*}");
  if (!inside || inside->empty()) return false;
  const size_t space = std::min(inside->find(' '), inside->size());
  include->form = Include::kFence;
  include->target = inside->substr(0, space);
  if (const size_t at = inside->find(" ln["); at != inside->npos) {
    const std::string_view numbers = inside->substr(at + 4);
    if (std::optional<std::vector<LineRange>> ranges = ReadRanges(numbers.substr(0, numbers.find(']')), ":"))
      include->ranges = std::move(*ranges);
  }
  return true;
}

// {!file!}, {!> file!}, {!file [ln:1-3]!}
bool ReadBang(std::string_view line, Include* include) {
  std::optional<std::string_view> inside = Enclosed(line, "{!", "!}");
  if (!inside || inside->empty()) return false;
  if (inside->starts_with('>')) inside = Trim(inside->substr(1));
  if (const size_t at = inside->find("[ln:"); at != inside->npos) {
    const std::string_view numbers = inside->substr(at + 4);
    if (std::optional<std::vector<LineRange>> ranges = ReadRanges(numbers.substr(0, numbers.find(']')), "-"))
      include->ranges = std::move(*ranges);
    inside = Trim(inside->substr(0, at));
  }
  include->target = *inside;
  return true;
}

// <<< @/file#part{1,3-5 ts:line-numbers} [title], the numbers being those to highlight; also {…}#part.
bool ReadCodeImport(std::string_view line, Include* include) {
  if (!line.starts_with("<<<")) return false;
  std::string_view rest = Trim(line.substr(3));
  if (rest.empty() || rest.starts_with('<')) return false;
  if (rest.ends_with(']')) {
    if (const size_t open = rest.rfind('['); open != rest.npos && open > 0) rest = TrimEnd(rest.substr(0, open));
  }
  const size_t brace = rest.find('{'), hash = rest.find('#');
  include->form = Include::kFence;
  include->target = TrimEnd(rest.substr(0, std::min(brace, hash)));
  if (hash != rest.npos) {
    const std::string_view region = rest.substr(hash + 1);
    include->region = TrimEnd(region.substr(0, region.find_first_of("{ ")));
  }
  if (brace != rest.npos) {
    std::string_view words = rest.substr(brace + 1);
    words = Trim(words.substr(0, words.find('}')));
    const size_t space = words.find_last_of(' ');
    std::string_view word = space == words.npos ? words : words.substr(space + 1);
    word = word.substr(0, word.find(':'));
    if (!word.empty() && IsAlpha(word[0])) include->language = std::string(word);
  }
  // Shell prompts and arrows begin so, too.
  return include->target.find('.') != include->target.npos && include->target.find(' ') == include->target.npos;
}

// <!--@include: ./file.md#part{3,10}-->
bool ReadComment(std::string_view line, Include* include) {
  std::optional<std::string_view> inside = Enclosed(line, "<!--", "-->");
  if (!inside || !inside->starts_with("@include:")) return false;
  std::string_view rest = Trim(inside->substr(9));
  if (const size_t brace = rest.find('{'); brace != rest.npos) {
    std::string_view numbers = rest.substr(brace + 1);
    numbers = numbers.substr(0, numbers.find('}'));
    // "3,", ",10", "1,10", "4": one range, with a comma within.
    std::string range(numbers);
    std::replace(range.begin(), range.end(), ',', '-');
    if (std::optional<std::vector<LineRange>> ranges = ReadRanges(range, "-")) include->ranges = std::move(*ranges);
    rest = TrimEnd(rest.substr(0, brace));
  }
  const size_t hash = rest.find('#');
  include->target = rest.substr(0, hash);
  if (hash != rest.npos) include->region = rest.substr(hash + 1);
  include->section = true;
  return !include->target.empty();
}

// {{#include file:part}}
bool ReadHelper(std::string_view line, Include* include) {
  const std::optional<std::string_view> inside = Enclosed(line, "{{#", "}}");
  if (!inside) return false;
  const size_t space = inside->find(' ');
  if (space == inside->npos) return false;
  const std::string_view name = inside->substr(0, space);
  std::string_view rest = Trim(inside->substr(space + 1));
  if (name == "playground" || name == "playpen") {
    rest = rest.substr(0, rest.find(' '));
    include->form = Include::kFence;
  } else if (name != "include" && name != "rustdoc_include") {
    return false;
  }
  return SplitPart(rest, include);
}

bool ReadInclude(std::string_view line, bool fenced, Include* include) {
  if (line.size() < 5 || line.size() > 2000) return false;
  switch (line[0]) {
    case '-': return ReadSnippet(line, include);
    case '<': return !fenced && (ReadCodeImport(line, include) || ReadComment(line, include));
    case '{': return ReadBang(line, include) || ReadHelper(line, include) || (!fenced && ReadVariants(line, include));
    default: return false;
  }
}

// A name that an MDX page gave to a file.
struct Import {
  std::string target;
  bool raw = false;  // the file's text, rather than Markdown
};

// import Name from './_part.mdx';  import code from '!!raw-loader!./x.py';  import code from './x.py?raw'
bool ReadImport(std::string_view line, std::string* name, Import* import) {
  if (!line.starts_with("import ")) return false;
  std::string_view rest = Trim(line.substr(7));
  size_t end = 0;
  while (end < rest.size() && IsWordByte(rest[end])) ++end;
  if (end == 0) return false;
  *name = std::string(rest.substr(0, end));
  rest = Trim(rest.substr(end));
  if (!rest.starts_with("from")) return false;
  rest = Trim(rest.substr(4));
  if (rest.ends_with(';')) rest = TrimEnd(rest.substr(0, rest.size() - 1));
  if (rest.size() < 3 || (rest[0] != '"' && rest[0] != '\'') || rest.back() != rest[0]) return false;
  rest = rest.substr(1, rest.size() - 2);
  if (const size_t loader = rest.rfind("raw-loader!"); loader != rest.npos) {
    import->raw = true;
    rest = rest.substr(loader + 11);
  } else if (const size_t query = rest.find('?'); query != rest.npos) {
    import->raw = rest.substr(query) == "?raw";
    if (!import->raw) return false;
    rest = rest.substr(0, query);
  }
  // Formatters escape marks of Markdown in it: './\_part.md'.
  for (const char c : rest) {
    if (c != '\\') import->target += c;
  }
  return import->raw || IsMarkdown(rest);
}

// The name of the element that a line consists of: "Part" for `<Part />` and `<Part a="b" />`.
std::string_view ElementIn(std::string_view line) {
  if (!line.starts_with('<') || !line.ends_with("/>")) return {};
  size_t end = 1;
  while (end < line.size() && IsWordByte(line[end])) ++end;
  const std::string_view name = line.substr(1, end - 1);
  return line.find('<', 1) == line.npos ? name : std::string_view();
}

class MarkdownExpander {
 public:
  explicit MarkdownExpander(IncludeFiles* files) : out_(files) {}

  ExpandedText Run(std::string_view text) {
    Lines(ListLines(text), "", /*is_page=*/true);
    return out_.Take(text);
  }

 private:
  using Imports = std::map<std::string, Import, std::less<>>;

  void Lines(const LineList& lines, std::string_view prefix, bool is_page) {
    Imports imports;
    std::string fence;  // of the page's code that these lines are in
    for (size_t i = 0; i < lines.size(); ++i) {
      if (is_page) out_.At(uint32_t(i + 1));
      const std::string_view line = lines[i];
      const std::string_view words = Trim(line);
      if (Fence(words, &fence)) {
        out_.Add(prefix, line);
        continue;
      }
      const bool fenced = !fence.empty();
      const std::string own = std::string(prefix) + std::string(line.substr(0, line.size() - TrimStart(line).size()));
      Include include;
      if (ReadInclude(words, fenced, &include)) {
        if (!Put(include, own, fenced)) out_.Add(prefix, line);
      } else if (Scissors(words) == words.size() && !words.empty()) {
        i += Block(lines, i, own, prefix, fenced, is_page);
      } else if (fenced || !Mdx(line, words, own, &imports)) {
        out_.Add(prefix, line);
      }
    }
  }

  static std::string_view TrimStart(std::string_view line) {
    return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  }

  // Keeps track of fences; whether the line is one.
  static bool Fence(std::string_view words, std::string* open) {
    while (open->empty() && !words.empty() && (words[0] == '>' || ListMarker(words) > 0)) {
      words = TrimStart(words.substr(words[0] == '>' ? 1 : ListMarker(words)));
    }
    if (words.size() < 3 || (words[0] != '`' && words[0] != '~')) return false;
    const size_t run = std::min(words.find_first_not_of(words[0]), words.size());
    if (run < 3) return false;
    if (open->empty()) {
      if (words[0] == '`' && words.find('`', run) != words.npos) return false;  // a code span
      *open = std::string(run, words[0]);
      return true;
    }
    if (words[0] != (*open)[0] || run < open->size() || run != words.size()) return false;
    open->clear();
    return true;
  }

  // The lines that are meant, or nothing, with a note.
  std::optional<std::vector<std::string>> Select(const Include& include, const IncludedFile& file) {
    LineList lines = ListLines(file.text);
    bool part = false;
    if (!include.region.empty()) {
      std::optional<LineList> region = TakeRegion(lines, include.region);
      if (!region && include.section) region = TakeMarkdownSection(lines, include.region);
      if (!region) {
        out_.Missing(include.target, "it has no part '" + std::string(include.region.substr(0, 100)) + "'");
        return std::nullopt;
      }
      lines = std::move(*region);
      part = true;
    }
    if (!include.ranges.empty()) {
      lines = TakeRanges(lines, include.ranges);
      part = true;
    }
    lines = WithoutMarks(lines);
    if (!part) {
      std::vector<std::string> all(lines.begin(), lines.end());
      return all;
    }
    return Dedented(lines);
  }

  // False: it is missing.
  bool Put(const Include& include, const std::string& prefix, bool fenced) {
    const IncludedFile* file = out_.Find(include.target, out_.file());
    if (file == nullptr) return false;
    const std::optional<std::vector<std::string>> lines = Select(include, *file);
    if (!lines || !out_.HasRoom(include.target, *lines)) return false;
    if (fenced) {
      out_.AddAll(prefix, *lines);
    } else if (include.form == Include::kFence) {
      out_.AddFence(prefix, include.language.empty() ? LanguageOfFile(include.target) : include.language, *lines);
    } else {
      return PutMarkdown(*file, include.target, *lines, prefix);
    }
    return true;
  }

  bool PutMarkdown(const IncludedFile& file, std::string_view target, const std::vector<std::string>& lines,
                   const std::string& prefix) {
    if (!out_.Enter(file, target)) return false;
    LineList views(lines.begin(), lines.end());
    // Its front matter is its own.
    if (!views.empty() && views[0] == "---" && IsMarkdown(file.path)) {
      const auto end = std::find(views.begin() + 1, views.end(), std::string_view("---"));
      if (end != views.end()) views.erase(views.begin(), end + 1);
    }
    Lines(views, prefix, /*is_page=*/false);
    out_.Leave();
    return true;
  }

  // --8<-- on a line of its own, names of files, --8<--. Returns how many lines follow the first.
  size_t Block(const LineList& lines, size_t first, const std::string& own, std::string_view prefix, bool fenced,
               bool is_page) {
    size_t end = first + 1;
    constexpr size_t kMaxBlock = 100;
    const auto closes = [&](std::string_view words) { return !words.empty() && Scissors(words) == words.size(); };
    while (end < lines.size() && end - first <= kMaxBlock && !closes(Trim(lines[end]))) ++end;
    if (end >= lines.size() || end - first > kMaxBlock) {
      out_.Add(prefix, lines[first]);
      return 0;
    }
    for (size_t i = first + 1; i < end; ++i) {
      if (is_page) out_.At(uint32_t(i + 1));
      std::string_view name = Trim(lines[i]);
      if (name.starts_with(';')) continue;
      if (name.size() > 2 && (name[0] == '"' || name[0] == '\'') && name.back() == name[0])
        name = name.substr(1, name.size() - 2);
      Include include;
      if (name.empty()) {
        out_.Add(prefix, "");
      } else {
        SplitPart(name, &include);
        if (!Put(include, own, fenced)) out_.Add(prefix, lines[i]);
      }
    }
    return end - first;
  }

  // Imports, and lines that use an import. True: the line is done.
  bool Mdx(std::string_view line, std::string_view words, const std::string& own, Imports* imports) {
    std::string name;
    Import import;
    if (line.starts_with("import ") && ReadImport(words, &name, &import)) {
      if (imports->size() < kMaxIncludes) imports->emplace(std::move(name), std::move(import));
      return false;  // the parser drops it, where it is a statement
    }
    if (imports->empty()) return false;
    if (const std::string_view element = ElementIn(words); !element.empty()) {
      const auto found = imports->find(element);
      if (found != imports->end() && !found->second.raw) {
        Include include;
        include.target = found->second.target;
        return Put(include, own, false);
      }
    }
    return Raw(words, *imports);
  }

  // `{code}` alone, or in an element that the line consists of: `<CodeBlock language="py">{code}</CodeBlock>`,
  // `<Code code={code} lang="ts" />`.
  bool Raw(std::string_view words, const Imports& imports) {
    const size_t open = words.find('{');
    if (open == words.npos || (words[0] != '{' && words[0] != '<')) return false;
    if (words[0] == '<' && words.back() != '>') return false;
    for (size_t at = open; at != words.npos; at = words.find('{', at + 1)) {
      const size_t close = words.find('}', at);
      if (close == words.npos) return false;
      const auto found = imports.find(Trim(words.substr(at + 1, close - at - 1)));
      if (found == imports.end() || !found->second.raw) continue;
      if (words[0] == '{' && close + 1 != words.size()) return false;
      Include include;
      include.form = Include::kFence;
      include.target = found->second.target;
      // At the margin: the tags around are taken off.
      return Put(include, "", false);
    }
    return false;
  }

  PageLines out_;
};

bool MayInclude(std::string_view text) {
  for (const std::string_view mark : {"8<-", "{*", "{!", "<<<", "@include", "{{#", "import "}) {
    if (text.find(mark) != text.npos) return true;
  }
  return false;
}

}  // namespace

ExpandedText ExpandMarkdown(std::string_view text, IncludeFiles* files) {
  if (!MayInclude(text)) return {std::string(text), {}, {}};
  return MarkdownExpander(files).Run(text);
}

}  // namespace sheaf::packer
