#include "packer/template/obsidian.h"

#include <algorithm>
#include <optional>
#include <string>

#include "packer/base/text_scan.h"
#include "packer/include/select_lines.h"
#include "packer/template/code_ranges.h"
#include "packer/template/values.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxLink = 300;

struct WikiLink {
  size_t end = 0;
  std::string_view note, heading, words;
};

// The link whose `[[` is at `at`. Brackets of arrays, shells and references are none.
std::optional<WikiLink> ReadLink(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at + 2, kMaxLink);
  const size_t close = rest.find("]]");
  if (close == rest.npos || close == 0) return std::nullopt;
  const std::string_view inside = rest.substr(0, close);
  const std::string_view before_bar = inside.substr(0, inside.find('|'));
  if (IsSpace(inside[0]) || inside.find_first_of("[]\n") != inside.npos) return std::nullopt;
  if (before_bar.find_first_of("`{}<>\"") != before_bar.npos) return std::nullopt;
  if (inside.find_first_not_of("0123456789., -") == inside.npos) return std::nullopt;
  if (inside == "toc" || inside == "TOC" || inside == "_TOC_") return std::nullopt;
  WikiLink link;
  link.end = at + 2 + close + 2;
  const char next = link.end < text.size() ? text[link.end] : ' ';
  const bool begins_line = at == 0 || text[at - 1] == '\n';
  if (next == '(' || next == '[' || (next == ':' && begins_line)) return std::nullopt;  // `[[a]]: b` defines
  size_t bar = inside.find('|');
  // In a table the bar is escaped.
  const size_t target_end = bar != inside.npos && bar > 0 && inside[bar - 1] == '\\' ? bar - 1 : bar;
  const std::string_view target = inside.substr(0, target_end);
  if (bar != inside.npos) link.words = Trim(inside.substr(bar + 1));
  const size_t hash = target.find('#');
  link.note = Trim(target.substr(0, hash));
  if (hash != target.npos) link.heading = Trim(target.substr(hash + 1));
  return link;
}

bool IsAttachment(std::string_view note) {
  const size_t dot = note.rfind('.');
  if (dot == note.npos || note.size() - dot > 6) return false;
  const std::string extension = Lower(note.substr(dot));
  return extension != ".md" &&
         std::all_of(extension.begin() + 1, extension.end(), [](char c) { return IsAlpha(c) || IsDigit(c); }) &&
         extension.size() > 2;
}

std::string AnchorOf(std::string_view heading) {
  std::string anchor = Lower(heading.substr(heading.rfind('#') + 1));  // npos + 1 is 0
  std::replace(anchor.begin(), anchor.end(), ' ', '-');
  return anchor;
}

std::string Encoded(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == ' ')
      out += "%20";
    else if (c == '(' || c == ')')
      out += c == '(' ? "%28" : "%29";
    else
      out += c;
  }
  return out;
}

// "[words](Note.md#heading)"
std::string LinkText(const WikiLink& link) {
  std::string words(link.words);
  if (words.empty()) {
    words = link.note.substr(link.note.rfind('/') + 1);  // npos + 1 is 0
    if (words.ends_with(".md")) words.resize(words.size() - 3);
    if (!link.heading.empty() && !link.heading.starts_with('^'))
      words += (words.empty() ? "" : " > ") + std::string(link.heading);
  }
  std::string target = link.note.empty() ? "" : Encoded(link.note);
  if (!target.empty() && !IsAttachment(link.note) && !target.ends_with(".md")) target += ".md";
  if (!link.heading.empty() && !link.heading.starts_with('^')) target += "#" + Encoded(AnchorOf(link.heading));
  return target.empty() ? words : "[" + words + "](" + target + ")";
}

class ObsidianExpander {
 public:
  explicit ObsidianExpander(TemplateFiles* files) : files_(files) {}

