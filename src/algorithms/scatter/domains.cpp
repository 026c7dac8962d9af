// scatter:domains: as scatter:two_level, with the NUMA domains of a node in place of nodes: the root publishes the
// blocks of each domain for one rank of it, and each of these the blocks of its domain, in memory that the node's ranks
// share.
//
//   domains  0 1 | 2 3     rank 0   rank 1   rank 2   rank 3
//   start                  ABCD
//   first ranks            ABCD              CD
//   in the domains         A        B        C        D

#include "algorithms/shared/domains.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::scatter {

Algorithm two_level();

Algorithm domains() {
  return over_domains(two_level(), "scatters to one rank of each NUMA domain of a node, then in each domain");
}

}  // namespace starling::scatter
