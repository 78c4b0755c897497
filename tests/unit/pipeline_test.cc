#include "packer/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "packer/pipeline/ordered_work.h"
#include "packer/source/source.h"
#include "search/engine.h"
#include "tests/unit/pack_support.h"

namespace sheaf::packer {
namespace pipeline_test {

namespace fs = std::filesystem;

// ---- ordered parallel work -------------------------------------------------------------------

TEST(RunOrdered, CommitsInOrderHoweverWorkersFinish) {
  OrderedOptions options;
  options.jobs = 4;
  std::vector<size_t> committed;
  RunOrdered<size_t>(
      100, options, [](size_t) { return 1; },
      [](size_t i, unsigned) {
        std::this_thread::sleep_for(std::chrono::microseconds((i * 7919) % 500));
        return i * i;
      },
      [&](size_t i, size_t square) {
        EXPECT_EQ(square, i * i);
        committed.push_back(i);
        return true;
      },
      [] {});
  ASSERT_EQ(committed.size(), 100u);
  EXPECT_TRUE(std::is_sorted(committed.begin(), committed.end()));
}

TEST(RunOrdered, DoesNothingWithNothing) {
  RunOrdered<int>(
      0, {}, [](size_t) { return 1; }, [](size_t, unsigned) { return 0; },
      [](size_t, int) -> bool {
        ADD_FAILURE();
        return true;
      },
      [] {});
}

TEST(RunOrdered, GivesEveryWorkerANumberOfItsOwn) {
  OrderedOptions options;
  options.jobs = 3;
  std::mutex mutex;
  std::set<unsigned> seen;
  std::array<std::atomic<int>, 3> busy{};
  RunOrdered<int>(
      200, options, [](size_t) { return 1; },
      [&](size_t, unsigned worker) {
        EXPECT_LT(worker, 3u);
        EXPECT_EQ(busy[worker].fetch_add(1), 0);  // never two at a time
        std::this_thread::yield();
        busy[worker].fetch_sub(1);
        std::lock_guard lock(mutex);
        seen.insert(worker);
        return 0;
      },
      [](size_t, int) { return true; }, [] {});
  EXPECT_GE(seen.size(), 1u);
}

TEST(RunOrdered, KeepsTheCostInFlightWithinTheBudget) {
  OrderedOptions options;
  options.jobs = 8;
  options.budget = 10;
  std::mutex mutex;
  uint64_t in_flight = 0, most = 0;
  const auto cost = [](size_t i) { return uint64_t(1 + i % 4); };
  RunOrdered<int>(
      300, options, cost,
      [&](size_t i, unsigned) {
        {
          std::lock_guard lock(mutex);
          in_flight += cost(i);
          most = std::max(most, in_flight);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        return 0;
      },
      [&](size_t i, int) {
        std::lock_guard lock(mutex);
        in_flight -= cost(i);
        return true;
      },
      [] {});
  EXPECT_LE(most, 10u);
  EXPECT_GE(most, 4u);
}

TEST(RunOrdered, LetsOneItemBeyondTheBudgetThroughAlone) {
  OrderedOptions options;
  options.jobs = 4;
  options.budget = 10;
  std::atomic<int> working{0};
  size_t committed = 0;
  RunOrdered<int>(
      20, options, [](size_t i) { return i % 5 == 2 ? 1000 : 3; },
      [&](size_t i, unsigned) {
        const int others = working.fetch_add(1);
        if (i % 5 == 2) {
          EXPECT_EQ(others, 0);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        working.fetch_sub(1);
        return 0;
      },
      [&](size_t, int) {
        ++committed;
        return true;
      },
      [] {});
  EXPECT_EQ(committed, 20u);
}

TEST(RunOrdered, StopsWhenACommitSaysSo) {
  OrderedOptions options;
  options.jobs = 4;
  options.budget = 8;
  std::atomic<size_t> worked{0};
  size_t committed = 0;
  RunOrdered<int>(
      1000, options, [](size_t) { return 1; }, [&](size_t, unsigned) { return int(++worked); },
      [&](size_t i, int) {
        ++committed;
        return i < 4;
      },
      [] {});
  EXPECT_EQ(committed, 5u);
  EXPECT_LE(worked, 5u + 8u);
}

TEST(RunOrdered, WorksOnTheCallingThreadWithoutJobs) {
  OrderedOptions options;
  options.jobs = 0;
  std::vector<size_t> order;
  const std::thread::id here = std::this_thread::get_id();
  RunOrdered<size_t>(
      5, options, [](size_t) { return 1; },
      [&](size_t i, unsigned worker) {
        EXPECT_EQ(worker, 0u);
        EXPECT_EQ(std::this_thread::get_id(), here);
        order.push_back(i);
        return i;
      },
      [&](size_t i, size_t) {
        order.push_back(i);
        return i < 3;
      },
      [] {});
  EXPECT_EQ(order, (std::vector<size_t>{0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(RunOrdered, CallsIdleWhileItWaits) {
  int idle = 0;
  RunOrdered<int>(
      1, {}, [](size_t) { return 1; },
      [](size_t, unsigned) {
        std::this_thread::sleep_for(std::chrono::milliseconds(350));
        return 0;
      },
      [](size_t, int) { return true; }, [&] { ++idle; });
  EXPECT_GE(idle, 1);
}

TEST(RunOrdered, GivesWorkersAStackForDeepRecursion) {
  RunOrdered<int>(
      1, {}, [](size_t) { return 1; },
      [](size_t, unsigned) {
        volatile char deep[size_t(6) << 20];
        deep[0] = 1;
        deep[sizeof deep - 1] = 1;
        return int(deep[0]);
      },
      [](size_t, int) { return true; }, [] {});
}

TEST(Memory, PlansWithinWhatIsGiven) {
  const MemoryPlan plan = PlanMemory(uint64_t(512) << 20);
  EXPECT_EQ(plan.in_flight + plan.postings + plan.builder.adding, uint64_t(512) << 20);
  EXPECT_EQ(plan.builder.finishing, uint64_t(512) << 20);
  EXPECT_EQ(plan.kept, 0u);
  const MemoryPlan with_cache = PlanMemory(uint64_t(512) << 20, /*with_cache=*/true);
  EXPECT_EQ(with_cache.in_flight + with_cache.postings + with_cache.builder.adding + with_cache.kept, uint64_t(512)
                                                                                                          << 20);
  EXPECT_EQ(with_cache.builder.finishing + with_cache.kept, uint64_t(512) << 20);
  // Room for the text that waits for the dictionary, however little is given.
  EXPECT_EQ(PlanMemory(uint64_t(16) << 20).builder.adding, uint64_t(64) << 20);
  EXPECT_GE(CostOfFile(0), 1u);
  EXPECT_GT(CostOfFile(1 << 20), uint64_t(1) << 20);
  EXPECT_LE(CostOfFile(UINT64_MAX), UINT64_MAX / 2);
}

// ---- pages ----------------------------------------------------------------------------------

class PipelineTest : public test::PackTest {
 protected:
  Packed Pack(const PipelineOptions& options = {}, const std::string& base_url = "",
              const SourceList* given = nullptr) {
    return PackTest::Pack(options, base_url, given, nullptr);
  }

  // The pages of a bundle as the core reads them back.
  static std::vector<Page> Pages(const std::vector<uint8_t>& bundle) {
    Engine engine;
    EXPECT_TRUE(engine.SetSource(kBundleSource, bundle.size()).ok());
    EXPECT_TRUE(engine.Supply(kBundleSource, 0, bundle).ok());
    auto info = engine.Open();
    EXPECT_NE(info.value(), nullptr);
    std::vector<Page> pages;
    for (uint32_t id = 0; info.value() != nullptr && id < info.value()->pages; ++id) {
      auto page = engine.GetPage(id);
      EXPECT_NE(page.value(), nullptr);
      if (page.value() != nullptr) pages.push_back(std::move(*page.value()));
    }
    return pages;
  }

  // Sources of the pages that hold the words, best first.
  static std::vector<std::string> Found(const std::vector<uint8_t>& bundle, const std::string& words) {
    Engine engine;
    EXPECT_TRUE(engine.SetSource(kBundleSource, bundle.size()).ok());
    EXPECT_TRUE(engine.Supply(kBundleSource, 0, bundle).ok());
    Query query;
    query.text = words;
    auto answer = engine.Search(query);
    EXPECT_NE(answer.value(), nullptr);
    std::vector<std::string> sources;
    if (answer.value() != nullptr) {
      for (const Hit& hit : answer.value()->hits) sources.push_back(hit.source);
    }
    return sources;
  }
};

TEST_F(PipelineTest, PacksEveryFileInPathOrder) {
  Write("b.md", "# Bee\n\nText of b.\n");
  Write("a.txt", "Text of a.\n");
  Write("c/index.html", "<html><body><h1>Sea</h1><p>Text of c.</p></body></html>");
  const Packed packed = Pack({}, "https://example.org/");
  EXPECT_EQ(packed.summary.pages, 3u);
  EXPECT_TRUE(packed.summary.problems.empty());
  const std::vector<Page> pages = Pages(packed.bundle);
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0].source, "a.txt");
  EXPECT_EQ(pages[1].source, "b.md");
  EXPECT_EQ(pages[1].title, "Bee");
  EXPECT_EQ(pages[1].url, "https://example.org/b.html");
  EXPECT_EQ(pages[2].source, "c/index.html");
  EXPECT_EQ(pages[2].url, "https://example.org/c/");
}

TEST_F(PipelineTest, GivesTheSameBytesForAnyNumberOfJobsAndAnyMemory) {
  for (int i = 0; i < 60; ++i) {
    std::string text = "# Page " + std::to_string(i) + "\n\n";
    for (int j = 0; j < (i * 37) % 50; ++j)
      text += "Paragraph " + std::to_string(j) + " about `topic_" + std::to_string(i % 7) + "`.\n\n";
    Write("p" + std::to_string(i) + ".md", text);
  }
  PipelineOptions one, none, many, tight;
  none.jobs = 0;
  many.jobs = 8;
  tight.jobs = 3;
  tight.memory = 1;
  const std::vector<uint8_t> expected = Pack(one).bundle;
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(Pack(none).bundle, expected);
  EXPECT_EQ(Pack(many).bundle, expected);
  EXPECT_EQ(Pack(tight).bundle, expected);
}

TEST_F(PipelineTest, NamesFilesThatFailAndPacksTheRest) {
  Write("a.md", "# A\n\nText.\n");
  Write("b.ipynb", "this is no notebook");
  Write("c.md", "# C\n\nText.\n");
  Write("d.md", std::string(5000, 'x'));
  Result<SourceList> list = FindSources({folder_}, {});
  fs::remove(fs::path(folder_) / "c.md");  // vanishes between listing and reading
  PipelineOptions options;
  options.max_file_size = 4000;
  const Packed packed = Pack(options, "", &*list);
  EXPECT_EQ(packed.summary.pages, 1u);
  ASSERT_EQ(packed.summary.problems.size(), 3u);
  EXPECT_EQ(packed.summary.problems[0].path, "b.ipynb");
  EXPECT_EQ(packed.summary.problems[1].path, "c.md");
  EXPECT_NE(packed.summary.problems[1].reason.find("no longer there"), std::string::npos);
  EXPECT_EQ(packed.summary.problems[2].path, "d.md");
  EXPECT_NE(packed.summary.problems[2].reason.find("too large"), std::string::npos);
  EXPECT_EQ(packed.reported.size(), 3u);
  EXPECT_FALSE(packed.summary.fatal.has_value());
}

TEST_F(PipelineTest, StopsAtTheFirstFailureWhenStrict) {
  Write("a.ipynb", "this is no notebook");
  Write("b.md", "# B\n\nText.\n");
  PipelineOptions options;
  options.strict = true;
  const Packed packed = Pack(options);
  ASSERT_TRUE(packed.summary.fatal.has_value());
  EXPECT_NE(packed.summary.fatal->message.find("a.ipynb"), std::string::npos);
  EXPECT_EQ(packed.summary.problems.size(), 1u);
}

TEST_F(PipelineTest, LeavesFilesWithoutTextOutWithANote) {
  Write("a.md", "");
  Write("b.html", "<html><body><nav>x</nav></body></html>");
  Write("c.md", "# C\n\nText.\n");
  const Packed packed = Pack();
  EXPECT_EQ(packed.summary.pages, 1u);
  EXPECT_TRUE(packed.summary.problems.empty());
  EXPECT_EQ(packed.summary.notes.size(), 2u);
}

TEST_F(PipelineTest, TakesAReadmeWithoutExtensionAsMarkdown) {
  Write("README", "# The title\n\nText.\n");
  Write("README.bin", std::string("\0\1\2\0\0\0", 6) + std::string(1000, '\0'));
  const Packed packed = Pack();
  EXPECT_EQ(packed.summary.pages, 1u);
  EXPECT_TRUE(packed.summary.problems.empty());
  EXPECT_EQ(packed.summary.notes.size(), 1u);
  EXPECT_EQ(Pages(packed.bundle)[0].title, "The title");
  EXPECT_EQ(Pages(packed.bundle)[0].source, "README");
}

TEST_F(PipelineTest, SaysWhenAFileIsNotUtf8) {
  Write("a.md", "# Caf\xE9\n\nText.\n");
  const Packed packed = Pack();
  EXPECT_EQ(packed.summary.pages, 1u);
  ASSERT_EQ(packed.summary.notes.size(), 1u);
  EXPECT_EQ(packed.summary.notes[0].path, "a.md");
}

TEST_F(PipelineTest, BelievesAPagesOwnAddress) {
  Write("a.md", "---\nurl: https://other.org/x\n---\n# A\n\nText.\n");
  Write("b.md", "---\nurl: /start/\n---\n# B\n\nText.\n");
  Write("c.md", "---\nurl: 'javascript:alert(1)'\n---\n# C\n\nText.\n");
  const std::vector<Page> pages = Pages(Pack({}, "https://example.org/docs/").bundle);
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(pages[0].url, "https://other.org/x");
  EXPECT_EQ(pages[1].url, "https://example.org/start/");
  EXPECT_EQ(pages[2].url, "https://example.org/docs/c.html");
}

TEST_F(PipelineTest, GivesPagesThatAllClaimOneAddressTheirOwn) {
  for (int i = 0; i < 20; ++i) {
    Write("p" + std::to_string(i) + ".md", "---\nurl: https://example.org/\n---\n# P\n\nText.\n");
  }
  PipelineOptions options;
  options.jobs = 4;
  const Packed packed = Pack(options, "https://example.org/docs/");
  std::set<std::string> urls;
  for (const Page& page : Pages(packed.bundle)) urls.insert(page.url);
  EXPECT_EQ(urls.size(), 20u);
  EXPECT_TRUE(urls.contains("https://example.org/"));
  EXPECT_TRUE(urls.contains("https://example.org/docs/p19.html"));
  EXPECT_EQ(Pack({}, "https://example.org/docs/").bundle, packed.bundle);
}

TEST_F(PipelineTest, NotesPagesThatShareAnAddress) {
  Write("a.html", "<h1>A</h1><p>Text.</p>");
  Write("a.md", "# A\n\nText.\n");
  const Packed packed = Pack({}, "https://example.org/");
  EXPECT_EQ(packed.summary.pages, 2u);
  ASSERT_EQ(packed.summary.notes.size(), 1u);
  EXPECT_EQ(packed.summary.notes[0].path, "a.md");
}

TEST_F(PipelineTest, AnIndexComesBehindWhatItPointsToAndIsStillFound) {
  std::string index = "<h1>Index</h1><ul>";
  for (const char* word : {"bed", "case", "ems", "folio", "forme", "fount", "galley", "pica", "quad", "sort", "zinc"}) {
    index += std::string("<li><a href=b.html>") + word + "</a></li>";
  }
  Write("a.html", index + "</ul>");
  Write(
      "b.html",
      "<h1>Units</h1><p>The pica, once a book of church rules and then the size of type that printed it, is a sixth of "
      "an inch: compositors measure lines in it, pressmen margins, and both of them count twelve points to one.");
  const std::vector<uint8_t> bundle = Pack().bundle;
  EXPECT_EQ(Found(bundle, "pica"), (std::vector<std::string>{"b.html", "a.html"}));
  EXPECT_EQ(Found(bundle, "galley"), std::vector<std::string>{"a.html"});
  EXPECT_EQ(Found(bundle, "index"), std::vector<std::string>{"a.html"});
}

TEST(AssignUrls, LetsAReadmeMakeWayForAnIndex) {
  std::vector<SourceFile> files(4);
  files[0].relative = "README.md";
  files[1].relative = "a/README.md";
  files[2].relative = "a/index.md";
  files[3].relative = "b.md";
  const UrlMapper urls = *UrlMapper::Create("https://e.org/", UrlStyle::kDefault);
  EXPECT_EQ(AssignUrls(files, urls), (std::vector<std::string>{"https://e.org/", "https://e.org/a/README.html",
                                                               "https://e.org/a/", "https://e.org/b.html"}));
}

}  // namespace pipeline_test
}  // namespace sheaf::packer
