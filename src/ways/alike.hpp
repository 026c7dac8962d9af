#pragma once

#include <span>

#include "schedule/collective.hpp"

namespace starling {

/// For each of `ways(collective, ranks)` the place of the first of them that does the same, which may be itself. On two
/// and three ranks many algorithms are one: all trees of two ranks are one message, and a barrier between steps has
/// nothing to part. From four ranks on hardly any two do the same: nothing is compared, and nothing returned. Nor is
/// what needs to know the network. The same on all ranks. The first call for a collective and a number of ranks takes
/// about as long as to make the schedules of all its ways.
std::span<const int> alike(Collective collective, int ranks);

}  // namespace starling
