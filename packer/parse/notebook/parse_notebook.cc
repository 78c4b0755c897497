// Jupyter notebooks, nbformat 3 and 4: Markdown cells as Markdown, code cells as fenced code in
// the kernel's language. Raw cells and outputs are left out: outputs are data, often large, and
// seldom the author's words.
//
// Line numbers are 0: lines of the JSON file mean nothing to a reader.
//
// Caps (kTooLarge): kMaxPageBytes, kMaxPageUnits values of members that are read. Other members are not kept, so
// memory depends on the cells, not on their outputs.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/charset.h"
#include "packer/base/text_scan.h"
#include "packer/document/document.h"
#include "packer/parse/markdown/markdown.h"
#include "packer/parse/markdown/markdown_view.h"
#include "packer/parse/parse.h"
#include "packer/parse/shared/title.h"

namespace sheaf::packer {
namespace {

using Json = nlohmann::json;

// Root, worksheets, a worksheet, cells, a cell, source: nothing that lies deeper is read.
constexpr size_t kDeepest = 6;

// Builds only the parts of a notebook that are read: members with a known name, and lists.
class NotebookReader : public nlohmann::json_sax<Json> {
 public:
  enum class Outcome { kRead, kNoJson, kTooMany };

  Outcome Read(std::string_view source) {
    if (!Json::sax_parse(source.begin(), source.end(), this) && outcome_ == Outcome::kRead) outcome_ = Outcome::kNoJson;
    return outcome_;
  }
  const Json& root() const { return root_; }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(int64_t value) override { return Add(value); }
  bool number_unsigned(uint64_t value) override { return Add(value); }
  bool number_float(double value, const std::string&) override { return Add(value); }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(Json::binary_t&) override { return Fail(Outcome::kNoJson); }
  bool start_object(size_t) override { return Open(Json::object()); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    if (unread_ == 0) member_ = IsRead(name) ? &(*open_.back())[name] : nullptr;
    return true;
  }
  bool parse_error(size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  static bool IsRead(std::string_view name) {
    static constexpr std::string_view kNames[] = {"cells",  "worksheets", "metadata", "title",       "language_info",
                                                  "name",   "kernelspec", "language", "kernel_info", "cell_type",
                                                  "source", "input",      "level"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  }

  bool Fail(Outcome outcome) {
    outcome_ = outcome;
    return false;
  }

  // Where the next value goes; null: it is not read.
  Json* Slot() {
    if (unread_ > 0) return nullptr;
    if (open_.empty()) return &root_;
    if (open_.back()->is_object()) return member_;
    return &open_.back()->emplace_back();
  }

  bool Add(Json value) {
    Json* const slot = Slot();
    if (slot == nullptr) return true;
    if (++values_ > kMaxPageUnits) return Fail(Outcome::kTooMany);
    *slot = std::move(value);
    return true;
  }

  bool Open(Json container) {
    Json* const slot = open_.size() < kDeepest ? Slot() : nullptr;
    if (slot == nullptr) {
      ++unread_;
      return true;
    }
    if (++values_ > kMaxPageUnits) return Fail(Outcome::kTooMany);
    *slot = std::move(container);
    open_.push_back(slot);
    return true;
  }

  bool Close() {
    if (unread_ > 0)
      --unread_;
    else
      open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // only the last element of a list is open, so growing lists move none of these
  Json* member_ = nullptr;   // of the innermost object: the one whose value comes next
  size_t unread_ = 0;        // open lists and objects inside one that is not read
  size_t values_ = 0;
  Outcome outcome_ = Outcome::kRead;
};

const Json* MemberOf(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string Text(const Json* value) { return value && value->is_string() ? value->get<std::string>() : std::string(); }

// `source` is one string, or a list of lines that keep their '\n'.
std::string SourceText(const Json* value) {
  if (!value || !value->is_array()) return CleanText(Text(value));
  std::string joined;
  for (const Json& line : *value) joined += Text(&line);
  return CleanText(joined);
}

// `language` as it may become a fence's info word, else empty.
std::string PlainLanguage(const std::string& language) {
  const bool plain = language.size() <= 30 && std::all_of(language.begin(), language.end(), [](char c) {
                       return std::isalnum(uint8_t(c)) || c == '+' || c == '#' || c == '-' || c == '_';
                     });
  return plain ? language : "";
}

std::string KernelLanguage(const Json& root) {
  const Json* metadata = MemberOf(root, "metadata");
  if (!metadata) return "";
  std::string language;
  if (const Json* info = MemberOf(*metadata, "language_info")) language = Text(MemberOf(*info, "name"));
  if (const Json* spec = MemberOf(*metadata, "kernelspec"); spec && language.empty()) {
    language = Text(MemberOf(*spec, "language"));
  }
  if (const Json* info = MemberOf(*metadata, "kernel_info"); info && language.empty()) {
    language = Text(MemberOf(*info, "language"));
  }
  return PlainLanguage(language);
}

void EndWithBlankLine(Document* document) {
  if (document->blocks.empty()) return;
  std::string& text = document->blocks.back().text;
  while (text.size() >= 2 && text.compare(text.size() - 2, 2, "\n\n") == 0) text.pop_back();
  text += '\n';
}

void AddCode(std::string code, const std::string& language, Document* document) {
  while (!code.empty() && std::isspace(uint8_t(code.back()))) code.pop_back();
  if (code.find_first_not_of(" \t\n") == std::string::npos) return;
  const std::string fence = BackticksAround(code, 3);
  EndWithBlankLine(document);
  Block block;
  block.kind = BlockKind::kCode;
  block.text = fence + language + "\n" + code + "\n" + fence + "\n";
  block.code = std::move(code);
  document->blocks.push_back(std::move(block));
}

Status AddCell(const Json& cell, const std::string& kernel, Slugger* slugger, Document* document) {
  const std::string kind = Text(MemberOf(cell, "cell_type"));
  const Json* source = MemberOf(cell, "source");
  if (kind == "markdown" || kind == "heading") {
    std::string text = SourceText(source);
    if (kind == "heading") {  // nbformat 3
      const Json* level = MemberOf(cell, "level");
      const int depth = level && level->is_number_integer() ? std::clamp(level->get<int>(), 1, 6) : 1;
      text = std::string(size_t(depth), '#') + " " + CollapseSpace(text);
    }
    EndWithBlankLine(document);
    return AppendMarkdown(text, 0, false, slugger, document);
  }
  if (kind == "code") {
    if (!source) source = MemberOf(cell, "input");  // nbformat 3
    const std::string own = PlainLanguage(Text(MemberOf(cell, "language")));
    AddCode(SourceText(source), own.empty() ? kernel : own, document);
  }
  return Status();
}

}  // namespace

Result<Document> ParseNotebook(std::string_view source, std::string_view path) {
  if (source.size() > kMaxPageBytes) {
    return Error{ErrorCode::kTooLarge, std::string(path) + " has " + std::to_string(source.size()) +
                                           " bytes, more than " + std::to_string(kMaxPageBytes) +
                                           ": clear its outputs"};
  }
  NotebookReader reader;
  switch (reader.Read(source)) {
    case NotebookReader::Outcome::kRead: break;
    case NotebookReader::Outcome::kNoJson:
      return Error{ErrorCode::kInvalidArgument, std::string(path) +
                                                    " is not a notebook: expected JSON, and it does not parse as such; "
                                                    "open and save it in Jupyter, or leave it out"};
    case NotebookReader::Outcome::kTooMany:
      return Error{ErrorCode::kTooLarge, std::string(path) + " has more than " + std::to_string(kMaxPageUnits) +
                                             " cells and lines: split it"};
  }
  const Json& root = reader.root();
  std::vector<const Json*> lists;
  if (const Json* cells = MemberOf(root, "cells")) lists.push_back(cells);
  if (const Json* sheets = MemberOf(root, "worksheets"); sheets && sheets->is_array()) {
    for (const Json& sheet : *sheets) {
      if (const Json* cells = MemberOf(sheet, "cells")) lists.push_back(cells);
    }
  }
  if (lists.empty()) {
    return Error{ErrorCode::kInvalidArgument, std::string(path) +
                                                  " is not a notebook: expected nbformat 3 or 4, and it has neither "
                                                  "`cells` nor `worksheets`; leave it out"};
  }

  Document document;
  if (const Json* metadata = MemberOf(root, "metadata")) {
    document.title = CollapseSpace(CleanText(Text(MemberOf(*metadata, "title"))));
  }
  const std::string kernel = KernelLanguage(root);
  Slugger slugger;
  for (const Json* list : lists) {
    if (!list->is_array()) continue;
    for (const Json& cell : *list) {
      const Status status = AddCell(cell, kernel, &slugger, &document);
      if (!status.ok()) return Error{status.code(), std::string(path) + ": " + status.error().message};
    }
  }
  CompleteTitle(path, &document);
  return document;
}

}  // namespace sheaf::packer
