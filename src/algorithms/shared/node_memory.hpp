#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace starling {

/// Why ranks cannot meet in memory that those of a node share, besides being on several nodes; empty if they can.
/// `Algorithm::refuses` of algorithms that refuse for nothing else.
std::string node_memory_refusal(const Situation& situation, const Parameters& with = {});

/// Of elements of so many bytes, whether they are too large for that (Situation::large_elements).
bool are_large_elements(std::int64_t bytes);

/// All ranks but `team`'s own: the next one first.
std::vector<int> all_others(const Team& team);

/// `Algorithm::shares_memory` of algorithms that always do.
inline bool always_shares(const Parameters& /*any*/) {
  return true;
}

}  // namespace starling
