// The options of packing: plain values, checked before any work begins.
//
//     command line, or the host of a module -> PackOptions -> CheckPackOptions -> CheckedOptions
//
// Idea: options.inc declares each option once. The struct, the checks, the flags and the readers of JavaScript follow
// from it, so an option has the same name everywhere. Messages give the name of the flag.
#ifndef SHEAF_PACKER_JOB_OPTIONS_H_
#define SHEAF_PACKER_JOB_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "packer/pipeline/pipeline.h"
#include "packer/pipeline/side_by_side.h"
#include "packer/source/source.h"
#include "packer/source/url.h"
#include "search/bundle_builder.h"

namespace sheaf::packer {

inline constexpr unsigned kMaxJobs = 256;
inline constexpr int kPackLevel = kUsualLevel;  // the default
inline constexpr int kRoundsLevel = 3;          // the default of packing again and again

enum class EncoderKind : uint8_t { kNone, kStatic, kProcess };

struct PackOptions {
  std::vector<std::string> inputs;
#define SHEAF_OPTION(type, field, initial, rule, value, group, help) type field{initial};
#include "packer/job/options.inc"

  // Follows from the options given; a command alone asks for a process.
  EncoderKind encoder_kind() const;
};

// ---- the table of options -------------------------------------------------------------------

// Rules for values. Texts with words may also be empty: not given.
struct Any {};
template <typename Number>
struct Between {
  Between(Number lowest, Number highest) : least(lowest), most(highest) {}
  Number least, most;
};
template <typename Value>
struct OneOf {
  using Word = std::pair<std::string_view, Value>;
  template <size_t count>
  explicit OneOf(const std::pair<std::string_view, Value> (&of)[count]) : words(of) {}
  std::span<const Word> words;
  std::string Listed() const {  // "none, moderate, strict"
    std::string listed;
    for (const Word& word : words) listed.append(listed.empty() ? "" : ", ").append(word.first);
    return listed;
  }
};

std::string FlagOf(std::string_view field);    // --url-style of url_style
std::string ScriptOf(std::string_view field);  // urlStyle of url_style, its name in JavaScript

struct OptionText {
  const char *field, *value, *group, *help;  // as in options.inc
};

// Calls visit(text, rule, pointer to the field) for every option, in the order of the help.
template <typename Visit>
void ForEachOption(PackOptions* options, Visit&& visit) {
  using Word = std::pair<std::string_view, std::string_view>;
  static constexpr Word kSafeSearch[] = {{"none", "none"}, {"moderate", "moderate"}, {"strict", "strict"}};
  static constexpr Word kPrecisions[] = {{"fp32", "fp32"}, {"int8", "int8"}};
  static constexpr std::pair<std::string_view, FolderRules> kFolderRules[] = {
      {"own", FolderRules::kOwn}, {"openground", FolderRules::kOpenGround}, {"none", FolderRules::kNone}};
  static constexpr std::pair<std::string_view, UrlStyle> kUrlStyles[] = {
      {"html", UrlStyle::kHtml}, {"clean", UrlStyle::kClean}, {"dir", UrlStyle::kDir}, {"keep", UrlStyle::kKeep}};
  static constexpr std::pair<std::string_view, uint32_t> kVectorBits[] = {{"4", 4}, {"8", 8}, {"0", 0}};
  static constexpr std::pair<std::string_view, GraphMode> kGraphModes[] = {
      {"auto", GraphMode::kAuto}, {"always", GraphMode::kAlways}, {"never", GraphMode::kNever}};
  static constexpr char kNames[] = "Options", kSources[] = "What is packed", kAddresses[] = "Addresses",
                        kIndex[] = "The index", kRunning[] = "Running";
#define SHEAF_OPTION(type, field, initial, rule, value, group, help) \
  visit(OptionText{#field, value, group, help}, rule, &options->field);
#include "packer/job/options.inc"
}

// Former names, for a message that gives the present one.
struct FormerName {
  const char *former, *field;
};
inline constexpr FormerName kFormerNames[] = {{"hnsw", "graph"}, {"rating", "safesearch"}};

// ---- checks ---------------------------------------------------------------------------------

// Options that agree with one another, and what follows from them.
struct CheckedOptions {
  PackOptions options;  // with the number of jobs
  SourceOptions source;
  UrlMapper urls;
  PipelineOptions pipeline;
  EncoderKind kind = EncoderKind::kNone;  // kNone without vector bits, too
};

// Errors are mistakes of the user, each naming its flag: kInvalidArgument, and those of CheckInputs.
Result<CheckedOptions> CheckPackOptions(PackOptions options);

// Which of several languages and versions are packed.
SideBySideOptions SideBySideOf(const PackOptions& options);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_JOB_OPTIONS_H_
