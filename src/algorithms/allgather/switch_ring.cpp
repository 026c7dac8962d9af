// allgather:switch_ring: the ring in the order of a depth-first walk through the network's switches, so that in every
// step each link carries one block in each direction.
//
//      [s0]-----[s1]
//      /  \     /  \          0 -> 3 -> 1 -> 2 -> 0, however ranks are numbered
//     0    3   1    2

#include "algorithms/algorithm.hpp"

namespace starling::allgather {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  const Walk walk = walk_from(*team.tree, 0);
  const auto rank_at = [&](int position) { return walk.order[static_cast<std::size_t>(team.wrap(position))]; };
  const int mine = walk.position[static_cast<std::size_t>(team.rank)];
  Schedule todo(team.blocks());
  todo.copy(sendbuf(0), recvbuf(team.rank));
  for (int step = 1; step < team.size; ++step)
    todo.round()
        .receive(recvbuf(rank_at(mine - step)), rank_at(mine - 1))
        .send(recvbuf(rank_at(mine - step + 1)), rank_at(mine + 1));
  return todo;
}

}  // namespace

Algorithm switch_ring() {
  return {
      .collectives = {Collective::allgather, Collective::allgatherv},
      .name = "switch_ring",
      .says = "passes blocks around a ring that follows the network's switches",
      .source = "Faraj, Patarasuk and Yuan 2007; STAR-MPI, section 3.1, where it is called TSLR",
      .group = "switch_ring",
      .needs = {.switches = true},
      .latency = "(p-1) alpha",
      .bandwidth = "(p-1) s beta, also on a tree of switches",
      .build = build,
  };
}

}  // namespace starling::allgather
