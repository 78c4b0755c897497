// Jupyter notebooks, nbformat 3 and 4: Markdown cells as Markdown, code cells as fenced code in
// the kernel's language. Raw cells and outputs are left out: outputs are data, often large, and
// seldom the author's words.
//
// Line numbers are 0: lines of the JSON file mean nothing to a reader.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

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

const Json* Member(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::string Text(const Json* value) {
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

// `source` is one string, or a list of lines that keep their '\n'.
std::string Source(const Json* value) {
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
  const Json* metadata = Member(root, "metadata");
  if (!metadata) return "";
  std::string language;
  if (const Json* info = Member(*metadata, "language_info")) language = Text(Member(*info, "name"));
  if (const Json* spec = Member(*metadata, "kernelspec"); spec && language.empty()) {
    language = Text(Member(*spec, "language"));
  }
  if (const Json* info = Member(*metadata, "kernel_info"); info && language.empty()) {
    language = Text(Member(*info, "language"));
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
  size_t longest = 0, run = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<size_t>(3, longest + 1), '`');
  EndWithBlankLine(document);
  Block block;
  block.kind = BlockKind::kCode;
  block.text = fence + language + "\n" + code + "\n" + fence + "\n";
  block.code = std::move(code);
  document->blocks.push_back(std::move(block));
}

Status AddCell(const Json& cell, const std::string& kernel, Slugger* slugger, Document* document) {
  const std::string kind = Text(Member(cell, "cell_type"));
  const Json* source = Member(cell, "source");
  if (kind == "markdown" || kind == "heading") {
    std::string text = Source(source);
    if (kind == "heading") {  // nbformat 3
      const Json* level = Member(cell, "level");
      const int depth = level && level->is_number_integer() ? std::clamp(level->get<int>(), 1, 6) : 1;
      text = std::string(size_t(depth), '#') + " " + CollapseSpace(text);
    }
    EndWithBlankLine(document);
    return AppendMarkdown(text, 0, false, slugger, document);
  }
  if (kind == "code") {
    if (!source) source = Member(cell, "input");  // nbformat 3
    const std::string own = PlainLanguage(Text(Member(cell, "language")));
    AddCode(Source(source), own.empty() ? kernel : own, document);
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
  const Json root = Json::parse(source.begin(), source.end(), nullptr, false);
  if (root.is_discarded()) {
    return Error{ErrorCode::kInvalidArgument,
                 std::string(path) + " is not a notebook: expected JSON, and it does not parse as such; "
                                     "open and save it in Jupyter, or leave it out"};
  }
  std::vector<const Json*> lists;
  if (const Json* cells = Member(root, "cells")) lists.push_back(cells);
  if (const Json* sheets = Member(root, "worksheets"); sheets && sheets->is_array()) {
    for (const Json& sheet : *sheets) {
      if (const Json* cells = Member(sheet, "cells")) lists.push_back(cells);
    }
  }
  if (lists.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 std::string(path) + " is not a notebook: expected nbformat 3 or 4, and it has neither "
                                     "`cells` nor `worksheets`; leave it out"};
  }

  Document document;
  if (const Json* metadata = Member(root, "metadata")) {
    document.title = CollapseSpace(CleanText(Text(Member(*metadata, "title"))));
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
