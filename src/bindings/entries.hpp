#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "generated/symbols.inc"

namespace starling {

inline constexpr std::size_t entry_count = STARLING_ENTRIES;

/// One entry point of MPI. All its exported names jump to where its slot points (trampolines.S).
struct Entry {
  std::array<const char*, 4> spellings{};  ///< exported names; C has one, Fortran up to four
  bool is_fortran = false;
  void (*wrapper)() = nullptr;   ///< what runs where Starling is active
  void (*fallback)() = nullptr;  ///< what runs then if the MPI library has no such function; null: an error
};

/// All of them; generated.
std::span<const Entry> entries();

/// The function behind each entry, the MPI library's own or a tool's in front of it; null where there is none.
extern std::array<void*, entry_count> originals;

/// That function, with its type.
template <class Signature>
Signature* original(int slot) {
  return reinterpret_cast<Signature*>(originals[static_cast<std::size_t>(slot)]);
}

template <class Signature>
auto address_of(Signature* wrapper) {
  return reinterpret_cast<void (*)()>(wrapper);
}

}  // namespace starling
