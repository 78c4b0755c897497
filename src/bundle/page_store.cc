#include "bundle/page_store.h"

#include <algorithm>

#include "base/checksum.h"

namespace sheaf {
namespace {

Error Bad(const char* what) {
  return Error{ErrorCode::kCorrupt, std::string("a page head ") + what + "; the file is damaged, fetch or pack it again"};
}

uint64_t ZigZag(int64_t v) { return (uint64_t(v) << 1) ^ uint64_t(v >> 63); }
int64_t UnZigZag(uint64_t v) { return int64_t(v >> 1) ^ -int64_t(v & 1); }

}  // namespace

PageRecord ReadPageRecord(ByteSpan bytes) {
  PageRecord r;
  r.head_offset = LoadU64(bytes.data());
  r.text_offset = LoadU64(bytes.data() + 8);
  r.head_length = LoadU32(bytes.data() + 16);
  r.first_passage = LoadU32(bytes.data() + 20);
  return r;
}

void WritePageRecord(const PageRecord& r, ByteWriter* out) {
  out->U64(r.head_offset);
  out->U64(r.text_offset);
  out->U32(r.head_length);
  out->U32(r.first_passage);
}

std::vector<std::string> PageHead::Path(size_t passage) const {
  std::vector<std::string> path;
  for (uint32_t h = passages[passage].heading; h != 0; h = headings[h - 1].parent) {
    if (!headings[h - 1].text.empty()) path.push_back(headings[h - 1].text);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::string_view PageHead::Anchor(size_t passage) const {
  for (uint32_t h = passages[passage].heading; h != 0; h = headings[h - 1].parent) {
    if (!headings[h - 1].anchor.empty()) return headings[h - 1].anchor;
  }
  return {};
}

Result<PageHead> ReadPageHead(ByteSpan bytes) {
  ByteReader r(bytes);
  PageHead head;
  head.title = r.String();
  head.url = r.String();
  head.source = r.String();
  head.description = r.String();
  head.last_modified = r.String();
  const uint64_t headings = r.Varint();
  if (!r.ok() || headings > r.remaining()) return Bad("ends early");
  head.headings.reserve(size_t(headings));
  for (uint64_t i = 0; i < headings; ++i) {
    StoredHeading heading;
    heading.parent = r.Varint32();
    heading.text = r.String();
    heading.anchor = r.String();
    if (!r.ok() || heading.parent > i) return Bad("has a damaged outline");
    head.headings.push_back(std::move(heading));
  }
  const uint64_t passages = r.Varint();
  if (!r.ok() || passages > r.remaining() || passages == 0) return Bad("has no passages");
  head.passages.reserve(size_t(passages));
  int64_t line = 0;
  for (uint64_t i = 0; i < passages; ++i) {
    StoredPassage p;
    p.heading = r.Varint32();
    p.length = r.Varint32();
    line += UnZigZag(r.Varint32());
    const uint32_t lines = r.Varint32();
    if (!r.ok() || p.heading > headings || line < 0 || line > INT32_MAX || lines > INT32_MAX) {
      return Bad("has a damaged passage table");
    }
    p.first_line = uint32_t(line);
    p.last_line = p.first_line + lines;
    head.passages.push_back(p);
  }
  return head;
}

std::vector<uint8_t> WritePageHead(const PageHead& head) {
  ByteWriter w;
  w.String(head.title);
  w.String(head.url);
  w.String(head.source);
  w.String(head.description);
  w.String(head.last_modified);
  w.Varint(head.headings.size());
  for (const StoredHeading& h : head.headings) {
    w.Varint(h.parent);
    w.String(h.text);
    w.String(h.anchor);
  }
  w.Varint(head.passages.size());
  int64_t line = 0;
  for (const StoredPassage& p : head.passages) {
    w.Varint(p.heading);
    w.Varint(p.length);
    w.Varint(ZigZag(int64_t(p.first_line) - line));
    w.Varint(p.last_line - p.first_line);
    line = p.first_line;
  }
  return w.Take();
}

uint32_t UrlHash(std::string_view name) { return Checksum32(AsBytes(name)); }

}  // namespace sheaf
