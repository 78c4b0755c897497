// Committed bundles: one per format version with its answers, and broken ones named for their defect.
// SHEAF_UPDATE_GOLDEN=1 writes them anew; do so together with docs/format.md and its history.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/checksum.h"
#include "bundle/format.h"
#include "tests/unit/bundle_edit.h"
#include "tests/unit/support.h"

namespace sheaf {
namespace golden_test {

const std::string kFolder = std::string(SHEAF_SOURCE_DIR) + "/tests/golden/";

std::vector<uint8_t> ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path << " is missing; SHEAF_UPDATE_GOLDEN=1 writes it";
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteFile(const std::string& path, ByteSpan bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
}

bool Updating() { return std::getenv("SHEAF_UPDATE_GOLDEN") != nullptr; }

// Lines of code on one line.
std::string Line(std::string text) {
  for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "\\n");
  return text;
}

std::string Answers(const std::vector<uint8_t>& bundle) {
  Engine engine = test::WholeEngine(bundle);
  std::string out;
  for (const char* text : {"cache", "use effect", "asyncio.gahter", "memoize", "C++", "<table>", "缓存"}) {
    Query query;
    query.text = text;
    query.top_k = 3;
    out += std::string("? ") + text + "\n";
    for (const Hit& hit : test::SearchAll(&engine, query).hits) {
      char score[32];
      std::snprintf(score, sizeof(score), "%.4f", double(hit.score));
      out += std::string("  ") + score + " " + hit.source + "#" + hit.anchor + " " + std::to_string(hit.passage) +
             " | " + Line(hit.snippet) + "\n";
    }
  }
  return out;
}

// Each defect, made from a sound bundle, and the error it must give.
std::map<std::string, std::pair<ErrorCode, std::vector<uint8_t>>> Broken(const std::vector<uint8_t>& sound) {
  const auto reseal = [](std::vector<uint8_t> bytes) {
    const uint32_t checksum = Checksum32(ByteSpan(bytes).first(60));
    for (int i = 0; i < 4; ++i) bytes[size_t(60 + i)] = uint8_t(checksum >> (8 * i));
    return bytes;
  };
  const auto with = [&](size_t at, uint8_t value) {
    auto copy = sound;
    copy[at] = value;
    return copy;
  };
  std::map<std::string, std::pair<ErrorCode, std::vector<uint8_t>>> broken;
  broken["empty"] = {ErrorCode::kNotABundle, {}};
  broken["no_bundle"] = {ErrorCode::kNotABundle, std::vector<uint8_t>(200, 'P')};
  broken["newline_converted"] = {ErrorCode::kNotABundle, with(6, '\n')};
  broken["newer_version"] = {ErrorCode::kUnsupportedVersion, reseal(with(8, 2))};
  broken["reserved_bit"] = {ErrorCode::kUnsupportedVersion, reseal(with(11, 1))};
  broken["header_flipped"] = {ErrorCode::kChecksumMismatch, with(17, uint8_t(sound[17] ^ 1))};
  broken["truncated"] = {ErrorCode::kTruncated, {sound.begin(), sound.end() - 100}};
  broken["directory_flipped"] = {ErrorCode::kChecksumMismatch, with(70, uint8_t(sound[70] ^ 1))};
  broken["block_flipped"] = {ErrorCode::kChecksumMismatch,
                             with(sound.size() - 10, uint8_t(sound[sound.size() - 10] ^ 1))};
  broken["encoder_table"] = {ErrorCode::kWrongKind, test::TableBytes()};
  return broken;
}

TEST(Golden, TodaysBuilderWritesTheCommittedBundleByteForByte) {
  const auto built = test::SampleBundle();
  if (Updating()) WriteFile(kFolder + "v1/tiny.sheaf", built);
  EXPECT_EQ(ReadFile(kFolder + "v1/tiny.sheaf"), built)
      << "the format or an index constant changed: SHEAF_UPDATE_GOLDEN=1, docs/format.md and CHANGELOG.md go with it";
}

TEST(Golden, CommittedBundlesGiveTheirCommittedAnswers) {
  const auto bundle = ReadFile(kFolder + "v1/tiny.sheaf");
  const std::string answers = Answers(bundle);
  if (Updating()) WriteFile(kFolder + "v1/tiny.answers.txt", AsBytes(answers));
  EXPECT_EQ(std::string(AsText(ReadFile(kFolder + "v1/tiny.answers.txt"))), answers);
}

// What tests of other languages read: files that a later version of Sheaf could write.
TEST(Golden, FilesOfTomorrowAreTheCommittedOnes) {
  const std::map<std::string, std::vector<uint8_t>> files = {
      {"additions.sheaf", test::WithAdditions(test::SampleBundle())},
      {"analysis.sheaf", test::WithSettings([](Settings* s) {
         s->language = "de";
         s->tokenizer = 3;
         s->stemmer = 7;
       })},
      {"query_version.sheaf", test::TableOfQueryVersion(2)},
      {"table.sheaf", test::TableBytes()}};
  for (const auto& [name, bytes] : files) {
    const std::string path = kFolder + "tomorrow/" + name;
    if (Updating()) WriteFile(path, bytes);
    EXPECT_EQ(ReadFile(path), bytes) << name;
  }
}

// Lines of code blocks: an offset, the bytes there, and after two blanks what they are. The first block is of the file,
// the others of what it holds, decoded.
TEST(Golden, TheWalkthroughOfTheDocumentationSaysWhatTheBytesAre) {
  const std::vector<uint8_t> file = ReadFile(kFolder + "v1/tiny.sheaf");
  Container container(file.size());
  ASSERT_TRUE(container.Supply(0, file).ok());
  ASSERT_TRUE(container.Open(ContainerKind::kBundle).ok());
  const std::vector<std::vector<uint8_t>> blocks = {
      file, fuzz::PiecesOf(&container, *container.Find(SectionId::kTerms), file)[0],
      fuzz::PiecesOf(&container, *container.Find(SectionId::kPassages), file)[0]};
  std::ifstream page(std::string(SHEAF_SOURCE_DIR) + "/docs/format.md");
  std::string line;
  while (std::getline(page, line) && line != "## A bundle, byte by byte") continue;
  size_t fences = 0, lines = 0;
  while (std::getline(page, line) && !line.starts_with("## ")) {
    if (line == "```") {
      ++fences;
    } else if (fences % 2) {
      ASSERT_LT(fences / 2, blocks.size());
      size_t at = std::stoul(line, nullptr, 16);
      std::istringstream bytes(line.substr(6, line.find("  ", 6) - 6));
      for (std::string byte; bytes >> byte && byte != "…"; ++at) {
        ASSERT_LT(at, blocks[fences / 2].size()) << line;
        EXPECT_EQ(std::stoul(byte, nullptr, 16), blocks[fences / 2][at]) << line;
      }
      ++lines;
    }
  }
  EXPECT_EQ(fences, 2 * blocks.size());
  EXPECT_GT(lines, 100u);
}

TEST(Golden, BrokenBundlesAreRefusedWithTheErrorTheirNameSays) {
  for (const auto& [name, expected] : Broken(ReadFile(kFolder + "v1/tiny.sheaf"))) {
    const std::string path = kFolder + "broken/" + name + ".sheaf";
    if (Updating()) WriteFile(path, expected.second);
    const auto bytes = ReadFile(path);
    Engine engine = test::WholeEngine(bytes, {});
    auto verified = engine.Verify();
    ASSERT_TRUE(verified.error()) << name;
    EXPECT_EQ(ErrorCodeName(verified.error()->code), std::string(ErrorCodeName(expected.first)))
        << name << ": " << verified.error()->message;
    EXPECT_GT(verified.error()->message.size(), 30u) << name << " is explained too briefly";
  }
}

}  // namespace golden_test
}  // namespace sheaf
