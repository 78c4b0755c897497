#include "packer/job/options.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>
#include <string>

#include "tests/unit/job_support.h"

namespace sheaf::packer {
namespace job_options_test {

class JobOptionsTest : public test::JobTest {
 protected:
  // What is said of the options after `change`; empty: nothing.
  std::string Said(const std::function<void(PackOptions*)>& change) const {
    PackOptions options = Options();
    change(&options);
    const Result<CheckedOptions> checked = CheckPackOptions(std::move(options));
    if (checked.ok()) return {};
    EXPECT_EQ(checked.code(), ErrorCode::kInvalidArgument);
    return checked.error().message;
  }
};

TEST_F(JobOptionsTest, TakesWhatTheCommandLineTakesAndSaysWhatFollows) {
  PackOptions options = Options();
  options.jobs = 0;
  options.memory = "512M";
  options.no_ignore = true;
  options.encoder.clear();
  const Result<CheckedOptions> checked = CheckPackOptions(options);
  ASSERT_TRUE(checked.ok()) << checked.error().message;
  EXPECT_GE(checked->options.jobs, 1u);
  EXPECT_EQ(checked->pipeline.jobs, checked->options.jobs);
  EXPECT_EQ(checked->pipeline.memory, uint64_t(512) << 20);
  EXPECT_EQ(checked->pipeline.max_file_size, uint64_t(100) << 20);
  EXPECT_FALSE(checked->source.ignore_rules);
  EXPECT_EQ(checked->kind, EncoderKind::kStatic);
  options.vector_bits = 0;
  EXPECT_EQ(CheckPackOptions(options)->kind, EncoderKind::kNone);
  options.vector_bits = 8;
  options.encoder = "all-MiniLM-L6-v2";
  EXPECT_EQ(CheckPackOptions(options)->kind, EncoderKind::kProcess);
}

TEST_F(JobOptionsTest, NamesEachOptionThatIsOutOfItsRange) {
  WriteDocs(1);
  const std::pair<const char*, std::function<void(PackOptions*)>> wrong[] = {
      {"--library is required", [](PackOptions* o) { o->library.clear(); }},
      {"--version is required", [](PackOptions* o) { o->version.clear(); }},
      {"library name 'a b'", [](PackOptions* o) { o->library = "a b"; }},
      {"version 'a/b'", [](PackOptions* o) { o->version = "a/b"; }},
      {"--safesearch often", [](PackOptions* o) { o->safesearch = "often"; }},
      {"--jobs 257: expected 0 to 256", [](PackOptions* o) { o->jobs = 257; }},
      {"--passage-size 199: expected 200 to 4000", [](PackOptions* o) { o->passage_size = 199; }},
      {"--level 23: expected 1 to 22", [](PackOptions* o) { o->level = 23; }},
      {"--vector-bits 5", [](PackOptions* o) { o->vector_bits = 5; }},
      {"--memory 15M", [](PackOptions* o) { o->memory = "15M"; }},
      {"--max-file-size 2G", [](PackOptions* o) { o->max_file_size = "2G"; }},
      {"--encoder-precision fp8", [](PackOptions* o) { o->encoder_precision = "fp8"; }},
      {"--encoder-precision goes with", [](PackOptions* o) { o->encoder_precision = "int8"; }},
      {"--encoder-command goes with", [](PackOptions* o) { o->encoder_command = "true"; }},
      {"--encoder -x", [](PackOptions* o) { o->encoder = "-x"; }},
      {"--encoder-timeout", [](PackOptions* o) { o->encoder_timeout = 0; }},
      {"--encoder-timeout", [](PackOptions* o) { o->encoder_timeout = std::numeric_limits<double>::quiet_NaN(); }},
  };
  for (const auto& [part, change] : wrong) {
    const std::string said = Said(change);
    EXPECT_NE(said.find(part), std::string::npos) << part << ", but it said: " << said;
  }
}

TEST_F(JobOptionsTest, GivesEachOptionOneNameInEachLanguage) {
  EXPECT_EQ(FlagOf("own_urls_in"), "--own-urls-in");
  EXPECT_EQ(ScriptOf("own_urls_in"), "ownUrlsIn");
  PackOptions options;
  std::set<std::string> flags, names;
  size_t count = 0;
  ForEachOption(&options, [&](const OptionText& text, const auto&, auto*) {
    ++count;
    flags.insert(FlagOf(text.field));
    names.insert(ScriptOf(text.field));
    EXPECT_STRNE(text.help, "") << text.field;
  });
  EXPECT_GT(count, 25u);
  EXPECT_EQ(flags.size(), count);
  EXPECT_EQ(names.size(), count);
  for (const FormerName& name : kFormerNames) {
    EXPECT_TRUE(flags.contains(FlagOf(name.field)));
    EXPECT_FALSE(flags.contains(FlagOf(name.former)));
  }
}

TEST_F(JobOptionsTest, SaysThatAnInputIsMissingBeforeItAsksForAName) {
  PackOptions options = Options();
  options.library.clear();
  options.inputs = {At("missing")};
  const Result<CheckedOptions> checked = CheckPackOptions(options);
  EXPECT_EQ(checked.code(), ErrorCode::kNotFound);
  EXPECT_NE(checked.error().message.find("missing: no such file or folder"), std::string::npos);
}

}  // namespace job_options_test
}  // namespace sheaf::packer
