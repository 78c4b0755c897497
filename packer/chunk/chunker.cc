// Blocks to passages.
//
// Idea: headings cut the page into sections; a section's blocks fill passages up to the target, in
// order. A block beyond the target is first cut into parts (block_cut.h). Headings at the start of
// a passage do not count towards the target: they are short, and a code block that fits alone must not
// be cut because of them.
//
// Code is read with the paragraph before it, and half a sample is useless: a code block takes that paragraph along
// into the next passage where both fit, and is cut only beyond kMaxWholeCode targets. (Paragraphs with longer code,
// too, lost on all development sets.) Where it is cut, each part is fenced: its text is code, and is shown
// as such.
//
// So a passage holds at most: its headings + the target + its last word or line; or its headings and a code block.
//
// Cost: linear in the text.
#include <algorithm>
#include <cctype>
#include <climits>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/chunk/block_cut.h"
#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "packer/document/records.h"
#include "packer/document/symbol_names.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxWholeCode = 4;  // targets

// A block, or a part of one.
struct Part {
  size_t begin = 0, end = 0;  // bytes of the page
  size_t length = 0;          // code points
  bool lead_in = false;       // prose that announces what follows: "For example:"
  bool code_block = false;    // whole
  bool paragraph = false;     // whole
  uint32_t first_line = 0, last_line = 0;
  std::string prose, code, term;
  LinkTally links;
  uint32_t letters = 0;  // of prose and code
  Record record = Record::kNone;
};

struct OpenHeading {
  int level = 0;
  size_t begin = 0;
  bool hidden = false;  // repeats the page's title
  bool inner = false;   // within a record (document/records.h)
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

// The name that an item of a list or a row of a table explains, where it begins with one in code: "- `name`: what it
// is", "| `name` | what it is |".
// `variables`: among variables of the environment, of which a sentence may begin with the name: "`KILN_HOME` is where".
std::string_view TermIn(const Block& block, bool variables) {
  std::string_view text = block.text;
  const auto skip = [&](std::string_view what) {
    text.remove_prefix(std::min(text.find_first_not_of(what), text.size()));
  };
  const bool row = block.kind == BlockKind::kTableRow;
  skip(" >");
  if (text.empty() || (row ? text[0] != '|' : text[0] != '-' && text[0] != '*' && text[0] != '+')) return {};
  text.remove_prefix(1);
  skip(" ");
  if (text.size() < 3 || text[0] != '`') return {};
  text.remove_prefix(1);
  const size_t end = text.find_first_of("`\n");
  if (end == std::string_view::npos || end == 0 || text[end] == '\n') return {};
  const std::string_view rest = text.substr(end + 1, 4);
  const bool explained = rest.starts_with(':') || rest.starts_with('\n') || rest.starts_with(" - ") ||
                         rest.starts_with(" \u2014") || rest.starts_with(" \u2013") ||
                         (variables && rest.starts_with(' ') && IsShouted(text.substr(0, end)));
  return row || explained ? text.substr(0, end) : std::string_view();
}

// The first line of a fenced code block, and the line that ends it; empty where the code is not fenced.
struct CodeFence {
  std::string opening, closing;
};

CodeFence FenceOf(std::string_view text) {
  constexpr size_t kLongest = 200;  // written again for each part, so hostile text must not make it long
  const size_t line = text.find('\n'), mark = text.find_first_not_of(" \t>");
  if (line == text.npos || mark >= line || (text[mark] != '`' && text[mark] != '~')) return {};
  const size_t end = text.find_first_not_of(text[mark], mark);
  if (end - mark < 3 || end > kLongest) return {};
  const std::string closing = std::string(text.substr(0, end)) + '\n';
  return {line < kLongest ? std::string(text.substr(0, line + 1)) : closing, closing};
}

class PageMaker {
 public:
  PageMaker(Document document, const ChunkOptions& options)
      : document_(std::move(document)), target_(std::max<size_t>(options.target_characters, 1)), path_(options.path) {}

