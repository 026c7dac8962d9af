// reduce_scatter:pairwise: in step i every rank sends the rank i places to its right the block that is that one's, and
// adds what comes from the rank i places to its left.
//
//            rank 0        rank 1        rank 2        rank 3        "2 (3,0)": block 2 combined over ranks 3 and 0
//   step 1   0 (0,3)       1 (1,0)       2 (2,1)       3 (3,2)
//   step 2   0 (0,3,2)     1 (1,0,3)     2 (2,1,0)     3 (3,2,1)
//   step 3   0 (0,3,2,1)   1 (1,0,3,2)   2 (2,1,0,3)   3 (3,2,1,0)

#include "algorithms/algorithm.hpp"

namespace starling::reduce_scatter {
namespace {

Schedule build(const Team& team, const Parameters& /*none*/) {
  Schedule todo(team.blocks());
  if (team.size == 1) todo.copy(sendbuf(0), recvbuf(0));
  const Buffer arrived = team.size > 2 ? todo.add_scratch(1, team.rank) : Buffer::recv;
  for (int step = 1; step < team.size; ++step) {
    const Blocks into = step == 1 ? recvbuf(0) : at(arrived, 0);
    todo.round()
        .receive(into, team.left(step))
        .send(sendbuf(team.right(step)), team.right(step))
        .combine(step == 1 ? sendbuf(team.rank) : into, recvbuf(0));
  }
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& /*none*/) {
  return situation.ranks > 2 ? 1 : 0;
}

}  // namespace

Algorithm pairwise() {
  return {
      .collectives = {Collective::reduce_scatter, Collective::reduce_scatter_block},
      .name = "pairwise",
      .says = "sends each block directly to its owner, one a step; owners add them up",
      .source = "Thakur, Rabenseifner and Gropp 2005, section 4.4",
      .group = "ring",
      .needs = {.commutative = true},
      .reduction_order = "pairwise",
      .counterparts = {{.mpich = "pairwise"}},
      .latency = "(p-1) alpha",
      .bandwidth = "(p-1) s beta",
      .works_in_place = false,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::reduce_scatter
