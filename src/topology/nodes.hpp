#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

/// How ranks lie on nodes.
struct Spread {
  int nodes = 0;           ///< 0 where it is not known
  int ranks_per_node = 0;  ///< the largest
  /// Tells apart what has the same numbers: nodes of other sizes, ranks in another order, other domains. 0 where
  /// consecutive ranks fill one node of one domain after the other.
  int layout = 0;
};

/// The node of each rank by the numbers of their hosts: named by the lowest rank on it.
std::vector<int> nodes_by_hosts(std::span<const std::int64_t> hosts);

/// The domain of each rank of those that ranks told: all of a node of which a rank told a negative one, that it does
/// not know, are in one.
std::vector<int> domains_as_told(std::span<const int> nodes, std::span<const int> told);

/// The domain of each rank where the node of rank r has `counts[r]` of them: consecutive ranks of a node are in one, as
/// many in each as can be.
std::vector<int> domains_in_blocks(std::span<const int> nodes, std::span<const int> counts);

}  // namespace starling
