// gather:domains: as gather:two_level, with the NUMA domains of a node in place of nodes: the first rank of each domain
// takes its blocks, and the root takes these in one piece, from memory that the node's ranks share.
//
//   domains  0 1 | 2 3     rank 0   rank 1   rank 2   rank 3
//   start                  A        B        C        D
//   in the domains         AB       B        CD       D
//   first ranks            ABCD     B        CD       D

#include "algorithms/shared/domains.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::gather {

Algorithm two_level();

Algorithm domains() {
  return over_domains(two_level(), "gathers in each NUMA domain of a node, then from one rank of each domain");
}

}  // namespace starling::gather
