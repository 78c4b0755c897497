#include "bundle/container.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/checksum.h"
#include "base/gather.h"
#include "base/sort.h"

namespace sheaf {
namespace {

std::string Number(uint64_t n) { return std::to_string(n); }

Error Corrupt(std::string what) {
  return Error{ErrorCode::kCorrupt, std::move(what) + "; the file is damaged, fetch or pack it again"};
}

Error Mismatch(std::string what) {
  return Error{ErrorCode::kChecksumMismatch,
               std::move(what) + " does not match its checksum; the file is damaged, fetch it again"};
}

// The most that a section of blocks may decode to.
uint64_t MostRaw(const SectionInfo& s) {
  return std::min(MaxRawBytes(s.id), kFreeRawBytes + kMostRatio * s.stored_size);
}

// Whether a zstd frame (RFC 8878, 3.1.1) without checksum and dictionary id ends where the bytes do, by the sizes that
// it states. zstd itself would pass over frames behind it.
bool IsOneFrame(ByteSpan bytes) {
  if (bytes.size() < 5 || (bytes[4] & 7)) return false;
  // Window, then content size: neither a window nor less than a byte of size in a single segment.
  size_t at = bytes[4] & 0x20 ? 5 : 6;
  at += bytes[4] >> 6 ? size_t(1) << (bytes[4] >> 6) : bytes[4] >> 5 & 1;
  for (bool last = false; !last;) {
    if (at + 3 > bytes.size()) return false;
    const uint32_t header = LoadU16(&bytes[at]) | uint32_t(bytes[at + 2]) << 16;
    last = header & 1;
    at += 3 + ((header & 6) == 2 ? 1 : header >> 3);  // one byte that repeats, or that many
  }
  return at == bytes.size();
}

const char* KindName(ContainerKind kind) {
  return kind == ContainerKind::kBundle ? "a documentation bundle" : "an encoder table";
}

}  // namespace

Container::Container(uint64_t file_size, size_t cache_limit) : store_(file_size), cache_limit_(cache_limit) {}

Container::~Container() {
  ZSTD_freeDCtx(context_);
  ZSTD_freeDDict(dictionary_);
}

void Container::BeginCall() {
  ++call_;
  needs_.clear();
  if (cache_bytes_ <= cache_limit_) return;
  // Least recently used first; a block that merely views the store takes no memory and stays.
  std::vector<std::pair<uint64_t, uint64_t>> order;
  for (const auto& [number, block] : cache_) {
    if (!block.bytes.empty()) order.emplace_back(block.last_call, number);
  }
  Sort(&order);
  for (const auto& [last_call, number] : order) {
    if (cache_bytes_ <= cache_limit_ / 2) break;
    auto it = cache_.find(number);
    cache_bytes_ -= it->second.bytes.size();
    cache_.erase(it);
  }
}

std::vector<MissingRange> Container::TakeNeeds() {
  std::vector<MissingRange> needs = std::move(needs_);
  needs_.clear();
  Sort(&needs, [](const MissingRange& a, const MissingRange& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.length < b.length;
  });
  std::vector<MissingRange> merged;
  for (const MissingRange& need : needs) {
    if (!merged.empty() && need.offset <= merged.back().offset + merged.back().length) {
      const uint64_t end = std::max(merged.back().offset + merged.back().length, need.offset + need.length);
      merged.back().length = end - merged.back().offset;
    } else {
      merged.push_back(need);
    }
  }
  return merged;
}

Error Container::Missing(uint64_t offset, uint64_t length) {
  // Skip bytes already held: the first request also brings the bytes that follow the directory.
  const uint64_t from = store_.HeldUntil(offset, offset + length);
  needs_.push_back({from, offset + length - from});
  return NeedsBytes();
}

Status Container::Open(ContainerKind kind) {
  if (open_ && kind == kind_) return {};
  kind_ = kind;
  if (store_.size() < kHeaderBytes) {
    return Error{ErrorCode::kNotABundle, "a Sheaf file has at least 64 bytes, this one has " + Number(store_.size()) +
                                             "; check the path or URL"};
  }
  SHEAF_RETURN_IF_ERROR(ParseHeader());
  SHEAF_RETURN_IF_ERROR(ParseDirectory());
  open_ = true;
  return {};
}

Status Container::ParseHeader() {
  // One request brings header and directory: all of the first 16 KiB.
  const uint64_t first = std::min<uint64_t>(store_.size(), kMaxDirectoryEnd);
  std::vector<uint8_t> scratch;
  const auto view = store_.View(0, kHeaderBytes, &scratch);
  if (!view) return Missing(0, first);
  const uint8_t* h = view->data();

  if (std::memcmp(h, kMagic, sizeof(kMagic)) != 0) {
    return Error{ErrorCode::kNotABundle,
                 "not a Sheaf file: it does not begin with the Sheaf magic number; check the path or URL"};
  }
  const uint16_t version = LoadU16(h + 8);
  if (version != kFormatVersion) {
    return Error{ErrorCode::kUnsupportedVersion, "the file has format version " + Number(version) +
                                                     ", this reader knows version " + Number(kFormatVersion) +
                                                     "; update Sheaf, or pack again with this version"};
  }
  if (Checksum32(ByteSpan(h, 60)) != LoadU32(h + 60)) return Mismatch("the header");
  if (h[11] != 0 || LoadU32(h + 56) != 0) {
    return Error{ErrorCode::kUnsupportedVersion,
                 "the header uses reserved bits that this reader does not know; update Sheaf"};
  }
  if (h[10] != uint8_t(kind_)) {
    return Error{ErrorCode::kWrongKind,
                 std::string("expected ") + KindName(kind_) + ", got " +
                     (h[10] == 1 || h[10] == 2 ? KindName(ContainerKind(h[10])) : "container kind " + Number(h[10]))};
  }
  const uint64_t declared = LoadU64(h + 16);
  if (declared != store_.size()) {
    return Error{ErrorCode::kTruncated, "the header declares " + Number(declared) + " bytes, the file has " +
                                            Number(store_.size()) + "; fetch it again"};
  }
  content_hash_ = LoadU64(h + 24);
  directory_size_ = LoadU32(h + 32);
  section_count_ = LoadU32(h + 36);
  map_leaves_ = LoadU32(h + 40);
  directory_checksum_ = LoadU32(h + 44);
  identity_ = LoadU64(h + 48);
  if (directory_size_ > kMaxDirectoryEnd - kHeaderBytes || section_count_ > kMaxSections ||
      map_leaves_ > kMaxDirectoryEnd / 4 || directory_size_ != section_count_ * kSectionEntryBytes + map_leaves_ * 4 ||
      directory_size_ > store_.size() - kHeaderBytes) {
    return Corrupt("the directory's size does not fit its sections");
  }
  return {};
}

Status Container::ParseDirectory() {
  std::vector<uint8_t> scratch;
  const auto view = store_.View(kHeaderBytes, directory_size_, &scratch);
  if (!view) return Missing(kHeaderBytes, directory_size_);
  if (Checksum32(*view) != directory_checksum_) return Mismatch("the section directory");
  ByteReader reader(*view);
  sections_.clear();
  uint64_t blocks = 0, begin = 0, at = 0;
  bool pieces = false;
  for (uint32_t i = 0; i < section_count_; ++i) {
    SectionInfo s;
    s.id = SectionId(reader.U16());
    const uint8_t codec = reader.U8();
    s.flags = reader.U8();
    s.block_size = reader.U32();
    s.raw_size = reader.U64();
    s.offset = reader.U64();
    s.stored_size = reader.U64();
    s.block_count = reader.U32();
    s.first_block = reader.U32();
    const std::string name = std::string("section ") + SectionName(s.id) + " (" + Number(uint16_t(s.id)) + ")";
    const bool known = std::strcmp(SectionName(s.id), "unknown") != 0 && codec <= uint8_t(Codec::kZstdDictionaryPieces);
    if (s.flags & ~kSectionSkippable || !(known || s.flags)) {
      return Error{ErrorCode::kUnsupportedVersion,
                   name + " is required, or sets flags, in a way unknown to this reader; update Sheaf"};
    }
    s.codec = Codec(codec);
    const bool blocks_again = pieces && s.block_count != 0;
    pieces = s.block_count == 0;
    // Sections fill the file from the end of the block map on. Each block has at least one stored byte.
    if (i == 0) begin = at = s.offset;
    bool fits = s.stored_size != 0 && s.offset == at && at <= store_.size() && s.stored_size <= store_.size() - at &&
                !blocks_again && s.block_count <= s.stored_size && s.first_block == blocks;
    // For a skipped section, only its extent and its blocks' share of the map matter.
    if (known) {
      const uint32_t most = pieces ? kMaxPieceBytes : kMaxBlockBytes;
      fits = fits && std::has_single_bit(s.block_size) && s.block_size >= kMinBlockBytes && s.block_size <= most &&
             HasPieces(s.codec) == pieces &&
             (pieces ? s.raw_size == s.stored_size
                     : s.raw_size <= MostRaw(s) && (s.raw_size + s.block_size - 1) / s.block_size == s.block_count) &&
             !Find(s.id);
      sections_.push_back(s);
    }
    if (!fits) return Corrupt(name + " contradicts the file or its other sections");
    at += s.stored_size;
    blocks += s.block_count;
  }
  const uint64_t map_end = kHeaderBytes + directory_size_ + uint64_t(map_leaves_) * 8 + blocks * 8;
  if ((blocks + kMapLeafEntries - 1) / kMapLeafEntries != map_leaves_ || begin != map_end || at != store_.size()) {
    return Corrupt("block map and sections do not fill the file");
  }
  std::vector<uint32_t> checksums(map_leaves_);
  for (uint32_t& checksum : checksums) checksum = reader.U32();
  total_blocks_ = uint32_t(blocks);
  map_checksums_ = std::move(checksums);
  return {};
}

const SectionInfo* Container::Find(SectionId id) const {
  for (const SectionInfo& section : sections_) {
    if (section.id == id) return &section;
  }
  return nullptr;
}

Result<const SectionInfo*> Container::Require(SectionId id) const {
  if (const SectionInfo* section = Find(id)) return section;
  return Corrupt(std::string("the file lacks its ") + SectionName(id) + " section");
}

Result<const std::vector<Container::BlockLocation>*> Container::MapLeaf(uint32_t leaf) {
  if (auto it = map_cache_.find(leaf); it != map_cache_.end()) return &it->second;
  const uint64_t map_offset = kHeaderBytes + directory_size_;
  const uint32_t entries = std::min<uint32_t>(kMapLeafEntries, total_blocks_ - leaf * uint32_t(kMapLeafEntries));
  const uint64_t offset = map_offset + uint64_t(leaf) * kMapLeafBytes;
  const uint64_t length = 8 + uint64_t(entries) * 8;
  std::vector<uint8_t> scratch;
  const auto view = store_.View(offset, length, &scratch);
  if (!view) return Missing(offset, length);
  if (Checksum32(*view) != map_checksums_[leaf]) {
    return Mismatch("the block map");
  }
  ByteReader reader(*view);
  uint64_t at = reader.U64();
  std::vector<BlockLocation> locations(entries);
  for (BlockLocation& location : locations) {
    location.offset = at;
    location.length = reader.U32();
    location.checksum = reader.U32();
    if (location.length == 0 || at > store_.size() || location.length > store_.size() - at) {
      return Corrupt("the block map points past the end");
    }
    at += location.length;
  }
  return &map_cache_.emplace(leaf, std::move(locations)).first->second;
}

Result<Container::BlockLocation> Container::Locate(const SectionInfo& section, uint32_t index) {
  const auto lacks = [&] {
    return Corrupt(std::string("section ") + SectionName(section.id) + " has no block " + Number(index));
  };
  if (index >= section.block_count) return lacks();
  const uint32_t number = section.first_block + index;
  SHEAF_ASSIGN_OR_RETURN(const std::vector<BlockLocation>* leaf, MapLeaf(number / uint32_t(kMapLeafEntries)));
  const BlockLocation& location = (*leaf)[number % kMapLeafEntries];
  // Not beyond the section's bytes, which its raw size was judged by.
  if (location.offset < section.offset || location.offset + location.length > section.offset + section.stored_size) {
    return lacks();
  }
  return location;
}

Status Container::PrepareDictionary() {
  if (dictionary_) return {};
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, Require(SectionId::kDictionary));
  if (NeedsDictionary(section->codec) || HasPieces(section->codec)) return Corrupt("the dictionary refers to itself");
  SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ReadAll(*section));
  dictionary_ = ZSTD_createDDict(bytes.data(), bytes.size());
  if (!dictionary_) return Corrupt("the dictionary cannot be used");
  return {};
}

