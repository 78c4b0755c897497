// Finds pages that are there twice, in another form: the source beside the HTML made of it, and one page that holds all
// pages of a folder.
//
// Idea: names suggest twins, and words prove them. `guide/use.txt` and `guide/use.html` are twins if most runs of three
// words of the first stand in the second. So do pages of two trees whose paths agree below two folders, such as
// `source/` and `build/html/`. Of twins in one folder the HTML stays, which is what readers see; of two trees the
// sources stay, as those of Sphinx do (source/source.h). A page that holds all others of a folder goes, since the
// others have addresses of their own.
//
// Pages that the user names as inputs are kept. pipeline.h finds pages with one and the same text.
//
// Cost: reads the pages that may be twins, at some 100 MB/s; most sets have none.
#ifndef SHEAF_PACKER_SURVEY_TWINS_H_
#define SHEAF_PACKER_SURVEY_TWINS_H_

#include "packer/source/source.h"

namespace sheaf::packer {

// Takes them out of `list` and counts them there.
void LeaveOutTwins(SourceList* list);

// Whether a third of a page's middle, or of all of a short one, stands in another, as in that of another version. A page
// of a dozen words shares none.
bool ShareText(const SourceFile& a, const SourceFile& b);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SURVEY_TWINS_H_
