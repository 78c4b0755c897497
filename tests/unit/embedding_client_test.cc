#include "packer/embed/embedding_client.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <map>
#include <thread>

#include "tests/unit/embedding_support.h"
#include "tests/unit/fake_encoder.h"

namespace sheaf::packer {
namespace embedding_client_test {

class EmbeddingClientTest : public test::EmbeddingTest {
 protected:
  Result<std::unique_ptr<EmbeddingClient>> Start(const std::string& command, double timeout = 60) {
    EncoderCommand options;
    options.command = command;
    options.packer = "test";
    options.timeout_seconds = timeout;
    options.advice = "the way out";
    options.name = asked_name_;
    options.precision = asked_precision_;
    return EmbeddingClient::Start(std::move(options), [&](const std::string& note) { notes_.push_back(note); });
  }

  // Embeds `items` and keeps what comes; each item must come once.
  Status Embed(EmbeddingClient* client, const std::vector<EmbeddingItem>& items) {
    rows_.assign(items.size(), {});
    failed_.clear();
    const size_t dimensions = client->info().dimensions;
    EmbeddingCalls calls;
    calls.answered = [&](std::span<const uint32_t> numbers, std::span<const float> rows) {
      ASSERT_EQ(rows.size(), numbers.size() * dimensions);
      for (size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_TRUE(rows_[numbers[i]].empty()) << "answered twice";
        const auto row = rows.subspan(i * dimensions, dimensions);
        rows_[numbers[i]].assign(row.begin(), row.end());
      }
    };
    calls.failed = [&](uint32_t item, const std::string& reason) { EXPECT_TRUE(failed_.emplace(item, reason).second); };
    calls.page_of = [](uint32_t item) { return "page-" + std::to_string(item) + ".md"; };
    calls.go_on = [&] {
      ++asked_;
      return asked_ != call_off_at_;
    };
    return client->Embed(items, calls);
  }

  static std::vector<EmbeddingItem> Texts(size_t count) {
    std::vector<EmbeddingItem> items;
    for (size_t i = 0; i < count; ++i)
      items.push_back(TextItem("text " + std::to_string(i) + std::string(i * 7 % 50, 'x'), 64));
    return items;
  }
  void ExpectRight(const std::vector<EmbeddingItem>& items, uint32_t dimensions = 16) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (failed_.contains(uint32_t(i))) continue;
      const std::vector<float> expected = test::FakeVector(AsBytes(items[i].text), dimensions);
      ASSERT_EQ(rows_[i].size(), dimensions) << i;
      for (uint32_t d = 0; d < dimensions; ++d) ASSERT_NEAR(rows_[i][d], expected[d], 1e-6) << i;
    }
  }
  // A process that fails once: the answers are whole, and a note tells.
  void ExpectSurvived(const std::string& fault, const std::string& says, double timeout = 60) {
    SCOPED_TRACE(fault);
    notes_.clear();
    auto client =
        Start(Fake("--batch-tokens 100 --fault " + fault + " --once " + At("marker-" + fault.substr(0, 4))), timeout);
    ASSERT_TRUE(client.ok()) << client.error().message;
    const auto items = Texts(60);
    const Status embedded = Embed(client->get(), items);
    ASSERT_TRUE(embedded.ok()) << embedded.error().message;
    EXPECT_TRUE(failed_.empty());
    ExpectRight(items);
    ASSERT_EQ(notes_.size(), 1u);
    EXPECT_NE(notes_[0].find(says), std::string::npos) << notes_[0];
    EXPECT_NE(notes_[0].find("page-"), std::string::npos) << notes_[0];
    EXPECT_EQ((*client)->Finish(), "");
  }
  void ExpectFailed(const std::string& options, const std::string& says, double timeout = 60) {
    SCOPED_TRACE(options);
    notes_.clear();
    auto client = Start(Fake(options), timeout);
    ASSERT_TRUE(client.ok()) << client.error().message;
    const Status embedded = Embed(client->get(), Texts(60));
    ASSERT_FALSE(embedded.ok());
    EXPECT_EQ(notes_.size(), 1u);
    for (const std::string& part :
         {std::string("failed twice"), says, std::string("page-"), std::string(SHEAF_FAKE_ENCODER)}) {
      EXPECT_NE(embedded.error().message.find(part), std::string::npos) << embedded.error().message;
    }
    EXPECT_FALSE(Embed(client->get(), Texts(1)).ok()) << "it stays failed";
  }

