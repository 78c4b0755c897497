#include "packer/parse/rst/rst_page.h"

#include <algorithm>

#include "packer/parse/rst/rst_names.h"

namespace sheaf::packer {

RstPage::RstPage(std::string_view source, const RstProject& project, RstPages others, Document* document)
    : document_(document), out_(&document->blocks), lines_(source), names_(ReadRstNames(lines_, project)) {
  names_.others = others;
}

RstTask RstPage::Pop() {
  RstTask task = std::move(tasks_.back());
  tasks_.pop_back();
  return task;
}

void RstPage::PushMarked(size_t i, size_t end, uint32_t indent) {
  const size_t after = NextText(i + 1, end);
  lines_.MoveContent(i, indent);
  if (after < end) {
    const uint32_t least = lines_.LeastIndent(after, end);
    if (!lines_[i].blank() && least != indent) lines_.Rewrite(i, least);
    indent = least;
  }
  Push({.task = RstTask::kRegion, .begin = i, .end = end, .indent = indent});
}

void RstPage::FlushLabel() {
  continues_term = false;
  if (label_.empty()) return;
  InlineText text = std::exchange(label_, InlineText());
  Explain(&text, std::exchange(label_term, std::string()));
}

void RstPage::Explain(InlineText* text, std::string term) {
  const size_t before = document_->blocks.size();
  out_.Text(text);
  if (document_->blocks.size() > before) document_->blocks.back().term = std::move(term);
}

void RstPage::AddLabel(std::string_view words, size_t line) {
  FlushLabel();
  if (words.empty()) return;
  AppendRstInline(words, names_, &label_);
  label_.Text(":");
  label_.Space();
  label_.lines.Add(uint32_t(line + 1));
}

void RstPage::Paragraph(std::string_view words, size_t begin, size_t end) {
  InlineText text = std::exchange(label_, InlineText());
  AppendRstInline(words, names_, &text);
  text.lines.Add(uint32_t(begin + 1));
  text.lines.Add(uint32_t(end));
  std::string term = std::exchange(label_term, std::string());
  if (text.empty()) return;
  if (std::exchange(continues_term, false)) {
    out_.Continuation(&text);
  } else {
    Explain(&text, std::move(term));
  }
  ForgetAnchor();
}

void RstPage::Code(std::string_view language, size_t begin, size_t end) {
  FlushLabel();
  begin = NextText(begin, end);
  while (end > begin && lines_[end - 1].text.empty()) --end;
  if (begin >= end) return;
  if (language.empty() && lines_[begin].content().starts_with(">>> ")) language = "python";
  out_.Code(CleanLanguage(language), lines_.Block(begin, end), lines_.Span(begin, end));
  ForgetAnchor();
}

void RstPage::Heading(const std::string& style, size_t begin, size_t title_line, size_t end) {
  FlushLabel();
  const auto found = std::find(styles_.begin(), styles_.end(), style);
  const size_t level = size_t(found - styles_.begin()) + 1;
  if (found == styles_.end()) styles_.push_back(style);
  section_level_ = int(std::min<size_t>(level, 6));
  InlineText title;
  AppendRstInline(lines_[title_line].content(), names_, &title);
  title.Finish();
  title.lines = lines_.Span(begin, end);
  std::string id = RstId(title.plain());
  const bool fresh = ids_.insert(id).second;
  std::string anchor = std::exchange(anchor_, std::string());
  if (anchor.empty() && fresh) anchor = std::move(id);
  out_.Heading(section_level_, &title, "", anchor);
}

void RstPage::Subheading(InlineText* title, const std::string& anchor) {
  FlushLabel();
  title->Finish();
  ForgetAnchor();
  out_.Heading(std::min(section_level_ + 1, 6), title, "", ids_.insert(anchor).second ? anchor : std::string());
}

void RstPage::SetAnchor(std::string anchor) {
  anchor_ = std::move(anchor);
  if (!anchor_.empty()) ids_.insert(anchor_);
}

}  // namespace sheaf::packer
