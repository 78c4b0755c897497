// Text that knows the line of the page that each of its lines comes from.
#ifndef SHEAF_PACKER_TEMPLATE_NUMBERED_TEXT_H_
#define SHEAF_PACKER_TEMPLATE_NUMBERED_TEXT_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::packer {

class NumberedText {
 public:
  // `line`: that of the first byte, from 1. `counts`: the text is the page's, so each '\n' leads to the next line.
  void Append(std::string_view text, uint32_t line, bool counts) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      if (at_line_start()) lines_.push_back(line);
      text_.append(text.substr(0, end));
      if (counts && text_.back() == '\n') ++line;
      text.remove_prefix(end);
    }
  }
  void Append(const NumberedText& other) {
    const std::string_view text = other.text_;
    size_t at = 0;
    for (const uint32_t line : other.lines_) {
      const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      Append(text.substr(at, end - at), line, false);
      at = end;
    }
  }

  bool at_line_start() const { return text_.empty() || text_.back() == '\n'; }
  // The line that the last byte comes from; 0 without any.
  uint32_t last_line() const { return lines_.empty() ? 0 : lines_.back(); }
  const std::string& text() const { return text_; }
  const std::vector<uint32_t>& lines() const { return lines_; }  // of each line of the text

 private:
  std::string text_;
  std::vector<uint32_t> lines_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_TEMPLATE_NUMBERED_TEXT_H_
