// Packing with a transformer, from pages to the bundle, and the command line around it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "bundle/container.h"
#include "bundle/settings.h"
#include "packer/base/progress.h"
#include "packer/embed/embedding_client.h"
#include "packer/embed/embedding_passages.h"
#include "packer/embed/embedding_text.h"
#include "packer/pipeline/pipeline.h"
#include "tests/unit/embedding_support.h"
#include "tests/unit/fake_encoder.h"
#include "tests/unit/support.h"
#include "vector/hnsw_builder.h"

namespace sheaf::packer {
namespace embedding_pack_test {

using Json = nlohmann::json;

PreparedPagePtr Prepare(PageInput page) {
  const Analyzer analyzer(Language::kEnglish);
  auto prepared = PreparePage(std::move(page), analyzer, nullptr);
  EXPECT_TRUE(prepared.ok());
  return std::move(*prepared);
}

BuildOptions TransformerOptions() {
  BuildOptions options = test::SampleOptions();
  options.compression_level = 1;
  options.document_encoder = DocumentEncoder{"model", "0123456789abcdef" + std::string(48, '7'), "int8", "fake-16", 16};
  return options;
}

struct Opened {
  Settings settings;
  Json manifest;
};
Opened Read(const std::vector<uint8_t>& bundle) {
  Container container(bundle.size());
  EXPECT_TRUE(container.Supply(0, bundle).ok());
  EXPECT_TRUE(container.Open(ContainerKind::kBundle).ok());
  Opened opened;
  const auto settings = container.ReadAll(*container.Find(SectionId::kSettings));
  opened.settings = *ReadSettings(*settings);
  const auto manifest = container.ReadAll(*container.Find(SectionId::kManifest));
  opened.manifest = Json::parse(AsText(*manifest));
  return opened;
}

// ---- the bundle -------------------------------------------------------------------------------

TEST(TransformerBundle, NamesEncoderHashPrecisionAndSpace) {
  BundleBuilder builder(TransformerOptions(), nullptr);
  PreparedPagePtr page = Prepare(test::SamplePages()[0]);
  std::vector<float> rows;
  for (int i = 0; i < 3; ++i) {
    const auto row = test::FakeVector(AsBytes(std::to_string(i)), 16);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  ASSERT_TRUE(SetVectors(page.get(), rows, 16).ok());
  ASSERT_TRUE(builder.Add(std::move(page)).ok());
  const auto bundle = builder.Finish({});
  ASSERT_TRUE(bundle.ok()) << bundle.error().message;
  const Opened opened = Read(*bundle);
  EXPECT_EQ(opened.settings.document_encoder, kTransformerEncoder);
  EXPECT_EQ(opened.settings.encoder_hash, 0x0123456789abcdefu);
  EXPECT_EQ(opened.settings.space, "fake-16");
  EXPECT_EQ(opened.settings.dimensions, 16u);
  float sum = 0;
  for (int i = 0; i < 3; ++i) sum += rows[size_t(i) * 16];
  EXPECT_NEAR(opened.settings.centroid[0], sum / 3, 1.0 / 254);  // its codes have 8 bits
  const Json expected = {{"space", "fake-16"},
                         {"dimensions", 16},
                         {"bits", 4},
                         {"encoder", "model"},
                         {"encoder_hash", TransformerOptions().document_encoder->hash},
                         {"precision", "int8"}};
  EXPECT_EQ(opened.manifest["vectors"], expected);
}

TEST(TransformerBundle, RefusesPagesWithoutVectorsOrWithOthers) {
  BundleBuilder builder(TransformerOptions(), nullptr);
  EXPECT_EQ(builder.Add(Prepare(test::SamplePages()[0])).code(), ErrorCode::kInvalidArgument);
  PreparedPagePtr page = Prepare(test::SamplePages()[0]);
  EXPECT_EQ(SetVectors(page.get(), std::vector<float>(32), 16).code(), ErrorCode::kInvalidArgument);
  ASSERT_TRUE(SetVectors(page.get(), std::vector<float>(96), 32).ok());
  const Status added = builder.Add(std::move(page));
  EXPECT_EQ(added.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(added.error().message.find("guide/caching.md"), std::string::npos) << added.error().message;
}

// What cannot wait on disk ends the run while pages still come, not when the bundle is finished.
TEST(TransformerBundle, SaysWhenItsPagesNeedMoreMemoryThanIsAllowed) {
  const auto add = [](GraphMode graph, BuilderMemory memory, uint64_t* to_finish) {
    BuildOptions options = TransformerOptions();
    options.graph = graph;
    BundleBuilder builder(options, nullptr);
    builder.SetMemory(memory);
    PreparedPagePtr page = Prepare(test::SamplePages()[0]);
    EXPECT_TRUE(SetVectors(page.get(), std::vector<float>(48, 0.25f), 16).ok());
    const Status added = builder.Add(std::move(page));
    EXPECT_GT(builder.bytes_to_finish(), builder.bytes_held());
    *to_finish = builder.bytes_to_finish();
    return added;
  };
  uint64_t with_graph = 0, without = 0;
  EXPECT_TRUE(add(GraphMode::kNever, {}, &without).ok());
  EXPECT_TRUE(add(GraphMode::kAlways, {}, &with_graph).ok());
  EXPECT_EQ(with_graph - without, 3 * HnswBytesARow(16, 16));
  EXPECT_TRUE(add(GraphMode::kAlways, {UINT64_MAX, with_graph}, &with_graph).ok());
  const Status refused = add(GraphMode::kAlways, {UINT64_MAX, with_graph - 1}, &with_graph);
  ASSERT_EQ(refused.code(), ErrorCode::kTooLarge);
  EXPECT_NE(refused.error().message.find("1 pages with 3 passages"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("when the bundle is finished"), std::string::npos);
  EXPECT_EQ(add(GraphMode::kNever, {100, UINT64_MAX}, &without).code(), ErrorCode::kTooLarge);
}

TEST(TransformerBundle, SettingsReadTheOldFormAndTheNew) {
  Settings settings;
  settings.pages = settings.passages = 1;
  settings.vector_bits = 4;
  settings.dimensions = 16;
  settings.centroid.assign(16, 0.25f);
  const std::vector<uint8_t> old_form = WriteSettings(settings);
  EXPECT_EQ(ReadSettings(old_form)->document_encoder, kStaticTableEncoder);
  settings.document_encoder = kTransformerEncoder;
  std::vector<uint8_t> new_form = WriteSettings(settings);
  EXPECT_EQ(new_form.size(), old_form.size() + 1);
  EXPECT_EQ(ReadSettings(new_form)->document_encoder, kTransformerEncoder);
  new_form.push_back(99);  // a later minor version's
  EXPECT_EQ(ReadSettings(new_form)->document_encoder, kTransformerEncoder);
}

// ---- pages to vectors -------------------------------------------------------------------------

class PassageEmbedderTest : public test::EmbeddingTest {
 protected:
  std::unique_ptr<PassageEmbedder> Open(const std::string& options, bool cached = true) {
    EncoderCommand command;
    command.command = Fake(options);
    const auto note = [&](const std::string& what) { notes_.push_back(what); };
    auto client = EmbeddingClient::Start(std::move(command), note);
    EXPECT_TRUE(client.ok()) << client.error().message;
    if (!client.ok()) return nullptr;
    auto embedder = PassageEmbedder::Open(std::move(*client), cached ? At("cache") : "", note);
    EXPECT_TRUE(embedder.ok()) << embedder.error().message;
    return embedder.ok() ? std::move(*embedder) : nullptr;
  }
  // Embeds `pages` and builds a bundle of them.
  std::vector<uint8_t> Pack(PassageEmbedder* embedder, const std::vector<PageInput>& pages) {
    std::vector<PreparedPagePtr> prepared;
    std::vector<PageToEmbed> to_embed;
    for (const PageInput& page : pages) {
      prepared.push_back(Prepare(page));
      to_embed.push_back({prepared.back().get(), page.source});
    }
    size_t last = 0, all = 0;
    auto failures = embedder->Embed(to_embed, [&](size_t done, size_t total) {
      last = done, all = total;
      return true;
    });
    EXPECT_TRUE(failures.ok()) << failures.error().message;
    if (!failures.ok()) return {};
    failures_ = std::move(*failures);
    EXPECT_EQ(last, all);
    BuildOptions options = TransformerOptions();
    options.document_encoder = embedder->document_encoder();
    BundleBuilder builder(options, nullptr);
    for (PreparedPagePtr& page : prepared) EXPECT_TRUE(builder.Add(std::move(page)).ok());
    auto bundle = builder.Finish({});
    EXPECT_TRUE(bundle.ok());
    return bundle.ok() ? std::move(*bundle) : std::vector<uint8_t>();
  }
  // The bundle that the same vectors give without any process.
  static std::vector<uint8_t> Expected(const std::vector<PageInput>& pages, const DocumentEncoder& encoder,
                                       const std::function<std::vector<float>(const std::string&)>& vector) {
    BuildOptions options = TransformerOptions();
    options.document_encoder = encoder;
    BundleBuilder builder(options, nullptr);
    for (const PageInput& page : pages) {
      PreparedPagePtr prepared = Prepare(page);
      std::vector<float> rows;
      for (size_t i = 0; i < page.passages.size(); ++i) {
        std::vector<float> row = vector(EmbeddingText(page, i));
        Normalize(&row);  // as the packer does
        rows.insert(rows.end(), row.begin(), row.end());
      }
      EXPECT_TRUE(SetVectors(prepared.get(), rows, 16).ok());
      EXPECT_TRUE(builder.Add(std::move(prepared)).ok());
    }
    return *builder.Finish({});
  }

  std::vector<PageFailure> failures_;
  std::vector<std::string> notes_;
};

TEST_F(PassageEmbedderTest, EmbedsPrefixAndTextOfEachPassage) {
  const auto embedder = Open("--prefix 'passage: ' --max-tokens 256");
  const auto bundle = Pack(embedder.get(), test::SamplePages());
  EXPECT_EQ(bundle, Expected(test::SamplePages(), embedder->document_encoder(), [](const std::string& text) {
              return test::FakeVector(AsBytes("passage: " + text), 16);
            }));
  EXPECT_EQ(embedder->stats().embedded, 9u);
  EXPECT_EQ(embedder->stats().cached, 0u);
  EXPECT_GT(embedder->stats().seconds, 0);
  embedder->Finish();
  EXPECT_TRUE(notes_.empty());
}

TEST_F(PassageEmbedderTest, TokenisesWithTheProcesssVocabulary) {
  const std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncache\n##d\nanswers\nexpires\npassage\n:\nused\n";
  Write("vocab.txt", vocabulary);
  const auto embedder = Open("--input tokens --prefix 'passage: ' --max-tokens 8 --vocabulary " + At("vocab.txt"));
  auto tokenizer = WordPiece::Create(vocabulary);
  ASSERT_TRUE(tokenizer.ok());
  const auto vector = [&](const std::string& text) {
    std::vector<uint32_t> ids;
    tokenizer->Encode("passage: " + text, 8, &ids);
    EXPECT_LE(ids.size(), 8u);
    return test::FakeVector(std::span<const uint32_t>(ids), 16);
  };
  EXPECT_EQ(Pack(embedder.get(), test::SamplePages()),
            Expected(test::SamplePages(), embedder->document_encoder(), vector));
}

TEST_F(PassageEmbedderTest, SaysWhichVocabularyCannotBeRead) {
  Write("empty.txt", "");
  for (const char* name : {"missing.txt", "empty.txt"}) {
    EncoderCommand command;
    command.command = Fake("--input tokens --vocabulary " + At(name));
    auto client = EmbeddingClient::Start(std::move(command), [](const std::string&) {});
    ASSERT_TRUE(client.ok());
    const auto embedder = PassageEmbedder::Open(std::move(*client), "", [](const std::string&) {});
    ASSERT_FALSE(embedder.ok());
    EXPECT_NE(embedder.error().message.find(At(name)), std::string::npos) << embedder.error().message;
    EXPECT_NE(embedder.error().message.find(SHEAF_FAKE_ENCODER), std::string::npos) << embedder.error().message;
  }
}

TEST_F(PassageEmbedderTest, AsksTheProcessForNothingThatIsInTheCache) {
  const auto bundle = Pack(Open("").get(), test::SamplePages());
  const auto again = Open("--log " + At("log") + " --fault die --after 0");
  EXPECT_EQ(Pack(again.get(), test::SamplePages()), bundle);
  EXPECT_EQ(again->stats().embedded, 0u);
  EXPECT_EQ(again->stats().cached, 9u);
  EXPECT_EQ(test::EmbeddingTest::Read("log"), "");
  auto pages = test::SamplePages();
  pages[1].title = "Models of responses";
  const auto changed = Open("");
  Pack(changed.get(), pages);
  EXPECT_EQ(changed->stats().embedded, pages[1].passages.size());
}

TEST_F(PassageEmbedderTest, UsesNoVectorOfAnotherEncoder) {
  Pack(Open("").get(), test::SamplePages());
  for (const char* other : {"--precision int8", "--max-tokens 32", "--prefix p", "--name other", "--dimensions 32"}) {
    const auto embedder = Open(other);
    Pack(embedder.get(), test::SamplePages());
    EXPECT_EQ(embedder->stats().cached, 0u) << other;
  }
  const auto same = Open("--batch-tokens 64 --in-flight 3");
  Pack(same.get(), test::SamplePages());
  EXPECT_EQ(same->stats().cached, 9u);
}

TEST_F(PassageEmbedderTest, EmbedsEqualTextsOnce) {
  auto pages = test::SamplePages();
  pages.push_back(pages[0]);
  const auto embedder = Open("", /*cached=*/false);
  Pack(embedder.get(), pages);
  EXPECT_EQ(embedder->stats().embedded, 9u);
  EXPECT_EQ(embedder->stats().cached, 3u);
}

TEST_F(PassageEmbedderTest, TakesAnyNumberOfPassages) {
  std::vector<test::Section> sections;
  for (int i = 0; i < 2500; ++i) sections.push_back({{"H" + std::to_string(i)}, "", "words", ""});
  const std::vector<PageInput> pages = {test::MakePageInput("Long", "long.md", sections)};
  const auto embedder = Open("--batch-tokens 4096");
  EXPECT_EQ(Pack(embedder.get(), pages), Expected(pages, embedder->document_encoder(), [](const std::string& text) {
              return test::FakeVector(AsBytes(text), 16);
            }));
  EXPECT_EQ(embedder->stats().embedded, 2500u);
}

TEST_F(PassageEmbedderTest, NamesPagesWhosePassagesCannotBeEmbedded) {
  const auto embedder = Open("--item-error Expiry --max-tokens 256", /*cached=*/false);
  Pack(embedder.get(), test::SamplePages());
  ASSERT_EQ(failures_.size(), 1u);
  EXPECT_EQ(failures_[0].page, 0u);
  EXPECT_EQ(failures_[0].passages, 2u);
  EXPECT_EQ(failures_[0].reason, "this passage is unspeakable");
  EXPECT_EQ(embedder->stats().failed, 2u);
}

TEST_F(PassageEmbedderTest, GoesOnWithoutACacheThatCannotBeUsed) {
  Write("cache", "in the way");
  const auto embedder = Open("");
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find(At("cache")), std::string::npos) << notes_[0];
  Pack(embedder.get(), test::SamplePages());
  EXPECT_EQ(embedder->stats().embedded, 9u);
}

// ---- progress ---------------------------------------------------------------------------------

TEST(EmbeddingProgress, ShowsPassagesAndTheirRate) {
  ProgressState state;
  state.stage = "packing";
  state.pages = 812;
  state.bytes = 50;
  state.total_bytes = 100;
  state.seconds = 40;
  state.embeds = true;
  EXPECT_EQ(FormatProgress(state, 0), "packing   50%  812 pages · 0 passages · 40 s left");
  state.passages = 6120;
  state.embedded_passages = 4290;
  state.embedding_seconds = 30;
  EXPECT_EQ(FormatProgress(state, 0), "packing   50%  812 pages · 6,120 passages · 143 passages/s · 40 s left");
}

// ---- sheaf-pack -------------------------------------------------------------------------------

class PackCommandTest : public test::EmbeddingTest {
 protected:
  struct Ended {
    int exit_code = -1;
    std::string err;
    Json json;
  };
  void SetUp() override {
    EmbeddingTest::SetUp();
    ::unsetenv("SHEAF_COMMAND");
  }
  void WriteDocs(int pages) {
    for (int p = 0; p < pages; ++p) {
      std::string text = "# Page " + std::to_string(p) + "\n\n";
      for (int s = 0; s < 1 + p % 4; ++s) {
        text += "## Section " + std::to_string(s) + "\n\n" + "Words about topic " + std::to_string(p * 31 + s) + " " +
                std::string(size_t(p * 13 % 70), 'y') + ".\n\n";
      }
      Write("docs/p" + std::to_string(p) + ".md", text);
    }
  }
  std::string PackLine(const std::string& options, const std::string& output = "out.sheaf") {
    return std::string(SHEAF_PACK) + " pack " + At("docs") + " --library l --version 1 --level 1 --json -o " +
           At(output) + (options.find("--vector-cache") == std::string::npos ? " --vector-cache " + At("cache") : "") +
           " " + options;
  }
  Ended Run(const std::string& line) {
    Ended ended;
    const int status = std::system((line + " >" + At("stdout") + " 2>" + At("stderr")).c_str());
    ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ended.err = Read("stderr");
    ended.json = Json::parse(Read("stdout"), nullptr, false);
    return ended;
  }
  Ended Pack(const std::string& options, const std::string& output = "out.sheaf") {
    return Run(PackLine(options, output));
  }
  static std::string Command(const std::string& options = "") { return "--encoder-command '" + Fake(options) + "'"; }
};

TEST_F(PackCommandTest, PacksReportsAndInspects) {
  WriteDocs(20);
  const Ended packed = Pack("--encoder fake " + Command());
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_EQ(packed.json["encoder"], "fake");
  EXPECT_EQ(packed.json["precision"], "fp32");
  EXPECT_EQ(packed.json["space"], "fake-16");
  EXPECT_EQ(packed.json["embeddedPassages"], packed.json["passages"]);
  EXPECT_EQ(packed.json["cachedPassages"], 0);
  EXPECT_GT(packed.json["embeddingSeconds"].get<double>(), 0);
  EXPECT_NE(packed.err.find("vectors by fake fp32: "), std::string::npos) << packed.err;
  EXPECT_NE(packed.err.find("passages/s"), std::string::npos) << packed.err;

  const Ended inspected = Run(std::string(SHEAF_PACK) + " inspect --json " + At("out.sheaf"));
  EXPECT_EQ(inspected.json["encoder"], "fake");
  EXPECT_EQ(inspected.json["precision"], "fp32");
  EXPECT_EQ(inspected.json["encoderHash"], std::string(64, 'a'));
  EXPECT_EQ(inspected.json["space"], "fake-16");
  Run(std::string(SHEAF_PACK) + " inspect " + At("out.sheaf"));
  EXPECT_NE(Read("stdout").find("made by fake fp32, hash " + std::string(64, 'a')), std::string::npos)
      << Read("stdout");
  EXPECT_EQ(Run(std::string(SHEAF_PACK) + " verify " + At("out.sheaf")).exit_code, 0);

  const Ended again = Pack("--encoder fake " + Command());
  EXPECT_EQ(again.json["embeddedPassages"], 0);
  EXPECT_EQ(again.json["cachedPassages"], again.json["passages"]);
}

TEST_F(PackCommandTest, GivesTheSameBytesForAnyJobsAndWithOrWithoutTheCache) {
  WriteDocs(900);  // several windows
  ASSERT_EQ(Pack(Command() + " --jobs 1", "one.sheaf").exit_code, 0);
  ASSERT_EQ(Pack(Command() + " --jobs 3 --vector-cache none --memory 16M", "three.sheaf").exit_code, 0);
  ASSERT_EQ(Pack(Command() + " --jobs 2", "cached.sheaf").exit_code, 0);
  const std::string one = Read("one.sheaf");
  EXPECT_GT(one.size(), 10000u);
  EXPECT_EQ(Read("three.sheaf"), one);
  EXPECT_EQ(Read("cached.sheaf"), one);
}

TEST_F(PackCommandTest, GoesOnFromItsCacheAfterKill9) {
  WriteDocs(150);
  ASSERT_EQ(Pack(Command() + " --vector-cache none", "whole.sheaf").exit_code, 0);
  const std::string line = "exec " + PackLine(Command("--slow 100 --batch-tokens 200")) + " >/dev/null 2>&1";
  const pid_t packer = ::fork();
  if (packer == 0) {
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  // Killed as soon as some vectors are stored, long before all are.
  const auto stored = [&] {
    std::error_code ignored;
    uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(At("cache"), ignored))
      bytes += entry.file_size(ignored);
    return bytes;
  };
  for (int i = 0; i < 6000 && stored() < 2000; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(::kill(packer, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(packer, &status, 0), packer);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it was quicker than the test";
  EXPECT_FALSE(std::filesystem::exists(At("out.sheaf")));

  const Ended resumed = Pack(Command("--batch-tokens 200"));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_GT(resumed.json["cachedPassages"].get<int>(), 0);
  EXPECT_GT(resumed.json["embeddedPassages"].get<int>(), 0);
  EXPECT_EQ(Read("out.sheaf"), Read("whole.sheaf"));
}

TEST_F(PackCommandTest, EndsTheProcessWhenItIsInterrupted) {
  WriteDocs(20);
  const std::string line =
      "exec " +
      PackLine("--encoder-command 'echo $$ >" + At("pid") + "; exec " + Fake("--fault wedge --after 0 --deaf") + "'") +
      " >/dev/null 2>&1";
  const pid_t packer = ::fork();
  if (packer == 0) {
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  for (int i = 0; i < 3000 && std::atoi(Read("pid").c_str()) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const pid_t process = pid_t(std::atoi(Read("pid").c_str()));
  ASSERT_GT(process, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ASSERT_EQ(::kill(packer, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(packer, &status, 0), packer);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  const auto gone = [&] {
    const std::string path = "/proc/" + std::to_string(process) + "/stat";
    std::ostringstream stat;
    stat << std::ifstream(path).rdbuf();
    return stat.str().empty() || stat.str().find(") Z") != std::string::npos;
  };
  for (int i = 0; i < 500 && !gone(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(gone());
}

TEST_F(PackCommandTest, SurvivesAProcessThatDiesOnceAndSaysSo) {
  WriteDocs(60);
  ASSERT_EQ(Pack(Command() + " --vector-cache none", "whole.sheaf").exit_code, 0);
  const Ended packed = Pack(Command("--fault die --after 2 --once " + At("marker")));
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_EQ(Read("out.sheaf"), Read("whole.sheaf"));
  ASSERT_EQ(packed.json["notes"].size(), 1u);
  EXPECT_NE(packed.json["notes"][0]["reason"].get<std::string>().find("exited with status 3"), std::string::npos);
}

TEST_F(PackCommandTest, FailsWithCommandReasonAndPageWhenItDiesTwice) {
  WriteDocs(60);
  const Ended packed = Pack(Command("--fault die --after 2"));
  EXPECT_EQ(packed.exit_code, 2);
  const std::string message = packed.json["error"]["message"];
  for (const char* part :
       {"sheaf_fake_encoder", "exited with status 3", "a passage of p", ".md was being embedded", "cache"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_FALSE(std::filesystem::exists(At("out.sheaf")));
}

TEST_F(PackCommandTest, NamesPagesWithPassagesThatCannotBeEmbedded) {
  WriteDocs(12);
  const Ended packed = Pack(Command("--item-error topic\\ 65"));  // page 2, section 3
  EXPECT_EQ(packed.exit_code, 0) << "page 2 has three sections only: " << packed.err;
  const Ended partly = Pack(Command("--item-error topic\\ 64") + " --vector-cache none");
  EXPECT_EQ(partly.exit_code, 3) << partly.err;
  ASSERT_EQ(partly.json["inPart"].size(), 1u);
  EXPECT_EQ(partly.json["inPart"][0]["path"], "p2.md");
  EXPECT_NE(partly.json["inPart"][0]["reason"].get<std::string>().find("this passage is unspeakable"),
            std::string::npos);
  EXPECT_TRUE(partly.json["skipped"].empty());
  EXPECT_EQ(partly.json["pages"], 12);
  EXPECT_EQ(partly.json["failedPassages"], 1);
  EXPECT_NE(partly.err.find("1 page has passages without a vector"), std::string::npos) << partly.err;
  const Ended strict = Pack(Command("--item-error topic\\ 64") + " --vector-cache none --strict");
  EXPECT_EQ(strict.exit_code, 2);
}

TEST_F(PackCommandTest, SaysHowToGetTheCommandWhenThereIsNone) {
  WriteDocs(1);
  const Ended packed = Run("PATH=/nowhere " + PackLine("--encoder all-MiniLM-L6-v2"));
  EXPECT_EQ(packed.exit_code, 2);
  const std::string message = packed.json["error"]["message"];
  for (const char* part : {"all-MiniLM-L6-v2", "npm install", "SHEAF_COMMAND", "--encoder-command"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST_F(PackCommandTest, RunsTheCommandOfTheVariableWithQuotedArguments) {
  WriteDocs(2);
  Write("sheaf.sh", "printf '%s|' \"$@\" >" + At("arguments") + "; exec " + Fake("--name \"$2\" --precision \"$4\""));
  const Ended packed = Run("SHEAF_COMMAND='sh " + At("sheaf.sh") + "' " +
                           PackLine("--encoder \"it's; touch " + At("oops") + "\" --encoder-precision int8"));
  EXPECT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_EQ(Read("arguments"), "embed|it's; touch " + At("oops") + "|--precision|int8|");
  EXPECT_FALSE(std::filesystem::exists(At("oops")));
}

TEST_F(PackCommandTest, RefusesOptionsThatDoNotGoTogether) {
  WriteDocs(1);
  for (const char* options :
       {"--encoder static --encoder-command true", "--encoder none --encoder-command true", "--encoder-precision int8",
        "--encoder -x", "--encoder-command true --encoder-precision fp64",
        "--encoder-command true --encoder-timeout 0"}) {
    EXPECT_EQ(Pack(options).exit_code, 1) << options;
  }
}

TEST_F(PackCommandTest, StartsNoProcessForABundleWithoutVectors) {
  WriteDocs(1);
  const Ended packed = Pack("--vector-bits 0 --encoder-command 'touch " + At("started") + "'");
  EXPECT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_FALSE(std::filesystem::exists(At("started")));
  EXPECT_TRUE(packed.json["encoder"].is_null());
}

}  // namespace embedding_pack_test
}  // namespace sheaf::packer
