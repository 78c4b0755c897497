#include "bundle/container.h"

#include <gtest/gtest.h>

#include <zstd.h>

#include <functional>
#include <random>

#include "base/checksum.h"
#include "bundle/container_builder.h"
#include "tests/unit/sealed.h"

namespace sheaf {
namespace container_test {

using test::EntryOf, test::Resealed, test::StoreLittle;

std::vector<uint8_t> Noise(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& b : bytes) b = uint8_t(random() % 7);
  return bytes;
}

std::vector<uint8_t> TwoSections(const std::vector<uint8_t>& raw, const std::vector<uint8_t>& packed) {
  std::vector<SectionBuilder> sections;
  sections.emplace_back(SectionId::kVectors, Codec::kRaw, 512, 5).Append(raw);
  sections.emplace_back(SectionId::kManifest, Codec::kZstd, 1024, 5).Append(packed);
  auto bytes = BuildContainer(ContainerKind::kBundle, std::move(sections));
  EXPECT_TRUE(bytes.ok());
  return std::move(*bytes);
}

TEST(Container, ReadsBackEverySectionAtEveryOffset) {
  const auto raw = Noise(1500, 1), packed = Noise(5000, 2);
  const auto file = TwoSections(raw, packed);
  Container container(file.size());
  ASSERT_TRUE(container.Supply(0, file).ok());
  ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
  std::vector<uint8_t> out;
  for (uint64_t offset = 0; offset < packed.size(); offset += 97) {
    const uint64_t length = std::min<uint64_t>(1500, packed.size() - offset);
    ASSERT_TRUE(container.Read(*container.Find(SectionId::kManifest), offset, length, &out).ok());
    ASSERT_TRUE(std::equal(out.begin(), out.end(), packed.begin() + ptrdiff_t(offset)));
    ASSERT_EQ(out.size(), length);
  }
  EXPECT_EQ(*container.ReadAll(*container.Find(SectionId::kVectors)), raw);
  EXPECT_EQ(container.Find(SectionId::kGraph), nullptr);
}

TEST(Container, NamesExactlyTheMissingRangesAndWorksOnceTheyCame) {
  const auto file = TwoSections(Noise(1500, 1), Noise(5000, 2));
  Container container(file.size());
  const auto feed = [&] {
    for (const MissingRange& r : container.TakeNeeds()) {
      ASSERT_LE(r.offset + r.length, file.size());
      ASSERT_TRUE(
          container
              .Supply(r.offset, {file.begin() + ptrdiff_t(r.offset), file.begin() + ptrdiff_t(r.offset + r.length)})
              .ok());
    }
  };
  container.BeginCall();
  ASSERT_EQ(container.Open(ContainerKind::kBundle).code(), ErrorCode::kNeedsBytes);
  // The header's request covers all of so small a file; a second container gets only the header.
  Container frugal(file.size());
  ASSERT_TRUE(frugal.Supply(0, {file.begin(), file.begin() + 64}).ok());
  frugal.BeginCall();
  ASSERT_EQ(frugal.Open(ContainerKind::kBundle).code(), ErrorCode::kNeedsBytes);
  auto needs = frugal.TakeNeeds();
  ASSERT_EQ(needs.size(), 1u);
  EXPECT_EQ(needs[0].offset, 64u);
  EXPECT_LT(needs[0].length, 200u);
  feed();
  ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
}

TEST(Container, RefusesAReadPastTheEndOfASection) {
  const auto file = TwoSections(Noise(1500, 1), Noise(5000, 2));
  Container container(file.size());
  ASSERT_TRUE(container.Supply(0, file).ok());
  ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
  std::vector<uint8_t> out;
  const SectionInfo& text = *container.Find(SectionId::kManifest);
  EXPECT_EQ(container.Read(text, 4999, 2, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(container.Read(text, UINT64_MAX, 2, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(container.Block(text, 99).code(), ErrorCode::kCorrupt);
}

TEST(Container, RefusesOtherTruncatedNewerAndReservedFilesByName) {
  const auto file = TwoSections(Noise(100, 1), Noise(100, 2));
  const auto open = [](std::vector<uint8_t> bytes, ContainerKind kind = ContainerKind::kBundle) {
    Container container(bytes.size());
    EXPECT_TRUE(container.Supply(0, std::move(bytes)).ok());
    return container.Open(kind).code();
  };
  const auto resealed = [&](size_t at, uint8_t value) {
    auto copy = file;
    copy[at] = value;
    const uint32_t checksum = Checksum32(ByteSpan(copy).first(60));
    for (int i = 0; i < 4; ++i) copy[size_t(60 + i)] = uint8_t(checksum >> (8 * i));
    return copy;
  };
  EXPECT_EQ(open(file), ErrorCode::kOk);
  EXPECT_EQ(open({}), ErrorCode::kNotABundle);
  EXPECT_EQ(open(std::vector<uint8_t>(1000, 'x')), ErrorCode::kNotABundle);
  EXPECT_EQ(open({file.begin(), file.end() - 1}), ErrorCode::kTruncated);
  EXPECT_EQ(open(resealed(8, 2)), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(open(resealed(11, 1)), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(open(resealed(57, 1)), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(open(file, ContainerKind::kEncoderTable), ErrorCode::kWrongKind);
  // Unused bits are for harmless additions: a reader ignores them.
  EXPECT_EQ(open(resealed(12, 0xff)), ErrorCode::kOk);
}

TEST(Container, NoticesEveryFlippedByte) {
  const auto file = TwoSections(Noise(700, 1), Noise(3000, 2));
  for (size_t at = 0; at < file.size(); ++at) {
    auto copy = file;
    copy[at] ^= 0x10;
    Container container(copy.size());
    ASSERT_TRUE(container.Supply(0, std::move(copy)).ok());
    const Status opened = container.Open(ContainerKind::kBundle);
    if (!opened.ok()) continue;
    ASSERT_FALSE(container.VerifyBlocks().ok()) << "byte " << at << " was flipped unnoticed";
  }
}

TEST(Container, CrossesBlockMapLeaves) {
  // More than 255 blocks need more than one leaf of the map.
  const auto big = Noise(300 * 256, 3);
  std::vector<SectionBuilder> sections;
  sections.emplace_back(SectionId::kVectors, Codec::kRaw, 256, 1).Append(big);
  const auto file = BuildContainer(ContainerKind::kBundle, std::move(sections));
  ASSERT_TRUE(file.ok());
  Container container(file->size());
  ASSERT_TRUE(container.Supply(0, *file).ok());
  ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
  EXPECT_EQ(*container.ReadAll(*container.Find(SectionId::kVectors)), big);
  EXPECT_EQ(*container.VerifyBlocks(), 300u);
}

// ---- pieces ---------------------------------------------------------------------------------------

// A file with a section of blocks and one of pieces, and where each piece lies.
struct PiecesFile {
  struct Place {
    uint64_t offset = 0, length = 0;
  };
  std::vector<std::vector<uint8_t>> contents;
  std::vector<Place> places;
  std::vector<uint8_t> bytes;
};

constexpr Codec kPieceCodecs[] = {Codec::kRawPieces, Codec::kZstdPieces, Codec::kZstdDictionaryPieces};

PiecesFile BuildPieces(Codec codec, std::vector<std::vector<uint8_t>> contents, uint32_t cap = 4096) {
  PiecesFile file;
  file.contents = std::move(contents);
  const std::vector<uint8_t> dictionary = Noise(2000, 77);
  std::vector<SectionBuilder> sections;
  SectionBuilder pieces(SectionId::kPassages, codec, cap, 5, &dictionary);
  uint64_t offset = 0;
  for (const auto& content : file.contents) {
    const uint64_t length = pieces.AddPiece(content);
    file.places.push_back({offset, length});
    offset += length;
  }
  // Given first: the writer puts blocks before pieces.
  sections.push_back(std::move(pieces));
  sections.emplace_back(SectionId::kDictionary, Codec::kZstd, 4096, 5).Append(dictionary);
  sections.emplace_back(SectionId::kManifest, Codec::kZstd, 512, 5).Append(Noise(900, 5));
  auto bytes = BuildContainer(ContainerKind::kBundle, std::move(sections));
  EXPECT_TRUE(bytes.ok());
  file.bytes = std::move(*bytes);
  return file;
}

PiecesFile ThreePieces(Codec codec) { return BuildPieces(codec, {Noise(300, 1), Noise(1, 2), Noise(4096, 3)}); }

struct Opened {
  explicit Opened(std::vector<uint8_t> bytes, size_t cache_limit = Container::kCacheLimit)
      : container(bytes.size(), cache_limit) {
    EXPECT_TRUE(container.Supply(0, std::move(bytes)).ok());
    const Status opened = container.Open(ContainerKind::kBundle);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    section = container.Find(SectionId::kPassages);
  }
  Container container;
  const SectionInfo* section = nullptr;
};

std::vector<uint8_t> Copy(ByteSpan bytes) { return {bytes.begin(), bytes.end()}; }

TEST(Pieces, OfEveryCodecComeBackAsTheyWereInAnyOrder) {
  for (Codec codec : kPieceCodecs) {
    const PiecesFile file = ThreePieces(codec);
    Opened opened(file.bytes);
    EXPECT_EQ(opened.section->codec, codec);
    for (size_t i : {2u, 0u, 1u, 0u, 2u}) {
      const auto piece = opened.container.Piece(*opened.section, file.places[i].offset, file.places[i].length);
      ASSERT_TRUE(piece.ok()) << piece.error().message;
      EXPECT_EQ(Copy(*piece), file.contents[i]);
    }
    EXPECT_EQ(*opened.container.VerifyBlocks(), 3u) << "blocks are counted, not pieces";
  }
}

TEST(Pieces, WithoutADictionaryAreCompressedWithoutOne) {
  SectionBuilder pieces(SectionId::kPassages, Codec::kZstdDictionaryPieces, 4096, 5, nullptr);
  const uint64_t length = pieces.AddPiece(Noise(600, 1));
  std::vector<SectionBuilder> sections;
  sections.push_back(std::move(pieces));
  Opened opened(*BuildContainer(ContainerKind::kBundle, std::move(sections)));
  EXPECT_EQ(opened.section->codec, Codec::kZstdPieces);
  EXPECT_EQ(Copy(*opened.container.Piece(*opened.section, 0, length)), Noise(600, 1));
}

TEST(Pieces, LieBehindAllBlocksAndOutsideTheBlockMap) {
  const PiecesFile file = ThreePieces(Codec::kZstdPieces);
  Opened opened(file.bytes);
  EXPECT_EQ(opened.container.sections().back().id, SectionId::kPassages);
  EXPECT_EQ(opened.section->block_count, 0u);
  EXPECT_EQ(opened.section->raw_size, opened.section->stored_size);
  EXPECT_EQ(opened.section->offset + opened.section->stored_size, file.bytes.size());
  std::vector<uint8_t> out;
  EXPECT_EQ(opened.container.Read(*opened.section, 0, 1, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(opened.container.Block(*opened.section, 0).code(), ErrorCode::kCorrupt);
}

TEST(Pieces, WithAWrongChecksumAreRefused) {
  for (Codec codec : kPieceCodecs) {
    const PiecesFile file = ThreePieces(codec);
    const uint64_t section_at = Opened(file.bytes).section->offset;
    for (uint64_t at = 0; at < file.places[0].length; ++at) {
      auto copy = file.bytes;
      copy[size_t(section_at + at)] ^= 0x40;
      Opened opened(copy);
      EXPECT_EQ(opened.container.Piece(*opened.section, 0, file.places[0].length).code(), ErrorCode::kChecksumMismatch)
          << at;
      // Its neighbour is as good as before.
      EXPECT_TRUE(opened.container.Piece(*opened.section, file.places[1].offset, file.places[1].length).ok());
    }
    // A place that is a byte off, or a length, is no piece either.
    Opened opened(file.bytes);
    EXPECT_EQ(opened.container.Piece(*opened.section, 1, file.places[0].length).code(), ErrorCode::kChecksumMismatch);
    EXPECT_EQ(opened.container.Piece(*opened.section, 0, file.places[0].length - 1).code(),
              ErrorCode::kChecksumMismatch);
  }
}

TEST(Pieces, OutsideTheirSectionAreRefusedAndNeverAskedFor) {
  const PiecesFile file = ThreePieces(Codec::kZstdPieces);
  Opened opened(file.bytes);
  const uint64_t size = opened.section->stored_size;
  for (const auto& [offset, length] : std::vector<std::pair<uint64_t, uint64_t>>{{0, 0},
                                                                                 {0, 4},
                                                                                 {0, size + 1},
                                                                                 {1, size},
                                                                                 {size, 5},
                                                                                 {size - 4, 5},
                                                                                 {UINT64_MAX, 5},
                                                                                 {5, UINT64_MAX},
                                                                                 {UINT64_MAX - 2, UINT64_MAX}}) {
    EXPECT_EQ(opened.container.Piece(*opened.section, offset, length).code(), ErrorCode::kCorrupt)
        << offset << "+" << length;
  }
  EXPECT_TRUE(opened.container.TakeNeeds().empty());
}

TEST(Pieces, LargerThanTheCapAreRefused) {
  for (Codec codec : kPieceCodecs) {
    const PiecesFile file = BuildPieces(codec, {std::vector<uint8_t>(256, 'a'), std::vector<uint8_t>(257, 'a')}, 256);
    Opened opened(file.bytes);
    EXPECT_TRUE(opened.container.Piece(*opened.section, 0, file.places[0].length).ok());
    EXPECT_EQ(opened.container.Piece(*opened.section, file.places[1].offset, file.places[1].length).code(),
              ErrorCode::kCorrupt);
  }
}

TEST(Pieces, WhoseFrameLiesAboutItsSizeAreRefused) {
  const auto frame = [](ByteSpan content, bool states_size) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, states_size);
    std::vector<uint8_t> packed(ZSTD_compressBound(content.size()));
    packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), content.data(), content.size()));
    ZSTD_freeCCtx(context);
    return packed;
  };
  const auto content = std::vector<uint8_t>(1000, 'x');
  auto with_size = frame(content, true), longer = with_size, shorter = with_size, enormous = with_size;
  // Single segment, two bytes of content size (less 256) behind magic and descriptor.
  ASSERT_EQ(with_size[4] & 0xE0, 0x60);
  StoreLittle(1001 - 256, 2, &longer[5]);
  StoreLittle(999 - 256, 2, &shorter[5]);
  enormous[4] |= 0xC0;  // eight bytes of content size: a terabyte
  enormous.insert(enormous.begin() + 7, 6, 0);
  StoreLittle(uint64_t(1) << 40, 8, &enormous[5]);
  const std::vector<std::vector<uint8_t>> frames = {with_size,
                                                    frame(content, false),
                                                    longer,
                                                    shorter,
                                                    enormous,
                                                    frame({}, true),
                                                    {'n', 'o', ' ', 'f', 'r', 'a', 'm', 'e'}};
  PiecesFile file = BuildPieces(Codec::kRawPieces, frames);
  file.bytes[EntryOf(file.bytes, SectionId::kPassages) + 2] = uint8_t(Codec::kZstdPieces);
  Opened opened(Resealed(file.bytes));
  for (size_t i = 0; i < frames.size(); ++i) {
    const auto piece = opened.container.Piece(*opened.section, file.places[i].offset, file.places[i].length);
    EXPECT_EQ(piece.code(), i ? ErrorCode::kCorrupt : ErrorCode::kOk) << i;
  }
}

TEST(Pieces, AreReadFromSegmentsThatCameOneByOne) {
  for (Codec codec : kPieceCodecs) {
    const PiecesFile file = ThreePieces(codec);
    for (uint64_t cut : {1u, 5u, 60u}) {
      Container container(file.bytes.size());
      const uint64_t end = file.bytes.size() - Opened(file.bytes).section->stored_size;
      const auto supply = [&](uint64_t from, uint64_t to) {
        ASSERT_TRUE(container.Supply(from, Copy(ByteSpan(file.bytes).subspan(from, to - from))).ok());
      };
      supply(0, end + cut);
      ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
      const SectionInfo& section = *container.Find(SectionId::kPassages);
      EXPECT_FALSE(container.Holds(section));
      container.BeginCall();
      EXPECT_EQ(container.Piece(section, 0, file.places[0].length).code(), ErrorCode::kNeedsBytes);
      EXPECT_EQ(container.Piece(section, file.places[2].offset, file.places[2].length).code(), ErrorCode::kNeedsBytes);
      const auto needs = container.TakeNeeds();
      ASSERT_EQ(needs.size(), 2u);
      EXPECT_EQ(needs[0].offset, section.offset + cut) << "what is there is not asked for again";
      EXPECT_EQ(needs[0].length, file.places[0].length - cut);
      EXPECT_EQ(needs[1].offset, section.offset + file.places[2].offset);
      supply(end + cut, file.bytes.size());
      EXPECT_TRUE(container.Holds(section));
      for (int again = 0; again < 2; ++again) {
        container.BeginCall();
        const auto piece = container.Piece(section, 0, file.places[0].length);
        ASSERT_TRUE(piece.ok()) << piece.error().message;
        EXPECT_EQ(Copy(*piece), file.contents[0]);
      }
    }
  }
}

TEST(Pieces, AskForTheirDictionaryInTheSameRound) {
  const PiecesFile file = ThreePieces(Codec::kZstdDictionaryPieces);
  const uint64_t body = kHeaderBytes + LoadU32(&file.bytes[32]) + 8 + 8 * 3;
  Container container(file.bytes.size());
  ASSERT_TRUE(container.Supply(0, Copy(ByteSpan(file.bytes).first(body))).ok());
  ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
  const SectionInfo& section = *container.Find(SectionId::kPassages);
  container.BeginCall();
  EXPECT_EQ(container.Piece(section, 0, file.places[0].length).code(), ErrorCode::kNeedsBytes);
  const auto needs = container.TakeNeeds();
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs[0].offset, container.Find(SectionId::kDictionary)->offset);
  for (const MissingRange& need : needs) {
    ASSERT_TRUE(container.Supply(need.offset, Copy(ByteSpan(file.bytes).subspan(need.offset, need.length))).ok());
  }
  container.BeginCall();
  EXPECT_EQ(Copy(*container.Piece(section, 0, file.places[0].length)), file.contents[0]);
}

TEST(Pieces, SurviveATightCache) {
  std::vector<std::vector<uint8_t>> contents;
  for (uint32_t i = 0; i < 40; ++i) contents.push_back(Noise(2000, i));
  const PiecesFile file = BuildPieces(Codec::kZstdPieces, contents);
  Opened opened(file.bytes, 5000);
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < contents.size(); ++i) {
      if (i % 7 == 0) opened.container.BeginCall();
      ASSERT_EQ(Copy(*opened.container.Piece(*opened.section, file.places[i].offset, file.places[i].length)),
                contents[i]);
    }
  }
}

TEST(Pieces, EveryFlippedByteIsNoticed) {
  const PiecesFile file = BuildPieces(Codec::kZstdDictionaryPieces, {Noise(200, 1), Noise(90, 2)});
  for (size_t at = 0; at < file.bytes.size(); ++at) {
    auto copy = file.bytes;
    copy[at] ^= 0x10;
    Container container(copy.size());
    ASSERT_TRUE(container.Supply(0, std::move(copy)).ok());
    if (!container.Open(ContainerKind::kBundle).ok()) continue;
    ASSERT_FALSE(container.VerifyBlocks().ok()) << "byte " << at << " was flipped unnoticed";
  }
}

TEST(Pieces, EntriesThatContradictThemselvesAreRefused) {
  const PiecesFile file = ThreePieces(Codec::kZstdPieces);
  const size_t entry = EntryOf(file.bytes, SectionId::kPassages);
  const auto with = [&](size_t at, uint64_t value, int width) {
    auto copy = file.bytes;
    StoreLittle(value, width, &copy[entry + at]);
    Container container(copy.size());
    EXPECT_TRUE(container.Supply(0, Resealed(std::move(copy))).ok());
    const Status opened = container.Open(ContainerKind::kBundle);
    return opened.ok() ? container.VerifyBlocks().code() : opened.code();
  };
  const uint64_t offset = LoadU64(&file.bytes[entry + 16]), stored = LoadU64(&file.bytes[entry + 24]);
  EXPECT_EQ(with(2, uint8_t(Codec::kRawPieces), 1), ErrorCode::kOk);  // the codec says nothing of places
  EXPECT_EQ(with(2, 6, 1), ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(with(4, kMaxPieceBytes, 4), ErrorCode::kOk);
  EXPECT_EQ(with(4, 2 * kMaxPieceBytes, 4), ErrorCode::kCorrupt);
  EXPECT_EQ(with(4, 128, 4), ErrorCode::kCorrupt);
  EXPECT_EQ(with(8, stored + 1, 8), ErrorCode::kCorrupt);   // raw size
  EXPECT_EQ(with(16, offset + 1, 8), ErrorCode::kCorrupt);  // past the end
  EXPECT_EQ(with(16, offset - 1, 8), ErrorCode::kCorrupt);  // over the blocks before
  EXPECT_EQ(with(32, 1, 4), ErrorCode::kCorrupt);           // block count
}

// Decoded pieces are kept by their place in the file: what one section makes of it must never be shown as another's.
TEST(Pieces, OfTwoSectionsNeverShareAPlace) {
  std::vector<SectionBuilder> sections;
  SectionBuilder terms(SectionId::kTerms, Codec::kZstdPieces, 4096, 5),
      vectors(SectionId::kVectors, Codec::kRawPieces, 4096, 5);
  terms.AddPiece(Noise(2000, 1));
  vectors.AddPiece(Noise(64, 2));
  sections.push_back(std::move(terms));
  sections.push_back(std::move(vectors));
  const auto file = BuildContainer(ContainerKind::kBundle, std::move(sections));
  ASSERT_TRUE(file.ok());
  const uint64_t first = LoadU64(&(*file)[EntryOf(*file, SectionId::kTerms) + 16]);
  const size_t place = EntryOf(*file, SectionId::kVectors) + 16;
  const uint64_t second = LoadU64(&(*file)[place]);
  for (const uint64_t offset : {second, first, first + 1, second - 1}) {
    auto copy = *file;
    StoreLittle(offset, 8, &copy[place]);
    Container container(copy.size());
    ASSERT_TRUE(container.Supply(0, Resealed(std::move(copy))).ok());
    EXPECT_EQ(container.Open(ContainerKind::kBundle).code(), offset == second ? ErrorCode::kOk : ErrorCode::kCorrupt)
        << offset;
  }
}

TEST(Pieces, OfASectionOfBlocksAreRefused) {
  // Its bytes would make a good piece: a frame and its checksum.
  const std::vector<uint8_t> noise = Noise(300, 1);
  std::vector<uint8_t> content(ZSTD_compressBound(noise.size()));
  content.resize(ZSTD_compress(content.data(), content.size(), noise.data(), noise.size(), 3));
  const uint32_t checksum = Checksum32(content);
  content.resize(content.size() + 4);
  StoreLittle(checksum, 4, &content[content.size() - 4]);
  Opened opened(TwoSections(content, Noise(100, 2)));
  const SectionInfo& blocks = *opened.container.Find(SectionId::kVectors);
  ASSERT_EQ(blocks.stored_size, content.size());
  EXPECT_EQ(opened.container.Piece(blocks, 0, content.size()).code(), ErrorCode::kCorrupt);
}

// A later writer adds what this reader has never heard of, in a form of its choice.
TEST(Pieces, OfAnUnknownSectionThatMayBeSkippedAreSkipped) {
  const PiecesFile file = ThreePieces(Codec::kZstdPieces);
  const size_t entry = EntryOf(file.bytes, SectionId::kPassages);
  for (const uint8_t codec : {uint8_t(Codec::kZstdPieces), uint8_t(200)}) {
    for (const uint8_t flags : {kSectionSkippable, uint8_t(0)}) {
      auto copy = file.bytes;
      StoreLittle(999, 2, &copy[entry]);
      copy[entry + 2] = codec;
      copy[entry + 3] = flags;
      StoreLittle(kMaxPieceBytes, 4, &copy[entry + 4]);
      Container container(copy.size());
      ASSERT_TRUE(container.Supply(0, Resealed(std::move(copy))).ok());
      const Status opened = container.Open(ContainerKind::kBundle);
      ASSERT_EQ(opened.code(), flags ? ErrorCode::kOk : ErrorCode::kUnsupportedVersion) << int(codec);
      if (!flags) continue;
      EXPECT_EQ(container.sections().size(), 2u);
      EXPECT_EQ(*container.ReadAll(*container.Find(SectionId::kManifest)), Noise(900, 5));
      EXPECT_EQ(*container.VerifyBlocks(), 3u);
    }
  }
}

// ---- where pieces belong ------------------------------------------------------------------------

TEST(Pieces, ThatChangedPlacesAreRefused) {
  for (Codec codec : {Codec::kRawPieces, Codec::kZstdPieces}) {
    const PiecesFile file = BuildPieces(codec, {Noise(300, 1), Noise(300, 1), Noise(300, 1)});
    ASSERT_EQ(file.places[0].length, file.places[1].length);
    const size_t at = size_t(Opened(file.bytes).section->offset), length = size_t(file.places[0].length);
    auto swapped = file.bytes;
    std::swap_ranges(swapped.begin() + ptrdiff_t(at), swapped.begin() + ptrdiff_t(at + length),
                     swapped.begin() + ptrdiff_t(at + length));
    Opened opened(swapped);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(opened.container.Piece(*opened.section, file.places[i].offset, length).code(),
                i < 2 ? ErrorCode::kChecksumMismatch : ErrorCode::kOk)
          << i << ": even where the contents are the same";
    }
  }
}

// What a reader by range holds when the file is replaced between two requests by one of the same shape.
TEST(Pieces, OfAnotherFileAreRefusedThoughAllLengthsAreAlike) {
  for (const bool same_pieces : {false, true}) {
    const auto build = [&](uint32_t seed) {
      SectionBuilder pieces(SectionId::kPassages, Codec::kRawPieces, 4096, 5);
      pieces.AddPiece(Noise(300, 1));
      pieces.AddPiece(Noise(300, same_pieces ? 2 : seed));
      std::vector<SectionBuilder> sections;
      sections.push_back(std::move(pieces));
      sections.emplace_back(SectionId::kManifest, Codec::kRaw, 512, 5).Append(Noise(200, same_pieces ? seed : 2));
      return *BuildContainer(ContainerKind::kBundle, std::move(sections));
    };
    const auto first = build(7), second = build(8);
    ASSERT_EQ(first.size(), second.size());
    const size_t at = size_t(Opened(first).section->offset);
    auto mixed = first;
    std::copy(second.begin() + ptrdiff_t(at), second.end(), mixed.begin() + ptrdiff_t(at));
    Opened opened(mixed), sound(second);
    for (const uint64_t offset : {0u, 304u}) {
      EXPECT_EQ(opened.container.Piece(*opened.section, offset, 304).code(), ErrorCode::kChecksumMismatch) << offset;
      EXPECT_TRUE(sound.container.Piece(*sound.section, offset, 304).ok());
    }
  }
}

// ---- one rule each ------------------------------------------------------------------------------

ErrorCode Open(std::vector<uint8_t> bytes) {
  Container container(bytes.size());
  EXPECT_TRUE(container.Supply(0, std::move(bytes)).ok());
  return container.Open(ContainerKind::kBundle).code();
}

TEST(Sections, FollowOneAnotherWithoutGapsInTheOrderOfTheDirectory) {
  const PiecesFile file = ThreePieces(Codec::kZstdPieces);
  const auto with = [&](const std::function<void(std::vector<uint8_t>*)>& edit) {
    auto copy = file.bytes;
    edit(&copy);
    StoreLittle(copy.size(), 8, &copy[16]);
    return Open(Resealed(std::move(copy)));
  };
  const size_t manifest = EntryOf(file.bytes, SectionId::kManifest),
               passages = EntryOf(file.bytes, SectionId::kPassages);
  EXPECT_EQ(with([](auto*) {}), ErrorCode::kOk);
  // A byte before them, between them, behind them, and one short.
  const size_t body = kHeaderBytes + LoadU32(&file.bytes[32]) + 8 + 8 * 3;
  EXPECT_EQ(with([&](auto* b) {
              b->insert(b->begin() + ptrdiff_t(body), 0);
              for (size_t at = kHeaderBytes; at < kHeaderBytes + 3 * kSectionEntryBytes; at += kSectionEntryBytes)
                StoreLittle(LoadU64(&(*b)[at + 16]) + 1, 8, &(*b)[at + 16]);
            }),
            ErrorCode::kCorrupt);
  EXPECT_EQ(with([&](auto* b) {
              const uint64_t at = LoadU64(&(*b)[passages + 16]);
              b->insert(b->begin() + ptrdiff_t(at), 0);
              StoreLittle(at + 1, 8, &(*b)[passages + 16]);
            }),
            ErrorCode::kCorrupt);
  EXPECT_EQ(with([](auto* b) { b->push_back(0); }), ErrorCode::kCorrupt);
  EXPECT_EQ(with([&](auto* b) { StoreLittle(LoadU64(&(*b)[manifest + 24]) - 1, 8, &(*b)[manifest + 24]); }),
            ErrorCode::kCorrupt);
  // Pieces before blocks.
  EXPECT_EQ(with([&](auto* b) {
              const size_t first = kHeaderBytes;
              std::swap_ranges(b->begin() + ptrdiff_t(first), b->begin() + ptrdiff_t(first + kSectionEntryBytes),
                               b->begin() + ptrdiff_t(passages));
            }),
            ErrorCode::kCorrupt);
}

// Without blocks it has pieces, whatever its codec: a reader of today knows so of codecs that come.
TEST(Sections, OfUnknownCodecsHaveBlocksOrPiecesAsTheirBlockCountSays) {
  for (const SectionId id : {SectionId::kManifest, SectionId::kPassages}) {
    for (const uint8_t flags : {kSectionSkippable, uint8_t(0)}) {
      auto copy = ThreePieces(Codec::kZstdPieces).bytes;
      const size_t entry = EntryOf(copy, id);
      copy[entry + 2] = 6;
      copy[entry + 3] = flags;
      StoreLittle(3, 4, &copy[entry + 4]);  // its block size and raw size may mean something else
      StoreLittle(~uint64_t(0), 8, &copy[entry + 8]);
      Container container(copy.size());
      ASSERT_TRUE(container.Supply(0, Resealed(std::move(copy))).ok());
      const Status opened = container.Open(ContainerKind::kBundle);
      ASSERT_EQ(opened.code(), flags ? ErrorCode::kOk : ErrorCode::kUnsupportedVersion);
      if (flags) EXPECT_TRUE(container.VerifyBlocks().ok());
    }
  }
}

TEST(Sections, WithoutBytesAreRefused) {
  auto copy = TwoSections(Noise(100, 1), Noise(100, 2));
  const size_t entry = EntryOf(copy, SectionId::kManifest);
  copy[entry + 2] = uint8_t(Codec::kZstdPieces);
  for (const size_t field : {8u, 24u}) StoreLittle(0, 8, &copy[entry + field]);
  StoreLittle(0, 4, &copy[entry + 32]);
  EXPECT_EQ(Open(Resealed(copy)), ErrorCode::kCorrupt);
}

TEST(Frames, HaveNoOptionalFieldsAndStandAlone) {
  const auto content = Noise(400, 4);
  const auto frame = [&](ZSTD_cParameter parameter, int value) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, parameter, value);
    std::vector<uint8_t> packed(ZSTD_compressBound(content.size()));
    packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), content.data(), content.size()));
    ZSTD_freeCCtx(context);
    return packed;
  };
  const auto plain = frame(ZSTD_c_checksumFlag, 0);
  auto with_id = plain, with_skippable = plain, skippable_first = plain;
  with_id[4] |= 1;  // an id of one byte follows
  with_id.insert(with_id.begin() + 5, 0);
  const std::vector<uint8_t> skippable = {0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9};
  with_skippable.insert(with_skippable.end(), skippable.begin(), skippable.end());
  skippable_first.insert(skippable_first.begin(), skippable.begin(), skippable.end());
  auto two = plain;
  const auto empty = [] {
    std::vector<uint8_t> packed(64);
    packed.resize(ZSTD_compress(packed.data(), packed.size(), nullptr, 0, 1));
    return packed;
  }();
  two.insert(two.end(), empty.begin(), empty.end());
  const std::vector<std::vector<uint8_t>> frames = {
      plain, frame(ZSTD_c_checksumFlag, 1), with_id, with_skippable, skippable_first, two};
  for (size_t i = 0; i < frames.size(); ++i) {
    std::vector<SectionBuilder> sections;
    SectionBuilder pieces(SectionId::kPassages, Codec::kRawPieces, 4096, 1);
    const uint64_t length = pieces.AddPiece(frames[i]);
    sections.push_back(std::move(pieces));
    sections.emplace_back(SectionId::kManifest, Codec::kRaw, 512, 1).Append(frames[i]);
    auto file = *BuildContainer(ContainerKind::kBundle, std::move(sections));
    file[EntryOf(file, SectionId::kPassages) + 2] = uint8_t(Codec::kZstdPieces);
    const size_t entry = EntryOf(file, SectionId::kManifest);
    file[entry + 2] = uint8_t(Codec::kZstd);
    StoreLittle(content.size(), 8, &file[entry + 8]);
    Opened opened(Resealed(file));
    const ErrorCode expected = i == 0 ? ErrorCode::kOk : ErrorCode::kCorrupt;
    EXPECT_EQ(opened.container.Piece(*opened.section, 0, length).code(), expected) << i;
    EXPECT_EQ(opened.container.ReadAll(SectionId::kManifest).code(), expected) << i;
  }
}

