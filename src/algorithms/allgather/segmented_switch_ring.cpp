// allgather:segmented_switch_ring: the ring in the order of a depth-first walk through the network's switches, with
// each block in segments: short messages that need no answer first.
//
//      [s0]-----[s1]
//      /  \     /  \          0 -> 3 -> 1 -> 2 -> 0, however ranks are numbered; steps as in segmented_ring
//     0    3   1    2

#include "algorithms/shared/pipeline.hpp"
#include "algorithms/shared/segmented_passing.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*segments are blocks*/) {
  const Walk walk = walk_from(*team.tree, 0);
  const int mine = walk.position[static_cast<std::size_t>(team.rank)];
  return pass_segments_around(team,
                              [&](int place) { return walk.order[static_cast<std::size_t>(team.wrap(mine + place))]; });
}

}  // namespace

Algorithm segmented_switch_ring() {
  return {
      .collectives = {Collective::allgather},
      .name = "segmented_switch_ring",
      .says = "passes blocks around a ring that follows the network's switches, each in segments",
      .source = "Faraj, Patarasuk and Yuan 2007, with segments as in Patarasuk and Yuan 2009",
      .group = "segmented_switch_ring",
      .needs = {.switches = true},
      .parameters = {short_message_parameter()},
      .latency = "(p-1) n alpha with n segments",
      .bandwidth = "(p-1) s beta, also on a tree of switches",
      .divide = segments,
      .refuses = short_message_refusal,
      .build = build,
  };
}

}  // namespace starling::allgather
