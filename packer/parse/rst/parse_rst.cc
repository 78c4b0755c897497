// reStructuredText, as docutils specifies it and Sphinx extends it, read for its words.
//
// Idea: the source is an array of lines, each with the column at which its content begins (rst_lines). A
// region is a range of lines and an indent; reading one (rst_blocks) finds its titles, paragraphs, lists (rst_lists),
// tables (rst_tables) and directives (rst_directives, rst_objects). The body of an element is again a region. It goes
// on a stack of tasks (rst_page), with what must be closed after it, so nesting needs no recursion.
//
//      .. note::            explicit markup: label "Note", then a region at column 3
//         * one             a list item: the same line, its content column moved behind "* "
//
// Choices worth knowing
//  - API directives (function, class, option, confval ...) become headings below their section,
//    with the anchor that Sphinx gives them, as the HTML reader does with the same page.
//  - Section anchors are explicit labels, else docutils' id of the title; a title that appears a
//    second time gets none, since its number depends on everything before it.
//  - Other files are included before (packer/include), and raw content is dropped.
//
// Cost: linear in the source; each nesting level looks at a line at most twice, and a line at
// level n is at least n characters long. Cap (kTooLarge): kMaxRstBytes.
#include <string>
#include <string_view>

#include "packer/base/charset.h"
#include "packer/document/document.h"
#include "packer/parse/parse.h"
#include "packer/parse/rst/rst_blocks.h"
#include "packer/parse/rst/rst_directives.h"
#include "packer/parse/rst/rst_links.h"
#include "packer/parse/rst/rst_objects.h"
#include "packer/parse/rst/rst_page.h"
#include "packer/parse/shared/title.h"

namespace sheaf::packer {
namespace {

constexpr size_t kMaxRstBytes = size_t{64} << 20;

void Read(std::string_view source, const RstProject& project, RstPages others, Document* document) {
  RstPage page(source, project, others, document);
  RstObjects objects(&page);
  RstDirectives directives(&page, &objects);
  RstBlocks blocks(&page, &directives);

  page.Push({.task = RstTask::kRegion, .begin = 0, .end = page.lines().size(), .indent = 0, .sections = true});
  while (page.task_count() > 0) {
    const RstTask task = page.Pop();
    switch (task.task) {
      case RstTask::kRegion: blocks.Region(task); break;
      case RstTask::kGlossary: directives.Glossary(task); break;
      case RstTask::kCloseItem:
        page.FlushLabel();
        page.out().CloseItem();
        page.out().CloseList();
        break;
      case RstTask::kCloseQuote:
        page.FlushLabel();
        page.out().CloseQuote();
        break;
      case RstTask::kCloseObject:
        page.FlushLabel();
        objects.Close(task.scope);
        break;
      case RstTask::kFlush: page.FlushLabel(); break;
    }
  }
  page.FlushLabel();
}

}  // namespace

Result<Document> ParseRst(std::string_view source, std::string_view path, const RstSurroundings& around) {
  if (source.size() > kMaxRstBytes) {
    return Error{ErrorCode::kTooLarge, std::string(path) + ": the page has " + std::to_string(source.size()) +
                                           " bytes; expected at most " + std::to_string(kMaxRstBytes) +
                                           ": split the page or exclude it"};
  }
  std::string cleaned;
  if (!IsCleanText(source)) source = cleaned = CleanText(source);
  Document document;
  Read(source, ReadRstProject(around.conf_py), {around.titles, path}, &document);
  document.links = ReadRstLinks(source);
  CompleteTitle(path, &document);
  return document;
}

}  // namespace sheaf::packer
