// An option that takes one of a few words: parses it, lists the words in the help, and rejects others.
#ifndef SHEAF_PACKER_CLI_CHOICE_H_
#define SHEAF_PACKER_CLI_CHOICE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sheaf::packer {

// REQUIRES: `target` outlives the parse.
template <typename T>
CLI::Option* AddChoice(CLI::App* app, const std::string& name, T* target,
                       std::vector<std::pair<std::string, T>> choices, const std::string& description) {
  std::string words;
  for (const auto& [word, value] : choices) words += (words.empty() ? "" : "|") + word;
  const auto choose = [=](const std::string& given) {
    for (const auto& [word, value] : choices) {
      if (given == word) {
        *target = value;
        return;
      }
    }
    throw CLI::ValidationError(name, "expected " + words + ", got '" + given + "'");
  };
  return app->add_option_function<std::string>(name, choose, description)->option_text(words);
}

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CLI_CHOICE_H_