  PageDraft Make() {
    MarkRecords(&document_);
    FindTerms();
    std::vector<SymbolName> symbols = NameSymbols(document_, path_);
    std::vector<size_t> begins;  // of blocks, in the page's text
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
      begins.push_back(begin);
      Write(block, 0, block.text.size());
      if (block.kind == BlockKind::kHeading && length <= target_) {
        Heading(block, begin, length);
      } else {
        Body(block, begin, length);
      }
      block = Block();  // its memory is no longer needed
    }
    EndSection();
    for (size_t i = 0; i < link_lists_.size(); ++i) {
      if (link_lists_.IsListOfLinks(i)) page_.passages[i].weight *= kListOfLinksWeight;
    }
    // A page without text is still found by its title.
    if (page_.passages.empty()) page_.passages.emplace_back();
    PlaceSymbols(std::move(symbols), begins);

    page_.head() = std::move(document_.head());
    return std::move(page_);
  }

 private:
  void FindTerms() {
    const auto is_about = [](std::string_view title) { return Lower(title).find("environment") != std::string::npos; };
    const bool page = is_about(document_.title);
    int section = INT_MAX;  // level of the open heading about it
    for (Block& block : document_.blocks) {
      if (block.kind == BlockKind::kHeading && block.level <= section)
        section = is_about(block.title) ? block.level : INT_MAX;
      const bool is_text = block.kind == BlockKind::kText || block.kind == BlockKind::kTableRow;
      if (is_text && block.term.empty()) block.term = TermIn(block, page || section < INT_MAX);
    }
  }

  // Appends a part of the block's text with its links. A link that is cut leaves its words.
  void Write(const Block& block, size_t from, size_t to) {
    const auto mark = [&](std::string_view text) {
      page_.targets.push_back({uint32_t(page_.text.size()), uint32_t(text.size())});
      page_.text += text;
    };
    const std::string_view text = block.text;
    size_t at = from;
    const auto starts_before = [](const TextLink& link, size_t offset) { return link.begin < offset; };
    auto next = std::lower_bound(block.targets.begin(), block.targets.end(), from, starts_before);
    for (; next != block.targets.end() && next->end <= to; ++next) {
      const TextLink& link = *next;
      page_.text += text.substr(at, link.begin - at);
      mark("[");
      page_.text += text.substr(link.begin, link.end - link.begin);
      mark("](" + link.address + ")");
      at = link.end;
    }
    page_.text += text.substr(at, to - at);
  }

  void Heading(const Block& block, size_t begin, size_t length) {
    // Headings without text join the section below them, unless they exceed the target by themselves.
    if (!parts_.empty() || head_length_ + length > target_) EndSection();
    if (!in_section_) {
      in_section_ = true;
      section_begin_ = begin;
      first_line_ = block.first_line;
      weight_ = block.weight;
    }
    while (!open_.empty() && open_.back().level >= block.level) {
      // A heading without text whose path ends here would be lost to the index.
      if (open_.back().begin >= section_begin_ && !open_.back().hidden) {
        Append(open_.back().title, &orphans_);
        orphan_titles_.push_back(open_.back().title);
      }
      open_.pop_back();
    }
    OpenHeading heading;
    heading.level = block.level;
    heading.begin = begin;
    heading.title = block.title;
    heading.inner = block.inner;
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
    if (!parts_.empty() && block.weight != weight_) EndSection();
    weight_ = block.weight;
    if (!in_section_) {
      in_section_ = true;
      section_begin_ = begin;
      first_line_ = block.first_line;
    }
    if (block.kind == BlockKind::kHeading) {
      block.prose = block.title;  // too long for a heading
    }
    const bool is_code = block.kind == BlockKind::kCode;
    if (length > (is_code ? kMaxWholeCode * target_ : target_)) {
      Cut(block, begin);
      section_end_ = page_.text.size();
      return;
    }
    section_end_ = page_.text.size();
    Part part;
    part.begin = begin;
    part.end = page_.text.size();
    part.length = length;
    const std::string_view text = TrimEnd(block.text);
    part.lead_in = block.kind == BlockKind::kText && !text.empty() && text.back() == ':';
    part.code_block = is_code;
    part.paragraph = block.kind == BlockKind::kText;
    part.first_line = block.first_line;
    part.last_line = block.last_line;
    part.prose = std::move(block.prose);
    part.code = std::move(block.code);
    part.term = std::move(block.term);
    part.letters = CountLetters(part.prose) + CountLetters(part.code);
    part.links = block.links;
    part.record = block.record;
    parts_.push_back(std::move(part));
  }

