#include "bundle/container.h"

#include <gtest/gtest.h>

#include <random>

#include "base/checksum.h"
#include "bundle/container_builder.h"

namespace sheaf {
namespace {

std::vector<uint8_t> Noise(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& b : bytes) b = uint8_t(random() % 7);
  return bytes;
}

std::vector<uint8_t> TwoSections(const std::vector<uint8_t>& raw, const std::vector<uint8_t>& packed) {
  std::vector<SectionBuilder> sections;
  sections.emplace_back(SectionId::kVectors, Codec::kRaw, 512, 5).Append(raw);
  sections.emplace_back(SectionId::kText, Codec::kZstd, 1024, 5).Append(packed);
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
    ASSERT_TRUE(container.Read(*container.Find(SectionId::kText), offset, length, &out).ok());
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
      ASSERT_TRUE(container.Supply(r.offset, {file.begin() + ptrdiff_t(r.offset), file.begin() + ptrdiff_t(r.offset + r.length)}).ok());
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
  const SectionInfo& text = *container.Find(SectionId::kText);
  EXPECT_EQ(container.Read(text, 4999, 2, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(container.Read(text, UINT64_MAX, 2, &out).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(container.Block(text, 99).code(), ErrorCode::kCorrupt);
}

TEST(Container, RefusesForeignTruncatedNewerAndReservedFilesByName) {
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
  EXPECT_EQ(open(resealed(50, 1)), ErrorCode::kUnsupportedVersion);
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

TEST(Container, CrossesBlockMapPages) {
  // More than 255 blocks need more than one page of the map.
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

}  // namespace
}  // namespace sheaf