std::optional<ByteSpan> Container::Cached(uint64_t key) {
  const auto it = cache_.find(key);
  if (it == cache_.end()) return {};
  it->second.last_call = call_;
  return it->second.view;
}

Result<ByteSpan> Container::Stored(Codec codec, uint64_t offset, uint64_t length, std::vector<uint8_t>* scratch) {
  Gather gather;
  if (NeedsDictionary(codec)) SHEAF_RETURN_IF_ERROR(gather.Note(PrepareDictionary()));
  const auto view = store_.View(offset, length, scratch);
  if (!view) return Missing(offset, length);
  SHEAF_RETURN_IF_ERROR(gather.status());
  return *view;
}

Result<ByteSpan> Container::Block(const SectionInfo& section, uint32_t index) {
  const uint64_t key = (section.first_block + index) | uint64_t(1) << 63;
  if (index < section.block_count) {
    if (const auto cached = Cached(key)) return *cached;
  }
  SHEAF_ASSIGN_OR_RETURN(const BlockLocation location, Locate(section, index));
  std::vector<uint8_t> scratch;
  SHEAF_ASSIGN_OR_RETURN(const ByteSpan stored, Stored(section.codec, location.offset, location.length, &scratch));

  const auto name = [&] { return "block " + Number(index) + " of section " + SectionName(section.id); };
  if (Checksum32(stored) != location.checksum) return Mismatch(name());
  const uint64_t start = uint64_t(index) * section.block_size;
  const size_t raw = size_t(std::min<uint64_t>(section.block_size, section.raw_size - start));
  CachedBlock block;
  if (section.codec == Codec::kRaw || location.length == raw) {
    if (location.length != raw) {
      return Corrupt(name() + " has " + Number(location.length) + " bytes, expected " + Number(raw));
    }
    block.bytes = std::move(scratch);
    block.view = stored;
  } else {
    block.bytes.resize(raw);
    if (!Decode(section.codec, stored, &block.bytes)) {
      return Corrupt(name() + " does not decompress to its " + Number(raw) + " bytes");
    }
  }
  return Keep(key, std::move(block));
}

