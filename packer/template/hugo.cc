#include "packer/template/hugo.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "packer/base/text_scan.h"
#include "packer/include/select_lines.h"

namespace sheaf::packer {
namespace {

// What a shortcode does, by its name.
enum class Deed : uint8_t {
  kUnknown,
  kUnwrap,       // the tags go, a title stays
  kTab,          // the same, its name is a title
  kTabs,         // holds tabs; its own name is for the generator
  kCode,         // code between the tags, or a file's
  kFigure,       // its caption
  kReference,    // an address
  kInclude,      // Markdown or code of a file
  kCodeFile,     // code of a file among the examples
  kParameter,    // a value of page or site
  kText,         // its text parameter
  kDefinition,   // of a glossary
  kHeading,      // a heading's usual words
  kVersionMark,  // "New in 1.2"
  kState,        // "Feature state: … [stable]"
  kLink,         // words that lead somewhere
  kNothing,      // a film, a list that the generator makes: known to have no words
};

Deed DeedOf(std::string_view name) {
  static const std::unordered_map<std::string_view, Deed> deeds = [] {
    std::unordered_map<std::string_view, Deed> all;
    const auto add = [&](Deed deed, std::initializer_list<std::string_view> names) {
      for (const std::string_view one : names) all.emplace(one, deed);
    };
    add(Deed::kUnwrap, {"note",
                        "warning",
                        "caution",
                        "tip",
                        "info",
                        "alert",
                        "admonition",
                        "callout",
                        "hint",
                        "notice",
                        "danger",
                        "important",
                        "details",
                        "expand",
                        "collapse",
                        "accordion",
                        "pageinfo",
                        "section",
                        "columns",
                        "column",
                        "steps",
                        "step",
                        "cards",
                        "markdown",
                        "div",
                        "block",
                        "aside",
                        "table",
                        "responsive_table",
                        "trimmable",
                        "math",
                        "katex",
                        "quote",
                        "blockquote"});
    add(Deed::kTabs, {"tabs", "tabpane", "tab_set", "tabgroup", "multitabs"});
    add(Deed::kTab, {"tab", "tab_item", "tabitem", "tab_content"});
    add(Deed::kCode, {"highlight", "code", "code_block", "codeblock", "code_toggle", "command", "terminal", "console",
                      "mermaid", "redis_cli", "clients_example", "output"});
    add(Deed::kFigure, {"figure", "img", "image", "imgproc", "picture", "diagram"});
    add(Deed::kReference, {"ref", "relref", "relurl", "absurl"});
    add(Deed::kInclude, {"include", "readfile", "read_file", "shared", "embed_md", "include_md", "includemd", "snippet",
                         "code_include", "include_code", "embed", "include_file", "text_include"});
    add(Deed::kCodeFile, {"code_sample", "codenew", "code_file", "codefile", "example"});
    add(Deed::kParameter, {"param", "params", "siteparam", "site_param", "meta", "var"});
    add(Deed::kText, {"glossary_tooltip", "tooltip", "term", "gloss", "abbr", "badge", "kbd", "def"});
    add(Deed::kDefinition, {"glossary_definition"});
    add(Deed::kHeading, {"heading"});
    add(Deed::kVersionMark, {"new_in", "newin", "deprecated_in"});
    add(Deed::kState, {"feature_state"});
    add(Deed::kLink, {"button", "link", "card", "api_reference", "xref"});
    add(Deed::kNothing, {"youtube",
                         "vimeo",
                         "gist",
                         "tweet",
                         "x",
                         "instagram",
                         "video",
                         "toc",
                         "thirdparty_content",
                         "comment",
                         "ignore",
                         "svg",
                         "icon",
                         "thumbnail",
                         "br",
                         "clear",
                         "children",
                         "list_children",
                         "table_of_contents",
                         "html_comment"});
    return all;
  }();
  const size_t slash = name.rfind('/');
  if (slash != name.npos) name.remove_prefix(slash + 1);
  std::string key = Lower(name);
  std::replace(key.begin(), key.end(), '-', '_');
  const auto found = deeds.find(key);
  return found == deeds.end() ? Deed::kUnknown : found->second;
}

// Those that a site defines anew without meaning anything else, and whose definitions say less than this table.
bool IsStructure(Deed deed) {
  switch (deed) {
    case Deed::kTab:
    case Deed::kTabs:
    case Deed::kCode:
    case Deed::kFigure:
    case Deed::kReference:
    case Deed::kInclude:
    case Deed::kCodeFile:
    case Deed::kParameter:
    case Deed::kText:
    case Deed::kDefinition: return true;
    default: return false;
  }
}

bool SoundsLikeCode(std::string_view name) {
  const std::string lower = Lower(name);
  for (const char* part : {"code", "cli", "command", "console", "terminal", "highlight", "playground", "shell"}) {
    if (lower.find(part) != lower.npos) return true;
  }
  return false;
}

bool IsMarkdown(std::string_view path) {
  const std::string lower = Lower(path);
  return lower.ends_with(".md") || lower.ends_with(".mdx") || lower.ends_with(".markdown") || lower.ends_with(".qmd") ||
         lower.ends_with(".html");
}

// An address as it stands between the parentheses of a link.
std::string AsTarget(std::string_view path) {
  std::string out;
  for (const char c : Trim(path)) {
    if (c == ' ')
      out += "%20";
    else if (c != '(' && c != ')' && c != '<' && c != '>' && c != '\n')
      out += c;
  }
  return out;
}

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= 30 && std::all_of(text.begin(), text.end(), [](char c) {
    return IsWordByte(c) || c == '-' || c == '+' || c == '#';
  });
}

// The least indent of lines with words.
size_t CommonIndent(std::string_view text) {
  size_t least = SIZE_MAX;
  for (const std::string_view line : ListLines(text)) {
    if (!IsBlank(line)) least = std::min(least, line.find_first_not_of(" \t"));
  }
  return least == SIZE_MAX ? 0 : least;
}

// The language that configuration is written in.
std::string GuessConfig(std::string_view code) {
  code = Trim(code);
  if (code.starts_with('{')) return "json";
  const std::string_view line = code.substr(0, code.find('\n'));
  return line.starts_with('[') || line.find(" = ") != line.npos ? "toml" : "yaml";
}

// The name that a tab is chosen by.
std::string_view TabNameOf(const ShortcodeTag& tag) {
  return tag.Named({"title", "name", "header", "heading", "summary", "label", "tabname", "caption", "text"})
      .value_or(tag.At(0));
}

}  // namespace

