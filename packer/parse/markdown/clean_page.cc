#include "packer/parse/markdown/clean_page.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

class Writer {
 public:
  Writer(const Lines& lines, const MarkupCuts& scan, const std::vector<int16_t>& indent_cap)
      : source_(lines), scan_(scan), indent_cap_(indent_cap) {}

  CleanPage Write() {
    page_.lines.text.reserve(source_.text.size());
    size_t at = 0;
    for (const Cut& cut : scan_.cuts) {
      Copy(at, cut.begin);
      Skip(cut);
      at = cut.end;
    }
    Copy(at, source_.text.size());
    if (!line_.empty() || cut_) Finish();
    if (soft_ && last_blank_ && !page_.source_line.empty()) DropLast();
    TakeEvents(source_.text.size());
    Settle();
    page_.lines.begin.push_back(uint32_t(page_.lines.text.size()));
    return std::move(page_);
  }

 private:
  void Copy(size_t begin, size_t end) {
    const std::string_view text = source_.text;
    while (begin < end) {
      const size_t stop = std::min(text.substr(0, end).find('\n', begin), end);
      if (line_.empty() && !cut_) first_number_ = number_;
      line_.append(text.substr(begin, stop - begin));
      begin = stop;
      if (stop < end) {
        Finish();
        ++number_;
        ++begin;
      }
    }
  }

  void Skip(const Cut& cut) {
    if (line_.empty() && !cut_) first_number_ = number_;
    TakeEvents(cut.end);
    if (cut.kind == Cut::kText) {
      line_ += scan_.replacements[size_t(cut.replacement)];
      return;
    }
    cut_ = true;
    const std::string_view text = source_.text;
    if (cut.replacement >= 0) {
      Replace(scan_.replacements[size_t(cut.replacement)]);
    } else if (cut.kind == Cut::kBlock) {
      block_ = true;
      // `<td>a</td><td>b</td>` are two words.
      const bool glued =
          !line_.empty() && !std::strchr(" \t([{>/", line_.back()) && cut.end < text.size() && !IsSpace(text[cut.end]);
      if (glued) line_.push_back(' ');
    }
    const auto newlines = std::count(text.begin() + cut.begin, text.begin() + cut.end, '\n');
    number_ += uint32_t(newlines);
    if (line_.empty()) first_number_ = number_;
  }

  // A replacement may hold lines of its own; they are numbered as long as the cut has lines.
  void Replace(std::string_view text) {
    const bool code = text[0] == '`' && text.find('\n') != std::string_view::npos;
    for (size_t at = 0; at <= text.size();) {
      const size_t stop = std::min(text.find('\n', at), text.size());
      line_.append(text.substr(at, stop - at));
      if (stop < text.size()) {
        const uint32_t number = first_number_;
        verbatim_ = code || !IsBlank(line_);
        block_ = true;
        Finish();
        cut_ = true;
        first_number_ = number;
      }
      at = stop + 1;
    }
  }

  void Finish() {
    if (cut_ && !verbatim_) {
      while (!line_.empty() && (line_.back() == ' ' || line_.back() == '\t')) line_.pop_back();
    }
    if (!verbatim_ && first_number_ < indent_cap_.size() && indent_cap_[first_number_] >= 0) {
      const size_t indent = Indent(line_), cap = size_t(indent_cap_[first_number_]);
      if (indent > cap && !IsBlank(line_)) line_ = std::string(cap, ' ') + line_.substr(line_.find_first_not_of(" \t"));
    }
    const bool blank = IsBlank(line_);
    const bool emptied = blank && cut_ && !verbatim_;
    if (emptied && !block_) {
      if (last_blank_) soft_ = true;  // a line between two blank ones is gone
    } else if (blank) {
      if (last_blank_ && (emptied || soft_)) {
        soft_ = true;
      } else if (!page_.source_line.empty()) {
        Emit();
        soft_ = emptied;
      }
      last_blank_ = true;
    } else {
      Settle(uint32_t(page_.source_line.size()));
      Emit();
      last_blank_ = soft_ = false;
    }
    line_.clear();
    cut_ = block_ = verbatim_ = false;
    first_number_ = number_ + 1;
  }

  void Emit() {
    page_.lines.begin.push_back(uint32_t(page_.lines.text.size()));
    page_.lines.text.append(line_);
    page_.lines.text.push_back('\n');
    page_.source_line.push_back(first_number_ + 1);
  }

  // The last line is blank, and only because something behind it was cut out.
  void DropLast() {
    page_.lines.text.resize(page_.lines.begin.back());
    page_.lines.begin.pop_back();
    page_.source_line.pop_back();
  }

  void TakeEvents(size_t until) {
    while (event_ < scan_.events.size() && scan_.events[event_].at < until) {
      pending_.push_back(event_++);
    }
  }

  // Pending events belong to the next line with text, or to the last one.
  void Settle(uint32_t line) {
    for (const size_t i : pending_) {
      const Event& event = scan_.events[i];
      if (event.kind == Event::kWords) {
        page_.attributes.emplace_back(line, event.text);
      } else {
        page_.anchors.push_back({line, event.kind == Event::kHeadingAnchor, event.text});
      }
    }
    pending_.clear();
  }
  void Settle() {
    if (!page_.source_line.empty()) Settle(uint32_t(page_.source_line.size() - 1));
  }

  const Lines& source_;
  const MarkupCuts& scan_;
  const std::vector<int16_t>& indent_cap_;
  CleanPage page_;
  std::string line_;
  uint32_t number_ = 0;        // line of the source, 0-based
  uint32_t first_number_ = 0;  // where line_ began
  bool cut_ = false;           // something was cut out of line_
  bool block_ = false;         // among it something that separates blocks
  bool verbatim_ = false;      // line_ comes from a replacement
  bool last_blank_ = true;
  bool soft_ = false;  // the blank line before is not the author's
  size_t event_ = 0;
  std::vector<size_t> pending_;
};

}  // namespace

CleanPage WriteCleanPage(const Lines& lines, const MarkupCuts& scan, const std::vector<int16_t>& indent_cap) {
  return Writer(lines, scan, indent_cap).Write();
}

}  // namespace sheaf::packer