  std::vector<std::vector<float>> rows_;
  std::map<uint32_t, std::string> failed_;
  std::vector<std::string> notes_;
  std::string asked_name_, asked_precision_;
  int asked_ = 0;
  int call_off_at_ = -1;
};

// ---- all is well ------------------------------------------------------------------------------

TEST_F(EmbeddingClientTest, EmbedsTextsAndNormalisesTheirVectors) {
  auto client = Start(Fake());
  ASSERT_TRUE(client.ok()) << client.error().message;
  EXPECT_EQ((*client)->info().name, "fake");
  const auto items = Texts(200);
  ASSERT_TRUE(Embed(client->get(), items).ok());
  ExpectRight(items);
  ASSERT_TRUE(Embed(client->get(), {}).ok());
  const auto more = Texts(3);
  ASSERT_TRUE(Embed(client->get(), more).ok());
  ExpectRight(more);
  EXPECT_EQ((*client)->Finish(), "");
  EXPECT_TRUE(notes_.empty());
}

TEST_F(EmbeddingClientTest, SendsTokensToAProcessThatWantsThem) {
  auto client = Start(Fake("--input tokens --vocabulary /unused"));
  ASSERT_TRUE(client.ok()) << client.error().message;
  std::vector<EmbeddingItem> items(2);
  items[0] = {{101, 5, 102}, "", 3};
  items[1] = {{101, 7, 8, 9, 102}, "", 5};
  ASSERT_TRUE(Embed(client->get(), items).ok());
  for (size_t i = 0; i < 2; ++i) {
    const auto expected = test::FakeVector(std::span<const uint32_t>(items[i].ids), 16);
    for (size_t d = 0; d < 16; ++d) EXPECT_NEAR(rows_[i][d], expected[d], 1e-6);
  }
}

TEST_F(EmbeddingClientTest, BatchesByLengthWithinTheTokensThatReadyNames) {
  auto client = Start(Fake("--batch-tokens 40 --log " + At("log")));
  ASSERT_TRUE(client.ok());
  ASSERT_TRUE(Embed(client->get(), Texts(60)).ok());
  std::istringstream log(Read("log"));
  size_t count, longest, before = SIZE_MAX, all = 0;
  while (log >> count >> longest) {
    const size_t cost = longest / 4 + 2;
    EXPECT_LE(cost, before);
    EXPECT_TRUE(count == 1 || count * cost <= 40) << count << " of " << longest;
    before = cost;
    all += count;
  }
  EXPECT_EQ(all, 60u);
}

TEST_F(EmbeddingClientTest, TakesAnswersOutOfOrder) {
  auto client = Start(Fake("--shuffle --in-flight 4 --batch-tokens 50"));
  ASSERT_TRUE(client.ok());
  const auto items = Texts(60);
  ASSERT_TRUE(Embed(client->get(), items).ok());
  ExpectRight(items);
}

TEST_F(EmbeddingClientTest, NeverHasMoreBatchesUnansweredThanReadyNames) {
  // The process reads all that comes before it answers, so what it holds at once is unanswered at once.
  auto client = Start(Fake("--in-flight 3 --batch-tokens 30 --held " + At("held")));
  ASSERT_TRUE(client.ok());
  const auto items = Texts(40);
  ASSERT_TRUE(Embed(client->get(), items).ok());
  ExpectRight(items);
  std::istringstream held(Read("held"));
  size_t batches, all = 0;
  while (held >> batches) {
    EXPECT_LE(batches, 3u);
    all += batches;
  }
  EXPECT_GT(all, 6u) << "too few to tell";
}

