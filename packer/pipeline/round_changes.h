// Counts of the changes that a round of packing found.
#ifndef SHEAF_PACKER_PIPELINE_ROUND_CHANGES_H_
#define SHEAF_PACKER_PIPELINE_ROUND_CHANGES_H_

#include <cstdint>

namespace sheaf::packer {

// Compared with the previous round.
struct RoundChanges {
  uint64_t added = 0, changed = 0, removed = 0;
  uint64_t prepared = 0;    // read and prepared, whether they changed or not
  uint64_t kept_pages = 0;  // in memory, for the next round
  uint64_t kept_bytes = 0;
  bool any() const { return added + changed + removed > 0; }
};

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_PIPELINE_ROUND_CHANGES_H_
