// Writes the container of format.h: named sections in, file bytes out. Native only.
// Twin: container.cc.
//
// Invariant: the bytes depend on the sections, their order and their options alone.
#ifndef SHEAF_BUNDLE_CONTAINER_BUILDER_H_
#define SHEAF_BUNDLE_CONTAINER_BUILDER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/byte_chunks_builder.h"
#include "base/bytes.h"
#include "base/result.h"
#include "bundle/format.h"

namespace sheaf {

// One section as it grows: raw bytes go in, whole blocks are compressed at once, so that memory
// holds compressed bytes and one open block.
class SectionBuilder {
 public:
  // `dictionary` (may be null) is used with the codecs that have one and must outlive the builder.
  SectionBuilder(SectionId id, Codec codec, uint32_t block_size, int level,
                 const std::vector<uint8_t>* dictionary = nullptr);
  ~SectionBuilder();
  SectionBuilder(SectionBuilder&&) noexcept;
  SectionBuilder& operator=(SectionBuilder&&) noexcept;

  // Of a section of blocks.
  void Append(ByteSpan bytes);
  // Of a section of pieces: adds one and returns its stored length, checksum included.
  // REQUIRES: 0 < bytes.size() <= the block size given.
  uint64_t AddPiece(ByteSpan bytes);
  // Stored bytes of a sample under the section's codec, for choosing sizes.
  uint64_t Sample(ByteSpan bytes) { return Compress(bytes).size(); }
  uint64_t stored_size() const { return stored_.size(); }

 private:
  friend Result<std::vector<uint8_t>> BuildContainer(ContainerKind, std::vector<SectionBuilder>);
  void CloseBlock();
  std::vector<uint8_t> Compress(ByteSpan bytes);

  struct Compressor;
  SectionId id_;
  Codec codec_;
  uint32_t block_size_;
  std::unique_ptr<Compressor> compressor_;
  std::vector<uint8_t> open_;
  uint64_t raw_size_ = 0;
  ByteChunks stored_;
  std::vector<uint32_t> lengths_, checksums_;  // of blocks
  std::vector<uint32_t> pieces_;               // their stored lengths; checksums are zero until offsets are known
};

// Sections in file order: block sections first, then piece sections. Omits empty sections.
// Error: kTooLarge when the directory would exceed 16 KiB, or a section the size that a reader accepts.
Result<std::vector<uint8_t>> BuildContainer(ContainerKind kind, std::vector<SectionBuilder> sections);

}  // namespace sheaf

#endif  // SHEAF_BUNDLE_CONTAINER_BUILDER_H_
