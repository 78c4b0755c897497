#include "packer/job/options.h"

#include <algorithm>
#include <cctype>
#include <thread>
#include <type_traits>
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

// Holds each value to its rule, and keeps the first error.
class ValueCheck {
 public:
  template <typename T>
  void operator()(const OptionText&, const Any&, const T*) {}

  template <typename Number>
  void operator()(const OptionText& text, const Between<Number>& rule, const Number* given) {
    if (!(*given >= rule.least && *given <= rule.most))
      Fail(text, std::to_string(*given), std::to_string(rule.least) + " to " + std::to_string(rule.most));
  }

  // Other types hold no value without a word.
  template <typename Value, typename T>
  void operator()(const OptionText& text, const OneOf<Value>& rule, const T* given) {
    if constexpr (!std::is_enum_v<T>) {
      const auto is_given = [&](const auto& word) { return *given == word.second; };
      if (std::any_of(rule.words.begin(), rule.words.end(), is_given)) return;
      if constexpr (std::is_same_v<T, std::string>) {
        if (!given->empty()) Fail(text, TerminalText(*given), "one of " + rule.Listed());
      } else {
        Fail(text, std::to_string(*given), "one of " + rule.Listed());
      }
    }
  }

  Status status() const { return status_; }

 private:
  void Fail(const OptionText& text, const std::string& given, const std::string& expected) {
    if (status_.ok()) status_ = Bad(FlagOf(text.field) + " " + given + ": expected " + expected);
  }
  Status status_;
};

Status CheckNames(const PackOptions& options) {
  // A missing input folder is reported before a missing flag.
  for (const auto& [flag, value] :
       {std::pair{"--library", &options.library}, std::pair{"--version", &options.version}}) {
    if (!value->empty()) continue;
    SHEAF_RETURN_IF_ERROR(CheckInputs(options.inputs));
    return Bad(std::string(flag) +
               " is required: the library that the pages document, and its version. See: sheaf-pack pack --help");
  }
  SHEAF_RETURN_IF_ERROR(CheckLibraryName(options.library));
  return CheckVersion(options.version);
}

// Checks that the options of encoders agree.
Status CheckEncoder(const PackOptions& options) {
  if (options.encoder_kind() != EncoderKind::kProcess) {
    const std::string encoder = options.encoder.empty() ? "static" : options.encoder;
    if (!options.encoder_command.empty())
      return Bad("--encoder-command goes with the name of a transformer, or without --encoder; got --encoder " +
                 encoder);
    if (!options.encoder_precision.empty())
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

}  // namespace

EncoderKind PackOptions::encoder_kind() const {
  if (encoder == "none") return EncoderKind::kNone;
  if (encoder == "static" || (encoder.empty() && encoder_command.empty())) return EncoderKind::kStatic;
  return EncoderKind::kProcess;
}

std::string FlagOf(std::string_view field) {
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string ScriptOf(std::string_view field) {
  std::string name;
  bool is_upper = false;
  for (const char c : field) {
    if (c != '_') name += is_upper ? char(std::toupper(uint8_t(c))) : c;
    is_upper = c == '_';
  }
  return name;
}

SideBySideOptions SideBySideOf(const PackOptions& options) {
  return {.only_language = options.only_language,
          .version_folder = options.version_folder,
          .language = options.language,
          .chooses = !options.no_ignore};
}

Result<CheckedOptions> CheckPackOptions(PackOptions options) {
  ValueCheck values;
  ForEachOption(&options, values);
  SHEAF_RETURN_IF_ERROR(values.status());
  SHEAF_RETURN_IF_ERROR(CheckNames(options));
  CheckedOptions checked;
  SHEAF_ASSIGN_OR_RETURN(checked.urls, UrlMapper::Create(options.base_url, options.url_style));
  if (!options.own_urls_in.empty()) checked.urls.StayIn(options.own_urls_in);
  if (Result<PathFilter> filter = PathFilter::Create(options.include, options.exclude); !filter.ok()) {
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
  SHEAF_RETURN_IF_ERROR(CheckEncoder(options));
  if (options.jobs == 0) options.jobs = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxJobs);
  checked.source = {.include = options.include,
                    .exclude = options.exclude,
                    .ignore_rules = !options.no_ignore && options.ignore != FolderRules::kNone,
                    .folder_rules = options.ignore,
                    .root = options.root,
                    .converted = options.converted,
                    .includes_from = options.includes_from};
  pipeline.jobs = options.jobs;
  pipeline.passage_characters = options.passage_size;
  if (options.language.empty()) {
    pipeline.finds_language = true;
  } else {
    SHEAF_ASSIGN_OR_RETURN(pipeline.language, ReadLanguage(options.language));
  }
  pipeline.version = options.version;
  pipeline.strict = options.strict;
  pipeline.honor_noindex = options.honor_noindex;
  pipeline.surveys = !options.no_ignore;
  checked.kind = options.vector_bits == 0 ? EncoderKind::kNone : options.encoder_kind();
  checked.options = std::move(options);
  return checked;
}

}  // namespace sheaf::packer