  bool IsLeadIn(const Part& part) const { return part.lead_in && part.length <= target_ / 4; }

  // Whether part `i` is a code block that the paragraph before it introduces.
  bool IsIntroduced(size_t i) const {
    if (i == 0 || !parts_[i].code_block) return false;
    const Part& before = parts_[i - 1];
    return before.paragraph && before.length <= target_ / 2 && before.length + parts_[i].length <= target_;
  }

  // Writes the block's text anew from `begin` on, each part of fenced code within fences of its own.
  void Cut(const Block& block, size_t begin) {
    const bool code = block.kind == BlockKind::kCode || block.kind == BlockKind::kTableRow;
    size_t first_budget = target_;
    if (!parts_.empty() && IsLeadIn(parts_.back())) first_budget -= parts_.back().length;
    const std::string_view text = block.text;
    const CodeFence fence = block.kind == BlockKind::kCode ? FenceOf(text) : CodeFence();
    page_.text.resize(begin);
    while (!page_.targets.empty() && page_.targets.back().begin >= begin) page_.targets.pop_back();
    WordSharer prose(text, block.prose), codes(text, block.code);
    const uint32_t letters = CountLetters(block.prose) + CountLetters(block.code);
    size_t at = 0;
    uint32_t line = block.first_line;
    for (const size_t end : CutText(text, first_budget, target_, code)) {
      Part part;
      const std::string_view slice = text.substr(at, end - at);
      part.begin = page_.text.size();
      if (at > 0) page_.text += fence.opening;
      Write(block, at, end);
      if (end < text.size() && !fence.closing.empty()) {
        if (slice.back() != '\n') page_.text += '\n';
        page_.text += fence.closing;
      }
      part.end = page_.text.size();
      part.length = CountCodePoints(slice);
      part.prose = std::string(prose.Take(end));
      part.code = std::string(codes.Take(end));
      part.letters = CountLetters(part.prose) + CountLetters(part.code);
      part.links = block.links.Share(part.letters, letters);
      part.record = block.record;
      if (block.first_line > 0) {
        const std::string_view body = TrimEnd(slice);
        const auto inside = uint32_t(std::count(body.begin(), body.end(), '\n'));
        part.first_line = std::min(line, block.last_line);
        part.last_line = std::min(line + inside, block.last_line);
        line += uint32_t(std::count(slice.begin(), slice.end(), '\n'));
      }
      if (at == 0) part.term = block.term;
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
        if (IsIntroduced(i) || (start > starts.back() + 1 && IsLeadIn(parts_[start - 1]) &&
                                parts_[start - 1].length + parts_[i].length <= target_)) {
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
    orphan_titles_.clear();
    in_section_ = false;
    head_length_ = 0;
  }

  // A short last passage takes parts from the one before, as long as that one stays longer.
  void Balance(std::vector<size_t>* starts, size_t last_length) const {
    if (starts->size() < 2 || last_length >= target_ / 3) return;
    size_t& start = starts->back();
    const size_t previous = (*starts)[starts->size() - 2];
    size_t previous_length = 0;
    for (size_t i = previous; i < start; ++i) previous_length += parts_[i].length;
    const size_t unbalanced = start;
    while (start > previous + 1) {
      const size_t moved = parts_[start - 1].length;
      if (last_length + moved > previous_length - moved) break;
      previous_length -= moved;
      last_length += moved;
      --start;
    }
    while (start < unbalanced && IsIntroduced(start)) ++start;
  }

  void Emit(size_t first, size_t stop) {
    PassageDraft passage;
    LinkTally links;
    uint32_t letters = 0, listed = 0, logged = 0;
    const bool begins = first == 0, ends = stop == parts_.size();
    passage.begin = uint32_t(begins ? section_begin_ : parts_[first].begin);
    passage.end = uint32_t(ends ? section_end_ : parts_[stop].begin);
    for (const OpenHeading& heading : open_) {
      if (!heading.hidden) passage.headings.push_back(heading.title);
      passage.inner_headings += heading.inner;
    }
    if (!open_.empty()) passage.anchor = open_.back().anchor;
    passage.first_line = begins ? first_line_ : parts_[first].first_line;
    passage.last_line = stop > first ? parts_[stop - 1].last_line : last_line_;
    passage.last_line = std::max(passage.last_line, passage.first_line);
    passage.weight = weight_;
    if (begins) {
      passage.prose = orphans_;
      passage.terms = orphan_titles_;  // explained together with the heading that is in the path
    }
    for (size_t i = first; i < stop; ++i) {
      Append(parts_[i].prose, &passage.prose);
      Append(parts_[i].code, &passage.code);
      if (!parts_[i].term.empty()) passage.terms.push_back(std::move(parts_[i].term));
      links.Add(parts_[i].links);
      letters += parts_[i].letters;
      if (parts_[i].record == Record::kList) listed += parts_[i].letters;
      if (parts_[i].record == Record::kLog) logged += parts_[i].letters;
    }
    link_lists_.AddPassage(links, letters);
    if (2 * (uint64_t(listed) + logged) > letters) passage.record = logged >= listed ? Record::kLog : Record::kList;
    page_.passages.push_back(std::move(passage));
  }

  // Gives each symbol to the passage that its block begins in.
  void PlaceSymbols(std::vector<SymbolName> symbols, const std::vector<size_t>& begins) {
    size_t passage = 0;
    for (SymbolName& symbol : symbols) {
      const size_t begin = symbol.block < begins.size() ? begins[symbol.block] : 0;
      while (passage + 1 < page_.passages.size() && page_.passages[passage].end <= begin) ++passage;
      PassageDraft& owner = page_.passages[passage];
      SymbolInput& input = owner.symbols.emplace_back();
      input.name = std::move(symbol.name);
      input.anchor = std::move(symbol.anchor);
      input.kind = symbol.kind;
      input.deprecated = symbol.deprecated;
      const std::string_view rest = std::string_view(page_.text).substr(begin, owner.end - begin);
      const size_t at = symbol.signature.empty() ? rest.npos : rest.find(symbol.signature);
      if (at != rest.npos) input.signature = {uint32_t(begin + at - owner.begin), uint32_t(symbol.signature.size())};
    }
  }

  Document document_;
  const size_t target_;
  const std::string_view path_;
  PageDraft page_;
  LinkLists link_lists_;
  std::vector<OpenHeading> open_;
  bool seen_heading_ = false;

  // The section being read: headings, then parts.
  bool in_section_ = false;
  size_t section_begin_ = 0, section_end_ = 0;
  size_t head_length_ = 0;  // code points of its headings
  uint32_t first_line_ = 0, last_line_ = 0;
  float weight_ = 1;  // of its parts
  // Titles of headings that have no text and are in no path.
  std::string orphans_;
  std::vector<std::string> orphan_titles_;
  std::vector<Part> parts_;
};

}  // namespace

PageDraft MakePage(Document document, const ChunkOptions& options) {
  return PageMaker(std::move(document), options).Make();
}

}  // namespace sheaf::packer