bool Container::Decode(Codec codec, ByteSpan stored, std::vector<uint8_t>* out) {
  if (!IsOneFrame(stored)) return false;
  if (!context_) context_ = ZSTD_createDCtx();
  const size_t got =
      NeedsDictionary(codec)
          ? ZSTD_decompress_usingDDict(context_, out->data(), out->size(), stored.data(), stored.size(), dictionary_)
          : ZSTD_decompressDCtx(context_, out->data(), out->size(), stored.data(), stored.size());
  return !ZSTD_isError(got) && got == out->size();
}

ByteSpan Container::Keep(uint64_t key, CachedBlock block) {
  CachedBlock& kept = cache_[key] = std::move(block);
  kept.last_call = call_;
  if (!kept.bytes.empty()) {
    kept.view = kept.bytes;
    cache_bytes_ += kept.bytes.size();
  }
  return kept.view;
}

Result<ByteSpan> Container::Piece(const SectionInfo& section, uint64_t offset, uint64_t length) {
  const auto name = [&] { return "the piece at " + Number(offset) + " of section " + SectionName(section.id); };
  if (!HasPieces(section.codec) || length <= kPieceChecksumBytes || length > section.stored_size ||
      offset > section.stored_size - length) {
    return Corrupt(name() + " with " + Number(length) + " bytes lies outside it");
  }
  const uint64_t file_offset = section.offset + offset;
  if (const auto cached = Cached(file_offset)) return *cached;
  std::vector<uint8_t> scratch;
  SHEAF_ASSIGN_OR_RETURN(const ByteSpan whole, Stored(section.codec, file_offset, length, &scratch));
  const ByteSpan stored = whole.first(size_t(length) - kPieceChecksumBytes);
  if (Checksum32(stored, PieceSeed(identity_, file_offset)) != LoadU32(stored.data() + stored.size()))
    return Mismatch(name());
  CachedBlock block;
  if (section.codec == Codec::kRawPieces) {
    if (stored.size() > section.block_size) return Corrupt(name() + " has an impossible size");
    // Shown without a copy: a section of small pieces would fill the cache with entries.
    if (scratch.empty()) return stored;
    scratch.resize(stored.size());
    block.bytes = std::move(scratch);
  } else {
    const unsigned long long raw = ZSTD_getFrameContentSize(stored.data(), stored.size());
    if (raw == 0 || raw > section.block_size || raw > kMostRatio * length)
      return Corrupt(name() + " has an impossible size");
    block.bytes.resize(size_t(raw));
    if (!Decode(section.codec, stored, &block.bytes))
      return Corrupt(name() + " does not decompress to its " + Number(raw) + " bytes");
  }
  return Keep(file_offset, std::move(block));
}

