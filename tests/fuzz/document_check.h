// What holds of every document that a parser returns, whatever it was given (packer/document/document.h).
#ifndef SHEAF_TESTS_FUZZ_DOCUMENT_CHECK_H_
#define SHEAF_TESTS_FUZZ_DOCUMENT_CHECK_H_

#include <string>
#include <utility>

#include "packer/chunk/chunker.h"
#include "packer/document/document.h"
#include "tests/fuzz/bare_text.h"
#include "tests/fuzz/fuzz.h"

namespace sheaf::fuzz {

inline void CheckDocument(const Result<packer::Document>& parsed, uint32_t target_characters) {
  using packer::Block;
  using packer::BlockKind;
  if (!parsed.ok()) {
    SHEAF_REQUIRE(parsed.code() == ErrorCode::kTooLarge || parsed.code() == ErrorCode::kInvalidArgument);
    SHEAF_REQUIRE(!parsed.error().message.empty());
    return;
  }
  std::string text;
  uint32_t last_first_line = 0;
  for (const Block& block : parsed->blocks) {
    SHEAF_REQUIRE(!block.text.empty() && block.text.back() == '\n');
    SHEAF_REQUIRE(IsValidUtf8(block.text) && IsValidUtf8(block.prose) && IsValidUtf8(block.code));
    SHEAF_REQUIRE(IsValidUtf8(block.title) && IsValidUtf8(block.anchor));
    SHEAF_REQUIRE(block.text.find('\0') == std::string::npos);
    if (block.kind == BlockKind::kHeading) {
      SHEAF_REQUIRE(block.level >= 1 && block.level <= 6);
    } else {
      SHEAF_REQUIRE(block.level == 0 && block.title.empty());
    }
    SHEAF_REQUIRE(block.weight >= 0 && block.weight <= 10);
    SHEAF_REQUIRE(block.first_line <= block.last_line);
    if (block.first_line != 0) {
      SHEAF_REQUIRE(block.first_line >= last_first_line);
      last_first_line = block.first_line;
    }
    text += block.text;
  }
  SHEAF_REQUIRE(IsValidUtf8(parsed->title) && IsValidUtf8(parsed->description));
  for (const auto* list : {&parsed->facets.filters, &parsed->facets.meta, &parsed->facets.sorts}) {
    for (const auto& [key, value] : *list) {
      SHEAF_REQUIRE(!key.empty() && !value.empty() && IsValidUtf8(key) && IsValidUtf8(value));
      SHEAF_REQUIRE((key + value).find_first_of(std::string_view("\0\t\n\r", 4)) == std::string::npos);
    }
  }
  SHEAF_REQUIRE(IsValidUtf8(parsed->url) && IsValidUtf8(parsed->last_modified));

  packer::ChunkOptions options;
  options.target_characters = target_characters;
  const packer::PageDraft page = packer::MakePage(*parsed, options);
  SHEAF_REQUIRE(page.text == text || BareText(page) == BareText(text));
  uint32_t at = 0;
  for (const packer::PassageDraft& passage : page.passages) {
    SHEAF_REQUIRE(passage.begin == at && passage.end >= passage.begin);
    SHEAF_REQUIRE(passage.end <= page.text.size());
    SHEAF_REQUIRE(IsValidUtf8(std::string_view(page.text).substr(at, passage.end - at)));
    SHEAF_REQUIRE(passage.first_line <= passage.last_line);
    SHEAF_REQUIRE(passage.weight >= 0 && passage.weight <= 10);
    SHEAF_REQUIRE(IsValidUtf8(passage.prose) && IsValidUtf8(passage.code));
    for (const std::string& heading : passage.headings) SHEAF_REQUIRE(IsValidUtf8(heading));
    at = passage.end;
  }
  SHEAF_REQUIRE(at == page.text.size());
}

}  // namespace sheaf::fuzz

#endif  // SHEAF_TESTS_FUZZ_DOCUMENT_CHECK_H_
