// Files of a site's source that are parts of pages, no pages: layouts, includes, partials.
//
// Idea: a generator makes no page of them, so their addresses do not exist; their words stand in the pages that include
// them. Evidence:
//   - folders named `_layouts`, `_includes`, `_sass` (Jekyll, Eleventy); `layouts`, `archetypes`, `themes` and `i18n`
//     beside Hugo's configuration;
//   - what lies below a folder's index that says `headless: true`, or that says of all below it `render: never` (Hugo);
//   - files and folders whose name begins with '_': in a Docusaurus site all of them, elsewhere those that another page
//     includes.
//
// Cost: the first 4 kB of each index.md; where names begin with '_' outside Docusaurus, all Markdown is read once.
#ifndef SHEAF_PACKER_SOURCE_SITE_PARTS_H_
#define SHEAF_PACKER_SOURCE_SITE_PARTS_H_

#include <set>
#include <string>
#include <string_view>

#include "packer/source/source.h"

namespace sheaf::packer {

// Folders below the root with a generator's configuration, with their '/'; "" is the root.
struct SiteFolders {
  std::set<std::string> hugo, docusaurus;

  // `path`: of any file, below the root.
  void Note(std::string_view path);
};

// Removes the files, with a note for each kind and folder.
void DropSiteParts(const SiteFolders& sites, SourceList* list);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SOURCE_SITE_PARTS_H_
