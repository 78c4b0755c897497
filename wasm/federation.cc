// The border of search/federation.h, for pages and programs that search several bundles. Translation only; the
// conventions stand in federation.d.ts, which declares exactly what is exported here.
//
// Its memory: a call takes little and keeps nothing, so a heap that begins anew with each call serves, and is smaller
// than one that takes things back.
#include "search/federation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "border.h"

extern "C" {
extern char __heap_base;
static uintptr_t heap_end = 0;

void* malloc(size_t size) {
  constexpr size_t kPageBytes = 1 << 16;
  const uintptr_t block = heap_end;
  const size_t room = __builtin_wasm_memory_size(0) * kPageBytes - block;
  if (size > room && __builtin_wasm_memory_grow(0, (size - room) / kPageBytes + 1) == SIZE_MAX) return nullptr;
  heap_end += (size + 15) / 16 * 16;
  return reinterpret_cast<void*>(block);
}
void free(void*) {}
}

SHEAF_EXPORT(stage) void* Stage(size_t numbers) {
  heap_end = (reinterpret_cast<uintptr_t>(&__heap_base) + 15) / 16 * 16;
  return malloc(numbers * sizeof(uint32_t));
}

SHEAF_EXPORT(commonScale)
const float* CommonScale(const void* staged, uint32_t words, uint32_t spaces, uint32_t members, uint32_t hits,
                         uint32_t matches) {
  sheaf::MemberAnswers answers{words, spaces, {}, {}, {}};
  const auto take = [&](auto* list, uint32_t count) {
    using Item = typename std::remove_pointer_t<decltype(list)>::value_type;
    const auto* const first = static_cast<const Item*>(staged);
    *list = {first, count};
    staged = first + count;
  };
  take(&answers.members, members);
  take(&answers.hits, hits);
  take(&answers.matches, matches);
  const sheaf::CommonScale scale = sheaf::FindCommonScale(answers, sheaf::Ranking());
  float* const answer = static_cast<float*>(malloc((members + words) * sizeof(float)));
  std::copy(scale.known.begin(), scale.known.end(), std::copy(scale.best.begin(), scale.best.end(), answer));
  return answer;
}
