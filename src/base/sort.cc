#include "base/sort.h"

#include <algorithm>
#include <numeric>

namespace sheaf {

std::vector<uint32_t> SortedPositions(size_t count, bool (*less)(const void* context, uint32_t a, uint32_t b),
                                      const void* context) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (less(context, a, b)) return true;
    return !less(context, b, a) && a < b;
  });
  return order;
}

}  // namespace sheaf
