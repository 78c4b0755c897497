// A page's text without what the chunker adds to the text of its blocks: the marks and addresses of links, and the fences
// that close and open code where it is cut. Besides fences it leaves out what a fence consists of, and ends of lines, since
// a long line of code may be cut too. Compared so, a page has the words of its blocks, in their order.
#ifndef SHEAF_TESTS_FUZZ_BARE_TEXT_H_
#define SHEAF_TESTS_FUZZ_BARE_TEXT_H_

#include <algorithm>
#include <string>
#include <string_view>

#include "packer/chunk/chunker.h"

namespace sheaf::fuzz {

inline std::string BareText(std::string_view text) {
  std::string bare;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const size_t mark = line.find_first_not_of(" \t>");
    const std::string_view marked = line.substr(std::min(mark, line.size()));
    if (marked.starts_with("```") || marked.starts_with("~~~")) continue;
    for (const char c : line) {
      if (c != '`' && c != '~') bare += c;
    }
  }
  return bare;
}

inline std::string BareText(const packer::PageDraft& page) {
  std::string words;
  size_t at = 0;
  for (const auto& target : page.targets) {
    words.append(page.text, at, target.begin - at);
    at = target.begin + target.size;
  }
  return BareText(words.append(page.text, at));
}

}  // namespace sheaf::fuzz

#endif  // SHEAF_TESTS_FUZZ_BARE_TEXT_H_
