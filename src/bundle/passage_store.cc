#include "bundle/passage_store.h"

#include <algorithm>

#include "base/checksum.h"
#include "base/columns.h"
#include "bundle/format.h"

namespace sheaf {
namespace {

constexpr uint64_t kMaxLevels = 256;

Error Bad(const char* what) {
  return Error{ErrorCode::kCorrupt,
               std::string("a piece of passages ") + what + "; the file is damaged, fetch or pack it again"};
}

int64_t UnZigZag(uint64_t v) { return int64_t(v >> 1) ^ -int64_t(v & 1); }

// Walks the headers of a piece; a header inherits the fields it omits from the one before.
class HeaderReader {
 public:
  explicit HeaderReader(ByteSpan piece) : reader_(piece) {}

  // Reads the next header into `passage`; its text is the next `text_bytes()` bytes behind all headers.
  bool Next(bool first, StoredPassage* passage) {
    const uint32_t flags = reader_.Varint32();
    const bool begins = flags & kPageBegins, continues = flags & kPageContinues;
    if (flags & ~uint32_t(kPassageFlags) || (begins && continues) || (first ? !begins && !continues : continues))
      return false;
    if (flags & (kPageEntries | kNewPlace) && !begins && !continues) return false;
    passage->page_begins = begins;
    if (begins || continues) {
      passage->title = reader_.String();
      passage->url = reader_.String();
      passage->source = reader_.String();
      passage->description = begins ? reader_.String() : std::string_view();
      passage->last_modified = begins ? reader_.String() : std::string_view();
      passage->entries.clear();
      passage->headings.clear();
      passage->anchor.clear();
      line_ = 0;
    }
    if (flags & kNewPlace && !Path(kMaxPlaceLevels, &passage->place)) return false;
    if (flags & kPageEntries && !Entries(passage)) return false;
    if (flags & kNewPath && !Path(kMaxLevels, &passage->headings)) return false;
    if (flags & kNewAnchor) passage->anchor = reader_.String();
    line_ += UnZigZag(reader_.Varint32());
    const uint32_t lines = reader_.Varint32();
    text_bytes_ = reader_.Varint32();
    if (!reader_.ok() || line_ < 0 || line_ > INT32_MAX || lines > INT32_MAX) return false;
    passage->first_line = uint32_t(line_);
    passage->last_line = uint32_t(line_) + lines;
    return true;
  }
  uint32_t text_bytes() const { return text_bytes_; }
  size_t position() const { return reader_.position(); }

 private:
  bool Entries(StoredPassage* passage) {
    const uint64_t count = reader_.Varint();
    if (!reader_.ok() || count > kMaxPageEntries) return false;
    for (uint64_t i = 0; i < count; ++i) {
      std::string key(reader_.String());
      passage->entries.emplace_back(std::move(key), reader_.String());
    }
    return reader_.ok();
  }
  // As it differs from the one before.
  bool Path(size_t most, std::vector<std::string>* path) {
    const uint64_t kept = reader_.Varint(), added = reader_.Varint();
    if (!reader_.ok() || kept > path->size() || added > most) return false;
    path->resize(size_t(kept));
    for (uint64_t i = 0; i < added; ++i) path->emplace_back(reader_.String());
    return reader_.ok() && path->size() <= most;
  }

  ByteReader reader_;
  int64_t line_ = 0;
  uint32_t text_bytes_ = 0;
};

}  // namespace

Result<StoredPassage> ReadStoredPassage(ByteSpan piece, uint32_t count, uint32_t index) {
  HeaderReader headers(piece);
  StoredPassage current, found;
  uint64_t texts = 0, text_at = 0, text_bytes = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!headers.Next(i == 0, &current)) return Bad("has a damaged header");
    if (i == index) {
      found = current;
      text_at = texts;
      text_bytes = headers.text_bytes();
    }
    texts += headers.text_bytes();
  }
  if (texts != piece.size() - headers.position()) return Bad("has texts of another length than it says");
  found.text = AsText(piece.subspan(headers.position() + size_t(text_at), size_t(text_bytes)));
  return found;
}

Result<PassageIndex> PassageIndex::Open(ByteSpan bytes, uint32_t passages, uint64_t section_bytes) {
  ByteReader r(bytes);
  const uint64_t pieces = r.Varint();
  const Error bad = {ErrorCode::kCorrupt,
                     "the passage index does not fit the passages; the file is damaged, fetch or pack it again"};
  if (!r.ok() || pieces == 0 || pieces > r.remaining()) return bad;
  PassageIndex index;
  index.firsts_.assign(1, 0);
  index.offsets_.assign(1, 0);
  index.firsts_.reserve(size_t(pieces) + 1);
  index.offsets_.reserve(size_t(pieces) + 1);
  std::vector<uint32_t> counts, lengths;
  if (!ReadNumbers(&r, size_t(pieces), &counts) || !ReadNumbers(&r, size_t(pieces), &lengths) || r.remaining())
    return bad;
  for (size_t i = 0; i < pieces; ++i) {
    const uint32_t count = counts[i];
    const uint64_t length = lengths[i];
    if (count > kMaxPassagesPerPiece) {
      return Error{ErrorCode::kCorrupt, "piece " + std::to_string(i) + " of the passages holds " +
                                            std::to_string(count) + " passages, at most " +
                                            std::to_string(kMaxPassagesPerPiece) +
                                            " are allowed; the file is damaged, fetch or pack it again"};
    }
    // A piece has contents, so that no more passages are claimed than the file's size makes plausible.
    if (count == 0 || count > passages - index.firsts_.back() || length <= kPieceChecksumBytes ||
        length > section_bytes - index.offsets_.back()) {
      return bad;
    }
    index.firsts_.push_back(index.firsts_.back() + count);
    index.offsets_.push_back(index.offsets_.back() + length);
  }
  if (index.firsts_.back() != passages || index.offsets_.back() != section_bytes) return bad;
  return index;
}

PassageIndex::Location PassageIndex::Find(uint32_t passage) const {
  const size_t i = size_t(std::upper_bound(firsts_.begin(), firsts_.end(), passage) - firsts_.begin()) - 1;
  return {offsets_[i], offsets_[i + 1] - offsets_[i], firsts_[i], firsts_[i + 1] - firsts_[i]};
}

uint32_t UrlHash(std::string_view name) { return Checksum32(AsBytes(name)); }

}  // namespace sheaf
