// Passages as stored: page, headings, lines and text.
//
// Idea: one request shows one hit. A piece holds a few neighbouring passages with everything needed to show
// them, including the page's title and address. A small index in memory maps passages to pieces. So a
// reader that knows a passage's number fetches a kilobyte or so, and no earlier piece.
//
// Layout of a piece: the headers of its passages, then their texts, one after the other. A header is
//   v flags: 1 the page begins here · 2 the page began in another piece · 4 new heading path ·
//            8 the page has further entries · 16 new anchor · 32 new place
//   with 1 or 2:  s title · s url · s source
//   with 1:       s description · s last modified
//   with 32:      v levels kept of the place before · v levels added · s for each
//   with 8:       v entries, then for each: s key · s value
//   with 4:       v levels kept of the path before · v levels added · s for each
//   with 16:      s anchor
//   v line advance (zigzag) · v lines · v bytes of text
// The first passage of a piece has flag 1 or 2, another one has flag 1 or neither; either starts from an empty path, no
// anchor and line 0. Flag 32 comes with one of them. A piece starts from an empty place; pages keep that of the page
// before, because neighbours usually stand in the same chapter. A passage's first line is the one before plus `line
// advance`, its last line `lines` further; line 0 means unknown.
//
// Layout of the passage index: v pieces · numbers of their passages · stored lengths (base/columns.h).
// Layout of the url index: (u32 hash · u32 page) × 2 pages, ascending; hash = low 32 bits of XXH64 of the URL
// without anchor, and of the source path.
//
// Cost: about 20 bytes a passage before compression; the index 2 bytes a piece.
// Twin: passage_store_builder.cc.
#ifndef SHEAF_BUNDLE_PASSAGE_STORE_H_
#define SHEAF_BUNDLE_PASSAGE_STORE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf {

inline constexpr size_t kUrlEntryBytes = 8;
// A reader walks a piece's headers for each passage it wants; this bounds the cost of a hostile piece.
inline constexpr uint32_t kMaxPassagesPerPiece = 64;
inline constexpr uint32_t kMaxPageEntries = 1024;
inline constexpr uint32_t kMaxPlaceLevels = 8;

enum PassageFlag : uint32_t {
  kPageBegins = 1,
  kPageContinues = 2,
  kNewPath = 4,
  kPageEntries = 8,
  kNewAnchor = 16,
  kNewPlace = 32,
  kPassageFlags = 63,
};

struct StoredPassage {
  bool page_begins = false;
  std::string title, url, source;                            // of its page
  std::vector<std::string> place;                            // of its page in the documentation, outermost first
  std::string description, last_modified;                    // of its page; known to the page's first passage alone
  std::vector<std::pair<std::string, std::string>> entries;  // of its page
  std::vector<std::string> headings;                         // outermost first
  std::string anchor;
  uint32_t first_line = 0, last_line = 0;
  std::string text;
};

// Passage `index` of a piece that holds `count`. Error: kCorrupt. REQUIRES: index < count
Result<StoredPassage> ReadStoredPassage(ByteSpan piece, uint32_t count, uint32_t index);

class PassageIndex {
 public:
  struct Location {
    uint64_t offset = 0, length = 0;  // of the stored piece in its section
    uint32_t first = 0, count = 0;    // its passages
  };
  // Error: kCorrupt, the pieces do not add up to the section or to the passages.
  static Result<PassageIndex> Open(ByteSpan index, uint32_t passages, uint64_t section_bytes);
  // REQUIRES: passage < passages
  Location Find(uint32_t passage) const;
  size_t pieces() const { return firsts_.size() - 1; }

 private:
  std::vector<uint32_t> firsts_;   // one more than pieces
  std::vector<uint64_t> offsets_;  // one more than pieces
};

// A URL without its anchor.
inline std::string_view WithoutAnchor(std::string_view url) { return url.substr(0, url.find('#')); }
// Hash under which a URL without anchor, or a whole source path, stands in the url index.
uint32_t UrlHash(std::string_view name);

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_PASSAGE_STORE_H_
