// sheaf-pack table: from training's plain files to an encoder table.
//
//   DIR/table.json  {"space": "minilm-l6-256", "dimensions": 256, "manifest": {…}}
//   DIR/words.txt   one word a line, UTF-8; pieces begin with "##"
//   DIR/rows.f32    words × dimensions float32, little-endian, in the order of the words
//
// Or from a table to the same one with other wordings: a text of lines "= a b" and "a b: x y" (encode/wordings.h).
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/bytes.h"
#include "bundle/container.h"
#include "encode/static_encoder.h"
#include "encode/wordings.h"
#include "packer/base/printable.h"
#include "packer/base/progress.h"
#include "packer/base/read_file.h"
#include "packer/cli/choice.h"
#include "packer/cli/commands.h"
#include "packer/output/atomic_file.h"

namespace sheaf::packer {
namespace {

constexpr uint64_t kMaxJsonBytes = uint64_t(1) << 20;
constexpr uint64_t kMaxWordsBytes = uint64_t(1) << 30;
constexpr uint64_t kMaxRowsBytes = uint64_t(16) << 30;
constexpr uint32_t kMaxTableDimensions = 4096;

Result<std::string> ReadNamed(const std::string& path, uint64_t max_bytes) {
  Result<std::string> bytes = ReadFileBytes(path, max_bytes);
  if (!bytes.ok()) return Error{bytes.code(), PrintablePath(path) + ": " + bytes.error().message};
  return bytes;
}

Status ReadDescription(const std::string& path, EncoderTableInput* input) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument,
                 PrintablePath(path) + ": " + why +
                     "; expected {\"space\": text, \"dimensions\": number, \"manifest\": object}"};
  };
  SHEAF_ASSIGN_OR_RETURN(const std::string text, ReadNamed(path, kMaxJsonBytes));
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return refuse("is not a JSON object");
  const auto space = json.find("space"), dimensions = json.find("dimensions"), manifest = json.find("manifest");
  if (space == json.end() || !space->is_string() || space->get<std::string>().empty())
    return refuse("has no \"space\"");
  if (dimensions == json.end() || !dimensions->is_number_unsigned() || dimensions->get<uint64_t>() == 0 ||
      dimensions->get<uint64_t>() > kMaxTableDimensions) {
    return refuse("has no \"dimensions\" between 1 and " + std::to_string(kMaxTableDimensions));
  }
  if (manifest != json.end() && !manifest->is_object()) return refuse("has a \"manifest\" that is not an object");
  input->space = space->get<std::string>();
  input->dimensions = dimensions->get<uint32_t>();
  input->manifest = manifest == json.end() ? "{}" : manifest->dump();
  return {};
}

Status ReadWords(const std::string& path, EncoderTableInput* input) {
  SHEAF_ASSIGN_OR_RETURN(const std::string text, ReadNamed(path, kMaxWordsBytes));
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    if (word.ends_with('\r')) word.pop_back();
    if (word.empty()) {
      return Error{ErrorCode::kInvalidArgument, PrintablePath(path) + ": line " +
                                                    std::to_string(input->words.size() + 1) +
                                                    " is empty; expected a word a line"};
    }
    input->words.push_back(std::move(word));
    begin = end + 1;
  }
  return {};
}

Status ReadRows(const std::string& path, EncoderTableInput* input) {
  SHEAF_ASSIGN_OR_RETURN(const std::string bytes, ReadNamed(path, kMaxRowsBytes));
  const uint64_t expected = uint64_t(input->words.size()) * input->dimensions * 4;
  if (bytes.size() != expected) {
    return Error{ErrorCode::kInvalidArgument, PrintablePath(path) + ": " + std::to_string(bytes.size()) +
                                                  " bytes; expected " + std::to_string(expected) + " (" +
                                                  std::to_string(input->words.size()) + " words × " +
                                                  std::to_string(input->dimensions) + " × 4)"};
  }
  input->rows.resize(bytes.size() / 4);
  ByteReader reader(AsBytes(bytes));
  for (float& number : input->rows) number = reader.F32();
  for (size_t i = 0; i < input->rows.size(); ++i) {
    if (std::isfinite(input->rows[i])) continue;
    return Error{ErrorCode::kInvalidArgument, PrintablePath(path) + ": the row of '" +
                                                  PrintablePath(input->words[i / input->dimensions]) +
                                                  "' holds a number that is not finite"};
  }
  return {};
}