// ---- what bytes may cost --------------------------------------------------------------------------

TEST(Costs, ASectionThatWouldDecodeToMoreThanItMayIsRefusedBeforeAnythingIsRead) {
  const auto built = [](SectionId id, size_t raw) {
    std::vector<SectionBuilder> sections;
    sections.emplace_back(id, Codec::kZstd, kMaxBlockBytes, 1).Append(std::vector<uint8_t>(raw, ' '));
    return BuildContainer(ContainerKind::kBundle, std::move(sections));
  };
  for (const auto& [id, most] :
       {std::pair(SectionId::kManifest, size_t(64) << 10), std::pair(SectionId::kSettings, size_t(64) << 10),
        std::pair(SectionId::kDictionary, size_t(1) << 20)}) {
    EXPECT_EQ(built(id, most + 1).code(), ErrorCode::kTooLarge) << "the writer says so first";
    auto file = *built(id, most);
    EXPECT_EQ(Open(file), ErrorCode::kOk);
    const size_t entry = EntryOf(file, id);
    StoreLittle(most + 1, 8, &file[entry + 8]);
    StoreLittle(kMaxBlockBytes, 4, &file[entry + 4]);
    if (most == kMaxBlockBytes) StoreLittle(2, 4, &file[entry + 32]);
    EXPECT_EQ(Open(Resealed(file)), ErrorCode::kCorrupt) << SectionName(id);
  }
}

