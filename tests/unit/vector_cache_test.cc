#include "packer/embed/vector_cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>

#include "tests/unit/embedding_support.h"
#include "tests/unit/fake_encoder.h"

namespace sheaf::packer {
namespace vector_cache_test {

class VectorCacheTest : public test::EmbeddingTest {
 protected:
  std::unique_ptr<VectorCache> Open(const std::string& identity = "model",
                                    uint64_t max_bytes = VectorCache::kMaxBytes) {
    auto cache = VectorCache::Open(At("cache"), "la/bel", identity, 16, max_bytes);
    EXPECT_TRUE(cache.ok()) << cache.error().message;
    return cache.ok() ? std::move(*cache) : nullptr;
  }
  static std::string Text(int number) { return "text " + std::to_string(number); }
  static Status Store(VectorCache* cache, int first, int count) {
    std::vector<VectorKey> keys;
    std::vector<float> rows;
    for (int i = first; i < first + count; ++i) {
      keys.push_back(KeyOfText(Text(i)));
      const std::vector<float> row = test::FakeVector(AsBytes(Text(i)), 16);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return cache->Store(keys, rows);
  }
  static bool Has(const VectorCache& cache, int number) {
    const auto vector = cache.Find(KeyOfText(Text(number)));
    if (vector) {
      EXPECT_EQ(*vector, test::FakeVector(AsBytes(Text(number)), 16));
    }
    return vector.has_value();
  }
  static constexpr size_t kRecord = 24 + 16 * 4;
};

TEST_F(VectorCacheTest, GivesBackWhatWasStoredNowAndNextTime) {
  std::string path;
  {
    const auto cache = Open();
    path = cache->path();
    EXPECT_FALSE(Has(*cache, 1));
    ASSERT_TRUE(Store(cache.get(), 0, 3).ok());
    ASSERT_TRUE(Store(cache.get(), 3, 2).ok());
    EXPECT_TRUE(Has(*cache, 1));
  }
  const auto cache = Open();
  EXPECT_EQ(cache->size(), 5u);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Has(*cache, i));
  EXPECT_FALSE(Has(*cache, 5));
  EXPECT_NE(path.find("/la_bel-"), std::string::npos) << path;
}

TEST_F(VectorCacheTest, KeepsEncodersApart) {
  const auto one = Open("model one");
  const auto other = Open("model two");
  EXPECT_NE(one->path(), other->path());
  ASSERT_TRUE(Store(one.get(), 0, 1).ok());
  EXPECT_FALSE(Has(*other, 0));
}

TEST_F(VectorCacheTest, KeysDifferInBothHalves) {
  const VectorKey a = KeyOfText("a"), b = KeyOfText("b");
  EXPECT_NE(a.first, b.first);
  EXPECT_NE(a.second, b.second);
  EXPECT_NE(a.first, a.second);
  EXPECT_EQ(a, KeyOfText("a"));
}

TEST_F(VectorCacheTest, CutsATornTailWhereverItIsTorn) {
  std::string path;
  {
    const auto cache = Open();
    path = cache->path();
    ASSERT_TRUE(Store(cache.get(), 0, 3).ok());
  }
  const auto whole = std::filesystem::file_size(path);
  for (size_t lost : {size_t(1), size_t(8), kRecord - 1, kRecord}) {
    std::filesystem::resize_file(path, whole - lost);
    const auto cache = Open();
    EXPECT_EQ(cache->size(), 2u);
    EXPECT_EQ(std::filesystem::file_size(path), whole - kRecord);
    ASSERT_TRUE(Store(cache.get(), 2, 1).ok());
    EXPECT_EQ(Open()->size(), 3u);
  }
}

TEST_F(VectorCacheTest, StopsAtTheFirstRecordThatIsDamaged) {
  std::string path;
  {
    const auto cache = Open();
    path = cache->path();
    ASSERT_TRUE(Store(cache.get(), 0, 4).ok());
  }
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-long(2 * kRecord) - 30, std::ios::end);
  file.put('!');
  file.close();
  const auto cache = Open();
  EXPECT_EQ(cache->size(), 1u);
  EXPECT_TRUE(Has(*cache, 0));
  EXPECT_FALSE(Has(*cache, 1));
}

TEST_F(VectorCacheTest, CutsATornTailThatAnotherProcessLeavesWhileItIsOpen) {
  const auto cache = Open();
  ASSERT_TRUE(Store(cache.get(), 0, 1).ok());
  std::ofstream(cache->path(), std::ios::app | std::ios::binary) << "torn";
  ASSERT_TRUE(Store(cache.get(), 1, 1).ok());
  EXPECT_TRUE(Has(*cache, 1));
  EXPECT_EQ(Open()->size(), 2u);
}

TEST_F(VectorCacheTest, StartsAnewWhenTheHeaderIsAnothers) {
  std::string path;
  {
    const auto cache = Open();
    path = cache->path();
    ASSERT_TRUE(Store(cache.get(), 0, 1).ok());
  }
  for (const std::string& content : {std::string("no cache"), std::string(5000, 'x'), std::string()}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    const auto cache = Open();
    EXPECT_EQ(cache->size(), 0u);
    ASSERT_TRUE(Store(cache.get(), 0, 1).ok());
    EXPECT_EQ(Open()->size(), 1u);
  }
}

TEST_F(VectorCacheTest, ServesTwoAtOnce) {
  const auto one = Open(), other = Open();
  ASSERT_TRUE(Store(one.get(), 0, 2).ok());
  ASSERT_TRUE(Store(other.get(), 2, 2).ok());
  ASSERT_TRUE(Store(one.get(), 4, 2).ok());
  for (int i : {0, 1, 4, 5}) EXPECT_TRUE(Has(*one, i));
  for (int i : {2, 3}) EXPECT_TRUE(Has(*other, i));
  EXPECT_EQ(Open()->size(), 6u);
}

TEST_F(VectorCacheTest, TakesAppendsOfManyProcessesWhole) {
  const auto before = Open();
  std::vector<pid_t> children;
  for (int c = 0; c < 4; ++c) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto cache = VectorCache::Open(At("cache"), "la/bel", "model", 16);
      bool good = cache.ok();
      for (int i = 0; good && i < 50; ++i) good = Store(cache->get(), c * 1000 + i * 3, 3).ok();
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto cache = Open();
  EXPECT_EQ(cache->size(), 600u);
  for (int c = 0; c < 4; ++c) EXPECT_TRUE(Has(*cache, c * 1000 + 149));
}

TEST_F(VectorCacheTest, StartsAnewBeyondItsLimit) {
  const uint64_t header = 8 + 12 + 5 + 8;
  const uint64_t limit = header + 4 * kRecord;
  const auto cache = Open("model", limit), other = Open("model", limit);
  ASSERT_TRUE(Store(cache.get(), 0, 3).ok());
  ASSERT_TRUE(Store(other.get(), 10, 1).ok());
  ASSERT_TRUE(Store(cache.get(), 3, 2).ok());
  EXPECT_FALSE(Has(*cache, 0));
  EXPECT_TRUE(Has(*cache, 3));
  EXPECT_FALSE(Has(*other, 10)) << "what lies where its record was is another's";
  EXPECT_EQ(std::filesystem::file_size(cache->path()), header + 2 * kRecord);
  EXPECT_EQ(Open("model", header + kRecord)->size(), 0u) << "a file that is too large already";
}

TEST_F(VectorCacheTest, SaysWhyAFolderCannotBeUsed) {
  Write("file", "in the way");
  const auto cache = VectorCache::Open(At("file"), "x", "model", 16);
  ASSERT_FALSE(cache.ok());
  EXPECT_NE(cache.error().message.find(At("file")), std::string::npos) << cache.error().message;
  std::filesystem::create_directories(At("cache2"));
  std::string name;
  {
    const auto named = VectorCache::Open(At("cache2"), "x", "model", 16);
    name = (*named)->path();
  }
  std::filesystem::remove(name);
  std::filesystem::create_directories(name);
  EXPECT_FALSE(VectorCache::Open(At("cache2"), "x", "model", 16).ok());
}

TEST_F(VectorCacheTest, TurnsItselfOffWhenTheDiskIsFullAndStaysWhole) {
  const auto cache = Open();
  ASSERT_TRUE(Store(cache.get(), 0, 1).ok());
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit tight = before;
  tight.rlim_cur = std::filesystem::file_size(cache->path()) + kRecord + 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const Status stored = Store(cache.get(), 1, 3);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_FALSE(stored.ok());
  EXPECT_NE(stored.error().message.find(cache->path()), std::string::npos);
  EXPECT_TRUE(Store(cache.get(), 5, 1).ok()) << "said once";
  EXPECT_FALSE(Has(*cache, 5));
  EXPECT_TRUE(Has(*cache, 0));
  EXPECT_EQ(Open()->size(), 1u);
}

}  // namespace vector_cache_test
}  // namespace sheaf::packer
