// The options that `pack` and `watch` share: parsed, checked, then opened as a job.
//
//     command line -> PackOptions -> CheckPackOptions -> OpenPackJob -> PackJob -> JobBuilder a bundle
//
// Everything that can fail early fails here, before the work begins.
#ifndef SHEAF_PACKER_CLI_CMD_PACK_OPTIONS_H_
#define SHEAF_PACKER_CLI_CMD_PACK_OPTIONS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "packer/cli/cmd_pack_encoder.h"
#include "packer/host/encoder_table.h"
#include "packer/output/spill_file.h"
#include "packer/pipeline/pipeline.h"
#include "packer/source/source.h"
#include "packer/source/url.h"
#include "search/bundle_builder.h"

namespace CLI {
class App;
}

namespace sheaf::packer {

struct PackOptions {
  std::vector<std::string> inputs;
  std::string library, version, title, output, rating;
  SourceOptions source;
  bool no_ignore = false;
  bool honor_noindex = false;
  std::string base_url, own_urls_in;
  UrlStyle url_style = UrlStyle::kDefault;
  unsigned jobs = 0;  // 0: as many as there are cores
  std::string memory = "1G", max_file_size = "100M";
  GraphMode graph = GraphMode::kAuto;
  uint32_t vector_bits = 4;
  EncoderOptions encoder;
  std::string encoder_table;
  uint32_t passage_size = 800;
  int level = 0;  // 0: the verb's default
  Language language = Language::kEnglish;
  bool json = false, strict = false, quiet = false, brief = false;
};

// REQUIRES: `options` outlives the parse. `default_level` is the default of --level in the help.
void AddPackOptions(CLI::App* verb, PackOptions* options, int default_level);

struct PackJob {
  PackOptions options;
  UrlMapper urls;
  PipelineOptions pipeline;
  EncoderKind kind = EncoderKind::kNone;
  std::string output;
  LoadedEncoder encoder;                      // with kStatic
  std::unique_ptr<PassageEmbedder> embedder;  // with kProcess
  DocumentEncoder document_encoder() const;   // "static" and its space, too
};

// Errors are mistakes of the user: kInvalidArgument.
Result<PackJob> CheckPackOptions(PackOptions options);
// Opens the output, the encoder table or the process. `note` receives what does not stop the work; it may be
// called for as long as the job lives.
Status OpenPackJob(PackJob* job, std::function<void(const std::string&)> note);

// A builder for one bundle with the settings of the job, and its scratch file.
class JobBuilder {
 public:
  JobBuilder(const PackJob& job, uint64_t postings_memory);
  BundleBuilder* operator->() { return &builder_; }
  BundleBuilder* get() { return &builder_; }
  uint64_t spilled_bytes() const { return scratch_.size(); }

 private:
  SpillFile scratch_;
  BundleBuilder builder_;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_CMD_PACK_OPTIONS_H_