NumberedText Hugo::Expand(std::string_view text, const std::vector<ShortcodeTag>& tags) {
  Source source{text, tags, {}, 0, CodeRanges(text)};
  source.starts.push_back(0);
  for (size_t at = 0; (at = text.find('\n', at)) != text.npos;) source.starts.push_back(++at);
  NumberedText out;
  Walk(source, {0, text.size(), 0, tags.size()}, &out);
  return out;
}

uint32_t Hugo::LineOf(const Source& source, size_t at) {
  if (source.starts.empty()) return source.line;
  return uint32_t(std::upper_bound(source.starts.begin(), source.starts.end(), at) - source.starts.begin());
}

void Hugo::Copy(const Source& source, size_t begin, size_t end, NumberedText* out) {
  if (begin >= end) return;
  out->Append(source.text.substr(begin, end - begin), LineOf(source, begin), !source.starts.empty());
}

void Hugo::Walk(const Source& source, Range range, NumberedText* out) {
  const std::string_view text = source.text.substr(0, range.end);
  size_t at = range.begin, line_end = 0;
  for (size_t i = range.tag; i < range.last;) {
    const ShortcodeTag& tag = source.tags[i];
    if (tag.kind == ShortcodeTag::kEscaped) {
      Copy(source, at, tag.begin, out);
      out->Append(tag.written, LineOf(source, tag.begin), false);
      at = tag.end;
      ++i;
      continue;
    }
    const ShortcodeTag& last = tag.match > 0 ? source.tags[tag.match] : tag;
    const size_t line = at + text.substr(at, tag.begin - at).rfind('\n') + 1;  // npos + 1 is 0
    if (line_end < last.end) line_end = std::min(text.find('\n', last.end), text.size());
    const std::string_view before = text.substr(line, tag.begin - line);
    const Prefix prefix = ReadPrefix(before);
    Place place;
    place.tag = &tag;
    place.line = LineOf(source, tag.begin);
    place.in_code = source.code.Holds(tag.begin);
    place.alone = prefix.bytes == before.size() && !prefix.quoted &&
                  IsBlank(text.substr(last.end, line_end - last.end)) &&
                  (line == range.begin || line > at || out->at_line_start());
    NumberedText inner;
    if (tag.match > 0) {
      Walk(source, {tag.end, last.begin, i + 1, tag.match}, &inner);
      place.inner = &inner;
    }
    NumberedText written;
    if (tag.kind == ShortcodeTag::kOpens) {
      if (place.alone) place.indent = prefix.marks > 0 ? std::string(before.size(), ' ') : std::string(before);
      Write(place, &written);
    }
    if (!place.alone) {
      Copy(source, at, tag.begin, out);
      out->Append(written);
      at = last.end;
    } else {
      Copy(source, at, prefix.marks > 0 ? tag.begin : line, out);
      const bool has_words = !IsBlank(written.text());
      // A block of its own, as the tags made it.
      if (has_words && prefix.marks == 0 && !out->text().empty() && !out->text().ends_with("\n\n") && tag.match > 0)
        out->Append("\n", place.line, false);
      if (has_words || prefix.marks > 0) {
        std::string_view words = written.text();
        if (prefix.marks > 0 && words.starts_with(place.indent)) {
          // The list's mark stands before the first line already.
          NumberedText rest;
          rest.Append(words.substr(place.indent.size()), place.line, false);
          out->Append(rest);
        } else {
          out->Append(written);
        }
        if (!out->at_line_start()) out->Append("\n", place.line, false);
      }
      at = std::min(line_end + 1, text.size());
      if (has_words && tag.match > 0 && at < text.size() && text[at] != '\n')
        out->Append("\n", LineOf(source, at), false);
    }
    i = tag.match > 0 ? tag.match + 1 : i + 1;
  }
  Copy(source, at, range.end, out);
}

