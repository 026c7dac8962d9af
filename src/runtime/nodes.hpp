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

/// What each rank of MPI_COMM_WORLD says, known to all of them. Collective.
std::vector<int> told_by_ranks(int mine, int ranks);

/// A number for the host that this rank is on, by its name and, where hosts share a name, by when it was started. Not
/// by MPI_Comm_split_type, which takes longer than all else in MPI_Init where ranks share processors.
std::int64_t number_of_host();

/// The node of each rank by the numbers of their hosts: named by the lowest rank on it.
std::vector<int> nodes_by_hosts(std::span<const std::int64_t> hosts);

Spread spread_over(std::vector<int> nodes);

}  // namespace starling
