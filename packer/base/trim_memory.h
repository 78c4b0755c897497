// Returns freed memory to the system, which some allocators would keep.
#ifndef SHEAF_PACKER_BASE_TRIM_MEMORY_H_
#define SHEAF_PACKER_BASE_TRIM_MEMORY_H_

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace sheaf::packer {

inline void TrimMemory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace sheaf::packer

#endif  // SHEAF_PACKER_BASE_TRIM_MEMORY_H_
