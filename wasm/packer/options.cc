#include "options.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace sheaf::packer {
namespace {

using emscripten::val;

Error Bad(const std::string& name, const std::string& expected, const val& got) {
  std::string is = got.typeOf().as<std::string>();
  if (is == "string") is = "'" + got.as<std::string>().substr(0, 80) + "'";
  return {ErrorCode::kInvalidArgument, "option " + name + ": expected " + expected + ", got " + is};
}

using Reader = std::function<Status(const std::string& name, const val& given)>;

Reader Text(std::string* to) {
  return [to](const std::string& name, const val& given) -> Status {
    if (!given.isString()) return Bad(name, "a string", given);
    *to = given.as<std::string>();
    return {};
  };
}

Reader Texts(std::vector<std::string>* to) {
  return [to](const std::string& name, const val& given) -> Status {
    if (!given.isArray()) return Bad(name, "a list of strings", given);
    const auto count = given["length"].as<uint32_t>();
    for (uint32_t i = 0; i < count; ++i) {
      if (!given[i].isString()) return Bad(name, "a list of strings", given[i]);
      to->push_back(given[i].as<std::string>());
    }
    return {};
  };
}

Reader Flag(bool* to) {
  return [to](const std::string& name, const val& given) -> Status {
    if (!given.isTrue() && !given.isFalse()) return Bad(name, "true or false", given);
    *to = given.isTrue();
    return {};
  };
}

template <typename Number>
Reader Count(Number* to) {
  return [to](const std::string& name, const val& given) -> Status {
    const double number = given.isNumber() ? given.as<double>() : -1;
    if (!(number >= 0 && number <= 1e9 && number == std::floor(number))) return Bad(name, "a whole number", given);
    *to = Number(number);
    return {};
  };
}

template <typename Choice>
Reader OneOf(Choice* to, std::vector<std::pair<std::string_view, Choice>> choices) {
  return [to, choices = std::move(choices)](const std::string& name, const val& given) -> Status {
    std::string names;
    for (const auto& [word, choice] : choices) {
      if (given.isString() && given.as<std::string>() == word) {
        *to = choice;
        return {};
      }
      names += (names.empty() ? "" : ", ") + std::string(word);
    }
    return Bad(name, "one of " + names, given);
  };
}

std::map<std::string, Reader> Readers(ModuleOptions* to) {
  PackOptions* pack = &to->pack;
  return {
      {"inputs", Texts(&pack->inputs)},
      {"output", Text(&pack->output)},
      {"scratch", Text(&to->scratch)},
      {"library", Text(&pack->library)},
      {"version", Text(&pack->version)},
      {"title", Text(&pack->title)},
      {"root", Text(&pack->source.root)},
      {"includesFrom", Text(&pack->source.includes_from)},
      {"baseUrl", Text(&pack->base_url)},
      {"urlStyle", OneOf<UrlStyle>(&pack->url_style, {{"html", UrlStyle::kHtml},
                                                      {"clean", UrlStyle::kClean},
                                                      {"dir", UrlStyle::kDir},
                                                      {"keep", UrlStyle::kKeep}})},
      {"ownUrlsIn", Text(&pack->own_urls_in)},
      {"include", Texts(&pack->source.include)},
      {"exclude", Texts(&pack->source.exclude)},
      {"ignore", OneOf<FolderRules>(&pack->source.folder_rules,
                                    {{"own", FolderRules::kOwn}, {"openground", FolderRules::kOpenGround}})},
      {"noIgnore", Flag(&pack->no_ignore)},
      {"honorNoindex", Flag(&pack->honor_noindex)},
      {"strict", Flag(&pack->strict)},
      {"encoder", Text(&pack->encoder.encoder)},
      {"encoderTable", Text(&pack->encoder_table)},
      {"vectorBits", Count(&pack->vector_bits)},
      {"graph",
       OneOf<GraphMode>(&pack->graph,
                        {{"auto", GraphMode::kAuto}, {"always", GraphMode::kAlways}, {"never", GraphMode::kNever}})},
      {"passageSize", Count(&pack->passage_size)},
      {"language", Text(&pack->language)},
      {"level", Count(&pack->level)},
      {"memory", Text(&pack->memory)},
      {"maxFileSize", Text(&pack->max_file_size)},
      {"rating", Text(&pack->rating)},
  };
}

}  // namespace

Result<ModuleOptions> ReadOptions(const val& given, bool rounds) {
  ModuleOptions options;
  if (rounds) options.pack.level = kRoundsLevel;
  const std::map<std::string, Reader> readers = Readers(&options);
  const val names = val::global("Object").call<val>("keys", given);
  const auto count = names["length"].as<uint32_t>();
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = names[i].as<std::string>();
    const val value = given[name];
    if (value.isUndefined()) continue;
    const auto reader = readers.find(name);
    if (reader == readers.end()) {
      return Error{ErrorCode::kInvalidArgument,
                   "there is no option '" + name.substr(0, 80) + "'; wasm/packer/module.d.ts lists them"};
    }
    SHEAF_RETURN_IF_ERROR(reader->second(name, value));
  }
  options.pack.jobs = 1;  // the module has one thread
  return options;
}

}  // namespace sheaf::packer
