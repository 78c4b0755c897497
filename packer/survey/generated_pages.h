// Finds the HTML pages that a generator makes besides documentation: listings of source code, indexes, lists of
// members, search forms. They hold every name of the documentation and explain none.
//
// Idea: a name alone proves little, since an author may write a `search.html`. So a page must bear both a name that
// its generator gives (generated_pages.inc) and that generator's mark in its first bytes. Such pages are left out and
// counted by kind. Lists that hold facts of their own (values of constants, what is deprecated) are kept and rank
// behind.
//
// Pages that the user names as inputs are kept, and so is everything under --no-ignore.
//
// Cost: the first kMarkBytes of pages with such names.
#ifndef SHEAF_PACKER_SURVEY_GENERATED_PAGES_H_
#define SHEAF_PACKER_SURVEY_GENERATED_PAGES_H_

#include <cstddef>

#include "packer/source/source.h"

namespace sheaf::packer {

inline constexpr size_t kMarkBytes = 8192;

// Takes such pages out of `list` and counts them there; marks those that rank behind.
void LeaveOutGenerated(SourceList* list);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SURVEY_GENERATED_PAGES_H_
