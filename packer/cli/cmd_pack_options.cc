#include "packer/cli/cmd_pack_options.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "packer/cli/choice.h"
#include "packer/job/options.h"

namespace sheaf::packer {
namespace {

// Makes a flag of each row of options.inc.
class FlagAdder {
 public:
  explicit FlagAdder(CLI::App* verb) : verb_(verb) {}

  void operator()(const OptionText& text, const Any&, std::string* field) {
    const std::string flag = FlagOf(text.field), flags = flag == "--output" ? "-o,--output" : flag;
    Finish(text, verb_->add_option(flags, *field, WithDefault(text, *field)));
  }
  void operator()(const OptionText& text, const Any&, std::vector<std::string>* field) {
    Finish(text, verb_->add_option(FlagOf(text.field), *field, text.help)->allow_extra_args(false));
  }
  void operator()(const OptionText& text, const Any&, bool* field) {
    verb_->add_flag(FlagOf(text.field), *field, text.help)->group(text.group);
  }
  // CheckPackOptions checks the range.
  template <typename Number>
  void operator()(const OptionText& text, const Between<Number>&, Number* field) {
    std::ostringstream initial;
    if (*field != 0) initial << *field;
    Finish(text, verb_->add_option(FlagOf(text.field), *field, WithDefault(text, initial.str())));
  }
  template <typename Value, typename T>
  void operator()(const OptionText& text, const OneOf<Value>& rule, T* field) {
    std::vector<std::pair<std::string, T>> words;
    for (const auto& [word, value] : rule.words) words.emplace_back(word, value);
    AddChoice<T>(verb_, FlagOf(text.field), field, std::move(words), text.help)->group(text.group);
  }

 private:
  static std::string WithDefault(const OptionText& text, const std::string& initial) {
    return initial.empty() ? text.help : std::string(text.help) + "; default: " + initial;
  }
  static void Finish(const OptionText& text, CLI::Option* option) {
    option->option_text(text.value)->group(text.group);
  }

  CLI::App* verb_;
};

}  // namespace

void AddPackOptions(CLI::App* verb, PackOptions* options, int default_level) {
  options->level = default_level;
  verb->add_option(
          "input", options->inputs,
          "Files, folders and quoted globs ('docs/**/*.md'). Packed are .md .mdx .rst .txt .html .htm .ipynb and "
          "README. Passed over below an input: hidden files, the folders node_modules and __pycache__, and "
          "virtual environments")
      ->required()
      ->option_text("...");
  ForEachOption(options, FlagAdder(verb));
  for (const FormerName& name : kFormerNames) {
    const std::string former = FlagOf(name.former), now = FlagOf(name.field);
    const auto refuse = [=](const std::string&) { throw CLI::ValidationError(former, "is now called " + now); };
    verb->add_option_function<std::string>(former, refuse)->group("");  // not in the help
  }
}

}  // namespace sheaf::packer
