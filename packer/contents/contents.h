// Reads the order of the pages, and the chapters above each, from the documentation's own table of contents.
//
// Idea: three tables are read, and turned into one tree each (contents_tree.h):
//   SUMMARY.md   of mdBook, GitBook and MkDocs' literate-nav: nested lists of links. The file itself is not packed.
//   mkdocs.yml   its `nav`. It is searched at the root and in the folders above, as far as pages may include from.
//   toctree      Sphinx' directive, in reStructuredText and, beside a `conf.py`, in MyST's Markdown.
// A page belongs to the first tree that lists it. Unlisted pages stay in the order of their paths. A tree stands where
// its first page would.
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
