// bcast:switch_chain: the chain in the order of a depth-first walk through the network's switches, so that no link
// carries a segment twice in the same direction.
//
//      [s0]-----[s1]
//      /  \     /  \          0 -> 3 -> 1 -> 2, however ranks are numbered
//     0    3   1    2

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/switch_trees.hpp"

namespace starling::bcast {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  return pipelined_down(team, switch_chain(team));
}

}  // namespace

Algorithm switch_chain() {
  return {
      .collectives = {Collective::bcast},
      .name = "switch_chain",
      .says = "passes segments along a chain that follows the network's switches",
      .source = "Patarasuk, Faraj and Yuan 2006, section 3",
      .group = "switch_chain",
      .needs = {.switches = true},
      .parameters = {coarse_segment_parameter()},
      .latency = "(p-2+n) alpha with n segments",
      .bandwidth = "(p-2+n)/n m beta with n segments",
      .divide = segments,
      .refuses = segment_refusal,
      .build = build,
  };
}

}  // namespace starling::bcast
