// scan:domains: as scan:two_level, with the NUMA domains of a node in place of nodes, in memory that the node's ranks
// share.
//
//   domains  0 1 | 2 3      rank 0   rank 1   rank 2   rank 3
//   start                   0        1        2        3
//   in the domains          0        01       2        23
//   last ranks                       01                0123
//   in the domains          0        01       012      0123

#include "algorithms/shared/domains.hpp"

#include "algorithms/algorithm.hpp"

namespace starling::scan {

Algorithm two_level();

Algorithm domains() {
  return over_domains(two_level(),
                      "scans in each NUMA domain of a node, then the domains' sums among their last ranks, and tells "
                      "each domain what comes before it");
}

}  // namespace starling::scan
