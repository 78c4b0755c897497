#include "packer/parse/rst/rst_lines.h"

#include <algorithm>

namespace sheaf::packer {
namespace {

constexpr size_t kTabStop = 8;
constexpr size_t kMaxTabColumns = 4096;  // tabs beyond this column are one space

std::string ExpandTabs(std::string_view source) {
  std::string expanded;
  expanded.reserve(source.size() + source.size() / 8);
  size_t column = 0;
  for (const char c : source) {
    if (c == '\t') {
      const size_t width = column < kMaxTabColumns ? kTabStop - column % kTabStop : 1;
      expanded.append(width, ' ');
      column += width;
    } else {
      expanded += c;
      column = c == '\n' ? 0 : column + 1;
    }
  }
  return expanded;
}

}  // namespace

RstLines::RstLines(std::string_view source) {
  if (source.find('\t') != std::string_view::npos) {
    expanded_ = ExpandTabs(source);
    source = expanded_;
  }
  size_t at = 0;
  while (at < source.size()) {
    const size_t end = std::min(source.find('\n', at), source.size());
    std::string_view text = source.substr(at, end - at);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    RstLine line{text, 0};
    line.indent = uint32_t(std::min(text.find_first_not_of(' '), text.size()));
    lines_.push_back(line);
    at = end + 1;
  }
  next_text_.resize(lines_.size() + 1, uint32_t(lines_.size()));
  for (size_t i = lines_.size(); i-- > 0;) {
    next_text_[i] = lines_[i].text.empty() ? next_text_[i + 1] : uint32_t(i);
  }
}

void RstLines::Rewrite(size_t i, uint32_t column) {
  std::string line = std::string(column, ' ') + std::string(lines_[i].content());
  std::string& moved = moved_[i];
  moved = std::move(line);
  lines_[i] = RstLine{moved, column};
}

size_t RstLines::NextText(size_t i, size_t end) const {
  while (i < end) {
    i = next_text_[i];
    if (i >= end || !lines_[i].blank()) break;
    ++i;
  }
  return std::min(i, end);
}

size_t RstLines::IndentedEnd(size_t i, size_t end, uint32_t indent) const {
  size_t last = i;
  while ((i = NextText(i, end)) < end && lines_[i].indent > indent) last = ++i;
  return last;
}

uint32_t RstLines::LeastIndent(size_t begin, size_t end) const {
  uint32_t least = UINT32_MAX;
  for (size_t i = NextText(begin, end); i < end; i = NextText(i + 1, end)) least = std::min(least, lines_[i].indent);
  return least;
}

LineSpan RstLines::Span(size_t begin, size_t end) const {
  LineSpan span;
  span.Add(uint32_t(begin + 1));
  span.Add(uint32_t(std::max(begin + 1, end)));
  return span;
}

std::string RstLines::Block(size_t begin, size_t end) const {
  const uint32_t indent = LeastIndent(begin, end);
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    if (lines_[i].text.size() > indent) text += lines_[i].text.substr(indent);
    text += '\n';
  }
  return text;
}

std::vector<std::string_view> RstLines::Cut(size_t begin, size_t end, uint32_t indent) const {
  std::vector<std::string_view> cut;
  for (size_t i = begin; i < end; ++i) {
    cut.push_back(lines_[i].text.size() > indent ? lines_[i].text.substr(indent) : std::string_view());
  }
  return cut;
}

}  // namespace sheaf::packer
