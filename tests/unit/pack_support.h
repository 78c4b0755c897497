// A folder of pages and what the packer makes of it.
#ifndef SHEAF_TESTS_UNIT_PACK_SUPPORT_H_
#define SHEAF_TESTS_UNIT_PACK_SUPPORT_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/progress.h"
#include "packer/pipeline/page_cache.h"
#include "packer/pipeline/pipeline.h"
#include "packer/source/source.h"
#include "tests/unit/folder_support.h"

namespace sheaf::test {

class PackTest : public FolderTest {
 protected:
  struct Packed {
    packer::PackSummary summary;
    packer::RoundChanges changes;       // with a cache
    std::vector<uint8_t> bundle;        // empty without pages
    std::vector<std::string> reported;  // "path: reason"
  };
  // One round over the folder, or over the sources `given`.
  Packed Pack(const packer::PipelineOptions& options, const std::string& base_url, const packer::SourceList* given,
              packer::PageCache* cache) {
    Result<packer::SourceList> list = packer::FindSources({folder_}, {});
    EXPECT_TRUE(list.ok());
    const Result<packer::UrlMapper> urls = packer::UrlMapper::Create(base_url, packer::UrlStyle::kDefault);
    BuildOptions build;
    build.library = "test";
    build.version = "1";
    build.compression_level = 1;
    BundleBuilder builder(build, nullptr);
    packer::Progress progress;
    const packer::Survey survey;
    Packed packed;
    const auto report = [&](const packer::Remark& remark, bool) {
      packed.reported.push_back(remark.path + ": " + remark.reason);
    };
    if (cache != nullptr) cache->BeginRound();
    packed.summary = packer::PackPages(given ? *given : *list,
                                       {.urls = *urls,
                                        .options = options,
                                        .survey = survey,
                                        .rules = packer::SearchRules(),
                                        .progress = &progress,
                                        .cache = cache,
                                        .report = report},
                                       &builder);
    if (cache != nullptr) packed.changes = cache->EndRound();
    if (packed.summary.pages > 0) {
      Result<std::vector<uint8_t>> bundle = builder.Finish({});
      EXPECT_TRUE(bundle.ok());
      if (bundle.ok()) packed.bundle = std::move(*bundle);
    }
    return packed;
  }
};

}  // namespace sheaf::test

#endif  // SHEAF_TESTS_UNIT_PACK_SUPPORT_H_
