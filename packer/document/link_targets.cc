#include "packer/document/link_targets.h"

#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {

void LinkTargets::Add(std::string_view target, bool in_prose) {
  target = Trim(target.substr(0, target.find_first_of("?#")));
  if (target.empty() || target.size() > kMaxLinkTargetBytes) return;
  const auto known = numbers_.find(std::string(target));
  if (known != numbers_.end()) {
    targets_[known->second].in_prose |= in_prose;
  } else if (targets_.size() < kMaxTargets) {
    numbers_.emplace(target, targets_.size());
    targets_.push_back({std::string(target), in_prose});
  }
}

std::vector<LinkTarget> LinkTargets::Take() {
  numbers_.clear();
  return std::exchange(targets_, {});
}

}  // namespace sheaf::packer
