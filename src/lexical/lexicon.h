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
// Cost: a look-up is a binary search in the index and a walk over one 4 KiB page, 2 µs.
// Twin: lexicon_builder.cc.
#ifndef SHEAF_LEXICAL_LEXICON_H_
#define SHEAF_LEXICAL_LEXICON_H_

#include <cstdint>
#include <functional>
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

// Where pages come from: the bundle in the engine, an array in tests.
class TermPages {
 public:
  virtual ~TermPages() = default;
  virtual Result<ByteSpan> TermPage(uint32_t index) = 0;
};

class Lexicon {
 public:
  Lexicon() = default;
  // `index` is the decoded term index. Error: kCorrupt.
  static Result<Lexicon> Open(ByteSpan index);

  uint32_t page_count() const { return uint32_t(first_stems_.size()); }

  // Appends all forms of a stem, in order of term; none when the stem is unknown.
  Status FindGroup(TermPages* pages, std::string_view stem, std::vector<TermEntry>* out) const;

  // Calls `visit` for every form of every stem that begins with `prefix`, in order, until it
  // returns false. An empty prefix walks the whole lexicon.
  using Visitor = std::function<bool(std::string_view stem, const TermEntry& entry)>;
  Status Scan(TermPages* pages, std::string_view prefix, const Visitor& visit) const;

 private:
  // Last page whose first stem is <= stem; page 0 when there is none.
  uint32_t PageOf(std::string_view stem) const;

  std::vector<std::string> first_stems_;
};

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_LEXICON_H_
