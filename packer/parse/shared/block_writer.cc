#include "packer/parse/shared/block_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

// Joining two spans rewrites the first; a longer first span is kept apart by a space instead.
constexpr size_t kMaxJoinedSpan = 1024;

// As HTML counts it.
bool IsHtmlSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

// Bytes of the no-break space at `at`, which reads as a space, or of a character that only guides
// line breaking (soft hyphen, zero-width space, byte order mark), which reads as nothing; else 0.
size_t BlankAt(std::string_view text, size_t at, bool* is_space) {
  const std::string_view rest = text.substr(at, 3);
  *is_space = false;
  if (rest.starts_with("\xC2\xA0")) {
    *is_space = true;
    return 2;
  }
  if (rest.starts_with("\xC2\xAD")) return 2;
  if (rest == "\xE2\x80\x8B" || rest == "\xE2\x81\xA0" || rest == "\xEF\xBB\xBF") return 3;
  return 0;
}

// Whether Markdown reads [words](…) as a link: their brackets match, and they stand on one line.
bool MayBeLinked(std::string_view words) {
  int open = 0;
  for (const char c : words) {
    if (c == '\n' || c == '\\') return false;
    open += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (open < 0) return false;
  }
  return open == 0 && !words.empty();
}

// Calls `put` with each character and notes the links in `block`, whose text it writes.
template <typename Put>
void PutText(const InlineText& from, Block* block, const Put& put) {
  const std::string& text = from.text();
  size_t link = 0;
  const std::vector<TextLink>& links = from.targets();
  for (size_t i = 0; i < text.size(); ++i) {
    if (link < links.size() && links[link].begin == i)
      block->targets.push_back({block->text.size(), 0, links[link].address});
    put(text[i]);
    if (link < links.size() && links[link].end == i + 1) block->targets.back().end = block->text.size(), ++link;
  }
}

}  // namespace

void LineSpan::Add(uint32_t line) {
  if (line == 0) return;
  first = first == 0 ? line : std::min(first, line);
  last = std::max(last, line);
}

// ---- InlineText -------------------------------------------------------------------------------

void InlineText::FlushSpace() {
  if (!pending_space_) return;
  pending_space_ = false;
  if (!text_.empty() && text_.back() != '\n') text_ += ' ';
  if (!prose_.empty() && !IsHtmlSpace(prose_.back())) prose_ += ' ';
  if (!plain_.empty()) plain_ += ' ';
}

void InlineText::Text(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    bool space = IsHtmlSpace(c);
    if (!space && uint8_t(c) >= 0xC2) {
      if (const size_t size = BlankAt(text, i, &space)) {
        i += size - 1;
        if (!space) continue;
      }
    }
    if (in_code()) {
      if (space) {
        run_space_ = true;
      } else {
        if (run_space_) {
          // White space that opens a span belongs before it.
          if (run_.empty())
            pending_space_ = true;
          else
            run_ += ' ';
          run_space_ = false;
        }
        run_ += c;
      }
    } else if (space) {
      pending_space_ = true;
    } else {
      FlushSpace();
      OpenLink();
      span_is_last_ = false;
      const size_t begin = i;  // of a word
      while (i + 1 < text.size() && !IsHtmlSpace(text[i + 1]) && uint8_t(text[i + 1]) < 0xC2) ++i;
      const std::string_view word = text.substr(begin, i + 1 - begin);
      for (std::string* to : {&text_, &prose_, &plain_}) *to += word;
    }
  }
}

void InlineText::BeginCode() {
  if (code_depth_++ > 0) return;
  run_space_ = false;
  if (span_is_last_ && !pending_space_ && span_run_.size() > kMaxJoinedSpan) pending_space_ = true;
  if (span_is_last_ && !pending_space_) {
    text_.resize(span_text_);
    code_.resize(span_code_);
    plain_.resize(span_plain_);
    run_ = std::move(span_run_);
    span_is_last_ = false;
    // The joined span belongs to no link that has a part of it.
    while (!targets_.empty() && targets_.back().end > text_.size()) targets_.pop_back();
    if (!link_begun_) link_.address.clear();
  }
}

void InlineText::EndCode() {
  if (code_depth_ == 0 || --code_depth_ > 0) return;
  const bool space_after = run_space_;
  CloseRun();
  if (space_after) pending_space_ = true;
}

