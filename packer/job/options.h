// What is to be packed and how: plain values, checked before any work begins.
//
//     command line, or the host of a module -> PackOptions -> CheckPackOptions -> CheckedOptions
//
// Messages call options by the names of their flags; a module's options are called alike.
#ifndef SHEAF_PACKER_JOB_OPTIONS_H_
#define SHEAF_PACKER_JOB_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "packer/pipeline/pipeline.h"
#include "packer/source/source.h"
#include "packer/source/url.h"
#include "search/bundle_builder.h"

namespace sheaf::packer {

inline constexpr unsigned kMaxJobs = 256;
inline constexpr uint32_t kMinPassageSize = 200, kMaxPassageSize = 4000;
inline constexpr int kMinLevel = 1, kMaxLevel = 22;
inline constexpr int kPackLevel = kUsualLevel;  // the default
inline constexpr int kRoundsLevel = 3;          // of packing again and again
inline constexpr double kMinTimeout = 0.1, kMaxTimeout = 86400;

enum class EncoderKind : uint8_t { kNone, kStatic, kProcess };

struct EncoderOptions {
  std::string encoder;    // as given: static, none, a model's name; empty: not given
  std::string command;    // of the embedding process; empty: not given
  std::string precision;  // fp32 or int8; empty: not given
  double timeout_seconds = 120;
  std::string cache;  // a folder, "none", or empty: the default

  // Follows from the options given; a command alone asks for a process.
  EncoderKind kind() const;
};

struct PackOptions {
  std::vector<std::string> inputs;
  std::string library, version, title, output;
  std::string rating;  // for safe search: none, moderate or strict; empty: not given
  SourceOptions source;
  bool no_ignore = false;  // rules `source.ignore_rules`
  bool honor_noindex = false;
  std::string base_url, own_urls_in;
  UrlStyle url_style = UrlStyle::kDefault;
  unsigned jobs = 0;                                  // at most kMaxJobs; 0: as many as there are cores
  std::string memory = "1G", max_file_size = "100M";  // see ParseBytes
  GraphMode graph = GraphMode::kAuto;
  uint32_t vector_bits = 4;  // 4, 8, or 0: no vectors
  EncoderOptions encoder;
  std::string encoder_table;    // a file; empty: the host finds it
  uint32_t passage_size = 800;  // characters
  int level = kPackLevel;       // of zstd
  std::string language;         // a tag or "none" (page_language.h); empty: what most pages name
  bool strict = false;          // stop at the first file that fails
};

// Options that agree with one another, and what follows from them.
struct CheckedOptions {
  PackOptions options;  // with the number of jobs
  UrlMapper urls;
  PipelineOptions pipeline;
  EncoderKind kind = EncoderKind::kNone;  // kNone without vector bits, too
};

// Errors are mistakes of the user, each naming its flag: kInvalidArgument, and those of CheckInputs.
Result<CheckedOptions> CheckPackOptions(PackOptions options);
// Checks that the options agree. Error: kInvalidArgument.
Status CheckEncoderOptions(const EncoderOptions& options);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_JOB_OPTIONS_H_
