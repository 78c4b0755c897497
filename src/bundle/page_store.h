// Pages as stored: who they are, how they are cut into passages, and their text.
//
// Idea: three sections, from small to large, so that a reader fetches only what it shows. The page
// index has one fixed record a page and says where the page's head and text lie; the head holds
// everything but the text; the text section is all page texts one after the other.
//
//   page index record (24): u64 head offset · u64 text offset · u32 head length · u32 first passage
//   page head: s title · s url · s source · s description · s last_modified ·
//              v headings · (v parent + 1 · s text · s anchor) × headings ·
//              v passages · (v heading + 1 · v text length · v line advance · v lines) × passages
//   url index: (u32 hash · u32 page) × 2 pages, ascending; hash = low 32 bits of XXH64 of the URL
//              without anchor, and of the source path
//
// A heading without text carries an anchor alone. `parent + 1` and `heading + 1` are 0 at the top; a heading's parent stands before it. A passage's
// first line is the previous passage's first line plus `line advance` (from 0), zigzag-coded; its last line is its first
// plus `lines`. All numbers are checked against the sections they point into.
//
// Cost: a page's head is about 100 bytes and 5 a passage before compression.
#ifndef SHEAF_BUNDLE_PAGE_STORE_H_
#define SHEAF_BUNDLE_PAGE_STORE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace sheaf {

inline constexpr size_t kPageRecordBytes = 24;
inline constexpr size_t kUrlEntryBytes = 8;

struct PageRecord {
  uint64_t head_offset = 0;
  uint64_t text_offset = 0;
  uint32_t head_length = 0;
  uint32_t first_passage = 0;
};
// REQUIRES: bytes.size() >= kPageRecordBytes
PageRecord ReadPageRecord(ByteSpan bytes);
void WritePageRecord(const PageRecord& record, ByteWriter* out);

struct StoredHeading {
  uint32_t parent = 0;  // index + 1 into the page's headings; 0: none
  std::string text, anchor;
};
struct StoredPassage {
  uint32_t heading = 0;  // index + 1 into the page's headings; 0: none
  uint32_t length = 0;   // bytes of text
  uint32_t first_line = 0, last_line = 0;
};
struct PageHead {
  std::string title, url, source, description, last_modified;
  std::vector<StoredHeading> headings;
  std::vector<StoredPassage> passages;

  // Heading path of a passage, outermost first. REQUIRES: passage < passages.size()
  std::vector<std::string> Path(size_t passage) const;
  // Anchor of the innermost heading that has one. REQUIRES: passage < passages.size()
  std::string_view Anchor(size_t passage) const;
};
// Error: kCorrupt.
Result<PageHead> ReadPageHead(ByteSpan bytes);
std::vector<uint8_t> WritePageHead(const PageHead& head);

// A URL without its anchor.
inline std::string_view WithoutAnchor(std::string_view url) { return url.substr(0, url.find('#')); }
// Hash under which a URL without anchor, or a whole source path, stands in the url index.
uint32_t UrlHash(std::string_view name);

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_PAGE_STORE_H_
