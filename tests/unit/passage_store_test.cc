#include "bundle/passage_store.h"

#include <gtest/gtest.h>

#include <random>

#include "bundle/container.h"
#include "bundle/passage_store_builder.h"

namespace sheaf {
namespace passage_store_test {

using Pages = std::vector<std::vector<StoredPassage>>;

TEST(PassageStore, PiecesGrowWhereThereAreMany) {
  EXPECT_EQ(PieceStoredBytes(0), 900);
  EXPECT_EQ(PieceStoredBytes(16384), 900);
  EXPECT_EQ(PieceStoredBytes(32768), 1800);
  EXPECT_EQ(PieceStoredBytes(SIZE_MAX), 2700);
}

// Passages as a bundle holds them: a container of theirs alone.
struct BuiltStore {
  explicit BuiltStore(const Pages& pages) {
    PassageStoreBuilder builder(3);
    for (const auto& page : pages) {
      builder.Add(page);
      passages += uint32_t(page.size());
    }
    builder.Finish();
    index = builder.Index();
    dictionary = builder.dictionary();
    text_bytes = builder.text_bytes();
    std::vector<SectionBuilder> sections;
    sections.emplace_back(SectionId::kDictionary, Codec::kZstd, kMaxBlockBytes, 3).Append(dictionary);
    sections.push_back(builder.TakePieces());
    auto bytes = BuildContainer(ContainerKind::kBundle, std::move(sections));
    EXPECT_TRUE(bytes.ok());
    container = std::make_unique<Container>(bytes->size());
    EXPECT_TRUE(container->Supply(0, std::move(*bytes)).ok());
    EXPECT_TRUE(container->Open(ContainerKind::kBundle).ok());
    section = container->Find(SectionId::kPassages);
    auto opened = PassageIndex::Open(index, passages, section->stored_size);
    EXPECT_TRUE(opened.ok());
    locations = std::move(*opened);
  }
  std::vector<uint8_t> Piece(const PassageIndex::Location& at) {
    const auto piece = container->Piece(*section, at.offset, at.length);
    EXPECT_TRUE(piece.ok()) << piece.error().message;
    return {piece->begin(), piece->end()};
  }
  StoredPassage Read(uint32_t passage) {
    const PassageIndex::Location at = locations.Find(passage);
    auto read = ReadStoredPassage(Piece(at), at.count, passage - at.first);
    EXPECT_TRUE(read.ok()) << read.error().message;
    return read.ok() ? *read : StoredPassage();
  }

