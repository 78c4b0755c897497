// Takes files out of the list of sources and counts them by kind.
#ifndef SHEAF_PACKER_SURVEY_LEFT_OUT_H_
#define SHEAF_PACKER_SURVEY_LEFT_OUT_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "packer/source/source.h"

namespace sheaf::packer {

// Counts a file that is left out; kinds stand in the order in which they were met.
inline void CountLeftOut(std::string kind, const std::string& example, std::vector<LeftOut>* counts) {
  const auto found =
      std::find_if(counts->begin(), counts->end(), [&](const LeftOut& known) { return known.kind == kind; });
  if (found == counts->end())
    counts->push_back({std::move(kind), 1, example});
  else
    ++found->files;
}

// Removes the files of which `kind_of` gives a kind; it may change the others. Each is asked where it stood before.
template <typename KindOfFile>
void TakeOut(SourceList* list, KindOfFile&& kind_of) {
  std::erase_if(list->files, [&](SourceFile& file) {
    std::string kind = kind_of(&file);
    if (kind.empty()) return false;
    list->bytes -= file.size;
    CountLeftOut(std::move(kind), file.source, &list->left_out);
    return true;
  });
}

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SURVEY_LEFT_OUT_H_
