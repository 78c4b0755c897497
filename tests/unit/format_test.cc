// docs/format.md, rule by rule, on whole bundles and tables: what readers notice, refuse, do without and ignore.
#include <gtest/gtest.h>

#include <functional>

#include "bundle/settings.h"
#include "search/bundle_view.h"
#include "tests/unit/bundle_edit.h"
#include "tests/unit/support.h"

namespace sheaf {
namespace format_test {

using Bytes = std::vector<uint8_t>;
using test::BundleEdit, test::EntryOf, test::Resealed, test::StoreLittle, test::WholeEngine;

Query Of(Mode mode, std::string text = "cached answers") {
  Query query;
  query.text = std::move(text);
  query.mode = mode;
  return query;
}

ErrorCode CodeOf(Engine* engine, const Query& query) {
  auto outcome = engine->Search(query);
  return outcome.error() ? outcome.error()->code : outcome.needs() ? ErrorCode::kNeedsBytes : ErrorCode::kOk;
}
ErrorCode CodeOf(const Bytes& bundle, const Query& query) {
  Engine engine = WholeEngine(bundle);
  return CodeOf(&engine, query);
}

template <typename T>
std::string MessageOf(Outcome<T> outcome) {
  return outcome.error() ? outcome.error()->message : "no error";
}

Bytes Edited(const std::function<void(BundleEdit*)>& edit, Bytes file = test::SampleBundle()) {
  BundleEdit bundle(file);
  edit(&bundle);
  return bundle.Build();
}

using test::TableOfQueryVersion, test::WithSettings;

// ---- pieces know where they belong ------------------------------------------------------------------

// Of as many rows, so that nothing but their checksums tells one from another.
Bytes ManyPartitions(uint32_t seed) {
  std::vector<PageInput> pages;
  for (uint32_t i = 0; i < 1024; ++i) {
    const char* const words[] = {"cache", "response", "jobs", "effect", "table"};
    pages.push_back(test::MakePageInput("Page " + std::to_string(1000 + i), "p" + std::to_string(1000 + i) + ".md",
                                        {{{}, "", std::string("About ") + words[(i + seed) % 5], ""}}));
  }
  BuildOptions options = test::SampleOptions();
  options.vector_bits = 8;
  test::LoadedEncoder encoder(test::TableBytes());
  return test::Build(std::move(pages), options, &*encoder.encoder);
}

TEST(Format, TwoPiecesThatChangedPlacesAreNoticedWhenTheyAreSearched) {
  const Bytes sound = ManyPartitions(0);
  const size_t entry = EntryOf(sound, SectionId::kVectors);
  const uint64_t offset = LoadU64(&sound[entry + 16]), size = LoadU64(&sound[entry + 24]);
  ASSERT_EQ(CodeOf(sound, Of(Mode::kSemantic)), ErrorCode::kOk);
  // Two neighbours of one length: both have as many members.
  BundleView view(sound.size());
  ASSERT_TRUE(view.container().Supply(0, sound).ok());
  ASSERT_TRUE(view.Open().ok());
  const std::vector<Bytes> pieces =
      fuzz::PiecesOf(&view.container(), *view.container().Find(SectionId::kVectors), sound);
  uint64_t at = offset, length = 0;
  for (size_t i = 0; i + 1 < pieces.size(); ++i) {
    if (pieces[i].size() == pieces[i + 1].size() && pieces[i] != pieces[i + 1]) {
      length = pieces[i].size() + kPieceChecksumBytes;
      break;
    }
    at += pieces[i].size() + kPieceChecksumBytes;
  }
  ASSERT_GT(length, 0u) << "no two partitions of one size among " << pieces.size();
  ASSERT_LE(at + 2 * length, offset + size);
  Bytes swapped = sound;
  std::swap_ranges(swapped.begin() + ptrdiff_t(at), swapped.begin() + ptrdiff_t(at + length),
                   swapped.begin() + ptrdiff_t(at + length));
  EXPECT_EQ(CodeOf(swapped, Of(Mode::kSemantic)), ErrorCode::kChecksumMismatch);
}

// As if the file had been replaced between two requests.
TEST(Format, PiecesOfAnotherBundleOfTheSameShapeAreNoticedWhenTheyAreSearched) {
  const Bytes first = test::SampleBundle();
  BuildOptions other = test::SampleOptions();
  other.library = "woodpill";  // one byte, in settings and manifest
  const Bytes second = test::SampleBundle(other);
  for (const SectionId id : {SectionId::kTerms, SectionId::kVectors, SectionId::kPassages}) {
    const size_t entry = EntryOf(first, id);
    ASSERT_EQ(LoadU64(&first[entry + 24]), LoadU64(&second[EntryOf(second, id) + 24]));
    const auto from = [&](const Bytes& file) { return ptrdiff_t(LoadU64(&file[EntryOf(file, id) + 16])); };
    Bytes mixed = first;
    std::copy_n(second.begin() + from(second), LoadU64(&first[entry + 24]), mixed.begin() + from(mixed));
    EXPECT_EQ(CodeOf(mixed, Of(Mode::kHybrid)), ErrorCode::kChecksumMismatch) << SectionName(id);
  }
}

// ---- what made the words, and the vectors ----------------------------------------------------------

TEST(Format, WordsOfAnUnknownAnalysisAreNotSearchedButPagesAndMeaningAre) {
  const std::vector<std::function<void(Settings*)>> strange = {
      [](Settings* s) { s->language = "zz"; },    [](Settings* s) { s->language = "en-GB"; },
      [](Settings* s) { s->language = ""; },      [](Settings* s) { s->tokenizer = 2; },
      [](Settings* s) { s->stemmer = 0; },        [](Settings* s) { s->stemmer = 2; },
      [](Settings* s) { s->tokenizer = 0xFFFF; }, [](Settings* s) { s->language = "zz", s->stemmer = 0; }};
  for (const auto& edit : strange) {
    const Bytes bundle = WithSettings(edit);
    Engine engine = WholeEngine(bundle);
    ASSERT_TRUE(engine.Open().value());
    EXPECT_EQ(CodeOf(&engine, Of(Mode::kKeyword)), ErrorCode::kUnknownAnalysis);
    EXPECT_EQ(CodeOf(&engine, Of(Mode::kHybrid)), ErrorCode::kUnknownAnalysis);
    EXPECT_EQ(CodeOf(&engine, Of(Mode::kHybrid, "")), ErrorCode::kOk) << "no words, as when pages are counted";
    auto by_meaning = engine.Search(Of(Mode::kSemantic));
    ASSERT_TRUE(by_meaning.value()) << MessageOf(std::move(by_meaning));
    EXPECT_EQ(test::FirstSource(*by_meaning.value()), "guide/caching.md");
    EXPECT_TRUE(engine.GetPage(0).value());
    EXPECT_TRUE(engine.FindPage("guide/caching.md").value());
    EXPECT_TRUE(engine.Verify().value());
  }
  Engine engine = WholeEngine(WithSettings([](Settings* s) {
    s->language = "de";
    s->tokenizer = 3;
    s->stemmer = 7;
  }));
  EXPECT_EQ(MessageOf(engine.Search(Of(Mode::kKeyword))),
            "the words of woodpile are of language 'de', tokenizer 3, stemmer 7; this reader lacks them: "
            "update Sheaf, pack again, or search by meaning");
}

TEST(Format, EachLanguageNamesItselfItsTokenizerAndItsStemmer) {
  const auto settings = [](Language language) {
    BuildOptions options = test::SampleOptions();
    options.language = language;
    return *ReadSettings(BundleEdit(test::SampleBundle(options)).Section(SectionId::kSettings));
  };
  const Settings english = settings(Language::kEnglish), none = settings(Language::kNone);
  EXPECT_EQ(english.language, "en");
  EXPECT_EQ(english.tokenizer, 1);
  EXPECT_EQ(english.stemmer, 1);
  EXPECT_EQ(none.language, "");
  EXPECT_EQ(none.tokenizer, 1);
  EXPECT_EQ(none.stemmer, 0);
}

TEST(Format, ATagTooLongForALanguageIsRefused) {
  for (const size_t length : {35u, 36u}) {
    Engine engine = WholeEngine(WithSettings([&](Settings* s) { s->language = std::string(length, 'x'); }));
    EXPECT_EQ(engine.Open().value() != nullptr, length == 35);
  }
}

TEST(Format, ATableOfAnotherQueryVersionIsRefusedByNameAndWordsAreSearchedOn) {
  for (const uint16_t version : {uint16_t(0), uint16_t(2), uint16_t(513)}) {
    Engine engine = WholeEngine(test::SampleBundle(), TableOfQueryVersion(version));
    EXPECT_EQ(MessageOf(engine.OpenEncoder()), "the encoder table 'test-16' is for query version " +
                                                   std::to_string(version) +
                                                   ", this reader knows 1; update Sheaf, or search by keyword");
    EXPECT_EQ(CodeOf(&engine, Of(Mode::kHybrid)), ErrorCode::kUnsupportedVersion);
    EXPECT_EQ(CodeOf(&engine, Of(Mode::kKeyword)), ErrorCode::kOk);
    Query with_vector = Of(Mode::kHybrid);
    with_vector.vector.assign(16, 0.5f);
    EXPECT_EQ(CodeOf(&engine, with_vector), ErrorCode::kOk) << "the table is not asked";
  }
  Engine engine = WholeEngine(test::SampleBundle(), TableOfQueryVersion(kQueryVersion));
  EXPECT_TRUE(engine.OpenEncoder().value());
}

// ---- what readers do without -------------------------------------------------------------------------

Bytes Complete() {
  BuildOptions options = test::SampleOptions();
  options.graph = GraphMode::kAlways;
  std::vector<PageInput> pages = test::SamplePages();
  pages[0].facets.filters = {{"kind", "guide"}};
  pages[0].facets.sorts = {{"date", "2026"}};
  pages[0].passages[1].symbols = {{"woodpile.cache.set", "", SymbolKind::kFunction, false, {0, 6}}};
  test::LoadedEncoder encoder(test::TableBytes());
  return test::Build(std::move(pages), options, &*encoder.encoder);
}

constexpr SectionId kOptional[] = {SectionId::kManifest, SectionId::kFacets,    SectionId::kUrlIndex,
                                   SectionId::kGraph,    SectionId::kSpellings, SectionId::kSymbols};

TEST(Format, SectionsThatAReaderCanDoWithoutSaySoAndTheOthersDoNot) {
  const Bytes bundle = Complete();
  size_t skippable = 0;
  for (uint32_t i = 0; i < LoadU32(&bundle[36]); ++i) skippable += bundle[kHeaderBytes + i * kSectionEntryBytes + 3];
  EXPECT_EQ(skippable, std::size(kOptional));
  for (const SectionId id : kOptional) EXPECT_EQ(bundle[EntryOf(bundle, id) + 3], kSectionSkippable) << SectionName(id);
}

// Left out by its writer, or in a codec that this reader does not know.
TEST(Format, ABundleWithoutAnOptionalSectionIsSoundAndSearched) {
  const Bytes whole = Complete();
  for (const SectionId id : kOptional) {
    Bytes strange = whole;
    strange[EntryOf(strange, id) + 2] = 9;
    for (const Bytes& bundle : {Edited([&](BundleEdit* b) { b->Drop(id); }, whole), Resealed(strange)}) {
      Engine engine = WholeEngine(bundle);
      const auto verified = engine.Verify();
      EXPECT_FALSE(verified.error()) << SectionName(id) << ": " << verified.error()->message;
      for (const Mode mode : {Mode::kKeyword, Mode::kSemantic, Mode::kHybrid}) {
        EXPECT_EQ(test::FirstSource(test::SearchAll(&engine, Of(mode))), "guide/caching.md") << SectionName(id);
      }
      // The price of each.
      auto info = engine.Open();
      ASSERT_TRUE(info.value());
      EXPECT_EQ(info.value()->manifest == "{}", id == SectionId::kManifest);
      EXPECT_EQ(info.value()->has_graph, id != SectionId::kGraph);
      auto page = engine.FindPage("guide/caching.md");
      EXPECT_EQ(page.error() ? page.error()->code : ErrorCode::kOk,
                id == SectionId::kUrlIndex ? ErrorCode::kNotFound : ErrorCode::kOk);
      EXPECT_EQ(test::SearchAll(&engine, Of(Mode::kKeyword, "asyncio.gahter")).corrections.empty(),
                id == SectionId::kSpellings);
      // The list of symbols follows that of spellings.
      const Answer named = test::SearchAll(&engine, Of(Mode::kKeyword, "cache.set"));
      ASSERT_FALSE(named.hits.empty());
      EXPECT_EQ(!named.hits[0].symbol, id == SectionId::kSymbols || id == SectionId::kSpellings);
      Query filtered = Of(Mode::kKeyword);
      filtered.selection = "\nkind\tguide\t\n";
      EXPECT_EQ(test::SearchAll(&engine, filtered).hits.empty(), id == SectionId::kFacets);
    }
  }
}

TEST(Format, ABundleWithoutARequiredSectionIsRefused) {
  for (const SectionId id :
       {SectionId::kSettings, SectionId::kTermIndex, SectionId::kPassageIndex, SectionId::kPassageMap,
        SectionId::kPassages, SectionId::kTerms, SectionId::kVectors, SectionId::kPartitionIndex}) {
    Engine engine = WholeEngine(Edited([&](BundleEdit* b) {
      b->keep_indexes = true;
      b->Drop(id);
    }));
    auto opened = engine.Open();
    EXPECT_TRUE(opened.error()) << SectionName(id);
    if (opened.error()) EXPECT_EQ(opened.error()->code, ErrorCode::kCorrupt) << SectionName(id);
  }
}

// ---- bytes behind the end ------------------------------------------------------------------------------

TEST(Format, BytesBehindTheEndAreIgnoredWhereTheyAreUnusedAndRefusedElsewhere) {
  const Bytes whole = Complete();
  for (const SectionId id :
       {SectionId::kSettings, SectionId::kTermIndex, SectionId::kPassageIndex, SectionId::kPassageMap,
        SectionId::kPartitionIndex, SectionId::kFacets, SectionId::kUrlIndex, SectionId::kGraph}) {
    Engine engine = WholeEngine(Edited([&](BundleEdit* b) { b->Section(id).push_back(0); }, whole));
    const bool unused = id == SectionId::kSettings || id == SectionId::kTermIndex;
    const auto verified = engine.Verify();
    ASSERT_EQ(verified.error() == nullptr, unused) << SectionName(id);
    if (!unused) EXPECT_EQ(verified.error()->code, ErrorCode::kCorrupt) << SectionName(id);
  }
  for (const SectionId id :
       {SectionId::kTerms, SectionId::kSpellings, SectionId::kSymbols, SectionId::kPassages, SectionId::kVectors}) {
    Engine engine = WholeEngine(Edited([&](BundleEdit* b) { b->Pieces(id)[0].push_back(0); }, whole));
    const auto verified = engine.Verify();
    ASSERT_TRUE(verified.error()) << SectionName(id);
    EXPECT_EQ(verified.error()->code, ErrorCode::kCorrupt) << SectionName(id);
  }
  // A table likewise.
  for (const SectionId id : {SectionId::kSettings, SectionId::kTermIndex}) {
    BundleEdit table(test::TableBytes(), ContainerKind::kEncoderTable);
    table.Section(id).push_back(0);
    Engine engine = WholeEngine(whole, table.Build());
    EXPECT_EQ(CodeOf(&engine, Of(Mode::kSemantic)), ErrorCode::kOk) << SectionName(id);
  }
  BundleEdit table(test::TableBytes(), ContainerKind::kEncoderTable);
  table.Pieces(SectionId::kTerms)[0].push_back(0);
  Engine engine = WholeEngine(whole, table.Build());
  EXPECT_EQ(CodeOf(&engine, Of(Mode::kSemantic, "answers")), ErrorCode::kCorrupt);
}

// ---- a bundle of tomorrow ------------------------------------------------------------------------------

TEST(Format, ABundleFromTheFutureIsReadWhereItsWriterSaysThatItMayBe) {
  constexpr SectionId kUnheard = test::kUnheard;
  const Bytes sound = Complete();
  const auto tomorrow = [&](const std::function<void(Bytes*)>& edit = [](Bytes*) {}) {
    Bytes bytes = test::WithAdditions(sound);
    edit(&bytes);
    return Resealed(bytes);
  };
  Engine today = WholeEngine(sound), reader = WholeEngine(tomorrow());
  const auto verified = reader.Verify();
  EXPECT_FALSE(verified.error()) << verified.error()->message;
  for (const Mode mode : {Mode::kKeyword, Mode::kSemantic, Mode::kHybrid}) {
    const Answer expected = test::SearchAll(&today, Of(mode)), got = test::SearchAll(&reader, Of(mode));
    ASSERT_EQ(expected.hits.size(), got.hits.size());
    for (size_t i = 0; i < got.hits.size(); ++i) {
      EXPECT_EQ(expected.hits[i].passage, got.hits[i].passage);
      EXPECT_EQ(expected.hits[i].score, got.hits[i].score);
    }
  }

  const auto refused = [&](const std::function<void(Bytes*)>& edit) {
    Engine engine = WholeEngine(tomorrow(edit));
    auto opened = engine.Open();
    return opened.error() ? ErrorCodeName(opened.error()->code) : "OK";
  };
  EXPECT_STREQ(refused([](Bytes*) {}), "OK");
  EXPECT_STREQ(refused([](Bytes* b) { (*b)[8] = 2; }), "UNSUPPORTED_VERSION");
  EXPECT_STREQ(refused([](Bytes* b) { (*b)[11] = 1; }), "UNSUPPORTED_VERSION");
  EXPECT_STREQ(refused([](Bytes* b) { (*b)[59] = 1; }), "UNSUPPORTED_VERSION");
  EXPECT_STREQ(refused([](Bytes* b) { (*b)[EntryOf(*b, kUnheard) + 3] = 0; }), "UNSUPPORTED_VERSION");
  EXPECT_STREQ(refused([](Bytes* b) { (*b)[EntryOf(*b, kUnheard) + 3] = 3; }), "UNSUPPORTED_VERSION");
  EXPECT_STREQ(refused([](Bytes* b) { (*b)[EntryOf(*b, SectionId::kPassages) + 2] = 6; }), "UNSUPPORTED_VERSION");
}

}  // namespace format_test
}  // namespace sheaf
