// Finds records, which list facts instead of explaining: change logs, release notes of one version, names of
// contributors, lists of links.
//
// Idea: records have a form of their own, in any language and under any file name: sections of items under a mere
// version or date; items that cite issues, commits or authors; dated rows; bare names; items that are links with a few
// words. Words of a record count for less (chunk/chunker.h), so a page that explains a thing ranks above the log that
// mentions it. Headings of records count in full, so a query for "3.2.0" or "release notes" finds them.
//
// Explanations are never records, whatever their names: notes on a version in paragraphs, tutorials with versions in
// their headings, numbered chapters, glossaries, questions and answers, tables of options.
//
// Cost: linear in the text.
#ifndef SHEAF_PACKER_DOCUMENT_RECORDS_H_
#define SHEAF_PACKER_DOCUMENT_RECORDS_H_

#include <string_view>

#include "packer/document/document.h"

namespace sheaf::packer {

// The weight of a word in the body of a record.
inline constexpr float kRecordWeight = 0.5f;

// Sets Block::record of the blocks that are one, and Block::inner of the headings within a version's section.
void MarkRecords(Document* document);

// Whether a heading is a version or a date, with at most a name before it: "[1.2.0] - 2024-05-01", "pytest 7.2.0
// (2022-10-23)".
bool IsEntryTitle(std::string_view title);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_DOCUMENT_RECORDS_H_
