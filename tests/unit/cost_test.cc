// The most memory that bytes of a file can cost a reader: for each section, the worst that a hostile packer could make of
// it with every checksum right. docs/format.md ("What a file may cost") has the bound; it is linear in the file's size.
//
// Memory is what the sanitizer's allocator hands out, so these tests are skipped in other builds.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "base/columns.h"
#include "base/front_coding.h"
#include "bundle/settings.h"
#include "lexical/lexicon.h"
#include "lexical/postings.h"
#include "tests/unit/bundle_edit.h"
#include "tests/unit/processor_time.h"
#include "tests/unit/support.h"
#include "vector/hnsw.h"

// gcc defines the first, clang knows the second.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHEAF_COUNTS_MEMORY
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SHEAF_COUNTS_MEMORY
#endif

#if defined(SHEAF_COUNTS_MEMORY)
// As <sanitizer/allocator_interface.h> declares them, which not every compiler brings.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*));
extern "C" size_t __sanitizer_get_allocated_size(const volatile void*);
#endif

namespace sheaf {
namespace cost_test {

using Bytes = std::vector<uint8_t>;
using test::BundleEdit;

// Bytes of memory for each byte of the file, above what any file costs. A piece or section decodes to 64 times its bytes,
// and what is decoded from it takes some 30 times as much again at worst.
constexpr double kMostPerByte = 4500;
constexpr double kFree = 24 << 20;  // a few sections of a free mebibyte each, and what is made of them

std::atomic<int64_t> held{0}, peak{0};

#if defined(SHEAF_COUNTS_MEMORY)
void CountHooks() {
  static const bool installed = [] {
    return __sanitizer_install_malloc_and_free_hooks(
               [](const volatile void*, size_t size) {
                 const int64_t now = held += int64_t(size);
                 int64_t most = peak;
                 while (now > most && !peak.compare_exchange_weak(most, now)) {
                 }
               },
               [](const volatile void* p) {
                 if (p) held -= int64_t(__sanitizer_get_allocated_size(p));
               }) != 0;
  }();
  ASSERT_TRUE(installed);
}
#define COUNT_MEMORY() CountHooks()
#else
#define COUNT_MEMORY() GTEST_SKIP() << "memory is counted in sanitizer builds"
#endif

// Runs what a reader does, and compares the most memory held meanwhile with the bound. The files themselves are held
// by whoever brings them, and do not count.
void ExpectBounded(const Bytes& bundle, const std::function<void(Engine*)>& use,
                   const Bytes& table = test::TableBytes()) {
  Engine engine = test::WholeEngine(bundle, table);
  const int64_t before = held;
  peak = before;
  const double seconds = test::SecondsOf([&] { use(&engine); });
  const double used = double(peak - before), size = double(bundle.size() + table.size());
  testing::Test::RecordProperty("bytes_per_byte", int(used / size));
  testing::Test::RecordProperty("file_bytes", int(size));
  EXPECT_LT(used, kFree + kMostPerByte * size)
      << used / 1e6 << " MB for a file of " << size << " bytes: " << used / size << " a byte";
  EXPECT_LT(seconds, 20) << "of a sanitizer build";
}

const auto kUseAll = [](Engine* engine) {
  (void)engine->Open();
  for (const char* text : {"cache", "a", "cached answers expire", "cachd"}) {
    for (const Mode mode : {Mode::kKeyword, Mode::kHybrid}) {
      Query query;
      query.text = text;
      query.mode = mode;
      query.top_k = kMaxTopK;
      query.by_passage = true;
      query.facets = true;
      (void)engine->Search(query);
    }
  }
  for (uint32_t page = 0; page < 5; ++page) (void)engine->GetPage(page);
  (void)engine->FindPage("guide/caching.md");
  (void)engine->Verify();
};

Bytes Edited(const std::function<void(BundleEdit*)>& edit) {
  BundleEdit bundle(test::SampleBundle());
  edit(&bundle);
  return bundle.Build();
}

void Grow(BundleEdit* b, uint32_t passages, uint32_t pages) {
  Settings settings = *ReadSettings(b->Section(SectionId::kSettings));
  settings.passages = passages;
  settings.pages = pages;
  b->Section(SectionId::kSettings) = WriteSettings(settings);
  Bytes map((passages + 7) / 8, 0);
  for (uint32_t page = 0; page < pages; ++page) map[page / 8] |= uint8_t(1u << page % 8);
  b->Section(SectionId::kPassageMap) = map;
}

// Passages without vectors, in pieces of 64, whose content is `piece`.
void GrowPieces(BundleEdit* b, uint32_t pieces, const Bytes& piece, bool pages_everywhere) {
  const uint32_t passages = pieces * 64;
  Grow(b, passages, pages_everywhere ? passages : 1);
  Settings settings = *ReadSettings(b->Section(SectionId::kSettings));
  settings.vector_bits = 0;
  settings.dimensions = 0;
  settings.centroid.clear();
  settings.document_encoder = 0;
  b->Section(SectionId::kSettings) = WriteSettings(settings);
  b->Drop(SectionId::kVectors);
  b->Drop(SectionId::kPartitionIndex);
  b->Drop(SectionId::kUrlIndex);
  ByteWriter index;
  index.Varint(pieces);
  WriteNumbers(std::vector<uint32_t>(pieces, 64), &index);
  SectionBuilder probe(SectionId::kPassages, b->Info(SectionId::kPassages).codec, kMaxPieceBytes, 19);
  WriteNumbers(std::vector<uint32_t>(pieces, uint32_t(probe.AddPiece(piece))), &index);
  b->Section(SectionId::kPassageIndex) = index.Take();
  b->Pieces(SectionId::kPassages).assign(pieces, piece);
}

// What a hostile packer would choose: content that shrinks as much as a reader accepts, and no more. `make` mixes in noise,
// one byte in so many.
class Noise {
 public:
  explicit Noise(uint32_t every) : every_(every) {}
  uint8_t Byte(uint8_t usual, uint32_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % every_ ? usual : uint8_t((state_ >> 45) % below);
  }

