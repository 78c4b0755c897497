#include "packer/document/link_targets.h"

#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {

void LinkTargets::Add(std::string_view target) {
  target = Trim(target.substr(0, target.find_first_of("?#")));
  if (target.empty() || target.size() > kMaxLinkTargetBytes || targets_.size() == kMaxTargets) return;
  if (seen_.emplace(target).second) targets_.emplace_back(target);
}

std::vector<std::string> LinkTargets::Take() {
  seen_.clear();
  return std::exchange(targets_, {});
}

}  // namespace sheaf::packer
