// Which files are pages, where Sphinx builds them: as the nearest conf.py at or above a file says.
//
//   source_suffix      a `.txt` that it names holds reStructuredText (Django's documentation); another one is no page
//   exclude_patterns   parts that pages include, drafts, templates: no pages, though pages may include them
//
// conf.py is read, never run (base/python_literals.h). Where a value is computed, all files stay.
//
// Cost: one look for a conf.py in each folder of documentation and above it, up to the folder that pages may include from.
#ifndef SHEAF_PACKER_SOURCE_SPHINX_PROJECT_H_
#define SHEAF_PACKER_SOURCE_SPHINX_PROJECT_H_

#include <set>
#include <string>

#include "packer/source/source.h"

namespace sheaf::packer {

// `named`: files (`relative`) that the user named, which always stay. With `leaves_out` false none goes. The notes of the
// list say what went.
void FollowSphinxProjects(const std::set<std::string>& named, bool leaves_out, SourceList* list);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SOURCE_SPHINX_PROJECT_H_