void InlineText::CloseRun() {
  run_space_ = false;
  if (run_.empty()) return;
  FlushSpace();
  OpenLink();
  if (!prose_.empty() && !IsHtmlSpace(prose_.back())) prose_ += ' ';
  span_is_last_ = true;
  span_text_ = text_.size();
  span_code_ = code_.size();
  span_plain_ = plain_.size();
  const std::string fence = BackticksAround(run_, 1);
  const bool pad = run_.front() == '`' || run_.back() == '`';
  text_ += fence;
  if (pad) text_ += ' ';
  text_ += run_;
  if (pad) text_ += ' ';
  text_ += fence;
  if (!code_.empty()) code_ += ' ';
  code_ += run_;
  plain_ += run_;
  span_run_ = std::move(run_);
  run_.clear();
}

void InlineText::BeginLink(std::string address) {
  EndLink();
  if (!in_code()) link_.address = std::move(address);
}

void InlineText::OpenLink() {
  if (link_.address.empty() || link_begun_) return;
  link_begun_ = true;
  link_.begin = text_.size();
}

void InlineText::EndLink() {
  if (link_begun_) {
    link_.end = text_.size();
    const std::string_view words = std::string_view(text_).substr(link_.begin, link_.end - link_.begin);
    if (MayBeLinked(words)) targets_.push_back(link_);
  }
  link_begun_ = false;
  link_.address.clear();
}

void InlineText::Break() {
  if (in_code()) {
    run_space_ = true;
    return;
  }
  pending_space_ = true;
  if (text_.empty() || text_.back() == '\n') return;
  text_ += '\n';
  span_is_last_ = false;
}

void InlineText::Finish() {
  if (code_depth_ > 0) {
    code_depth_ = 0;
    CloseRun();
  }
  EndLink();
  if (!targets_.empty() && links.letters * 2 > CountLetters(plain_)) targets_.clear();
  pending_space_ = false;
  for (std::string* view : {&text_, &prose_}) {
    while (!view->empty() && IsHtmlSpace(view->back())) view->pop_back();
  }
}

// ---- BlockWriter ------------------------------------------------------------------------------

void BlockWriter::OpenList(bool numbered, uint64_t start) {
  List list;
  list.numbered = numbered;
  list.next = start;
  lists_.push_back(list);
}

void BlockWriter::CloseList() {
  if (!lists_.empty()) lists_.pop_back();
}

void BlockWriter::OpenItem() {
  if (lists_.empty()) return;
  List& list = lists_.back();
  list.number = list.next++;
  list.width = list.numbered ? std::to_string(list.number).size() + 2 : 2;
  list.marker_pending = true;
  list.in_item = true;
}

void BlockWriter::CloseItem() {
  if (lists_.empty()) return;
  lists_.back().marker_pending = false;
  lists_.back().in_item = false;
}

void BlockWriter::Prefixes(bool use_marker, std::string* first, std::string* rest) {
  for (size_t i = 0; i < std::min(quotes_, kMaxIndentLevels); ++i) *first += "> ";
  *rest = *first;
  const size_t shown = std::min(lists_.size(), kMaxIndentLevels);
  for (size_t i = lists_.size() - shown; i < lists_.size(); ++i) {
    List& list = lists_[i];
    if (!list.in_item) continue;
    const std::string indent(list.width, ' ');
    const bool innermost = i + 1 == lists_.size();
    if (innermost && use_marker && list.marker_pending) {
      *first += list.numbered ? std::to_string(list.number) + ". " : "- ";
    } else {
      *first += indent;
    }
    *rest += indent;
  }
}

Block* BlockWriter::Add(BlockKind kind, bool tight, LineSpan lines) {
  if (!tight && !blocks_->empty()) blocks_->back().text += '\n';
  if (kind != BlockKind::kTableRow) in_table_ = false;
  last_is_item_ = false;
  Block block;
  block.kind = kind;
  block.weight = weight_;
  if (lines.first != 0) {
    block.first_line = std::max(lines.first, last_line_);
    block.last_line = std::max(lines.last, block.first_line);
    // Blocks may share a line; a parser that reorders text (HTML's tables do) may not go back.
    last_line_ = block.first_line;
  } else {
    block.first_line = block.last_line = last_line_;
  }
  blocks_->push_back(std::move(block));
  return &blocks_->back();
}

void BlockWriter::Heading(int level, InlineText* title, std::string_view short_title, std::string_view anchor) {
  title->Finish();
  if (title->text().empty()) return;
  // A list whose items hold headings arranges parts of the page: what follows is no longer its item.
  for (List& list : lists_) list.in_item = list.marker_pending = false;
  Block* block = Add(BlockKind::kHeading, false, title->lines);
  block->level = std::clamp(level, 1, 6);
  block->text.assign(size_t(block->level), '#');
  block->text += ' ';
  for (const char c : title->text()) block->text += c == '\n' ? ' ' : c;
  block->text += '\n';
  block->title = short_title.empty() ? title->plain() : std::string(short_title);
  block->anchor = anchor;
  block->code = title->code();
}

