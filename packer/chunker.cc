// Blocks to passages.
//
// Idea: headings cut the page into sections; a section's blocks fill passages up to the target, in
// order. A block beyond the target is first cut into parts of about equal size at the best place
// near by. Headings at the head of a passage do not count towards the target: they are few words,
// and a code block that fits alone must not be cut because of them.
//
// So a passage holds at most: its headings + the target + its last word or line.
//
// The index words of a cut block are cut with it: prose and code hold the block's words in the
// order of the text, so aligning the words gives each part its own.
//
// Cost: linear in the text.
#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "packer/charset.h"
#include "packer/document.h"
#include "packer/text_scan.h"

namespace sheaf::packer {
namespace {

bool IsContinuation(char c) { return (uint8_t(c) & 0xC0) == 0x80; }

std::string_view TrimEnd(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// ---- cutting one block ------------------------------------------------------------------------

// A place to cut, better ones first.
enum CutQuality { kBlankLine, kSentence, kLine, kWord, kNoPlace };

// How good a cut right before text[at] is. Prose prefers sentences to lines, code has none.
CutQuality QualityAt(std::string_view text, size_t at, bool code) {
  const char before = text[at - 1];
  if (before == '\n') {
    if (text[at] == '\n') return kNoPlace;  // blank lines go with the part before
    if (at >= 2 && text[at - 2] == '\n') return kBlankLine;
    if (code) return kLine;
  }
  if (IsSpace(before)) {
    if (IsSpace(text[at])) return kNoPlace;
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
  return kNoPlace;
}

// Byte offset of the next cut of `text`, which has `length` code points, more than `budget`.
size_t NextCut(std::string_view text, size_t length, size_t budget, size_t target, bool code) {
  // Parts of equal size read better than a full one and a scrap.
  const size_t parts = (length + target - 1) / target;
  const size_t ideal = std::min(budget, (length + parts - 1) / parts);
  const size_t lowest = std::max<size_t>(1, ideal / 2);

  // What a worse kind of place costs, in hundredths of the ideal size away from it.
  static constexpr size_t kPenalty[] = {0, 10, 30, 60, 1000};
  size_t best = 0, best_cost = kPenalty[kNoPlace] * ideal;
  CutQuality best_quality = kNoPlace;
  size_t hard = text.size();
  size_t points = 0, i = 0;
  for (; i < text.size() && points <= budget; ++i) {
    if (IsContinuation(text[i])) continue;
    if (points == budget) hard = i;
    if (points >= lowest && i > 0) {
      const CutQuality quality = QualityAt(text, i, code);
      const size_t distance = points > ideal ? points - ideal : ideal - points;
      const size_t cost = 100 * distance + kPenalty[quality] * ideal;
      // Within code, no place inside a line is as good as any line end.
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
  // A cut within a line of code is worse than a line too many.
  const bool settled = code ? best_quality <= kLine : best_quality != kNoPlace;
  if (settled) return best;
  for (size_t reach = hard, beyond = 0; reach < text.size() && beyond < 3 * target; ++reach) {
    if (IsContinuation(text[reach])) continue;
    if (QualityAt(text, reach, code) <= (code ? kLine : kWord)) return reach;
    ++beyond;
    if (reach + 1 == text.size()) return text.size();
  }
  return best > 0 ? best : hard;
}

// Byte offsets where `text` is cut, the end among them.
std::vector<size_t> CutText(std::string_view text, size_t first_budget, size_t target, bool code) {
  std::vector<size_t> ends;
  size_t at = 0, left = CountCodePoints(text);
  size_t budget = first_budget;
  while (left > budget) {
    size_t cut = at + NextCut(text.substr(at), left, budget, target, code);
    if (IsBlank(text.substr(cut, 4096))) cut = text.find_first_not_of(" \t\n", cut);  // no part of blanks
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

// Cuts `words` (a block's prose or code) where its text is cut.
class WordSharer {
 public:
  WordSharer(std::string_view text, std::string_view words)
      : text_(text), words_(words), budget_(64 * text.size() + 4096) {}

  // The words up to the byte `end` of the text; calls ascend. The last part takes what is left.
  std::string_view Take(size_t end) {
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

 private:
  static constexpr size_t kNear = 48;

  size_t SkipSpace(size_t i) const {
    while (i < words_.size() && IsSpace(words_[i])) ++i;
    return i;
  }
  size_t WordEnd(size_t i) const {
    while (i < words_.size() && !IsSpace(words_[i])) ++i;
    return i;
  }

  // Where the word [start, stop) stands in the text. A word that is not near by counts only if it
  // opens a code span or the word behind it follows there too; else it is taken to stand where we
  // are.
  size_t Locate(size_t start, size_t stop) {
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
      budget_ -= std::min(budget_, cost);
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

  const std::string_view text_, words_;
  size_t budget_;      // bytes that may still be searched; keeps hostile text linear
  size_t taken_ = 0;   // of words_
  size_t cursor_ = 0;  // in text_
  size_t misses_ = 0;
  size_t located_word_ = size_t(-1), located_at_ = 0;
};

// ---- sections ---------------------------------------------------------------------------------

// A block, or a part of one.
struct Part {
  size_t begin = 0, end = 0;  // bytes of the page
  size_t length = 0;          // code points
  bool lead_in = false;       // prose that announces what follows: "For example:"
  uint32_t first_line = 0, last_line = 0;
  std::string prose, code;
};

struct OpenHeading {
  int level = 0;
  size_t begin = 0;
  bool hidden = false;  // repeats the page's title
  std::string title, anchor;
};

void Append(std::string_view text, std::string* to) {
  if (text.empty()) return;
  if (!to->empty()) to->push_back('\n');
  to->append(text);
}

bool SameTitle(std::string_view a, std::string_view b) {
  auto fold = [](std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (!IsSpace(c) && c != '`') out.push_back(char(std::tolower(uint8_t(c))));
    }
    return out;
  };
  return fold(a) == fold(b);
}

class PageMaker {
 public:
  PageMaker(Document document, const ChunkOptions& options)
      : document_(std::move(document)), target_(std::max<size_t>(options.target_characters, 1)) {}

  PageDraft Make() {
    // "11.8.\u00A0Partial Indexes" in <title> is the heading "11.8. Partial Indexes".
    constexpr std::string_view kNoBreakSpace = "\u00A0";
    for (size_t at = 0; (at = document_.title.find(kNoBreakSpace, at)) != std::string::npos;) {
      document_.title.replace(at, kNoBreakSpace.size(), " ");
    }
    size_t size = 0;
    for (const Block& block : document_.blocks) size += block.text.size();
    page_.text.reserve(size);
    for (Block& block : document_.blocks) {
      const size_t length = CountCodePoints(block.text);
      const size_t begin = page_.text.size();
      page_.text += block.text;
      if (block.kind == BlockKind::kHeading && length <= target_) {
        Heading(block, begin, length);
      } else {
        Body(block, begin, length);
      }
      block = Block();  // its memory is no longer needed
    }
    EndSection();
    // A page without text is still found by its title.
    if (page_.passages.empty()) page_.passages.emplace_back();

    page_.title = std::move(document_.title);
    page_.description = std::move(document_.description);
    page_.last_modified = std::move(document_.last_modified);
    page_.url = std::move(document_.url);
    page_.warnings = std::move(document_.warnings);
    return std::move(page_);
  }

 private:
  void Heading(const Block& block, size_t begin, size_t length) {
    // Headings without text join what is below them, as long as they are not a text themselves.
    if (!parts_.empty() || head_length_ + length > target_) EndSection();
    if (!in_section_) {
      in_section_ = true;
      section_begin_ = begin;
      first_line_ = block.first_line;
    }
    while (!open_.empty() && open_.back().level >= block.level) {
      // A heading without text whose path ends here would be lost to the index.
      if (open_.back().begin >= section_begin_ && !open_.back().hidden) Append(open_.back().title, &orphans_);
      open_.pop_back();
    }
    OpenHeading heading;
    heading.level = block.level;
    heading.begin = begin;
    heading.title = block.title;
    heading.hidden = !seen_heading_ && SameTitle(block.title, document_.title);
    // The page's own title needs no anchor when it stands at the top.
    if (!heading.hidden || begin > 0) heading.anchor = block.anchor;
    seen_heading_ = true;
    open_.push_back(std::move(heading));
    head_length_ += length;
    section_end_ = page_.text.size();
    last_line_ = block.last_line;
  }

  void Body(Block& block, size_t begin, size_t length) {
    if (!in_section_) {
      in_section_ = true;
      section_begin_ = begin;
      first_line_ = block.first_line;
    }
    section_end_ = page_.text.size();
    if (block.kind == BlockKind::kHeading) block.prose = block.title;  // too long for a heading
    if (length > target_) {
      Cut(block, begin);
      return;
    }
    Part part;
    part.begin = begin;
    part.end = page_.text.size();
    part.length = length;
    const std::string_view text = TrimEnd(block.text);
    part.lead_in = block.kind == BlockKind::kText && !text.empty() && text.back() == ':';
    part.first_line = block.first_line;
    part.last_line = block.last_line;
    part.prose = std::move(block.prose);
    part.code = std::move(block.code);
    parts_.push_back(std::move(part));
  }

  bool IsLeadIn(const Part& part) const { return part.lead_in && part.length <= target_ / 4; }

  void Cut(const Block& block, size_t begin) {
    const bool code = block.kind == BlockKind::kCode || block.kind == BlockKind::kTableRow;
    size_t first_budget = target_;
    if (!parts_.empty() && IsLeadIn(parts_.back())) first_budget -= parts_.back().length;
    const std::string_view text = block.text;
    WordSharer prose(text, block.prose), codes(text, block.code);
    size_t at = 0;
    uint32_t line = block.first_line;
    for (const size_t end : CutText(text, first_budget, target_, code)) {
      Part part;
      part.begin = begin + at;
      part.end = begin + end;
      const std::string_view slice = text.substr(at, end - at);
      part.length = CountCodePoints(slice);
      part.prose = std::string(prose.Take(end));
      part.code = std::string(codes.Take(end));
      if (block.first_line > 0) {
        const std::string_view body = TrimEnd(slice);
        const auto inside = uint32_t(std::count(body.begin(), body.end(), '\n'));
        part.first_line = std::min(line, block.last_line);
        part.last_line = std::min(line + inside, block.last_line);
        line += uint32_t(std::count(slice.begin(), slice.end(), '\n'));
      }
      parts_.push_back(std::move(part));
      at = end;
    }
  }

  // Shares the section's parts out to passages.
  void EndSection() {
    if (!in_section_) return;
    std::vector<size_t> starts = {0};  // first part of each passage
    size_t filled = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (filled > 0 && filled + parts_[i].length > target_) {
        size_t start = i;
        // "For example:" goes with the example.
        if (start > starts.back() + 1 && IsLeadIn(parts_[start - 1]) &&
            parts_[start - 1].length + parts_[i].length <= target_) {
          --start;
        }
        starts.push_back(start);
        filled = 0;
        for (size_t k = start; k < i; ++k) filled += parts_[k].length;
      }
      filled += parts_[i].length;
    }
    Balance(&starts, filled);
    for (size_t i = 0; i < starts.size(); ++i) {
      const size_t stop = i + 1 < starts.size() ? starts[i + 1] : parts_.size();
      Emit(starts[i], stop);
    }
    parts_.clear();
    orphans_.clear();
    in_section_ = false;
    head_length_ = 0;
  }

  // A scrap at the section's end takes parts from the passage before, while that stays longer.
  void Balance(std::vector<size_t>* starts, size_t last_length) const {
    if (starts->size() < 2 || last_length >= target_ / 3) return;
    size_t& start = starts->back();
    const size_t previous = (*starts)[starts->size() - 2];
    size_t previous_length = 0;
    for (size_t i = previous; i < start; ++i) previous_length += parts_[i].length;
    while (start > previous + 1) {
      const size_t moved = parts_[start - 1].length;
      if (last_length + moved > previous_length - moved) return;
      previous_length -= moved;
      last_length += moved;
      --start;
    }
  }

  void Emit(size_t first, size_t stop) {
    PassageDraft passage;
    const bool begins = first == 0, ends = stop == parts_.size();
    passage.begin = uint32_t(begins ? section_begin_ : parts_[first].begin);
    passage.end = uint32_t(ends ? section_end_ : parts_[stop].begin);
    for (const OpenHeading& heading : open_) {
      if (!heading.hidden) passage.headings.push_back(heading.title);
    }
    if (!open_.empty()) passage.anchor = open_.back().anchor;
    passage.first_line = begins ? first_line_ : parts_[first].first_line;
    passage.last_line = stop > first ? parts_[stop - 1].last_line : last_line_;
    passage.last_line = std::max(passage.last_line, passage.first_line);
    if (begins) passage.prose = orphans_;
    for (size_t i = first; i < stop; ++i) {
      Append(parts_[i].prose, &passage.prose);
      Append(parts_[i].code, &passage.code);
    }
    page_.passages.push_back(std::move(passage));
  }

  Document document_;
  const size_t target_;
  PageDraft page_;
  std::vector<OpenHeading> open_;
  bool seen_heading_ = false;

  // The section being read: headings, then parts.
  bool in_section_ = false;
  size_t section_begin_ = 0, section_end_ = 0;
  size_t head_length_ = 0;  // code points of its headings
  uint32_t first_line_ = 0, last_line_ = 0;
  std::string orphans_;     // titles of headings without text and without a place in the path
  std::vector<Part> parts_;
};

}  // namespace

PageDraft MakePage(Document document, const ChunkOptions& options) {
  return PageMaker(std::move(document), options).Make();
}

}  // namespace sheaf::packer