void Hugo::Write(const Place& place, NumberedText* out) {
  const ShortcodeTag& tag = *place.tag;
  const Deed deed = DeedOf(tag.name);
  // Within code nothing becomes markup.
  if (place.in_code && place.inner != nullptr) return out->Append(*place.inner);
  if (!IsStructure(deed) && WriteLayout(place, out)) return;
  WriteKnown(place, tag.name, out);
}

bool Hugo::WriteLayout(const Place& place, NumberedText* out) {
  const std::optional<ShortcodeLayout>& layout = LayoutOf(place.tag->name);
  if (!layout) return false;
  NumberedText written;
  for (const ShortcodeLayout::Output& output : layout->Write(*place.tag)) {
    if (!output.inner) {
      if (files_->HasRoom(output.text.size(), place.tag->name)) written.Append(output.text, place.line, false);
    } else if (place.inner != nullptr) {
      written.Append(*place.inner);
    }
  }
  // The end of the definition's file is no end of the page's line.
  if (place.alone)
    out->Append(written);
  else
    out->Append(TrimEnd(written.text()), place.line, false);
  return true;
}

const std::optional<ShortcodeLayout>& Hugo::LayoutOf(std::string_view name) {
  constexpr size_t kMostNames = 100;
  static const std::optional<ShortcodeLayout> kNone;
  const auto known = layouts_.find(name);
  if (known != layouts_.end()) return known->second;
  if (layouts_.size() >= kMostNames) return kNone;
  std::optional<ShortcodeLayout> layout;
  for (const char* folder : {"/layouts/shortcodes/", "/layouts/_shortcodes/"}) {
    for (const char* extension : {".html", ".md"}) {
      const IncludedFile* file = files_->Probe(folder + std::string(name) + extension);
      if (file == nullptr) continue;
      layout = ShortcodeLayout::Parse(file->text);
      return layouts_.emplace(name, std::move(layout)).first->second;
    }
  }
  return layouts_.emplace(name, std::nullopt).first->second;
}

