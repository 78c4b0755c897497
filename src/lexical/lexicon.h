// The lexicon: every term with its stem, its document frequency and the place of its postings.
//
// Idea: entries are sorted by (stem, term), so that one look finds a word *and* all its forms
// ("cache", "caches", "cached", "caching" share a group): exact and stemmed search from one list of
// postings each, with nothing stored twice. Pages are front-coded and independent; the index of
// first stems says which page to open, so a reader that fetches by range opens one page a word.
//
// Layout of the term index: the first stem of each page, front-coded (base/front_coding.h).
// Layout of a term page (kTermPageBytes, zero-padded but for the last):
//   varint group_count · varint postings_base (offset in the postings section), then groups:
//     u8 shared (with the previous stem of the page) · u8 length · bytes      -> stem
//     varint form_count, then forms, in order of term:
//       u8 drop | inline << 1 | tail_length << 2     drop 0..1 bytes off the stem's end, tail 0..62;
//                                                    tail_length 63: u8 length follows
//       tail bytes                                   -> term
//       inline (one posting):  varint passage · u8 level
//       else:                  varint postings · varint bytes   (lists lie one after the other)
//
// Invariants: stems ascend strictly over all pages; terms ascend within a group; a term differs
// from its stem by at most the stem's last byte and a tail (Analyzer::Stem sees to it).
// Cost: a page is walked once and kept decoded (about 40 bytes a term); from then on a look-up is two
// binary searches, and a scan for misspelt words looks at a word's letters before its edits.
// Twin: lexicon_builder.cc.
#ifndef SHEAF_LEXICAL_LEXICON_H_
#define SHEAF_LEXICAL_LEXICON_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf {

inline constexpr uint32_t kTermPageBytes = 4096;

struct TermEntry {
  std::string term;
  uint32_t postings = 0;       // document frequency: passages with the term
  uint64_t offset = 0;         // in the postings section
  uint32_t bytes = 0;          // length there; 0: the one posting stands here
  uint32_t passage = 0;        // of an inline posting
  uint8_t level = 0;           // of an inline posting
};

// Set of a term's bytes, folded to 32 bits: terms within e edits differ in at most 2 e bits.
uint32_t LetterSet(std::string_view term);

// Where pages come from: the bundle in the engine, an array in tests.
class TermPages {
 public:
  virtual ~TermPages() = default;
  virtual Result<ByteSpan> TermPage(uint32_t index) = 0;
};

// A page, decoded. Forms of a group stand side by side; texts live in one string.
struct TermPageView {
  struct Form {
    uint32_t term = 0;  // in `texts`
    uint32_t letters = 0;
    uint32_t postings = 0, bytes = 0, passage = 0;
    uint64_t offset = 0;
    uint8_t length = 0, level = 0;
  };
  struct Group {
    uint32_t stem = 0;  // in `texts`
    uint32_t first = 0, count = 0;  // in `forms`
    uint8_t length = 0;
  };
  std::string texts;
  std::vector<Group> groups;
  std::vector<Form> forms;

  std::string_view Stem(const Group& group) const { return std::string_view(texts).substr(group.stem, group.length); }
  std::string_view Term(const Form& form) const { return std::string_view(texts).substr(form.term, form.length); }
  TermEntry Entry(const Form& form) const;
};

class Lexicon {
 public:
  Lexicon() = default;
  // `index` is the decoded term index. Error: kCorrupt.
  static Result<Lexicon> Open(ByteSpan index);

  uint32_t page_count() const { return uint32_t(first_stems_.size()); }

  // Appends all forms of a stem, in order of term; none when the stem is unknown.
  Status FindGroup(TermPages* pages, std::string_view stem, std::vector<TermEntry>* out);

  // Calls `visit` for every form of every stem that begins with `prefix`, in order, until it
  // returns false. An empty prefix walks the whole lexicon.
  using Visitor = std::function<bool(const TermPageView& page, std::string_view stem, const TermPageView::Form& form)>;
  Status Scan(TermPages* pages, std::string_view prefix, const Visitor& visit);

 private:
  // Last page whose first stem is <= stem; page 0 when there is none.
  uint32_t PageOf(std::string_view stem) const;
  Result<const TermPageView*> View(TermPages* pages, uint32_t index);

  std::vector<std::string> first_stems_;
  std::vector<std::unique_ptr<TermPageView>> views_;  // by page; null until first needed
};

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_LEXICON_H_
