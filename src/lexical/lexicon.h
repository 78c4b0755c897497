// The lexicon: every term with its stem, its document frequency and the location of its postings.
//
// Idea: entries are sorted by (stem, term), so that one look-up finds a word *and* all its forms ("cache", "caches",
// "cached", "caching" share a group). Exact and stemmed search read one list of postings each, and no list is stored
// twice. Leaves are front-coded and independent; the index of first stems says which leaf to open, so a reader that
// fetches by range opens one leaf a word.
//
// A leaf also holds the posting lists of its terms, so that one fetch brings everything needed to score a word.
//
// Layout of the term index: v leaves · their separators · the stored lengths of their pieces (both base/columns.h).
// A separator is the shortest string above the last stem of the leaf before and not above its leaf's first one.
// Leaves lie one after the other. The bytes behind them belong to spellings.h.
// Layout of a term leaf (a piece): v bytes of lists · v group count, then groups:
//     u8 shared (with the previous stem of the leaf) · u8 length · bytes      -> stem
//     varint form_count, then forms, in order of term:
//       u8 drop | inline << 1 | tail_length << 2     drop 0..1 bytes off the stem's end, tail 0..62;
//                                                    tail_length 63: u8 length follows
//       tail bytes                                   -> term
//       inline (one posting):  varint passage · u8 level | role << 5
//       else:                  varint postings · varint bytes   (lists lie one after the other)
//   and at the leaf's end the lists (postings.h).
//
// Invariants: stems ascend strictly over all leaves; terms ascend within a group; a term differs
// from its stem by at most the stem's last byte and a tail (Analyzer::Stem sees to it).
// Cost: opening reads about 3 bytes of index per leaf. A leaf is walked once and kept decoded (about 40 bytes a
// term); after that a look-up is two binary searches.
// Twin: lexicon_builder.cc.
#ifndef SHEAF_LEXICAL_LEXICON_H_
#define SHEAF_LEXICAL_LEXICON_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "lexical/postings.h"

namespace sheaf {

// A reader keeps stems and terms at full length, so their length bounds the cost of a few bytes of a leaf.
inline constexpr size_t kMaxStem = 64;

struct TermEntry {
  std::string term;
  uint32_t postings = 0;  // document frequency: passages with the term
  uint32_t leaf = 0;      // the term leaf that holds its list
  uint32_t offset = 0;    // of the list in that leaf
  uint32_t bytes = 0;     // length there; 0: the one posting stands here
  uint32_t passage = 0;   // of an inline posting
  uint8_t level = 0;      // of an inline posting, with its role
};

// Where leaves come from: the bundle in the engine, an array in tests.
class LeafSource {
 public:
  virtual ~LeafSource() = default;
  // `offset` and `length`: of the stored piece in the section of terms.
  virtual Result<ByteSpan> ReadTermLeaf(uint64_t offset, uint64_t length) = 0;
  virtual Result<ByteSpan> ReadSpellingLeaf(uint64_t offset, uint64_t length) = 0;
};

// A leaf, decoded. Forms of a group stand side by side; texts live in one string.
struct TermLeaf {
  struct Form {
    uint32_t term = 0;  // in `texts`
    uint32_t postings = 0, bytes = 0, passage = 0, offset = 0;
    uint8_t length = 0, level = 0;
  };
  struct Group {
    uint32_t stem = 0;              // in `texts`
    uint32_t first = 0, count = 0;  // in `forms`
    uint8_t length = 0;
  };
  uint32_t number = 0;
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
  // Reads its part of the term index and leaves `index` behind it. Error: kCorrupt.
  static Result<Lexicon> Open(ByteReader* index, uint64_t section_bytes);

  uint32_t leaf_count() const { return uint32_t(separators_.size()); }
  // Greater than every stem of the leaves before, not greater than the first of its own. REQUIRES: leaf < leaf_count()
  std::string_view separator(uint32_t leaf) const { return separators_[leaf]; }

  // Appends all forms of a stem, in order of term; none when the stem is unknown.
  Status FindGroup(LeafSource* source, std::string_view stem, std::vector<TermEntry>* out);
  // The postings of an entry, decoded and checked against the number of passages. Error: kCorrupt.
  Status ReadPostings(LeafSource* source, const TermEntry& entry, uint32_t passages, std::vector<Posting>* out);

  // Leaves that may hold stems that begin with `prefix`: [first, last].
  std::pair<uint32_t, uint32_t> LeavesOf(std::string_view prefix) const;
  // Calls `visit` for every form of every stem that begins with `prefix`, in order, until it
  // returns false. An empty prefix walks the whole lexicon.
  using Visitor = std::function<bool(const TermLeaf& leaf, std::string_view stem, const TermLeaf::Form& form)>;
  Status Scan(LeafSource* source, std::string_view prefix, const Visitor& visit);

 private:
  Result<ByteSpan> Bytes(LeafSource* source, uint32_t index) const {
    return source->ReadTermLeaf(offsets_[index], offsets_[index + 1] - offsets_[index]);
  }
  // Last leaf whose separator is <= stem.
  uint32_t LeafOf(std::string_view stem) const;
  Result<const TermLeaf*> View(LeafSource* source, uint32_t index);

  std::vector<std::string> separators_;
  std::vector<uint64_t> offsets_;                 // one more than leaves
  std::vector<std::unique_ptr<TermLeaf>> views_;  // by leaf; null until first needed
};

}  // namespace sheaf

#endif  // SHEAF_LEXICAL_LEXICON_H_