TEST_F(EmbeddingClientTest, DoesNotDeadlockWhenBothPipesAreFull) {
  // Answers of 1,024 × 16 kB and batches of 200 kB: neither fits a pipe, and the process writes before it reads.
  auto client = Start(Fake("--dimensions 4096 --in-flight 8 --batch-tokens 262144 --max-tokens 8192"));
  ASSERT_TRUE(client.ok());
  std::vector<EmbeddingItem> items;
  for (size_t i = 0; i < 3000; ++i) items.push_back(TextItem(std::to_string(i) + std::string(200, 'x'), 8192));
  const Status embedded = Embed(client->get(), items);
  ASSERT_TRUE(embedded.ok()) << embedded.error().message;
  ExpectRight(items, 4096);
}

TEST_F(EmbeddingClientTest, LetsTheProcessWriteToStderrAsMuchAsItLikes) {
  testing::internal::CaptureStderr();
  auto client = Start(Fake("--noise 300000"));
  ASSERT_TRUE(client.ok());
  const auto items = Texts(40);
  EXPECT_TRUE(Embed(client->get(), items).ok());
  EXPECT_EQ((*client)->Finish(), "");
  EXPECT_GE(testing::internal::GetCapturedStderr().size(), 300000u);
  ExpectRight(items);
}

TEST_F(EmbeddingClientTest, IsPatientWithAProcessThatIsSlowButAnswers) {
  auto client = Start(Fake("--slow 400 --batch-tokens 60"), 3);
  ASSERT_TRUE(client.ok());
  const auto items = Texts(60);  // about 11 batches: more than 3 seconds in all
  const auto began = std::chrono::steady_clock::now();
  ASSERT_TRUE(Embed(client->get(), items).ok());
  EXPECT_GT(std::chrono::steady_clock::now() - began, std::chrono::seconds(3))
      << "the test shows nothing when it is quicker";
  EXPECT_GT(asked_, 0);
  EXPECT_TRUE(notes_.empty());
}

// ---- errors of passages -----------------------------------------------------------------------

TEST_F(EmbeddingClientTest, GoesOnWithoutAPassageThatCannotBeEmbedded) {
  auto client = Start(Fake("--item-error 17"));
  ASSERT_TRUE(client.ok());
  const auto items = Texts(60);
  ASSERT_TRUE(Embed(client->get(), items).ok());
  ASSERT_EQ(failed_.size(), 1u);
  EXPECT_EQ(failed_[17], "this passage is unspeakable");
  ExpectRight(items);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(EmbeddingClientTest, TakesAVectorOfZerosForAnError) {
  auto client = Start(Fake("--zero 23"));
  ASSERT_TRUE(client.ok());
  const auto items = Texts(60);
  ASSERT_TRUE(Embed(client->get(), items).ok());
  ASSERT_EQ(failed_.size(), 1u);
  EXPECT_EQ(failed_[23], "its vector is zero");
  ExpectRight(items);
}

TEST_F(EmbeddingClientTest, RetriesABatchThatFailedItemByItem) {
  auto client = Start(Fake("--batch-error 17 --log " + At("log")));
  ASSERT_TRUE(client.ok());
  const auto items = Texts(60);
  ASSERT_TRUE(Embed(client->get(), items).ok());
  EXPECT_TRUE(failed_.empty());
  ExpectRight(items);
  EXPECT_NE(Read("log").find("\n1 "), std::string::npos);
}

TEST_F(EmbeddingClientTest, GivesUpAPassageThatFailsAloneToo) {
  auto client = Start(Fake("--batch-error 17 --stubborn"));
  ASSERT_TRUE(client.ok());
  const auto items = Texts(60);
  ASSERT_TRUE(Embed(client->get(), items).ok());
  ASSERT_EQ(failed_.size(), 1u);
  EXPECT_EQ(failed_[17], "this batch is too much");
  ExpectRight(items);
}

// ---- a process that fails ---------------------------------------------------------------------

TEST_F(EmbeddingClientTest, StartsAProcessThatDiedOnceMoreAndSendsTheUnansweredAgain) {
  ExpectSurvived("die --after 3", "exited with status 3");
  ExpectSurvived("signal --after 0", "signal 9");
  ExpectSurvived("report --after 2", "out of memory on the device");
}

TEST_F(EmbeddingClientTest, StartsAProcessThatBrokeTheProtocolOnceMore) {
  ExpectSurvived("garbage --after 2", "stdout");
  ExpectSurvived("count --after 2", "vectors");
  ExpectSurvived("unknown --after 2", "4711");
  ExpectSurvived("nan --after 2", "not finite");
}

TEST_F(EmbeddingClientTest, KillsAProcessThatFallsSilentAndStartsItOnceMore) {
  ExpectSurvived("wedge --after 2", "sent nothing for 2.0 s", 2);
}

TEST_F(EmbeddingClientTest, NeedNotWaitForAProcessThatClosedItsOutput) {
  auto client = Start("exec " + Fake("--fault close --after 1 --once " + At("marker")), 600);
  ASSERT_TRUE(client.ok());
  const auto items = Texts(60);
  ASSERT_TRUE(Embed(client->get(), items).ok());
  ExpectRight(items);
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find("it closed its output"), std::string::npos) << notes_[0];
}

