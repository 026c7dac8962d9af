// reduce:switch_chain: sums go along a chain in the reverse order of a depth-first walk through the network's switches,
// so that no link carries a segment twice in the same direction.
//
//      [s0]-----[s1]
//      /  \     /  \          2 -> 1 -> 3 -> 0, however ranks are numbered
//     0    3   1    2

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/switch_trees.hpp"
#include "algorithms/shared/tree_sum.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_up(team, switch_chain(team));
}

}  // namespace

Algorithm switch_chain() {
  return {
      .collectives = {Collective::reduce},
      .name = "switch_chain",
      .says = "combines along a chain that follows the network's switches",
      .source = "Patarasuk, Faraj and Yuan 2006, section 3",
      .group = "switch_chain",
      .needs = {.commutative = true, .switches = true},
      .parameters = {coarse_segment_parameter()},
      .reduction_order = "switch_chain",
      .latency = "(p-2+n) alpha with n segments",
      .bandwidth = "(p-2+n)/n m beta with n segments",
      .divide = segments,
      .works_in_place = false,
      .refuses = segment_refusal,
      .scratch_blocks = scratch_of_pipelined_up,
      .build = build,
  };
}

}  // namespace starling::reduce
