#include "packer/parse/rst/rst_directives.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/text_scan.h"
#include "packer/parse/rst/rst_syntax.h"
#include "packer/parse/rst/rst_table.h"
#include "packer/parse/rst/rst_tables.h"

namespace sheaf::packer {

void RstDirectives::Run(const Directive& directive, bool sections) {
  using Kind = RstDirective;
  Kind kind = DirectiveOf(directive.name);
  if (directive.name == "class" && objects_.IsObjectClass(directive)) kind = Kind::kObject;
  if (!directive.domain.empty() && kind != Kind::kModule && kind != Kind::kDrop) kind = Kind::kObject;
  switch (kind) {
    case Kind::kDrop: return;
    case Kind::kCode: return CodeDirective(directive);
    case Kind::kParsedCode: return ParsedCode(directive);
    case Kind::kMath: return MathDirective(directive);
    case Kind::kHighlight:
      if (directive.has_content()) {
        CodeDirective(directive);
      } else if (!directive.arguments.empty()) {
        page_.language() = directive.arguments[0];
      }
      return;
    case Kind::kAdmonition: return Labelled(directive, AdmonitionLabel(directive.name), true);
    case Kind::kTitled: return Labelled(directive, directive.Joined(' '), false);
    case Kind::kRelease: return Release(directive);
    case Kind::kChange: return Change(directive);
    case Kind::kVersion: return Version(directive);
    case Kind::kRegion: page_.FlushLabel(); return Content(directive, sections);
    case Kind::kImage: return Image(directive);
    case Kind::kText: return page_.Paragraph(directive.Joined(' '), directive.line, directive.line + 1);
    case Kind::kModule: objects_.Module(directive); return Content(directive, sections);
    case Kind::kProgram: return objects_.Program(directive);
    case Kind::kObject:
      if (objects_.NamesNextSection(directive)) return;
      objects_.Open(directive);
      return Content(directive, false);
    case Kind::kListTable:
    case Kind::kCsvTable: return DataTable(directive, kind == Kind::kListTable);
    case Kind::kTable:
      page_.AddLabel(directive.Joined(' '), directive.line);
      page_.FlushLabel();
      return Content(directive, false);
    case Kind::kGlossary:
      page_.FlushLabel();
      page_.Push(
          {.task = RstTask::kGlossary, .begin = directive.content, .end = directive.end, .indent = directive.indent});
      return;
    case Kind::kMeta: return Meta(directive);
    case Kind::kAudit: return AuditEvent(directive);
    case Kind::kUnknown:
      page_.FlushLabel();
      if (directive.has_content() && !directive.arguments.empty()) {
        page_.AddLabel(directive.Joined(' '), directive.line);
      }
      page_.Push({.task = RstTask::kFlush});
      return Content(directive, false);
  }
}

void RstDirectives::Content(const Directive& directive, bool sections) {
  if (!directive.has_content()) return;
  page_.Push({.task = RstTask::kRegion,
              .begin = directive.content,
              .end = directive.end,
              .indent = directive.indent,
              .sections = sections});
}

void RstDirectives::CodeDirective(const Directive& directive) {
  if (directive.options.contains("hide")) return;
  std::string_view language = directive.arguments.empty() ? std::string_view(page_.language()) : directive.arguments[0];
  if (directive.name == "doctest" || directive.name == "testcode") language = "python";
  if (directive.name == "productionlist" || directive.name == "testoutput" || directive.name == "console")
    language = "";
  if (directive.name == "code-tab") language = language.substr(0, language.find(' '));
  if (const auto caption = directive.options.find("caption"); caption != directive.options.end()) {
    page_.FlushLabel();
    page_.Paragraph(caption->second, directive.line, directive.line + 1);
  }
  if (directive.name == "productionlist" && !directive.arguments.empty()) {
    return page_.Code("", directive.line + 1, directive.end);
  }
  page_.Code(language, directive.content, directive.end);
}

// Inline markup is active inside, so references leave their words.
void RstDirectives::ParsedCode(const Directive& directive) {
  page_.FlushLabel();
  if (!directive.has_content()) return;
  std::string code;
  const std::string block = page_.lines().Block(directive.content, directive.end);
  for (size_t at = 0; at < block.size();) {
    const size_t end = std::min(block.find('\n', at), block.size());
    const std::string_view line = std::string_view(block).substr(at, end - at);
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    code.append(indent, ' ').append(RstPlain(line, page_.names())).append("\n");
    at = end + 1;
  }
  page_.out().Code("", code, page_.lines().Span(directive.content, directive.end));
}

void RstDirectives::MathDirective(const Directive& directive) {
  page_.FlushLabel();
  InlineText text;
  for (const std::string_view argument : directive.arguments) {
    text.Text(argument);
    text.Space();
  }
  for (size_t i = directive.content; i < directive.end; ++i) {
    text.Text(page_.lines()[i].content());
    text.Space();
  }
  text.lines = page_.lines().Span(directive.line, directive.end);
  page_.out().Text(&text);
}

// A label, the arguments as the first paragraph where they are text, the content.
void RstDirectives::Labelled(const Directive& directive, const std::string& label, bool arguments_are_text) {
  page_.AddLabel(label, directive.line);
  page_.Push({.task = RstTask::kFlush});
  Content(directive, false);
  if (arguments_are_text && !directive.arguments.empty()) {
    ArgumentText(directive, 0);
  }
}

// Arguments that are the body's first lines: read them in place, so that lists count.
void RstDirectives::ArgumentText(const Directive& directive, size_t skip_words) {
  std::string words = directive.Joined('\n');
  for (size_t k = 0; k < skip_words; ++k) words.erase(0, std::min(words.find_first_of(" \n"), words.size() - 1) + 1);
  const size_t begin = directive.line, end = directive.line + 1;
  const bool own_lines = directive.arguments.size() > 1 && skip_words == 0 &&
                         page_.lines()[begin].content().find_first_not_of(
                             ' ', page_.lines()[begin].content().find("::") + 2) == std::string_view::npos;
  if (own_lines) {
    const size_t first = begin + 1, last = begin + 1 + directive.arguments.size();
    page_.PushBody(first, last, page_.lines().LeastIndent(first, last));
    return;
  }
  const bool literal = words.ends_with("::");
  if (literal) words.pop_back();
  page_.Paragraph(words, begin, std::max(end, begin + directive.arguments.size()));
  if (literal && directive.has_content()) {
    page_.Pop();  // the content is that literal block
    page_.Code(page_.language(), directive.content, directive.end);
  }
}

void RstDirectives::Version(const Directive& directive) {
  std::string words = directive.Joined('\n');
  const size_t space = std::min(words.find_first_of(" \n"), words.size());
  std::string version = words.substr(0, space);
  size_t skip = 1;
  if (directive.name == "deprecated-removed" && space < words.size()) {
    const size_t second = std::min(words.find_first_of(" \n", space + 1), words.size());
    version += ", removed in version " + words.substr(space + 1, second - space - 1);
    skip = 2;
  }
  const std::string_view verb = directive.name.find("added") != std::string_view::npos     ? "New in version "
                                : directive.name.find("changed") != std::string_view::npos ? "Changed in version "
                                : directive.name == "versionremoved"                       ? "Removed in version "
                                                                     : "Deprecated since version ";
  if (version.empty()) return;
  page_.AddLabel(std::string(verb) + version, directive.line);
  page_.Push({.task = RstTask::kFlush});
  Content(directive, false);
  const size_t words_left =
      directive.arguments.size() > 1 || std::count(words.begin(), words.end(), ' ') >= ptrdiff_t(skip);
  if (words_left) ArgumentText(directive, skip);
}

// https://github.com/sqlalchemyorg/changelog makes of it a section "2.0.5" with the anchor "change-2.0.5".
void RstDirectives::Release(const Directive& directive) {
  const auto version = directive.options.find("version");
  if (version != directive.options.end() && !version->second.empty()) {
    InlineText title;
    title.Text(version->second);
    if (const auto date = directive.options.find("released");
        date != directive.options.end() && !date->second.empty()) {
      title.Text(" (" + date->second + ")");
    }
    title.lines = page_.lines().Span(directive.line, directive.line + 1);
    page_.Subheading(&title, "change-" + version->second);
  }
  Content(directive, false);
}

void RstDirectives::Change(const Directive& directive) {
  if (!directive.has_content()) return;
  page_.FlushLabel();
  page_.out().OpenList(false, 1);
  page_.out().OpenItem();
  if (const auto tags = directive.options.find("tags"); tags != directive.options.end() && !tags->second.empty()) {
    page_.AddLabel(tags->second, directive.line);
  }
  page_.Push({.task = RstTask::kCloseItem});
  Content(directive, false);
}

void RstDirectives::Image(const Directive& directive) {
  page_.FlushLabel();
  if (const auto alt = directive.options.find("alt"); alt != directive.options.end()) {
    InlineText text;
    text.Text(alt->second);
    text.lines.Add(uint32_t(directive.line + 1));
    page_.out().Text(&text);
  }
  Content(directive, false);
}

void RstDirectives::DataTable(const Directive& directive, bool list) {
  page_.AddLabel(directive.Joined(' '), directive.line);
  page_.FlushLabel();
  if (!directive.has_content()) return;
  const auto option = [&](const char* name) {
    const auto found = directive.options.find(name);
    return found != directive.options.end() ? found->second : std::string();
  };
  const std::string rows = option("header-rows");
  const size_t header_rows = rows.empty() || !std::isdigit(uint8_t(rows[0])) ? 0 : size_t(rows[0] - '0');
  const std::vector<std::string_view> cut = page_.lines().Cut(directive.content, directive.end, directive.indent);
  if (list) return WriteRstRows(&page_, ReadListTable(cut, header_rows), directive.content);
  const std::string delimiter = option("delim");
  const char mark = delimiter == "tab" ? '\t' : delimiter == "space" ? ' ' : delimiter.size() == 1 ? delimiter[0] : ',';
  WriteRstRows(&page_, ReadCsvTable(cut, option("header"), header_rows, mark), directive.content);
}

void RstDirectives::Meta(const Directive& directive) {
  const auto found = directive.options.find("description");
  if (found != directive.options.end()) page_.document().description = CollapseSpace(found->second);
  for (size_t i = directive.content; i < directive.end; ++i) {
    std::string_view name;
    const size_t width = FieldWidth(page_.lines()[i].content(), &name);
    if (width && RstName(name).starts_with("description")) {
      page_.document().description =
          CollapseSpace(page_.lines()[i].content().substr(std::min(width, page_.lines()[i].content().size())));
    }
  }
}

// Python's ".. audit-event:: os.chdir path os.chdir" reads as a sentence.
void RstDirectives::AuditEvent(const Directive& directive) {
  page_.FlushLabel();
  const std::string words = CollapseSpace(directive.Joined(' '));
  if (words.empty()) return;
  const size_t space = std::min(words.find(' '), words.size());
  InlineText text;
  text.Text("Raises an auditing event ");
  text.BeginCode();
  text.Text(words.substr(0, space));
  text.EndCode();
  if (space < words.size()) {
    const std::string rest = words.substr(space + 1);
    text.Text(" with arguments ");
    text.BeginCode();
    text.Text(rest.substr(0, rest.find(' ')));
    text.EndCode();
  }
  text.Text(".");
  text.lines = page_.lines().Span(directive.line, directive.line + 1);
  page_.out().Text(&text);
}

// Terms at the margin, each with the definition indented below it.
void RstDirectives::Glossary(const RstTask& task) {
  size_t i = task.begin;
  while ((i = page_.NextText(i, task.end)) < task.end) {
    if (page_.lines()[i].indent > task.indent) {
      const size_t next = page_.lines().IndentedEnd(i, task.end, task.indent);
      RstTask rest = task;
      rest.begin = next;
      page_.Push(std::move(rest));
      page_.PushBody(i, next, page_.lines().LeastIndent(i, next));
      return;
    }
    if (!page_.lines()[i].content().starts_with("..")) {
      InlineText title;
      AppendRstInline(page_.lines()[i].content(), page_.names(), &title);
      title.Finish();
      title.lines.Add(uint32_t(i + 1));
      page_.out().Heading(std::min(6, page_.section_level() + 1), &title, "", SphinxId("term-" + title.plain()));
    }
    ++i;
  }
}

}  // namespace sheaf::packer
