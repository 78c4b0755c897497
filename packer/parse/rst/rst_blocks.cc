#include "packer/parse/rst/rst_blocks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "packer/base/charset.h"
#include "packer/parse/rst/rst_syntax.h"

namespace sheaf::packer {
void RstBlocks::Region(const RstTask& task) {
  size_t i = task.begin;
  const size_t end = task.end;
  while ((i = page_.NextText(i, end)) < end) {
    const size_t tasks = page_.task_count();
    const size_t next = Element(i, task);
    if (page_.task_count() > tasks) {
      // The pushed tasks must run first.
      RstTask rest = task;
      rest.begin = next;
      page_.PushBelow(tasks, std::move(rest));
      return;
    }
    i = std::max(next, i + 1);
  }
}

size_t RstBlocks::Element(size_t i, const RstTask& region) {
  const size_t end = region.end;
  const RstLine& line = page_.lines()[i];
  if (line.indent > region.indent) return Quote(i, end, region);
  const std::string_view text = line.content();
  if (text.starts_with("..") && (text.size() == 2 || text[2] == ' ')) return Explicit(i, region);
  if (text.starts_with("__ ")) return page_.lines().IndentedEnd(i + 1, end, region.indent);
  if (const size_t next = Title(i, region)) return next;
  if (IsGridBorder(text)) {
    if (const size_t next = tables_.Grid(i, region)) return next;
  }
  if (IsSimpleBorder(text)) {
    if (const size_t next = tables_.Simple(i, region)) return next;
  }
  if (IsAdornment(text) && text.size() >= 4) return i + 1;  // a transition
  if (const size_t next = lists_.Item(i, region)) return next;
  if (text.starts_with("| ") || text == "|") return LineBlock(i, region);
  if (text.starts_with(">>> ")) {
    size_t last = i;
    while (last < end && !page_.lines()[last].blank() && page_.lines()[last].indent >= region.indent) ++last;
    page_.Code("python", i, last);
    return last;
  }
  return Text(i, region);
}

size_t RstBlocks::Title(size_t i, const RstTask& region) {
  if (!region.sections) return 0;
  const size_t end = region.end;
  const auto at = [&](size_t k) {
    return k < end && !page_.lines()[k].text.empty() ? page_.lines()[k].content() : std::string_view();
  };
  const std::string_view text = at(i), below = at(i + 1), under = at(i + 2);
  if (IsAdornment(text) && !below.empty() && !IsAdornment(below) && IsAdornment(under) && under[0] == text[0] &&
      page_.lines()[i + 2].indent == region.indent && (text.size() >= 4 || text.size() >= below.size())) {
    page_.Heading(std::string{text[0], 'o'}, i, i + 1, i + 3);
    return i + 3;
  }
  if (!IsAdornment(text) && IsAdornment(below) && page_.lines()[i + 1].indent == region.indent &&
      (below.size() >= 4 || below.size() >= CountCodePoints(text)) && below != "::" && below != "..") {
    page_.Heading(std::string{below[0]}, i, i, i + 2);
    return i + 2;
  }
  return 0;
}

size_t RstBlocks::Quote(size_t i, size_t end, const RstTask& region) {
  const size_t next = page_.lines().IndentedEnd(i, end, region.indent);
  const std::string_view text = page_.lines()[i].content();
  // Authors often indent lists and tables; only indented paragraphs are quotations.
  uint64_t number = 0;
  const bool quote = !BulletWidth(text) && !EnumeratorWidth(text, &number) && IsAlnum(text[0]);
  page_.continues_term = page_.continues_term && quote;
  if (quote) {
    page_.FlushLabel();
    page_.out().OpenQuote();
    page_.Push({.task = RstTask::kCloseQuote});
  }
  page_.Push({.task = RstTask::kRegion, .begin = i, .end = next, .indent = page_.lines().LeastIndent(i, next)});
  return next;
}

size_t RstBlocks::LineBlock(size_t i, const RstTask& region) {
  InlineText text = page_.TakeLabel();
  text.lines.Add(uint32_t(i + 1));
  for (; i < region.end && !page_.lines()[i].blank() && page_.lines()[i].indent >= region.indent; ++i) {
    std::string_view words = page_.lines()[i].content();
    if (words.starts_with("| ") || words == "|") {
      text.Break();
      words.remove_prefix(1);
    } else if (page_.lines()[i].indent == region.indent) {
      break;
    }
    text.Space();
    AppendRstInline(TrimBlanks(words), page_.names(), &text);
    text.lines.Add(uint32_t(i + 1));
  }
  page_.continues_term = false;
  page_.out().Text(&text);
  return i;
}

// A paragraph, or a term with its definition.
size_t RstBlocks::Text(size_t i, const RstTask& region) {
  const size_t end = region.end;
  size_t last = i + 1;
  while (last < end && !page_.lines()[last].blank() && page_.lines()[last].indent == region.indent &&
         !(page_.lines()[last].content().starts_with(".. ") && last > i)) {
    ++last;
  }
  std::string words;
  for (size_t k = i; k < last; ++k) words.append(page_.lines()[k].content()).append("\n");
  words.pop_back();
  const bool indented = last < end && !page_.lines()[last].blank() && page_.lines()[last].indent > region.indent;
  if (!words.ends_with("::")) {
    if (indented && last == i + 1) return lists_.Definition(i, words, region);
    page_.Paragraph(words, i, last);
    return last;
  }
  // "text::" shows one colon, "text ::" and "::" none.
  words.pop_back();
  if (words.size() == 1 || words[words.size() - 2] == ' ' || words[words.size() - 2] == '\n') words.pop_back();
  if (!TrimBlanks(words).empty()) page_.Paragraph(words, i, last);
  return Literal(last, region);
}

size_t RstBlocks::Literal(size_t i, const RstTask& region) {
  i = page_.NextText(i, region.end);
  if (i >= region.end) return i;
  size_t last = page_.lines().IndentedEnd(i, region.end, region.indent);
  const char mark = page_.lines()[i].content()[0];
  if (last == i && IsPunctuation(mark) && page_.lines()[i].indent == region.indent && i > 0 &&
      page_.lines()[i - 1].text.empty()) {
    // A quoted literal block: lines at the margin that begin with the same mark.
    while (last < region.end && !page_.lines()[last].blank() && page_.lines()[last].content()[0] == mark) ++last;
    if (page_.lines()[i].content().starts_with(".. ") || IsAdornment(page_.lines()[i].content())) last = i;
  }
  if (last > i) page_.Code(page_.language(), i, last);
  return last;
}

size_t RstBlocks::Explicit(size_t i, const RstTask& region) {
  const std::string_view text = page_.lines()[i].content();
  const size_t end = page_.lines().IndentedEnd(i + 1, region.end, region.indent);
  const size_t skip = std::min(text.find_first_not_of(' ', 2), text.size());
  const std::string_view rest = text.substr(skip);
  if (rest.empty()) {
    // ".." alone before a blank line ends the element above and is not a comment.
    return i + 1 < end && !page_.lines()[i + 1].text.empty() ? end : i + 1;
  }
  if (rest[0] == '_') {
    Target(rest, page_.NextText(i + 1, end) < end);
    return end;
  }
  if (rest[0] == '[') {
    const size_t close = rest.find("] ");
    const std::string_view label = rest.substr(1, std::min(close, rest.size()) - 1);
    if (close != std::string_view::npos && close < 80 && !label.empty() && label.find(' ') == std::string_view::npos) {
      Note(i, label, region.indent + uint32_t(skip + close + 2), end);
    }
    return end;
  }
  if (rest[0] == '|') return end;  // a substitution, known from ReadNames()
  const size_t colons = rest.find("::");
  if (colons == std::string_view::npos || colons == 0 || colons > 64) return end;
  const std::string_view name = TrimBlanks(rest.substr(0, colons));
  if (colons + 2 < rest.size() && rest[colons + 2] != ' ') return end;
  if (!std::all_of(name.begin(), name.end(),
                   [](char c) { return IsAlnum(c) || std::string_view("-_.+:").find(c) != std::string_view::npos; })) {
    return end;
  }
  directives_.Run(ReadDirective(page_.lines(), i, name, rest.substr(colons + 2), end), region.sections);
  return end;
}

// ".. _label:" names what follows. With an address after or below it, this label and those above name the address.
void RstBlocks::Target(std::string_view rest, bool has_more) {
  if (has_more || !rest.ends_with(':') || rest.ends_with("\\:")) return page_.ForgetAnchor();
  std::string_view name = rest.substr(1, rest.size() - 2);
  if (name.starts_with('`') && name.ends_with('`') && name.size() > 1) name = name.substr(1, name.size() - 2);
  if (name.empty() || name == "_") return;
  page_.SetAnchor(RstId(name));
}

// A footnote or citation; numbers that docutils assigns are not known here.
void RstBlocks::Note(size_t i, std::string_view label, uint32_t indent, size_t end) {
  page_.FlushLabel();
  if (label[0] != '#' && label[0] != '*') {
    page_.label().Text("[" + std::string(label) + "] ");
    page_.label().lines.Add(uint32_t(i + 1));
  }
  page_.Push({.task = RstTask::kFlush});
  page_.PushMarked(i, end, indent);
}

}  // namespace sheaf::packer
