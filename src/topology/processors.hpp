#pragma once

#include <array>
#include <cstdint>

namespace starling {

/// Processors of a machine: a bit for each.
using Processors = std::array<std::uint64_t, 64>;

/// Those on which the calling thread may run: fewer than the machine has where it is bound, or in a container.
Processors allowed_processors();

}  // namespace starling
