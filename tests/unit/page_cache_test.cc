#include "packer/pipeline/page_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "packer/source/source.h"
#include "tests/unit/pack_support.h"

namespace sheaf::packer {
namespace page_cache_test {

namespace fs = std::filesystem;

class PageCacheTest : public test::PackTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(PackTest::SetUp());
    for (int i = 0; i < 40; ++i)
      Write(Name(i), "# Page " + std::to_string(i) + "\n\nText about `topic_" + std::to_string(i % 7) + "`.\n");
  }

  static std::string Name(int i) { return "p" + std::to_string(i) + ".md"; }

  Packed Pack(PageCache* cache) {
    PipelineOptions options;
    options.jobs = 3;
    Packed packed = PackTest::Pack(options, "https://example.org/", nullptr, cache);
    EXPECT_FALSE(packed.bundle.empty());
    return packed;
  }
  Packed Fresh() { return Pack(nullptr); }

  static std::vector<uint64_t> Counts(const RoundChanges& changes) {
    return {changes.added, changes.changed, changes.removed, changes.prepared};
  }
};

using Four = std::vector<uint64_t>;  // added, changed, removed, prepared

TEST_F(PageCacheTest, GivesTheBytesOfAFreshPackWhateverChanged) {
  PageCache cache(UINT64_MAX);
  const auto round = [&](const char* what, const Four& expected) {
    const Packed packed = Pack(&cache);
    EXPECT_EQ(Counts(packed.changes), expected) << what;
    EXPECT_EQ(packed.bundle, Fresh().bundle) << what;
  };
  round("at first", {40, 0, 0, 40});
  round("nothing", {0, 0, 0, 0});
  fs::last_write_time(At("p3.md"), fs::file_time_type::clock::now());
  round("touched", {0, 0, 0, 0});
  Write("p3.md", "# Page 3\n\nAnother text.\n");
  round("changed", {0, 1, 0, 1});
  Write("new/a.md", "# New\n\nText.\n");
  round("added", {1, 0, 0, 1});
  fs::remove(At("p20.md"));
  round("deleted", {0, 0, 1, 0});
  fs::rename(At("p0.md"), At("zz.md"));
  round("renamed", {1, 0, 1, 1});
  Write("p1.md", "");
  round("emptied: left out", {0, 1, 0, 1});
}

TEST_F(PageCacheTest, SeesAChangeThatKeepsSizeAndTime) {
  PageCache cache(UINT64_MAX);
  const auto time = fs::last_write_time(At("p3.md"));
  Pack(&cache);
  Write("p3.md", "# Page 4\n\nText about `topic_3`.\n");  // one digit
  fs::last_write_time(At("p3.md"), time);
  const Packed packed = Pack(&cache);
  EXPECT_EQ(packed.changes.changed, 1u);
  EXPECT_EQ(packed.bundle, Fresh().bundle);
}

TEST_F(PageCacheTest, ReadsNothingOfFilesWhoseStampIsOldAndTheSame) {
  PageCache cache(UINT64_MAX);
  Pack(&cache);
  ::usleep(2'100'000);  // stamps younger than two seconds prove nothing
  Pack(&cache);
  Result<SourceList> list = FindSources({folder_}, {});
  EXPECT_TRUE(cache.IsCurrent(list->files));
  int prepared = 0;
  cache.BeginRound();
  for (const SourceFile& file : list->files) {
    SourceFile unreadable = file;  // of the same stamp, by a limit that refuses every byte
    const KeptFile kept = cache.Get(unreadable, 0, [&](std::string) -> Result<PreparedFilePtr> {
      ++prepared;
      return Error{ErrorCode::kInternal, "not to be called"};
    });
    EXPECT_FALSE(kept.problem.has_value());
    EXPECT_NE(kept.prepared, nullptr);
  }
  EXPECT_EQ(prepared, 0);
  Write("p9.md", "# Nine\n\nChanged.\n");
  EXPECT_FALSE(cache.IsCurrent(list->files));
}

