// reduce_scatter:domains: as reduce_scatter:multilane, with the NUMA domains of a node in place of nodes: the ranks of
// each domain combine what is for the lane of each, the ranks that stand in the other domains where it stands; then
// every lane combines. All of them publish and take in memory that the node's ranks share.
//
//   domains  0 1 | 2 3   rank 0     rank 1     rank 2     rank 3        blocks, and ranks that they are combined over
//   in the domains       0 2: 01    1 3: 01    0 2: 23    1 3: 23
//   lanes  0 2 | 1 3     0: all     1: all     2: all     3: all

#include "algorithms/shared/domains.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::reduce_scatter {

Algorithm multilane();

Algorithm domains() {
  return over_domains(multilane(), "reduces in each NUMA domain of a node for each lane of ranks, then in all lanes");
}

}  // namespace starling::reduce_scatter
