#pragma once

#include <cstdint>
#include <limits>

#include "algorithms/candidate.hpp"
#include "cost/network.hpp"
#include "cost/parameters.hpp"
#include "cost/prediction.hpp"

namespace starling {

/// The predicted time of a candidate in a situation, whose ranks are those of `network`; its refusal where it has one.
/// Blocks are taken for equally large, also in v-variants, and the time in which ranks learn their sizes is part of it.
/// `most_visits` as for programs.
Prediction predict(const Bound& bound, const Situation& situation, int root, const Network& network,
                   const CostParameters& parameters,
                   std::int64_t most_visits = std::numeric_limits<std::int64_t>::max());

}  // namespace starling
