#pragma once

#include <vector>

#include "algorithms/candidate.hpp"

namespace starling {

/// The candidates of so many ranks without those that do there what an earlier one does: between two ranks all trees
/// are one message, and nothing is to be kept apart. Candidates that need to know the network stay, and so do all of
/// one rank, which has no use for any, and all from four ranks on, where hardly any two are the same.
std::vector<Bound> without_repetitions(std::vector<Bound> all, int ranks);

}  // namespace starling
