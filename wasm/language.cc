// The rules of one language as a module of its own: language.d.ts.
//
// Its memory: Snowball takes what it needs once, when a stemmer is made, and more only for a longer word than any before;
// so a heap that never takes anything back serves, and is 3 kB smaller than one that does.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "border.h"
#include "text/language.h"
#include "text/language_table.h"

namespace {

constexpr size_t kHeapBytes = 48 << 10;
alignas(16) char heap[kHeapBytes];
size_t heap_used = 0;

}  // namespace

extern "C" {

void* malloc(size_t size) {
  size = (size + 23) / 16 * 16;  // its size, which realloc asks for, and what keeps the next one aligned
  if (size > kHeapBytes - heap_used) return nullptr;
  char* const block = heap + heap_used;
  heap_used += size;
  std::memcpy(block, &size, sizeof size);
  return block + 8;
}
void free(void*) {}
void* calloc(size_t count, size_t size) { return malloc(count * size); }  // never used before: zeros
void* realloc(void* old, size_t size) {
  void* const block = malloc(size);
  if (!block || !old) return block;
  size_t before;
  std::memcpy(&before, static_cast<char*>(old) - 8, sizeof before);
  return std::memcpy(block, old, before - 8 < size ? before - 8 : size);
}

void _Exit(int) { __builtin_trap(); }
}

namespace {
const sheaf::LanguageRules rules(sheaf::Language(sheaf::kLanguageTable[0].language));
char room[sheaf::LanguageRules::kRoom];
}  // namespace

SHEAF_EXPORT(room) char* Room() { return room; }
// Of no word: the version of the rules.
SHEAF_EXPORT(words) size_t Words(size_t size) { return size == 0 ? rules.version() : rules.Read(room, size); }
