// reduce_scatter:ring: the sum of each block starts at the rank to the right of its owner and travels round the ring,
// every rank adding what it has, until it comes to its owner.
//
//            rank 0        rank 1        rank 2        rank 3        "2 (3,0)": block 2 combined over ranks 3 and 0
//   step 1   2 (3,0)       3 (0,1)       0 (1,2)       1 (2,3)
//   step 2   1 (2,3,0)     2 (3,0,1)     3 (0,1,2)     0 (1,2,3)
//   step 3   0 (1,2,3,0)   1 (2,3,0,1)   2 (3,0,1,2)   3 (0,1,2,3)

#include "algorithms/algorithm.hpp"

namespace starling::reduce_scatter {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  if (team.size == 1) {
    todo.copy(sendbuf(0), recvbuf(0));
    return todo;
  }
  const Buffer sums = todo.add_scratch(team.size);
  for (int step = 1; step < team.size; ++step) {
    const int leaving = team.left(step);
    const int arriving = team.left(step + 1);
    todo.round()
        .receive(at(sums, arriving), team.left())
        .send(step == 1 ? sendbuf(leaving) : at(sums, leaving), team.right())
        .combine(sendbuf(arriving), at(sums, arriving));
  }
  todo.copy(at(sums, team.rank), recvbuf(0));
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 1 ? situation.ranks : 0;
}

}  // namespace

Algorithm ring() {
  return {
      .collectives = {Collective::reduce_scatter, Collective::reduce_scatter_block},
      .name = "ring",
      .says = "sends the sum of each block once around a ring, to its owner",
      .source = "Patarasuk and Yuan 2009; Hartmann et al., section 3.1: ring",
      .group = "ring",
      .needs = {.commutative = true},
      .reduction_order = "ring",
      .counterparts = {{.ompi = "ring", .ucc = "ring"}},
      .latency = "(p-1) alpha",
      .bandwidth = "(p-1) s beta",
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::reduce_scatter
