// Writes the light Markdown of document.h for the parsers of HTML and reStructuredText.
//
// Idea: `InlineText` collects a paragraph, heading or cell and keeps three views of it side by
// side: the text with backticks, the words outside code, the code. `BlockWriter` turns finished
// pieces into blocks and keeps their neighbours in mind: blank lines, list
// markers, indents, line numbers that never decrease.
//
// Invariants
//  1. Text handed in is clean UTF-8 (charset.h); the output has document.h's invariants.
//  2. A code span never closes early: its fence is longer than any run of backticks inside.
//  3. Indents and quotation marks are capped (kMaxIndentLevels), so that output stays linear in
//     the input however deep its lists go.
//
// Cost: linear in the text.
#ifndef SHEAF_PACKER_PARSE_SHARED_BLOCK_WRITER_H_
#define SHEAF_PACKER_PARSE_SHARED_BLOCK_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/document/document.h"

namespace sheaf::packer {

inline constexpr size_t kMaxIndentLevels = 6;

struct LineSpan {
  uint32_t first = 0;  // 0: unknown
  uint32_t last = 0;
  void Add(uint32_t line);
};

class InlineText {
 public:
  // White space collapses to one space and falls away at both ends.
  void Text(std::string_view text);
  // Code spans nest; text between Begin and End is code. Two spans without anything between them
  // become one, since "`a``b`" is not what it seems in Markdown; long ones are kept apart by a space.
  void BeginCode();
  void EndCode();
  // Words between Begin and End lead to `address`, which has no space, parenthesis or bar; empty: nowhere. The views
  // stay as they are. A link ends with the text and at the next one; none begins in code. Text that consists mostly of
  // links, as menus and indexes do, keeps none: they would be a tenth of a bundle.
  void BeginLink(std::string address);
  void EndLink();
  // A line break that the author asked for.
  void Break();
  // A space, unless there is one already.
  void Space() { (in_code() && !run_.empty() ? run_space_ : pending_space_) = true; }
  // Closes open spans; call before reading the views.
  void Finish();

  bool empty() const { return text_.empty() && run_.empty(); }
  bool in_code() const { return code_depth_ > 0; }
  char last_char() const { return pending_space_ || text_.empty() ? ' ' : text_.back(); }
  const std::string& text() const { return text_; }
  const std::string& prose() const { return prose_; }
  const std::string& code() const { return code_; }
  // All words in order, without backticks, on one line.
  const std::string& plain() const { return plain_; }
  // In ascending order, apart from one another.
  const std::vector<TextLink>& targets() const { return targets_; }

  LineSpan lines;
  LinkTally links;

 private:
  void FlushSpace();
  void CloseRun();
  void OpenLink();

  std::string text_, prose_, code_, plain_;
  std::string run_;  // the open code span
  size_t code_depth_ = 0;
  bool pending_space_ = false;
  bool run_space_ = false;   // white space seen inside the open span
  TextLink link_;            // the open one, if it has an address
  bool link_begun_ = false;  // it has words
  std::vector<TextLink> targets_;
  bool span_is_last_ = false;  // text_ ends with the code span that begins here:
  size_t span_text_ = 0, span_code_ = 0, span_plain_ = 0;
  std::string span_run_;
};

class BlockWriter {
 public:
  explicit BlockWriter(std::vector<Block>* blocks) : blocks_(blocks) {}

  // ---- containers: what stands before each line of text ----
  void OpenList(bool numbered, uint64_t start);
  void CloseList();
  void OpenItem();  // the next text carries this item's marker
  void CloseItem();
  void OpenQuote() { ++quotes_; }
  void CloseQuote() {
    if (quotes_) --quotes_;
  }
  bool in_list() const { return !lists_.empty(); }

  // The weight of the blocks that follow; text that joins an earlier block takes the weight of that block.
  void set_weight(float weight) { weight_ = weight; }

  // ---- blocks; empty ones are passed over ----
  void Heading(int level, InlineText* title, std::string_view short_title, std::string_view anchor);
  void Text(InlineText* text);
  // Joins the text to the block before it, on its own line: a definition to its term.
  void Continuation(InlineText* text);
  // A table row; with `header`, the rule comes below it in the same block.
  void Row(std::vector<InlineText>* cells, bool header);
  void EndTable() { in_table_ = false; }
  void Code(std::string_view language, std::string_view content, LineSpan lines);

 private:
  struct List {
    bool numbered = false;
    uint64_t next = 1;
    size_t width = 2;  // columns its marker takes
    bool marker_pending = false;
    bool in_item = false;
    uint64_t number = 1;
  };

  void Prefixes(bool use_marker, std::string* first, std::string* rest);
  Block* Add(BlockKind kind, bool tight, LineSpan lines);

  std::vector<Block>* blocks_;
  std::vector<List> lists_;
  size_t quotes_ = 0;
  bool in_table_ = false;
  bool last_is_item_ = false;  // the last block is a list item's first text
  uint32_t last_line_ = 0;
  float weight_ = 1;
};

// `language` as it may follow a fence: letters, digits and _+#.- only, at most 32 characters;
// empty for names that mean none ("text", "default", "none" and the like).
std::string CleanLanguage(std::string_view language);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_SHARED_BLOCK_WRITER_H_
