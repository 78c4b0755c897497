#include "packer/document/link_targets.h"

#include <utility>

#include "packer/base/text_scan.h"

namespace sheaf::packer {

void LinkTargets::Add(std::string_view target, bool in_prose) {
  target = Trim(target.substr(0, target.find_first_of("?#")));
  if (target.empty() || target.size() > kMaxLinkTargetBytes) return;
  for (List* list : {&all_, &prose_}) {
    if (list == &prose_ && !in_prose) break;
    if (list->targets.size() < kMaxTargets && list->seen.emplace(target).second) list->targets.emplace_back(target);
  }
}

std::vector<std::string> LinkTargets::TakeFrom(List* list) { return std::exchange(*list, {}).targets; }

std::vector<std::string> LinkTargets::Take() { return TakeFrom(&all_); }
std::vector<std::string> LinkTargets::TakeProse() { return TakeFrom(&prose_); }

}  // namespace sheaf::packer
