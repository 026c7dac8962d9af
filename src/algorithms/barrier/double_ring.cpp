// barrier:double_ring: a message goes twice around all ranks: once to collect them, once to let them go.
//
//   0 -> 1 -> 2 -> 3 -> 0        when it is back, all have come
//   0 -> 1 -> 2 -> 3 -> 0        whoever gets it a second time may go on

#include "algorithms/algorithm.hpp"

namespace starling::barrier {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  if (team.size == 1) return todo;
  for (int lap = 0; lap < 2; ++lap) {
    if (team.rank == 0) todo.round().send(nothing(), team.right());
    todo.round().receive(nothing(), team.left());
    if (team.rank > 0) todo.round().send(nothing(), team.right());
  }
  return todo;
}

}  // namespace

Algorithm double_ring() {
  return {
      .collectives = {Collective::barrier},
      .name = "double_ring",
      .says = "sends a message twice around all ranks",
      .source = "Pjesivac-Grbovic et al. 2007",
      .group = "ring",
      .counterparts = {{.ompi = "double_ring"}},
      .latency = "2 p alpha",
      .bandwidth = "none",
      .build = build,
  };
}

}  // namespace starling::barrier
