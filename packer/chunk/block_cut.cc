#include "packer/chunk/block_cut.h"

#include <algorithm>
#include <cstdint>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "text/utf8.h"

namespace sheaf::packer {
namespace {

// Kinds of cuts, best first.
enum CutQuality { kBlankLine, kSentence, kLine, kWord, kNoCut };

// Rates a cut right before text[at]. Prose prefers sentence ends to line ends; code has no sentences.
CutQuality QualityAt(std::string_view text, size_t at, bool code) {
  const char before = text[at - 1];
  if (before == '\n') {
    if (text[at] == '\n') return kNoCut;  // blank lines go with the part before
    if (at >= 2 && text[at - 2] == '\n') return kBlankLine;
    if (code) return kLine;
  }
  if (IsSpace(before)) {
    if (IsSpace(text[at])) return kNoCut;
    if (code) return kWord;
    const std::string_view head = TrimEnd(text.substr(0, at));
    const size_t end = head.find_last_not_of("\"')]*_`");
    const char mark = end == std::string_view::npos ? ' ' : head[end];
    if (mark == '.' || mark == '!' || mark == '?') return kSentence;
    return before == '\n' ? kLine : kWord;
  }
  // Chinese and Japanese sentences end without a space: 。！？
  const std::string_view head = text.substr(0, at);
  for (const std::string_view stop : {"\u3002", "\uFF01", "\uFF1F"}) {
    if (head.size() >= stop.size() && head.substr(head.size() - stop.size()) == stop) return kSentence;
  }
  return kNoCut;
}

// Byte offset of the next cut of `text`. REQUIRES: it has `length` code points, and length > budget.
size_t NextCut(std::string_view text, size_t length, size_t budget, size_t target, bool code) {
  // Parts of equal size read better than a full one and a scrap.
  const size_t parts = (length + target - 1) / target;
  const size_t ideal = std::min(budget, (length + parts - 1) / parts);
  const size_t lowest = std::max<size_t>(1, ideal / 2);

  // The penalty of each kind of cut, as a distance in hundredths of the ideal size.
  static constexpr size_t kPenalty[] = {0, 10, 30, 60, 1000};
  size_t best = 0, best_cost = kPenalty[kNoCut] * ideal;
  CutQuality best_quality = kNoCut;
  size_t hard = text.size();
  size_t points = 0, i = 0;
  for (; i < text.size() && points <= budget; ++i) {
    if (IsUtf8Continuation(text[i])) continue;
    if (points == budget) hard = i;
    if (points >= lowest && i > 0) {
      const CutQuality quality = QualityAt(text, i, code);
      const size_t distance = points > ideal ? points - ideal : ideal - points;
      const size_t cost = 100 * distance + kPenalty[quality] * ideal;
      // In code, any line end beats any cut inside a line.
      const bool better_kind = code && best_quality > kLine && quality <= kLine;
      const bool worse_kind = code && best_quality <= kLine && quality > kLine;
      if (better_kind || (!worse_kind && cost < best_cost)) {
        best = i;
        best_quality = quality;
        best_cost = cost;
      }
    }
    ++points;
  }
  // Cutting inside a line of code is worse than one line too many.
  const bool settled = code ? best_quality <= kLine : best_quality != kNoCut;
  if (settled) return best;
  for (size_t reach = hard, beyond = 0; reach < text.size() && beyond < 3 * target; ++reach) {
    if (IsUtf8Continuation(text[reach])) continue;
    if (QualityAt(text, reach, code) <= (code ? kLine : kWord)) return reach;
    ++beyond;
    if (reach + 1 == text.size()) return text.size();
  }
  return best > 0 ? best : hard;
}

}  // namespace

std::vector<size_t> CutText(std::string_view text, size_t first_budget, size_t target, bool code) {
  std::vector<size_t> ends;
  size_t at = 0, left = CountCodePoints(text);
  size_t budget = first_budget;
  while (left > budget) {
    size_t cut = at + NextCut(text.substr(at), left, budget, target, code);
    if (IsBlank(text.substr(cut, 4096))) cut = text.find_first_not_of(" \t\n", cut);  // no part is all blank
    if (cut >= text.size()) break;
    left -= CountCodePoints(text.substr(at, cut - at));
    ends.push_back(cut);
    at = cut;
    budget = target;
  }
  ends.push_back(text.size());
  return ends;
}

// ---- sharing out index words ------------------------------------------------------------------

std::string_view WordSharer::Take(size_t end) {
  const size_t begin = taken_;
  if (end >= text_.size()) {
    taken_ = words_.size();
  } else {
    while (taken_ < words_.size()) {
      const size_t start = SkipSpace(taken_), stop = WordEnd(start);
      if (start >= words_.size() || Locate(start, stop) >= end) break;
      taken_ = stop;
    }
  }
  std::string_view part = TrimEnd(words_.substr(begin, taken_ - begin));
  // Indentation stays, blank lines do not.
  const bool one_line = begin > 0 && part.find('\n') == std::string_view::npos;
  while (!part.empty() && (part[0] == '\n' || (part[0] == ' ' && one_line))) part.remove_prefix(1);
  return part;
}

size_t WordSharer::SkipSpace(size_t i) const {
  while (i < words_.size() && IsSpace(words_[i])) ++i;
  return i;
}

size_t WordSharer::WordEnd(size_t i) const {
  while (i < words_.size() && !IsSpace(words_[i])) ++i;
  return i;
}

// Finds the word [start, stop) in the text. A match farther away counts only if it opens a code span
// or the next word follows it there too; otherwise the word is taken to be at the current
// position.
size_t WordSharer::Locate(size_t start, size_t stop) {
  if (start == located_word_) return located_at_;
  const std::string_view word = words_.substr(start, std::min<size_t>(stop - start, 64));
  const size_t next = SkipSpace(stop);
  const std::string_view follower = words_.substr(next, std::min<size_t>(WordEnd(next) - next, 64));
  const size_t window = size_t(2048) << std::min<size_t>(misses_, 6);
  const size_t limit = std::min(text_.size(), cursor_ + window);

  located_word_ = start;
  located_at_ = cursor_;
  for (size_t from = cursor_; budget_ > 0;) {
    const size_t at = text_.substr(0, limit).find(word, from);
    const size_t cost = (at == std::string_view::npos ? limit : at) - from + 128;
    budget_ -= std::min<uint64_t>(budget_, cost);
    if (at == std::string_view::npos) break;
    const size_t after = at + word.size();
    const bool sure = at - cursor_ <= kNear || (at > 0 && text_[at - 1] == '`') ||
                      text_.substr(after, kNear + follower.size()).find(follower) != std::string_view::npos;
    if (sure) {
      located_at_ = at;
      cursor_ = after;
      misses_ = 0;
      return at;
    }
    from = at + 1;
  }
  ++misses_;
  return located_at_;
}

}  // namespace sheaf::packer