  void Run(std::string_view text, uint32_t line, bool counts, NumberedText* out) {
    const CodeRanges code(text);
    size_t at = 0;
    const auto copy = [&](size_t to) {
      if (to <= at) return;
      out->Append(text.substr(at, to - at), line, counts);
      if (counts) line += uint32_t(std::count(text.begin() + ptrdiff_t(at), text.begin() + ptrdiff_t(to), '\n'));
      at = to;
    };
    const auto skip = [&](size_t to) {
      if (counts) line += uint32_t(std::count(text.begin() + ptrdiff_t(at), text.begin() + ptrdiff_t(to), '\n'));
      at = to;
    };
    bool unclosed = false;  // comments: the rest has no `%%`
    for (size_t i = 0; (i = text.find_first_of("[%^", i)) != text.npos;) {
      if (code.Holds(i)) {
        ++i;
      } else if (text[i] == '%') {
        const size_t close = !unclosed && text.substr(i, 2) == "%%" ? text.find("%%", i + 2) : text.npos;
        unclosed = unclosed || (text.substr(i, 2) == "%%" && close == text.npos);
        if (close == text.npos || code.Holds(close) || (i > 0 && !IsSpace(text[i - 1]))) {
          ++i;
          continue;
        }
        copy(i);
        skip(close + 2);
        i = at;
      } else if (text[i] == '^') {
        // The name of a block, at its end.
        size_t end = i + 1;
        while (end < text.size() && (IsAlpha(text[end]) || IsDigit(text[end]) || text[end] == '-')) ++end;
        const bool ends_line = end >= text.size() || text[end] == '\n';
        const bool apart = i == 0 || IsSpace(text[i - 1]);
        if (end > i + 1 && ends_line && apart) {
          copy(i > 0 && text[i - 1] == ' ' ? i - 1 : i);
          skip(end);
        }
        i = end;
      } else {
        const std::optional<WikiLink> link = text.substr(i, 2) == "[[" ? ReadLink(text, i) : std::nullopt;
        if (!link) {
          ++i;
          continue;
        }
        const bool embeds = i > 0 && text[i - 1] == '!';
        copy(embeds ? i - 1 : i);
        skip(link->end);
        i = at;
        if (!embeds)
          out->Append(LinkText(*link), line, false);
        else if (!IsAttachment(link->note))
          Embed(*link, line, out);
      }
    }
    copy(text.size());
  }

 private:
  void Embed(const WikiLink& link, uint32_t line, NumberedText* out) {
    std::string name(link.note);
    if (!name.ends_with(".md")) name += ".md";
    const IncludedFile* file = link.note.empty() || link.heading.starts_with('^') ? nullptr : files_->Probe(name);
    if (file == nullptr) return out->Append(LinkText(link), line, false);
    const std::string_view body = WithoutFrontMatter(file->text);
    std::string text(body);
    if (!link.heading.empty()) {
      const std::optional<LineList> section = TakeMarkdownSection(ListLines(body), AnchorOf(link.heading));
      if (!section) return out->Append(LinkText(link), line, false);
      text.clear();
      for (const std::string_view one : *section) text.append(one).push_back('\n');
    }
    if (!files_->HasRoom(text.size(), name) || !files_->Enter(*file, name)) return;
    if (!out->at_line_start()) out->Append("\n", line, false);
    Run(text, line, false, out);
    files_->Leave();
  }

  TemplateFiles* const files_;
};

}  // namespace

bool HasWikiLink(std::string_view text, TemplateFiles* files) {
  constexpr size_t kMostTried = 20;
  if (text.find("[[") == text.npos) return false;
  const CodeRanges code(text);
  size_t tried = 0;
  for (size_t at = 0; (at = text.find("[[", at)) != text.npos && tried < kMostTried; at += 2) {
    if (code.Holds(at)) continue;
    const std::optional<WikiLink> link = ReadLink(text, at);
    if (!link || link->note.empty()) continue;
    if ((at > 0 && text[at - 1] == '!') || (!link->words.empty() && link->note.find(' ') != link->note.npos))
      return true;
    ++tried;
    if (files->Probe(std::string(link->note) + ".md") != nullptr) return true;
  }
  return false;
}

NumberedText ExpandObsidian(std::string_view text, size_t verbatim, TemplateFiles* files) {
  NumberedText out;
  const std::string_view head = text.substr(0, verbatim);
  out.Append(head, 1, true);
  ObsidianExpander(files).Run(text.substr(verbatim), 1 + uint32_t(std::count(head.begin(), head.end(), '\n')), true,
                              &out);
  return out;
}

}  // namespace sheaf::packer
