// Sorting in cold code: one algorithm for all types, where std::sort would be compiled anew for each
// (about 2 kB of WebAssembly a call).
//
// Idea: sort a list of positions, comparing through a function pointer, and move the items once, at the end.
// The sort is stable.
//
// Cost: an indirect call per comparison; four bytes and one extra move per item. Inner loops use std::sort.
#ifndef SHEAF_BASE_SORT_H_
#define SHEAF_BASE_SORT_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sheaf {

// Positions 0..count-1 in ascending order of `less(context, a, b)`, which compares two positions.
std::vector<uint32_t> SortedPositions(size_t count, bool (*less)(const void* context, uint32_t a, uint32_t b),
                                      const void* context);

template <typename T, typename Less>
void Sort(std::vector<T>* items, const Less& less) {
  struct Context {
    const std::vector<T>* items;
    const Less* less;
  } context{items, &less};
  const std::vector<uint32_t> order = SortedPositions(
      items->size(),
      [](const void* raw, uint32_t a, uint32_t b) {
        const Context& c = *static_cast<const Context*>(raw);
        return (*c.less)((*c.items)[a], (*c.items)[b]);
      },
      &context);
  std::vector<T> sorted;
  sorted.reserve(items->size());
  for (uint32_t position : order) sorted.push_back(std::move((*items)[position]));
  *items = std::move(sorted);
}

template <typename T>
void Sort(std::vector<T>* items) {
  Sort(items, [](const T& a, const T& b) { return a < b; });
}

}  // namespace sheaf

#endif  // SHEAF_BASE_SORT_H_
