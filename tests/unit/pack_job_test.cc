#include "packer/job/pack_job.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "packer/source/source.h"
#include "tests/unit/job_support.h"

namespace sheaf::packer {
namespace pack_job_test {

class PackJobTest : public test::JobTest {
 protected:
  // An observer that calls the run off when `when` holds of what it was told last.
  PackObserver Until(std::function<bool(const ProgressState&)> when) {
    PackObserver observer;
    observer.progress = [this, when = std::move(when)](const ProgressState& state) {
      last_ = state;
      reached_ = reached_ || when(state);
    };
    observer.cancelled = [this] { return reached_; };
    return observer;
  }
  // Expects that a run with `options`, called off when `when` holds, leaves an older bundle and nothing else.
  void ExpectNothingLeft(const PackOptions& options, std::function<bool(const ProgressState&)> when) {
    Write("out/l@1.sheaf", "an older bundle");
    reached_ = false;
    const PackReport report = Pack(options, Until(std::move(when)));
    ASSERT_TRUE(reached_) << "the run never came there; it ended in " << last_.stage << " " << last_.detail;
    ASSERT_TRUE(report.error);
    EXPECT_EQ(report.error->code, ErrorCode::kAborted);
    EXPECT_EQ(report.error->message, "packing was aborted; nothing was written");
    EXPECT_EQ(Read("out/l@1.sheaf"), "an older bundle");
    EXPECT_EQ(FilesIn("out"), std::set<std::string>{"l@1.sheaf"});
  }

  ProgressState last_;
  bool reached_ = false;
};

TEST_F(PackJobTest, WritesABundleAndReportsIt) {
  WriteDocs(3);
  Write("docs/empty.md", "");
  std::vector<std::string> remarks;
  PackObserver observer;
  observer.remark = [&](const Remark& remark, bool is_problem) {
    EXPECT_FALSE(is_problem);
    remarks.push_back(remark.path);
  };
  const PackReport report = Pack(Options(), std::move(observer));
  ASSERT_FALSE(report.error) << report.error->message;
  EXPECT_EQ(report.output, At("out/l@1.sheaf"));
  EXPECT_EQ(report.files, 4u);
  EXPECT_EQ(report.pages, 3u);
  EXPECT_EQ(report.bundle_bytes, Read("out/l@1.sheaf").size());
  EXPECT_EQ(report.stage, PackStage::kWriting);
  EXPECT_EQ(remarks, std::vector<std::string>{"empty.md"});
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_GE(report.seconds, report.packing_seconds);
}

TEST_F(PackJobTest, GivesTheBundleInMemoryWithoutTouchingTheTarget) {
  WriteDocs(3);
  ASSERT_FALSE(Pack(Options()).error);
  Result<CheckedOptions> checked = CheckPackOptions(Options());
  ASSERT_TRUE(checked.ok());
  BundleTarget nowhere;
  nowhere.scratch_folder = At("out");
  auto job = PackJob::Open(std::move(*checked), Host(), std::move(nowhere), {});
  ASSERT_TRUE(job.ok());
  const Packed packed = (*job)->Run();
  ASSERT_FALSE(packed.report.error);
  EXPECT_EQ(std::string(AsText(packed.bundle)), Read("out/l@1.sheaf"));
  EXPECT_EQ(FilesIn("out"), std::set<std::string>{"l@1.sheaf"});
}

TEST_F(PackJobTest, SaysWhyNothingWasPacked) {
  Write("docs/empty.md", "");
  const PackReport report = Pack(Options());
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::kNotFound);
  EXPECT_EQ(report.error->message, "no page could be packed; 1 file left out, such as empty.md: it holds no text");
  EXPECT_EQ(nlohmann::json::parse(JsonOf(report))["notes"].size(), 1u);
}

TEST_F(PackJobTest, SaysHowToDoWithoutATable) {
  WriteDocs(1);
  PackOptions options = Options();
  options.encoder = "static";
  const PackReport report = Pack(options);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->message, "there is no table here, or pack without vectors with --encoder none");
}

TEST_F(PackJobTest, EmbedsWithATransformerOfTheHost) {
  WriteDocs(30);
  PackOptions options = Options();
  options.encoder = "fake";
  options.vector_cache = "none";
  const PackReport report = Pack(options);
  ASSERT_FALSE(report.error) << report.error->message;
  EXPECT_EQ(report.encoder.name, "fake");
  EXPECT_TRUE(report.has_embedding);
  EXPECT_EQ(report.embedding.embedded, 30u);
}