void Hugo::WriteKnown(const Place& place, std::string_view name, NumberedText* out) {
  const ShortcodeTag& tag = *place.tag;
  const bool has_inner = place.inner != nullptr && !IsBlank(place.inner->text());
  const auto inline_text = [&](std::string_view text) {
    if (!text.empty()) Insert(place, text, out);
  };
  switch (DeedOf(name)) {
    case Deed::kNothing: return;
    case Deed::kUnwrap: return Unwrap(place, tag.Named({"title", "summary", "header", "heading"}).value_or(""), out);
    case Deed::kTabs: return Unwrap(place, "", out);
    case Deed::kTab: {
      const std::string_view title = TabNameOf(tag);
      if (const auto file = tag.Named({"include"}); file && !has_inner) {
        Insert(place, "**" + std::string(title) + "**\n", out);
        return IncludeCode(place, *file, out);
      }
      const auto language = tag.Named({"codelang", "lang"});
      if (!language) return Unwrap(place, title, out);
      if (!title.empty()) Insert(place, "**" + std::string(title) + "**\n\n", out);
      return Fence(place, *language, out);
    }
    case Deed::kCode: {
      if (const auto file = tag.Named({"file", "src", "source"}); file && !has_inner)
        return IncludeCode(place, *file, out);
      std::string language(tag.Named({"lang", "language", "codelang", "syntax", "type", "format"}).value_or(""));
      const bool is_toggle = name == "code-toggle";
      if (language.empty() && !is_toggle && IsWord(tag.At(0))) language = tag.At(0);
      if (is_toggle && has_inner) language = GuessConfig(place.inner->text());
      if (name == "mermaid") language = name;
      return Fence(place, language, out);
    }
    case Deed::kFigure: {
      std::string words(tag.Named({"title"}).value_or(""));
      if (const auto caption = tag.Named({"caption"})) words += (words.empty() ? "" : ". ") + std::string(*caption);
      if (words.empty()) words = tag.Named({"alt"}).value_or("");
      if (!words.empty()) inline_text(words);
      if (has_inner) Unwrap(place, "", out);
      return;
    }
    case Deed::kReference: return inline_text(AsTarget(tag.Named({"path", "href", "url"}).value_or(tag.At(0))));
    case Deed::kInclude: return Include(place, out);
    case Deed::kCodeFile:
      if (has_inner) return Fence(place, tag.Named({"lang", "language"}).value_or(""), out);
      return IncludeCode(place, tag.Named({"file", "src", "path"}).value_or(tag.At(0)), out);
    case Deed::kParameter: {
      const std::string value = ValueOf(tag.Named({"name"}).value_or(tag.At(0)));
      if (value.empty()) files_->LeftOut("{{< param " + std::string(tag.At(0).substr(0, 40)) + " >}}");
      return inline_text(value);
    }
    case Deed::kText: {
      if (has_inner) return Unwrap(place, "", out);
      std::string text(tag.Named({"text", "label", "content", "title", "name"}).value_or(""));
      if (text.empty()) {
        text = tag.Named({"term_id", "term"}).value_or(tag.At(0));
        std::replace(text.begin(), text.end(), '-', ' ');
      }
      return inline_text(text);
    }
    case Deed::kDefinition: return Definition(place, out);
    case Deed::kHeading: {
      static const std::unordered_map<std::string_view, std::string_view> words = {
          {"objectives", "Objectives"}, {"prerequisites", "Before you begin"},
          {"whatsnext", "What's next"}, {"cleanup", "Cleaning up"},
          {"synopsis", "Synopsis"},     {"options", "Options"},
          {"seealso", "See Also"},      {"lessoncontent", "Lesson"}};
      const auto found = words.find(tag.At(0));
      return inline_text(found != words.end() ? found->second : tag.At(0));
    }
    case Deed::kVersionMark:
      if (has_inner) return Unwrap(place, "", out);
      return inline_text((name.starts_with("new") ? "New in " : "Deprecated in ") +
                         std::string(tag.Named({"version"}).value_or(tag.At(0))));
    case Deed::kState: {
      const auto version = tag.Named({"for_k8s_version", "version"});
      const auto state = tag.Named({"state"});
      const auto gate = tag.Named({"feature_gate_name"});
      std::string text = "Feature state: ";
      if (version) text += std::string(*version) + " ";
      if (state) text += "[" + std::string(*state) + "]";
      if (gate) text += "feature gate " + std::string(*gate);
      return inline_text(TrimEnd(text));
    }
    case Deed::kLink:
    case Deed::kUnknown: break;
  }
  if (place.inner != nullptr) {
    const std::string_view title =
        tag.Named({"title", "name", "header", "heading", "summary", "label", "caption"}).value_or("");
    if (SoundsLikeCode(name) && has_inner) return Fence(place, tag.Named({"lang", "language"}).value_or(""), out);
    const auto target = tag.Named({"link", "href", "url"});
    const std::string_view words = Trim(place.inner->text());
    if (DeedOf(name) == Deed::kLink && target && words.find_first_of("\n[]") == words.npos && !words.empty())
      return inline_text("[" + std::string(words) + "](" + AsTarget(*target) + ")");
    return Unwrap(place, title, out);
  }
  if (const auto text = tag.Named({"text", "title", "label", "caption", "content", "description"})) {
    const auto target = tag.Named({"link", "href", "url", "to"});
    const bool is_link = target && text->find_first_of("[]\n") == text->npos;
    return inline_text(is_link ? "[" + std::string(*text) + "](" + AsTarget(*target) + ")" : std::string(*text));
  }
  files_->LeftOut("{{< " + std::string(name.substr(0, 60)) + " >}}");
}

