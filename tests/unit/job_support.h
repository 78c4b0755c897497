// A job over a folder of pages, with a host that has no environment, and an observer that can call it off.
#ifndef SHEAF_TESTS_UNIT_JOB_SUPPORT_H_
#define SHEAF_TESTS_UNIT_JOB_SUPPORT_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "packer/job/pack_job.h"
#include "packer/job/rounds.h"
#include "tests/unit/fake_encoder.h"
#include "tests/unit/folder_support.h"

namespace sheaf::test {

// A transformer in this process: FakeVector of the text, in batches of eight.
class FakeTransformer : public packer::PassageEncoder {
 public:
  FakeTransformer() {
    info_.name = "fake";
    info_.hash = std::string(64, 'a');
    info_.precision = "fp32";
    info_.space = "fake-16";
    info_.dimensions = 16;
  }
  std::string Named() const override { return "the fake transformer"; }
  const packer::EncoderInfo& info() const override { return info_; }
  Status Embed(std::span<const packer::EmbeddingItem> items, const packer::EmbeddingCalls& calls) override {
    for (uint32_t begin = 0; begin < items.size(); begin += 8) {
      if (!calls.go_on()) return packer::Aborted();
      std::vector<uint32_t> numbers;
      std::vector<float> rows;
      for (uint32_t i = begin; i < std::min<size_t>(begin + 8, items.size()); ++i) {
        const std::vector<float> row = FakeVector(AsBytes(items[i].text), 16);
        numbers.push_back(i);
        rows.insert(rows.end(), row.begin(), row.end());
      }
      calls.answered(numbers, rows);
    }
    return {};
  }
  std::string Finish() override { return {}; }

 private:
  packer::EncoderInfo info_;
};

class JobTest : public FolderTest {
 protected:
  // Pages of one section each, with words of their own.
  void WriteDocs(int pages, int words = 20) {
    for (int p = 0; p < pages; ++p) {
      std::string text = "# Page " + std::to_string(p) + "\n\n";
      for (int w = 0; w < words; ++w) text += "word" + std::to_string(p * words + w) + " ";
      Write("docs/p" + std::to_string(p) + ".md", text + "\n");
    }
  }

  packer::PackOptions Options() const {
    packer::PackOptions options;
    options.inputs = {At("docs")};
    options.library = "l";
    options.version = "1";
    options.output = At("out/");
    options.encoder = "none";
    options.level = 1;
    options.jobs = 2;
    return options;
  }

  static packer::JobHost Host() {
    packer::JobHost host;
    host.packer = "test 1";
    host.find_table = []() -> Result<std::string> { return Error{ErrorCode::kNotFound, "there is no table here"}; };
    host.start_encoder = [](const packer::PackOptions&, packer::TakeNote,
                            const packer::GoOn&) -> Result<std::unique_ptr<packer::PassageEncoder>> {
      return std::unique_ptr<packer::PassageEncoder>(std::make_unique<FakeTransformer>());
    };
    return host;
  }

  // Runs and writes; the report has what came of it.
  packer::PackReport Pack(const packer::PackOptions& options, packer::PackObserver observer = {}) {
    packer::PackReport failed;
    Result<packer::CheckedOptions> checked = packer::CheckPackOptions(options);
    EXPECT_TRUE(checked.ok()) << checked.error().message;
    Result<packer::BundleTarget> target = packer::FileTarget(checked->options);
    EXPECT_TRUE(target.ok()) << target.error().message;
    auto job = packer::PackJob::Open(std::move(*checked), Host(), std::move(*target), std::move(observer));
    if (!job.ok()) {
      failed.error = job.error();
      return failed;
    }
    packer::Packed packed = (*job)->Run();
    if (!packed.report.error) (*job)->Write(&packed);
    return packed.report;
  }

  std::set<std::string> FilesIn(const std::string& folder) const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(At(folder))) names.insert(entry.path().filename());
    return names;
  }

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(FolderTest::SetUp());
    std::filesystem::create_directory(At("out"));
  }
};

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_UNIT_JOB_SUPPORT_H_
