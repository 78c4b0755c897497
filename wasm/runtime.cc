// The system functions that the C and C++ runtimes expect, for a module that has no system. With these few
// functions it runs without generated JavaScript and imports nothing.
#include <cstdlib>
#include <new>

#include "border.h"

namespace {
bool out_of_memory = false;
}

// Why the module trapped: the one question that may be asked after a trap.
SHEAF_EXPORT(outOfMemory) int OutOfMemory() { return out_of_memory; }

// malloc may return null; callers of operator new cannot handle that.
void* operator new(size_t size) {
  void* memory = std::malloc(size);
  if (!memory) {
    out_of_memory = true;
    __builtin_trap();
  }
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

// Where abort() ends: a trap, which JavaScript sees as a RuntimeError.
extern "C" void _Exit(int) { __builtin_trap(); }

// Hosts look at memory.buffer anew after every call.
extern "C" void emscripten_notify_memory_growth(size_t) {}
