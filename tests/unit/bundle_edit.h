// A bundle or table taken apart, changed and written anew with every checksum right: what a hostile or a newer packer
// could make of it.
#ifndef SHEAF_TESTS_UNIT_BUNDLE_EDIT_H_
#define SHEAF_TESTS_UNIT_BUNDLE_EDIT_H_

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "bundle/container_builder.h"
#include "bundle/settings.h"
#include "tests/fuzz/edited_bundle.h"
#include "tests/unit/sealed.h"
#include "tests/unit/support.h"

namespace sheaf::test {

class BundleEdit {
 public:
  using Bytes = std::vector<uint8_t>;

  explicit BundleEdit(const Bytes& file, ContainerKind kind = ContainerKind::kBundle)
      : kind_(kind), parts_(fuzz::TakeApart(file, kind)) {}

  // Content of a section of blocks.
  Bytes& Section(SectionId id) { return Find(id).contents[0]; }
  // Contents of a section of pieces.
  std::vector<Bytes>& Pieces(SectionId id) { return Find(id).contents; }
  SectionInfo& Info(SectionId id) { return Find(id).info; }
  void Drop(SectionId id) {
    std::erase_if(parts_.parts, [&](const fuzz::Parts::Part& part) { return part.info.id == id; });
  }
  // A new section of blocks, first in the file or after the other blocks.
  void Add(SectionId id, Bytes content, bool first = false) {
    SectionInfo info;
    info.id = id;
    info.codec = Codec::kZstd;
    info.block_size = 4096;
    parts_.parts.insert(first ? parts_.parts.begin() : parts_.parts.end(), {info, {std::move(content)}});
  }
  // Stored lengths in the indexes follow the pieces, which must be as many as before.
  Bytes Build() {
    std::map<SectionId, SectionBuilder> built;
    const auto builder = [&](const fuzz::Parts::Part& part) {
      return SectionBuilder(part.info.id, part.info.codec, part.info.block_size, 19,
                            parts_.dictionary.empty() ? nullptr : &parts_.dictionary);
    };
    for (const fuzz::Parts::Part& part : parts_.parts) {
      if (!HasPieces(part.info.codec)) continue;
      SectionBuilder section = builder(part);
      std::vector<uint32_t> lengths;
      for (const Bytes& piece : part.contents) lengths.push_back(uint32_t(section.AddPiece(piece)));
      const SectionId index = fuzz::IndexOf(part.info.id);
      if (index != part.info.id && !keep_indexes)
        Section(index) = fuzz::WithLengths(part.info.id, kind_, Section(index), lengths);
      built.emplace(part.info.id, std::move(section));
    }
    std::vector<SectionBuilder> sections;
    for (const fuzz::Parts::Part& part : parts_.parts) {
      if (HasPieces(part.info.codec)) {
        sections.push_back(std::move(built.at(part.info.id)));
      } else {
        sections.push_back(builder(part));
        sections.back().Append(part.contents[0]);
      }
    }
    auto bytes = BuildContainer(kind_, std::move(sections));
    EXPECT_TRUE(bytes.ok()) << bytes.error().message;
    return bytes.ok() ? std::move(*bytes) : Bytes();
  }

  bool keep_indexes = false;  // they are part of the edit

 private:
  fuzz::Parts::Part& Find(SectionId id) {
    for (fuzz::Parts::Part& part : parts_.parts) {
      if (part.info.id == id) return part;
    }
    ADD_FAILURE() << "no section " << SectionName(id);
    return parts_.parts[0];
  }

  ContainerKind kind_;
  fuzz::Parts parts_;
};

inline std::vector<uint8_t> WithSettings(const std::function<void(Settings*)>& edit) {
  BundleEdit bundle(SampleBundle());
  auto settings = ReadSettings(bundle.Section(SectionId::kSettings));
  EXPECT_TRUE(settings.ok());
  edit(&*settings);
  bundle.Section(SectionId::kSettings) = WriteSettings(*settings);
  return bundle.Build();
}

inline std::vector<uint8_t> TableOfQueryVersion(uint16_t version) {
  BundleEdit table(TableBytes(), ContainerKind::kEncoderTable);
  StoreLittle(version, 2, &table.Section(SectionId::kSettings)[9]);
  return table.Build();
}

// The bundle with whatever a later writer may add under the same version.
inline constexpr auto kUnheard = SectionId(777);

inline std::vector<uint8_t> WithAdditions(const std::vector<uint8_t>& bundle) {
  BundleEdit later(bundle);
  later.Add(kUnheard, std::vector<uint8_t>(9000, 7), true);  // a section of three blocks, first of all
  auto& settings = later.Section(SectionId::kSettings);
  settings.push_back(0);  // the document encoder, which writers of today leave out when it is 0
  settings.insert(settings.end(), {1, 2, 3});
  auto& index = later.Section(SectionId::kTermIndex);
  index.insert(index.end(), 100, 9);
  std::vector<uint8_t> bytes = later.Build();
  const size_t entry = EntryOf(bytes, kUnheard);
  bytes[entry + 2] = 41;  // in a codec of its own
  bytes[entry + 3] = kSectionSkippable;
  StoreLittle(3, 4, &bytes[entry + 4]);
  StoreLittle(0xFEEDFACE, 4, &bytes[12]);  // unused
  return Resealed(std::move(bytes));
}

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_UNIT_BUNDLE_EDIT_H_
