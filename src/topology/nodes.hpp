#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// How ranks lie on nodes.
struct Spread {
  int nodes = 0;           ///< 0 where it is not known
  int ranks_per_node = 0;  ///< the largest
};

/// The node of each rank by the numbers of their hosts: named by the lowest rank on it.
std::vector<int> nodes_by_hosts(std::span<const std::int64_t> hosts);

}  // namespace starling