TEST(Costs, NoSectionDecodesToMoreThanAQuarterMebibyteAndSixtyFourTimesItsBytes) {
  std::vector<SectionBuilder> sections;
  sections.emplace_back(SectionId::kUrlIndex, Codec::kZstd, kMaxBlockBytes, 19)
      .Append(std::vector<uint8_t>(5 << 20, 0));
  const auto file = *BuildContainer(ContainerKind::kBundle, std::move(sections));
  EXPECT_GT(file.size(), size_t(4 << 20) / 64) << "the writer stores blocks as they are rather than be refused";
  Opened opened(file);
  EXPECT_EQ(*opened.container.ReadAll(SectionId::kUrlIndex), std::vector<uint8_t>(5 << 20, 0));
  auto claims = file;
  const size_t entry = EntryOf(claims, SectionId::kUrlIndex);
  const uint64_t most = kFreeRawBytes + kMostRatio * LoadU64(&claims[entry + 24]);
  for (const uint64_t raw : {most, most + 1}) {
    StoreLittle(raw, 8, &claims[entry + 8]);
    StoreLittle((raw + kMaxBlockBytes - 1) / kMaxBlockBytes, 4, &claims[entry + 32]);
    const ErrorCode code = Open(Resealed(claims));
    if (raw > most) EXPECT_EQ(code, ErrorCode::kCorrupt);
  }
}

