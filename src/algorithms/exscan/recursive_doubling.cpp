// exscan:recursive_doubling: in each step ranks exchange the sums of their groups with the rank twice as far away as
// before; what comes from lower ranks counts for the result. A rank whose partner does not exist skips the step.
//
//            rank 0    rank 1    rank 2    rank 3        result; sum of its group
//   start    - ; 0     - ; 1     - ; 2     - ; 3
//   step 1   - ; 01    0 ; 01    - ; 23    2 ; 23
//   step 2   - ; 0123  0 ; 0123  01; 0123  012; 0123

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/prefix.hpp"

namespace starling::exscan {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  return prefix_by_recursive_doubling(team, Prefix::exclusive);
}

int divide(const Situation& /*any*/, const Parameters& /*none*/) {
  return 1;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 1 ? 2 : 0;
}

}  // namespace

Algorithm recursive_doubling() {
  return {
      .collectives = {Collective::exscan},
      .name = "recursive_doubling",
      .says = "exchanges sums of groups, with a partner twice as far away in each step",
      .source = "Hillis and Steele 1986; Thakur, Rabenseifner and Gropp 2005",
      .group = "logarithmic",
      .reduction_order = "recursive_doubling",
      .counterparts = {{.ompi = "recursive_doubling", .mpich = "recursive_doubling"}},
      .latency = "ceil(log2 p) alpha",
      .bandwidth = "ceil(log2 p) m beta",
      .divide = divide,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::exscan
