// barrier:domains: as barrier:two_level, with the NUMA domains of a node in place of nodes, by words in memory that the
// node's ranks share.
//
//   domains  0 1 2 | 3 4      1 and 2 tell 0, and 4 tells 3; 0 and 3 meet; 0 tells 1 and 2, and 3 tells 4

#include "algorithms/shared/domains.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::barrier {

Algorithm two_level();

Algorithm domains() {
  return over_domains(two_level(),
                      "waits in each NUMA domain of a node for its ranks, runs a barrier among one rank of each "
                      "domain, then releases the others");
}

}  // namespace starling::barrier
