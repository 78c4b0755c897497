#include "base/gather.h"

namespace sheaf {

Status Gather::status() const {
  if (complete_) return {};
  return NeedsBytes();
}

Status Gather::Judge(const Error& error) {
  if (error.code != ErrorCode::kNeedsBytes) return error;
  complete_ = false;
  return {};
}

}  // namespace sheaf
