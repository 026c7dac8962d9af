#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "generated/symbols.inc"

namespace starling {

inline constexpr std::size_t entry_count = STARLING_ENTRIES;

/// One entry point of MPI. All its exported names jump to the address in its slot (trampolines.S).
struct Entry {
  std::array<const char*, 4> spellings{};  ///< exported names; C has one, Fortran up to four
  bool is_fortran = false;
  void (*wrapper)() = nullptr;   ///< called if Starling is active
  void (*fallback)() = nullptr;  ///< called then if the MPI library lacks the function; null: an error
};

/// All entry points; generated.
std::span<const Entry> entries();

/// The original function of each entry, of the MPI library or of a tool in front of it; null if there is none.
extern std::array<void*, entry_count> originals;

/// The original function, with its type.
template <class Signature>
Signature* original(int slot) {
  return reinterpret_cast<Signature*>(originals[static_cast<std::size_t>(slot)]);
}

template <class Signature>
auto address_of(Signature* wrapper) {
  return reinterpret_cast<void (*)()>(wrapper);
}

}  // namespace starling
