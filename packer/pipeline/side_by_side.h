// Finds languages and versions of one documentation that lie side by side in a folder: `de/` beside `en/`, `2.0/` beside
// `1.9/`. A bundle searches them as one, so each hit comes once for each.
//
// Idea: names suggest them, and what they hold proves them: at least half of the paths in one folder are in its
// neighbour, too.
//
// Cost: the paths, once; memory for those that lie in such folders.
#ifndef SHEAF_PACKER_SURVEY_SIDE_BY_SIDE_H_
#define SHEAF_PACKER_SURVEY_SIDE_BY_SIDE_H_

#include "packer/source/source.h"

namespace sheaf::packer {

// Adds a note for each folder that holds several, with the option that chooses one.
void NoteSideBySide(SourceList* list);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SURVEY_SIDE_BY_SIDE_H_