TEST(Costs, APieceDecodesToSixtyFourTimesItsBytesAtMost) {
  const std::vector<uint8_t> zeros(300'000, 0);
  // The writer stores it as it is, in a frame that any reader of zstd reads.
  const PiecesFile file = BuildPieces(Codec::kZstdPieces, {zeros}, kMaxPieceBytes);
  EXPECT_GT(file.places[0].length, zeros.size());
  EXPECT_LT(file.places[0].length, zeros.size() + 32);
  Opened sound(file.bytes);
  EXPECT_EQ(Copy(*sound.container.Piece(*sound.section, 0, file.places[0].length)), zeros);
  // A bomb is refused by what it says of itself.
  std::vector<uint8_t> bomb(ZSTD_compressBound(zeros.size()));
  bomb.resize(ZSTD_compress(bomb.data(), bomb.size(), zeros.data(), zeros.size(), 19));
  PiecesFile hostile = BuildPieces(Codec::kRawPieces, {bomb}, kMaxPieceBytes);
  hostile.bytes[EntryOf(hostile.bytes, SectionId::kPassages) + 2] = uint8_t(Codec::kZstdPieces);
  Opened opened(Resealed(hostile.bytes));
  EXPECT_EQ(opened.container.Piece(*opened.section, 0, hostile.places[0].length).code(), ErrorCode::kCorrupt);
}

// Vectors of a million passages, beyond what a section of blocks may hold; the directory says so, no byte is needed.
TEST(Costs, ASectionOfPiecesMayBeLargerThanAnyOfBlocks) {
  std::vector<SectionBuilder> sections;
  SectionBuilder pieces(SectionId::kVectors, Codec::kRawPieces, kMaxPieceBytes, 1);
  pieces.AddPiece(Noise(100, 1));
  sections.push_back(std::move(pieces));
  auto file = *BuildContainer(ContainerKind::kBundle, std::move(sections));
  const size_t entry = EntryOf(file, SectionId::kVectors);
  const uint64_t size = uint64_t(1'000'000) * 4096;
  StoreLittle(size, 8, &file[entry + 8]);
  StoreLittle(size, 8, &file[entry + 24]);
  const uint64_t whole = LoadU64(&file[entry + 16]) + size;
  StoreLittle(whole, 8, &file[16]);
  file = Resealed(file);
  Container container(whole);
  ASSERT_TRUE(container.Supply(0, {file.begin(), file.begin() + ptrdiff_t(LoadU64(&file[entry + 16]))}).ok());
  EXPECT_TRUE(container.Open(ContainerKind::kBundle).ok());
}

TEST(ByteStore, KeepsTheFirstOfOverlappingRangesAndViewsAcrossSegments) {
  ByteStore store(10);
  ASSERT_TRUE(store.Supply(2, {2, 3, 4}).ok());
  ASSERT_TRUE(store.Supply(6, {6, 7}).ok());
  std::vector<uint8_t> scratch;
  EXPECT_FALSE(store.View(2, 4, &scratch));
  ASSERT_TRUE(store.Supply(0, {0, 1, 9, 9, 9, 5, 9, 9, 8, 9}).ok());
  const auto view = store.View(0, 10, &scratch);
  ASSERT_TRUE(view);
  for (uint8_t i = 0; i < 10; ++i) EXPECT_EQ((*view)[i], i);
  EXPECT_EQ(store.Supply(9, {1, 2}).code(), ErrorCode::kInvalidArgument);
  EXPECT_FALSE(store.View(9, 2, &scratch));
}

}  // namespace container_test
}  // namespace sheaf
