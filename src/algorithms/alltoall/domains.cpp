// alltoall:domains: as alltoall:multilane, with the NUMA domains of a node in place of nodes: ranks exchange in each
// domain what goes to the lane of each, the ranks that stand in the other domains where it stands; then every lane
// exchanges. All of them publish and take in memory that the node's ranks share.
//
//   domains  0 1 | 2 3   rank 0        rank 1        rank 2        rank 3        "xy": from rank x to rank y
//   start                00 01 02 03   10 11 12 13   20 21 22 23   30 31 32 33
//   in the domains       00 02 10 12   01 03 11 13   20 22 30 32   21 23 31 33
//   lanes  0 2 | 1 3     00 10 20 30   01 11 21 31   02 12 22 32   03 13 23 33

#include "algorithms/shared/domains.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::alltoall {

Algorithm multilane();

Algorithm domains() {
  return over_domains(multilane(),
                      "exchanges in each NUMA domain of a node the blocks for each lane of ranks, then in all lanes");
}

}  // namespace starling::alltoall