std::string Hugo::ValueOf(std::string_view name) const {
  const std::string key = Lower(name);
  for (const auto& [values, prefix] : {std::pair<const Values*, const char*>{&page_, ""},
                                       {&page_, "params."},
                                       {&site_, "params."},
                                       {&site_, "languages.en.params."},
                                       {&site_, ""}}) {
    const auto found = values->find(prefix + key);
    if (found != values->end()) return found->second;
  }
  return {};
}

// ---- writing --------------------------------------------------------------------------------

void Hugo::Insert(const Place& place, std::string_view text, NumberedText* out) {
  if (!files_->HasRoom(text.size(), place.tag->name)) return;
  if (!place.alone) return out->Append(text, place.line, false);
  for (const std::string_view line : ListLines(text)) {
    if (!IsBlank(line)) out->Append(place.indent, place.line, false);
    out->Append(line, place.line, false);
    out->Append("\n", place.line, false);
  }
}

void Hugo::Unwrap(const Place& place, std::string_view title, NumberedText* out) {
  if (place.inner == nullptr) {
    if (!title.empty()) Insert(place, title, out);
    return;
  }
  const std::string_view text = place.inner->text();
  if (!place.alone) return out->Append(*place.inner);
  if (!title.empty()) Insert(place, "**" + std::string(title) + "**\n\n", out);
  const size_t common = CommonIndent(text);
  const bool deeper = common > place.indent.size();
  size_t number = 0;
  bool begun = false;
  for (std::string_view line : ListLines(text)) {
    const uint32_t from = number < place.inner->lines().size() ? place.inner->lines()[number] : place.line;
    ++number;
    if (IsBlank(line)) {
      if (begun) out->Append("\n", from, false);
      continue;
    }
    // Words right behind the opening tag stand where it stood.
    if (deeper) line.remove_prefix(std::min(common, line.find_first_not_of(" \t")));
    if (deeper || (!begun && line.find_first_not_of(" \t") == 0)) out->Append(place.indent, from, false);
    begun = true;
    out->Append(line, from, false);
    out->Append("\n", from, false);
  }
}

void Hugo::Fence(const Place& place, std::string_view language, NumberedText* out) {
  if (place.inner == nullptr) return;
  const std::string_view text = place.inner->text();
  if (IsBlank(text)) return;
  if (text.find("```") != text.npos || text.find("~~~") != text.npos) return Unwrap(place, "", out);
  const std::string_view words = Trim(text);
  if (!place.alone && words.find_first_of("\n`") == words.npos) {
    out->Append("`" + std::string(words) + "`", place.line, false);
    return;
  }
  FenceText(place, language, text, out);
}

void Hugo::FenceText(const Place& place, std::string_view language, std::string_view code, NumberedText* out) {
  const LineList all = ListLines(code);
  const std::vector<std::string> lines = Dedented(all);
  const std::string fence = BackticksAround(code, 3);
  if (!place.alone && !out->at_line_start()) out->Append("\n", place.line, false);
  // Lines of the page keep their numbers; Dedented dropped the blank ones at both ends.
  size_t first = 0;
  while (first < all.size() && IsBlank(all[first])) ++first;
  const auto line_of = [&](size_t i) {
    const bool own = place.inner != nullptr && place.inner->text().data() == code.data();
    return own && first + i < place.inner->lines().size() ? place.inner->lines()[first + i] : place.line;
  };
  out->Append(place.indent + fence + std::string(language) + "\n", place.line, false);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].empty()) out->Append(place.indent + lines[i], line_of(i), false);
    out->Append("\n", line_of(i), false);
  }
  out->Append(place.indent + fence + "\n", std::max(place.line, out->last_line()), false);
}

