// bcast:switch_binary: a binary tree over a depth-first walk through the network's switches, as low as it can be while
// no link between switches carries a segment twice in the same direction.
//
//      [s0]-----[s1]
//      /  \     /  \         0 -> 3, 0 -> 1, 1 -> 2: only rank 0's own link carries two messages
//     0    3   1    2

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/switch_trees.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_down(team, switch_binary(team));
}

}  // namespace

Algorithm switch_binary() {
  return {
      .collectives = {Collective::bcast},
      .name = "switch_binary",
      .says = "sends segments down a binary tree that follows the network's switches",
      .source = "Patarasuk, Faraj and Yuan 2006, section 4",
      .group = "switch_binary",
      .needs = {.switches = true},
      .parameters = {coarse_segment_parameter()},
      .latency = "(h+2(n-1)) alpha with n segments and a tree of height h",
      .bandwidth = "2 m beta with many segments",
      .divide = segments,
      .refuses = switch_binary_refusal,
      .build = build,
  };
}

}  // namespace starling::bcast