 private:
  uint32_t every_;
  uint64_t state_ = 1;
};

Bytes Densest(const std::function<Bytes(Noise)>& make) {
  for (double every = 4000; every >= 1; every /= 1.3) {
    Bytes content = make(Noise(uint32_t(every)));
    SectionBuilder probe(SectionId::kTerms, Codec::kZstdPieces, kMaxPieceBytes, 19);
    if (probe.AddPiece(content) < content.size()) {
      testing::Test::RecordProperty("ratio", int(double(content.size()) / double(probe.stored_size())));
      return content;
    }
  }
  ADD_FAILURE() << "nothing shrinks";
  return {};
}

TEST(Cost, OfAManifest) {
  COUNT_MEMORY();
  for (const char* text : {"[", "{\"a\":", "[[],", " "}) {
    std::string json;
    while (json.size() + 8 < 64 << 10) json += text;
    ExpectBounded(Edited([&](BundleEdit* b) {
                    b->Section(SectionId::kManifest) = {json.begin(), json.end()};
                  }),
                  kUseAll);
  }
}

TEST(Cost, OfASectionOfZeros) {
  COUNT_MEMORY();
  for (const SectionId id : {SectionId::kTermIndex, SectionId::kPassageIndex, SectionId::kPassageMap,
                             SectionId::kPartitionIndex, SectionId::kUrlIndex}) {
    ExpectBounded(Edited([&](BundleEdit* b) {
                    b->keep_indexes = true;
                    b->Section(id) = Bytes(8 << 20, 0);
                  }),
                  kUseAll);
  }
}

// Each count of a value repeats its key.
TEST(Cost, OfFacets) {
  COUNT_MEMORY();
  ByteWriter w;
  w.Varint(31);
  for (int key = 0; key < 31; ++key) {
    w.String(std::string(64, char('a' + key)));
    w.Varint(20000);
    for (int value = 0; value < 20000; ++value) {
      w.String("");
      w.Varint(1);
      w.Varint(0);
    }
  }
  w.Varint(0);
  ExpectBounded(Edited([&](BundleEdit* b) { b->Add(SectionId::kFacets, w.bytes()); }), kUseAll);
}

TEST(Cost, OfAFacetWithALongKeyIsThatOfADamagedBundle) {
  for (const size_t length : {64u, 65u}) {
    ByteWriter w;
    w.Varint(1);
    w.String(std::string(length, 'k'));
    w.Varint(1);
    w.String("value");
    w.Varint(1);
    w.Varint(0);
    w.Varint(0);
    Engine engine = test::WholeEngine(Edited([&](BundleEdit* b) { b->Add(SectionId::kFacets, w.bytes()); }));
    Query query = test::Keyword("cache");
    query.facets = true;
    EXPECT_EQ(engine.Search(query).value() != nullptr, length == 64);
  }
}

// Forms of three bytes that share a long stem.
TEST(Cost, OfATermLeaf) {
  COUNT_MEMORY();
  const Bytes leaf = Densest([](Noise noise) {
    ByteWriter w;
    const uint32_t groups = 2000, forms = 60;
    w.Varint(0);
    w.Varint(groups);
    std::string previous;
    for (uint32_t g = 0; g < groups; ++g) {
      std::string stem(64, 'a');
      for (size_t i = 0, n = g; i < 4; ++i, n /= 26) stem[63 - i] = char('a' + n % 26);
      WriteFrontCodedString(previous, stem, &w);
      previous = stem;
      w.Varint(forms);
      for (uint32_t form = 0; form < forms; ++form) {
        w.U8(2);
        w.U8(noise.Byte(0, 9));
        w.U8(0);
      }
    }
    return w.Take();
  });
  ExpectBounded(Edited([&](BundleEdit* b) { b->Pieces(SectionId::kTerms) = {leaf}; }), kUseAll);
}

TEST(Cost, OfPostingLists) {
  COUNT_MEMORY();
  // Each form has a list of all passages.
  Bytes piece;
  {
    ByteWriter w;
    w.Varint(2);
    for (int i = 0; i < 5; ++i) w.String("");
    for (int i = 0; i < 64; ++i) {
      if (i) w.Varint(0);
      w.Varint(0);
      w.Varint(0);
      w.Varint(0);
    }
    piece = w.Take();
    piece.erase(piece.begin() + 4, piece.begin() + 6);  // no description or date: the page began elsewhere
  }
  const uint32_t pieces = 200, passages = pieces * 64, forms = 150;
  const Bytes leaf = Densest([&](Noise noise) {
    ByteWriter lists;
    size_t list = 0;
    for (uint32_t form = 0; form < forms; ++form) {
      for (uint32_t left = passages; left > 0;) {
        const uint32_t n = std::min(left, 128u);
        lists.U8(0);
        lists.U8(1 << 5);
        for (uint32_t i = 0; i < (n + 7) / 8; ++i) lists.U8(noise.Byte(0, 256));
        left -= n;
      }
      if (form == 0) list = lists.size();
    }
    ByteWriter w;
    w.Varint(lists.size());
    w.Varint(1);
    WriteFrontCodedString("", "cach", &w);
    w.Varint(forms);
    for (uint32_t form = 0; form < forms; ++form) {
      w.U8(3 << 2);
      w.U8('e');
      w.U8(uint8_t('a' + form / 26));
      w.U8(uint8_t('a' + form % 26));
      w.Varint(passages);
      w.Varint(list);
    }
    w.Bytes(lists.bytes());
    return w.Take();
  });
  ExpectBounded(Edited([&](BundleEdit* b) {
                  GrowPieces(b, pieces, piece, false);
                  b->Pieces(SectionId::kTerms) = {leaf};
                }),
                kUseAll);
}

TEST(Cost, OfAPostingWithoutABitIsThatOfADamagedBundle) {
  std::vector<Posting> postings;
  const Bytes list = {0, 0};  // 128 postings in two bytes
  EXPECT_EQ(DecodePostings(list, 9, 128, &postings).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(DecodePostings(list, 128, 128, &postings).code(), ErrorCode::kCorrupt);
}

// A path of many levels, inherited by every passage of the piece.
TEST(Cost, OfPathsThatPassagesInherit) {
  COUNT_MEMORY();
  const Bytes piece = Densest([](Noise noise) {
    ByteWriter w;
    w.Varint(1 | 4);
    for (int i = 0; i < 5; ++i) w.String("");
    w.Varint(0);
    w.Varint(256);
    for (int level = 0; level < 256; ++level) {
      std::string name(1500, 'a');
      for (char& c : name) c = char(noise.Byte('a', 127));
      w.String(name);
    }
    for (int i = 0; i < 64; ++i) {
      if (i) w.Varint(0);
      for (int field = 0; field < 3; ++field) w.Varint(0);
    }
    return w.Take();
  });
  ExpectBounded(Edited([&](BundleEdit* b) { GrowPieces(b, 1, piece, false); }), kUseAll);
}

// The fewest bytes that a passage can take.
TEST(Cost, OfPassagesWithoutBytes) {
  COUNT_MEMORY();
  ExpectBounded(Edited([&](BundleEdit* b) {
                  b->Info(SectionId::kPassages).codec = Codec::kRawPieces;
                  GrowPieces(b, 20'000, {0}, true);
                }),
                kUseAll);
}

TEST(Cost, OfSpellings) {
  COUNT_MEMORY();
  ByteWriter w;
  const uint32_t words = 16384;
  w.Varint(words);
  std::string previous;
  for (uint32_t i = 0; i < words; ++i) {
    std::string word(32, 'a');
    for (size_t d = 0, n = i; d < 4; ++d, n /= 26) word[31 - d] = char('a' + n % 26);
    WriteFrontCodedString(previous, word, &w);
    previous = word;
  }
  for (uint32_t i = 0; i < words; ++i) w.U8(0);
  BundleEdit bundle(test::SampleBundle());
  ByteReader index(bundle.Section(SectionId::kTermIndex));
  ASSERT_TRUE(Lexicon::Open(&index, bundle.Info(SectionId::kTerms).stored_size).ok());
  SectionBuilder probe(SectionId::kSpellings, Codec::kZstdPieces, kMaxPieceBytes, 19);
  ByteWriter tail;
  tail.Bytes(ByteSpan(bundle.Section(SectionId::kTermIndex)).first(index.position()));
  tail.Varint(1);
  tail.String(std::string(32, 'a'));
  tail.Varint(probe.AddPiece(w.bytes()));
  bundle.Section(SectionId::kTermIndex) = tail.Take();
  bundle.Pieces(SectionId::kSpellings) = {w.bytes()};
  ExpectBounded(bundle.Build(), kUseAll);
}

// Separators of full length, two bytes each, for leaves that claim to be there.
TEST(Cost, OfSeparators) {
  COUNT_MEMORY();
  const uint32_t leaves = 50'000;
  std::vector<std::string> separators(1);
  for (uint32_t i = 1; i < leaves; ++i) {
    std::string text(64, 'a');
    for (size_t d = 0, n = i; d < 4; ++d, n /= 26) text[63 - d] = char('a' + n % 26);
    separators.push_back(text);
  }
  std::sort(separators.begin(), separators.end());
  ByteWriter w;
  w.Varint(leaves);
  WriteSeparators(separators, &w);
  WriteNumbers(std::vector<uint32_t>(leaves, 5), &w);
  w.Varint(0);
  ExpectBounded(Edited([&](BundleEdit* b) {
                  b->keep_indexes = true;
                  b->Drop(SectionId::kSpellings);
                  b->Section(SectionId::kTermIndex) = w.bytes();
                  b->Info(SectionId::kTerms).codec = Codec::kRawPieces;
                  b->Pieces(SectionId::kTerms).assign(leaves, {0});
                }),
                kUseAll);
}

TEST(Cost, OfLeavesWithoutBytesIsThatOfADamagedBundle) {
  ByteWriter w;
  w.Varint(2);
  WriteSeparators({"", "b"}, &w);
  WriteNumbers({0, 5}, &w);
  ByteReader index(w.bytes());
  EXPECT_EQ(Lexicon::Open(&index, 5).code(), ErrorCode::kCorrupt);
}

TEST(Cost, OfAGraph) {
  COUNT_MEMORY();
  ByteWriter w;
  for (const uint32_t v : {kHnswMagic, 9u, 16u, 1024u, 1024u, 0u, 0u, 0u}) w.U32(v);
  for (uint32_t i = 0; i < 9 * 1024; ++i) w.U32(kHnswFiller);
  ExpectBounded(Edited([&](BundleEdit* b) { b->Add(SectionId::kGraph, w.bytes()); }), kUseAll);
  // One of another number of nodes is refused, however many it claims.
  Engine engine = test::WholeEngine(Edited([&](BundleEdit* b) {
    Bytes claims(8 << 20, 0xff);
    for (int i = 0; i < 4; ++i) claims[size_t(i)] = w.bytes()[size_t(i)];
    b->Add(SectionId::kGraph, claims);
  }));
  EXPECT_TRUE(engine.Verify().error());
}

TEST(Cost, OfALeafOfWordsInATable) {
  COUNT_MEMORY();
  // As many words as the index may claim, of a piece that holds ten.
  BundleEdit table(test::TableBytes(), ContainerKind::kEncoderTable);
  ByteReader r(table.Section(SectionId::kTermIndex));
  const size_t leaves = size_t(r.Varint());
  std::vector<std::string> separators;
  std::vector<uint32_t> counts, lengths;
  ASSERT_TRUE(ReadSeparators(&r, leaves, 255, &separators) && ReadNumbers(&r, leaves, &counts) &&
              ReadNumbers(&r, leaves, &lengths));
  uint32_t words = 0;
  counts[0] = kMaxPieceBytes / 20;
  for (const uint32_t count : counts) words += count;
  ByteWriter w;
  w.Varint(leaves);
  WriteSeparators(separators, &w);
  WriteNumbers(counts, &w);
  WriteNumbers(lengths, &w);
  table.Section(SectionId::kTermIndex) = w.Take();
  test::StoreLittle(words, 4, &table.Section(SectionId::kSettings)[5]);
  table.keep_indexes = true;
  const Bytes bundle = test::SampleBundle();
  ExpectBounded(bundle, kUseAll, table.Build());
  Engine engine = test::WholeEngine(bundle, table.Build());
  EXPECT_EQ(engine.Embed("cache").error()->code, ErrorCode::kCorrupt);
}

}  // namespace cost_test
}  // namespace sheaf
