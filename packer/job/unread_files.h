// The files that a converter must read before a job packs them (source/unread.h), as JSON for whoever runs converters.
#ifndef SHEAF_PACKER_JOB_UNREAD_FILES_H_
#define SHEAF_PACKER_JOB_UNREAD_FILES_H_

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "packer/source/source.h"

namespace sheaf::packer {

// {"ok": true, "root", "includesFrom", "files": [{"path", "file", "format", "size"}]}. Names that are no UTF-8 are left
// out. Cost: a walk over the inputs. Errors: those of FindSources.
Result<std::string> UnreadFiles(const std::vector<std::string>& inputs, const SourceOptions& options,
                                const std::function<bool()>& cancelled);

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_JOB_UNREAD_FILES_H_
