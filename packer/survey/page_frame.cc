#include "packer/survey/page_frame.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "packer/base/text_scan.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMostBlocks = 5000;     // of a page in the sample
constexpr size_t kMostTitleBytes = 400;  // longer titles have no affix worth finding
constexpr uint64_t kSharedTimes = 5;     // kShared of so many pages share a frame
constexpr uint64_t kShared = 3;

// Between the words of a title and its affix.
constexpr std::array<std::string_view, 15> kSeparators = {" \xE2\x80\x94 ",
                                                          " \xE2\x80\x93 ",
                                                          " -- ",
                                                          " - ",
                                                          " | ",
                                                          " \xC2\xB7 ",
                                                          " \xE2\x80\xA2 ",
                                                          " :: ",
                                                          " : ",
                                                          " \xC2\xBB ",
                                                          " / ",
                                                          " > ",
                                                          ": ",
                                                          " (",
                                                          " \xE2\x80\xBA "};
constexpr std::string_view kOpening = " (";

bool OnMost(size_t pages, size_t all) { return all >= kFewestPages && pages * kSharedTimes >= all * kShared; }

uint32_t LettersOf(const Block& block) {
  return block.kind == BlockKind::kHeading ? CountLetters(block.title)
                                           : CountLetters(block.prose) + CountLetters(block.code);
}

// Nearly all of it leads elsewhere.
bool IsAllLinks(const Block& block) {
  return block.links.links > 0 && uint64_t(block.links.letters) * 5 >= uint64_t(LettersOf(block)) * 4;
}

// Of the letters and digits of a block, whatever its marks and case; 0: it has none, or frames no page.
uint64_t WordsOf(const Block& block) {
  if (block.kind == BlockKind::kCode || (block.kind == BlockKind::kTableRow && !IsAllLinks(block))) return 0;
  std::string letters(1, block.kind == BlockKind::kHeading ? '#' : '.');
  for (const char c : block.kind == BlockKind::kHeading ? block.title : block.text) {
    if (IsAlpha(c) || IsDigit(c) || uint8_t(c) >= 0x80) letters += LowerAscii(c);
  }
  return letters.size() == 1 ? 0 : Hash64(AsBytes(letters));
}

// ---- titles -----------------------------------------------------------------------------------

// Calls visit(begin, end) for each separator in the title, with words on both sides.
template <typename Visit>
void EachSeparator(std::string_view title, const Visit& visit) {
  for (size_t at = 1; at < title.size(); ++at) {
    for (const std::string_view separator : kSeparators) {
      const size_t end = at + separator.size();
      if (end < title.size() && title.substr(at, separator.size()) == separator) {
        visit(at, end, separator);
        break;
      }
    }
  }
}

// The affixes that most titles have, the longest first.
template <typename AffixesOf>
std::vector<std::string> SharedAffixes(const std::vector<std::string>& titles, const AffixesOf& affixes_of) {
  std::map<std::string, size_t> counts;
  for (const std::string& title : titles) {
    if (title.size() <= kMostTitleBytes)
      affixes_of(title, [&](std::string_view affix) { ++counts[std::string(affix)]; });
  }
  std::vector<std::string> shared;
  for (const auto& [affix, count] : counts) {
    if (OnMost(count, titles.size())) shared.push_back(affix);
  }
  std::stable_sort(shared.begin(), shared.end(),
                   [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  return shared;
}

bool HasWords(std::string_view text) { return CountLetters(text) > 0; }

// The title without the longest affix that it has at either end; unchanged if that is all of it.
std::string WithoutAffixes(std::string_view title, const std::vector<const PageFrame*>& frames) {
  const auto strip = [&](const auto& affixes_of, const auto& has, const auto& without) {
    for (const PageFrame* frame : frames) {
      for (const std::string& affix : affixes_of(*frame)) {
        if (affix.size() >= title.size() || !has(affix) || !HasWords(without(affix))) continue;
        title = without(affix);
        return;
      }
    }
  };
  strip(
      [](const PageFrame& frame) -> const auto& { return frame.after; },
      [&](std::string_view affix) { return title.ends_with(affix); },
      [&](std::string_view affix) { return Trim(title.substr(0, title.size() - affix.size())); });
  strip(
      [](const PageFrame& frame) -> const auto& { return frame.before; },
      [&](std::string_view affix) { return title.starts_with(affix); },
      [&](std::string_view affix) { return Trim(title.substr(affix.size())); });
  return std::string(title);
}

const Block* FirstHeading(const Document& document) {
  const Block* first = nullptr;
  for (const Block& block : document.blocks) {
    if (block.kind != BlockKind::kHeading) continue;
    if (block.level == 1) return &block;
    if (first == nullptr) first = &block;
  }
  return first;
}

// ---- blocks -----------------------------------------------------------------------------------

class FrameRemover {
 public:
  FrameRemover(const std::vector<const PageFrame*>& frames, std::string_view path, std::vector<Block>* blocks)
      : blocks_(*blocks), shared_(blocks->size()), out_(blocks->size()) {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const uint64_t words = WordsOf(blocks_[i]);
      for (const PageFrame* frame : frames) {
        if (words == 0 || !frame->blocks.contains(words)) continue;
        shared_[i] = frame->keeper != path || IsAllLinks(blocks_[i]);
      }
    }
  }

  uint64_t Run() {
    Edge(+1, 0);
    Edge(-1, blocks_.size());
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (shared_[i] && !IsHeading(i) && IsAllLinks(blocks_[i])) out_[i] = true;
    }
    KeepTheOnlyText();
    for (size_t i = blocks_.size(); i-- > 0;) {
      if (IsHeading(i) && shared_[i]) out_[i] = HeadsNothing(i);
      // "See also:" belongs to what follows.
      if (out_[i] && i + 1 < blocks_.size() && !out_[i + 1] && Trim(blocks_[i].text).ends_with(':')) out_[i] = false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (out_[i]) continue;
      if (kept != i) blocks_[kept] = std::move(blocks_[i]);
      ++kept;
    }
    const uint64_t removed = blocks_.size() - kept;
    blocks_.resize(kept);
    while (removed > 0 && kept > 0 && blocks_.back().text.ends_with("\n\n")) blocks_.back().text.pop_back();
    return removed;
  }

 private:
  bool IsHeading(size_t i) const { return blocks_[i].kind == BlockKind::kHeading; }

  // From one end of the page to its own text: what most pages have. At the top, links between it go too, such as a
  // breadcrumb; at the bottom they may be the page's own "See also".
  void Edge(int step, size_t from) {
    std::vector<size_t> links;  // since the last shared block
    for (size_t n = 0; n < blocks_.size(); ++n) {
      const size_t i = step > 0 ? n : from - 1 - n;
      if (IsHeading(i)) continue;
      if (shared_[i]) {
        out_[i] = true;
        for (const size_t link : links) out_[link] = true;
        links.clear();
      } else if (step > 0 && IsAllLinks(blocks_[i])) {
        links.push_back(i);
      } else if (LettersOf(blocks_[i]) > 0) {
        return;
      }
    }
  }

  // A page that has no other text is about what it shares with the rest.
  void KeepTheOnlyText() {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (!IsHeading(i) && !out_[i] && LettersOf(blocks_[i]) > 0) return;
    }
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (!IsAllLinks(blocks_[i])) out_[i] = false;
    }
  }

  // Whether every block below the heading is out. A heading that heads no block at all is a banner at the top.
  bool HeadsNothing(size_t heading) const {
    for (size_t i = heading + 1; i < blocks_.size(); ++i) {
      if (IsHeading(i) && blocks_[i].level <= blocks_[heading].level) break;
      if (!out_[i] && LettersOf(blocks_[i]) > 0) return false;
    }
    return true;
  }

  std::vector<Block>& blocks_;
  std::vector<bool> shared_, out_;
};

