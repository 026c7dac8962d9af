// allgather:domains: as allgather:two_level, with the NUMA domains of a node in place of nodes: the first rank of each
// domain gathers its blocks, these first ranks gather those of all domains, and each broadcasts everything in its
// domain. All of them publish and take in memory that the node's ranks share.
//
//   domains  0 1 | 2 3     rank 0   rank 1   rank 2   rank 3
//   start                  A...     .B..     ..C.     ...D
//   in the domains         AB..     .B..     ..CD     ...D
//   first ranks            ABCD     .B..     ABCD     ...D
//   in the domains         ABCD     ABCD     ABCD     ABCD

#include "algorithms/shared/domains.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::allgather {

Algorithm two_level();

Algorithm domains() {
  return over_domains(
      two_level(),
      "gathers in each NUMA domain of a node, then among one rank of each domain, and broadcasts in each domain");
}

}  // namespace starling::allgather