  uint32_t passages = 0;
  uint64_t text_bytes = 0;
  std::vector<uint8_t> index, dictionary;
  std::unique_ptr<Container> container;
  const SectionInfo* section = nullptr;
  PassageIndex locations;
};

void ExpectSame(const StoredPassage& got, const StoredPassage& expected) {
  EXPECT_EQ(got.page_begins, expected.page_begins);
  EXPECT_EQ(got.title, expected.title);
  EXPECT_EQ(got.url, expected.url);
  EXPECT_EQ(got.source, expected.source);
  EXPECT_EQ(got.place, expected.place);
  EXPECT_EQ(got.entries, expected.entries);
  EXPECT_EQ(got.headings, expected.headings);
  EXPECT_EQ(got.anchor, expected.anchor);
  EXPECT_EQ(got.first_line, expected.first_line);
  EXPECT_EQ(got.last_line, expected.last_line);
  EXPECT_EQ(got.text, expected.text);
  // Of the page, said by its first passage.
  if (expected.page_begins) {
    EXPECT_EQ(got.description, expected.description);
    EXPECT_EQ(got.last_modified, expected.last_modified);
  }
}

void ExpectAllSame(const Pages& pages) {
  BuiltStore store(pages);
  uint32_t passage = 0;
  for (const auto& page : pages) {
    for (const StoredPassage& expected : page) {
      SCOPED_TRACE(passage);
      ExpectSame(store.Read(passage++), expected);
    }
  }
}

std::string Words(std::mt19937* random, size_t bytes) {
  static const char* words[] = {"cache",  "the",    "router", "of",    "install", "a",
                                "vector", "`code`", "日本語", "query", "\n"};
  std::string text;
  while (text.size() < bytes)
    text += std::string(words[(*random)() % std::size(words)]) + std::to_string((*random)() % 50) + " ";
  return text;
}

// Pages with everything that a header can say.
Pages RandomPages(size_t count, size_t text_bytes, uint32_t seed = 1) {
  std::mt19937 random(seed);
  Pages pages;
  for (size_t p = 0; p < count; ++p) {
    std::vector<StoredPassage> page(1 + random() % 7);
    std::vector<std::string> path;
    uint32_t line = 1;
    const size_t entries = random() % 3;
    std::vector<std::string> place(p % 5);  // neighbours share some
    for (size_t level = 0; level < place.size(); ++level) place[level] = "Chapter " + std::to_string(p / 7 + level);
    for (size_t i = 0; i < page.size(); ++i) {
      StoredPassage& passage = page[i];
      passage.page_begins = i == 0;
      passage.title = "Page " + std::to_string(p) + " é";
      passage.url = "https://docs.example/p" + std::to_string(p) + ".html";
      passage.source = "p" + std::to_string(p) + ".md";
      passage.place = place;
      for (size_t e = 0; e < entries; ++e) passage.entries.emplace_back("section", "value " + std::to_string(e));
      if (i == 0 && p % 2) passage.description = "What page " + std::to_string(p) + " says";
      if (i == 0 && p % 3) passage.last_modified = "2026-01-0" + std::to_string(1 + p % 9);
      path.resize(random() % (path.size() + 1));
      while (path.size() < random() % 4) path.push_back("Heading " + std::to_string(random() % 30));
      passage.headings = path;
      if (random() % 2) passage.anchor = "a-" + std::to_string(random() % 40);
      line = random() % 9 == 0 ? 0 : random() % 9 == 1 ? line / 2 : line + random() % 20;
      passage.first_line = line;
      passage.last_line = line + random() % 30;
      passage.text = Words(&random, random() % (2 * text_bytes));
    }
    pages.push_back(std::move(page));
  }
  return pages;
}

TEST(PassageStore, GivesEveryPassageBackAsItWas) {
  ExpectAllSame(RandomPages(1, 100));
  ExpectAllSame(RandomPages(80, 800));
}

TEST(PassageStore, GivesBackWhatIsEmptyLargeOrOfExtremeLines) {
  StoredPassage bare;
  bare.page_begins = true;
  StoredPassage far = bare;
  far.page_begins = false;
  far.first_line = INT32_MAX;
  far.last_line = INT32_MAX;
  StoredPassage back = far;
  back.first_line = back.last_line = 0;
  StoredPassage deep = bare;
  for (int i = 0; i < 256; ++i) deep.headings.push_back(std::to_string(i));
  StoredPassage large = bare;
  large.text = std::string(300'000, 'x');
  large.url = std::string(70'000, 'u');
  ExpectAllSame({{bare}});
  ExpectAllSame({{bare, far, back}, {deep}, {large}, {bare}});
}

TEST(PassageStore, CutsPiecesOfAboutTheSizeThatAHitMayCost) {
  const Pages pages = RandomPages(150, 800);
  BuiltStore store(pages);
  ASSERT_GT(store.locations.pieces(), 10u);
  uint32_t next = 0;
  uint64_t end = 0, heads_and_texts = 0;
  while (next < store.passages) {
    const PassageIndex::Location at = store.locations.Find(next);
    EXPECT_EQ(at.first, next);
    EXPECT_EQ(at.offset, end);
    const size_t size = store.Piece(at).size();
    heads_and_texts += size;
    EXPECT_TRUE(size <= 20 << 10 || at.count == 1) << size;
    for (uint32_t i = 1; i < at.count; ++i) EXPECT_EQ(store.locations.Find(next + i).offset, at.offset);
    next += at.count;
    end += at.length;
  }
  EXPECT_EQ(end, store.section->stored_size);
  EXPECT_GT(heads_and_texts, store.text_bytes);
  const double mean = double(store.section->stored_size) / double(store.locations.pieces());
  EXPECT_GT(mean, 600);
  EXPECT_LT(mean, 2600) << "a piece should take about 1,300 bytes";
}

TEST(PassageStore, PassagesOfACutPageKnowTheirPageInEveryPiece) {
  Pages pages = RandomPages(1, 10);
  pages[0].resize(1);
  for (int i = 1; i < 60; ++i) {
    StoredPassage next = pages[0][0];
    next.page_begins = false;
    next.entries = {{"k", "v"}};
    std::mt19937 random{uint32_t(i)};
    next.text = Words(&random, 900);
    pages[0].push_back(next);
  }
  for (StoredPassage& passage : pages[0]) passage.entries = {{"k", "v"}};
  BuiltStore store(pages);
  ASSERT_GT(store.locations.pieces(), 3u);
  ExpectAllSame(pages);
}

TEST(PassageStore, TrainsADictionaryWhenThereIsTextEnough) {
  EXPECT_TRUE(BuiltStore(RandomPages(20, 800)).dictionary.empty());
  const Pages pages = RandomPages(120, 1200, 3);
  BuiltStore store(pages);
  ASSERT_GT(store.text_bytes, 256u << 10);
  EXPECT_FALSE(store.dictionary.empty());
  EXPECT_EQ(store.section->codec, Codec::kZstdDictionaryPieces);
  ExpectAllSame(pages);
}

TEST(PassageStore, WritesTheSameBytesForTheSamePages) {
  const Pages pages = RandomPages(40, 500);
  BuiltStore a(pages), b(pages);
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.Piece(a.locations.Find(7)), b.Piece(b.locations.Find(7)));
}

TEST(PassageStore, PiecesThatEndEarlyOrLateAreRefused) {
  BuiltStore store(RandomPages(30, 150));
  const PassageIndex::Location at = store.locations.Find(0);
  ASSERT_GT(at.count, 3u);
  const std::vector<uint8_t> piece = store.Piece(at);
  for (size_t size = 0; size < piece.size(); ++size) {
    const uint32_t index = uint32_t(size % at.count);
    ASSERT_EQ(ReadStoredPassage(ByteSpan(piece).first(size), at.count, index).code(), ErrorCode::kCorrupt) << size;
  }
  std::vector<uint8_t> longer = piece;
  longer.push_back(0);
  EXPECT_EQ(ReadStoredPassage(longer, at.count, 0).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ReadStoredPassage(piece, at.count - 1, 0).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ReadStoredPassage(piece, at.count + 1, 0).code(), ErrorCode::kCorrupt);
}

TEST(PassageStore, HeadsThatContradictThemselvesAreRefused) {
  const auto read = [](const std::vector<uint64_t>& varints, uint32_t count = 1) {
    ByteWriter w;
    for (uint64_t v : varints) w.Varint(v);
    return ReadStoredPassage(w.bytes(), count, 0).code();
  };
  // Flags, title, url, source, description, last modified, line advance, lines, bytes of text.
  EXPECT_EQ(read({1, 0, 0, 0, 0, 0, 2, 3, 0}), ErrorCode::kOk);
  EXPECT_EQ(read({2, 0, 0, 0, 2, 3, 0}), ErrorCode::kOk);
  EXPECT_EQ(read({0, 2, 3, 0}), ErrorCode::kCorrupt) << "the first of a piece names its page";
  EXPECT_EQ(read({3, 0, 0, 0, 0, 0, 2, 3, 0}), ErrorCode::kCorrupt) << "begins and continues";
  EXPECT_EQ(read({1, 0, 0, 0, 0, 0, 2, 3, 0, /**/ 2, 0, 0, 0, 2, 3, 0}, 2), ErrorCode::kCorrupt)
      << "continues within a piece";
  EXPECT_EQ(read({1, 0, 0, 0, 0, 0, 2, 3, 0, /**/ 8, 0, 2, 3, 0}, 2), ErrorCode::kCorrupt) << "entries of no page";
  EXPECT_EQ(read({65, 0, 0, 0, 0, 0, 2, 3, 0}), ErrorCode::kCorrupt) << "a flag of the future";
  EXPECT_EQ(read({33, 0, 0, 0, 0, 0, /*kept*/ 0, /*added*/ 1, 0, 2, 3, 0}), ErrorCode::kOk);
  EXPECT_EQ(read({33, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 0}), ErrorCode::kOk);
  EXPECT_EQ(read({33, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 0}), ErrorCode::kCorrupt) << "too deep";
  EXPECT_EQ(read({33, 0, 0, 0, 0, 0, /*kept*/ 1, 0, 2, 3, 0}), ErrorCode::kCorrupt) << "keeps what there is not";
  EXPECT_EQ(read({1, 0, 0, 0, 0, 0, 2, 3, 0, /**/ 32, 0, 0, 2, 3, 0}, 2), ErrorCode::kCorrupt) << "a place of no page";
  EXPECT_EQ(read({1, 0, 0, 0, 0, 0, 1, 3, 0}), ErrorCode::kCorrupt) << "line -1";
  EXPECT_EQ(read({1, 0, 0, 0, 0, 0, 2, 3, 1}), ErrorCode::kCorrupt) << "text that is not there";
  EXPECT_EQ(read({1, 0, 0, 0, 0, 0, 2, 3, UINT32_MAX}), ErrorCode::kCorrupt);
  EXPECT_EQ(read({1, 0, 0, 0, 0, 0, 2, 3, uint64_t(1) << 40}), ErrorCode::kCorrupt);
  EXPECT_EQ(read({5, 0, 0, 0, 0, 0, /*kept*/ 1, 0, 2, 3, 0}), ErrorCode::kCorrupt) << "keeps what there is not";
  EXPECT_EQ(read({5, 0, 0, 0, 0, 0, 0, /*added*/ UINT64_MAX, 2, 3, 0}), ErrorCode::kCorrupt);
  EXPECT_EQ(read({9, 0, 0, 0, 0, 0, /*entries*/ UINT64_MAX, 2, 3, 0}), ErrorCode::kCorrupt);
}

TEST(PassageStore, DamagedPiecesAreRefusedOrReadWithinBounds) {
  BuiltStore store(RandomPages(30, 150));
  const PassageIndex::Location at = store.locations.Find(0);
  const std::vector<uint8_t> piece = store.Piece(at);
  std::mt19937 random(5);
  size_t refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<uint8_t> damaged = piece;
    // Headers stand first, where damage does most.
    for (int k = 0; k < 3; ++k) damaged[random() % (round % 2 ? damaged.size() : 200)] = uint8_t(random());
    const auto read = ReadStoredPassage(damaged, at.count, random() % at.count);
    refused += !read.ok();
    if (!read.ok()) {
      ASSERT_EQ(read.code(), ErrorCode::kCorrupt);
      continue;
    }
    ASSERT_LE(read->text.size() + read->title.size() + read->url.size() + read->anchor.size(), damaged.size());
    ASSERT_LE(read->headings.size(), 256u);
    ASSERT_LE(read->first_line, read->last_line);
  }
  EXPECT_GT(refused, 500u);
}

TEST(PassageIndex, ThatDoesNotAddUpIsRefused) {
  BuiltStore store(RandomPages(60, 500));
  const uint64_t bytes = store.section->stored_size;
  for (size_t size = 0; size < store.index.size(); ++size) {
    ASSERT_EQ(PassageIndex::Open(ByteSpan(store.index).first(size), store.passages, bytes).code(), ErrorCode::kCorrupt)
        << size;
  }
  for (uint32_t passages : {0u, 1u, store.passages - 1, store.passages + 1, UINT32_MAX}) {
    EXPECT_EQ(PassageIndex::Open(store.index, passages, bytes).code(), ErrorCode::kCorrupt) << passages;
  }
  for (uint64_t size : {uint64_t(0), bytes - 1, bytes + 1, UINT64_MAX}) {
    EXPECT_EQ(PassageIndex::Open(store.index, store.passages, size).code(), ErrorCode::kCorrupt) << size;
  }
  std::mt19937 random(6);
  for (int round = 0; round < 2000; ++round) {
    std::vector<uint8_t> damaged = store.index;
    damaged[random() % damaged.size()] = uint8_t(random());
    const auto opened = PassageIndex::Open(damaged, store.passages, bytes);
    if (!opened.ok()) continue;
    for (uint32_t passage = 0; passage < store.passages; ++passage) {
      const PassageIndex::Location at = opened->Find(passage);
      ASSERT_LE(at.offset + at.length, bytes);
      ASSERT_TRUE(at.first <= passage && passage - at.first < at.count);
    }
  }
}

// Pieces without contents would let a file of a few bytes claim passages, and memory for each, without end.
TEST(PassageIndex, WithAPieceThatCannotHoldAnythingIsRefused) {
  for (uint8_t length : {0, 1, 4, 5}) {
    const std::vector<uint8_t> index = {2, 64, 64, 0, 0, 50, length, 0, 0};
    EXPECT_EQ(PassageIndex::Open(index, 128, 50 + length).code(), length > 4 ? ErrorCode::kOk : ErrorCode::kCorrupt)
        << int(length);
  }
}

// A reader walks the headers of a piece for each passage it wants, so their number is bounded.
TEST(PassageIndex, NamesAPieceOfMorePassagesThanTheFormatAllows) {
  for (uint8_t count : {uint8_t(kMaxPassagesPerPiece), uint8_t(kMaxPassagesPerPiece + 1)}) {
    const std::vector<uint8_t> index = {1, count, 0, 50, 0};
    const auto opened = PassageIndex::Open(index, count, 50);
    EXPECT_EQ(opened.ok(), count == kMaxPassagesPerPiece);
    if (opened.ok()) continue;
    EXPECT_NE(opened.error().message.find("65 passages, at most 64"), std::string::npos) << opened.error().message;
  }
}

TEST(PassageStore, ClosesAPieceAtTheMostPassages) {
  std::vector<StoredPassage> page(200);
  for (size_t i = 0; i < page.size(); ++i) page[i].text = std::to_string(i);
  page[0].page_begins = true;
  BuiltStore store({page});
  EXPECT_EQ(store.locations.pieces(), 4u);
  for (uint32_t i = 0; i < 200; ++i) EXPECT_EQ(store.Read(i).text, std::to_string(i));
}

TEST(PassageStore, KeepsTheFirstOfTooManyEntriesAndRefusesMore) {
  StoredPassage passage;
  passage.page_begins = true;
  for (uint32_t i = 0; i < kMaxPageEntries + 5; ++i) passage.entries.emplace_back("k" + std::to_string(i), "v");
  BuiltStore store({{passage}});
  EXPECT_EQ(store.Read(0).entries.size(), kMaxPageEntries);
  // v flags 9: the page begins, with entries · five empty strings · 1,025 entries
  std::vector<uint8_t> piece = {9, 0, 0, 0, 0, 0, 0x81, 0x08};
  piece.resize(piece.size() + 2 * 1025 + 3);
  EXPECT_EQ(ReadStoredPassage(piece, 1, 0).code(), ErrorCode::kCorrupt);
  piece[6] = 0x80;
  piece.resize(piece.size() - 2);
  EXPECT_TRUE(ReadStoredPassage(piece, 1, 0).ok());
}

}  // namespace passage_store_test
}  // namespace sheaf