Result<ByteSpan> Container::Piece(SectionId id, uint64_t offset, uint64_t length) {
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, Require(id));
  return Piece(*section, offset, length);
}

Status Container::Read(const SectionInfo& section, uint64_t offset, uint64_t length, std::vector<uint8_t>* out) {
  out->clear();
  if (HasPieces(section.codec))
    return Corrupt(std::string("section ") + SectionName(section.id) + " should have blocks, but has pieces");
  if (offset > section.raw_size || length > section.raw_size - offset) {
    return Corrupt(std::string("section ") + SectionName(section.id) + " ends at " + Number(section.raw_size) +
                   ", but bytes up to " + Number(offset + length) + " are referred to");
  }
  if (length == 0) return {};
  const uint32_t first = uint32_t(offset / section.block_size);
  const uint32_t last = uint32_t((offset + length - 1) / section.block_size);
  Gather gather;
  for (uint32_t index = first; index <= last; ++index) {
    ByteSpan block;
    SHEAF_RETURN_IF_ERROR(gather.Take(Block(section, index), &block));
    if (!gather.complete()) continue;
    const uint64_t start = uint64_t(index) * section.block_size;
    const size_t from = size_t(std::max(offset, start) - start);
    const size_t to = size_t(std::min(offset + length - start, uint64_t(block.size())));
    out->insert(out->end(), block.begin() + ptrdiff_t(from), block.begin() + ptrdiff_t(to));
  }
  if (!gather.complete()) out->clear();
  return gather.status();
}

