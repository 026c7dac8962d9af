// bcast:domains: as bcast:two_level, with the NUMA domains of a node in place of nodes: the root publishes the vector
// for one rank of each other domain, and each of these for the others of its domain, in memory that the node's ranks
// share.
//
//   domains  0 1 2 | 3 4    rank 0   rank 1   rank 2   rank 3   rank 4
//   start                   A
//   first ranks             A                          A
//   in the domains          A        A        A        A        A

#include "algorithms/shared/domains.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::bcast {

Algorithm two_level();

Algorithm domains() {
  return over_domains(two_level(), "broadcasts to one rank of each NUMA domain of a node, then in each domain");
}

}  // namespace starling::bcast
