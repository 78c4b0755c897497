// The order in which a reader goes through the pages, and the chapters above each, as the documentation's own table of
// contents has them.
//
// Idea: three tables are read, and turned into one tree each (contents_tree.h):
//   SUMMARY.md   of mdBook, GitBook and MkDocs' literate-nav: nested lists of links. It is no page itself.
//   mkdocs.yml   its `nav`. It is looked for at the root and in the folders above, as far as pages may include from.
//   toctree      Sphinx' directive, in reStructuredText and, beside a `conf.py`, in MyST's Markdown.
// A page belongs to the first tree that lists it. Pages that none lists stay where their paths put them, and a tree
// comes where its first page would.
//
// Tables are as untrusted as pages: files of more than kMaxTableBytes are not read, a tree has at most kMaxTreeNodes
// entries and kMaxTreeDepth levels, a page is listed once, so circles end.
//
// Cost: reads the tables, and every reStructuredText file once more.
#ifndef SHEAF_PACKER_CONTENTS_CONTENTS_H_
#define SHEAF_PACKER_CONTENTS_CONTENTS_H_

#include "packer/source/source.h"

namespace sheaf::packer {

// Orders list->files and sets their `chapters`. Takes out the SUMMARY.md that were read, with a note for each.
void OrderByContents(SourceList* list);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_CONTENTS_CONTENTS_H_