// ---- files ----------------------------------------------------------------------------------

void Hugo::Include(const Place& place, NumberedText* out) {
  const ShortcodeTag& tag = *place.tag;
  std::string target(tag.Named({"file", "path", "lookup", "src", "name", "filename", "page"}).value_or(tag.At(0)));
  while (target.starts_with("./")) target.erase(0, 2);
  if (target.empty()) return;
  const std::string below = target.starts_with('/') ? target.substr(1) : target;
  std::vector<std::string> targets = {target};
  for (const char* folder : {"shared/", "includes/", "_includes/", "embeds/", "content/", "content/en/", ""})
    targets.push_back(folder + below);
  if (below.find('.') == below.npos || below.rfind('.') < below.rfind('/') + 1) targets.push_back(below + ".md");
  const IncludedFile* file = files_->FindAny(targets);
  if (file == nullptr) return;
  if (place.in_code) return Insert(place, file->text, out);
  if (!IsMarkdown(file->path) || tag.Named({"code"}).value_or("") == "true") {
    if (!files_->HasRoom(file->text.size(), target)) return;
    const std::string language(tag.Named({"lang", "language"}).value_or(""));
    return FenceText(place, language.empty() ? LanguageOfFile(target) : language, file->text, out);
  }
  IncludeText(place, *file, target, WithoutFrontMatter(file->text), out);
}

void Hugo::IncludeText(const Place& place, const IncludedFile& file, std::string_view target, std::string_view text,
                       NumberedText* out) {
  if (!files_->HasRoom(text.size(), target) || !files_->Enter(file, target)) return;
  const std::vector<ShortcodeTag> tags = FindShortcodes(text);
  NumberedText expanded;
  Walk({text, tags, {}, place.line, CodeRanges(text)}, {0, text.size(), 0, tags.size()}, &expanded);
  files_->Leave();
  // Its text is counted; its lines stand where the tag stands.
  const std::string_view words = place.alone ? std::string_view(expanded.text()) : Trim(expanded.text());
  if (place.indent.empty()) return out->Append(words, place.line, false);
  for (const std::string_view line : ListLines(words)) {
    if (!IsBlank(line)) out->Append(place.indent, place.line, false);
    out->Append(std::string(line) + "\n", place.line, false);
  }
}

void Hugo::IncludeCode(const Place& place, std::string_view target, NumberedText* out) {
  std::string below(target);
  while (below.starts_with("./") || below.starts_with('/')) below.erase(0, below[0] == '/' ? 1 : 2);
  if (below.empty()) return;
  const IncludedFile* file = files_->FindAny({std::string(target), "examples/" + below, "content/en/examples/" + below,
                                              "static/" + below, "static/examples/" + below});
  if (file == nullptr || !files_->HasRoom(file->text.size(), target)) return;
  if (place.in_code) return Insert(place, file->text, out);
  const std::string language(place.tag->Named({"language", "lang", "codelang"}).value_or(""));
  FenceText(place, language.empty() ? LanguageOfFile(below) : language, file->text, out);
}

// A term's page in the glossary: all of it, or the part before `<!--more-->`.
void Hugo::Definition(const Place& place, NumberedText* out) {
  const std::string term(place.tag->Named({"term_id", "term"}).value_or(place.tag->At(0)));
  if (term.empty()) return;
  const IncludedFile* file = files_->FindAny({"glossary/" + term + ".md", "reference/glossary/" + term + ".md",
                                              "docs/reference/glossary/" + term + ".md",
                                              "content/en/docs/reference/glossary/" + term + ".md"});
  if (file == nullptr) return;
  std::string_view text = WithoutFrontMatter(file->text);
  const size_t more = text.find("<!--more-->");
  if (more != text.npos && place.tag->Named({"length"}).value_or("") == "short") text = text.substr(0, more);
  std::string words(Trim(text));
  if (const auto prepend = place.tag->Named({"prepend"})) {
    if (!words.empty() && words[0] >= 'A' && words[0] <= 'Z') words[0] = LowerAscii(words[0]);
    words = std::string(*prepend) + " " + words;
  }
  IncludeText(place, *file, term, words + "\n", out);
}

}  // namespace sheaf::packer
