// allreduce:domains: as allreduce:two_level, with the NUMA domains of a node in place of nodes: the ranks of each
// domain reduce to its first one, these first ranks reduce to all of them, and each broadcasts the result in its
// domain. All of them publish and take in memory that the node's ranks share.
//
//   domains  0 1 2 | 3 4    rank 0   rank 1   rank 2   rank 3   rank 4      ranks that the vector is combined over
//   start                   0        1        2        3        4
//   in the domains          012      1        2        34       4
//   first ranks             01234    1        2        01234    4
//   in the domains          01234    01234    01234    01234    01234

#include "algorithms/shared/domains.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::allreduce {

Algorithm two_level();

Algorithm domains() {
  return over_domains(
      two_level(),
      "reduces in each NUMA domain of a node, then among one rank of each domain, and broadcasts in each domain");
}

}  // namespace starling::allreduce
