#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "bindings/names.hpp"
#include "chooser/variant.hpp"
#include "runtime/mpi/loaded.hpp"

/// The addresses to which the exported symbols jump (src/bindings/trampolines.S).
extern "C" void* starling_slots[];

/// Sets the address of a slot, and returns it: the variant's function, or the MPI library's own.
extern "C" __attribute__((visibility("hidden"))) void* starling_resolve(std::size_t slot) {
  using namespace starling;
  const char* const name = names[slot];
  EntryFunction* const entry = variant().entry;
  void* target = entry != nullptr ? entry(name, next_symbol) : nullptr;
  if (target == nullptr) target = next_symbol(name, true);
  if (target == nullptr) {
    std::fprintf(stderr, "starling: %s was called, which no MPI library that is loaded here has\n", name);
    std::abort();
  }
  std::atomic_ref(starling_slots[slot]).store(target, std::memory_order_release);
  return target;
}
