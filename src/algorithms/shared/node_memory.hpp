#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace starling {

/// Why ranks cannot meet in memory that those of a node share, besides being on several nodes; empty if they can.
std::string node_memory_refusal(const Situation& situation);

/// All ranks but `team`'s own: the next one first.
std::vector<int> all_others(const Team& team);

/// `Algorithm::shares_memory` of algorithms that always do.
inline bool always_shares(const Parameters& /*any*/) {
  return true;
}

}  // namespace starling
