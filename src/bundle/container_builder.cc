#include "bundle/container_builder.h"

// For ZSTD_c_useRowMatchFinder; zstd comes from pinned sources.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <array>

#include "base/checksum.h"

namespace sheaf {

// One context for a section, with its dictionary. Every input is a frame of its own.
struct SectionBuilder::Compressor {
  explicit Compressor(int level) {
    const auto set = [this](ZSTD_cParameter parameter, int value) {
      ZSTD_CCtx_setParameter(context, parameter, value);
    };
    set(ZSTD_c_compressionLevel, level);
    // Frame headers omit facts that the reader already knows.
    set(ZSTD_c_contentSizeFlag, 1);
    set(ZSTD_c_checksumFlag, 0);
    set(ZSTD_c_dictIDFlag, 0);
    // Levels 5 to 12 have two ways to look for matches, and zstd would choose by the features of the processor.
    set(ZSTD_c_useRowMatchFinder, ZSTD_ps_disable);
  }
  ~Compressor() { ZSTD_freeCCtx(context); }

  ZSTD_CCtx* const context = ZSTD_createCCtx();
};

namespace {

// A frame of raw blocks (RFC 8878, 3.1.1): for pieces that shrink so much that readers would take them for bombs.
std::vector<uint8_t> UncompressedFrame(ByteSpan bytes) {
  constexpr size_t kMostInBlock = 128 << 10;
  ByteWriter w;
  w.U32(ZSTD_MAGICNUMBER);
  w.U8(0xA0);  // a single segment; four bytes of content size; no checksum, no dictionary id
  w.U32(uint32_t(bytes.size()));
  while (!bytes.empty()) {
    const size_t take = std::min(bytes.size(), kMostInBlock);
    const size_t header = take << 3 | (take == bytes.size());  // type 0: raw; bit 0: the last one
    for (int shift = 0; shift < 24; shift += 8) w.U8(uint8_t(header >> shift));
    w.Bytes(bytes.first(take));
    bytes = bytes.subspan(take);
  }
  return w.Take();
}

void StoreLittle(uint64_t value, size_t width, uint8_t* out) {
  for (size_t i = 0; i < width; ++i) out[i] = uint8_t(value >> (8 * i));
}

}  // namespace

SectionBuilder::SectionBuilder(SectionId id, Codec codec, uint32_t block_size, int level,
                               const std::vector<uint8_t>* dictionary)
    : id_(id), codec_(codec), block_size_(block_size), compressor_(std::make_unique<Compressor>(level)) {
  if (NeedsDictionary(codec_)) {
    if (dictionary && !dictionary->empty()) {
      ZSTD_CCtx_loadDictionary(compressor_->context, dictionary->data(), dictionary->size());
    } else {
      codec_ = HasPieces(codec_) ? Codec::kZstdPieces : Codec::kZstd;
    }
  }
}

SectionBuilder::~SectionBuilder() = default;
SectionBuilder::SectionBuilder(SectionBuilder&&) noexcept = default;
SectionBuilder& SectionBuilder::operator=(SectionBuilder&&) noexcept = default;

void SectionBuilder::Append(ByteSpan bytes) {
  raw_size_ += bytes.size();
  while (!bytes.empty()) {
    const size_t take = std::min<size_t>(bytes.size(), block_size_ - open_.size());
    open_.insert(open_.end(), bytes.begin(), bytes.begin() + ptrdiff_t(take));
    bytes = bytes.subspan(take);
    if (open_.size() == block_size_) CloseBlock();
  }
}

std::vector<uint8_t> SectionBuilder::Compress(ByteSpan bytes) {
  std::vector<uint8_t> packed(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress2(compressor_->context, packed.data(), packed.size(), bytes.data(), bytes.size());
  packed.resize(ZSTD_isError(size) ? 0 : size);
  return packed;
}

void SectionBuilder::CloseBlock() {
  if (open_.empty()) return;
  std::vector<uint8_t> packed;
  if (codec_ != Codec::kRaw) packed = Compress(open_);
  // A reader takes a stored block of exactly the raw length for raw bytes, and a section that shrinks too much for a
  // bomb.
  const uint64_t raw = lengths_.size() * uint64_t(block_size_) + open_.size();
  const bool too_small = raw > kFreeRawBytes + kMostRatio * (stored_.size() + packed.size());
  const std::vector<uint8_t>& best = too_small || packed.empty() || packed.size() >= open_.size() ? open_ : packed;
  lengths_.push_back(uint32_t(best.size()));
  checksums_.push_back(Checksum32(best));
  stored_.Append(best);
  open_.clear();
}

uint64_t SectionBuilder::AddPiece(ByteSpan bytes) {
  std::vector<uint8_t> packed;
  if (codec_ != Codec::kRawPieces) {
    packed = Compress(bytes);
    if (bytes.size() > kMostRatio * packed.size()) packed = UncompressedFrame(bytes);
    bytes = packed;
  }
  stored_.Append(bytes);
  stored_.Append(std::array<uint8_t, kPieceChecksumBytes>{});
  raw_size_ = stored_.size();
  pieces_.push_back(uint32_t(bytes.size() + kPieceChecksumBytes));
  return pieces_.back();
}

Result<std::vector<uint8_t>> BuildContainer(ContainerKind kind, std::vector<SectionBuilder> sections) {
  std::erase_if(sections, [](const SectionBuilder& s) { return s.raw_size_ == 0; });
  // Blocks follow one another without gaps, so pieces lie behind them all.
  std::stable_partition(sections.begin(), sections.end(), [](const SectionBuilder& s) { return !HasPieces(s.codec_); });
  uint64_t blocks = 0, stored = 0;
  for (SectionBuilder& section : sections) {
    section.CloseBlock();
    if (!HasPieces(section.codec_) && section.raw_size_ > MaxRawBytes(section.id_)) {
      return Error{ErrorCode::kTooLarge, std::string("the ") + SectionName(section.id_) + " would have " +
                                             std::to_string(section.raw_size_) + " bytes, at most " +
                                             std::to_string(MaxRawBytes(section.id_)) +
                                             " are allowed; pack the documentation as several libraries"};
    }
    blocks += section.lengths_.size();
    stored += section.stored_.size();
  }
  const uint64_t map_leaves = (blocks + kMapLeafEntries - 1) / kMapLeafEntries;
  const uint64_t directory_size = sections.size() * kSectionEntryBytes + map_leaves * 4;
  if (directory_size > kMaxDirectoryEnd - kHeaderBytes || sections.size() > kMaxSections) {
    return Error{ErrorCode::kTooLarge,
                 std::to_string(blocks) +
                     " blocks do not fit one bundle's directory; pack the documentation as several libraries"};
  }
  const uint64_t map_size = map_leaves * 8 + blocks * 8;
  const uint64_t body = kHeaderBytes + directory_size + map_size;
  const uint64_t file_size = body + stored;

  // Block map first: its leaves' checksums close the directory.
  ByteWriter map;
  std::vector<uint32_t> map_checksums;
  {
    uint64_t offset = body, in_leaf = 0;
    size_t leaf_start = 0;
    const auto close_leaf = [&] {
      map_checksums.push_back(Checksum32(ByteSpan(map.bytes()).subspan(leaf_start)));
      leaf_start = map.size();
      in_leaf = 0;
    };
    for (const SectionBuilder& section : sections) {
      for (size_t i = 0; i < section.lengths_.size(); ++i) {
        if (in_leaf == 0) map.U64(offset);
        map.U32(section.lengths_[i]);
        map.U32(section.checksums_[i]);
        offset += section.lengths_[i];
        if (++in_leaf == kMapLeafEntries) close_leaf();
      }
    }
    if (in_leaf) close_leaf();
  }

  ByteWriter directory;
  uint64_t offset = body;
  uint32_t first_block = 0;
  for (const SectionBuilder& section : sections) {
    directory.U16(uint16_t(section.id_));
    directory.U8(uint8_t(section.codec_));
    directory.U8(IsOptional(section.id_) ? kSectionSkippable : 0);
    directory.U32(section.block_size_);
    directory.U64(section.raw_size_);
    directory.U64(offset);
    directory.U64(section.stored_.size());
    directory.U32(uint32_t(section.lengths_.size()));
    directory.U32(first_block);
    offset += section.stored_.size();
    first_block += uint32_t(section.lengths_.size());
  }
  for (uint32_t checksum : map_checksums) directory.U32(checksum);

  std::vector<uint8_t> file(kHeaderBytes);
  file.reserve(size_t(file_size));
  file.insert(file.end(), directory.bytes().begin(), directory.bytes().end());
  file.insert(file.end(), map.bytes().begin(), map.bytes().end());
  for (SectionBuilder& section : sections) {
    section.stored_.Drain([&](ByteSpan bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); });
  }
  // Any difference between two files makes their pieces' checksums differ.
  const uint64_t identity = Hash64(ByteSpan(file).subspan(kHeaderBytes));
  offset = body;
  for (const SectionBuilder& section : sections) {
    for (const uint32_t length : section.lengths_) offset += length;
    for (const uint32_t length : section.pieces_) {
      const uint32_t content = length - uint32_t(kPieceChecksumBytes);
      StoreLittle(Checksum32(ByteSpan(file).subspan(size_t(offset), content), PieceSeed(identity, offset)),
                  kPieceChecksumBytes, &file[size_t(offset) + content]);
      offset += length;
    }
  }

  ByteWriter header;
  header.Bytes(ByteSpan(kMagic, sizeof(kMagic)));
  header.U16(kFormatVersion);
  header.U8(uint8_t(kind));
  header.U8(0);
  header.U32(0);
  header.U64(file_size);
  header.U64(Hash64(ByteSpan(file).subspan(kHeaderBytes)));
  header.U32(uint32_t(directory.size()));
  header.U32(uint32_t(sections.size()));
  header.U32(uint32_t(map_leaves));
  header.U32(Checksum32(directory.bytes()));
  header.U64(identity);
  header.U32(0);
  header.U32(Checksum32(header.bytes()));
  std::copy(header.bytes().begin(), header.bytes().end(), file.begin());
  return file;
}

}  // namespace sheaf