Result<std::vector<uint8_t>> Container::ReadAll(const SectionInfo& section) {
  std::vector<uint8_t> out;
  SHEAF_RETURN_IF_ERROR(Read(section, 0, section.raw_size, &out));
  return out;
}

Result<std::vector<uint8_t>> Container::ReadAll(SectionId id) {
  SHEAF_ASSIGN_OR_RETURN(const SectionInfo* section, Require(id));
  return ReadAll(*section);
}

Result<std::vector<uint8_t>> Container::ReadAllIfAny(SectionId id) {
  const SectionInfo* section = Find(id);
  return section ? ReadAll(*section) : std::vector<uint8_t>();
}

Result<uint32_t> Container::VerifyBlocks() {
  std::vector<uint8_t> scratch;
  const uint64_t body = store_.size() - kHeaderBytes;
  const auto view = store_.View(kHeaderBytes, body, &scratch);
  if (!view) return Missing(kHeaderBytes, body);
  if (Hash64(*view) != content_hash_) {
    return Error{ErrorCode::kChecksumMismatch,
                 "the contents do not match the content hash in the header; the file is damaged, fetch it again"};
  }
  uint32_t checked = 0;
  for (const SectionInfo& section : sections_) {
    uint64_t at = section.offset;
    for (uint32_t index = 0; index < section.block_count; ++index) {
      SHEAF_ASSIGN_OR_RETURN(const BlockLocation location, Locate(section, index));
      if (location.offset != at) return Corrupt("blocks leave gaps");
      at += location.length;
      SHEAF_RETURN_IF_ERROR(Block(section, index));
      if (cache_bytes_ > cache_limit_) BeginCall();
      ++checked;
    }
    if (section.block_count && at != section.offset + section.stored_size) return Corrupt("blocks leave gaps");
  }
  return checked;
}

}  // namespace sheaf
