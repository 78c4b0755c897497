#include "packer/job/rounds.h"

#include <gtest/gtest.h>

#include "tests/unit/job_support.h"

namespace sheaf::packer {
namespace rounds_test {

class RoundsTest : public test::JobTest {
 protected:
  std::unique_ptr<Rounds> Open(const PackOptions& options) {
    Result<CheckedOptions> checked = CheckPackOptions(options);
    EXPECT_TRUE(checked.ok()) << checked.error().message;
    Result<BundleTarget> target = FileTarget(checked->options);
    auto rounds = Rounds::Open(std::move(*checked), Host(), std::move(*target));
    EXPECT_TRUE(rounds.ok());
    return rounds.ok() ? std::move(*rounds) : nullptr;
  }
  // What a run of its own writes.
  std::string Fresh(PackOptions options) {
    options.output = At("fresh.sheaf");
    const PackReport report = Pack(options);
    EXPECT_FALSE(report.error) << report.error->message;
    return Read("fresh.sheaf");
  }
  std::string Bundle() const { return Read("out/l@1.sheaf"); }
};

TEST_F(RoundsTest, WriteWhatAFreshRunWritesAndOnlyAfterAChange) {
  WriteDocs(20);
  const auto rounds = Open(Options());
  RoundReport report = rounds->Round({});
  ASSERT_FALSE(report.error) << report.error->message;
  EXPECT_EQ(report.round, 1u);
  EXPECT_TRUE(report.written);
  EXPECT_EQ(report.changes.added, 20u);
  EXPECT_EQ(report.bundle_bytes, Bundle().size());
  EXPECT_EQ(Bundle(), Fresh(Options()));

  report = rounds->Round({});
  EXPECT_EQ(report.round, 2u);
  EXPECT_FALSE(report.written);
  EXPECT_EQ(report.pages, 20u);

  Write("docs/p3.md", "# Another\n\nText.\n");
  report = rounds->Round({});
  EXPECT_TRUE(report.written);
  EXPECT_EQ(report.changes.changed, 1u);
  EXPECT_EQ(report.changes.prepared, 1u);
  EXPECT_EQ(Bundle(), Fresh(Options()));
}

TEST_F(RoundsTest, SayThatThereIsNoPageAndGoOn) {
  std::filesystem::create_directory(At("docs"));
  const auto rounds = Open(Options());
  RoundReport report = rounds->Round({});
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::kNotFound);
  EXPECT_NE(report.error->message.find("no documentation found"), std::string::npos);
  EXPECT_TRUE(rounds->usable());
  WriteDocs(2);
  EXPECT_TRUE(rounds->Round({}).written);
}

TEST_F(RoundsTest, CalledOffLeaveTheBundleAloneAndTheNextMakesUpForIt) {
  WriteDocs(30);
  PackOptions options = Options();
  options.encoder = "fake";
  options.vector_cache = "none";
  const auto rounds = Open(options);
  ASSERT_TRUE(rounds->Round({}).written);
  const std::string before = Bundle();
  Write("docs/p3.md", "# Another\n\nText.\n");
  const std::function<bool(const ProgressState&)> moments[] = {
      [](const ProgressState& state) { return state.stage == "packing" && state.bytes > 0; },
      [](const ProgressState& state) { return state.embeds; },
      [](const ProgressState& state) { return state.detail == "lexicon"; },
  };
  for (const auto& moment : moments) {
    bool is_off = false;
    PackObserver observer;
    observer.progress = [&](const ProgressState& state) { is_off = is_off || moment(state); };
    observer.cancelled = [&] { return is_off; };
    const RoundReport report = rounds->Round(observer);
    ASSERT_TRUE(is_off);
    ASSERT_TRUE(report.error);
    EXPECT_EQ(report.error->code, ErrorCode::kAborted);
    EXPECT_FALSE(report.written);
    EXPECT_TRUE(rounds->usable());
    EXPECT_EQ(Bundle(), before);
    EXPECT_EQ(FilesIn("out"), std::set<std::string>{"l@1.sheaf"});
  }
  EXPECT_TRUE(rounds->Round({}).written);
  EXPECT_EQ(Bundle(), Fresh(options));
}

TEST_F(RoundsTest, TryAgainWhatCouldNotBeWritten) {
  WriteDocs(3);
  Result<CheckedOptions> checked = CheckPackOptions(Options());
  bool is_full = true;
  std::vector<uint8_t> written;
  BundleTarget target;
  target.name = "memory";
  target.scratch_folder = At("out");
  target.write = [&](ByteSpan bundle) -> Status {
    if (is_full) return Error{ErrorCode::kInvalidArgument, "no room"};
    written.assign(bundle.begin(), bundle.end());
    return {};
  };
  auto rounds = Rounds::Open(std::move(*checked), Host(), std::move(target));
  ASSERT_TRUE(rounds.ok());
  RoundReport report = (*rounds)->Round({});
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->message, "no room");
  is_full = false;
  report = (*rounds)->Round({});
  EXPECT_TRUE(report.written);
  EXPECT_EQ(report.output, "memory");
  EXPECT_EQ(std::string(AsText(written)), Fresh(Options()));
}

TEST(RoundReportJson, HasTheMembersThatProgramsRead) {
  RoundReport report;
  report.round = 2;
  report.output = "o.sheaf";
  report.has_counts = report.written = true;
  report.pages = 3;
  report.passages = 4;
  report.changes = {.added = 1, .prepared = 1, .kept_pages = 3, .kept_bytes = 99};
  report.bundle_bytes = 100;
  report.listing_seconds = 0.5;
  report.packing_seconds = 1;
  report.writing_seconds = 0.25;
  report.seconds = 2;
  EXPECT_EQ(
      JsonOf(report),
      R"({"ok":true,"round":2,"seconds":{"listing":0.5,"packing":1.0,"writing":0.25,"all":2.0},)"
      R"("output":"o.sheaf","language":"","pages":3,"passages":4,"added":1,"changed":0,"removed":0,"prepared":1,)"
      R"("keptPages":3,"keptBytes":99,"leftOut":[],"written":true,"bundleBytes":100,"skipped":[],"inPart":[],"notes":[]})");
  RoundReport failed;
  failed.round = 1;
  failed.error = Error{ErrorCode::kNotFound, "no"};
  EXPECT_EQ(JsonOf(failed),
            R"({"ok":false,"round":1,"seconds":{"all":0.0},"error":{"code":"NOT_FOUND","message":"no"},)"
            R"("skipped":[],"inPart":[],"notes":[]})");
}

}  // namespace rounds_test
}  // namespace sheaf::packer