TEST_F(PackJobTest, SaysThatVectorsAreNotKeptWhereTheHostHasNoPlace) {
  WriteDocs(2);
  PackOptions options = Options();
  options.encoder = "fake";
  const PackReport report = Pack(options);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_NE(report.notes[0].reason.find("vectors are not cached"), std::string::npos);
}

// ---- called off -------------------------------------------------------------------------------

TEST_F(PackJobTest, LeavesNothingWhenItIsCalledOffBeforeItBegins) {
  WriteDocs(3);
  Write("out/l@1.sheaf", "an older bundle");
  PackObserver observer;
  observer.cancelled = [] { return true; };
  const PackReport report = Pack(Options(), std::move(observer));
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::kAborted);
  EXPECT_EQ(report.stage, PackStage::kListing);
  EXPECT_EQ(Read("out/l@1.sheaf"), "an older bundle");
  EXPECT_EQ(JsonOf(report),
            R"({"ok":false,"error":{"code":"ABORTED","message":"packing was aborted; nothing was written"}})");
}

TEST_F(PackJobTest, LeavesNothingWhenItIsCalledOffBetweenPages) {
  WriteDocs(40);
  for (const unsigned jobs : {1u, 3u}) {
    PackOptions options = Options();
    options.jobs = jobs;
    ExpectNothingLeft(options, [](const ProgressState& state) { return state.stage == "packing" && state.pages == 7; });
    EXPECT_EQ(last_.pages, 7u);
  }
}

TEST_F(PackJobTest, LeavesNothingWhenItIsCalledOffWhileItEmbeds) {
  WriteDocs(60);
  PackOptions options = Options();
  options.encoder = "fake";
  options.vector_cache = "none";
  ExpectNothingLeft(options, [](const ProgressState& state) { return state.embeds && state.passages >= 16; });
  EXPECT_LT(last_.passages, 60u);
}

TEST_F(PackJobTest, LeavesNothingInAnyStageOfWriting) {
  WriteDocs(40, 60);
  PackOptions options = Options();
  options.encoder = "fake";
  options.vector_cache = "none";
  options.graph = GraphMode::kAlways;
  for (const char* stage : {"text", "lexicon", "graph", "bundle"}) {
    SCOPED_TRACE(stage);
    ExpectNothingLeft(options, [&](const ProgressState& state) { return state.detail == stage; });
    EXPECT_EQ(last_.detail, stage);
  }
  // In the middle of a stage, too.
  ExpectNothingLeft(options, [](const ProgressState& state) { return state.detail == "graph" && state.share >= 0.5; });
  EXPECT_LT(last_.share, 0.6);
}

TEST_F(PackJobTest, LeavesNothingWhenItIsCalledOffBeforeTheFileIsWritten) {
  WriteDocs(3);
  Write("out/l@1.sheaf", "an older bundle");
  Result<CheckedOptions> checked = CheckPackOptions(Options());
  Result<BundleTarget> target = FileTarget(checked->options);
  bool is_off = false;
  PackObserver observer;
  observer.cancelled = [&] { return is_off; };
  auto job = PackJob::Open(std::move(*checked), Host(), std::move(*target), std::move(observer));
  ASSERT_TRUE(job.ok());
  Packed packed = (*job)->Run();
  ASSERT_FALSE(packed.report.error);
  is_off = true;
  (*job)->Write(&packed);
  ASSERT_TRUE(packed.report.error);
  EXPECT_EQ(packed.report.error->code, ErrorCode::kAborted);
  EXPECT_EQ(Read("out/l@1.sheaf"), "an older bundle");
  EXPECT_EQ(FilesIn("out"), std::set<std::string>{"l@1.sheaf"});
}

