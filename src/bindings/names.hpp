#pragma once

#include <array>
#include <cstddef>

#include "generated/symbols.inc"

namespace starling {

inline constexpr std::size_t entry_count = STARLING_ENTRIES;

/// The exported name of each slot of trampolines.S in libstarling.so (src/chooser); generated.
extern const std::array<const char*, entry_count> names;

}  // namespace starling
