#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace starling {

/// Processors of a machine: a bit for each.
using Processors = std::array<std::uint64_t, 64>;

/// Those on which the calling thread may run: fewer than the machine has where it is bound, or in a container.
Processors allowed_processors();

/// Whether one that may run on `mine` only can have a processor for itself: those who may run nowhere else are not more
/// than these. `all` has the processors of everyone, also of this one.
bool has_own_processor(const Processors& mine, std::span<const Processors> all);

}  // namespace starling
