#include "options.h"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace sheaf::packer {
namespace {

using emscripten::val;

// Reads one given value into the field that its name belongs to.
class ValueReader {
 public:
  ValueReader(std::string name, val given) : name_(std::move(name)), given_(std::move(given)) {}

  template <typename Rule, typename T>
  void operator()(const OptionText& text, const Rule& rule, T* field) {
    if (ScriptOf(text.field) != name_) return;
    is_known_ = true;
    status_ = Read(rule, field);
  }

  bool is_known() const { return is_known_; }
  Status status() const { return status_; }

  template <typename Rule>
  Status Read(const Rule&, std::string* field) {
    if (!given_.isString()) return Expected("a string", given_);
    *field = given_.as<std::string>();
    return {};
  }
  Status Read(const Any&, std::vector<std::string>* field) {
    if (!given_.isArray()) return Expected("a list of strings", given_);
    const auto count = given_["length"].as<uint32_t>();
    for (uint32_t i = 0; i < count; ++i) {
      if (!given_[i].isString()) return Expected("a list of strings", given_[i]);
      field->push_back(given_[i].as<std::string>());
    }
    return {};
  }
  Status Read(const Any&, bool* field) {
    if (!given_.isTrue() && !given_.isFalse()) return Expected("true or false", given_);
    *field = given_.isTrue();
    return {};
  }
  template <typename Rule>
  Status Read(const Rule&, double* field) {
    if (!given_.isNumber()) return Expected("a number", given_);
    *field = given_.as<double>();
    return {};
  }
  template <typename Rule, typename T>
  Status Read(const Rule& rule, T* field) {
    if constexpr (std::is_enum_v<T>) {
      for (const auto& [word, value] : rule.words) {
        if (!given_.isString() || given_.as<std::string>() != word) continue;
        *field = value;
        return {};
      }
      return Expected("one of " + rule.Listed(), given_);
    } else {
      const double number = given_.isNumber() ? given_.as<double>() : -1;
      if (!(number >= 0 && number <= 1e9 && number == std::floor(number))) return Expected("a whole number", given_);
      *field = T(number);
      return {};
    }
  }

 private:
  Error Expected(const std::string& expected, const val& got) const {
    std::string is = got.typeOf().as<std::string>();
    if (is == "string") is = "'" + got.as<std::string>().substr(0, 80) + "'";
    return {ErrorCode::kInvalidArgument, "option " + name_ + ": expected " + expected + ", got " + is};
  }

  const std::string name_;
  const val given_;
  bool is_known_ = false;
  Status status_;
};

Error Unknown(const std::string& name) {
  for (const FormerName& known : kFormerNames) {
    if (ScriptOf(known.former) == name)
      return {ErrorCode::kInvalidArgument, "the option " + name + " is now called " + ScriptOf(known.field)};
  }
  return {ErrorCode::kInvalidArgument,
          "there is no option '" + name.substr(0, 80) + "'; wasm/packer/module.d.ts lists them"};
}

}  // namespace

Result<ModuleOptions> ReadOptions(const val& given, bool rounds) {
  ModuleOptions options;
  if (rounds) options.pack.level = kRoundsLevel;
  const val names = val::global("Object").call<val>("keys", given);
  const auto count = names["length"].as<uint32_t>();
  for (uint32_t i = 0; i < count; ++i) {
    const std::string name = names[i].as<std::string>();
    const val value = given[name];
    if (value.isUndefined()) continue;
    ValueReader reader(name, value);
    if (name == "inputs") {
      SHEAF_RETURN_IF_ERROR(reader.Read(Any(), &options.pack.inputs));
    } else if (name == "scratch") {
      SHEAF_RETURN_IF_ERROR(reader.Read(Any(), &options.scratch));
    } else {
      ForEachOption(&options.pack, reader);
      if (!reader.is_known()) return Unknown(name);
      SHEAF_RETURN_IF_ERROR(reader.status());
    }
  }
  options.pack.jobs = 1;  // the module has one thread
  return options;
}

}  // namespace sheaf::packer