// `was_heading`: the title was a heading, before the frame was removed.
void TidyTitles(const std::vector<const PageFrame*>& frames, bool was_heading, Document* document) {
  const std::string& stated = document->stated_title;
  const Block* heading = FirstHeading(*document);
  const bool is_heading = heading != nullptr && heading->title == document->title;
  if (was_heading && !is_heading && !stated.empty()) document->title = stated;  // the heading was a banner
  for (const PageFrame* frame : frames) {
    if (heading != nullptr && frame->titles.contains(document->title)) document->title = heading->title;
  }
  document->title = WithoutAffixes(document->title, frames);
  for (Block& block : document->blocks) {
    if (block.kind != BlockKind::kHeading || block.level > 1) continue;
    std::string title = WithoutAffixes(block.title, frames);
    if (title == block.title) continue;
    const size_t at = block.text.find(block.title);
    if (at != std::string::npos && block.targets.empty()) block.text.replace(at, block.title.size(), title);
    block.title = std::move(title);
  }
}

}  // namespace

void FrameCount::Add(std::string_view path, const Document& document) {
  if (pages_++ == 0) first_ = path;
  std::unordered_set<uint64_t> seen;
  for (size_t i = 0; i < std::min(document.blocks.size(), kMostBlocks); ++i) {
    const uint64_t words = WordsOf(document.blocks[i]);
    if (words != 0 && seen.insert(words).second) ++blocks_[words];
  }
  titles_.push_back(document.stated_title.empty() ? document.title : document.stated_title);
}

PageFrame FrameCount::Find() const {
  PageFrame frame;
  if (pages_ < kFewestPages) return frame;
  frame.keeper = first_;
  for (const auto& [words, count] : blocks_) {
    if (OnMost(count, pages_)) frame.blocks.insert(words);
  }
  std::map<std::string_view, size_t> titles;
  for (const std::string& title : titles_) ++titles[title];
  for (const auto& [title, count] : titles) {
    if (OnMost(count, pages_)) frame.titles.emplace(title);
  }
  frame.before = SharedAffixes(titles_, [](std::string_view title, const auto& visit) {
    EachSeparator(title, [&](size_t, size_t end, std::string_view separator) {
      if (separator != kOpening) visit(title.substr(0, end));
    });
  });
  frame.after = SharedAffixes(titles_, [](std::string_view title, const auto& visit) {
    EachSeparator(title, [&](size_t begin, size_t, std::string_view) { visit(title.substr(begin)); });
  });
  // Of one and the same title, every part is an affix.
  if (!frame.titles.empty()) frame.before.clear(), frame.after.clear();
  return frame;
}

uint64_t RemoveFrames(const std::vector<const PageFrame*>& frames, std::string_view path, Document* document) {
  const Block* heading = FirstHeading(*document);
  const bool was_heading = heading != nullptr && heading->title == document->title;
  const uint64_t removed = FrameRemover(frames, path, &document->blocks).Run();
  TidyTitles(frames, was_heading, document);
  return removed;
}

}  // namespace sheaf::packer
