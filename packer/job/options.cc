#include "packer/job/options.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <thread>
#include <utility>

#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/output/bundle_name.h"

namespace sheaf::packer {
namespace {

constexpr uint64_t kMinMemory = uint64_t(16) << 20;
// Passage borders are 32-bit offsets and a page is parsed in memory.
constexpr uint64_t kMaxFileSizeCap = uint64_t(1) << 30;
constexpr size_t kMaxName = 200;  // of a transformer

Error Bad(std::string what) { return {ErrorCode::kInvalidArgument, std::move(what)}; }

Status CheckWord(const char* flag, const std::string& given, std::initializer_list<std::string_view> words) {
  if (given.empty() || std::find(words.begin(), words.end(), given) != words.end()) return {};
  std::string expected;
  for (std::string_view word : words) expected += (expected.empty() ? "" : ", ") + std::string(word);
  return Bad(std::string(flag) + " " + TerminalText(given) + ": expected one of " + expected);
}

template <typename Number>
Status CheckRange(const char* flag, Number given, Number least, Number most) {
  if (given >= least && given <= most) return {};
  return Bad(std::string(flag) + " " + std::to_string(given) + ": expected " + std::to_string(least) + " to " +
             std::to_string(most));
}

// The command line checks these while it parses; other callers have them checked here.
Status CheckValues(const PackOptions& options) {
  SHEAF_RETURN_IF_ERROR(CheckWord("--safesearch", options.rating, {"none", "moderate", "strict"}));
  SHEAF_RETURN_IF_ERROR(CheckWord("--encoder-precision", options.encoder.precision, {"fp32", "int8"}));
  SHEAF_RETURN_IF_ERROR(CheckRange("--jobs", options.jobs, 0u, kMaxJobs));
  SHEAF_RETURN_IF_ERROR(CheckRange("--passage-size", options.passage_size, kMinPassageSize, kMaxPassageSize));
  SHEAF_RETURN_IF_ERROR(CheckRange("--level", options.level, kMinLevel, kMaxLevel));
  SHEAF_RETURN_IF_ERROR(CheckRange("--encoder-timeout", options.encoder.timeout_seconds, kMinTimeout, kMaxTimeout));
  if (options.vector_bits != 0 && options.vector_bits != 4 && options.vector_bits != 8)
    return Bad("--vector-bits " + std::to_string(options.vector_bits) + ": expected 4, 8 or 0");
  return {};
}

Status CheckNames(const PackOptions& options) {
  // A missing input folder is reported before a missing flag.
  for (const auto& [flag, value] :
       {std::pair{"--library", &options.library}, std::pair{"--version", &options.version}}) {
    if (!value->empty()) continue;
    SHEAF_RETURN_IF_ERROR(CheckInputs(options.inputs));
    return Bad(std::string(flag) +
               " is required: whose documentation it is, and which version. See: sheaf-pack pack --help");
  }
  SHEAF_RETURN_IF_ERROR(CheckLibraryName(options.library));
  return CheckVersion(options.version);
}

}  // namespace

EncoderKind EncoderOptions::kind() const {
  if (encoder == "none") return EncoderKind::kNone;
  if (encoder == "static" || (encoder.empty() && command.empty())) return EncoderKind::kStatic;
  return EncoderKind::kProcess;
}

Status CheckEncoderOptions(const EncoderOptions& options) {
  if (options.kind() != EncoderKind::kProcess) {
    const std::string encoder = options.encoder.empty() ? "static" : options.encoder;
    if (!options.command.empty())
      return Bad("--encoder-command goes with the name of a transformer, or without --encoder; got --encoder " +
                 encoder);
    if (!options.precision.empty())
      return Bad("--encoder-precision goes with a transformer; name one with --encoder, such as all-MiniLM-L6-v2");
    return {};
  }
  if (options.encoder.size() > kMaxName || options.encoder.starts_with("-") ||
      TerminalText(options.encoder) != options.encoder) {
    return Bad("--encoder " + TerminalText(options.encoder) +
               ": expected static, none, or the name of a transformer of at most " + std::to_string(kMaxName) +
               " bytes");
  }
  return {};
}

Result<CheckedOptions> CheckPackOptions(PackOptions options) {
  SHEAF_RETURN_IF_ERROR(CheckValues(options));
  SHEAF_RETURN_IF_ERROR(CheckNames(options));
  CheckedOptions checked;
  SHEAF_ASSIGN_OR_RETURN(checked.urls, UrlMapper::Create(options.base_url, options.url_style));
  if (!options.own_urls_in.empty()) checked.urls.StayIn(options.own_urls_in);
  if (Result<PathFilter> filter = PathFilter::Create(options.source.include, options.source.exclude); !filter.ok()) {
    return filter.error();
  }
  PipelineOptions& pipeline = checked.pipeline;
  if (!ParseBytes(options.memory, &pipeline.memory) || pipeline.memory < kMinMemory) {
    return Bad("--memory " + options.memory + ": expected a size of at least 16M, such as 512M or 2G");
  }
  if (!ParseBytes(options.max_file_size, &pipeline.max_file_size) || pipeline.max_file_size == 0 ||
      pipeline.max_file_size > kMaxFileSizeCap) {
    return Bad("--max-file-size " + options.max_file_size + ": expected a size between 1 and 1G, such as 100M");
  }
  SHEAF_RETURN_IF_ERROR(CheckEncoderOptions(options.encoder));
  if (options.jobs == 0) options.jobs = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxJobs);
  options.source.ignore_rules = !options.no_ignore;
  pipeline.jobs = options.jobs;
  pipeline.passage_characters = options.passage_size;
  if (options.language.empty()) {
    pipeline.finds_language = true;
  } else {
    SHEAF_ASSIGN_OR_RETURN(pipeline.language, ReadLanguage(options.language));
  }
  pipeline.strict = options.strict;
  pipeline.honor_noindex = options.honor_noindex;
  checked.kind = options.vector_bits == 0 ? EncoderKind::kNone : options.encoder.kind();
  checked.options = std::move(options);
  return checked;
}

}  // namespace sheaf::packer
