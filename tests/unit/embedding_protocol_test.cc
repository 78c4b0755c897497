#include "packer/embed/embedding_protocol.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "packer/embed/embedding_text.h"
#include "tests/unit/support.h"

namespace sheaf::packer {
namespace embedding_protocol_test {

std::string Ready(const std::string& change = "", const std::string& to = "") {
  std::string ready =
      R"({"protocol":1,"encoder":"m","hash":"HASH","precision":"fp32","space":"s-16","dimensions":16,"input":"text"})";
  ready.replace(ready.find("HASH"), 4, std::string(64, '0'));
  if (!change.empty()) ready.replace(ready.find(change), change.size(), to);
  return ready;
}

// ---- frames -----------------------------------------------------------------------------------

TEST(EmbeddingFrames, ComeBackAsTheyWereWrittenInWhateverPieces) {
  std::vector<uint8_t> wire = WriteFrame(FrameType::kVectors, AsBytes("abc"));
  const std::vector<uint8_t> second = WriteFrame(FrameType::kReady, {});
  wire.insert(wire.end(), second.begin(), second.end());
  EXPECT_EQ(wire[0], 4);
  EXPECT_EQ(wire[4], 4);
  std::vector<uint8_t> buffer;
  std::vector<Frame> frames;
  for (uint8_t byte : wire) {
    buffer.push_back(byte);
    auto frame = TakeFrame(&buffer);
    ASSERT_TRUE(frame.ok());
    if (frame->has_value()) frames.push_back(std::move(**frame));
  }
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(AsText(frames[0].payload), "abc");
  EXPECT_EQ(frames[1].type, FrameType::kReady);
  EXPECT_TRUE(frames[1].payload.empty());
  EXPECT_TRUE(buffer.empty());
}

TEST(EmbeddingFrames, AreRefusedByLengthAndTypeBeforeAnythingIsAllocated) {
  for (std::vector<uint8_t> bytes : {std::vector<uint8_t>{0, 0, 0, 0, 4},
                                     {1, 0, 0, 4, 4},
                                     {255, 255, 255, 255, 4},
                                     {5, 0, 0, 0, 0},
                                     {5, 0, 0, 0, 6}}) {
    const auto frame = TakeFrame(&bytes);
    ASSERT_FALSE(frame.ok());
    EXPECT_EQ(frame.code(), ErrorCode::kCorrupt);
    EXPECT_NE(frame.error().message.find("stdout"), std::string::npos) << frame.error().message;
  }
}

TEST(EmbeddingFrames, GreetWithTheProtocolsVersion) {
  const std::vector<uint8_t> hello = WriteHello("sheaf-pack 1");
  EXPECT_EQ(AsText(ByteSpan(hello).subspan(5)), R"({"packer":"sheaf-pack 1","protocol":1})");
}

TEST(EmbeddingFrames, HoldBatchesOfTokensOrText) {
  std::vector<EmbeddingItem> items(3);
  items[0].ids = {7};
  items[2].ids = {101, 2000, 102};
  items[0].text = "ab";
  const std::vector<uint32_t> order = {2, 0};
  const std::vector<uint8_t> tokens = WriteBatch(9, items, order, true);
  ByteReader r(tokens);
  EXPECT_EQ(r.U32(), tokens.size() - 4);
  EXPECT_EQ(r.U8(), 3);
  for (uint32_t expected : {9u, 2u, 3u, 101u, 2000u, 102u, 1u, 7u}) EXPECT_EQ(r.U32(), expected);
  EXPECT_EQ(r.remaining(), 0u);
  const std::vector<uint8_t> text = WriteBatch(9, items, std::vector<uint32_t>{0}, false);
  EXPECT_EQ(AsText(ByteSpan(text).subspan(17)), "ab");
}

// ---- ready ------------------------------------------------------------------------------------

TEST(EmbeddingReady, HasDefaults) {
  const auto info = ReadReady(AsBytes(Ready()));
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_EQ(info->name, "m");
  EXPECT_EQ(info->space, "s-16");
  EXPECT_FALSE(info->takes_tokens);
  EXPECT_TRUE(info->lowercase && info->strip_accents && info->split_cjk);
  EXPECT_EQ(info->max_tokens, 256u);
  EXPECT_EQ(info->batch_tokens, 4096u);
  EXPECT_EQ(info->in_flight, 2u);
}

TEST(EmbeddingReady, IsReadInFull) {
  const auto info = ReadReady(AsBytes(Ready(
      "\"input\":\"text\"",
      R"("input":"tokens","vocabulary":"/v","lowercase":false,"stripAccents":false,"splitCjk":false,"maxTokens":512,"prefix":"p: ","batchTokens":7,"inFlight":3,"more":null)")));
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_TRUE(info->takes_tokens);
  EXPECT_EQ(info->vocabulary, "/v");
  EXPECT_FALSE(info->lowercase || info->strip_accents || info->split_cjk);
  EXPECT_EQ(info->max_tokens, 512u);
  EXPECT_EQ(info->prefix, "p: ");
  EXPECT_EQ(info->batch_tokens, 7u);
  EXPECT_EQ(info->in_flight, 3u);
}

TEST(EmbeddingReady, NamesTheMemberThatCannotBeUsed) {
  const struct {
    const char *change, *to, *says;
  } cases[] = {
      {"\"encoder\":\"m\"", "\"encoder\":\"\"", "encoder"},
      {"\"encoder\":\"m\"", "\"encoder\":3", "encoder"},
      {"\"encoder\":\"m\",", "", "encoder is missing"},
      {"0000", "00G0", "hash"},
      {"\"hash\"", "\"hush\"", "hash is missing"},
      {"fp32", "a precision whose name is much too long", "precision"},
      {"\"s-16\"", "null", "space is missing"},
      {":16", ":17", "dimensions"},
      {":16", ":0", "dimensions"},
      {":16", ":-16", "dimensions"},
      {":16", ":16.0", "dimensions"},
      {":16", ":4112", "dimensions"},
      {":16", ":18446744073709551615", "dimensions"},
      {"\"text\"", "\"audio\"", "input"},
      {"\"text\"", "\"tokens\"", "vocabulary is missing"},
      {"\"text\"", "\"text\",\"lowercase\":1", "lowercase"},
      {"\"text\"", "\"text\",\"maxTokens\":1", "maxTokens"},
      {"\"text\"", "\"text\",\"maxTokens\":8193", "maxTokens"},
      {"\"text\"", "\"text\",\"batchTokens\":262145", "batchTokens"},
      {"\"text\"", "\"text\",\"inFlight\":0", "inFlight"},
      {"\"text\"", "\"text\",\"inFlight\":65", "inFlight"},
  };
  for (const auto& c : cases) {
    const auto info = ReadReady(AsBytes(Ready(c.change, c.to)));
    ASSERT_FALSE(info.ok()) << c.to;
    EXPECT_EQ(info.code(), ErrorCode::kInvalidArgument) << c.to;
    EXPECT_NE(info.error().message.find(c.says), std::string::npos) << info.error().message;
  }
}

TEST(EmbeddingReady, IsRefusedForAnotherProtocolWithBothVersions) {
  const auto info = ReadReady(AsBytes(Ready(":1,", ":2,")));
  ASSERT_EQ(info.code(), ErrorCode::kUnsupportedVersion);
  EXPECT_NE(info.error().message.find("version 1"), std::string::npos);
  EXPECT_NE(info.error().message.find("version 2"), std::string::npos);
  EXPECT_EQ(ReadReady(AsBytes("{}")).code(), ErrorCode::kUnsupportedVersion);
}

TEST(EmbeddingReady, IsRefusedWhenItIsNoJsonObject) {
  for (const std::string& text :
       {std::string(), std::string("[1]"), std::string("{\"protocol\":1"), std::string("\xFF"),
        "{\"protocol\":" + std::string(100000, '['), std::string((1 << 20) + 1, ' ')}) {
    EXPECT_EQ(ReadReady(AsBytes(text)).code(), ErrorCode::kCorrupt) << text.substr(0, 40);
  }
}

// ---- answers ----------------------------------------------------------------------------------

TEST(EmbeddingVectors, AreAsLongAsTheySayAndFinite) {
  ByteWriter w;
  w.U32(5);
  w.U32(2);
  for (int i = 0; i < 32; ++i) w.F32(float(i));
  const auto vectors = ReadVectors(w.bytes(), 16);
  ASSERT_TRUE(vectors.ok());
  EXPECT_EQ(vectors->batch, 5u);
  EXPECT_EQ(vectors->count, 2u);
  EXPECT_EQ(vectors->rows[31], 31.0f);
  EXPECT_EQ(ReadVectors(ByteSpan(w.bytes()).first(w.size() - 1), 16).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ReadVectors(w.bytes(), 32).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(ReadVectors(ByteSpan(w.bytes()).first(7), 16).code(), ErrorCode::kCorrupt);
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    uint32_t bits;
    std::memcpy(&bits, &bad, 4);
    ByteWriter broken = w;
    broken.PatchU32(8 + 20 * 4, bits);
    const auto refused = ReadVectors(broken.bytes(), 16);
    ASSERT_EQ(refused.code(), ErrorCode::kCorrupt);
    EXPECT_NE(refused.error().message.find("row 1"), std::string::npos) << refused.error().message;
  }
}

TEST(EmbeddingVectors, DoNotOverflowByTheirCount) {
  ByteWriter w;
  w.U32(0);
  w.U32(0x80000000u);  // × 4,096 dimensions × 4 bytes is 2^45, whose low 32 bits are 0
  EXPECT_EQ(ReadVectors(w.bytes(), 4096).code(), ErrorCode::kCorrupt);
}

TEST(EmbeddingErrors, HaveAMessageOfLimitedLength) {
  ByteWriter w;
  w.U32(3);
  w.U32(kWhole);
  EXPECT_EQ(ReadError(w.bytes())->message, "it gave no reason");
  w.Bytes(AsBytes(std::string(5000, 'x')));
  EXPECT_EQ(ReadError(w.bytes())->message.size(), 1000u);
  EXPECT_EQ(ReadError(ByteSpan(w.bytes()).first(7)).code(), ErrorCode::kCorrupt);
}

// ---- batches ----------------------------------------------------------------------------------

std::vector<EmbeddingItem> WithCosts(const std::vector<uint32_t>& costs) {
  std::vector<EmbeddingItem> items(costs.size());
  for (size_t i = 0; i < costs.size(); ++i) items[i].cost = costs[i];
  return items;
}

TEST(EmbeddingBatches, GoLongestFirstAndKeepWithinTheirTokens) {
  const auto items = WithCosts({10, 50, 10, 30, 20, 50, 10});
  const auto batches = MakeBatches(items, 100);
  EXPECT_EQ(batches, (std::vector<std::vector<uint32_t>>{{1, 5}, {3, 4, 0}, {2, 6}}));
}

TEST(EmbeddingBatches, HoldOneItemHoweverLongAndNoMoreThanAThousandHoweverShort) {
  EXPECT_EQ(MakeBatches(WithCosts({9, 200, 9}), 10), (std::vector<std::vector<uint32_t>>{{1}, {0}, {2}}));
  const auto batches = MakeBatches(WithCosts(std::vector<uint32_t>(3000, 1)), 262144);
  ASSERT_EQ(batches.size(), 3u);
  EXPECT_EQ(batches[0].size(), kMaxBatchItems);
  EXPECT_TRUE(MakeBatches({}, 10).empty());
}

TEST(EmbeddingBatches, CutTextsBetweenCharactersAndCountThemByBytes) {
  EXPECT_EQ(TextItem("12345678", 256).cost, 4u);
  EXPECT_EQ(TextItem("", 256).cost, 2u);
  EXPECT_EQ(TextItem(std::string(100000, 'x'), 256).cost, 256u);
  EXPECT_EQ(TextItem(std::string(100000, 'x'), 256).text.size(), 64u * 256);
  std::string text(127, 'x');
  text += "\xE2\x82\xAC";  // € across the border of 2 × 64 bytes
  EXPECT_EQ(TextItem(text + "yyy", 2).text, std::string(127, 'x'));
}

// ---- what is embedded -------------------------------------------------------------------------

TEST(EmbeddingText, IsTitleAndHeadingsThenThePassagesText) {
  const PageInput page = test::SamplePages()[0];
  const size_t first = page.passages[0].end, second = page.passages[1].end;
  EXPECT_EQ(EmbeddingText(page, 0), "Caching answers\n" + page.text.substr(0, first));
  EXPECT_EQ(EmbeddingText(page, 1), "Caching answers > Expiry\n" + page.text.substr(first, second - first));
  EXPECT_EQ(EmbeddingText(page, 2), "Caching answers > Expiry > Purging\n" + page.text.substr(second));
}

TEST(EmbeddingText, NamesEachPartOnceAndNothingThatIsEmpty) {
  PageInput page;
  page.text = "words";
  page.passages.push_back({5, {"Setup", "", "Guide", "Setup"}, "", 1, 1, "words", ""});
  page.title = "Guide";
  EXPECT_EQ(EmbeddingText(page, 0), "Guide > Setup\nwords");
  page.title.clear();
  page.passages[0].headings.clear();
  EXPECT_EQ(EmbeddingText(page, 0), "words");
}

}  // namespace embedding_protocol_test
}  // namespace sheaf::packer