void BlockWriter::Text(InlineText* text) {
  text->Finish();
  if (text->text().empty()) return;
  std::string first, rest;
  Prefixes(true, &first, &rest);
  const bool item = !lists_.empty() && lists_.back().marker_pending;
  // Items follow each other without a blank line; the first one stands off from other text.
  const bool tight = item && last_is_item_ && !blocks_->empty();
  Block* block = Add(BlockKind::kText, tight, text->lines);
  if (item) {
    lists_.back().marker_pending = false;
    last_is_item_ = true;
  }
  block->text = std::move(first);
  PutText(*text, block, [&](char c) {
    block->text += c;
    if (c == '\n') block->text += rest;
  });
  block->text += '\n';
  block->prose = text->prose();
  block->code = text->code();
  block->links = text->links;
}

void BlockWriter::Continuation(InlineText* text) {
  if (blocks_->empty() || blocks_->back().kind != BlockKind::kText) return Text(text);
  text->Finish();
  if (text->text().empty()) return;
  std::string first, rest;
  Prefixes(false, &first, &rest);
  Block& block = blocks_->back();
  block.text += rest;
  PutText(*text, &block, [&](char c) {
    block.text += c;
    if (c == '\n') block.text += rest;
  });
  block.text += '\n';
  if (!block.prose.empty() && !text->prose().empty()) block.prose += '\n';
  block.prose += text->prose();
  if (!block.code.empty() && !text->code().empty()) block.code += ' ';
  block.code += text->code();
  block.links.Add(text->links);
  block.last_line = std::max(block.last_line, text->lines.last);
}

void BlockWriter::Row(std::vector<InlineText>* cells, bool header) {
  LineSpan lines;
  bool empty = true;
  for (InlineText& cell : *cells) {
    cell.Finish();
    lines.Add(cell.lines.first);
    lines.Add(cell.lines.last);
    empty = empty && cell.text().empty();
  }
  if (empty) return;
  Block* block = Add(BlockKind::kTableRow, in_table_, lines);
  in_table_ = true;
  block->text = "|";
  for (const InlineText& cell : *cells) {
    block->text += ' ';
    PutText(cell, block, [&](char c) {
      if (c == '|') block->text += '\\';
      block->text += c == '\n' ? ' ' : c;
    });
    block->text += " |";
    if (!block->prose.empty() && !cell.prose().empty()) block->prose += ' ';
    for (const char c : cell.prose()) block->prose += c == '\n' ? ' ' : c;
    if (!block->code.empty() && !cell.code().empty()) block->code += ' ';
    block->code += cell.code();
    block->links.Add(cell.links);
  }
  block->text += '\n';
  if (header) {
    block->text += '|';
    for (size_t i = 0; i < cells->size(); ++i) block->text += " --- |";
    block->text += '\n';
  }
}

void BlockWriter::Code(std::string_view language, std::string_view content, LineSpan lines) {
  // Blank lines around the code carry nothing; its indentation does.
  while (!content.empty()) {
    const size_t end = content.find('\n');
    if (end == std::string_view::npos || content.substr(0, end).find_first_not_of(" \t") != std::string_view::npos) {
      break;
    }
    content.remove_prefix(end + 1);
  }
  while (!content.empty() && IsHtmlSpace(content.back())) content.remove_suffix(1);
  if (content.empty()) return;
  Block* block = Add(BlockKind::kCode, false, lines);
  const std::string fence = BackticksAround(content, 3);
  block->text.reserve(content.size() + 2 * fence.size() + language.size() + 3);
  block->text.append(fence).append(language).append("\n").append(content).append("\n");
  block->text.append(fence).append("\n");
  block->code = content;
}

std::string CleanLanguage(std::string_view language) {
  if (language.empty() || language.size() > 32) return {};
  std::string clean;
  for (char c : language) {
    if (c >= 'A' && c <= 'Z') c = char(c + 32);
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '#' || c == '.' || c == '-';
    if (!good) return {};
    clean += c;
  }
  static constexpr std::array<std::string_view, 9> kNone = {
      "text", "default", "none", "plain", "plaintext", "txt", "guess", "nohighlight", "no-highlight"};
  if (std::find(kNone.begin(), kNone.end(), clean) != kNone.end()) return {};
  if (clean == "python3" || clean == "ipython3") return "python";
  return clean;
}

}  // namespace sheaf::packer