TEST_F(PageCacheTest, IsNotCurrentWhenAFileIsNewGoneOrJustWritten) {
  PageCache cache(UINT64_MAX);
  Pack(&cache);
  Result<SourceList> list = FindSources({folder_}, {});
  EXPECT_FALSE(cache.IsCurrent(list->files)) << "written a moment ago";
  std::vector<SourceFile> fewer(list->files.begin(), list->files.end() - 1);
  EXPECT_FALSE(cache.IsCurrent(fewer));
  fs::rename(At("p0.md"), At("zz.md"));
  list = FindSources({folder_}, {});
  EXPECT_FALSE(cache.IsCurrent(list->files));
}

TEST_F(PageCacheTest, KeepsWhatFitsAndPreparesTheRestAgain) {
  PageCache small(40'000);
  const Packed first = Pack(&small);
  EXPECT_LT(first.changes.kept_pages, 40u);
  EXPECT_GT(first.changes.kept_pages, 0u);
  EXPECT_LE(first.changes.kept_bytes, 40'000u);
  const Packed second = Pack(&small);
  EXPECT_EQ(Counts(second.changes), (Four{0, 0, 0, 40 - first.changes.kept_pages}));
  EXPECT_EQ(second.bundle, first.bundle);
  Write("p39.md", "# Changed\n\nText.\n");
  EXPECT_EQ(Pack(&small).changes.changed, 1u);
  for (int i = 0; i < 39; ++i) fs::remove(At(Name(i)));
  Pack(&small);
  EXPECT_EQ(Pack(&small).changes.kept_pages, 1u) << "the room of pages that are gone is given to others";
  PageCache none(0);
  EXPECT_EQ(Pack(&none).changes.kept_bytes, 0u);
  EXPECT_EQ(Pack(&none).bundle, Fresh().bundle);
}

TEST_F(PageCacheTest, KeepsTheLastGoodVersionOfAPageThatCannotBeParsed) {
  const std::string good =
      R"({"cells":[{"cell_type":"markdown","metadata":{},"source":["# Note\n","\n","Good text.\n"]}],)"
      R"("metadata":{},"nbformat":4,"nbformat_minor":5})";
  Write("a.ipynb", good);
  PageCache cache(UINT64_MAX);
  const std::vector<uint8_t> with_note = Pack(&cache).bundle;
  Write("a.ipynb", "{\"cells\": [");
  const Packed broken = Pack(&cache);
  EXPECT_EQ(broken.bundle, with_note);
  EXPECT_FALSE(broken.changes.any());
  ASSERT_EQ(broken.summary.problems.size(), 1u);
  EXPECT_EQ(broken.summary.problems[0].path, "a.ipynb");
  EXPECT_TRUE(broken.summary.problems[0].packed);
  EXPECT_NE(broken.summary.problems[0].reason.find("last good version"), std::string::npos);
  Write("a.ipynb", good);
  EXPECT_TRUE(Pack(&cache).summary.problems.empty());
  fs::remove(At("a.ipynb"));
  EXPECT_EQ(Pack(&cache).changes.removed, 1u) << "what is gone is gone";
  Write("b.ipynb", "{\"cells\": [");
  const Packed unknown = Pack(&cache);
  EXPECT_EQ(unknown.changes.added, 0u);
  EXPECT_FALSE(unknown.summary.problems[0].packed) << "there is no earlier version";
}

TEST_F(PageCacheTest, AssignsAddressesAnewInEveryRound) {
  const std::string claim = "---\nurl: https://example.org/start\n---\n# P\n\nText.\n";
  Write("a.md", claim);
  Write("b.md", claim);
  PageCache cache(UINT64_MAX);
  EXPECT_EQ(Pack(&cache).bundle, Fresh().bundle);
  fs::remove(At("a.md"));  // now b has the address that both claim
  EXPECT_EQ(Pack(&cache).bundle, Fresh().bundle);
  Write("a.md", claim);
  EXPECT_EQ(Pack(&cache).bundle, Fresh().bundle);
}

}  // namespace page_cache_test
}  // namespace sheaf::packer
