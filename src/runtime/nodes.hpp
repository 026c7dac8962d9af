#pragma once

#include <vector>

namespace starling {

/// How ranks lie on nodes.
struct Spread {
  int nodes = 0;           ///< 0 where it is not known
  int ranks_per_node = 0;  ///< the largest
};

/// What each rank of MPI_COMM_WORLD says, known to all of them. Collective.
std::vector<int> told_by_ranks(int mine, int ranks);

/// The node of each rank of MPI_COMM_WORLD, named by the lowest rank on it: ranks on a host of one name. Collective.
std::vector<int> nodes_of_ranks(int ranks);

Spread spread_over(std::vector<int> nodes);

}  // namespace starling
