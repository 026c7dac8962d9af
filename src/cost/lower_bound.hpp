#pragma once

#include <cstdint>

#include "cost/network.hpp"
#include "cost/parameters.hpp"
#include "schedule/collective.hpp"

namespace starling {

/// Seconds that no algorithm of messages can stay below in this model: one message, and what must cross the link that
/// has most to carry for its rate, which is a cut of the tree. For allreduce also the 2 (h-1) m bytes that h hosts must
/// send in all (Patarasuk and Yuan 2009, section 3). `bytes` counts as everywhere: the vector, or one block.
double lower_bound(Collective collective, std::int64_t bytes, int root, const Network& network,
                   const CostParameters& parameters);

}  // namespace starling
