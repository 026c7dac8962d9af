#pragma once

#include <string_view>

#include "algorithms/algorithm.hpp"

namespace starling {

/// The algorithm `domains` of a collective: its `two_level` or `multilane`, which is given, with the domains of one
/// node in place of nodes, and memory that the node's ranks share on both levels.
Algorithm over_domains(const Algorithm& by_nodes, std::string_view says);

}  // namespace starling
