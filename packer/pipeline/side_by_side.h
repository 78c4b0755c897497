// Of languages and versions of one documentation that lie side by side, such as `de/` beside `en/`, chooses one.
//
//     FindSources -> OrderByContents -> ChooseSideBySide -> TakeSurvey -> PackPages
//
// Idea: readers search one language of one version; the same page ten times over hides the others. Names suggest
// languages and versions: folders of one place that hold pages of the same names, or pages beside a folder that repeats
// them (`zh/` within an English tree, `versioned_docs/` beside `docs/`). Words prove them: versions share text, and the
// pages of `cs/` are in Czech, or the folder is about C#.
//
// Choice   Without an option: the language of --language, of the pages beside the folders, English, or the largest; the
//          version that is called current, or has the highest number. --only-language and --version-folder name another,
//          and keep that one alone; "all" keeps them all. Where --only-language is given, pages that name another language
//          themselves are left out too.
// Invariant: depends on the listed files alone. Pages that the user names as inputs are kept.
// Cost: linear in the length of all paths; where folders look alike, a few pages of each are read.
#ifndef SHEAF_PACKER_PIPELINE_SIDE_BY_SIDE_H_
#define SHEAF_PACKER_PIPELINE_SIDE_BY_SIDE_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "packer/source/source.h"

namespace sheaf::packer {

inline constexpr char kAllOfThem[] = "all";

struct SideBySideOptions {
  std::string only_language, version_folder;  // empty: chosen here
  std::string language;                       // of --language; empty: not given
  bool chooses = true;                        // false: without an option, all are kept
};

// A place with languages or with versions of the same pages.
struct SideBySide {
  bool are_languages = false;
  std::string folder;               // printable, with its '/'; empty: the root
  std::string packed;               // printable name; empty: all of them, or none
  std::vector<std::string> others;  // the same, left out unless all are packed
};

// Takes the others out of `list`, counts them there and notes each place. Errors: kNotFound if nothing has the name
// that an option gives; it says which there are.
Result<std::vector<SideBySide>> ChooseSideBySide(SourceList* list, const SideBySideOptions& options);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_SIDE_BY_SIDE_H_
