// Reads the container: header, directory, block map, blocks. Only this code decides which bytes to trust.
//
// Idea: a section is either a virtual byte array or a sequence of pieces. `Read` copies a range of the
// array, `Block` returns one decoded block of it, and `Piece` returns one piece. If the host has not supplied
// the bytes yet, each adds the range to `needs()` and returns kNeedsBytes. Callers go on asking for
// everything else they can foresee, so that one round trip brings it all.
//
// Invariants
//  1. No block is handed out before its checksum and decoded length have been verified.
//  2. A size claimed by the file never causes an allocation beyond the limits of format.h, which are in proportion
//     to the bytes that the file stores for it.
//  3. Views stay valid until the next BeginCall; evictions happen only there.
//
// Cost: Open reads kMaxDirectoryEnd bytes at most; a block is decoded once and cached (LRU, by
// bytes); raw blocks are shown without a copy where the store holds them in one piece.
// Twin: container_builder.cc.
#ifndef SHEAF_BUNDLE_CONTAINER_H_
#define SHEAF_BUNDLE_CONTAINER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "bundle/byte_store.h"
#include "bundle/format.h"

struct ZSTD_DCtx_s;
struct ZSTD_DDict_s;

namespace sheaf {

struct SectionInfo {
  SectionId id{};
  Codec codec = Codec::kRaw;
  uint8_t flags = 0;
  uint32_t block_size = 0;   // raw bytes a block
  uint64_t raw_size = 0;     // bytes of the virtual array
  uint64_t offset = 0;       // in the file
  uint64_t stored_size = 0;  // bytes in the file
  uint32_t block_count = 0;
  uint32_t first_block = 0;  // in the block map
};

struct MissingRange {
  uint64_t offset = 0;
  uint64_t length = 0;
};

class Container {
 public:
  static constexpr size_t kCacheLimit = size_t(64) << 20;

  // Decoded bytes beyond `cache_limit` are forgotten at the next call of the host.
  explicit Container(uint64_t file_size, size_t cache_limit = kCacheLimit);
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  Status Supply(uint64_t offset, std::vector<uint8_t> bytes) { return store_.Supply(offset, std::move(bytes)); }

  // Starts a call of the host: forgets needs, trims the block cache.
  void BeginCall();
  // Ranges that reads since BeginCall lacked, in order of offset, overlaps merged.
  std::vector<MissingRange> TakeNeeds();

  // Checks header and directory. Repeatable; cheap once it succeeded. Errors: kNotABundle,
  // kWrongKind, kUnsupportedVersion, kTruncated, kChecksumMismatch, kCorrupt, kNeedsBytes.
  Status Open(ContainerKind kind);
  bool is_open() const { return open_; }

  uint64_t file_size() const { return store_.size(); }
  uint64_t content_hash() const { return content_hash_; }
  uint64_t identity() const { return identity_; }  // of its pieces
  const std::vector<SectionInfo>& sections() const { return sections_; }
  // Null when the file has no such section.
  const SectionInfo* Find(SectionId id) const;
  // The section. Error: kCorrupt, with its name.
  Result<const SectionInfo*> Require(SectionId id) const;

  // One decoded block. REQUIRES: is_open(). Errors: kCorrupt (no such block), kChecksumMismatch,
  // kNeedsBytes.
  Result<ByteSpan> Block(const SectionInfo& section, uint32_t index);
  // Copies [offset, offset + length) of the virtual array. Notes all missing blocks at once.
  // Error: kCorrupt when the range lies outside the section.
  Status Read(const SectionInfo& section, uint64_t offset, uint64_t length, std::vector<uint8_t>* out);
  Result<std::vector<uint8_t>> ReadAll(const SectionInfo& section);
  // The same of the section with this id. Error: kCorrupt when the file has none.
  Result<std::vector<uint8_t>> ReadAll(SectionId id);
  // Empty when the file has none: sections have contents.
  Result<std::vector<uint8_t>> ReadAllIfAny(SectionId id);

  // One decoded piece: `length` stored bytes from `offset` of the section on, checksum included.
  // Errors: kCorrupt (it lies outside the section, or does not decode as it says), kChecksumMismatch,
  // kNeedsBytes.
  Result<ByteSpan> Piece(const SectionInfo& section, uint64_t offset, uint64_t length);
  // The same of the section with this id. Error: kCorrupt when the file has none.
  Result<ByteSpan> Piece(SectionId id, uint64_t offset, uint64_t length);
  // The host has brought every byte of the section, so that reading all of it costs no transfer.
  bool Holds(const SectionInfo& section) const { return store_.Holds(section.offset, section.stored_size); }
  // Asks for the dictionary, which every passage needs, ahead of its first use. Error: kNeedsBytes.
  Status PrepareDictionary();

  // Decodes every block and compares the content hash; returns the number of blocks.
  // REQUIRES: the whole file was supplied, else kNeedsBytes.
  Result<uint32_t> VerifyBlocks();

 private:
  struct BlockLocation {
    uint64_t offset = 0;
    uint32_t length = 0;
    uint32_t checksum = 0;
  };
  struct CachedBlock {
    ByteSpan view;  // into the store, or into `bytes`
    std::vector<uint8_t> bytes;
    uint64_t last_call = 0;
  };

  Status ParseHeader();
  Status ParseDirectory();
  Result<BlockLocation> Locate(const SectionInfo& section, uint32_t index);
  Result<const std::vector<BlockLocation>*> MapLeaf(uint32_t leaf);
  // A decoded block or piece that is kept; marks it as used in this call.
  std::optional<ByteSpan> Cached(uint64_t key);
  // Stored bytes of a block or piece, with the dictionary ready where the codec needs it: one round trip
  // brings both. They lie in the store, or in `scratch` where the store holds them in several segments.
  Result<ByteSpan> Stored(Codec codec, uint64_t offset, uint64_t length, std::vector<uint8_t>* scratch);
  // Decodes one zstd frame into `out`, whose size is the expected one.
  bool Decode(Codec codec, ByteSpan stored, std::vector<uint8_t>* out);
  ByteSpan Keep(uint64_t key, CachedBlock block);
  Error Missing(uint64_t offset, uint64_t length);

  ByteStore store_;
  bool open_ = false;
  ContainerKind kind_{};
  uint64_t content_hash_ = 0, identity_ = 0;
  uint32_t directory_size_ = 0, section_count_ = 0, map_leaves_ = 0, directory_checksum_ = 0;
  uint32_t total_blocks_ = 0;
  std::vector<SectionInfo> sections_;
  std::vector<uint32_t> map_checksums_;
  std::unordered_map<uint32_t, std::vector<BlockLocation>> map_cache_;
  // By location in the file: offset of a piece, or number in the block map with the top bit set.
  std::unordered_map<uint64_t, CachedBlock> cache_;
  size_t cache_bytes_ = 0;
  size_t cache_limit_;
  uint64_t call_ = 0;
  std::vector<MissingRange> needs_;
  ZSTD_DCtx_s* context_ = nullptr;
  ZSTD_DDict_s* dictionary_ = nullptr;
};

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_CONTAINER_H_