TEST_F(PackJobTest, LeavesNothingWhenItIsCalledOffWhilePostingsGoToTheScratchFile) {
  WriteDocs(40, 50);
  Write("out/l@1.sheaf", "an older bundle");
  Result<CheckedOptions> checked = CheckPackOptions(Options());
  ASSERT_TRUE(checked.ok());
  bool is_off = false;
  Progress progress({}, [&] { return is_off; });
  Result<OpenedJob> job = OpenJob(std::move(*checked), Host(), [](const std::string&) {}, {});
  ASSERT_TRUE(job.ok());
  const Result<SourceList> list = FindSources({At("docs")}, {});
  MemoryPlan memory;
  memory.postings = 4096;
  JobBuilder builder(*job, At("out"), memory, &progress);
  const PackSummary summary =
      PackPages(*list, {.urls = job->urls, .options = job->pipeline, .survey = {}, .rules = {}, .progress = &progress},
                builder.get());
  ASSERT_FALSE(summary.fatal);
  EXPECT_GT(builder.spilled_bytes(), 0u);
  is_off = true;
  EXPECT_EQ(builder.Finish().code(), ErrorCode::kAborted);
  EXPECT_EQ(FilesIn("out"), std::set<std::string>{"l@1.sheaf"});
}

TEST(FindSourcesCalledOff, StopsInTheMiddleOfTheWalk) {
  int asked = 0;
  const Result<SourceList> list = FindSources({SHEAF_SOURCE_DIR "/tests/fixtures"}, {}, [&] { return ++asked == 5; });
  EXPECT_EQ(list.code(), ErrorCode::kAborted);
  EXPECT_EQ(asked, 5);
}

// ---- the JSON ---------------------------------------------------------------------------------

TEST(PackReportJson, HasTheMembersThatProgramsRead) {
  PackReport report;
  report.stage = PackStage::kWriting;
  report.output = "o.sheaf";
  report.library = "l";
  report.version = "1";
  report.root = "/r";
  report.files = 4;
  report.pages = 2;
  report.passages = 3;
  report.source_bytes = 2'000'000;
  report.bundle_bytes = 100;
  report.vector_bits = 4;
  report.encoder.name = "static";
  report.encoder.space = "s";
  report.jobs = 2;
  report.seconds = 2;
  report.packing_seconds = 1.5;
  report.survey_seconds = 0.25;
  report.left_out = {{"error pages", 2, "404.html"}};
  report.framed_pages = 2;
  report.symbols = {{"method", 3}};
  report.problems = {{"a.md", "gone"}, {"b.md", "no vector", true}};
  report.notes = {{"c.md", "left out: \xff"}};
  EXPECT_EQ(
      JsonOf(report),
      R"({"ok":true,"output":"o.sheaf","library":"l","version":"1","language":"","root":"/r","files":4,"pages":2,"passages":3,)"
      R"("sourceBytes":2000000,"textBytes":0,"bundleBytes":100,"bytesPerPage":50.0,"spilledBytes":0,)"
      R"("vectorBits":4,"space":"s","encoder":"static","precision":null,"embeddedPassages":0,)"
      R"("cachedPassages":0,"failedPassages":0,"embeddingSeconds":0.0,"embeddedPassagesPerSecond":0.0,)"
      R"("jobs":2,"seconds":2.0,"packingSeconds":1.5,"surveySeconds":0.25,"writingSeconds":0.5,"pagesPerSecond":1.0,)"
      R"("megabytesPerSecond":1.0,"ignoredFolders":0,"filteredFiles":0,"passedOver":[],)"
      R"("leftOut":[{"kind":"error pages","files":2,"example":"404.html"}],"sideBySide":[],"notRead":[],"framedPages":2,)"
      R"("symbols":{"method":3},)"
      R"("skipped":[{"path":"a.md","reason":"gone"}],"inPart":[{"path":"b.md","reason":"no vector"}],)"
      "\"notes\":[{\"path\":\"c.md\",\"reason\":\"left out: \xef\xbf\xbd\"}]}");
}

TEST(PackReportJson, ListsWhatWasSkippedOnlyWhenPackingFailed) {
  PackReport report;
  report.error = Error{ErrorCode::kTooLarge, "no"};
  report.problems = {{"a.md", "gone"}};
  report.stage = PackStage::kWriting;
  EXPECT_EQ(JsonOf(report), R"({"ok":false,"error":{"code":"TOO_LARGE","message":"no"}})");
  report.stage = PackStage::kPacking;
  EXPECT_EQ(JsonOf(report), R"({"ok":false,"error":{"code":"TOO_LARGE","message":"no"},)"
                            R"("skipped":[{"path":"a.md","reason":"gone"}],"notes":[]})");
}

}  // namespace pack_job_test
}  // namespace sheaf::packer
