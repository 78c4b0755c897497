// The state of reading one reStructuredText page: its lines, the pending tasks, and the output so far.
//
// Idea: a region is a range of lines and an indent. The body of an element is again a region. It goes on a stack
// of tasks, with the element to close after it, so nesting needs no recursion. Blocks, lists, directives and
// objects all read from and write to this one page.
//
// Words that introduce the next paragraph ("Note: ", "--all ") wait in `label()` until that paragraph comes.
#ifndef SHEAF_PACKER_PARSE_RST_RST_PAGE_H_
#define SHEAF_PACKER_PARSE_RST_RST_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "packer/document/document.h"
#include "packer/parse/rst/rst_inline.h"
#include "packer/parse/rst/rst_lines.h"
#include "packer/parse/rst/rst_project.h"
#include "packer/parse/shared/block_writer.h"

namespace sheaf::packer {

struct RstTask {
  enum Name : uint8_t { kRegion, kGlossary, kCloseItem, kCloseQuote, kCloseObject, kFlush } task = kRegion;
  size_t begin = 0, end = 0;  // kRegion, kGlossary: lines
  uint32_t indent = 0;        // of these
  bool sections = false;      // kRegion: titles count here
  std::string scope{};        // kCloseObject: the class name to come back to
};

class RstPage {
 public:
  // `source` is clean text (base/charset.h); both outlive the page.
  RstPage(std::string_view source, const RstProject& project, RstPages others, Document* document);

  RstLines& lines() { return lines_; }
  const RstLines& lines() const { return lines_; }
  const RstNames& names() const { return names_; }
  Document& document() { return *document_; }
  BlockWriter& out() { return out_; }

  // First line at or after `i` that has content; `end` if none.
  size_t NextText(size_t i, size_t end) const { return lines_.NextText(i, end); }

  // ---- tasks: the last one pushed is done first ---------------------------------------------------

  void Push(RstTask task) { tasks_.push_back(std::move(task)); }
  // Pushes below the tasks that were added since the stack held `count`.
  void PushBelow(size_t count, RstTask task) { tasks_.insert(tasks_.begin() + ptrdiff_t(count), std::move(task)); }
  // REQUIRES: there is one.
  RstTask Pop();
  size_t task_count() const { return tasks_.size(); }

  void PushBody(size_t begin, size_t end, uint32_t indent) {
    Push({.task = RstTask::kRegion, .begin = begin, .end = end, .indent = indent});
  }
  // Reads lines [i, end) as one body, where line i goes on at column `indent` behind its marker and
  // the others have an indent of their own.
  void PushMarked(size_t i, size_t end, uint32_t indent);

  // ---- text ---------------------------------------------------------------------------------------

  InlineText& label() { return label_; }
  // The name that the paragraph with the label will explain (Block::term).
  std::string label_term;
  // Writes a waiting label whose paragraph never came.
  void FlushLabel();
  // "words: " before the next paragraph.
  void AddLabel(std::string_view words, size_t line);
  void Paragraph(std::string_view words, size_t begin, size_t end);
  void Code(std::string_view language, size_t begin, size_t end);
  // A paragraph whose words are in `text`, behind the label that waits.
  InlineText TakeLabel() {
    label_term.clear();
    return std::exchange(label_, InlineText());
  }
  // Writes a paragraph that explains `term`, if that is not empty.
  void Explain(InlineText* text, std::string term);

  // The next paragraph belongs to the term above it.
  bool continues_term = false;
  // Of literal blocks that name none.
  std::string& language() { return language_; }

  // ---- sections and anchors -------------------------------------------------------------------------

  int section_level() const { return section_level_; }
  // Writes the heading that lines [begin, end) hold. `style` is the punctuation around it: the first style of a page
  // is level 1, the next new one level 2.
  void Heading(const std::string& style, size_t begin, size_t title_line, size_t end);
  // An explicit target names what follows.
  // A section below the present one that no title begins.
  void Subheading(InlineText* title, const std::string& anchor);
  void SetAnchor(std::string anchor);
  void ForgetAnchor() { anchor_.clear(); }

 private:
  Document* document_;
  BlockWriter out_;
  RstLines lines_;
  RstNames names_;
  std::vector<RstTask> tasks_;
  InlineText label_;
  std::string language_;
  std::string anchor_;  // of the explicit target above
  std::unordered_set<std::string> ids_;
  std::vector<std::string> styles_;
  int section_level_ = 1;
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PARSE_RST_RST_PAGE_H_
