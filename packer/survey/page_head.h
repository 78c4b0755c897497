// The first bytes of a page.
#ifndef SHEAF_PACKER_SURVEY_PAGE_HEAD_H_
#define SHEAF_PACKER_SURVEY_PAGE_HEAD_H_

#include <cstddef>
#include <string>

#include "packer/source/source.h"

namespace sheaf::packer {

// Empty if it cannot be read: packing reports that.
std::string BeginningOf(const SourceFile& file, size_t bytes);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_SURVEY_PAGE_HEAD_H_