TEST_F(EmbeddingClientTest, NeedNotWaitForAProcessThatClosedItsInputAndLivesThroughTheWrite) {
  // Batches that no pipe holds, so that one is still being written when nobody reads any more.
  const std::string limits = "--in-flight 8 --batch-tokens 262144 --max-tokens 8192 ";
  auto client = Start("exec " + Fake(limits + "--fault unread --after 0 --once " + At("marker")), 600);
  ASSERT_TRUE(client.ok());
  std::vector<EmbeddingItem> items;
  for (size_t i = 0; i < 3000; ++i) items.push_back(TextItem(std::to_string(i) + std::string(200, 'x'), 8192));
  ASSERT_TRUE(Embed(client->get(), items).ok());
  ExpectRight(items);
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find("it closed its input"), std::string::npos) << notes_[0];
}

TEST_F(EmbeddingClientTest, EndsAtOnceWhenItIsCalledOffAndCanBeUsedAgain) {
  auto client = Start(Fake("--fault wedge --after 0 --once " + At("marker")), 600);
  ASSERT_TRUE(client.ok());
  const auto items = Texts(60);
  call_off_at_ = 4;  // while it waits for an answer
  EXPECT_EQ(Embed(client->get(), items).code(), ErrorCode::kAborted);
  ASSERT_TRUE(Embed(client->get(), items).ok());
  ExpectRight(items);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(EmbeddingClientTest, EndsWhenTheProcessFailsTwice) {
  ExpectFailed("--fault die --after 0", "exited with status 3");
  ExpectFailed("--fault signal --after 0", "signal 9");
  ExpectFailed("--fault garbage --after 0", "stdout");
  ExpectFailed("--fault report --after 0", "out of memory on the device");
  ExpectFailed("--fault wedge --after 0", "sent nothing for 1.0 s", 1);
}

TEST_F(EmbeddingClientTest, KillsTheWholeGroupOfAWedgedProcess) {
  auto client = Start(Fake("--fault wedge-group --after 0 --child " + At("child")) + "; true", 1);
  ASSERT_TRUE(client.ok());
  ASSERT_FALSE(Embed(client->get(), Texts(2)).ok());
  const pid_t child = pid_t(std::atoi(Read("child").c_str()));
  ASSERT_GT(child, 0);
  // It was nobody's child here: whoever adopts orphans reaps it, in a moment.
  for (int i = 0; i < 500 && ::kill(child, 0) == 0; ++i) {
    const std::string status = [&] {
      std::ostringstream text;
      text << std::ifstream("/proc/" + std::to_string(child) + "/stat").rdbuf();
      return text.str();
    }();
    if (status.find(") Z") != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_NE(::kill(child, 0), 0) << "the child lives on";
}

// ---- ready ------------------------------------------------------------------------------------

TEST_F(EmbeddingClientTest, StartsAProcessThatFailsBeforeReadyOnceMore) {
  for (const char* fault : {"die", "garbage", "report"}) {
    notes_.clear();
    const auto client = Start(Fake("--fault " + std::string(fault) + " --after -1 --once " + At(fault)));
    EXPECT_TRUE(client.ok()) << client.error().message;
    EXPECT_EQ(notes_.size(), 1u);
    EXPECT_EQ(Start(Fake("--fault " + std::string(fault) + " --after -1")).code(), ErrorCode::kInternal);
  }
  EXPECT_EQ(Start(Fake("--fault wedge --after -1"), 0.5).code(), ErrorCode::kInternal);
}

TEST_F(EmbeddingClientTest, JudgesWhatReadySaysAtOnce) {
  const auto refused = [&](const std::string& ready, const std::string& says) {
    notes_.clear();
    const auto client = Start(Fake("--ready '" + ready + "'"));
    ASSERT_FALSE(client.ok());
    EXPECT_NE(client.error().message.find(says), std::string::npos) << client.error().message;
    EXPECT_NE(client.error().message.find(SHEAF_FAKE_ENCODER), std::string::npos) << client.error().message;
    EXPECT_TRUE(notes_.empty()) << "another try cannot help";
  };
  refused("{\"protocol\":2}", "version 2");
  refused("{\"protocol\":1,\"encoder\":\"m\",\"hash\":\"" + std::string(64, '0') +
              "\",\"precision\":\"p\",\"space\":\"s\",\"dimensions\":24}",
          "multiple of 16");
}

TEST_F(EmbeddingClientTest, RefusesAnotherModelOrPrecisionThanWasAskedFor) {
  asked_name_ = "fake";
  asked_precision_ = "int8";
  auto client = Start(Fake());
  EXPECT_EQ(client.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(client.error().message.find("asked for the precision int8, it offers fp32"), std::string::npos)
      << client.error().message;
  EXPECT_TRUE(Start(Fake("--precision int8")).ok());
  client = Start(Fake("--precision int8 --name other"));
  EXPECT_NE(client.error().message.find("asked for the encoder fake, it offers other"), std::string::npos)
      << client.error().message;
}

TEST_F(EmbeddingClientTest, RefusesAProcessThatComesBackAsAnotherEncoder) {
  Write("start.sh", "if [ -e " + At("second") + " ]; then exec " + Fake("--name other") + "; fi; touch " +
                        At("second") + "; exec " + Fake("--fault die"));
  auto client = Start("sh " + At("start.sh"));
  ASSERT_TRUE(client.ok()) << client.error().message;
  const Status embedded = Embed(client->get(), Texts(3));
  EXPECT_EQ(embedded.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(embedded.error().message.find("another encoder"), std::string::npos) << embedded.error().message;
}

TEST_F(EmbeddingClientTest, SaysWhenTheCommandIsNotThere) {
  testing::internal::CaptureStderr();
  const auto client = Start("sheaf-no-such-command --x");
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(client.code(), ErrorCode::kNotFound);
  EXPECT_NE(client.error().message.find("sheaf-no-such-command"), std::string::npos);
  EXPECT_NE(client.error().message.find("the way out"), std::string::npos);
}

// ---- the end ----------------------------------------------------------------------------------

TEST_F(EmbeddingClientTest, TellsOfAProcessThatDoesNotEndWell) {
  auto client = Start(Fake("--exit 9"));
  ASSERT_TRUE(client.ok());
  EXPECT_NE((*client)->Finish().find("exited with status 9"), std::string::npos);
  EXPECT_EQ((*client)->Finish(), "");
  client = Start(Fake("--deaf"), 1);
  ASSERT_TRUE(client.ok());
  EXPECT_NE((*client)->Finish().find("did not end"), std::string::npos);
}

}  // namespace embedding_client_test
}  // namespace sheaf::packer