// `table` is the path of one.
Result<std::vector<uint8_t>> Reworded(const std::string& table, const std::string& wordings) {
  SHEAF_ASSIGN_OR_RETURN(const std::string bytes, ReadNamed(table, kMaxRowsBytes));
  SHEAF_ASSIGN_OR_RETURN(const std::string text, ReadNamed(wordings, kMaxWordsBytes));
  const Result<std::vector<uint8_t>> section = WordingsSection(text);
  if (!section.ok()) return Error{section.code(), PrintablePath(wordings) + ": " + section.error().message};
  Container container(bytes.size());
  SHEAF_RETURN_IF_ERROR(container.Supply(0, {bytes.begin(), bytes.end()}));
  return WithWordings(&container, *section);
}

int Table(const std::string& folder, const std::string& output, uint32_t bits, const std::string& wordings) {
  EncoderTableInput input;
  input.bits = bits;
  const auto build = [&]() -> Status {
    SHEAF_ASSIGN_OR_RETURN(const std::string target, ResolveOutput(output, "table.sheaf"));
    if (!wordings.empty()) {
      SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, Reworded(folder, wordings));
      return WriteFileAtomically(target, bytes);
    }
    SHEAF_RETURN_IF_ERROR(ReadDescription(folder + "/table.json", &input));
    SHEAF_RETURN_IF_ERROR(ReadWords(folder + "/words.txt", &input));
    SHEAF_RETURN_IF_ERROR(ReadRows(folder + "/rows.f32", &input));
    SHEAF_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, BuildEncoderTable(input));
    SHEAF_RETURN_IF_ERROR(WriteFileAtomically(target, bytes));
    std::fprintf(stderr, "%s  %s: %s words × %u in %u bits, %s\n", TerminalText(target).c_str(),
                 TerminalText(input.space).c_str(), FormatCount(input.words.size()).c_str(), input.dimensions, bits,
                 FormatBytes(bytes.size()).c_str());
    return {};
  };
  const Status status = build();
  return status.ok() ? int(kExitOk) : ReportError(status.error(), false);
}

}  // namespace

void AddTableCommand(CLI::App* app, RunFunction* run) {
  struct Options {
    std::string folder, output, wordings;
    uint32_t bits = 8;
  };
  auto options = std::make_shared<Options>();
  CLI::App* table = app->add_subcommand("table", "Make an encoder table from words and their vectors");
  table->add_option("dir", options->folder, "Folder with table.json, words.txt and rows.f32")
      ->required()
      ->option_text(" ");
  table->add_option("out", options->output, "The .sheaf file to write")->required()->option_text(" ");
  AddChoice<uint32_t>(table, "--bits", &options->bits, {{"4", 4}, {"8", 8}}, "Bits a component; default: 8");
  table
      ->add_option("--wordings", options->wordings,
                   "Take dir as a table, and write it with the wordings of this file instead of its own")
      ->option_text("FILE");
  table->footer(
      "table.json: {\"space\": \"minilm-l6-256\", \"dimensions\": 256, \"manifest\": {}}\n"
      "words.txt:  one word a line; word pieces begin with ##\n"
      "rows.f32:   words × dimensions float32, little-endian\n"
      "\n"
      "Example:\n"
      "  sheaf-pack table training/out models/minilm-l6-256.sheaf\n"
      "  sheaf-pack table models/minilm-l6-256.sheaf new.sheaf --wordings training/wordings.txt");
  table->callback(
      [=] { *run = [=] { return Table(options->folder, options->output, options->bits, options->wordings); }; });
}

}  // namespace sheaf::packer
