// An errno as an Error with a readable message.
#ifndef SHEAF_PACKER_OUTPUT_FAILURE_H_
#define SHEAF_PACKER_OUTPUT_FAILURE_H_

#include <cerrno>
#include <string>

#include "base/result.h"
#include "packer/base/printable.h"

namespace sheaf::packer {

// "what: No space left on device; free some, or name a file on another disk with -o"
inline Error Failure(const std::string& what, int error) {
  std::string why = ErrnoText(error);
  if (error == ENOSPC || error == EDQUOT) why += "; free some, or name a file on another disk with -o";
  return Error{ErrorCode::kInvalidArgument, what + ": " + why};
}

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_OUTPUT_FAILURE_H_
