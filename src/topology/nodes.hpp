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

/// What a rank may use of its node's processors.
struct ProcessorShare {
  std::int64_t which;  ///< the same number for ranks of a node that may use the same ones
  std::int64_t count;  ///< how many they are
  std::int64_t group;  ///< the same number for ranks that have processors together by a quota; 0: there is none
  std::int64_t quota;  ///< how many; 0 for a part of one
};

/// For each rank 1 where it has to share processors, because more ranks of its node may use exactly the same ones than
/// these are, or have a quota together that is smaller than they are many; else 0. Other jobs do not count.
std::vector<int> sharing_processors(std::span<const int> nodes, std::span<const ProcessorShare> shares);

/// The domain of each rank of those that ranks told: all of a node of which a rank told a negative one, that it does
/// not know, are in one.
std::vector<int> domains_as_told(std::span<const int> nodes, std::span<const int> told);

/// The domain of each rank where the node of rank r has `counts[r]` of them: consecutive ranks of a node are in one, as
/// many in each as can be.
std::vector<int> domains_in_blocks(std::span<const int> nodes, std::span<const int> counts);

}  // namespace starling
