// reduce:switch_binary: sums come up a binary tree over a depth-first walk through the network's switches, as low as it
// can be while no link between switches carries a segment twice in the same direction.
//
//      [s0]-----[s1]
//      /  \     /  \         3 -> 0, 2 -> 1 -> 0: only rank 0's own link carries two messages
//     0    3   1    2

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/switch_trees.hpp"
#include "algorithms/shared/tree_sum.hpp"

namespace starling::reduce {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_up(team, switch_binary(team));
}

}  // namespace

Algorithm switch_binary() {
  return {
      .collectives = {Collective::reduce},
      .name = "switch_binary",
      .says = "combines up a binary tree that follows the network's switches",
      .source = "Patarasuk, Faraj and Yuan 2006, section 4",
      .group = "switch_binary",
      .needs = {.commutative = true, .switches = true},
      .parameters = {coarse_segment_parameter()},
      .reduction_order = "switch_binary",
      .latency = "(h+2(n-1)) alpha with n segments and a tree of height h",
      .bandwidth = "2 m beta with many segments",
      .divide = segments,
      .works_in_place = false,
      .refuses = switch_binary_refusal,
      .scratch_blocks = scratch_of_pipelined_up,
      .build = build,
  };
}

}  // namespace starling::reduce
