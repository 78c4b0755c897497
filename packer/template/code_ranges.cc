#include "packer/template/code_ranges.h"

#include <algorithm>
#include <map>

#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

// The code spans of a paragraph [begin, end).
void AddSpans(std::string_view text, size_t begin, size_t end, std::vector<std::pair<size_t, size_t>>* ranges) {
  std::map<size_t, std::vector<size_t>> runs;  // by length, the last first
  for (size_t at = end; at > begin;) {
    if (text[at - 1] != '`') {
      --at;
      continue;
    }
    const size_t stop = at;
    while (at > begin && text[at - 1] == '`') --at;
    runs[stop - at].push_back(at);
  }
  for (size_t at = begin; at < end;) {
    at = std::min(text.substr(0, end).find('`', at), end);
    size_t stop = at;
    while (stop < end && text[stop] == '`') ++stop;
    if (stop == at) return;
    std::vector<size_t>& same = runs[stop - at];
    while (!same.empty() && same.back() <= at) same.pop_back();
    if (same.empty()) {
      at = stop;
    } else {
      const size_t close = same.back() + (stop - at);
      ranges->emplace_back(at, close);
      at = close;
    }
  }
}

}  // namespace

CodeRanges::CodeRanges(std::string_view text) {
  size_t paragraph = 0, fence_begin = 0, fence_length = 0;
  char fence = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::string_view words = line.substr(std::min(ReadPrefix(line).bytes, line.size()));
    const size_t run = words.empty() || (words[0] != '`' && words[0] != '~')
                           ? 0
                           : std::min(words.find_first_not_of(words[0]), words.size());
    const size_t next = std::min(end + 1, text.size());
    if (fence_length > 0) {
      if (run >= fence_length && words[0] == fence && IsBlank(words.substr(run))) {
        ranges_.emplace_back(fence_begin, next);
        fence_length = 0;
        paragraph = next;
      }
    } else if (run >= 3 && (words[0] == '~' || words.find('`', run) == words.npos)) {
      AddSpans(text, paragraph, at, &ranges_);
      fence = words[0];
      fence_length = run;
      fence_begin = at;
    } else if (IsBlank(line)) {
      AddSpans(text, paragraph, at, &ranges_);
      paragraph = next;
    }
    at = end + 1;
  }
  if (fence_length > 0)
    ranges_.emplace_back(fence_begin, text.size());
  else
    AddSpans(text, paragraph, text.size(), &ranges_);
}

bool CodeRanges::Holds(size_t at) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), at,
                                      [](size_t value, const auto& range) { return value < range.first; });
  return after != ranges_.begin() && at < std::prev(after)->second;
}

}  // namespace sheaf::packer
